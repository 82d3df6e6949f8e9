"""What a view says of the last card: who played it, who claimed it, and where its receiver stands."""

from __future__ import annotations

from typing import Any

import pytest
import trio

from .world import Caller, arrange, begin, world

HANDS = ("7H 2C 9D", "3D 4D KH", "KC KD QD")


async def view(caller: Caller) -> dict[str, Any]:
    assert (await caller.ask("sync"))["t"] == "ok"
    return await caller.next(t="view")


async def played(callers: list[Caller]) -> int:
    turn = await callers[0].event("turn")
    assert (await callers[0].ask("play", on=turn["seq"], card="7H"))["t"] == "ok"
    for caller in callers:
        event = await caller.event("played")
    return int(event["seq"])


async def test_the_last_card_in_a_view(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrange(monkeypatch, HANDS, "3H")
    async with world() as server:
        a, b, c = await server.table(["A", "B", "C"], settings={"grace": 0})
        await begin([a, b, c])
        keys = ("discard", "discard_by", "claims", "claim_on")
        assert [(await view(c))[key] for key in keys] == [None, None, None, None]
        on = await played([a, b, c])
        # An open window has a list of claims, empty as yet; who played the card stays known after it.
        assert [(await view(c))[key] for key in keys] == [1, 0, [], on]
        turn = await b.event("turn")
        assert (await b.ask("draw", on=turn["seq"]))["t"] == "ok"
        assert [(await view(c))[key] for key in keys] == [1, 0, None, None]


async def test_who_has_waived_last_sees_it_while_the_waiver_is_held(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrange(monkeypatch, ("7H 2C 9D", "3D 4D", "KC KD QD"), "3H")
    async with world() as server:
        a, b, c = await server.table(["A", "B", "C"], rules={"counter": "ask"})
        await begin([a, b, c])
        on = await played([a, b, c])
        assert (await b.ask("dobon", on=on))["t"] == "ok"
        held = a.request("waive", on=on)
        assert (await view(a))["claim"] == "waived"
        assert (await view(b))["claim"] == "claimed"
        assert (await a.ask("dobon", on=on))["code"] == "window_closed"
        until = a.last("played")["until"]
        assert (await a.next(re=held))["t"] == "ok"
        assert (await a.event("round_over"))["at"] == until


async def test_no_number_of_a_table_or_event_is_a_malformed_request(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrange(monkeypatch, HANDS, "3H")
    async with world() as server:
        a, b = await server.table(["A", "B"])
        await begin([a, b])
        await a.event("turn")
        for on in (-1, 0, 10_000):
            assert (await a.ask("draw", on=on))["code"] == "stale"
            assert (await a.ask("dobon", on=on))["code"] == "stale"
        for table in (-1, 0, 10_000):
            assert (await a.ask("join", table=table))["code"] == "no_table"
