"""What a seat can do in a round, as values; and as the plain data that cases and traces hold."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Any, NamedTuple

from .cards import CARDS, SUIT_INDEX, SUITS, Card, parse_card
from .rules import MAX_SEATS

THROWS = ("rock", "paper", "scissors")


class Do(IntEnum):
    """The kinds of action; in the opening race `PASS` declines."""

    PLAY = 0
    DRAW = 1
    PASS = 2
    DOBON = 3
    WAIVE = 4
    RPS = 5

    @property
    def word(self) -> str:
        return self.name.lower()


class Action(NamedTuple):
    """One seat's action. ``suit`` and ``throw`` are indices into ``SUITS`` and ``THROWS``."""

    seat: int
    do: Do
    card: Card | None = None
    suit: int | None = None
    call: bool = False
    throw: int | None = None


def action_from_data(data: Mapping[str, Any]) -> Action:
    """The action of a step, ``{"seat": 1, "do": "play", "card": "7H"}``; ``ValueError`` if it is none."""
    try:
        do = Do[data["do"].upper()]
        card = parse_card(data["card"]) if do is Do.PLAY else None
        suit = SUIT_INDEX[data["suit"]] if data.get("suit") is not None else None
        throw = THROWS.index(data["throw"]) if do is Do.RPS else None
        seat, call = data["seat"], data.get("call", False)
    except (KeyError, AttributeError, TypeError) as fault:
        raise ValueError(f"{data!r} is no action: {fault!r}") from None
    if type(seat) is not int or not 0 <= seat < MAX_SEATS or type(call) is not bool:
        raise ValueError(f"{data!r} is no action: a seat is a number, a call true or false")
    return Action(seat, do, card, suit, call, throw)


def action_to_data(action: Action) -> dict[str, Any]:
    """A step's data for an action; what it does not name is left out."""
    data: dict[str, Any] = {"seat": action.seat, "do": action.do.word}
    if action.card is not None:
        data["card"] = CARDS[action.card]
    if action.suit is not None:
        data["suit"] = SUITS[action.suit]
    if action.call:
        data["call"] = True
    if action.throw is not None:
        data["throw"] = THROWS[action.throw]
    return data


# Made once: a round lists its legal actions from these, so listing them builds nothing. Plays are found by
# the card's bit, as they come out of a set of cards; those that name a suit are lists of four.
PLAY = [{1 << card: Action(seat, Do.PLAY, card) for card in range(len(CARDS))} for seat in range(MAX_SEATS)]
PLAY_NAMING = [
    {
        1 << card: [Action(seat, Do.PLAY, card, suit) for suit in range(len(SUITS))]
        for card in range(len(CARDS))
    }
    for seat in range(MAX_SEATS)
]
DRAW, PASS, DOBON, WAIVE = (
    [Action(seat, do) for seat in range(MAX_SEATS)] for do in (Do.DRAW, Do.PASS, Do.DOBON, Do.WAIVE)
)
THROW = [[Action(seat, Do.RPS, throw=throw) for throw in range(len(THROWS))] for seat in range(MAX_SEATS)]
