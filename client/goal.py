"""What a player came for: which server, under which name, and what to do there first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from protocol.joincode import Address
from protocol.messages import Create


@dataclass(frozen=True, slots=True)
class Goal:
    """What `dobon join`, `watch` and `play` hand to a front end.

    `addresses` are the meanings of what was typed, likeliest first; `where` is what was typed, for people.
    With `named` the player chose the name; otherwise another may be taken if somebody has it. `table` is
    joined, or with `watching` watched; `create` is a table to be made, and its match begun at once.
    `password` is the server's and the table's.
    """

    addresses: Sequence[Address]
    where: str
    name: str
    named: bool = True
    watching: bool = False
    table: int | None = None
    create: Create | None = None
    password: str | None = None
    keep: bool = True
    """Whether to keep the session's token, and the server's certificate, for the next start: not for a server
    of one's own."""
    fingerprint: str | None = None
    """What the network announces of the server's certificate."""
