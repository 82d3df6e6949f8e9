"""A damaged record ends its own table, and nothing else."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import trio

from server.bot_seat import InlineThinker
from server.config import Config
from server.core import Core
from server.journal import Journal, Resumption, Store
from server.journal_schema import BadJournal, seal, unseal
from server.record import NoRecord
from server.restore import restore
from server.standing import Unreadable, pack

from .keeping import AsKept, kept_world
from .world import begin

NAME = "journal.sqlite"
Spoil = Callable[[sqlite3.Connection], object]


async def two_tables(folder: Path) -> None:
    """Tables 1 and 2; the match at 1 is further on, or over."""
    async with kept_world(folder, Config(seed=b"damage")) as server:
        for name in ("A", "B"):
            players = await server.table([name], seats=3, bots=["easy", "easy"], rules={"rounds": 3})
            await begin(players)
            await players[0].event("round", round=2)
            await trio.sleep(5)


def taken_up(folder: Path) -> tuple[list[int], dict[int, str]]:
    """The tables that a new server has, and why it has not the others."""
    core = Core(Config(), NoRecord(), InlineThinker(), lambda: 0, "read", lambda: None)
    kept = AsKept(folder / NAME, 10**18)
    refused = restore(core, kept)
    kept.close()
    return list(core.lobby.tables), refused


def flip(look: sqlite3.Connection, table: str, column: str, where: str, bit: int) -> None:
    """Change a single bit in the middle of a blob."""
    rowid = f"FROM {table} WHERE {where}"
    (blob,) = look.execute(f"SELECT {column} {rowid} LIMIT 1").fetchone()
    at = len(blob) // 2
    spoiled = blob[:at] + bytes([blob[at] ^ 1 << bit]) + blob[at + 1 :]
    changed = look.execute(f"UPDATE {table} SET {column} = ? WHERE {where}", (spoiled,))
    assert changed.rowcount == 1


FIRST = "match = 1 AND round = 1 AND place = 1"
SPOILS: dict[str, tuple[Spoil, str]] = {
    "what it is": (lambda look: flip(look, "place", "data", "number = 1", 3), "damaged"),
    "how it stands": (lambda look: flip(look, "place", "standing", "number = 1", 0), "damaged"),
    "its moment": (
        lambda look: look.execute("UPDATE place SET moment = moment + 1 WHERE number = 1"),
        "damaged",
    ),
    "its match": (lambda look: flip(look, "match", "data", "number = 1", 7), "damaged"),
    "a deal": (lambda look: flip(look, "round", "deal", "match = 1 AND number = 1", 2), "damaged"),
    "an input": (
        lambda look: flip(look, "input", "data", "match = 1 AND round = 2 AND place = 1", 5),
        "damaged",
    ),
    "a lost input": (lambda look: look.execute("DELETE FROM input WHERE match = 1 AND place = 2"), "missing"),
    "a lost match": (lambda look: look.execute("DELETE FROM match WHERE number = 1"), "missing"),
    "two rows changed places": (
        lambda look: look.execute(
            "UPDATE place SET data = (SELECT data FROM place WHERE number = 2) WHERE number = 1"
        ),
        "damaged",
    ),
    "a newer form": (lambda look: newer(look), "newer version"),
    "a round that can't have been": (lambda look: cut_short(look), "round 1 was not over"),
}


def newer(look: sqlite3.Connection) -> None:
    (blob,) = look.execute("SELECT data FROM place WHERE number = 1").fetchone()
    data = {**unseal(blob, 1), "form": 99}
    look.execute("UPDATE place SET data = ? WHERE number = 1", (seal(data, 1),))


def cut_short(look: sqlite3.Connection) -> None:
    query = "SELECT max(place) FROM input WHERE match = 1 AND round = 1"
    (last,) = look.execute(query).fetchone()
    look.execute("DELETE FROM input WHERE match = 1 AND round = 1 AND place = ?", (last,))


@pytest.mark.parametrize("what", SPOILS)
async def test_a_damaged_table_is_refused_and_kept(
    what: str, autojump_clock: trio.testing.MockClock, tmp_path: Path
) -> None:
    await two_tables(tmp_path)
    assert taken_up(tmp_path) == ([1, 2], {})
    spoil, reason = SPOILS[what]
    with closing(sqlite3.connect(tmp_path / NAME, isolation_level=None)) as look:
        spoil(look)
        before = look.execute("SELECT * FROM place").fetchall()
        tables, refused = taken_up(tmp_path)
        assert tables == [2]
        assert list(refused) == [1]
        assert reason in refused[1]
        assert look.execute("SELECT * FROM place").fetchall() == before


def begun(folder: Path) -> str:
    """Whether a server begins with a file, or what it says is wrong with it."""
    try:
        store = Store(folder, lambda: 10**18)
        core = Core(Config(), Journal(store), InlineThinker(), lambda: 0, "read", lambda: None)
        restore(core, Resumption(store, 0))
    except BadJournal as bad:
        return bad.why
    store.close()
    return "begun"


async def test_a_broken_page_is_said_or_ends_a_table(
    autojump_clock: trio.testing.MockClock, tmp_path: Path
) -> None:
    await two_tables(tmp_path)
    with closing(sqlite3.connect(tmp_path / NAME, isolation_level=None)) as look:
        (pages,) = look.execute("PRAGMA page_count").fetchone()
        (size,) = look.execute("PRAGMA page_size").fetchone()
        roots = dict(look.execute("SELECT name, rootpage - 1 FROM sqlite_master"))
    whole = (tmp_path / NAME).read_bytes()
    assert len(whole) == pages * size
    said = {}
    for page in range(pages):
        at = page * size
        for what, content in (("zeros", whole[:at] + bytes(size) + whole[at + size :]), ("cut", whole[:at])):
            (tmp_path / NAME).write_bytes(content)
            said[what, page] = begun(tmp_path)
            # No file and no lock is held any longer.
            (tmp_path / NAME).write_bytes(whole)
            assert begun(tmp_path) == "begun"
    assert said.pop(("cut", 0)) == "begun"  # an empty file is a new one
    assert set(said.values()) == {"begun", "damaged"}
    for table in ("counter", "session", "place"):
        assert said["zeros", roots[table]] == "damaged"
    assert said["zeros", roots["round"]] == "begun"


async def test_a_damaged_session_begins_anew_and_its_seat_is_played_for(
    autojump_clock: trio.testing.MockClock, tmp_path: Path
) -> None:
    await two_tables(tmp_path)
    with closing(sqlite3.connect(tmp_path / NAME, isolation_level=None)) as look:
        flip(look, "session", "data", "player = 2", 1)
    async with kept_world(tmp_path) as server:
        assert [session.player for session in server.core.visitors.sessions] == [1]
        watcher = await server.hello("B")
        assert watcher.player == 3
        watcher.table = 2
        assert (await watcher.ask("watch"))["t"] == "ok"
        assert (await watcher.next(t="view"))["seats"][0]["status"] == "left"
        await watcher.event("match_over")


def test_a_seal_holds_its_key_and_every_bit() -> None:
    blob = seal([1, b"2", {"3": None}], 4, 5)
    assert unseal(blob, 4, 5) == [1, b"2", {"3": None}]
    spoiled: list[tuple[Any, tuple[int, ...]]] = [(blob, (5, 4)), (blob, (4,)), (b"", (4, 5)), (None, (4, 5))]
    for at in range(len(blob)):
        for bit in range(8):
            spoiled.append((blob[:at] + bytes([blob[at] ^ 1 << bit]) + blob[at + 1 :], (4, 5)))
    for each, key in spoiled:
        with pytest.raises(Unreadable):
            unseal(each, *key)
    with pytest.raises(Unreadable):
        unseal(seal_of_nonsense(), 1)


def seal_of_nonsense() -> bytes:
    from zlib import crc32

    return crc32(b"\xc1", crc32(pack([1]))).to_bytes(4, "big") + b"\xc1"
