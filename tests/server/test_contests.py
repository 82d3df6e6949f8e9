"""Several claims on one card: their order, lag, the counter and the points, as told at a table."""

from __future__ import annotations

from typing import Any

import pytest
import trio

from protocol.frame import encode_frame

from .world import Caller, World, arrange, begin, world

MS = 1_000_000
NAMES = "ABCDEF"
HANDS = ("7H 3S 4S", "3D 4D", "3C 4C", "2D 5D", "2C 5C", "AD 6D")
"""Seat 0 plays the seven and keeps one that counts seven itself; all others' hands do."""


async def contest(
    server: World, monkeypatch: pytest.MonkeyPatch, seats: int, claimants: dict[int, int], **rules: Any
) -> tuple[list[Caller], int]:
    """Seat 0 plays; the seats in ``claimants`` claim, so many ms after the card. All are read in one go."""
    arrange(monkeypatch, HANDS[:seats], "3H")
    callers = await server.table(NAMES[:seats], rules=rules)
    await begin(callers)
    turn = await callers[0].event("turn")
    await callers[0].ask("play", on=turn["seq"], card="7H")
    for caller in callers:
        on = (await caller.event("played"))["seq"]
    now = server.network.now()
    latest = now + max(claimants.values()) * MS
    for seat, ms in claimants.items():
        frame_at = now + ms * MS
        _send_late(callers[seat], frame_at, latest, on)
    return callers, on


def _send_late(caller: Caller, arrival: int, readable: int, on: int) -> None:
    caller._last_id += 1
    message = {"t": "dobon", "id": caller._last_id, "table": caller.table, "on": on}
    caller.client.send(encode_frame(message), arrival, readable)


async def over(caller: Caller) -> dict[str, Any]:
    return await caller.event("round_over")


ARRIVALS = {3: 10, 1: 12, 4: 13, 2: 17, 5: 40}


