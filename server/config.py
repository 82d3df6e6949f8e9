"""What a server is started with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from protocol.joincode import DEFAULT_PORT

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
    require_tls: bool = False
    most_connections: int = 4000
    most_sessions: int = 10_000
    most_tables: int = 500
