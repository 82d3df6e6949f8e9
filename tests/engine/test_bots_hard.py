"""The level `hard`: the same from the same, blind to what is hidden, legal under all rules."""

from __future__ import annotations

from random import Random

import pytest

from engine.actions import DOBON, PLAY, WAIVE, Do
from engine.bots import LEVELS, decide, hard, hard_level
from engine.bots.series import play_match
from engine.bots.worth import worth_of
from engine.cards import parse_card
from engine.round import Round
from engine.rules import Rules
from engine.state import Phase
from engine.view import view

from .bot_matches import play, positions, random_rules, redealt

CHEAP = hard_level(budget=24)


def test_a_decision_is_the_same_again_and_does_not_depend_on_what_is_hidden() -> None:
    rng = Random(3)
    compared = 0
    for preset in ("dobon", "pageone"):
        rules = Rules.preset(preset)
        for position in positions(rules, [LEVELS["normal"]] * 4, rng.randbytes(32), rng):
            if position.claiming:
                continue
            decisions = {
                hard.choose(view(round, position.seat), position.seen, Random(9), budget=60)
                for round in (position.round, position.round, redealt(position, rng))
            }
            assert len(decisions) == 1
            compared += len(hard.choices_of(view(position.round, position.seat))) > 1
    assert compared > 10


@pytest.mark.parametrize("number", range(12))
def test_random_rules_and_seats_are_played_to_the_end(number: int) -> None:
    rng = Random(number)
    seats = rng.randint(2, 8)
    rules = random_rules(rng, seats)
    for _ in range(2):
        bots = [rng.choice([CHEAP, LEVELS["easy"], LEVELS["normal"]]) for _ in range(seats)]
        assert play(rules, bots, rng.randbytes(32), rng).phase is Phase.OVER


def cards(text: str) -> list[int]:
    return [parse_card(each) for each in text.split()]


def test_it_goes_out_rather_than_draw() -> None:
    hands = [cards("7H"), cards("KS KD QS"), cards("QD JS KC")]
    round = Round.setup(Rules.preset("dobon"), hands, cards("7S"), cards("2D 3D 4D 5D 6D"))
    action = hard.choose(view(round, 0), [], Random(1), budget=200)
    assert action.do is Do.PLAY


def test_it_decides_also_where_it_has_seen_nothing() -> None:
    rules = Rules.from_data({"jokers": 2})
    round = Round.setup(
        rules,
        [cards("2H KH 3S"), cards("KS X1"), cards("QD 4C")],
        cards("2S"),
        cards("4D 5D"),
        attack=(1, 2, 2),
    )
    assert hard.choose(view(round, 0), [], Random(1), budget=60) in round.legal_actions(0)


def test_it_lets_a_dobon_go_by_when_going_out_costs_the_others_more() -> None:
    # With one ace left and the next turn it goes out on the ace of the top; the discarder has but a two.
    hands = [cards("AS 2D"), cards("AH"), cards("KS KD QS JS TS"), cards("QD JD KC QC TC")]
    round = Round.setup(Rules.from_data({"effects": {}}), hands, cards("6S"), cards("4D 5D"))
    round.apply(PLAY[0][1 << parse_card("AS")])
    seen_by = view(round, 1)
    assert hard.claim_or_waive(seen_by, [], Random(1)) == WAIVE[1]
    assert LEVELS["normal"].claim_or_waive(seen_by, [], Random(1)) == DOBON[1]


def test_a_dobon_that_was_waived_is_not_weighed_again() -> None:
    hands = [cards("AS 2D"), cards("AH"), cards("KS KD QS JS TS")]
    round = Round.setup(Rules.from_data({"effects": {}}), hands, cards("6S"), cards("4D 5D"))
    round.apply(PLAY[0][1 << parse_card("AS")])
    round.apply(WAIVE[1])
    assert hard.claim_or_waive(view(round, 1), [], Random(1)) is None
    assert decide(CHEAP, view(round, 1), [], Random(1)) in round.legal_actions(1)


def test_a_dobon_on_a_last_card_is_always_claimed() -> None:
    hands = [cards("AS"), cards("AH"), cards("KS KD QS JS TS"), cards("QD JD KC QC TC")]
    round = Round.setup(Rules.preset("dobon"), hands, cards("6S"), cards("4D 5D"))
    round.apply(PLAY[0][1 << parse_card("AS")])
    assert hard.claim_or_waive(view(round, 1), [], Random(1)) == DOBON[1]


def test_what_a_position_is_worth_follows_the_hand() -> None:
    rules = Rules.preset("dobon")
    worth = worth_of(rules, 3)
    light = Round.setup(
        rules, [cards("2S 3S"), cards("KS KD QS"), cards("QD JS KC")], cards("7S"), cards("4D 5D")
    )
    heavy = Round.setup(
        rules, [cards("KH QH"), cards("KS KD QS"), cards("QD JS KC")], cards("7S"), cards("4D 5D")
    )
    assert worth.gain(light, 0) > worth.gain(heavy, 0)
    assert sum(worth.gain(light, seat) for seat in range(3)) == pytest.approx(0)


def test_asked_for_both_a_seat_claims_first_and_else_moves() -> None:
    rng = Random(5)
    asked = set()
    for position in positions(Rules.preset("dobon"), [LEVELS["normal"]] * 3, rng.randbytes(32), rng):
        round, seat = position.round, position.seat
        action = decide(LEVELS["normal"], view(round, seat), position.seen, rng)
        assert action is not None
        assert action in round.legal_actions(seat)
        asked.add(action.do)
        if round.asked(seat) and action.do is not Do.DOBON:
            assert action.do is not Do.WAIVE
    assert {Do.PLAY, Do.WAIVE} <= asked


def test_nothing_is_decided_where_nothing_is_asked() -> None:
    round = Round.deal(Rules.preset("dobon"), 3, bytes(32))
    other = (round.turn_seat + 1) % 3
    assert decide(CHEAP, view(round, other), [], Random(1)) is None


@pytest.mark.nightly
@pytest.mark.timeout(600)
@pytest.mark.parametrize("number", range(200))
def test_random_matches_between_all_levels_come_to_an_end(number: int) -> None:
    """A hundred matches each time, 20 with the same rules; `hard`, which takes longest, is in every fifth."""
    rng = Random(f"nightly {number}")
    quick = [LEVELS["easy"], LEVELS["normal"]]
    for _ in range(5):
        seats = rng.randint(2, 8)
        rules = random_rules(rng, seats)
        for match in range(20):
            bots = [rng.choice(quick if match % 5 else [CHEAP, *quick]) for _ in range(seats)]
            scores = play_match(rules, bots, rng.randbytes(32))
            assert min(score["rank"] for score in scores) == 1
