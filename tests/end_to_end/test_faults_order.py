"""Faults that other games had with who came first, who is next and whose time it is; here they hold."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest
import trio

from protocol.frame import encode_frame
from tests.server.world import Caller, arrange, begin, world

MS = 1_000_000
Clock = trio.testing.MockClock


async def first_turn(callers: list[Caller], card: str) -> tuple[int, int]:
    """Seat 0 plays; the seqs of `played` and of the turn after it."""
    turn = await callers[0].event("turn")
    assert (await callers[0].ask("play", on=turn["seq"], card=card))["t"] == "ok"
    for caller in callers:
        played = await caller.event("played")
    return played["seq"], (await callers[1].event("turn"))["seq"]


def codes(callers: list[Caller], asked: list[tuple[int, int]]) -> list[str]:
    """What became of each request, by caller and id."""
    found = []
    for who, number in asked:
        answer = next(m for m in callers[who].heard if m.get("re") == number)
        found.append(answer.get("code", "ok"))
    return found


@pytest.mark.parametrize("claims", ["first", "last", "all"])
@pytest.mark.parametrize("order", list(permutations(range(4))))
@pytest.mark.parametrize("move", ["draw", "play"])
async def test_three_claims_and_a_move_in_every_order(
    move: str, claims: str, order: tuple[int, ...], autojump_clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """0 to 2 are the claims of seats 2 to 4, 3 is the move of seat 1; 50 µs apart, all read at once."""
    arrange(monkeypatch, ("7H 2C 9D", "KH QD", "3D 4D", "3C 4C", "2D 5C"), "3H", stock="2S 3S 4S 5S")
    async with world() as server:
        rules = {"claims": claims, "counter": "off", "rounds": 1}
        callers = await server.table(["A", "B", "C", "D", "E"], rules=rules, settings={"grace": 0})
        await begin(callers)
        on, turn = await first_turn(callers, "7H")
        base = server.network.now() + 1 * MS
        asked: list[tuple[int, int]] = [(0, 0)] * 4
        for place, what in enumerate(order):
            who = 1 if what == 3 else what + 2
            t, about = (move, turn) if what == 3 else ("dobon", on)
            frame = {"t": t, "id": callers[who]._last_id + 1, "table": callers[who].table, "on": about}
            frame |= {"card": "KH"} if t == "play" else {}
            callers[who]._last_id += 1
            # Nobody is read before all of it has come.
            callers[who].client.send(encode_frame(frame), base + place * 50_000, base + 5 * MS)
            asked[what] = (who, int(str(frame["id"])))
        await trio.sleep(30)
        before = list(order[: order.index(3)])
        outcome = codes(callers, asked)
        # Whoever came before the move has claimed; the move then finds no turn; who came after is too late.
        if not before:
            assert outcome == ["too_late"] * 3 + ["ok"]
            return
        counted = before[:1] if claims == "first" else [what for what in order if what != 3]
        assert outcome[3] == "not_now"
        assert [what for what in range(3) if outcome[what] == "ok"] == sorted(counted)
        over = callers[0].last("round_over")
        assert [claim["seat"] for claim in over["claims"]] == [what + 2 for what in counted]
        winners = [counted[-1] + 2] if claims == "last" else sorted(what + 2 for what in counted)
        assert over["winners"] == winners
        assert len([m for m in callers[0].heard if m.get("ev") == "round_over"]) == 1


@pytest.mark.parametrize(("late", "plays"), [(-MS, True), (-1, True), (0, False), (1, False), (MS, False)])
async def test_a_play_at_the_end_of_the_turn(
    late: int, plays: bool, autojump_clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A play and the end of its time, a millisecond or a nanosecond apart: one of the two, never both."""
    arrange(monkeypatch, ("7H 2C 9D", "3D 4D KH", "KC KD QD"), "3H")
    async with world() as server:
        rules = {"drawn": "end"}
        callers = await server.table(["A", "B", "C"], rules=rules, settings={"turn_time": 2000})
        await begin(callers)
        turn = await callers[0].event("turn")
        table = server.core.lobby.tables[callers[0].table]
        due = table.next()
        assert due is not None
        number = callers[0].request("play", due + late, on=turn["seq"], card="7H")
        await trio.sleep(2.5)
        answer = await callers[0].next(re=number)
        happened = [m["ev"] for m in callers[1].events() if m["seq"] > turn["seq"]][:2]
        assert answer.get("code", "ok") == ("ok" if plays else "stale")
        assert happened == (["played", "turn"] if plays else ["timed_out", "drew"])


