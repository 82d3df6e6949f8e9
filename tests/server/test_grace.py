"""The grace: what is held, how long, what a claim does to it (rules, section 9; protocol, sections 3, 5)."""

from __future__ import annotations

import pytest
import trio

from engine.state import Phase

from .world import Caller, arrange, begin, world

MS = 1_000_000
HANDS = ("7H 2C 9D", "3D 4D KH", "KC KD QD")


async def played(callers: list[Caller], card: str = "7H") -> int:
    """Seat 0 plays; the seq of `played`."""
    turn = await callers[0].event("turn")
    assert (await callers[0].ask("play", on=turn["seq"], card=card))["t"] == "ok"
    for caller in callers:
        event = await caller.event("played")
    return int(event["seq"])


async def test_the_next_player_is_held_until_the_grace_ends(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrange(monkeypatch, HANDS, "3H")
    async with world() as server:
        a, b, c = await server.table(["A", "B", "C"])
        await begin([a, b, c])
        await played([a, b, c])
        turn = await b.event("turn")
        until = b.last("played")["until"]
        assert until - b.last("played")["at"] == 1000
        assert turn["deadline"] == until + 30_000
        # What can't be done is refused at once, what can is held, and no second action is taken meanwhile.
        assert (await b.ask("play", on=turn["seq"], card="3D"))["code"] == "does_not_fit"
        first = b.request("play", on=turn["seq"], card="KH")
        assert (await b.ask("draw", on=turn["seq"]))["code"] == "not_now"
        assert b.last("turn")["seq"] == turn["seq"]
        assert (await b.next(re=first))["t"] == "ok"
        assert (await b.event("played"))["at"] >= until


async def test_no_grace_no_holding(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrange(monkeypatch, HANDS, "3H")
    async with world() as server:
        a, b, c = await server.table(["A", "B", "C"], settings={"grace": 0})
        await begin([a, b, c])
        await played([a, b, c])
        turn = await b.event("turn")
        assert (await b.ask("draw", on=turn["seq"]))["t"] == "ok"
        assert (await b.event("drew"))["at"] == turn["at"]


@pytest.mark.parametrize("who", [1, 2])
async def test_a_claim_that_holds_ends_what_is_held(
    who: int, autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    hands = ("7H 2C 9D", "3D 4D", "3C 4C")
    arrange(monkeypatch, hands, "3H")
    async with world() as server:
        callers = await server.table(["A", "B", "C"], rules={"claims": "last"})
        _, b, c = callers
        await begin(callers)
        on = await played(callers)
        turn = await b.event("turn")
        held = b.request("draw", on=turn["seq"])
        await trio.sleep(0.5)
        assert (await callers[who].ask("dobon", on=on))["t"] == "ok"
        assert (await b.next(re=held))["code"] == "not_now"
        assert (await c.event("claimed"))["seat"] == who


async def test_a_false_claim_ends_nothing(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrange(monkeypatch, HANDS, "3H")
    async with world() as server:
        a, b, c = await server.table(["A", "B", "C"], rules={"false_dobon": 2})
        await begin([a, b, c])
        on = await played([a, b, c])
        turn = await b.event("turn")
        held = b.request("play", on=turn["seq"], card="KH")
        assert (await b.ask("dobon", on=on))["t"] == "ok"
        drew = await b.event("drew")
        assert (drew["why"], drew["cards"], drew["may"]) == ("false", ["2S", "3S"], ["play", "draw"])
        assert (await b.next(re=held))["t"] == "ok"
        assert (await c.event("played"))["card"] == "KH"


async def test_too_late_tells_by_how_much(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrange(monkeypatch, ("7H 2C 9D", "3D KH 4D", "3C 4C"), "3H")
    async with world() as server:
        a, b, c = await server.table(["A", "B", "C"])
        await begin([a, b, c])
        on = await played([a, b, c])
        turn = await b.event("turn")
        held = b.request("draw", on=turn["seq"])
        await b.next(re=held)
        # The table was made when the virtual clock began.
        late = c.request("dobon", arrival=b.last("played")["until"] * MS + 1_234_567, on=on)
        answer = await c.next(re=late)
        assert (answer["code"], answer["by"]) == ("too_late", 1_234)
        # About something that never was a played card, or is of no match: stale.
        assert (await c.ask("dobon", on=turn["seq"]))["code"] == "stale"
        assert (await c.ask("waive", on=on))["code"] == "too_late"


async def test_a_late_read_changes_nothing(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A claim that arrived before the next player's card but is read after it still comes first."""
    arrange(monkeypatch, ("7H 2C 9D", "3D KH 4D", "3C 4C"), "3H")
    async with world() as server:
        a, b, c = await server.table(["A", "B", "C"], settings={"grace": 0})
        await begin([a, b, c])
        on = await played([a, b, c])
        turn = await b.event("turn")
        now = server.network.now()
        # Both are read together, later; b's draw arrived 1 ms after c's claim.
        b.request("draw", arrival=now + 2 * MS, on=turn["seq"])
        c.request("dobon", arrival=now + 1 * MS, on=on)
        claimed = await a.event("claimed")
        assert claimed["seat"] == 2


async def test_both_candidates_are_held_and_taken_in_order_of_arrival(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    hands = ("7H 2C 9D 9C", "5H 4D KC KD", "KS KC QD 8D", "9H 4C JD JC")
    arrange(monkeypatch, hands, "6H", phase=Phase.OPENING)
    async with world() as server:
        callers = await server.table(["A", "B", "C", "D"], rules={"preset": "pageone"})
        a, b, c, d = callers
        await begin(callers)
        opening = await a.event("opening")
        assert opening["may"] == ["play", "pass"]
        assert opening["playable"] == ["7H"]
        assert (await c.ask("draw", on=opening["seq"]))["code"] == "not_now"
        assert (await c.ask("pass", on=opening["seq"]))["t"] == "ok"
        assert (await a.ask("play", on=opening["seq"], card="7H"))["t"] == "ok"
        race = await b.event("direction_race")
        assert race["candidates"] == [1, 3]
        assert race["playable"] == ["5H"]
        until = b.last("played")["until"]
        assert (await c.ask("play", on=race["seq"], card="8D"))["code"] == "not_your_turn"
        await trio.sleep(0.2)
        behind = d.request("play", on=race["seq"], card="9H")
        await trio.sleep(0.2)
        ahead = b.request("play", on=race["seq"], card="5H")
        assert (await d.next(re=behind))["t"] == "ok"
        assert (await b.next(re=ahead))["code"] == "not_now"
        direction = await a.event("direction")
        assert (direction["direction"], direction["by"]) == (-1, "play")
        assert direction["at"] >= until
        assert (await a.event("turn"))["seat"] == 2


async def test_held_declines_lead_to_the_throws(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    hands = ("7H 2C 9D 9C", "5H 4D KC KD", "KS QC QD 8D", "9H 4C JD JC")
    arrange(monkeypatch, hands, "6H", phase=Phase.OPENING)
    async with world() as server:
        callers = await server.table(["A", "B", "C", "D"], rules={"preset": "pageone", "order_by": "rps"})
        a, b, c, d = callers
        await begin(callers)
        opening = await a.event("opening")
        await a.ask("play", on=opening["seq"], card="7H")
        race = await b.event("direction_race")
        await d.event("direction_race")
        first, second = b.request("pass", on=race["seq"]), d.request("pass", on=race["seq"])
        assert (await b.next(re=first))["t"] == (await d.next(re=second))["t"] == "ok"
        asked = await b.event("rps")
        assert asked["at"] >= b.last("played")["until"]
        assert (await b.ask("play", on=asked["seq"], card="5H"))["code"] == "not_now"
        assert (await c.ask("rps", on=asked["seq"], throw="rock"))["code"] == "not_your_turn"
        assert (await b.ask("rps", on=asked["seq"], throw="rock"))["t"] == "ok"
        assert (await b.ask("rps", on=asked["seq"], throw="rock"))["code"] == "not_now"
        await d.event("rps")
        assert (await d.ask("rps", on=asked["seq"], throw="paper"))["t"] == "ok"
        assert (await a.event("thrown"))["throws"] == ["rock", "paper"]
        assert (await a.event("direction"))["direction"] == -1
        turn = await a.event("turn")
        assert (turn["seat"], turn["deadline"]) == (3, turn["at"] + 30_000)


async def test_the_last_waiver_waits_for_the_grace(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrange(monkeypatch, ("7H", "3D KH", "3C QC"), "3H")
    async with world() as server:
        a, b, c = await server.table(["A", "B", "C"])
        await begin([a, b, c])
        on = await played([a, b, c])
        assert a.last("played")["deadline"] == a.last("played")["at"] + 4000
        assert (await b.ask("waive", on=on))["t"] == "ok"
        waiver = c.request("waive", on=on)
        # Given up is given up, also while the waiver is held.
        assert (await c.ask("dobon", on=on))["code"] == "window_closed"
        assert (await c.next(re=waiver))["t"] == "ok"
        over = await a.event("round_over")
        assert (over["why"], over["at"]) == ("out", a.last("played")["until"])


async def test_a_last_card_that_nobody_is_waited_for(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrange(monkeypatch, ("7H", "7D", "7C"), "3H")
    async with world() as server:
        a, b, c = await server.table(["A", "B", "C"], rules={"dobon_min": 2})
        await begin([a, b, c])
        on = await played([a, b, c])
        shown = a.last("played")
        assert shown["deadline"] == shown["until"]
        await b.ask("sync")
        view = await b.next(t="view")
        assert (view["phase"], view["deadline"], view["last_round"]) == ("claim", shown["until"], None)
        assert (await c.ask("dobon", on=on))["code"] == "too_late"
        over = await a.event("round_over")
        assert (over["why"], over["at"]) == ("out", shown["until"])


async def test_a_last_card_runs_out(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrange(monkeypatch, ("7H", "3D KH", "3C QC"), "3H")
    async with world() as server:
        a, b, c = await server.table(["A", "B", "C"])
        await begin([a, b, c])
        await played([a, b, c])
        over = await a.event("round_over")
        assert (over["why"], over["at"]) == ("out", a.last("played")["deadline"])


async def test_a_held_action_survives_a_cut_and_is_answered_once(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrange(monkeypatch, HANDS, "3H")
    async with world() as server:
        a, b, c = await server.table(["A", "B", "C"])
        await begin([a, b, c])
        await played([a, b, c])
        turn = await b.event("turn")
        held = b.request("play", on=turn["seq"], card="KH")
        await trio.sleep(0.1)
        b.client.reset()
        await trio.sleep(0.1)
        again = await server.resume(b)
        view = await again.next(t="view")
        assert view["act_on"] == turn["seq"]
        again.send(t="play", id=held, table=b.table, on=turn["seq"], card="KH")
        await again.event("played")
        answers = [m for m in again.heard if m.get("re") == held]
        assert answers == [{"t": "ok", "re": held}]
        assert again.heard.index(answers[0]) < again.heard.index(again.last("played"))
