"""Bots in their seats: when they act, and what is done where one fails (protocol, section 5.7)."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import trio

from engine.actions import Action, Do
from server.bot_seat import Question
from server.config import Config

from .world import arrange, begin, world

HANDS = ("7H 2C 9D", "3D 4D", "KH KD QD")


class Scripted:
    """Answers as it is told: an action, an exception, or nothing at all."""

    def __init__(self, answer: Callable[[Question], Action | None] | None) -> None:
        self.answer = answer
        self.questions: list[Question] = []

    def think(self, question: Question, deliver: Callable[[Action | None], None]) -> None:
        self.questions.append(question)
        if self.answer is not None:
            deliver(self.answer(question))


@pytest.mark.parametrize("level", ["normal", "hard"])
@pytest.mark.parametrize("pace", [0, 50, 100, 300])
async def test_a_bot_claims_in_its_levels_time(
    level: str, pace: int, autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrange(monkeypatch, HANDS, "3H")
    async with world() as server:
        settings = {"bot_pace": pace, "grace": 10_000, "claim_time": 10_000}
        (a,) = await server.table(["A"], bots=[level, "easy"], settings=settings)
        view = a.heard[-1]
        least, most = view["seats"][1]["reaction"]
        assert least >= 300
        await begin([a])
        turn = await a.event("turn")
        await a.ask("play", on=turn["seq"], card="7H")
        played, claimed = await a.event("played"), await a.event("claimed")
        assert claimed["seat"] == 1
        assert least <= claimed["at"] - played["at"] <= most + 1


async def test_a_bot_answers_in_the_same_time_whether_it_claims_or_not(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last card of seat 0: the bots' waivers end the round when their claims would have."""
    ends = []
    for hand in ("3D 4D", "3D 5D"):
        arrange(monkeypatch, ("7H", hand), "3H")
        async with world(Config(seed=b"same")) as server:
            (a,) = await server.table(["A"], bots=["normal"], settings={"grace": 0})
            await begin([a])
            turn = await a.event("turn")
            await a.ask("play", on=turn["seq"], card="7H")
            ends.append((await a.event("round_over"))["at"])
    assert ends[0] == ends[1]


async def test_a_bot_sees_what_its_seat_was_sent(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrange(monkeypatch, HANDS, "3H")
    thinker = Scripted(lambda question: None)
    async with world(thinker=thinker) as server:
        (a,) = await server.table(["A"], bots=["easy", "easy"])
        await begin([a])
        turn = await a.event("turn")
        await a.ask("play", on=turn["seq"], card="7H")
        await a.event("turn", seat=1)
    assert {question.view.you for question in thinker.questions} == {1, 2}
    for question in thinker.questions:
        assert [event.ev for event in question.seen] == ["round", "turn", "played", "turn"]
        dealt = question.seen[0]
        assert [bool(hand) for hand in dealt.hands] == [False, question.view.you == 1, question.view.you == 2]  # type: ignore[union-attr]


def broken(question: Question) -> Action | None:
    raise RuntimeError("a bot's own fault")


@pytest.mark.parametrize(
    ("answer", "wait"),
    [
        (lambda question: Action(1, Do.PLAY, 51), 2000),  # not in its hand
        (lambda question: Action(1, Do.RPS, throw=0), 2000),
        (broken, 2000),
        (lambda question: None, 2000),
        (None, 2000 + 2001),  # it never answers
    ],
)
async def test_a_bot_that_fails_is_replaced_by_something_safe(
    answer: Callable[[Question], Action | None] | None,
    wait: int,
    autojump_clock: trio.testing.MockClock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    arrange(monkeypatch, HANDS, "3H", turn=1)
    async with world(thinker=Scripted(answer)) as server:
        (a,) = await server.table(["A"], bots=["normal", "normal"])
        await begin([a])
        turn = await a.event("turn")
        drew = await a.event("drew")
        assert (drew["seat"], drew["why"]) == (1, "choice")
        assert 700 <= drew["at"] - turn["at"] <= wait


async def test_a_late_answer_is_a_late_arrival(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrange(monkeypatch, HANDS, "3H", turn=1)
    async with world() as server:

        class Slow:
            def think(self, question: Question, deliver: Callable[[Action | None], None]) -> None:
                async def later() -> None:
                    await trio.sleep(2.5)
                    deliver(Action(1, Do.DRAW))

                if question.asked and question.view.drawn is None:
                    server.nursery.start_soon(later)
                else:
                    deliver(None)

        object.__setattr__(server.core.lobby._floor, "thinker", Slow())
        (a,) = await server.table(["A"], bots=["hard", "hard"])
        await begin([a])
        turn = await a.event("turn")
        drew = await a.event("drew")
        assert drew["at"] - turn["at"] == pytest.approx(2500, abs=1)


async def test_bots_play_every_kind_of_match(autojump_clock: trio.testing.MockClock) -> None:
    kinds = [
        {"preset": "dobon", "jokers": 2, "false_dobon": 2, "last_call": 3, "claims": "all", "counter": "ask"},
        {"preset": "pageone", "order_by": "rps", "jokers": 2, "dobon_math": "pair", "claims": "first"},
        {"preset": "pageone", "reverse_two": "skip", "must_play": True, "counter": "auto"},
        {"preset": "dobon", "first_card": "effect", "out": False, "starter": "loser", "hand": 3},
    ]
    async with world() as server:
        w = await server.hello("W")
        for seats, rules in zip((5, 4, 2, 8), kinds, strict=True):
            settings = {"bot_pace": 0, "grace": 0, "claim_time": 1000}
            levels = ["easy", "normal"] * 4
            w.table = (
                await w.ask(
                    "create", seats=seats, rules=rules, bots=levels[:seats], sit=False, settings=settings
                )
            )["table"]
            await w.ask("start")
            over = await w.event("match_over", table=w.table)
            assert len(over["ranking"]) == seats
            assert not any(event["ev"] in ("timed_out", "closed") for event in w.events())
            await w.ask("leave")


async def test_how_quick_bots_are_is_told_when_the_last_human_leaves_and_comes_back(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async with world() as server:
        (a,) = await server.table(["A"], bots=["easy"], settings={"bot_pace": 0})
        watcher = await server.watcher("W", a.table)
        await begin([a])
        await a.ask("leave")
        assert (await watcher.event("seat", seat=1))["reaction"] == [0, 0]
        await a.ask("join")
        assert (await a.next(t="view"))["seats"][1]["reaction"] == [300, 300]
        assert (await watcher.event("seat", seat=1))["reaction"] == [300, 300]
