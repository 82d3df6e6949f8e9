"""The kinds of values that messages are made of, and the small maps inside them.

Every check of a single field stands here once. Conversion is strict: a bool is no int, 1.0 is no int,
text is no bin.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, TypeVar

import msgspec
from msgspec import Meta, Struct

Ident = Annotated[int, Meta(ge=1)]
"""An id that counts from 1: a request, table, match, player, round, turn, discard, or an event's seq."""
Count = Annotated[int, Meta(ge=0)]
"""How many of something, a time in ms on the table's clock, or a span in ms or µs."""
SeatNumber = Annotated[int, Meta(ge=0, le=7)]
Pair = Annotated[list[SeatNumber], Meta(min_length=2, max_length=2)]
"""Two seats, that of direction +1 first."""
CardText = Annotated[str, Meta(pattern=r"\A(?:[A2-9TJQK][SHDC]|X[12])\Z")]
"""A card of rules, section 1: rank then suit, or a joker."""
Suit = Literal["S", "H", "D", "C"]
AttackRank = Literal["A", "2", "3", "4", "5", "6", "7", "8", "9", "T", "J", "Q", "K", "X"]
"""`X` for a joker."""
Throw = Literal["rock", "paper", "scissors"]
Level = Literal["easy", "normal", "hard"]
Kind = Literal["human", "bot", "empty"]
Status = Literal["online", "away", "autopilot", "left"]
Phase = Literal["open", "opening", "direction", "rps", "turn", "claim", "between", "over"]
Direction = Literal[1, -1]
Doing = Literal["play", "draw", "pass"]
Digest = Annotated[bytes, Meta(min_length=32, max_length=32)]
"""A commit, secret or seed."""
Nonce = Annotated[bytes, Meta(max_length=32)]
Cards = list[CardText]
Plain = dict[str, Any]
"""Rules or settings as plain data; whoever owns the rules checks them and names the field."""
Milliseconds = Annotated[list[Count], Meta(min_length=2, max_length=2)]
"""A least and a greatest time in ms."""


class Attack(Struct, frozen=True, kw_only=True):
    """A pending attack: its rank, and how many cards it now makes its victim draw."""

    rank: AttackRank
    draw: Count


class Claim(Struct, frozen=True, kw_only=True):
    """One claim of a contest; `lag` is µs after the first claim arrived."""

    seat: SeatNumber
    order: Ident
    counter: bool
    lag: int


class TableSeat(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One seat in the list of tables."""

    seat: SeatNumber
    name: str | None = None
    kind: Kind
    level: Level | None = None


class TableInfo(Struct, frozen=True, kw_only=True):
    """One table in the list of tables."""

    table: Ident
    name: str
    preset: str | None
    phase: Literal["open", "playing", "over"]
    seats: list[TableSeat]
    spectators: Count
    password: bool


class MatchSeat(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Who sits where as a match begins."""

    name: str
    kind: Kind
    level: Level | None = None


class Standing(Struct, frozen=True, kw_only=True):
    """One line of a match's ranking; `rank` counts from 1 and equal totals share one."""

    seat: SeatNumber
    rank: Ident
    total: int


class Series(Struct, frozen=True, kw_only=True):
    """What one player reached over the matches of a table."""

    name: str
    matches: Count
    firsts: Count
    total_rank: Count


class Limits(Struct, frozen=True, kw_only=True):
    """What the server allows a client: bytes of a frame, requests a second and in a burst, bytes unsent,
    columns of a name, characters of a chat line."""

    frame: Ident
    rate: Ident
    burst: Ident
    unsent: Ident
    name: Ident
    chat: Ident


class Misfit(Exception):
    """Data that does not fit its type: `field` is the top-level key, or None if the whole is no map."""

    def __init__(self, field: str | None, message: str) -> None:
        super().__init__(message)
        self.field = field
        self.message = message


S = TypeVar("S", bound=Struct)

_IN_FIELD: Final = " - at `$."
_PATTERN: Final = "matching regex"
_MISSING: Final = "Object missing required field `"


def fit(data: Mapping[str, Any], kind: type[S]) -> S:
    """`data` as a `kind`; keys that it does not have are ignored. Raises Misfit."""
    try:
        return msgspec.convert(data, kind, strict=True, builtin_types=(bytes,))
    except msgspec.ValidationError as error:
        text = str(error)
    if _IN_FIELD in text:
        what, path = text.rsplit(_IN_FIELD, 1)
        field = path.rstrip("`").split(".")[0].split("[")[0]
        if what.startswith(_MISSING):
            what = "a key is missing"
        elif _PATTERN in what:
            what = "no such card"
        raise Misfit(field, f"{field}: {what}")
    if text.startswith(_MISSING):
        field = text[len(_MISSING) :].split("`")[0]
        raise Misfit(field, f"{field} is missing")
    raise Misfit(None, text)


def plain(message: Struct) -> dict[str, Any]:
    """A message as the plain map that `encode_frame` takes."""
    data: dict[str, Any] = msgspec.to_builtins(message, builtin_types=(bytes,))
    return data
