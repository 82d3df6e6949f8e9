"""Servers in memory that keep a journal, and die at any moment."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from server.config import Config
from server.journal import Away, Journal, Resumption, Store
from server.journal_rows import read_sessions, read_table
from server.journal_schema import open_to_read
from server.record import SessionKept
from server.restore import restore
from server.standing import Kept

from .world import World, world


async def at_once(do: Callable[[], None]) -> None:
    """What a thread does takes no time: virtual time knows no threads."""
    do()


@asynccontextmanager
async def kept_world(
    folder: Path,
    config: Config | None = None,
    store: Store | None = None,
    away: Away = at_once,
) -> AsyncIterator[World]:
    """A server that goes on with what is kept in a folder. It dies without a word at the end."""
    running: list[World] = []
    opened = store or Store(folder, lambda: running[0].network.offset())
    journal = Journal(opened, away)
    try:
        async with world(config, record=journal) as server:
            running.append(server)
            refused = restore(server.core, Resumption(opened, server.network.now()))
            assert not refused
            core = server.core
            server.nursery.start_soon(journal.run, core.written, core.stand_still, core.go_on)
            yield server
    finally:
        opened.close()


class AsKept:
    """A journal's file as a new server would find it now. A `restore.Loaded`."""

    def __init__(self, path: Path, wall: int) -> None:
        self._connection = open_to_read(path)
        self._wall = wall

    def sessions(self) -> Iterator[SessionKept]:
        return read_sessions(self._connection)

    def open_tables(self) -> list[int]:
        rows = self._connection.execute("SELECT number FROM place WHERE closed IS NULL")
        return [number for (number,) in rows]

    def table(self, number: int) -> Kept:
        return read_table(self._connection, number, self._wall)

    def close(self) -> None:
        self._connection.close()


TIMES = ("at", "deadline", "until")


def timeless(view: dict[str, Any]) -> dict[str, Any]:
    """A view without what may differ after a restart: times, seq, and who is connected."""
    seats = [{**seat, "status": None} for seat in view["seats"]]
    return {
        key: value
        for key, value in {**view, "seats": seats, "spectators": None}.items()
        if key not in (*TIMES, "seq")
    }
