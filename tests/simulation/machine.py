"""The server with its disk, that can die at any moment and come back, watched at every step."""

from __future__ import annotations

import random
import sqlite3
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import trio

from engine.actions import Action
from protocol.messages import Hello
from server.admin import Admin
from server.arrivals import Frame
from server.bot_seat import InlineThinker, Question
from server.config import Config
from server.core import Core
from server.harvest import Harvester
from server.journal import Journal, Store
from server.journal_rows import Row
from server.keeping import Keeping
from server.memory import Network
from server.peer import Peer
from server.record import Entry, NoRecord, Record
from server.table import Table
from server.turn import in_turn

from .audit import Audit, Standing, same_standing, standing_of
from .chronicle import Chronicle, demand
from .emissions import Emissions
from .line import encrypting

MOST_UNSAFE = 200
"""Steps of a table that may not be written yet."""
PLAIN = Config(discovery=False, admin=False)


class Told(NoRecord):
    """Keeps nothing, but lets a chronicle know."""

    def __init__(self, chronicle: Chronicle) -> None:
        self._chronicle = chronicle

    def note(self, entry: Entry) -> int:
        self._chronicle.take(entry)
        return 0


class Disk(Store):
    """A journal's file that may be full."""

    full = False

    def __init__(self, folder: Path, offset: Callable[[], int]) -> None:
        super().__init__(folder, offset)
        # The process dies here, never the machine that it runs on.
        self._connection.execute("PRAGMA synchronous = OFF")

    def write(self, rows: Iterable[Row]) -> None:
        if self.full:
            raise sqlite3.OperationalError("database or disk is full")
        super().write(rows)

    def rows_of(self, table: str) -> int:
        """How many rows a table of the file has."""
        (count,) = self._connection.execute(f"SELECT count(*) FROM {table}").fetchone()
        return int(count)


class Kept(Journal):
    """A journal that lets a chronicle know, and counts what would outlive the process now."""

    def __init__(self, disk: Disk, chronicle: Chronicle, chance: random.Random) -> None:
        super().__init__(disk, self._slowly)
        self._chronicle = chronicle
        self._chance = chance
        self._disk = disk
        self._before = len(chronicle.entries)
        self.safe = self._before

    def note(self, entry: Entry) -> int:
        self._chronicle.take(entry)
        return super().note(entry)

    async def _slowly(self, do: Callable[[], None]) -> None:
        """Write as slow disks do; the process may die before, or after and before it knows."""
        noted = self._before + self._noted - len(self._pending)
        await trio.sleep(self._chance.choice([0, 0.0001, 0.001, 0.05]))
        do()
        if not self._disk.full:
            self.safe = noted
        await trio.sleep(self._chance.choice([0, 0.0001, 0.01]))


class Pondering:
    """A thinker that takes its time, and sometimes has nothing to say. Its answers come from other tasks."""

    def __init__(self, chance: random.Random, nursery: trio.Nursery) -> None:
        self._chance = chance
        self._nursery = nursery
        self._inline = InlineThinker()

    def think(self, question: Question, deliver: Callable[[Action | None], None]) -> None:
        if self._chance.random() < 0.3:
            self._inline.think(question, deliver)
        else:
            self._nursery.start_soon(self._ponder, question, deliver)

    async def _ponder(self, question: Question, deliver: Callable[[Action | None], None]) -> None:
        await trio.sleep(self._chance.choice([0, 0.001, 0.1, 1, 1.9, 2, 5]))
        if self._chance.random() < 0.1:
            deliver(None)
        else:
            self._inline.think(question, deliver)


