"""Seats whose players are away, slow or gone, and who plays for them (protocol, sections 3 and 6)."""

from __future__ import annotations

import pytest
import trio

from engine.state import Phase

from .world import arrange, begin, world

MS = 1_000_000
HANDS = ("7H 2C 9D", "3D 4D KH", "KC KD QD")


async def test_two_turns_that_run_out_bring_the_autopilot(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrange(monkeypatch, ("7H 2C 9D", "3D 4D KH"), "3H", stock="2S 3S 5S 6S 8S 9S TS")
    async with world() as server:
        a, b = await server.table(["A", "B"], settings={"turn_time": 2000, "grace": 0})
        await begin([a, b])
        first = await b.event("turn")
        timed_out = await b.event("timed_out")
        assert (timed_out["seat"], timed_out["at"]) == (0, first["deadline"])
        assert (await b.event("drew"))["why"] == "choice"
        # The drawn card could be played, but the time is over: the same moment it is passed.
        assert (await b.event("timed_out"))["at"] == first["deadline"]
        assert (await b.event("passed"))["seat"] == 0
        turn = await b.event("turn", seat=1)
        await b.ask("draw", on=turn["seq"])
        await b.ask("pass", on=turn["seq"])
        await b.event("timed_out", seat=0)
        assert (await b.event("seat", seat=0))["status"] == "autopilot"
        # On its next turn the server acts for it, in a bot's time; B's own turns run out now.
        turn = await b.event("turn", seat=0)
        did = await b.next(t="event", seat=0)
        assert did["ev"] in ("drew", "played", "claimed")
        assert 700 <= did["at"] - turn["at"] <= 2000


async def test_the_player_acts_and_has_the_seat_back(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrange(monkeypatch, ("7H 2C 9D", "3D 4D KH"), "3H", stock="2S 3S 5S 6S 8S 9S TS")
    async with world() as server:
        settings = {"turn_time": 2000, "grace": 0}
        a, b = await server.table(["A", "B"], rules={"drawn": "end"}, settings=settings)
        await begin([a, b])
        for _ in range(2):
            turn = await b.event("turn", seat=1)
            await b.ask("draw", on=turn["seq"])
        await a.event("seat", seat=0, status="autopilot")
        turn = await a.event("turn", seat=0)
        number = a.request("draw", on=turn["seq"])
        assert (await a.next(re=number))["t"] == "ok"
        assert (await a.next(t="event"))["status"] == "online"
        assert (await a.next(t="event"))["ev"] == "drew"


@pytest.mark.parametrize("way", ["join", "ready"])
async def test_who_is_played_for_sits_down_again_by_saying_so(
    way: str, autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrange(monkeypatch, ("7H 2C 9D", "3D 4D KH"), "3H", stock="2S 3S 5S 6S 8S 9S TS")
    async with world() as server:
        settings = {"turn_time": 2000, "grace": 0}
        a, b = await server.table(["A", "B"], rules={"drawn": "end"}, settings=settings)
        await begin([a, b])
        for _ in range(2):
            turn = await b.event("turn", seat=1)
            await b.ask("draw", on=turn["seq"])
        await a.event("seat", seat=0, status="autopilot")
        # It is too late to be ready, but whoever says anything is there.
        code = {"join": None, "ready": "stale"}[way]
        assert (await a.ask(way, **({} if way == "join" else {"on": 1}))).get("code") == code
        assert (await b.event("seat", seat=0, status="online"))["kind"] == "human"


async def test_a_dropped_player_is_played_for_and_comes_back(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrange(monkeypatch, HANDS, "3H")
    async with world() as server:
        a, b, c = await server.table(["A", "B", "C"])
        await begin([a, b, c])
        a.client.reset()
        away = await b.event("seat", seat=0)
        assert away["status"] == "away"
        autopilot = await b.event("seat", seat=0)
        assert (autopilot["status"], autopilot["at"] - away["at"]) == ("autopilot", 20_000)
        did = await b.next(t="event", seat=0)
        assert 700 <= did["at"] - autopilot["at"] <= 2000
        again = await server.resume(a)
        view = await again.next(t="view")
        assert view["seats"][0]["status"] == "online"
        assert (await b.event("seat", seat=0))["status"] == "online"
        # No gap: the view stands at a seq, the next event follows it.
        await b.ask("chat", text="back?")
        assert (await again.next(t="event"))["seq"] == view["seq"] + 1


async def test_who_falls_silent_is_away_and_comes_back(autojump_clock: trio.testing.MockClock) -> None:
    """Packets that are lost both ways: no end of the connection is ever seen."""
    async with world() as server:
        a, b = await server.table(["A", "B"], settings={"turn_time": 600_000})
        await begin([a, b])
        a.answers_pings = False
        began = trio.current_time()
        away = await b.event("seat", seat=0)
        assert away["status"] == "away"
        assert trio.current_time() - began == pytest.approx(35, abs=0.1)
        autopilot = await b.event("seat", seat=0)
        assert (autopilot["status"], autopilot["at"] - away["at"]) == ("autopilot", 20_000)
        again = await server.resume(a)
        assert (await again.next(t="view"))["seats"][0]["status"] == "online"
        assert (await b.event("seat", seat=0))["status"] == "online"


@pytest.mark.parametrize("way", ["resume", "join", "watch"])
async def test_who_comes_while_the_host_is_away_for_long_is_the_host(
    way: str, autojump_clock: trio.testing.MockClock
) -> None:
    async with world() as server:
        a, b = await server.table(["A", "B"], seats=3)
        for caller in (a, b):
            caller.client.reset()
        await trio.sleep(30)
        if way == "resume":
            guest = await server.resume(b)
            view = await guest.next(t="view")
            host = await guest.next(t="event")
            assert (host["ev"], host["name"], host["seq"]) == ("host", "B", view["seq"] + 1)
        else:
            guest = await server.hello("C")
            guest.table = a.table
            await guest.ask(way)
            assert (await guest.next(t="view"))["host"]["name"] == "C"
        assert (await guest.ask("start", fill="easy"))["t"] == "ok"
        again = await server.resume(a)
        assert (await again.next(t="view"))["host"]["name"] != "A"


async def test_the_host_may_replace_who_is_away(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrange(monkeypatch, HANDS, "3H")
    async with world() as server:
        a, b, c = await server.table(["A", "B", "C"])
        await begin([a, b, c])
        assert (await a.ask("bot", seat=1, level="hard"))["code"] == "not_now"
        b.client.reset()
        await a.event("seat", seat=1, status="away")
        assert (await a.ask("bot", seat=1, level=None))["code"] == "not_now"
        assert (await a.ask("bot", seat=1, level="hard"))["t"] == "ok"
        assert (await a.event("seat", seat=1, kind="bot"))["level"] == "hard"
        c.client.reset()
        await a.event("seat", seat=2, status="away")
        assert (await a.ask("kick", seat=2))["t"] == "ok"
        assert (await a.event("seat", seat=2))["status"] == "left"
        again = await server.resume(c)
        await trio.sleep(1)
        assert all(message["t"] != "view" for message in again.heard)
        assert (await again.ask("join"))["seat"] == 2


@pytest.mark.parametrize(
    "phase", ["between", "opening", "direction", "rps", "turn", "drawn", "window", "claim"]
)
async def test_resume_in_every_phase_then_act(
    phase: str, autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    race = phase in ("opening", "direction", "rps")
    hands = ("7H 2C 9D 9S", "5H 4D KC", "3D 4C", "9H 4S JD")
    arrange(monkeypatch, hands, "6H", phase=Phase.OPENING if race else Phase.TURN, stock="6S 8S 9C TC")
    async with world() as server:
        rules = {"opening": "race" if race else "turn", "order_by": "rps", "claims": "last", "counter": "ask"}
        callers = await server.table(["A", "B", "C", "D"], rules=rules)
        a, b, c, d = callers
        await a.ask("start")
        on = (await a.event("match"))["seq"]
        if phase == "between":
            a.client.reset()
            again = await server.resume(a)
            view = await again.next(t="view")
            assert (view["phase"], view["ready_on"]) == ("between", on)
            assert (await again.ask("ready", on=view["ready_on"]))["t"] == "ok"
            return
        for caller in callers:
            await caller.ask("ready", on=on)
        act, fields, who = ("play", {"card": "7H"}, a)
        if phase in ("direction", "rps"):
            opening = await a.event("opening")
            await a.ask("play", on=opening["seq"], card="7H")
            asked = await b.event("direction_race")
            act, fields, who = "play", {"card": "5H"}, b
            if phase == "rps":
                await d.event("direction_race")
                for caller in (b, d):
                    caller.request("pass", on=asked["seq"])
                await b.event("rps")
                act, fields = "rps", {"throw": "rock"}
        elif phase != "opening" and phase != "turn":
            turn = await a.event("turn")
            if phase == "drawn":
                await a.ask("draw", on=turn["seq"])
                act, fields = "play", {"card": "6S", "suit": "S"}
            else:
                await a.ask("play", on=turn["seq"], card="7H")
                played = await c.event("played")
                act, fields, who = "dobon", {}, c
                if phase == "claim":
                    await c.ask("dobon", on=played["seq"])
                    await a.event("claimed")
                    act, who = "waive", a
        who.client.reset()
        again = await server.resume(who)
        view = await again.next(t="view")
        assert view["phase"] == {"drawn": "turn", "window": "turn"}.get(phase, phase)
        key = "claim_on" if act in ("dobon", "waive") else "act_on"
        assert (await again.ask(act, on=view[key], **fields))["t"] == "ok"


@pytest.mark.parametrize("early", [MS, 1, 0, -1, -MS])
async def test_back_in_the_moment_in_which_the_server_begins_to_play(
    early: int, autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So many ns before the time is over, or after it: the seat is back, whole, and stays so."""
    arrange(monkeypatch, HANDS, "3H")
    async with world() as server:
        a, b, c = await server.table(["A", "B", "C"], settings={"away_time": 5000})
        await begin([a, b, c])
        a.client.reset()
        await b.event("seat", seat=0, status="away")
        due = server.core.lobby.tables[a.table].seats[0].away_due
        assert due is not None
        await trio.sleep(4)
        again = server.dial()
        again.send(due - early, t="hello", versions=[1], name="x", agent="test", token=a.token)
        view = await again.next(t="view")
        assert (view["you"], view["seats"][0]["status"]) == (0, "online")
        again.table, again._last_id = a.table, a._last_id
        await trio.sleep(20)
        statuses = [event["status"] for event in b.events() if event["ev"] == "seat" and event["seat"] == 0]
        assert statuses in (["away", "online"], ["away", "autopilot", "online"])
        assert (await again.ask("draw", on=view["act_on"]))["t"] == "ok"
