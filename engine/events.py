"""What happens in a round, one class for each kind of event (rules, section 11; protocol, section 4).

A round tells its events in full information. `event_data` writes one as plain data; given a viewer it
shows them what they may see: of cards dealt or drawn, their own. Everything else in an event is public.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Final, TypeAlias, get_args

from .actions import THROWS
from .cards import CARDS, SUITS, Card, rank_text


@dataclass(slots=True)
class Attack:
    """A pending attack: its rank index and the cards it now makes its victim draw."""

    rank: int
    draw: int


@dataclass(slots=True)
class ClaimMade:
    """One claim of a finished contest; ``order`` counts from 1."""

    seat: int
    order: int
    counter: bool


@dataclass(slots=True)
class RoundBegun:
    ev: ClassVar = "round"
    round: int
    starter: int
    top: Card
    under: tuple[Card, ...]
    hands: tuple[tuple[Card, ...], ...]
    counts: tuple[int, ...]
    stock: int


@dataclass(slots=True)
class Opening:
    ev: ClassVar = "opening"


@dataclass(slots=True)
class Turned:
    ev: ClassVar = "turned"
    top: Card
    stock: int


@dataclass(slots=True)
class DirectionRace:
    ev: ClassVar = "direction_race"
    candidates: tuple[int, int]


@dataclass(slots=True)
class RpsAsked:
    ev: ClassVar = "rps"
    seats: tuple[int, int]
    attempt: int


@dataclass(slots=True)
class Thrown:
    ev: ClassVar = "thrown"
    throws: tuple[int, int]


@dataclass(slots=True)
class DirectionSet:
    ev: ClassVar = "direction"
    direction: int
    by: str


@dataclass(slots=True)
class TurnBegun:
    ev: ClassVar = "turn"
    turn: int
    seat: int
    direction: int
    suit: int
    attack: Attack | None


@dataclass(slots=True)
class Played:
    ev: ClassVar = "played"
    seat: int
    card: Card
    suit: int
    discard: int
    left: int


@dataclass(slots=True)
class Drew:
    ev: ClassVar = "drew"
    seat: int
    count: int
    cards: tuple[Card, ...]
    why: str
    stock: int
    left: int


@dataclass(slots=True)
class Passed:
    ev: ClassVar = "passed"
    seat: int


@dataclass(slots=True)
class Skipped:
    ev: ClassVar = "skipped"
    seat: int


@dataclass(slots=True)
class TimedOut:
    ev: ClassVar = "timed_out"
    seat: int


@dataclass(slots=True)
class Reshuffled:
    ev: ClassVar = "reshuffled"
    stock: int


@dataclass(slots=True)
class Claimed:
    ev: ClassVar = "claimed"
    seat: int
    discard: int
    order: int
    against: int
    counter: bool


@dataclass(slots=True)
class FalseClaim:
    ev: ClassVar = "false_claim"
    seat: int
    discard: int


@dataclass(slots=True)
class RoundOver:
    ev: ClassVar = "round_over"
    why: str
    winners: tuple[int, ...]
    losers: tuple[int, ...]
    card: Card | None
    claims: tuple[ClaimMade, ...]
    hands: tuple[tuple[Card, ...], ...]
    points: tuple[int, ...]
    totals: tuple[int, ...]


Event: TypeAlias = (
    RoundBegun
    | Opening
    | Turned
    | DirectionRace
    | RpsAsked
    | Thrown
    | DirectionSet
    | TurnBegun
    | Played
    | Drew
    | Passed
    | Skipped
    | TimedOut
    | Reshuffled
    | Claimed
    | FalseClaim
    | RoundOver
)

EVERYTHING: Final = -1
"""The viewer of `event_data` who sees all: a record's reader."""


def event_data(event: Event, viewer: int | None = EVERYTHING) -> dict[str, Any]:
    """An event as plain data, keys and texts as in the protocol.

    ``viewer`` is a seat, None for a spectator, or `EVERYTHING`. Cards a viewer may not see are None.
    """
    data: dict[str, Any] = {"ev": event.ev}
    for name, key, write in _WRITERS[type(event)]:
        value = getattr(event, name)
        data[key] = value if write is None else write(value)
    if viewer != EVERYTHING:
        if isinstance(event, RoundBegun):
            data["hands"] = [hand if seat == viewer else None for seat, hand in enumerate(data["hands"])]
        elif isinstance(event, Drew) and event.seat != viewer:
            data["cards"] = None
    return data


def event_for(event: Event, viewer: int | None) -> Event:
    """An event as ``viewer`` gets it, a seat or None for a spectator: cards they may not see are ``()``."""
    if isinstance(event, RoundBegun):
        return replace(event, hands=tuple(h if seat == viewer else () for seat, h in enumerate(event.hands)))
    if isinstance(event, Drew) and event.seat != viewer:
        return replace(event, cards=())
    return event


def cards_data(cards: tuple[Card, ...] | list[Card]) -> list[str]:
    """Cards as their texts, in the order given."""
    return [CARDS[card] for card in cards]


def attack_data(attack: Attack | None) -> dict[str, Any] | None:
    """A pending attack as the protocol shows it."""
    return None if attack is None else {"rank": rank_text(attack.rank), "draw": attack.draw}


def claims_data(claims: tuple[ClaimMade, ...]) -> list[dict[str, Any]]:
    """The claims of a round as the protocol shows them, without the lag that only a table knows."""
    return [{"seat": claim.seat, "order": claim.order, "counter": claim.counter} for claim in claims]


def _card_data(card: Card | None) -> str | None:
    return None if card is None else CARDS[card]


_WRITE: dict[str, Callable[[Any], Any]] = {
    "card": _card_data,
    "top": _card_data,
    "cards": cards_data,
    "under": cards_data,
    "hands": lambda hands: [cards_data(hand) for hand in hands],
    "suit": lambda suit: SUITS[suit],
    "attack": attack_data,
    "claims": claims_data,
    "throws": lambda throws: [THROWS[throw] for throw in throws],
    **dict.fromkeys(("counts", "candidates", "seats", "winners", "losers", "points", "totals"), list),
}


_KEYS = {"attempt": "try"}

_WRITERS: dict[type[Any], list[tuple[str, str, Callable[[Any], Any] | None]]] = {
    kind: [(each.name, _KEYS.get(each.name, each.name), _WRITE.get(each.name)) for each in fields(kind)]
    for kind in get_args(Event)
}
"""For each field of each event: its name, its key in data, and how its value is written."""
