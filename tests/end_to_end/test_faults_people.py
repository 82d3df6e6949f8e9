"""Faults that other games had with people who leave, are cut off, come back, crowd in or are sent away."""

from __future__ import annotations

import pytest
import trio

from engine.cards import CARDS
from engine.state import Phase
from protocol.frame import encode_frame
from server.session import KEPT
from tests.server.world import World, arrange, begin, world

MS = 1_000_000
Clock = trio.testing.MockClock
QUICK = {"turn_time": 2000, "grace": 100, "claim_time": 1000, "opening_time": 1000, "ready_time": 1000}


def cards_of_round(server: World, number: int) -> list[str]:
    """Every card of the round that a table plays, wherever it is."""
    game = server.core.lobby.tables[number].game
    assert game is not None
    assert game.live is not None
    round = game.live.round
    held = [card for seat in range(round.seats) for card in round.hand_cards(seat)]
    return sorted(CARDS[card] for card in (*held, *round.discards, *round.stock))


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
@pytest.mark.parametrize("leaver", range(5))
@pytest.mark.parametrize("top", ["3H", "JH"])
async def test_whoever_leaves_the_order_stays(
    seats: int, leaver: int, top: str, autojump_clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In their own turn or in another's, in both directions: the next is the one who would be."""
    if leaver >= seats:
        leaver = seats - 1
    # With a jack to play on a jack the order turns; nobody else can turn it back.
    hands = ["3C JC 9D 9S", "KC QC TC 8D", "KD QD TD 6D", "KS QS TS 6S", "4S 5S 6H 4D"][:seats]
    stock = "7H 5H 9H 7D 5D 9C 4H KH"
    arrange(monkeypatch, hands, top, stock)
    card = "3C" if top == "3H" else "JC"
    step = 1 if card == "3C" else -1
    async with world() as server:
        rules = {"reverse_two": "none", "drawn": "end"}
        settings = {**QUICK, "away_time": 600_000, "bot_pace": 0}
        callers = await server.table(["A", "B", "C", "D", "E"][:seats], rules=rules, settings=settings)
        await begin(callers)
        turn = await callers[0].event("turn")
        if leaver:
            callers[0].request("play", on=turn["seq"], card=card)
        await callers[leaver].ask("leave")
        watcher = callers[1 if leaver != 1 else 0]
        await trio.sleep(10)
        turns = [m["seat"] for m in watcher.events() if m["ev"] == "turn"]
        if leaver:
            assert turns[:3] == [0, step % seats, 2 * step % seats]
        assert cards_of_round(server, watcher.table) == sorted(" ".join([*hands, top, stock]).split())
        # Somebody's turn has come after the leaver's own.
        after = turns[turns.index(leaver) + 1 :] if leaver in turns else turns
        assert after


async def test_a_debt_is_paid_by_who_plays_for_the_seat(
    autojump_clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrange(monkeypatch, ("2H 9C 4C", "KC KD QD", "TC 9S 8S"), "3H", stock="4S 5S 6S 7S 4H 5H 6H")
    async with world() as server:
        callers = await server.table(["A", "B", "C"], settings={**QUICK, "bot_pace": 0})
        await begin(callers)
        turn = await callers[0].event("turn")
        await callers[0].ask("play", on=turn["seq"], card="2H")
        assert (await callers[1].event("turn", seat=1))["attack"] == {"rank": "2", "draw": 2}
        await callers[1].ask("leave")
        drew = await callers[2].event("drew")
        assert (drew["seat"], drew["count"], drew["why"], drew["left"]) == (1, 2, "attack", 5)
        assert (await callers[2].event("turn"))["seat"] == 2


@pytest.mark.parametrize("end", ["close", "reset"])
@pytest.mark.parametrize("leaves", [False, True])
async def test_a_dobon_and_gone(
    end: str, leaves: bool, autojump_clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What arrived before the end of a connection counts."""
    arrange(monkeypatch, ("7H 2C 9D", "3D 4D", "KC KD QD"), "3H")
    async with world() as server:
        callers = await server.table(["A", "B", "C"], rules={"counter": "off"}, settings=QUICK)
        await begin(callers)
        turn = await callers[0].event("turn")
        await callers[0].ask("play", on=turn["seq"], card="7H")
        b = callers[1]
        b.request("dobon", on=(await b.event("played"))["seq"])
        if leaves:
            b.request("leave")
        getattr(b.client, end)()
        over = await callers[2].event("round_over")
        assert (over["why"], over["winners"], over["losers"]) == ("dobon", [1], [0])
        assert (await callers[2].event("round"))["round"] == 2


async def test_a_spectators_end_is_no_matter(autojump_clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    arrange(monkeypatch, ("7H 2C 9D", "3D 4D KH", "KC KD QD"), "3H")
    async with world() as server:
        callers = await server.table(["A", "B", "C"], settings=QUICK)
        crowd = [await server.watcher(f"S{number}", callers[0].table) for number in range(30)]
        await begin(callers)
        turn = await callers[0].event("turn")
        # They are gone at the moment at which everybody is told of the play.
        for spectator in crowd:
            spectator.client.reset()
        assert (await callers[0].ask("play", on=turn["seq"], card="7H"))["t"] == "ok"
        assert (await callers[2].event("played"))["card"] == "7H"
        await trio.sleep(1)
        assert server.network.open() == 3


async def test_ten_joins_in_one_write(autojump_clock: Clock) -> None:
    async with world() as server:
        host = await server.hello("A")
        host.table = (await host.ask("create", seats=4))["table"]
        guest = await server.hello("B")
        join = [{"t": "join", "id": number, "table": host.table} for number in range(1, 11)]
        guest.client.send(b"".join(map(encode_frame, join)))
        for number in range(1, 11):
            answer = await guest.next(re=number)
            assert answer.get("seat") == 1
        await guest.ask("sync") if guest.table else None
        assert [m["seat"] for m in host.events() if m["ev"] == "seat"] == [1]


@pytest.mark.parametrize(("early", "resumes"), [(1, True), (0, False), (-1, False)])
async def test_back_at_the_last_moment(early: int, resumes: bool, autojump_clock: Clock) -> None:
    """A millisecond before the session is forgotten, at that moment, and after it: all of it, or an error."""
    async with world() as server:
        caller = await server.hello("A")
        caller.client.close()
        await caller.end()
        gone = next(iter(server.core.visitors.sessions)).gone_at
        assert gone is not None
        due = (gone + KEPT - server.network.now()) / 1e9
        await trio.sleep(due - early * 0.001 + 0.0005 * (early == 0))
        again = server.dial()
        again.send(t="hello", versions=[1], name="x", agent="test", token=caller.token)
        answer = await again.next()
        assert answer["t"] == ("welcome" if resumes else "error")
        if not resumes:
            assert answer["code"] == "token_unknown"
            assert not len(server.core.visitors.sessions)


async def test_no_number_is_a_token(autojump_clock: Clock) -> None:
    async with world() as server:
        victim = await server.hello("A")
        victim.table = (await victim.ask("create"))["table"]
        spectator = await server.watcher("S", victim.table)
        wrong = [str(victim.player), str(victim.table), "A", "0", "", victim.token[:-1], victim.token + "A"]
        for token in wrong:
            thief = server.dial()
            thief.send(t="hello", versions=[1], name="T", agent="test", token=token)
            assert (await thief.next())["code"] == "token_unknown"
        assert not victim.closed
        assert not [m for m in (*victim.heard, *spectator.heard) if m.get("code")]


async def test_back_in_the_moment_of_the_deal(autojump_clock: Clock) -> None:
    async with world() as server:
        callers = await server.table(["A", "B", "C"])
        a, b, c = callers
        await a.ask("start")
        for caller in callers:
            await caller.event("match")
        on = a.last("match")["seq"]
        await a.ask("ready", on=on)
        await b.ask("ready", on=on)
        # The last one is ready, is cut off and is back, all of it at once.
        c.request("ready", on=on)
        c.client.reset()
        again = server.dial()
        again.send(t="hello", versions=[1], name="x", agent="test", token=c.token)
        view = await again.next(t="view")
        dealt = await b.event("round")
        events = [m for m in again.heard if m.get("ev") == "round"]
        assert (view["phase"], len(events)) in (("turn", 0), ("between", 1))
        hand = view["hand"] if view["phase"] == "turn" else events[0]["hands"][2]
        assert len(hand) == dealt["counts"][2]
        table = server.core.lobby.tables[a.table]
        assert table.game is not None
        assert table.game.live is not None
        assert len(hand) == table.game.live.round.hands[2].bit_count()


@pytest.mark.parametrize("first", ["host", "player"])
async def test_sent_away_while_acting(
    first: str, autojump_clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The host replaces a player whose turns ran out in the moment in which that player acts."""
    arrange(monkeypatch, ("7H 2C 9D", "3D 4D KH", "KC KD QD"), "3H", turn=1)
    async with world() as server:
        callers = await server.table(["A", "B", "C"], settings={**QUICK, "grace": 0, "bot_pace": 300})
        await begin(callers)
        a, b, c = callers
        await c.event("seat", seat=1, status="autopilot")
        turn = b.last("turn")
        now = server.network.now() + MS
        kick = a.request("kick", now + (0 if first == "host" else 1000), seat=1)
        act = b.request("draw", now + (1000 if first == "host" else 0), on=turn["seq"])
        kicked, acted = await a.next(re=kick), await b.next(re=act)
        if first == "host":
            assert (kicked["t"], acted["code"]) == ("ok", "not_at_table")
        else:
            assert kicked["t"] == "error"
            assert kicked["code"] == "not_now"
        await c.event("turn", seat=2)


@pytest.mark.parametrize("when", ["lobby", "play", "between"])
async def test_the_host_goes(when: str, autojump_clock: Clock) -> None:
    async with world() as server:
        callers = await server.table(["A", "B", "C"], settings=QUICK)
        if when == "play":
            await begin(callers)
        elif when == "between":
            await callers[0].ask("start")
        await callers[0].ask("leave")
        began = trio.current_time()
        assert (await callers[1].event("host"))["name"] == "B"
        assert trio.current_time() - began < 5
        if when == "lobby":
            assert (await callers[1].ask("start", fill="easy"))["t"] == "ok"
        assert (await callers[2].event("turn"))["turn"] == 1


async def test_the_same_player_looks_on_from_elsewhere(
    autojump_clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second session of a player sees what any spectator sees; the first can't do both in a match."""
    arrange(monkeypatch, ("7H 2C 9D", "3D 4D KH", "KC KD QD"), "3H")
    async with world() as server:
        callers = await server.table(["A", "B", "C"], settings=QUICK)
        other = await server.watcher("A two", callers[0].table)
        await begin(callers)
        assert (await callers[0].ask("watch"))["code"] == "not_now"
        shown = (await other.event("round"))["hands"]
        assert shown == [None, None, None]
        await other.ask("sync")
        view = await other.next(t="view")
        assert (view["you"], view["hand"], view["playable"], view["may"]) == (None, None, None, None)


async def test_whoever_only_looks_on_can_do_nothing(
    autojump_clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrange(monkeypatch, ("7H 2C 9D", "3D 4D KH", "KC KD QD"), "3H")
    async with world() as server:
        callers = await server.table(["A", "B", "C"], settings=QUICK)
        spectator = await server.watcher("S", callers[0].table)
        await begin(callers)
        turn = await spectator.event("turn")
        plays: tuple[tuple[str, dict[str, str]], ...] = (
            ("play", {"card": "7H"}),
            ("draw", {}),
            ("pass", {}),
            ("dobon", {}),
            ("waive", {}),
        )
        for t, fields in (*plays, ("rps", {"throw": "rock"}), ("ready", {})):
            assert (await spectator.ask(t, on=turn["seq"], **fields))["code"] == "not_at_table"
        hosts: tuple[tuple[str, dict[str, int | None]], ...] = (
            ("bot", {"seat": 0, "level": None}),
            ("rules", {}),
            ("start", {}),
            ("kick", {"seat": 1}),
        )
        for t, numbers in hosts:
            assert (await spectator.ask(t, **numbers))["code"] == "not_host"
        # Nor can a player play what is another's, or nobody's.
        for card in ("3D", "2S", "KC"):
            assert (await callers[0].ask("play", on=turn["seq"], card=card))["code"] == "not_in_hand"
        assert not [m for m in callers[1].events() if m["seq"] > turn["seq"]]


async def test_a_slow_reader_who_moves_is_kept(autojump_clock: Clock) -> None:
    """A hundred bytes a second are little, and enough while little is said."""
    async with world() as server:
        callers = await server.table(["A", "B"], settings=QUICK)
        slow = callers[1]
        slow.client.window = 100
        for number in range(50):
            await callers[0].ask("chat", text=f"line {number}")
            await trio.sleep(1)
        assert not slow.closed
        await slow.event("chat", text="line 49")


async def test_phases_of_the_race_survive_whoever_leaves(
    autojump_clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    hands, stock = ("3D 2C 9D", "3C 4D KH", "3S KD QD"), "2S 4S 5S 6S 7S 8S"
    arrange(monkeypatch, hands, "3H", stock, phase=Phase.OPENING)
    for leaver in range(3):
        async with world() as server:
            rules = {"preset": "pageone"}
            callers = await server.table(["A", "B", "C"], rules=rules, settings={**QUICK, "bot_pace": 0})
            await begin(callers)
            await callers[leaver].ask("leave")
            watcher = callers[(leaver + 1) % 3]
            assert (await watcher.event("turn"))["turn"] >= 1
            assert cards_of_round(server, watcher.table) == sorted(" ".join([*hands, "3H", stock]).split())
