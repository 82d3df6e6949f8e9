"""One seed: everything in one process, on a clock that is not the wall's.

    python -m tests.simulation SEED …

plays seeds again and says what became of each.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from unittest.mock import patch

import structlog
import trio
import trio.testing
from trio._core import _run as scheduler

from server.config import Config
from server.limits import GUESS_EVERY, GUESSES
from server.memory import Network

from .chronicle import Data, demand
from .deals import contested
from .deeds import done_once
from .emissions import Emissions, heard_of
from .machine import Machine
from .person import Person
from .plan import Plan, Weather, plan_of
from .timing import Clock
from .views import judge_views

SECOND = 1_000_000_000
LAST_HOUR = 6 * 3600
"""Seconds of trouble-free time within which everything must have come to its end."""
TIGHT = 6000
"""Bytes that a connection may leave unsent where that is little."""
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
        # Which of the tasks that could run does so first: trio's own chance, from a list in a known order.
        in_order = patch.object(scheduler, "_ALLOW_DETERMINISTIC_SCHEDULING", True)
        with in_order, _surroundings(plan):
            report = trio.run(_run, plan, Path(folder), clock=clock)
    for entry in logs:
        demand(entry["log_level"] not in ("error", "critical") or "nothing can be" in entry["event"], entry)
        demand(entry["event"] not in ("bot failed", "bot refused"), entry)
        demand(entry["event"] != "bot late" or plan.pondering, entry)
    return report


@contextmanager
def _surroundings(plan: Plan) -> Iterator[None]:
    """What a plan changes of the rest of the program."""
    with ExitStack() as stack:
        if plan.contested:
            stack.enter_context(patch("engine.round.deal_hands", contested))
        if plan.tight:
            stack.enter_context(patch("server.broadcast.UNSENT", TIGHT))
            stack.enter_context(patch("server.visitors.UNSENT", TIGHT))
        yield


async def _run(plan: Plan, folder: Path) -> Report:
    network = Network("kernel" if plan.stamps else "read", plan.descriptors)
    weather = Weather(plan)
    config = Config(password=plan.password, limits=plan.limits)
    kept = None if plan.crashes < 0 else folder
    machine = Machine(plan.seed, network, kept, config, tls=plan.tls, pondering=plan.pondering)
    people = [Person(name, weather, network) for name in "ABCDEF"[: plan.people + 1]]
    people[-1].burgles = plan.burglar
    began = trio.current_time()
    with machine.watching():
        async with trio.open_nursery() as nursery:
            await nursery.start(machine.run)
            tasks = trio.lowlevel.current_statistics().tasks_living
            for person in people:
                nursery.start_soon(person.live)
            await _trouble(plan, machine)
            weather.bad = False
            await calm(machine, people)
            await go_home(machine, people)
            demand(trio.lowlevel.current_statistics().tasks_living == tasks, "tasks are left")
            nursery.cancel_scope.cancel()
    _judge_doors(plan, people, trio.current_time() - began)
    return _judge(plan, machine, people)


async def _trouble(plan: Plan, machine: Machine) -> None:
    crashes = max(0, plan.crashes)
    chance = random.Random(f"trouble {plan.seed}")
    for number in range(crashes + 1):
        for _ in range(plan.decrees):
            await trio.sleep(plan.trouble / (crashes + 1) / plan.decrees)
            await machine.decree()
        if not plan.decrees:
            await trio.sleep(plan.trouble / (crashes + 1))
        machine.network.set_wall_clock(plan.clock * SECOND)
        if plan.full_disk and machine.disk is not None:
            machine.disk.full = True
            await trio.sleep(7)
            machine.disk.full = False
            await trio.sleep(chance.choice([0, 5]))
        if not machine.up:
            continue
        if number < crashes and chance.random() < 0.3:
            await machine.retire()
        elif number < crashes:
            machine.kill()


async def calm(machine: Machine, people: Sequence[Person]) -> None:
    """Nothing fails any more: everybody gets in, and every match comes to its end."""
    for person in people:
        person.line.client.reset()
    await trio.sleep(60)
    for _ in range(LAST_HOUR // 60):
        playing = any(table.playing for table in machine.core.lobby.tables.values())
        if not playing and all(person.open for person in people):
            break
        await trio.sleep(60)
    else:
        demand(all(person.open for person in people), "somebody never gets in")
        demand(False, "a match does not end")
    await trio.testing.wait_all_tasks_blocked()
    while machine.core.gate.waiting:
        await trio.sleep(0.01)
        await trio.testing.wait_all_tasks_blocked()
    for person in people:
        _up_to_date(machine, person)
    for person in people:
        person.still = True
        if person.table is not None:
            person.request("sync", table=person.table)
    await trio.sleep(5)
    for person in people:
        demand(not person.asked, person.name, "was never answered:", person.asked)
    for number, course in machine.chronicle.courses.items():
        machine.emissions.agree(number, course, complete=True)
    for table in machine.core.lobby.tables.values():
        demand(table.host in table.broadcast.members, "nobody is the host")


def _up_to_date(machine: Machine, person: Person) -> None:
    """Nobody is left behind who can hear."""
    view = person.view
    if view is not None:
        table = machine.core.lobby.tables.get(view.table)
        demand(table is not None, person.name, "believes in a table that is gone:", view.table)
        assert table is not None
        demand(
            table.broadcast.seq == view.seq,
            person.name,
            "is left behind at",
            view.seq,
            "of",
            table.broadcast.seq,
        )


async def go_home(machine: Machine, people: Sequence[Person]) -> None:
    """Everybody leaves, and nothing is left of them."""
    for person in people:
        person.gone = True
    await trio.sleep(2 * KEPT)
    core, harvester = machine.core, machine.harvester
    visitors, doors = core.visitors, core.visitors._doors
    demand(not core.lobby.tables, "tables are left:", list(core.lobby.tables))
    demand(not len(visitors.sessions), "sessions are left:", len(visitors.sessions))
    demand(not harvester._peers and not machine.network.open(), "connections are left")
    demand(not visitors._connections and not doors.connections, "connections are remembered")
    demand(not doors._began and not doors._sessions, "sessions are counted:", doors._began)
    demand(not harvester._begun and not harvester._parting and not harvester._held, "something is held")
    demand(not core._scheduled and core.timers.next() is None, "timers are left:", core.timers._heap)
    demand(not core.gate.waiting, "something was never sent")
    if machine.disk is not None:
        for table in ("session", "window", "place WHERE closed IS NULL"):
            demand(not machine.disk.rows_of(table), "something is kept for nobody:", table)


def _judge(plan: Plan, machine: Machine, people: Sequence[Person]) -> Report:
    """Everybody heard what was said, in time, and each thing they asked for was done once."""
    emissions = machine.emissions
    if plan.crashes <= 0 and not plan.full_disk:
        for course in emissions.said.values():
            Clock().follow(course[seq] for seq in sorted(course))
    digest = sha256()
    judge_people(emissions, people)
    for person in people:
        for _, _, data in person.memory.heard:
            digest.update(repr(sorted(data.items())).encode())
    judge_views(people, plan.full_disk)
    judge_chats(emissions.said.values(), people)
    made = len(emissions.said)
    demand(made <= sum(person.memory.creates for person in people), "a table was made twice")
    counts = {key: sum(person.counts[key] for person in people) for key in people[0].counts}
    events = [event for said in emissions.said.values() for event in said.values()]
    counts["contested"] = sum(event["ev"] == "claimed" and event["order"] > 1 for event in events)
    counts["false"] = sum(event["ev"] == "false_claim" for event in events)
    return Report(digest.hexdigest(), len(events), {**counts, "crashed": machine.crashed})


def judge_people(emissions: Emissions, people: Sequence[Person]) -> None:
    """What each heard was said so, and what each was granted was done, once."""
    for person in people:
        for table, seat, data in person.memory.heard:
            said = emissions.said[table].get(data["seq"])
            demand(said is not None, person.name, "was told what is forgotten:", data)
            assert said is not None
            demand(heard_of(said, seat, table, data["seq"]) == data, person.name, "heard", data, "of", said)
        for seat, request in person.memory.agreed:
            if request.get("table") in emissions.said:
                done_once(emissions.said[request["table"]], seat, request)


def judge_chats(said: Iterable[dict[int, Data]], people: Sequence[Person]) -> None:
    """What was said was said once."""
    spoken = [event["text"] for each in said for event in each.values() if event["ev"] == "chat"]
    for person in people:
        for text, agreed in person.memory.chats.items():
            demand(spoken.count(text) <= 1, text, "was said twice")
            demand(spoken.count(text) == 1 or not agreed, text, "was agreed to and not said")


def _judge_doors(plan: Plan, people: Sequence[Person], lasted: float) -> None:
    """Nobody tries more passwords in the seconds that it lasted than is allowed."""
    for person in people:
        # Every process counts anew.
        most = GUESSES * (max(0, plan.crashes) + 1) + lasted * SECOND / GUESS_EVERY + 1
        demand(person.memory.wrong <= most, person.name, "tried passwords", person.memory.wrong)
