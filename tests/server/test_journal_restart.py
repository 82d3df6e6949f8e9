"""After a restart every table stands where its players last saw it."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import trio

from server.admin import Admin
from server.bot_seat import InlineThinker
from server.config import Config
from server.core import Core
from server.journal import Journal
from server.journal_schema import connect
from server.record import NoRecord
from server.restore import restore
from server.views import view_of

from .keeping import AsKept, kept_world, timeless
from .world import World, arrange, begin

HANDS = ("7H 2C 9D", "3D 4D KH", "KC KD QD")


def stands_again(server: World, path: Path) -> dict[int, list[dict[str, Any]]]:
    """By table, the views that a new server would give of what is kept now: of a spectator, then by seat."""
    network = server.network
    again = Core(Config(), NoRecord(), InlineThinker(), network.now, network.clock, lambda: None)
    kept = AsKept(path, network.now() + network.offset())
    assert restore(again, kept) == {}
    kept.close()
    return {number: views(again, number) for number in again.lobby.tables}


def views(core: Core, number: int) -> list[dict[str, Any]]:
    table = core.lobby.tables[number]
    return [timeless(view_of(table, you)) for you in (None, *range(len(table.seats)))]


@pytest.mark.parametrize("preset", ["dobon", "pageone"])
@pytest.mark.parametrize("claims", ["first", "last", "all"])
async def test_every_moment_of_a_match_can_be_taken_up(
    preset: str,
    claims: str,
    autojump_clock: trio.testing.MockClock,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whatever is written, a server that finds it there shows what this one has just shown."""
    seen = []
    written = Journal._write

    async def write(self: Journal, rows: Any, stuck: Any) -> bool:
        done = await written(self, rows, stuck)
        if worlds and not self._pending:
            server = worlds[0]
            for number, found in stands_again(server, tmp_path / "journal.sqlite").items():
                seen.append(found[0]["phase"])
                assert found == views(server.core, number)
        return done

    worlds: list[World] = []
    monkeypatch.setattr(Journal, "_write", write)
    rules = {"preset": preset, "rounds": 2, "claims": claims, "counter": "ask", "jokers": 1, "last_call": 1}
    async with kept_world(tmp_path) as server:
        players = await server.table(["A", "B"], bots=["easy", "normal"], rules=rules)
        worlds.append(server)
        await players[0].ask("start")
        for player in players:
            await player.event("match_over")
        worlds.clear()
    assert set(seen) >= {"turn", "between", "over", "claim"}


