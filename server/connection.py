"""One connection as the core knows it: what it may say when, how much, and whether it still lives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from protocol.connection import ServerConnection
from protocol.frame import encode_frame, pad_frame
from protocol.heartbeat import Heartbeat

from .settings import SECOND

if TYPE_CHECKING:
    from .peer import Peer
    from .record import Gate
    from .session import Session

HELLO_TIME: Final = 5 * SECOND
HEARTBEAT: Final = 10 * SECOND
RATE: Final = 20
"""Requests in a second."""
BURST: Final = 40
REFUSED_IN_A_ROW: Final = 200
UNSENT: Final = 256 * 1024
"""Most bytes that a connection may leave unsent."""


class Connection:
    """A peer, the conversation with it, and once it has said hello its session."""

    __slots__ = ("_full_at", "beat", "ended", "gate", "peer", "refused", "session", "talk", "welcomed")

    def __init__(self, peer: Peer, gate: Gate, now: int) -> None:
        self.peer = peer
        self.gate = gate
        self.talk = ServerConnection()
        self.session: Session | None = None
        self.welcomed = False
        """The welcome has gone out, and was not only said: before it nothing may come."""
        self.beat = Heartbeat(HEARTBEAT, now)
        self.refused = 0
        self.ended = False
        """Nothing is heard of it any more, though its last words may still be withheld."""
        self._full_at = 0
        """When its allowance of requests is whole again."""

    def allow(self, arrival: int) -> bool:
        """Whether another request may be done; counts those refused in a row."""
        each = SECOND // RATE
        full_at = max(self._full_at, arrival) + each
        if full_at - arrival > BURST * each:
            self.refused += 1
            return False
        self._full_at = full_at
        self.refused = 0
        return True

    def new(self, request: int) -> bool:
        """Whether no request with this id has arrived."""
        return self.session is not None and request > self.session.requests.last

    def say(self, message: Mapping[str, Any]) -> None:
        self.send(encode_frame(message))

    def send(self, frame: bytes) -> None:
        """One frame, padded under TLS."""
        self.gate.send(self.peer, pad_frame(frame) if self.peer.tls else frame)

    def welcome(self, message: Mapping[str, Any]) -> None:
        """Say that its session has begun, once that is so."""
        self.say(message)
        self.gate.after(self.peer, self._begin)

    def _begin(self) -> None:
        self.welcomed = True

    def say_at_once(self, message: Mapping[str, Any]) -> None:
        """Past what is withheld: for what has to do with nothing that was decided."""
        frame = encode_frame(message)
        self.peer.send(pad_frame(frame) if self.peer.tls else frame)

    def end(self, code: str | None = None, message: str = "", **fields: Any) -> None:
        """Say why, if there is something to say, and close: behind what is withheld, but not while nothing
        can be written, as nobody knows how long that takes."""
        self.ended = True
        last = None if code is None else {"t": "error", "code": code, "message": message, **fields}
        if self.gate.stuck:
            if last is not None:
                self.say_at_once(last)
            self.peer.close()
            return
        if last is not None:
            self.say(last)
        self.gate.after(self.peer, self.peer.close)
