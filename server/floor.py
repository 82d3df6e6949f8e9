"""What the tables of a server stand on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .bot_seat import Thinker
    from .chance import Chance
    from .limits import Allowance, Limits
    from .record import Gate
    from .session import Session
    from .table import Table


@dataclass(frozen=True, slots=True)
class Floor:
    """What all tables of a server have in common."""

    gate: Gate
    chance: Chance
    thinker: Thinker
    clock: Callable[[], int]
    matches: Iterator[int]
    """Numbers for matches, none of them ever used."""
    slow: Callable[[Session], None]
    """A player's connection has too much unsent."""
    changed: Callable[[Table], None]
    """The table's next moment may have become another, or the table is closed."""
    limits: Limits
    guesses: Allowance
    """Of wrong passwords."""
    locks: Allowance
    """Of tables with a password."""