async def test_first_takes_the_first(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with world() as server:
        callers, _ = await contest(server, monkeypatch, 6, ARRIVALS, claims="first", counter="off")
        end = await over(callers[0])
        assert (end["winners"], end["losers"]) == ([3], [0])
        assert end["claims"] == [{"seat": 3, "order": 1, "counter": False, "lag": 0}]
        assert end["points"] == [7 + 7 * 2, 0, 0, 0, 0, 0]
        late = [await callers[seat].next(t="error") for seat in (1, 4, 2, 5)]
        assert [error["code"] for error in late] == ["too_late"] * 4
        assert [error["by"] for error in late] == [2000, 3000, 7000, 30000]


async def test_first_with_the_automatic_counter(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with world() as server:
        callers, _ = await contest(server, monkeypatch, 3, {2: 5, 1: 6}, claims="first", counter="auto")
        first, counter = await callers[1].event("claimed"), await callers[1].event("claimed")
        assert (first["seat"], first["order"], first["counter"], first["deadline"]) == (2, 1, False, None)
        assert (counter["seat"], counter["against"], counter["counter"], counter["lag"]) == (0, 2, True, 0)
        end = await over(callers[0])
        assert (end["winners"], end["losers"], end["points"]) == ([0], [2], [0, 0, 21])


@pytest.mark.parametrize("answer", ["dobon", "waive", None])
async def test_first_asks_for_the_counter(
    answer: str | None, autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with world() as server:
        callers, on = await contest(server, monkeypatch, 3, {2: 1500}, claims="first", counter="ask")
        claimed = await callers[0].event("claimed")
        assert claimed["deadline"] == claimed["at"] + 4000
        # Closed to the others by the claim, while the discarder is asked.
        assert (await callers[1].ask("dobon", on=on))["code"] == "too_late"
        if answer is not None:
            assert (await callers[0].ask(answer, on=on))["t"] == "ok"
        end = await over(callers[1])
        if answer == "dobon":
            assert (end["winners"], end["losers"]) == ([0], [2])
        else:
            assert (end["winners"], end["losers"]) == ([2], [0])
        assert end["at"] == (claimed["deadline"] if answer is None else end["at"])


@pytest.mark.parametrize(("chain", "loser"), [("previous", 2), ("discarder", 0)])
async def test_last_takes_the_last(
    chain: str, loser: int, autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with world() as server:
        rules = {"claims": "last", "counter": "off", "chain_loser": chain, "scoring": "chain"}
        callers, _ = await contest(server, monkeypatch, 6, ARRIVALS, **rules)
        claims = [await callers[0].event("claimed") for _ in range(5)]
        assert [(c["seat"], c["order"], c["lag"]) for c in claims] == [
            (3, 1, 0),
            (1, 2, 2000),
            (4, 3, 3000),
            (2, 4, 7000),
            (5, 5, 30000),
        ]
        assert [c["deadline"] is None for c in claims] == [False] * 4 + [True]
        end = await over(callers[0])
        points = [0] * 6
        points[5], points[loser] = 5, -5
        assert (end["winners"], end["losers"], end["points"]) == ([5], [loser], points)
        assert [claim["lag"] for claim in end["claims"]] == [0, 2000, 3000, 7000, 30000]


async def test_last_waits_anew_after_each_claim_and_lets_the_discarder_come_last(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with world() as server:
        callers, on = await contest(server, monkeypatch, 3, {2: 1500}, claims="last", counter="ask")
        first = await callers[0].event("claimed")
        await trio.sleep(3)
        assert (await callers[1].ask("dobon", on=on))["t"] == "ok"
        second = await callers[0].event("claimed")
        assert (second["against"], second["deadline"] - second["at"]) == (2, 4000)
        assert second["deadline"] > first["deadline"]
        assert (await callers[0].ask("dobon", on=on))["t"] == "ok"
        counter = await callers[1].event("claimed", seat=0)
        assert (counter["counter"], counter["against"], counter["deadline"]) == (True, 1, None)
        end = await over(callers[2])
        assert (end["winners"], end["losers"], end["points"]) == ([0], [1], [0, 21, 0])


async def test_all_win_and_the_discarder_is_asked_after_their_time(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with world() as server:
        arrivals = {3: 10, 1: 12, 2: 1700}
        callers, on = await contest(server, monkeypatch, 5, arrivals, claims="all", counter="ask")
        claims = [await callers[0].event("claimed") for _ in range(3)]
        assert len({claim["deadline"] for claim in claims}) == 1
        assert (await callers[0].ask("dobon", on=on))["code"] == "not_eligible"
        await trio.sleep(4.5)
        # Seat 4 let the time run out: now the discarder has as much for the counter.
        await callers[0].ask("sync")
        view = await callers[0].next(t="view")
        assert (view["phase"], view["claim"], view["deadline"]) == (
            "claim",
            "open",
            claims[0]["deadline"] + 4000,
        )
        assert (await callers[0].ask("waive", on=on))["t"] == "ok"
        end = await over(callers[4])
        assert (end["winners"], end["losers"]) == ([1, 2, 3], [0])
        assert end["points"] == [7 + 7 * 2 * 3, 0, 0, 0, 0]


async def test_equal_arrivals_go_by_seat_from_the_discarder_on(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with world() as server:
        arrivals = {5: 10, 2: 10, 4: 10}
        callers, _ = await contest(server, monkeypatch, 6, arrivals, claims="last", counter="off")
        assert [(await callers[0].event("claimed"))["seat"] for _ in range(3)] == [2, 4, 5]


async def test_a_claim_that_does_not_hold_is_told_to_nobody_and_not_repeated_at_once(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrange(monkeypatch, ("7H 3S", "3D KD", "3C KC"), "3H")
    async with world() as server:
        callers = await server.table("ABC")
        await begin(callers)
        turn = await callers[0].event("turn")
        await callers[0].ask("play", on=turn["seq"], card="7H")
        on = (await callers[1].event("played"))["seq"]
        assert (await callers[1].ask("dobon", on=on))["code"] == "not_eligible"
        assert (await callers[1].ask("dobon", on=on))["code"] == "rate"
        assert (await callers[1].ask("waive", on=on))["t"] == "ok"
        await trio.sleep(1.1)
        assert (await callers[1].ask("dobon", on=on))["code"] == "window_closed"
        await callers[2].ask("sync")
        assert [e["ev"] for e in callers[2].events()][-2:] == ["played", "turn"]


async def test_a_claim_made_stands_when_its_maker_leaves(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with world() as server:
        callers, _ = await contest(server, monkeypatch, 4, {2: 1500}, claims="last", counter="off")
        await callers[2].event("claimed")
        assert (await callers[2].ask("leave"))["t"] == "ok"
        assert (await callers[0].event("seat", seat=2))["status"] == "left"
        end = await over(callers[0])
        assert end["winners"] == [2]
