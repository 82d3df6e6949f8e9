"""A day and a night of one server, on a clock that is not the wall's: nothing that it holds grows.

    python -m tests.simulation.soak [HOURS]

Several tables, one match after the other. Regulars who are cut off and come back, guests who stay for a while
and are never seen again, visitors who say nothing or nonsense; now and then the host closes a table. By the
hour all of it is judged as a seed of the simulation is, and what the server holds is counted.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import os
import random
import sys
import tempfile
import traceback
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import structlog
import trio
import trio.testing
from trio._core import _run as scheduler

from protocol.frame import encode_frame
from server.config import Config
from server.memory import Network

from .chronicle import demand
from .machine import Machine
from .person import Person
from .plan import Plan, Weather, plan_of
from .run import calm, go_home, judge_chats, judge_people
from .views import judge_views

HOUR = 3600
HOURS = 24
TABLES = 4
REGULARS = "ABC"
GUESTS = 3
"""At a time."""
PACE = 4
KEPT = 1500
"""Events of each table that may still have to be compared with what somebody hears."""
LOOKS = 40
RULES = (
    {"preset": "dobon"},
    {"preset": "pageone", "jokers": 2, "claims": "last", "counter": "ask"},
    {"preset": "dobon", "hand": 4, "claims": "all", "false_dobon": 1, "scoring": "chain"},
    {"preset": "dobon", "opening": "race", "order_by": "rps", "last_call": 1, "must_play": True},
)


FAULTS: list[dict[str, Any]] = []
"""What the server logged of its own faults."""


class Held(NamedTuple):
    """What the server and its surroundings hold at an hour."""

    blocks: int
    """Of memory, of the whole process."""
    megabytes: int
    """Of memory, of the whole process; 0 where the system does not say."""
    tasks: int
    connections: int
    sessions: int
    tables: int
    timers: int
    once: int
    """Requests that wait for an answer."""
    addresses: int
    """Counted by the doors and for wrong passwords."""
    series: int
    """Names in the standings of all tables."""
    open_rows: int
    """Of the journal: sessions, windows and tables that are not closed."""
    inputs: int
    """Of the journal: what was done in all matches."""
    file: int
    """Bytes of the journal."""
    events: int
    """Said so far."""


class Day:
    """The server, its people, and what came of them by the hour."""

    def __init__(self, folder: Path) -> None:
        self.network = Network()
        self.machine = Machine(1, self.network, folder, Config(), tls=True, looks=LOOKS)
        self.weathers = [Weather(_plan(table)) for table in range(TABLES)]
        self.people: list[Person] = []
        self.held: list[Held] = []
        self._folder = folder
        self._chance = random.Random("a day")
        self._closed: set[int] = set()
        self._guests = 0
        self._visitors = 0

    async def pass_by(self, hours: int, told: Callable[[Held], None]) -> None:
        """Let so many hours pass, then everybody leave. Raises `Broken`."""
        with self.machine.watching():
            async with trio.open_nursery() as nursery:
                await nursery.start(self.machine.run)
                tasks = trio.lowlevel.current_statistics().tasks_living
                async with trio.open_nursery() as present:
                    for weather in self.weathers:
                        for name in REGULARS:
                            self._bring(present, name, weather)
                    for _ in range(GUESTS):
                        present.start_soon(self._be_visited, present)
                    present.start_soon(self._be_knocked_at)
                    for _ in range(hours):
                        await trio.sleep(HOUR)
                        await self.machine.decree()
                        self._judge()
                        self.held.append(self._count())
                        told(self.held[-1])
                    for weather in self.weathers:
                        weather.bad = False
                    self._guests = -1
                    await calm(self.machine, self.people)
                    await go_home(self.machine, self.people)
                self._judge()
                demand(trio.lowlevel.current_statistics().tasks_living == tasks, "tasks are left")
                self.held.append(self._count())
                told(self.held[-1])
                nursery.cancel_scope.cancel()

    def _bring(self, nursery: trio.Nursery, name: str, weather: Weather) -> Person:
        person = Person(name, weather, self.network, PACE)
        self.people.append(person)
        nursery.start_soon(person.live)
        return person

    async def _be_visited(self, nursery: trio.Nursery) -> None:
        """One guest after the other, each under another name."""
        while self._guests >= 0:
            self._guests += 1
            guest = self._bring(nursery, f"G{self._guests}", self._chance.choice(self.weathers))
            await trio.sleep(self._chance.randrange(300, 2400))
            if self._guests < 0:
                return
            if guest.table is not None and guest.open and self._chance.random() < 0.5:
                guest.request("leave", table=guest.table)
                await trio.sleep(5)
            guest.gone = True
            self._judge_one(guest)
            self.people.remove(guest)

    async def _be_knocked_at(self) -> None:
        """Somebody who is no client of ours, or does not know the way, every now and then."""
        hello = {"t": "hello", "versions": [1], "name": "Ghost", "agent": "soak"}
        while self._guests >= 0:
            await trio.sleep(self._chance.randrange(10, 60))
            self._visitors += 1
            client = self.network.connect(f"8.8.{self._visitors >> 8 & 255}.{self._visitors & 255}:1")
            match self._chance.randrange(5):
                case 0:
                    client.send(self._chance.randbytes(20))
                case 1:
                    client.send(encode_frame({**hello, "token": "no such token"}))
                case 2:
                    client.send(encode_frame(hello)[:11])
                case 3:
                    client.send(b"\x16\x03\x01\x00\x05hello")
                case _:
                    client.reset()

    def _judge(self) -> None:
        """What has happened since the last time, which is then forgotten."""
        machine, emissions = self.machine, self.machine.emissions
        demand(not FAULTS, "a fault:", FAULTS)
        judge_people(emissions, self.people)
        judge_views(self.people, stood_still=False)
        judge_chats(emissions.said.values(), self.people)
        for person in self.people:
            person.forget()
        for table, course in list(machine.chronicle.courses.items()):
            emissions.forget_agreed(table, course, KEPT)
        machine.chronicle.entries.clear()
        gone = emissions.said.keys() - machine.core.lobby.tables.keys()
        for table in gone & self._closed:
            # Closed for an hour: nobody still reads of it.
            for known in (emissions.said, emissions._last, emissions._agreed, machine._stood):
                known.pop(table, None)
            machine.chronicle.courses.pop(table, None)
        self._closed = gone

    def _judge_one(self, guest: Person) -> None:
        judge_people(self.machine.emissions, [guest])
        judge_views([guest], stood_still=False)

    def _count(self) -> Held:
        machine, core = self.machine, self.machine.core
        disk, visitors = machine.disk, core.visitors
        assert disk is not None
        gc.collect()
        return Held(
            sys.getallocatedblocks(),
            _megabytes(),
            trio.lowlevel.current_statistics().tasks_living,
            len(visitors._connections),
            len(visitors.sessions),
            len(core.lobby.tables),
            len(core.timers._heap) + len(core._shows._heap),
            sum(len(session.requests.undecided) for session in visitors.sessions),
            len(visitors._doors._connections) + len(visitors._doors._began) + len(visitors.guesses._whole_at),
            sum(len(table.series.to_data()) for table in core.lobby.tables.values()),
            sum(map(disk.rows_of, ("session", "window", "place WHERE closed IS NULL"))),
            disk.rows_of("input"),
            sum(path.stat().st_size for path in self._folder.iterdir()),
            machine.emissions.count,
        )


def _plan(table: int) -> Plan:
    """Everyday trouble at one of the tables."""
    return replace(
        plan_of(table),
        seats=4,
        people=len(REGULARS),
        bots=["easy"],
        rules={**RULES[table], "rounds": 3},
        settings={},
        cut=0.003,
        twice=0.02,
        split=0.05,
        folly=0.02,
        whim=0.02,
        glutton=False,
        crashes=0,
        stamps=True,
        tls=True,
        password="open sesame" if table == 1 else None,
    )


def _megabytes() -> int:
    # What the C library keeps of memory that was given back is not held by anything.
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE") >> 20


async def _pass(folder: Path, hours: int, told: Callable[[Held], None]) -> Sequence[Held]:
    day = Day(folder)
    await day.pass_by(hours, told)
    return day.held


def soak(hours: int, told: Callable[[Held], None]) -> Sequence[Held]:
    """What was held at every hour, and at last when nobody was there. Raises `Broken`, or what went wrong."""
    scheduler._r.seed(1)
    in_order = patch.object(scheduler, "_ALLOW_DETERMINISTIC_SCHEDULING", True)
    structlog.configure(processors=[structlog.processors.add_log_level, _no_fault])
    try:
        with tempfile.TemporaryDirectory(prefix="dobon") as folder, in_order:
            clock = trio.testing.MockClock(autojump_threshold=0)
            return trio.run(_pass, Path(folder), hours, told, clock=clock)
    finally:
        structlog.reset_defaults()


def _no_fault(logger: object, method: str, event: MutableMapping[str, Any]) -> Mapping[str, Any]:
    """A processor of log entries: lets none be written, and none be of a fault."""
    if event["level"] in ("error", "critical"):
        traceback.print_exc()
        FAULTS.append(dict(event))
    raise structlog.DropEvent


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.simulation.soak", description="Let time pass.")
    parser.add_argument("hours", nargs="?", type=int, default=HOURS, help="24 unless told")
    asked = parser.parse_args()
    print(*Held._fields)
    soak(asked.hours, lambda held: print(*held, flush=True))
