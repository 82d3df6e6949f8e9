"""The server with its disk, that can die at any moment and come back, watched at every step."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable, Hashable, Iterable
from pathlib import Path

import trio

from engine.state import Phase
from engine.trace import state_changes
from server.arrivals import Frame
from server.bot_seat import InlineThinker
from server.config import Config
from server.connection import UNSENT
from server.core import Core
from server.harvest import Harvester
from server.journal import Journal, Resumption, Store
from server.journal_rows import Row
from server.memory import Network
from server.peer import Peer
from server.record import Entry, NoRecord, Record
from server.restore import restore
from server.table import Table

from .chronicle import Chronicle, demand
from .emissions import Emissions


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

    def write(self, rows: Iterable[Row]) -> None:
        if self.full:
            raise sqlite3.OperationalError("database or disk is full")
        super().write(rows)


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


class Machine:
    """One server after the other, in one place and on one disk; without a folder it keeps nothing."""

    def __init__(self, seed: int, network: Network, folder: Path | None) -> None:
        self.chronicle = Chronicle()
        self.emissions = Emissions()
        self.network = network
        self.core: Core
        self.harvester: Harvester
        self.disk: Disk | None = None
        self.crashed = 0
        self._chance = random.Random(f"machine {seed}")
        self._folder = folder
        self._config = Config(seed=b"simulation %d" % seed)
        self._scope = trio.CancelScope()
        self._record: Kept | None = None

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
        if self._folder is not None:
            self.disk = Disk(self._folder, self.network.offset)
            record = self._record = Kept(self.disk, self.chronicle, self._chance)
        now = self.network.now
        self.core = Core(
            self._config, record, InlineThinker(), now, self.network.clock, lambda: self.harvester.wake()
        )
        self.harvester = Harvester(self.network, Watched(self))
        if self.disk is not None and self._record is not None:
            stored = {number: self.disk.table(number, now()) for number in self.disk.open_tables()}
            self.emissions.forget({number: kept.standing["seq"] + 1 for number, kept in stored.items()})
            refused = restore(self.core, Resumption(self.disk, now()))
            demand(not refused, "tables that can't be taken up again:", refused)
            gate = self.core.gate
            nursery.start_soon(self._record.run, gate.release, self.core.stand_still, self.core.go_on)
            self.look()
        self.harvester.listen(self.network.listener)
        nursery.start_soon(self.harvester.run)

    def kill(self) -> None:
        """Die, as with kill -9."""
        self._scope.cancel()

    def _bury(self) -> None:
        """What was not written is gone."""
        assert self._record is not None
        assert self.disk is not None
        self.crashed += 1
        del self.chronicle.entries[self._record.safe :]
        self.chronicle.again()
        self.disk.close()

    # What must hold whenever the server rests

    def look(self) -> None:
        """At everything, after a step."""
        for table in self.core.lobby.tables.values():
            self.look_at(table)
        for peer in self.harvester._peers.values():
            demand(peer.unsent <= 3 * UNSENT, "a connection has too much unsent:", peer.unsent)
        # One read may bring thousands of the smallest frames.
        demand(len(self.harvester._held) < 5000, "too many frames are held")
        demand(len(self.core.gate._waiting) < 20_000, "too much is withheld")

    def look_at(self, table: Table) -> None:
        broadcast, game = table.broadcast, table.game
        demand(not broadcast._frames and not broadcast._own, "something was said and not sent")
        for player, member in broadcast.members.items():
            session = member.session
            demand(session.player == player, "a member is another session")
            demand(session.tables.get(table.number) is table, "a member's session knows of no such table")
            if member.seat is not None:
                seat = table.seats[member.seat]
                demand(seat.player == player and seat.seated, "a seat is another's:", seat)
        seated = {seat.player for seat in table.seats if seat.seated}
        members = {player for player, member in broadcast.members.items() if member.seat is not None}
        demand(seated == members, "seats and members differ:", seated, members)
        if game is None or game.over:
            return
        if not (game.between and game.paused):
            due = table.next()
            demand(due is not None, "nothing will ever happen at table", table.number)
        course = self.chronicle.courses[table.number]
        demand(game.between == (course.round is None), "a round that is over goes on, or the other way round")
        if not game.between:
            assert game.live is not None
            assert course.round is not None
            demand(len(game.live.held) <= 2 * len(table.seats), "too much is held:", game.live.held)
            window = course.round.window is not None and course.round.phase is not Phase.OVER
            demand(
                game.live.window_open() == window, "a window that is closed is open, or the other way round"
            )
            differs = state_changes(course.round, game.live.round)
            demand(not differs, "the round is not what its inputs make of it:", differs)


class Watched:
    """A core whose state is looked at after every call."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._core = machine.core

    def connected(self, peer: Peer) -> None:
        self._core.connected(peer)

    def table_of(self, frame: Frame) -> Hashable | None:
        return self._core.table_of(frame)

    def race_open(self, table: Hashable, arrival: int) -> bool:
        return self._core.race_open(table, arrival)

    def rank(self, frame: Frame) -> int:
        return self._core.rank(frame)

    def decide_until(self, moment: int, table: Hashable | None) -> None:
        self._core.decide_until(moment, table)
        self._machine.look()

    def frame(self, frame: Frame) -> None:
        self._core.frame(frame)
        self._machine.look()

    def broken(self, peer: Peer, code: str) -> None:
        self._core.broken(peer, code)

    def closed(self, peer: Peer, why: str) -> None:
        self._core.closed(peer, why)
        self._machine.look()

    def drained(self, peer: Peer) -> None:
        self._core.drained(peer)

    def next_deadline(self) -> int | None:
        return self._core.next_deadline()