async def test_people_come_back_to_where_they_were(
    autojump_clock: trio.testing.MockClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrange(monkeypatch, HANDS, "3H")
    async with kept_world(tmp_path) as server:
        before = await server.table(["A", "B", "C"])
        locked = (await before[0].ask("create", password="open"))["table"]
        await begin(before)
        turn = await before[0].event("turn")
        await before[0].ask("play", on=turn["seq"], card="7H")
        turn = await before[1].event("turn", seat=1)
        held = before[1].request("play", on=turn["seq"], card="KH")
        await trio.sleep(0.5)
        waived = await before[2].ask("waive", on=before[2].last("played")["seq"])
        assert waived["t"] == "ok"
        old = [view_of(server.core.lobby.tables[before[0].table], seat) for seat in range(3)]
    async with kept_world(tmp_path) as server:
        after = [await server.resume(caller) for caller in before]
        assert [caller.heard[0]["last_id"] for caller in after] == [caller._last_id for caller in before]
        for caller, was in zip(after, old, strict=True):
            view = await caller.next(t="view", table=caller.table)
            assert timeless(view) == timeless(was)
            assert view["seq"] > was["seq"]
            assert view["at"] >= was["at"]
            assert view["deadline"] - view["at"] >= 10_000
            assert view["until"] - view["at"] >= 10_000
        # What was asked last is answered as it was; what was held is answered once, when it is due.
        after[2].send(t="waive", id=after[2]._last_id, table=after[2].table, on=waived["re"])
        assert await after[2].next(re=after[2]._last_id) == waived
        after[1].send(t="play", id=held, table=after[1].table, on=turn["seq"], card="KH")
        assert (await after[1].next(re=held))["t"] == "ok"
        assert (await after[0].event("played"))["card"] == "KH"
        assert not [message for message in after[1].heard if message.get("re") == held][1:]
        # A stranger still needs the password.
        stranger = await server.hello("D")
        stranger.table = locked
        assert (await stranger.ask("watch", password="sesame"))["code"] == "password"
        assert (await stranger.ask("watch", password="open"))["t"] == "ok"
        assert stranger.player == 4
        assert (await stranger.ask("create"))["table"] == locked + 1


async def test_who_was_put_out_does_not_come_back(
    autojump_clock: trio.testing.MockClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even where something that they had asked for was still held."""
    arrange(monkeypatch, HANDS, "3H")
    async with kept_world(tmp_path) as server:
        a, b, c = await server.table(["A", "B", "C"])
        await begin([a, b, c])
        turn = await a.event("turn")
        await a.ask("play", on=turn["seq"], card="7H")
        turn = await b.event("turn", seat=1)
        b.request("play", on=turn["seq"], card="KH")
        await trio.sleep(0.5)
        Admin(server.core, server.harvester, "test").kick({"who": "B"})
        # What a seat has asked for is done, whoever plays for it by then.
        assert (await a.event("played", seat=1))["card"] == "KH"
    async with kept_world(tmp_path) as server:
        assert [session.name for session in server.core.visitors.sessions] == ["A", "C"]


async def test_a_long_list_is_not_written_down_for_each_who_asks(
    autojump_clock: trio.testing.MockClock, tmp_path: Path
) -> None:
    async with kept_world(tmp_path) as server:
        (before,) = await server.table(["A"], seats=2)
        for _ in range(15):
            await before.ask("create")
            await trio.sleep(1)
        assert len((await before.ask("tables"))["tables"]) == 16
    with closing(connect(tmp_path / "journal.sqlite")) as look:
        (size,) = look.execute("SELECT length(data) FROM session").fetchone()
    assert size < 100
    async with kept_world(tmp_path) as server:
        # Asked again after the restart, it is answered all the same.
        after = await server.resume(before)
        assert after.heard[0]["last_id"] == before._last_id
        for _ in range(2):
            after.send(t="tables", id=before._last_id)
            assert len((await after.next(re=before._last_id))["tables"]) == 16


async def test_the_deal_that_was_promised_is_dealt(
    autojump_clock: trio.testing.MockClock, tmp_path: Path
) -> None:
    async with kept_world(tmp_path) as server:
        players = await server.table(["A", "B"])
        await players[0].ask("start")
        match = await players[0].event("match")
        assert (await players[0].ask("ready", on=match["seq"], nonce=b"a" * 16))["t"] == "ok"
        await trio.sleep(1)
    async with kept_world(tmp_path) as server:
        players = [await server.resume(player) for player in players]
        views = [await player.next(t="view") for player in players]
        assert [seat["ready"] for seat in views[0]["seats"]] == [True, False]
        assert views[0]["commit"] == match["commit"]
        assert views[0]["match"] == match["match"]
        assert (await players[0].ask("ready", on=match["seq"]))["code"] == "not_now"
        assert (await players[1].ask("ready", on=views[1]["ready_on"]))["t"] == "ok"
        await players[0].event("round")
        over = await players[0].event("round_over")
        assert over["nonces"] == [b"a" * 16, None]


async def test_nobody_is_waited_for_who_does_not_come_back(
    autojump_clock: trio.testing.MockClock, tmp_path: Path
) -> None:
    """Bots act again, and the server plays for the others."""
    async with kept_world(tmp_path) as server:
        players = await server.table(["A", "B"], bots=["easy"], rules={"rounds": 1})
        await begin(players)
    async with kept_world(tmp_path) as server:
        watcher = await server.watcher("C", players[0].table)
        await watcher.event("match_over")
        seats = [event for event in watcher.events() if event["ev"] == "seat"]
        assert {seat["seat"] for seat in seats if seat["status"] == "autopilot"} == {0, 2}
        again = await server.resume(players[0])
        view = await again.next(t="view")
        assert view["phase"] == "over"
    async with kept_world(tmp_path) as server:
        again = await server.resume(watcher)
        assert (await again.next(t="view"))["ranking"] == view["ranking"]


async def test_a_clock_set_back_does_not_take_a_table_back(
    autojump_clock: trio.testing.MockClock, tmp_path: Path
) -> None:
    async with kept_world(tmp_path) as server:
        (player,) = await server.table(["A"], bots=["easy"])
        await trio.sleep(100)
        assert (await player.ask("chat", text="a"))["t"] == "ok"
        chat = await player.event("chat")
        server.network.set_wall_clock(-3600 * 10**9)
    async with kept_world(tmp_path) as server:
        again = await server.resume(player)
        view = await again.next(t="view")
        assert view["at"] >= chat["at"]
        assert view["seq"] > chat["seq"]
