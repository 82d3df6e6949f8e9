"""Bots: what sits in an empty seat, decides from its seat's view alone and plays at one of three levels.

A bot is asked two things, each time with its seat's `View`, the round's events so far as the seat got them
(`engine.events.event_for`, a list that starts with the round's deal) and the chance it may use:

- `choose`: what to do, when the seat is asked to play, draw, pass, decline or throw;
- `claim_or_waive`: Dobon or not, when a window is open to it; None where none is.

The same arguments always give the same answer: nothing here reads a clock.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from random import Random
from typing import NamedTuple, TypeAlias

from ..actions import Action, Do
from ..events import Event
from ..state import Phase
from ..view import View
from . import easy, hard, normal
from .reactions import REACTIONS, Spread

Choose: TypeAlias = Callable[[View, Sequence[Event], Random], Action]
Claim: TypeAlias = Callable[[View, Sequence[Event], Random], Action | None]


class Level(NamedTuple):
    """How a level decides, and how long it takes."""

    choose: Choose
    claim_or_waive: Claim
    reaction: Spread


def hard_level(budget: int = hard.BUDGET) -> Level:
    """The level `hard` with about ``budget`` playouts for a decision."""
    return Level(partial(hard.choose, budget=budget), hard.claim_or_waive, REACTIONS["hard"])


def decide(level: Level, view: View, seen: Sequence[Event], rng: Random) -> Action | None:
    """The one thing a seat does next, where it may be asked for both: a Dobon, else its move, else a waiver.

    None where it is asked nothing.
    """
    claim = level.claim_or_waive(view, seen, rng)
    if claim is not None and claim.do is Do.DOBON:
        return claim
    throws = view.phase is Phase.RPS and view.you in (view.candidates or ())
    return level.choose(view, seen, rng) if view.may or throws else claim


LEVELS: dict[str, Level] = {
    "easy": Level(easy.choose, easy.claim_or_waive, REACTIONS["easy"]),
    "normal": Level(normal.choose, normal.claim_or_waive, REACTIONS["normal"]),
    "hard": hard_level(),
}

__all__ = ["LEVELS", "REACTIONS", "Choose", "Claim", "Level", "Spread", "decide", "hard_level"]