class Machine:
    """One server after the other, in one place and on one disk; without a folder it keeps nothing."""

    def __init__(
        self,
        seed: int,
        network: Network,
        folder: Path | None,
        config: Config = PLAIN,
        *,
        tls: bool = False,
        pondering: bool = False,
        looks: int = 1,
    ) -> None:
        """It is looked at every time that so many things have happened."""
        self.chronicle = Chronicle()
        self.emissions = Emissions()
        self.network = network
        self.core: Core
        self.harvester: Harvester
        self.audit: Audit
        self.disk: Disk | None = None
        self.crashed = 0
        self.up = False
        self._chance = random.Random(f"machine {seed}")
        self._folder = folder
        self._config = replace(config, seed=b"simulation %d" % seed)
        self._tls = tls
        self._pondering = pondering
        self._looks = looks
        self._happened = 0
        self._scope = trio.CancelScope()
        self._record: Kept | None = None
        self._stood: dict[int, deque[tuple[int, Standing]]] = {}
        """By table, how it stood when so many entries had been noted."""
        self._keeping: Keeping | None = None

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Note what any table says meanwhile, and look through every view."""

        def looked_through(table: Table, you: int | None) -> dict[str, Any]:
            return self.audit.view(table, you)

        keep = Table.keep

        def kept(table: Table) -> None:
            keep(table)
            if self._record is not None and not table.is_closed:
                self._note_standing(table)

        views = patch("server.table.view_of", looked_through)
        with self.emissions.listening(), views, patch.object(Table, "keep", kept):
            yield

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Serve; a server that has died is started again after a while."""
        while True:
            with trio.CancelScope() as self._scope:
                async with trio.open_nursery() as nursery:
                    self._boot(nursery)
                    task_status.started()
                    task_status = trio.TASK_STATUS_IGNORED
                    await trio.sleep_forever()
            self._bury()
            await trio.sleep(self._chance.choice([0.1, 2, 30]))

    def _boot(self, nursery: trio.Nursery) -> None:
        record: Record = Told(self.chronicle)
        config, limits = self._config, self._config.limits
        if self._folder is not None:
            self.disk = Disk(self._folder, self.network.offset)
            record = self._record = Kept(self.disk, self.chronicle, self._chance)
        now = self.network.now
        thinker = Pondering(self._chance, nursery) if self._pondering else InlineThinker()
        self.core = core = Core(
            config, record, thinker, now, self.network.clock, lambda: self.harvester.wake()
        )
        most = limits.connections + limits.lingering
        context = encrypting() if self._tls else None
        self.harvester = Harvester(self.network, Watched(self), context, most)
        self.audit = Audit(core, self.harvester, self.chronicle, limits)
        if self.disk is not None and self._record is not None:
            disk = self.disk
            stored = {number: disk.table(number, now()) for number in disk.open_tables()}
            self.emissions.forget({number: kept.standing["seq"] + 1 for number, kept in stored.items()})
            before = {number: self._stood[number][-1][1] for number in stored}
            self._keeping = Keeping(disk, True, str)
            self._keeping.journal = self._record
            self._keeping.resume(core, now())
            demand(stored.keys() == core.lobby.tables.keys(), "tables can't be taken up again")
            for number, standing in before.items():
                same_standing(core.lobby.tables[number], standing)
            nursery.start_soon(self._keeping.run, core)
            self.audit.look()
        self.harvester.listen(self.network.listener)
        nursery.start_soon(self.harvester.run)
        self.up = True

    def look(self) -> None:
        """Something has happened."""
        self._happened += 1
        if self._happened % self._looks == 0:
            self.audit.look()

    def _note_standing(self, table: Table) -> None:
        stood = self._stood.setdefault(table.number, deque(maxlen=MOST_UNSAFE))
        stood.append((len(self.chronicle.entries), standing_of(table)))

    def kill(self) -> None:
        """Die, as with kill -9."""
        self._scope.cancel()

    async def retire(self) -> None:
        """End as a server does that is told to."""
        assert self._keeping is not None
        await self._keeping.say_goodbye(self.core)
        self.harvester.finish()
        await trio.sleep(5)
        demand(not self.harvester._peers, "the server does not end")
        await self._keeping.finish()
        self._scope.cancel()

    def _bury(self) -> None:
        """What was not written is gone."""
        assert self._record is not None
        assert self.disk is not None
        self.up = False
        self.crashed += 1
        del self.chronicle.entries[self._record.safe :]
        self.chronicle.again()
        safe = len(self.chronicle.entries)
        for stood in self._stood.values():
            while stood and stood[-1][0] > safe:
                stood.pop()
        self.disk.close()

    async def decree(self) -> None:
        """The server's host does something to somebody, or to a table."""
        admin = Admin(self.core, self.harvester, "simulation")
        tables, sessions = sorted(self.core.lobby.tables), list(self.core.visitors.sessions)
        if not self.up or self.core.gate.stuck or not tables or not sessions:
            return
        match self._chance.randrange(3):
            case 0:
                asked: dict[str, Any] = {"table": self._chance.choice(tables)}
                await in_turn(self.core, self.harvester, lambda: admin.close(asked))
            case 1:
                asked = {"who": f"#{self._chance.choice(sessions).player}"}
                await in_turn(self.core, self.harvester, lambda: admin.kick(asked))
            case _:
                await in_turn(self.core, self.harvester, lambda: admin.announce("dinner is ready"))


class Watched:
    """A core whose state is looked at after every call."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._core = machine.core

    def connected(self, peer: Peer) -> None:
        self._core.connected(peer)
        self._machine.look()

    def table_of(self, frame: Frame) -> Hashable | None:
        return self._core.table_of(frame)

    def race_open(self, table: Hashable, arrival: int) -> bool:
        return self._core.race_open(table, arrival)

    def rank(self, frame: Frame) -> int:
        return self._core.rank(frame)

    def decide_until(self, moment: int, table: Hashable | None) -> None:
        self._core.decide_until(moment, table)
        self._machine.look()
        if table is None:
            self._machine.audit.look_at_time(moment)

    def frame(self, frame: Frame) -> None:
        shown = self._machine.audit.shown
        shown.clear()
        self._core.frame(frame)
        session = frame.peer.session.session
        if isinstance(frame.message, Hello) and session is not None and frame.peer.open:
            demand(session.tables.keys() <= shown, "who comes back is not shown every table:", shown)
        self._machine.look()

    def broken(self, peer: Peer, code: str) -> None:
        self._core.broken(peer, code)
        self._machine.look()

    def closed(self, peer: Peer, why: str) -> None:
        self._core.closed(peer, why)
        self._machine.look()

    def drained(self, peer: Peer) -> None:
        self._core.drained(peer)
        self._machine.look()

    def next_deadline(self) -> int | None:
        return self._core.next_deadline()
