"""What a server is started with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from protocol.joincode import DEFAULT_PORT

from .limits import Limits

SERVER: Final = "dobon/0.1"
"""What `welcome.server` says."""


@dataclass(frozen=True, slots=True)
class Config:
    """Everything that flags, environment and files decide."""

    host: str | None = None
    """None: every address of the machine."""
    port: int = DEFAULT_PORT
    name: str = "Dobon"
    password: str | None = None
    seed: bytes | None = None
    arrival: str = "kernel"
    """`kernel` where it works, or `read`."""
    data: str | None = None
    discovery: bool = True
    alone: bool = False
    """For one player, and as long as that one plays."""
    lifeline: bool = False
    """Whether the end of standard input ends the server."""
    require_tls: bool = False
    limits: Limits = field(default_factory=Limits)
    admin: bool = True
    """Whether `dobon admin` finds a door in the data folder."""
    metrics: tuple[str, int] | None = None
    """The address of the second listener."""
