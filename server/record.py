"""The one seam between the tables and whatever keeps what happened.

Everything that must outlive the process is noted here as one of the entries below, in the order in which it
was decided. A record that writes lags behind: what a step says is then withheld by the `Gate` until
the record has written all that was noted before it. Moments in entries are ns since the table was made.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from engine.actions import Action

if TYPE_CHECKING:
    from .peer import Peer


@dataclass(frozen=True, slots=True)
class SessionKept:
    """A session began, or a request of it was decided. ``requests`` is `once.Requests.to_data`."""

    player: int
    name: str
    digest: bytes
    """SHA-256 of the token; the token itself is nowhere kept."""
    requests: dict[str, Any]


@dataclass(frozen=True, slots=True)
class SessionEnded:
    player: int


@dataclass(frozen=True, slots=True)
class TableKept:
    """What a table is: after it was made, and after its rules or settings were changed."""

    table: int
    born: int
    """On the server's clock, ns."""
    data: dict[str, Any]


@dataclass(frozen=True, slots=True)
class StepKept:
    """How a table stands after a step that changed something, as `standing.pack` writes it."""

    table: int
    moment: int
    standing: bytes


@dataclass(frozen=True, slots=True)
class TableClosed:
    table: int
    why: str


@dataclass(frozen=True, slots=True)
class MatchBegun:
    table: int
    match: int
    rules: dict[str, Any]
    settings: dict[str, int]
    seats: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class SecretDrawn:
    """A round's secret, noted before its commit is published."""

    table: int
    match: int
    round: int
    secret: bytes
    commit: bytes


@dataclass(frozen=True, slots=True)
class RoundDealt:
    table: int
    match: int
    round: int
    seed: bytes
    nonces: list[bytes | None]


@dataclass(frozen=True, slots=True)
class Decided:
    """An input that reached the engine. ``action`` None is the time running out.

    ``code`` is the engine's refusal, None where it was done.
    """

    table: int
    match: int
    round: int
    action: Action | None
    arrival: int
    effect: int
    code: str | None


@dataclass(frozen=True, slots=True)
class WindowKept:
    """The window of the `played` numbered ``seq`` was opened (None) or closed."""

    table: int
    match: int
    seq: int
    closed: int | None


@dataclass(frozen=True, slots=True)
class RoundEnded:
    """A round's `round_over`, as everybody was told."""

    table: int
    match: int
    round: int
    fields: dict[str, Any]


@dataclass(frozen=True, slots=True)
class MatchOver:
    table: int
    match: int
    ranking: list[dict[str, Any]]


Entry = (
    SessionKept
    | SessionEnded
    | TableKept
    | StepKept
    | TableClosed
    | MatchBegun
    | SecretDrawn
    | RoundDealt
    | Decided
    | WindowKept
    | RoundEnded
    | MatchOver
)


class Record(Protocol):
    """What keeps entries. Nothing here may block or raise."""

    keeps: bool
    """False: entries are dropped, and the costly ones need not be made."""
    stuck: bool
    """Nothing can be written at present. What was noted waits; till then no more should happen."""
    roomy: bool
    """There is room to write down a whole match more."""

    def first_ids(self) -> tuple[int, int, int]:
        """The first table, match and player id that was never used on this data."""

    def note(self, entry: Entry) -> int:
        """Take an entry; the number of entries taken so far."""

    def written(self) -> int:
        """How many entries are safe."""


class NoRecord:
    """Keeps nothing, and is done with it at once."""

    keeps = False
    stuck = False
    roomy = True

    def first_ids(self) -> tuple[int, int, int]:
        return 1, 1, 1

    def note(self, entry: Entry) -> int:
        return 0

    def written(self) -> int:
        return 0


class Gate:
    """What is said passes here: straight on while everything noted is safe, else in order once it is."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self._noted = 0
        self._waiting: deque[tuple[int, Peer, bytes | Callable[[], None]]] = deque()

    @property
    def keeps(self) -> bool:
        return self._record.keeps

    @property
    def stuck(self) -> bool:
        return self._record.stuck

    @property
    def roomy(self) -> bool:
        return self._record.roomy and not self._record.stuck

    @property
    def noted(self) -> int:
        """How many entries were noted so far."""
        return self._noted

    @property
    def written(self) -> int:
        """How many of them are safe."""
        return self._record.written()

    @property
    def waiting(self) -> bool:
        """Whether anything that was said is still withheld."""
        return bool(self._waiting)

    def note(self, entry: Entry) -> None:
        self._noted = self._record.note(entry)

    def send(self, peer: Peer, data: bytes) -> None:
        """Send once everything noted so far is safe, after what was sent before."""
        if not self._waiting and self._noted <= self._record.written():
            peer.send(data)
        else:
            self._waiting.append((self._noted, peer, data))

    def after(self, peer: Peer, do: Callable[[], None]) -> None:
        """Do something with a connection, such as ending it, in its place among what is sent."""
        if not self._waiting and self._noted <= self._record.written():
            do()
        else:
            self._waiting.append((self._noted, peer, do))

    def release(self) -> None:
        """Let go of what has become safe; to be called when `Record.written` has grown.

        What one connection gets goes in one piece: at a table where many talk it is many times fewer calls.
        """
        written = self._record.written()
        said: dict[Peer, list[bytes]] = {}
        while self._waiting and self._waiting[0][0] <= written:
            _, peer, what = self._waiting.popleft()
            if isinstance(what, bytes):
                said.setdefault(peer, []).append(what)
            else:
                if peer in said:
                    peer.send(b"".join(said.pop(peer)))
                what()
        for peer, parts in said.items():
            peer.send(b"".join(parts))
