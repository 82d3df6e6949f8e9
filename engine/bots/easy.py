"""The level `easy`: plays any card that fits, overlooks some Dobons, forgets to call now and then."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from ..actions import DRAW, PASS, THROW, Action
from ..cards import SUITS
from ..events import Event
from ..state import Phase
from ..view import View
from .reading import claim_if, holds, play, seat_of

OVERLOOKS = 0.5
"""How often a Dobon it holds is not noticed."""
FORGETS = 0.3
"""How often it does not call its last card."""
HANGS_BACK = 0.1
"""How often it draws, or lets a race go by, though a card fits."""


def choose(view: View, seen: Sequence[Event], rng: Random) -> Action:
    """What the seat does, being asked to act."""
    seat = seat_of(view)
    if view.phase is Phase.RPS:
        return rng.choice(THROW[seat])
    may = view.may or []
    if view.playable and (len(may) == 1 or rng.random() >= HANGS_BACK):
        card = rng.choice(view.playable)
        return play(view, card, rng.randrange(len(SUITS)), call=rng.random() >= FORGETS)
    return (DRAW if "draw" in may else PASS)[seat]


def claim_or_waive(view: View, seen: Sequence[Event], rng: Random) -> Action | None:
    """Its claim or waiver in the window that is open to it; None if none is."""
    noticed = rng.random() >= OVERLOOKS
    return claim_if(view, noticed and holds(view))
