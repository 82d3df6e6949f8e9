"""Plain determinised Monte Carlo: what the level `hard` is measured against.

The hidden cards are dealt without a thought, every choice gets the same number of playouts, everybody in a
playout plays the highest card that fits and claims what it can, and the mean of the points decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from random import Random

from engine.actions import DOBON, DRAW, PASS, PLAY, PLAY_NAMING, THROW, Action
from engine.bots import REACTIONS, Level
from engine.bots.determinise import Worlds
from engine.bots.hard import choices_of
from engine.bots.normal import claim_or_waive
from engine.bots.reading import seat_of
from engine.cards import VALUE, CardSet
from engine.events import Event
from engine.round import Round
from engine.state import CLAIM, OVER, RPS, TURN, Phase
from engine.view import View

LAST_TURN = 200
"""A playout that comes so far is counted as it stands."""


def plain_search(budget: int) -> Level:
    """The bot that shares ``budget`` playouts among its choices."""
    return Level(partial(_choose, budget=budget), claim_or_waive, REACTIONS["hard"])


def _choose(view: View, seen: Sequence[Event], rng: Random, budget: int) -> Action:
    if view.phase is Phase.RPS:
        return rng.choice(THROW[seat_of(view)])
    choices = choices_of(view)
    if len(choices) == 1:
        return choices[0]
    seat = seat_of(view)
    sign = -1 if view.rules.scoring == "penalty" else 1
    worlds = Worlds(view, seen, guess=False)
    totals = [0.0] * len(choices)
    for _ in range(max(1, budget // len(choices))):
        world = worlds.deal(rng)
        for place, choice in enumerate(choices):
            trial = world.copy()
            trial.apply(choice)
            points = _finish(trial, rng)
            totals[place] += sign * (points[seat] - (sum(points) - points[seat]) / (view.seats - 1))
    return choices[totals.index(max(totals))]


def _finish(round: Round, rng: Random) -> Sequence[int]:
    while round.phase is not OVER:
        claimants = round.claimants()
        if claimants:
            round.apply(DOBON[rng.choice([seat for seat in range(round.seats) if claimants >> seat & 1])])
        elif round.phase is CLAIM:
            round.expire()
        elif round.phase is TURN:
            if round.turn > LAST_TURN:
                return round.counts if round.rules.scoring == "penalty" else [0] * round.seats
            round.apply(_turn(round))
        elif round.phase is RPS:
            asked = [seat for seat in range(round.seats) if round.throw_awaited(seat)]
            round.apply(rng.choice(THROW[asked[0]]))
        else:
            asked = [seat for seat in range(round.seats) if round.asked(seat)]
            seat = rng.choice(asked)
            plays = round.playable(seat)
            round.apply(_highest(round, seat, plays) if plays else PASS[seat])
    return round.points()


def _turn(round: Round) -> Action:
    seat = round.turn_seat
    plays = round.playable(seat)
    if plays:
        return _highest(round, seat, plays)
    return DRAW[seat] if round.draw_refusal(seat) is None else PASS[seat]


def _highest(round: Round, seat: int, plays: CardSet) -> Action:
    hand, best, most = round.hands[seat], 0, -1
    while plays:
        bit = plays & -plays
        plays ^= bit
        card = bit.bit_length() - 1
        if VALUE[card] > most:
            best, most = card, VALUE[card]
    bit = 1 << best
    if bit & round.naming:
        held = [(hand >> 13 * suit & 0x1FFF).bit_count() for suit in range(4)]
        action = PLAY_NAMING[seat][bit][held.index(max(held))]
    else:
        action = PLAY[seat][bit]
    if round.tables.last_call and hand.bit_count() == 2:
        return action._replace(call=True)
    return action
