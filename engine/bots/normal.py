"""The level `normal`: the rules of thumb a regular player has.

Each card that fits gets marks: high cards are good to be rid of, cards that somebody may be waiting for are
not, wild cards and attacks are kept for who is about to go out, and what is left in hand should count
something that is likely to come. The card with most marks is played unless drawing promises more.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from ..actions import DRAW, PASS, THROW, Action, Do
from ..cards import VALUE, Card, cards_of
from ..events import Event
from ..state import Phase
from ..view import View
from .odds import LARGEST, odds_by_size
from .reading import amounts_in, claim_if, count_of, holds, play, seat_of, tables_of, unseen

OUT = 40.0
"""Marks for going out, in points of penalty like all marks."""
DRAWING = -7.0
"""Marks for taking a card instead of giving one away."""
PASSING = -3.0
WAIT = 25.0
"""Marks for being sure to be given the card one waits for."""
KEEP_WILD = 8.0
KEEP_ATTACK = 3.0
STOP = 6.0
"""Marks for an attack or a skip that hits somebody with one or two cards left."""


def choose(view: View, seen: Sequence[Event], rng: Random) -> Action:
    """What the seat does, being asked to act."""
    seat = seat_of(view)
    if view.phase is Phase.RPS:
        return rng.choice(THROW[seat])
    choices = [play(view, card) for card in view.playable or []] + without_card(view)
    marks = judge(view, choices)
    return max(zip(choices, marks, strict=True), key=lambda each: each[1] + rng.random())[0]


def claim_or_waive(view: View, seen: Sequence[Event], rng: Random) -> Action | None:
    """Its claim or waiver in the window that is open to it; None if none is."""
    return claim_if(view, holds(view))


def without_card(view: View) -> list[Action]:
    """What the seat may do instead of playing a card."""
    seat, may = seat_of(view), view.may or []
    return [DRAW[seat]] * ("draw" in may) + [PASS[seat]] * ("pass" in may)


def judge(view: View, choices: Sequence[Action]) -> list[float]:
    """The marks of each choice."""
    amounts = amounts_in(cards_of(unseen(view)))
    waited_for = waits(view, amounts)
    return [
        _marks(view, choice.card, waited_for, amounts)
        if choice.card is not None
        else DRAWING
        if choice.do is Do.DRAW
        else PASSING
        for choice in choices
    ]


def waits(view: View, amounts: tuple[int, ...]) -> list[float]:
    """For each value, how many of the others are likely to wait for it; jokers can't be claimed."""
    odds = odds_by_size(amounts, view.rules.dobon_math == "pair")
    likely = [0.0] * 14
    for seat, size in enumerate(view.sizes):
        if seat != view.you and view.rules.dobon_min <= size <= LARGEST:
            for value, chance in enumerate(odds[size]):
                likely[value] += chance
    likely[0] = 0.0
    return likely


def _marks(view: View, card: Card, waited_for: list[float], amounts: tuple[int, ...]) -> float:
    tables = tables_of(view)
    value = VALUE[card]
    penalty = view.rules.scoring == "penalty"
    left = count_of(view.hand) - value
    danger = waited_for[value] * (left + 2 * value if penalty else OUT)
    if len(view.hand) == 1:
        return OUT - danger
    marks = float(value if penalty else value / 2) - danger
    if left <= 13 and len(view.hand) > view.rules.dobon_min:
        marks += WAIT * amounts[left] / max(1, sum(amounts)) * (left > 0)
    following = view.sizes[(seat_of(view) + view.direction) % view.seats]
    hurts = tables.step[card] or tables.skips >> card & 1
    if tables.naming >> card & 1 and not view.attack:
        marks -= KEEP_WILD if len(view.hand) > 2 else 0
    elif tables.step[card] and following > 2:
        marks -= KEEP_ATTACK
    if hurts and following <= 2:
        marks += STOP
    return marks
