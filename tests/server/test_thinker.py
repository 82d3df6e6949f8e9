"""The worker in which `hard` thinks: its answers are those of the level, and losing it loses no answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random

import pytest
import trio
import trio.testing

from engine.actions import PLAY, Action
from engine.bots import LEVELS, hard
from engine.cards import parse_card
from engine.events import Event, event_for
from engine.round import Round
from engine.rules import Rules
from engine.view import view
from server import thinker, worker
from server.bot_seat import Question
from server.thinker import CROWD, LEAST_BUDGET, WorkerThinker, budget_for
from tests.patience import soon

SEED = bytes(32)


def question(level: str, seed: bytes = SEED) -> Question:
    """The first turn of a round."""
    log: list[Event] = []
    round = Round.deal(Rules.preset("dobon"), 4, SEED, log=log)
    seat = round.turn_seat
    return Question(level, view(round, seat), [event_for(event, seat) for event in log], seed, asked=True)


class Answers:
    """What is delivered, in order."""

    def __init__(self) -> None:
        self.got: list[Action | None] = []
        self._stirred = trio.Event()

    def deliver(self, action: Action | None) -> None:
        self.got.append(action)
        self._stirred.set()
        self._stirred = trio.Event()

    async def until(self, number: int) -> None:
        with soon(f"{number} answers"):
            while len(self.got) < number:
                await self._stirred.wait()


def test_only_a_search_is_put_off() -> None:
    thinker, answers = WorkerThinker(), Answers()
    for level in ("easy", "normal"):
        thinker.think(question(level), answers.deliver)
    assert len(answers.got) == 2
    thinker.think(question("hard"), answers.deliver)
    assert len(answers.got) == 2


def test_a_dobon_is_weighed_by_the_worker_and_before_the_searches_that_wait() -> None:
    quick, answers = WorkerThinker(), Answers()
    hands = [[parse_card("7S"), parse_card("KH")], [parse_card("4S"), parse_card("3C")]]
    round = Round.setup(
        Rules.preset("dobon"), hands, [parse_card("6S")], [parse_card("2D"), parse_card("9D")]
    )
    round.apply(PLAY[0][1 << parse_card("7S")])
    claim = Question("hard", view(round, 1), [], SEED, asked=False)
    for asked in (question("hard"), question("hard"), claim):
        quick.think(asked, answers.deliver)
    assert [each.asked for each, _ in quick._waiting] == [True, False, True]
    assert answers.got == []


def test_the_budget_shrinks_with_the_queue() -> None:
    assert [budget_for(1), budget_for(2), budget_for(1000)] == [hard.BUDGET, hard.BUDGET // 2, LEAST_BUDGET]


async def test_the_worker_answers_as_the_level_does() -> None:
    thinker, answers = WorkerThinker(), Answers()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(thinker.run)
        asked = question("hard")
        thinker.think(asked, answers.deliver)
        await answers.until(1)
        thinker.think(question("hard", seed=b"other"), answers.deliver)
        await answers.until(2)
        nursery.cancel_scope.cancel()
    assert answers.got[0] == LEVELS["hard"].choose(asked.view, asked.seen, Random(SEED))
    assert thinker.workers == 1
    assert thinker.process is not None
    assert thinker.process.returncode is not None


async def test_the_worker_is_ours_whatever_lies_in_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("server", "engine", "pickle"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(Path(thinker.__file__).parents[1]))
    quick, answers = WorkerThinker(), Answers()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(quick.run)
        asked = question("hard")
        quick.think(asked, answers.deliver)
        await answers.until(1)
        nursery.cancel_scope.cancel()
    assert quick.workers == 1
    assert answers.got[0] == LEVELS["hard"].choose(asked.view, asked.seen, Random(SEED))


async def test_a_worker_that_dies_is_replaced() -> None:
    thinker, answers = WorkerThinker(), Answers()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(thinker.run)
        thinker.think(question("hard"), answers.deliver)
        await answers.until(1)
        assert thinker.process is not None
        thinker.process.kill()
        thinker.think(question("hard"), answers.deliver)
        await answers.until(2)
        nursery.cancel_scope.cancel()
    assert thinker.workers == 2
    assert answers.got[0] == answers.got[1] is not None


def test_questions_that_nobody_waits_for_do_not_pile_up() -> None:
    slow, answers = WorkerThinker(), Answers()
    kept = question("hard")
    for number in range(10 * CROWD):
        slow.think(kept if number % 100 == 0 else replace(kept, wanted=lambda: False), answers.deliver)
        assert len(slow._waiting) <= CROWD
    assert sum(asked is kept for asked, _ in slow._waiting) == 7


async def test_what_nobody_waits_for_is_not_thought_about() -> None:
    quick, answers = WorkerThinker(), Answers()
    async with trio.open_nursery() as nursery:
        for wanted in (False, True, False):
            asked = replace(question("hard"), wanted=partial(bool, wanted))
            quick.think(asked, answers.deliver)
        nursery.start_soon(quick.run)
        await answers.until(1)
        await trio.testing.wait_all_tasks_blocked()
        assert not quick._waiting
        nursery.cancel_scope.cancel()
    assert len(answers.got) == 1


async def test_a_worker_that_is_stuck_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thinker, "COMMAND", ("sleep", "3600"))
    monkeypatch.setattr(thinker, "LONGEST", 0.1)
    quick, answers = WorkerThinker(), Answers()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(quick.run)
        quick.think(question("hard"), answers.deliver)
        await answers.until(1)
        nursery.cancel_scope.cancel()
    assert quick.workers == 2
    assert answers.got[0] is not None


@pytest.mark.parametrize("command", [("false",), ("/nowhere/at/all",)])
async def test_without_a_worker_another_level_answers(
    command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(thinker, "COMMAND", command)
    quick, answers = WorkerThinker(), Answers()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(quick.run)
        quick.think(question("hard"), answers.deliver)
        await answers.until(1)
        nursery.cancel_scope.cancel()
    assert answers.got[0] is not None


def test_a_question_that_can_not_be_decided_has_no_answer(capsys: pytest.CaptureFixture[str]) -> None:
    answer: Callable[[bytes], Action | None] = worker._answer
    assert answer(b"no pickle") is None
    assert "Traceback" in capsys.readouterr().err
