"""What people see while nothing can be written down."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
import trio

from server.journal import Journal, Store
from server.journal_rows import Row
from server.keeping import Keeping

from .keeping import at_once, kept_world
from .world import arrange, begin, world

HANDS = ("7H 2C 9D", "3D 4D KH", "KC KD QD")


class Disk(Store):
    """A store whose disk is full when the test says so."""

    full = False
    free = 2**40

    def write(self, rows: Iterable[Row]) -> None:
        if self.full:
            raise sqlite3.OperationalError("database or disk is full")
        super().write(rows)

    def room(self) -> int:
        return self.free


async def test_the_game_waits_and_goes_on(
    autojump_clock: trio.testing.MockClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrange(monkeypatch, HANDS, "3H")
    disk = Disk(tmp_path, lambda: 0)
    async with kept_world(tmp_path, store=disk) as server:
        players = a, b, c = await server.table(["A", "B", "C"])
        await begin(players)
        turn = await a.event("turn")
        disk.full = True
        play = a.request("play", on=turn["seq"], card="7H")
        said = await c.next(t="error", re=None)
        assert said["code"] == "server_full"
        # The play can't be told; what is asked now is refused at once, and its id is not used up.
        await trio.sleep(100)
        assert (await b.ask("sync"))["code"] == "server_full"
        late = server.dial()
        late.send(t="hello", versions=[1], name="D", agent="test")
        assert (await late.next(t="error"))["code"] == "server_full"
        await late.end()
        heard = [message["t"] for message in a.heard]
        await trio.sleep(100)
        assert [message["t"] for message in a.heard if message["t"] != "ping"] == [
            t for t in heard if t != "ping"
        ]
        disk.full = False
        assert (await a.next(re=play))["t"] == "ok"
        played = await a.event("played")
        view = await b.next(t="view")
        assert view["seq"] >= played["seq"]
        assert view["deadline"] - view["at"] >= 10_000
        assert (await b.ask("draw", on=view["act_on"]))["t"] == "ok"
    async with kept_world(tmp_path) as server:
        again = await server.resume(c)
        view = await again.next(t="view")
        assert view["seats"][1]["count"] == 4


async def test_whoever_comes_at_that_moment_waits_too(
    autojump_clock: trio.testing.MockClock, tmp_path: Path
) -> None:
    """Nothing comes in place of a welcome that can't be written down yet, as it would look like a refusal."""
    disk = Disk(tmp_path, lambda: 0)
    async with kept_world(tmp_path, store=disk) as server:
        a, _ = await server.table(["A", "B"])
        silent = server.dial()
        disk.full = True
        late = server.dial()
        late.send(t="hello", versions=[1], name="D", agent="test")
        assert (await a.next(t="error"))["code"] == "server_full"
        await trio.sleep(30)
        assert late.heard == []
        assert [message["code"] for message in silent.heard] == ["bad_request"]
        disk.full = False
        await late.next(t="welcome")
        assert (await late.ask("tables"))["t"] == "ok"
        disk.full = True
        late.request("watch", table=a.table)
        assert (await late.next(t="error"))["code"] == "server_full"


async def test_no_match_begins_without_room(autojump_clock: trio.testing.MockClock, tmp_path: Path) -> None:
    disk = Disk(tmp_path, lambda: 0)
    disk.free = 10_000
    async with kept_world(tmp_path, store=disk) as server:
        a, b = await server.table(["A", "B"])
        refused = await a.ask("start")
        assert (refused["code"], "disk" in refused["message"]) == ("server_full", True)
        disk.free = 2**30
        assert (await b.ask("chat", text="now?"))["t"] == "ok"
        assert (await a.ask("start"))["t"] == "ok"
        # A match that has begun goes on with little room.
        disk.free = 10_000
        match = await a.event("match")
        assert (await a.ask("ready", on=match["seq"]))["t"] == "ok"
        assert (await b.ask("ready", on=match["seq"]))["t"] == "ok"
        await b.event("round")


async def test_a_connection_that_was_ended_is_heard_no_more(
    autojump_clock: trio.testing.MockClock, tmp_path: Path
) -> None:
    """Also while its last words wait for what is being written down."""
    async with kept_world(tmp_path, away=slowly) as server:
        a, c = await server.table(["A", "C"])
        chat = c.request("chat", text="written down first")
        again = server.dial()
        await trio.sleep(0.1)
        again.send(t="hello", versions=[1], name="x", agent="test", token=a.token)
        await trio.sleep(0.1)
        a.request("chat", text="by a connection that is over")
        await trio.sleep(0.1)
        assert not [message for message in c.heard if message.get("re") == chat]
        await again.next(t="view")
        assert (await a.next(t="error"))["code"] == "replaced"
        await a.end()
        await trio.sleep(10)
        assert [m["text"] for m in c.events() if m["ev"] == "chat"] == ["written down first"]


async def test_what_is_no_frame_is_told_so_behind_what_is_written_down(
    autojump_clock: trio.testing.MockClock, tmp_path: Path
) -> None:
    async with kept_world(tmp_path, away=slowly) as server:
        a, _ = await server.table(["A", "B"])
        for garbage in (b"\0\0\0\0", b"\0\0\0\1\xc1", b"\xff\xff\xff\xff"):
            chat = a.request("chat", text="written down first")
            a.client.send(garbage)
            await a.end()
            assert [message["t"] for message in a.heard[-3:]] == ["ok", "event", "error"]
            assert (a.heard[-3]["re"], a.heard[-1]["code"][-5:]) == (chat, "large" if garbage[0] else "frame")
            a = await server.resume(a)


async def test_nobody_is_kept_connected_for_last_words_that_can_not_be_written(
    autojump_clock: trio.testing.MockClock, tmp_path: Path
) -> None:
    disk = Disk(tmp_path, lambda: 0)
    async with kept_world(tmp_path, store=disk) as server:
        a, b = await server.table(["A", "B"])
        disk.full = True
        a.request("chat", text="too much")
        await a.next(code="server_full")
        for caller in (a, server.dial()):
            caller.client.send(b"\0\0\0\0")
            await caller.end()
            assert caller.heard[-1]["code"] == "bad_frame"
        server.core.visitors.shut_down(resume=True)
        assert (await b.next(code="shutdown"))["resume"]


async def test_a_server_ends_in_time_though_nothing_can_be_written(
    autojump_clock: trio.testing.MockClock, tmp_path: Path
) -> None:
    disk = Disk(tmp_path, lambda: 0)
    keeping = Keeping(disk, True, str)
    keeping.journal = Journal(disk, at_once)
    async with world(record=keeping.journal) as server:
        server.nursery.start_soon(keeping.run, server.core)
        a, _ = await server.table(["A", "B"])
        disk.full = True
        a.request("chat", text="too much")
        await a.next(code="server_full")
        began = trio.current_time()
        await keeping.say_goodbye(server.core)
        await keeping.finish()
        assert trio.current_time() == began
        assert (await a.next(code="shutdown"))["resume"]
    keeping.close()


async def slowly(do: Callable[[], None]) -> None:
    await trio.sleep(1)
    do()
