"""One seed: everything in one process, on a clock that is not the wall's.

    python -m tests.simulation SEED …

plays seeds again and says what became of each.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import structlog
import trio
import trio.testing
from trio._core import _run as scheduler

from server.memory import Network

from .chronicle import demand
from .emissions import heard_of
from .machine import Machine
from .person import Person
from .plan import Plan, plan_of
from .timing import Clock

SECOND = 1_000_000_000
LAST_HOUR = 6 * 3600
"""Seconds of trouble-free time within which everything must have come to its end."""
KEPT = 601
"""Seconds after which a session without a connection is gone."""


@dataclass(frozen=True, slots=True)
class Report:
    """What became of a seed."""

    digest: str
    """Of all that was said, and when: the same for the same seed."""
    events: int
    counts: dict[str, int]


def simulate(seed: int) -> Report:
    """Run a seed. Raises `Broken`, or whatever went wrong."""
    plan = plan_of(seed)
    scheduler._r.seed(seed)
    with tempfile.TemporaryDirectory(prefix="dobon") as folder, structlog.testing.capture_logs() as logs:
        clock = trio.testing.MockClock(autojump_threshold=0)
        report = trio.run(_run, plan, Path(folder), clock=clock)
    for entry in logs:
        demand(entry["log_level"] not in ("error", "critical") or "nothing can be" in entry["event"], entry)
        demand(entry["event"] not in ("bot failed", "bot refused"), entry)
    return report


async def _run(plan: Plan, folder: Path) -> Report:
    network = Network()
    machine = Machine(plan.seed, network, None if plan.crashes < 0 else folder)
    people = [Person(name, plan, network) for name in "ABCDEF"[: plan.people + 1]]
    with machine.emissions.listening():
        async with trio.open_nursery() as nursery:
            await nursery.start(machine.run)
            tasks = trio.lowlevel.current_statistics().tasks_living
            for person in people:
                nursery.start_soon(person.live)
            await _invite(plan, people)
            await _trouble(plan, machine)
            await _calm(machine, people)
            await _go_home(machine, people)
            demand(trio.lowlevel.current_statistics().tasks_living == tasks, "tasks are left")
            nursery.cancel_scope.cancel()
    return _judge(plan, machine, people)


async def _invite(plan: Plan, people: list[Person]) -> None:
    """The first opens a table, and tells the others."""
    host = people[0]
    with trio.move_on_after(LAST_HOUR) as scope:
        await host.welcomed.wait()
        fields: dict[str, Any] = {"seats": plan.seats, "bots": plan.bots}
        host._request("create", rules=plan.rules, settings=plan.settings, **fields)
        await host.seated.wait()
    demand(not scope.cancelled_caught, "no table could be had")
    for person in people:
        person.invited = host.invited


async def _trouble(plan: Plan, machine: Machine) -> None:
    crashes = max(0, plan.crashes)
    for number in range(crashes + 1):
        await trio.sleep(plan.trouble / (crashes + 1))
        machine.network.set_wall_clock(plan.clock * SECOND)
        if plan.full_disk and machine.disk is not None:
            machine.disk.full = True
            await trio.sleep(7)
            machine.disk.full = False
        if number < crashes:
            machine.kill()


async def _calm(machine: Machine, people: list[Person]) -> None:
    """Nothing fails any more: every match comes to its end."""
    for person in people:
        person.problems = False
        person._client.reset()
    await trio.sleep(60)
    for _ in range(LAST_HOUR // 60):
        if not any(table.playing for table in machine.core.lobby.tables.values()):
            break
        await trio.sleep(60)
    else:
        demand(False, "a match does not end")
    for person in people:
        person.still = True
        if person.table is not None:
            person._request("sync", table=person.table)
    await trio.sleep(5)
    for person in people:
        demand(not person._asked, person.name, "was never answered:", person._asked)
    for number, course in machine.chronicle.courses.items():
        machine.emissions.agree(number, course.events, complete=True)
    for table in machine.core.lobby.tables.values():
        demand(table.host in table.broadcast.members, "nobody is the host")


async def _go_home(machine: Machine, people: list[Person]) -> None:
    for person in people:
        person.gone = True
    await trio.sleep(2 * KEPT)
    core, harvester = machine.core, machine.harvester
    demand(not core.lobby.tables, "tables are left:", list(core.lobby.tables))
    demand(not len(core.visitors.sessions), "sessions are left:", len(core.visitors.sessions))
    demand(not harvester._peers and not machine.network.open(), "connections are left")
    demand(not core.visitors._connections, "connections are remembered")
    demand(not core._scheduled and core.timers.next() is None, "timers are left:", core.timers._heap)
    demand(not core.gate.waiting, "something was never sent")
    demand(not core.visitors._doors.connections, "connections are counted")


def _judge(plan: Plan, machine: Machine, people: list[Person]) -> Report:
    """Everybody heard what was said, in time, and each thing they asked for was done once."""
    emissions = machine.emissions
    if plan.crashes <= 0 and not plan.full_disk:
        for course in emissions.said.values():
            Clock().follow(course[seq] for seq in sorted(course))
    digest = sha256()
    for person in people:
        for table, seat, data in person.heard:
            said = emissions.said[table].get(data["seq"])
            demand(said is not None, person.name, "was told what is forgotten:", data)
            assert said is not None
            demand(heard_of(said, seat, table, data["seq"]) == data, person.name, "heard", data, "of", said)
            digest.update(repr(sorted(data.items())).encode())
    views: dict[tuple[int, int], Any] = {}
    for person in people:
        for key, seen in person.views.items():
            for view in seen:
                public = {name: getattr(view, name) for name in view.__struct_fields__ if name not in _OWN}
                demand(views.setdefault(key, public) == public, "two views of", key, public, views[key])
    spoken = [
        event["text"] for said in emissions.said.values() for event in said.values() if event["ev"] == "chat"
    ]
    for person in people:
        for text, agreed in person.chats.items():
            demand(spoken.count(text) <= 1, text, "was said twice")
            demand(spoken.count(text) == 1 or not agreed, text, "was agreed to and not said")
    counts = {key: sum(person.counts[key] for person in people) for key in people[0].counts}
    events = sum(map(len, emissions.said.values()))
    return Report(digest.hexdigest(), events, {**counts, "crashed": machine.crashed})


_OWN = ("at", "you", "hand", "drawn", "playable", "may", "claim", "act_on")
