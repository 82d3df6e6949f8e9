"""A player without a plan, and careless now and then, so that its matches show every kind of step.

It claims what it can nearly always, waives and times out sometimes, and sometimes tries what the rules
refuse.
"""

import random
from collections.abc import Sequence
from typing import Any

from engine.actions import THROWS, Action, Do
from engine.cards import SUITS, VALUE, Card
from engine.state import Phase
from engine.view import View


def choose(view: View, seen: Sequence[dict[str, Any]], rng: random.Random) -> Action | None:
    """An action of the seat, or None to let the time run."""
    seat = view.you
    assert seat is not None
    if rng.random() < 0.02:
        return _careless(view, seat, rng)
    if view.claim == "open":
        chance = rng.random()
        if sum(VALUE[card] for card in view.hand) == VALUE[view.top]:
            if chance < 0.9:
                return Action(seat, Do.DOBON)
        elif chance < 0.01:
            return Action(seat, Do.DOBON)
        elif chance < (0.5 if view.phase is Phase.CLAIM else 0.1):
            return Action(seat, Do.WAIVE)
    if view.phase is Phase.RPS:
        return Action(seat, Do.RPS, throw=rng.randrange(len(THROWS))) if rng.random() < 0.8 else None
    if not view.may or rng.random() < 0.02:
        return None
    others = [_MOVES[word] for word in view.may if word != "play"]
    if view.playable and (not others or rng.random() < 0.8):
        return _play(view, seat, rng.choice(view.playable), rng)
    return Action(seat, rng.choice(others))


_MOVES = {"draw": Do.DRAW, "pass": Do.PASS}


def _play(view: View, seat: int, card: Card, rng: random.Random) -> Action:
    # A suit is named with every card now and then: with most of them it is ignored.
    names = card >= 52 or rng.random() < 0.95
    suit = rng.randrange(len(SUITS)) if names else None
    return Action(seat, Do.PLAY, card, suit, call=len(view.hand) == 2 and rng.random() < 0.7)


def _careless(view: View, seat: int, rng: random.Random) -> Action:
    do = rng.choice(list(Do))
    if do is Do.PLAY:
        card = rng.choice(view.hand) if view.hand and rng.random() < 0.7 else rng.randrange(52)
        return Action(seat, do, card, rng.choice([None, *range(len(SUITS))]))
    return Action(seat, do, throw=rng.randrange(len(THROWS)) if do is Do.RPS else None)
