"""What happened, kept: a `record.Record` that writes to a SQLite file.

Entries are taken at once and written by a thread, as many at a time as have come while it wrote the last
ones. A batch ends between two steps and is a transaction, so whatever moment the process dies at, the file
holds whole steps and at least all that was told.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import structlog
import trio

from .journal_rows import Row, Rows, read_sessions, read_table
from .journal_schema import JOURNAL, SUFFIX, BadJournal, judged, lock, open_to_write
from .record import Entry, SessionKept
from .standing import Kept

RETRY: Final = 0.5
"""Seconds until writing is tried again."""
SLOW: Final = 2
"""Seconds that writing may take until it counts as stuck."""
RESERVE: Final = 4 * 2**20
"""Bytes: with less room on the disk no match is begun, so that those that are can end."""

_log = structlog.get_logger("journal")

Away = Callable[[Callable[[], None]], Awaitable[object]]
"""Calls something where it may block."""


class Store:
    """The file. Everything here may block; one thread at a time."""

    def __init__(self, folder: Path, offset: Callable[[], int], name: str = JOURNAL + SUFFIX) -> None:
        """Raises `BadJournal`. ``offset``: the wall clock less the server's, ns."""
        self.path = folder / name
        self._lock = lock(folder, name)
        self._offset = offset
        self.rows = Rows(offset)
        try:
            self._connection = open_to_write(self.path)
            with self._judging():
                self.rows.count_on(self._connection)
        except BadJournal:
            self._lock.close()
            raise

    def next_ids(self) -> tuple[int, int, int]:
        """The first table, match and player id that was never used. Raises `BadJournal`, as what follows."""
        with self._judging():
            used = dict(self._connection.execute("SELECT name, next FROM counter"))
        return used.get("table", 1), used.get("match", 1), used.get("player", 1)

    def sessions(self) -> Iterator[SessionKept]:
        with self._judging():
            return iter(list(read_sessions(self._connection)))

    def open_tables(self) -> list[int]:
        query = "SELECT number FROM place WHERE closed IS NULL AND standing IS NOT NULL ORDER BY number"
        with self._judging():
            return [number for (number,) in self._connection.execute(query)]

    def table(self, number: int, now: int) -> Kept:
        """A table at a moment of the server's clock."""
        return read_table(self._connection, number, now + self._offset())

    def write(self, rows: Iterable[Row]) -> None:
        """All of it or nothing; it is safe afterwards. Raises sqlite3.Error."""
        connection = self._connection
        try:
            connection.execute("BEGIN IMMEDIATE")
            for statement, values in rows:
                connection.execute(statement, values)
            connection.execute("COMMIT")
        except sqlite3.Error:
            with suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
            raise

    def room(self) -> int:
        """Bytes free on the disk, as far as can be told."""
        if not hasattr(os, "statvfs"):
            return RESERVE
        with suppress(OSError):
            found = os.statvfs(self.path)
            return found.f_bavail * found.f_frsize
        return RESERVE

    def forget(self) -> None:
        """Close every table and end every session: nobody comes back to them. Matches stay.

        Raises `BadJournal`, and is closed then.
        """
        close = "UPDATE place SET closed = 'empty' WHERE closed IS NULL"
        with self._judging():
            self.write([(close, ()), ("DELETE FROM session", ())])

    def close(self) -> None:
        self._connection.close()
        self._lock.close()

    @contextmanager
    def _judging(self) -> Iterator[None]:
        """Without what is read here nothing can begin: an error says what is wrong with the file."""
        try:
            yield
        except sqlite3.Error as error:
            self.close()
            raise judged(error, self.path) from None


class Journal:
    """A `Record` that writes to a `Store`, in the task `run`."""

    keeps = True

    def __init__(self, store: Store, away: Away = trio.to_thread.run_sync) -> None:
        self.stuck = False
        self.roomy = store.room() >= RESERVE
        self._store = store
        self._away = away
        self._pending: list[Entry] = []
        self._noted = 0
        self._written = 0
        self._stirred = trio.Event()
        self._progressed = trio.Event()

    def first_ids(self) -> tuple[int, int, int]:
        return self._store.next_ids()

    def note(self, entry: Entry) -> int:
        self._pending.append(entry)
        self._noted += 1
        self._stirred.set()
        return self._noted

    def written(self) -> int:
        return self._written

    @property
    def behind(self) -> bool:
        """Whether something noted is not safe yet."""
        return self._written < self._noted

    async def progress(self) -> None:
        """Wait until more has become safe."""
        await self._progressed.wait()

    async def run(
        self, safe: Callable[[], None], stand_still: Callable[[], None], go_on: Callable[[], None]
    ) -> None:
        """Write until cancelled. ``safe`` is called when more has become safe; ``stand_still`` when nothing
        can be written, and ``go_on`` when it can again."""

        def stuck() -> None:
            if not self.stuck:
                self.stuck = True
                stand_still()

        while True:
            await self._stirred.wait()
            self._stirred = trio.Event()
            batch, self._pending = self._pending, []
            if not batch:
                continue
            rows = self._store.rows.of(batch)
            while not await self._write(rows, stuck):
                stuck()
                await trio.sleep(RETRY)
            was_stuck, self.stuck = self.stuck, False
            self._written += len(batch)
            safe()
            self._progressed.set()
            self._progressed = trio.Event()
            if was_stuck:
                _log.info("writing again")
                go_on()

    async def _write(self, rows: list[Row], stuck: Callable[[], None]) -> bool:
        problem: list[Exception] = []
        room = RESERVE

        def write() -> None:
            nonlocal room
            try:
                self._store.write(rows)
            except sqlite3.Error as error:
                problem.append(error)
            room = self._store.room()

        async def lose_patience() -> None:
            await trio.sleep(SLOW)
            _log.warning("writing takes long", file=str(self._store.path))
            stuck()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(lose_patience)
            await self._away(write)
            nursery.cancel_scope.cancel()
        self.roomy = room >= RESERVE
        for error in problem:
            if not self.stuck:
                _log.error("nothing can be written", file=str(self._store.path), reason=str(error))
        return not problem


class Resumption:
    """A store as `restore` reads it, at a moment of the server's clock."""

    def __init__(self, store: Store, now: int) -> None:
        self._store = store
        self._now = now

    def sessions(self) -> Iterator[SessionKept]:
        return self._store.sessions()

    def open_tables(self) -> list[int]:
        return self._store.open_tables()

    def table(self, number: int) -> Kept:
        return self._store.table(number, self._now)
