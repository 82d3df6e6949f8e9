"""What a seat concludes from the events it got."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from engine.actions import DRAW, PASS, PLAY, WAIVE, Action, Do
from engine.bots.determinise import Worlds
from engine.bots.seen import Knowledge
from engine.cards import mask_of, parse_card
from engine.events import Event, RoundBegun, event_for
from engine.round import Round
from engine.rules import Rules
from engine.view import view


def cards(text: str) -> list[int]:
    return [parse_card(each) for each in text.split()]


class Told:
    """A round set up by hand, with what seat 0 gets of it."""

    def __init__(self, hands: Sequence[str], pile: str, stock: str, **rules: object) -> None:
        self.log: list[Event] = []
        dealt = [cards(hand) for hand in hands]
        discards, rest = cards(pile), cards(stock)
        self.round = Round.setup(Rules.from_data(rules), dealt, discards, rest, turn=1, log=self.log)
        begun = RoundBegun(
            1,
            0,
            discards[-1],
            tuple(discards[:-1]),
            tuple(map(tuple, dealt)),
            tuple(map(len, dealt)),
            len(rest),
        )
        self.seen: list[Event] = [event_for(begun, 0)]

    def do(self, *actions: Action) -> Knowledge:
        for action in actions:
            self.round.apply(action)
        self.seen += [event_for(event, 0) for event in self.log]
        self.log.clear()
        return Knowledge(view(self.round, 0), self.seen)


def play(seat: int, card: str) -> Action:
    return PLAY[seat][1 << parse_card(card)]


def test_who_draws_is_taken_to_hold_nothing_that_fits() -> None:
    told = Told(["2S 3S", "KD QD JC"], "5H", "4C 9C 6C 7C")
    known = told.do(DRAW[1], PASS[1])
    fit = mask_of(cards("AH KH 5S 8C"))
    assert all(held.unlikely & fit == fit for held in known.hands[1])
    assert not known.hands[1][0].unlikely & mask_of(cards("4C 9S"))


def test_who_plays_low_is_taken_to_hold_nothing_higher_that_fits() -> None:
    told = Told(["2S 3S", "4H QD JC"], "5H", "9C 6C 7C")
    known = told.do(play(1, "4H"))
    assert len(known.hands[1]) == 2
    assert all(
        held.passed_over == mask_of(cards("5H 6H 7H 8S 8H 8D 8C 9H TH JH QH KH 5S 5D 5C"))
        for held in known.hands[1]
    )


def test_a_hand_that_lets_a_card_go_by_does_not_count_it() -> None:
    told = Told(["2S 7S 3D", "4H KD", "6H 9C"], "5H", "9S TC KC QC JC 7C 6C 5C 4C 3C 2C AC")
    told.do(play(1, "4H"), play(2, "6H"))
    known = told.do(DRAW[0])
    # Seat 1's one card went unclaimed on the six, seat 2's was its own discard's.
    assert [(fact.value, len(fact.held)) for fact in known.declined[1]] == [(6, 1)]
    worlds = Worlds(view(told.round, 0), told.seen)
    rng = Random(1)
    counts = [worlds.deal(rng).counts[1] for _ in range(300)]
    assert counts.count(6) < 6


def test_after_a_reshuffle_a_hand_holds_none_of_the_discards() -> None:
    told = Told(["2S 3S", "KD QD", "JC JS"], "4D 6D 8S 9S 5H", "TC")
    known = told.do(DRAW[1], PASS[1], DRAW[2])
    old = mask_of(cards("4D 6D 8S 9S"))
    assert known.reshuffles == 1
    assert known.stock == old
    assert [held.possible & old for held in known.hands[1]] == [0] * 3
    assert known.hands[2][-1].possible == old
    assert known.drawn is known.hands[2][-1]
    world = Worlds(view(told.round, 0), told.seen).deal(Random(1))
    assert world.drawn in cards("4D 6D 8S 9S")


def test_the_step_of_an_attack_is_that_of_the_card_that_began_it() -> None:
    effects = {"2S": "attack3", "2": "attack1"}
    told = Told(["2D KS", "2S KD 9C", "2H QC TC"], "5S", "9S TS", effects=effects)
    known = told.do(play(1, "2S"), play(2, "2H"))
    assert known.attack_step == 3
    assert Worlds(view(told.round, 0), told.seen).deal(Random(1)).attack_draw == 6


def test_who_waived_has_waived_in_every_world() -> None:
    told = Told(["2D KS", "4H KD 9C", "QC TC"], "5H", "9S TS")
    told.do(play(1, "4H"), WAIVE[0])
    world = Worlds(view(told.round, 0), told.seen).deal(Random(1))
    assert world.waived == 1
    assert Action(0, Do.WAIVE) not in world.legal_actions(0)
