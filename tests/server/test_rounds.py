"""Between rounds, and what can be checked of a deal (protocol, section 4)."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
import trio

from engine.cards import cards_of
from engine.deal import seed_of
from engine.round import Round
from engine.rules import Rules
from server.config import Config

from .world import Caller, arrange, begin, world


async def play_out(caller: Caller, others: list[Caller]) -> dict[str, Any]:
    """Seat 0 plays its last card and everybody waives."""
    turn = await caller.event("turn")
    await caller.ask("play", on=turn["seq"], card="7H")
    return await caller.event("round_over")


async def test_rounds_wait_for_who_is_there(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrange(monkeypatch, ("7H", "3D KD", "9C QC"), "3H")
    async with world() as server:
        a, b, c = await server.table(["A", "B", "C"], settings={"grace": 0, "claim_time": 1000})
        await a.ask("start")
        match = await b.event("match")
        assert match["deadline"] == match["at"] + 15_000
        for caller in (b, a):
            assert (await caller.ask("ready", on=match["seq"]))["t"] == "ok"
        assert (await a.ask("ready", on=match["seq"]))["code"] == "not_now"
        assert (await b.event("ready"))["seat"] == 1
        # C does not answer; once it is gone nobody is waited for.
        await trio.sleep(5)
        assert b.last("ready")["seat"] == 0
        c.client.reset()
        begun = await b.event("round")
        assert begun["at"] < match["deadline"]
        assert begun["hands"] == [None, ["3D", "KD"], None]
        over = await play_out(a, [])
        assert over["deadline"] == over["at"] + 15_000
        assert (await a.ask("ready", on=match["seq"]))["code"] == "stale"
        assert (await a.ask("ready", on=over["seq"]))["t"] == "ok"
        assert (await a.event("round"))["at"] == over["deadline"]
        assert (await b.ask("ready", on=over["seq"]))["code"] == "not_now"


async def test_a_pause_holds_the_next_round_back(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrange(monkeypatch, ("7H", "3D KD"), "3H")
    async with world() as server:
        a, b = await server.table(["A", "B"])
        assert (await a.ask("pause", on=True))["code"] == "not_now"
        await a.ask("start")
        on = (await a.event("match"))["seq"]
        assert (await a.ask("pause", on=True))["t"] == "ok"
        assert (await b.event("paused"))["on"] is True
        for caller in (a, b):
            await caller.ask("ready", on=on)
        await trio.sleep(30)
        await a.ask("sync")
        view = await a.next(t="view", phase="between")
        assert view["paused"] is True
        assert [seat["ready"] for seat in view["seats"]] == [True, True]
        assert (await a.ask("pause", on=False))["t"] == "ok"
        await b.event("round")
        assert (await a.ask("pause", on=True))["code"] == "not_now"


async def test_nobody_keeps_a_table_paused_for_ever(autojump_clock: trio.testing.MockClock) -> None:
    async with world() as server:
        a, b = await server.table(["A", "B"], bots=["easy"], settings={"bot_pace": 0})
        await a.ask("start")
        await a.ask("pause", on=True)
        for caller in (a, b):
            caller.client.reset()
        await trio.sleep(60)
        w = await server.watcher("W", a.table)
        assert (await w.event("turn"))["table"] == a.table


@pytest.mark.parametrize("nonces", [[None, None], [b"", None], [b"x" * 32, b"\x80" + bytes(31)]])
async def test_the_deal_can_be_checked(
    nonces: list[bytes | None], autojump_clock: trio.testing.MockClock
) -> None:
    async with world() as server:
        a, b = await server.table(["A", "B"], rules={"rounds": 2})
        await a.ask("start")
        match = await a.event("match")
        await b.event("match")
        for caller, nonce in zip((a, b), nonces, strict=True):
            fields = {} if nonce is None else {"nonce": nonce}
            assert (await caller.ask("ready", on=match["seq"], **fields))["t"] == "ok"
        begun = await a.event("round")
        for caller in (a, b):
            await caller.ask("leave")
        w = await server.watcher("W", a.table)
        over = await w.event("round_over")
        assert hashlib.sha256(b"dobon commit" + over["secret"]).digest() == match["commit"]
        assert over["nonces"] == nonces
        assert seed_of(over["secret"], nonces) == over["seed"]
        dealt = Round.deal(Rules.from_data(match["rules"]), 2, over["seed"])
        assert list(dealt.hand_cards(0)) == [_card(text) for text in begun["hands"][0]]
        assert dealt.starter == begun["starter"]
        assert over["commit"] not in (match["commit"], None)


def _card(text: str) -> int:
    from engine.cards import parse_card

    return parse_card(text)


async def test_a_nonce_is_at_most_32_bytes(autojump_clock: trio.testing.MockClock) -> None:
    async with world() as server:
        a, _ = await server.table(["A", "B"])
        await a.ask("start")
        on = (await a.event("match"))["seq"]
        error = await a.ask("ready", on=on, nonce=bytes(33))
        assert (error["code"], error["field"]) == ("bad_request", "nonce")


async def test_rounds_of_a_seeded_server_repeat(autojump_clock: trio.testing.MockClock) -> None:
    deals = []
    for _ in range(2):
        async with world(Config(seed=b"show")) as server:
            a, b = await server.table(["A", "B"])
            assert a.heard[0]["seeded"] is True
            await begin([a, b])
            deals.append((a.last("round")["hands"][0], a.token))
    assert deals[0] == deals[1]


def test_every_deal_differs() -> None:
    from server.chance import Chance

    rules, chance = Rules.preset("dobon"), Chance()
    deals = {
        tuple(cards_of(Round.deal(rules, 2, seed_of(chance.secret("round/1/1"), [None, None])).hands[0]))
        for _ in range(200)
    }
    assert len(deals) > 190


async def test_with_nobody_online_the_deadline_begins_the_round(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async with world() as server:
        (a,) = await server.table(["A"], bots=["easy"], settings={"ready_time": 10_000})
        spectator = await server.watcher("S", a.table)
        await a.ask("start")
        match = await a.event("match")
        a.client.reset()
        assert (await spectator.event("seat", seat=0))["status"] == "away"
        await trio.sleep(2)
        # A cut of two seconds has dealt nothing: whoever is back can still send a nonce.
        again = await server.resume(a)
        view = await again.next(t="view")
        assert (view["phase"], view["ready_on"], view["deadline"]) == (
            "between",
            match["seq"],
            match["deadline"],
        )
        again.client.reset()
        assert (await spectator.event("round"))["at"] == match["deadline"]


async def test_the_end_of_the_server_deals_no_round(autojump_clock: trio.testing.MockClock) -> None:
    async with world() as server:
        a, b = await server.table(["A", "B"])
        await a.ask("start")
        match = await a.event("match")
        await a.ask("ready", on=match["seq"])
        server.core.visitors.shut_down(resume=True)
        assert (await b.next(t="error"))["resume"] is True
        # Whatever comes now, a deadline or a request, is for the server that goes on with it.
        b.request("ready", on=match["seq"])
        await trio.sleep(60)
        server.harvester.finish()
        await b.end()
        table = server.core.lobby.tables[a.table]
        # A is ready and B is gone, but from the server, not from the table.
        assert table.game is not None
        assert table.game.between
        assert [seat.status for seat in table.seats] == ["online", "online"]
