"""The journal's file: torn, full, damaged, newer, older, and written to by one server only."""

from __future__ import annotations

import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import trio

from server import journal_schema
from server.journal import RESERVE, Journal, Store
from server.journal_rows import read_sessions
from server.journal_schema import SCRIPTS, VERSION, BadJournal, connect, lock, migrate, open_to_write
from server.record import Entry, MatchBegun, SessionKept, StepKept, TableClosed, TableKept

from .keeping import at_once

NAME = "journal.sqlite"


def session(player: int, last: int = 0) -> SessionKept:
    requests = {"last": last, "undecided": [], "answer": None}
    return SessionKept(player, f"P{player}", bytes([player]) * 32, requests)


def opened(folder: Path) -> Store:
    return Store(folder, lambda: 0)


def names(store: Store) -> list[str]:
    return [each.name for each in store.sessions()]


def write(store: Store, *entries: Entry) -> None:
    store.write(store.rows.of(entries))


def test_only_the_owner_may_look(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "data"
    store = opened(folder)
    write(store, session(1))
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    for path in folder.iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert {path.name for path in folder.iterdir()} >= {NAME, f"{NAME}-wal"}
    store.close()


def test_tables_that_nobody_played_at_leave_nothing(tmp_path: Path) -> None:
    """To make them and close them again, all day long, fills no disk; their numbers stay used."""
    store = opened(tmp_path)
    for number in range(1, 4):
        write(store, TableKept(number, 0, {}), StepKept(number, 0, b""))
    write(store, MatchBegun(2, 1, {}, {}, []), TableClosed(1, "empty"), TableClosed(2, "empty"))
    write(store, TableClosed(3, "fault"))
    with closing(sqlite3.connect(tmp_path / NAME)) as connection:
        kept = connection.execute("SELECT number, closed FROM place ORDER BY number").fetchall()
    assert kept == [(2, "empty"), (3, "fault")]
    assert store.next_ids()[0] == 4
    store.close()


def test_one_server_at_a_time(tmp_path: Path) -> None:
    store = opened(tmp_path)
    with pytest.raises(BadJournal) as caught:
        opened(tmp_path)
    assert caught.value.why == "locked"
    store.close()
    opened(tmp_path).close()


@pytest.mark.parametrize("blocked", ["folder", "file"])
def test_what_cannot_be_written_is_said(blocked: str, tmp_path: Path) -> None:
    if blocked == "folder":
        (tmp_path / "data").write_text("in the way")
    else:
        (tmp_path / "data" / NAME).mkdir(parents=True)
    with pytest.raises(BadJournal) as caught:
        opened(tmp_path / "data")
    assert caught.value.why == "unwritable"


@pytest.mark.parametrize("step", [11, pytest.param(1, marks=pytest.mark.nightly)])
def test_cut_at_every_byte_of_the_last_record(step: int, tmp_path: Path) -> None:
    """The last whole record wins, and what is written after it is there as well."""
    store = opened(tmp_path / "first")
    write(store, session(1))
    wal = tmp_path / "first" / f"{NAME}-wal"
    whole = wal.stat().st_size
    write(store, session(2))
    end = wal.stat().st_size
    assert end > whole
    base, log = (tmp_path / "first" / NAME).read_bytes(), wal.read_bytes()
    row = store.rows.of([session(3)])
    store.close()
    # A frame is a page with a header of 24 bytes.
    edges = [size for size in range(whole, end + 1) if (size - whole) % 4120 in (*range(32), 4119)]
    for size in {*range(whole, end, step), *edges, end}:
        torn = tmp_path / NAME
        torn.write_bytes(base)
        Path(f"{torn}-wal").write_bytes(log[:size])
        with closing(connect(torn)) as again:
            # What is tried is what SQLite finds, not what a disk does: thousands of fsyncs take minutes.
            again.execute("PRAGMA synchronous = OFF")
            kept = ["P1", "P2"] if size == end else ["P1"]
            assert [each.name for each in read_sessions(again)] == kept
            for statement, values in row:
                again.execute(statement, values)
        with closing(connect(torn)) as last:
            assert [each.name for each in read_sessions(last)] == [*kept, "P3"]


@pytest.mark.parametrize("version", range(VERSION))
def test_an_older_file_is_brought_up_to_date(version: int, tmp_path: Path) -> None:
    path = tmp_path / NAME
    old = connect(path)
    migrate(old, path, version)
    if version:
        blob = journal_schema.seal(["P1", b"1" * 32, {"last": 4, "undecided": [], "answer": None}], 1)
        old.execute("INSERT INTO session VALUES (1, ?)", (blob,))
        old.execute("INSERT INTO counter VALUES ('player', 8)")
    old.close()
    store = opened(tmp_path)
    assert names(store) == (["P1"] if version else [])
    assert store.next_ids() == (1, 1, 8 if version else 1)
    write(store, session(9))
    store.close()
    with sqlite3.connect(path) as look:
        assert look.execute("PRAGMA user_version").fetchone() == (VERSION,)


def test_a_migration_that_fails_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / NAME
    old = connect(path)
    migrate(old, path, 1)
    monkeypatch.setattr(
        journal_schema, "SCRIPTS", (SCRIPTS[0], SCRIPTS[1] + "; SELECT nonsense FROM nowhere")
    )
    before = old.execute("SELECT * FROM sqlite_master").fetchall()
    with pytest.raises(sqlite3.Error, match="nowhere"):
        migrate(old, path)
    assert old.execute("SELECT * FROM sqlite_master").fetchall() == before
    assert old.execute("PRAGMA user_version").fetchone() == (1,)


@pytest.mark.parametrize(
    ("why", "spoil"),
    [
        ("newer", lambda look: look.execute(f"PRAGMA user_version = {VERSION + 1}")),
        ("damaged", lambda look: look.execute("PRAGMA application_id = 1")),
    ],
)
def test_another_programs_file_is_left_alone(
    why: str, spoil: Callable[[Any], object], tmp_path: Path
) -> None:
    opened(tmp_path).close()
    with sqlite3.connect(tmp_path / NAME) as look:
        spoil(look)
    look.close()
    before = (tmp_path / NAME).read_bytes()
    with pytest.raises(BadJournal) as caught:
        opened(tmp_path)
    assert caught.value.why == why
    assert (tmp_path / NAME).read_bytes() == before
    lock(tmp_path, NAME).close()


@pytest.mark.parametrize(
    "content", [b"no database at all, but long enough to be one" * 100, b"SQLite format 3\0" * 99]
)
def test_a_file_that_is_no_database_is_kept(content: bytes, tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(content)
    with pytest.raises(BadJournal) as caught:
        open_to_write(tmp_path / NAME)
    assert caught.value.why == "damaged"
    assert (tmp_path / NAME).read_bytes() == content


# The task that writes


class Slow:
    """A thread that takes as long as the test likes. `batches` has how many rows were in each."""

    def __init__(self) -> None:
        self.free = trio.Event()
        self.begun = 0

    async def __call__(self, do: Callable[[], None]) -> None:
        self.begun += 1
        await self.free.wait()
        do()


async def test_what_comes_while_it_writes_is_written_together(tmp_path: Path) -> None:
    store, slow = opened(tmp_path), Slow()
    journal = Journal(store, slow)
    safe: list[int] = []
    async with trio.open_nursery() as nursery:
        nursery.start_soon(journal.run, lambda: safe.append(journal.written()), _never, _never)
        assert journal.note(session(1)) == 1
        while not slow.begun:
            await trio.lowlevel.checkpoint()
        for last in range(100):
            journal.note(session(2, last))
        assert (journal.written(), journal.behind) == (0, True)
        slow.free.set()
        while journal.behind:
            await journal.progress()
        nursery.cancel_scope.cancel()
    assert (safe, slow.begun) == ([1, 101], 2)
    assert [each.requests["last"] for each in store.sessions()] == [0, 99]
    store.close()


def _never() -> None:
    raise AssertionError("it was never stuck")


async def test_a_full_disk_is_waited_for(
    autojump_clock: trio.testing.MockClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same entries are tried again, in their order, and nothing is safe before."""
    store = opened(tmp_path)
    journal = Journal(store, at_once)
    said: list[str] = []
    async with trio.open_nursery() as nursery:
        nursery.start_soon(
            journal.run,
            lambda: said.append(f"safe {journal.written()}"),
            lambda: said.append("stand still"),
            lambda: said.append("go on"),
        )
        store._connection.execute("PRAGMA max_page_count = 1")
        pages = store._connection.execute("PRAGMA page_count").fetchone()[0]
        for number in range(40):
            journal.note(TableKept(number, 0, {"name": "x" * 1000}))
        await trio.sleep(10)
        assert (said, journal.written(), journal.stuck) == (["stand still"], 0, True)
        journal.note(session(1))
        store._connection.execute(f"PRAGMA max_page_count = {pages + 1000}")
        await trio.sleep(1)
        assert said == ["stand still", "safe 40", "go on", "safe 41"]
        assert not journal.stuck
        nursery.cancel_scope.cancel()
    assert names(store) == ["P1"]
    store.close()


async def test_a_disk_that_takes_its_time_is_a_full_one(
    autojump_clock: trio.testing.MockClock, tmp_path: Path
) -> None:
    """Else all that is withheld would pile up."""
    store = opened(tmp_path)
    took = 1

    async def slowly(do: Callable[[], None]) -> None:
        await trio.sleep(took)
        do()

    journal = Journal(store, slowly)
    said: list[str] = []
    async with trio.open_nursery() as nursery:
        nursery.start_soon(
            journal.run, lambda: said.append("safe"), lambda: said.append("still"), lambda: said.append("on")
        )
        journal.note(session(1))
        await trio.sleep(5)
        assert said == ["safe"]
        took = 60
        journal.note(session(1))
        await trio.sleep(5)
        assert said == ["safe", "still"]
        await trio.sleep(60)
        assert said == ["safe", "still", "safe", "on"]
        nursery.cancel_scope.cancel()
    store.close()


async def test_little_room_is_noticed(
    autojump_clock: trio.testing.MockClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = opened(tmp_path)
    journal = Journal(store, at_once)
    room = RESERVE - 1
    monkeypatch.setattr(store, "room", lambda: room)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(journal.run, lambda: None, _never, _never)
        journal.note(session(1))
        await trio.sleep(1)
        assert not journal.roomy
        room = RESERVE
        journal.note(session(2))
        await trio.sleep(1)
        assert journal.roomy
        nursery.cancel_scope.cancel()
    store.close()
