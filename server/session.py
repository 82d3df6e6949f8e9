"""Who is connected: sessions, their tokens and names, and what was answered (protocol, sections 2, 3)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from hmac import compare_digest
from typing import TYPE_CHECKING, Final

from protocol.once import Requests
from protocol.text import name_key

from .chance import Chance
from .settings import SECOND

if TYPE_CHECKING:
    from .connection import Connection
    from .table import Table

KEPT: Final = 600 * SECOND
"""How long a session without a connection is kept at least."""


@dataclass(slots=True, eq=False)
class Session:
    """A player or spectator over all of their connections."""

    player: int
    name: str
    digest: bytes
    """SHA-256 of the token."""
    connection: Connection | None = None
    requests: Requests = field(default_factory=Requests)
    tables: dict[int, Table] = field(default_factory=dict)
    seats: int = 0
    """How many seats it has, over all tables."""
    gone_at: int | None = None
    """When its last connection ended."""
    forgetting: bool = False
    """A timer is set that ends it if nobody has come back."""
    ended: bool = False
    """It is over, and nobody comes back to it."""

    @property
    def seated(self) -> bool:
        return self.seats > 0


class Sessions:
    """All sessions of a server, by player, token and name."""

    def __init__(self, chance: Chance, first_player: int) -> None:
        self._chance = chance
        self._next = first_player
        self._players: dict[int, Session] = {}
        self._digests: dict[bytes, Session] = {}
        self._names: dict[str, Session] = {}

    def __len__(self) -> int:
        return len(self._players)

    def __iter__(self) -> Iterator[Session]:
        return iter(list(self._players.values()))

    def taken(self, name: str) -> bool:
        """Whether a session has this name, or one that looks like it."""
        return name_key(name) in self._names

    def begin(self, name: str) -> tuple[Session, str]:
        """A new session for a clean name that is free, and its token."""
        player = self._next
        self._next += 1
        token = self._chance.token(f"token/{player}")
        session = Session(player, name, _digest(token))
        self.add(session)
        return session, token

    def add(self, session: Session) -> None:
        """Take in a session, also one that a record has kept."""
        self._next = max(self._next, session.player + 1)
        self._players[session.player] = session
        self._digests[session.digest] = session
        self._names[name_key(session.name)] = session

    def find(self, token: str) -> Session | None:
        """The session with this token. Looked up by a digest: the time taken tells nothing of any token."""
        digest = _digest(token)
        session = self._digests.get(digest)
        return session if session is not None and compare_digest(session.digest, digest) else None

    def end(self, session: Session) -> None:
        """Forget a session; its name is free again."""
        session.ended = True
        del self._players[session.player]
        del self._digests[session.digest]
        del self._names[name_key(session.name)]


def _digest(token: str) -> bytes:
    return sha256(token.encode("utf-8", "surrogatepass")).digest()
