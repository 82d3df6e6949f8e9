"""Rounds made from a view: the same view again, and nothing in them that the seat knows to be otherwise."""

from __future__ import annotations

from random import Random

import pytest

from engine.bots import LEVELS
from engine.bots.determinise import Worlds
from engine.bots.seen import Knowledge
from engine.cards import cards_of, mask_of
from engine.state import Phase
from engine.view import view

from .bot_matches import positions, random_rules


@pytest.mark.parametrize("number", range(60))
def test_a_round_made_from_a_view_is_that_view(number: int) -> None:
    rng = Random(number)
    seats = rng.randint(2, 8)
    bots = [LEVELS[rng.choice(["easy", "normal"])] for _ in range(seats)]
    for position in positions(random_rules(rng, seats), bots, rng.randbytes(32), rng)[:60]:
        real = position.round
        seen_by = view(real, position.seat)
        for guess in (True, False):
            world = Worlds(seen_by, position.seen, guess).deal(rng)
            assert view(world, position.seat) == seen_by
            cards = [card for hand in world.hands for card in cards_of(hand)] + world.stock + world.discards
            assert sorted(cards) == real.tables.deck
            assert world.counts == [
                sum(card % 13 + 1 for card in cards_of(h) if card < 52) for h in world.hands
            ]
            assert world.attack_step == real.attack_step
            assert world.reshuffles == real.reshuffles
            if real.phase is Phase.TURN:
                assert (world.drawn is None) == (real.drawn is None)
                world.copy().expire()


@pytest.mark.parametrize("number", range(40))
def test_what_is_known_for_certain_is_true(number: int) -> None:
    rng = Random(number)
    seats = rng.randint(2, 6)
    bots = [LEVELS["normal"]] * seats
    for position in positions(random_rules(rng, seats), bots, rng.randbytes(32), rng)[::3][:60]:
        real = position.round
        known = Knowledge(view(real, position.seat), position.seen)
        assert not mask_of(real.stock) & ~known.stock
        for seat, hand in enumerate(known.hands):
            if seat == position.seat:
                continue
            assert len(hand) == real.hands[seat].bit_count()
            possible = [held.possible for held in hand]
            for card in cards_of(real.hands[seat]):
                assert any(each >> card & 1 for each in possible)
        world = Worlds(view(real, position.seat), position.seen).deal(rng)
        assert not mask_of(world.stock) & ~known.stock
