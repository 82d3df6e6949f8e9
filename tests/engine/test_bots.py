"""The bots' manners at every level: legal under all rules, blind to what they may not see, never false."""

from __future__ import annotations

from random import Random
from statistics import mean

import pytest

from engine.actions import Do
from engine.bots import LEVELS, REACTIONS
from engine.bots.reading import holds
from engine.events import RoundBegun, event_for
from engine.round import Round
from engine.rules import Rules
from engine.state import Phase
from engine.view import view

from .bot_matches import play, positions, random_rules, redealt


@pytest.mark.parametrize("number", range(60))
def test_random_rules_and_seats_are_played_to_the_end(number: int) -> None:
    rng = Random(number)
    seats = rng.randint(2, 8)
    bots = [LEVELS[rng.choice(["easy", "normal"])] for _ in range(seats)]
    round = play(random_rules(rng, seats), bots, rng.randbytes(32), rng)
    assert round.phase is Phase.OVER


@pytest.mark.parametrize("level", ["easy", "normal"])
def test_a_decision_does_not_depend_on_what_is_hidden(level: str) -> None:
    for number in range(12):
        rng = Random(number)
        seats = rng.randint(2, 8)
        bots = [LEVELS[level]] * seats
        for position in positions(random_rules(rng, seats), bots, rng.randbytes(32), rng)[:40]:
            decide = LEVELS[level].claim_or_waive if position.claiming else LEVELS[level].choose
            other = redealt(position, rng)
            before = decide(view(position.round, position.seat), position.seen, Random(7))
            assert decide(view(other, position.seat), position.seen, Random(7)) == before


def test_nobody_claims_falsely_and_normal_never_misses() -> None:
    rng = Random(1)
    rules = Rules.from_data({"false_dobon": 2, "counter": "ask"})
    claimed = dict.fromkeys(LEVELS, 0)
    for level, bot in LEVELS.items():
        if level == "hard":
            continue  # it may have its reasons to waive
        for _ in range(40):
            for position in positions(rules, [bot] * 4, rng.randbytes(32), rng):
                if not position.claiming:
                    continue
                seen_by = view(position.round, position.seat)
                action = bot.claim_or_waive(seen_by, position.seen, rng)
                assert action is not None
                assert holds(seen_by) or action.do is Do.WAIVE
                assert level == "easy" or holds(seen_by) == (action.do is Do.DOBON)
                claimed[level] += action.do is Do.DOBON
    assert min(claimed["easy"], claimed["normal"]) > 10


def test_there_is_no_claim_where_no_window_is_open() -> None:
    round = Round.deal(Rules.preset("dobon"), 4, bytes(32))
    for bot in LEVELS.values():
        assert bot.claim_or_waive(view(round, 0), [], Random(1)) is None


def test_a_spectator_has_nothing_to_decide() -> None:
    round = Round.deal(Rules.preset("dobon"), 4, bytes(32))
    for bot in LEVELS.values():
        with pytest.raises(ValueError, match="spectator"):
            bot.choose(view(round, None), [], Random(1))


def test_normal_beats_easy() -> None:
    rules = Rules.preset("dobon")
    ours, theirs = [], []
    for number in range(240):
        rng = Random(number)
        seat = number % 4
        bots = [LEVELS["normal" if each == seat else "easy"] for each in range(4)]
        points = play(rules, bots, rng.randbytes(32), rng).points()
        ours.append(points.pop(seat))
        theirs.append(mean(points))
    assert mean(ours) < 0.85 * mean(theirs)


@pytest.mark.parametrize("level", REACTIONS)
def test_reactions_keep_to_their_spread_and_are_mostly_quick(level: str) -> None:
    rng = Random(1)
    least, most = REACTIONS[level]
    drawn = [REACTIONS[level].draw(rng) for _ in range(2000)]
    assert least <= min(drawn)
    assert max(drawn) <= most
    assert len(set(drawn)) > 200
    assert 0.6 < mean(time < (least + most) / 2 for time in drawn) < 0.75


def test_an_event_for_a_seat_shows_no_other_hand() -> None:
    log: list[RoundBegun] = []
    Round.deal(Rules.preset("dobon"), 3, bytes(32), log=log)  # type: ignore[arg-type]
    begun = event_for(log[0], 1)
    assert isinstance(begun, RoundBegun)
    assert begun.hands == ((), log[0].hands[1], ())
    assert event_for(log[0], None) != log[0]