async def test_the_next_turn_has_its_own_time(autojump_clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    """A window that closes without a claim leaves the clock of the next player running."""
    arrange(monkeypatch, ("7H 2C 9D", "3D 4D KH", "KC KD QD"), "3H")
    async with world() as server:
        callers = await server.table(["A", "B", "C"], settings={"turn_time": 2000, "grace": 1000})
        await begin(callers)
        await first_turn(callers, "7H")
        turn = callers[1].last("turn")
        out = await callers[2].event("timed_out")
        assert (out["seat"], out["at"]) == (1, turn["deadline"])
        # Once: the turn after it is another seat's.
        assert (await callers[2].event("turn"))["seat"] == 2


async def test_two_plays_and_a_draw_in_one_segment(
    autojump_clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrange(monkeypatch, ("7H 2C 9H", "3D 4D KH", "KC KD QD"), "3H")
    async with world() as server:
        callers = await server.table(["A", "B", "C"], settings={"grace": 0})
        a = callers[0]
        await begin(callers)
        turn = await a.event("turn")
        first = a._last_id + 1
        asked: list[dict[str, Any]] = [
            {"t": "play", "card": "7H"},
            {"t": "play", "card": "9H"},
            {"t": "draw"},
        ]
        a.client.send(
            b"".join(
                encode_frame({**each, "id": first + place, "table": a.table, "on": turn["seq"]})
                for place, each in enumerate(asked)
            )
        )
        await trio.sleep(1)
        assert codes(callers, [(0, first), (0, first + 1), (0, first + 2)]) == ["ok", "stale", "stale"]
        assert len([m for m in a.heard if m.get("ev") in ("played", "drew")]) == 1


async def test_everybody_is_ready_again_and_again(autojump_clock: Clock) -> None:
    async with world() as server:
        callers = await server.table(["A", "B", "C"])
        await callers[0].ask("start")
        for caller in callers:
            on = (await caller.event("match"))["seq"]
            for _ in range(5):
                caller.request("ready", on=on)
        await trio.sleep(1)
        for caller in callers:
            assert len([m for m in caller.heard if m.get("ev") == "round"]) == 1
            assert len([m for m in caller.heard if m.get("ev") == "ready"]) == 3


@pytest.mark.parametrize("scoring", ["penalty", "wins", "chain"])
async def test_two_dobons_on_the_last_card_of_the_last_round(
    scoring: str, autojump_clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who pays, how much, and the ranking with its ties."""
    arrange(monkeypatch, ("7H", "3D 4D", "3C 4C", "KC KD"), "3H")
    async with world() as server:
        rules = {"claims": "all", "counter": "off", "rounds": 1, "scoring": scoring}
        callers = await server.table(["A", "B", "C", "D"], rules=rules)
        await begin(callers)
        turn = await callers[0].event("turn")
        await callers[0].ask("play", on=turn["seq"], card="7H")
        on = (await callers[1].event("played"))["seq"]
        for caller in callers[1:3]:
            assert (await caller.ask("dobon", on=on))["t"] == "ok"
        over = await callers[3].event("round_over")
        points = {"penalty": [28, 0, 0, 0], "wins": [-1, 1, 1, 0], "chain": [-2, 2, 2, 0]}[scoring]
        assert (over["winners"], over["losers"], over["points"]) == ([1, 2], [0], points)
        ranking = (await callers[3].event("match_over"))["ranking"]
        ranks = {place["seat"]: place["rank"] for place in ranking}
        assert ranks == ({1: 1, 2: 1, 3: 1, 0: 4} if scoring == "penalty" else {1: 1, 2: 1, 3: 3, 0: 4})


@pytest.mark.parametrize("claimed", [False, True])
async def test_four_twos_and_a_dobon_on_the_last(
    claimed: bool, autojump_clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The debt grows to eight, and is drawn once; a Dobon leaves it unpaid."""
    arrange(monkeypatch, ("2H AS AH", "2D 3H 4H", "2C 3D KD", "2S AC KH"), "3H")
    async with world() as server:
        rules = {"effects": {"2": "attack2"}, "rounds": 1}
        callers = await server.table(["A", "B", "C", "D"], rules=rules, settings={"grace": 0})
        await begin(callers)
        for seat, card in enumerate(["2H", "2D", "2C", "2S"]):
            turn = await callers[seat].event("turn", seat=seat)
            assert (await callers[seat].ask("play", on=turn["seq"], card=card))["t"] == "ok"
        turn = await callers[0].event("turn", turn=5)
        assert turn["attack"] == {"rank": "2", "draw": 8}
        if claimed:
            on = callers[0].last("played")["seq"]
            assert (await callers[0].ask("dobon", on=on))["t"] == "ok"
            over = await callers[1].event("round_over")
            assert (over["winners"], over["losers"], len(over["hands"][0])) == ([0], [3], 2)
            assert not [m for m in callers[1].events() if m["ev"] == "drew"]
            return
        assert (await callers[0].ask("draw", on=turn["seq"]))["t"] == "ok"
        drew = await callers[0].event("drew")
        assert (drew["count"], drew["why"], drew["stock"], drew["left"]) == (8, "attack", 1, 10)
        assert (await callers[1].event("turn", turn=6))["attack"] is None
