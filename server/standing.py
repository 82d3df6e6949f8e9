"""How a table stands, as plain data; `restore` makes a table again from it.

Cards are not in it: a round is its seed and its inputs, and is played again. Moments are ns since the table
was made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

import msgpack  # type: ignore[import-untyped]

from .seats import Seat

if TYPE_CHECKING:
    from engine.actions import Action

    from .table import Table

FORM: Final = 1
"""Grows when what is written here can no longer be read by what reads it."""
SEAT: Final = tuple(each.name for each in fields(Seat) if each.name not in ("index", "away_due"))
"""What is written of a seat, in this order."""
_seat: Final[Callable[[Seat], tuple[Any, ...]]] = attrgetter(*SEAT)


class Unreadable(Exception):
    """A record can't be read; the text says in a few words why."""


@dataclass(frozen=True, slots=True)
class RoundKept:
    """A round as a record has it."""

    seed: bytes
    nonces: list[bytes | None]
    taken: Sequence[Action | None]
    """The actions that were taken, in their order; None where the time ran out."""
    last: int
    """When the last input was decided, ns since the table was made."""
    result: dict[str, Any] | None
    """Its `round_over`."""


@dataclass(frozen=True, slots=True)
class MatchKept:
    """The match that a table plays, or played last."""

    number: int
    rules: dict[str, Any]
    settings: dict[str, int]
    rounds: Sequence[RoundKept]
    windows: Mapping[int, int | None]


@dataclass(frozen=True, slots=True)
class Kept:
    """A table as a record has it. ``age`` is how long ago it was made, by the wall clock."""

    number: int
    age: int
    stood: int
    data: dict[str, Any]
    standing: dict[str, Any]
    match: MatchKept | None


def pack(data: object) -> bytes:
    """Plain data as bytes; the same data makes the same bytes."""
    packed: bytes = msgpack.packb(data)
    return packed


def unpack(data: bytes) -> Any:
    """What `pack` made. Raises `Unreadable`."""
    try:
        return msgpack.unpackb(data, strict_map_key=False)
    except (ValueError, msgpack.UnpackException, RecursionError) as error:
        raise Unreadable(f"no msgpack: {error}") from None


def table_data(table: Table) -> dict[str, Any]:
    """What seldom changes of a table."""
    password = table.password
    return {
        "form": FORM,
        "name": table.name,
        "rules": table.rules.to_data(),
        "preset": table.preset,
        "settings": table.settings.to_data(),
        "seats": len(table.seats),
        "password": None if password is None else [password.salt, password.slow],
    }


def standing_of(table: Table) -> dict[str, Any]:
    """What a step may change of a table."""
    game = table.game
    return {
        "seq": table.broadcast.seq,
        "host": table.host,
        "arrivals": table.arrivals,
        "series": table.series.to_data(),
        "seats": [_seat(seat) for seat in table.seats],
        "members": [[m.session.player, m.seat, m.since] for m in table.broadcast.members.values()],
        "match": None if game is None else game.number,
        "game": None if game is None else game.to_data(),
    }
