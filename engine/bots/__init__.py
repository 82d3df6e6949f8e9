"""Bots: what sits in an empty seat, decides from its seat's view alone and plays at one of three levels.

A bot is asked two things, each time with its seat's `View`, the round's events so far as the seat got them
(`engine.events.event_for`, a list that starts with the round's deal) and the chance it may use:

- `choose`: what to do, when the seat is asked to play, draw, pass, decline or throw;
- `claim_or_waive`: Dobon or not, when a window is open to it; None where none is.

The same arguments always give the same answer: nothing here reads a clock.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import NamedTuple, TypeAlias

from engine.actions import Action
from engine.events import Event
from engine.view import View

from . import easy, normal
from .reactions import REACTIONS, Spread

Choose: TypeAlias = Callable[[View, Sequence[Event], Random], Action]
Claim: TypeAlias = Callable[[View, Sequence[Event], Random], Action | None]


class Level(NamedTuple):
    """How a level decides, and how long it takes."""

    choose: Choose
    claim_or_waive: Claim
    reaction: Spread


LEVELS: dict[str, Level] = {
    "easy": Level(easy.choose, easy.claim_or_waive, REACTIONS["easy"]),
    "normal": Level(normal.choose, normal.claim_or_waive, REACTIONS["normal"]),
}

__all__ = ["LEVELS", "REACTIONS", "Choose", "Claim", "Level", "Spread"]
