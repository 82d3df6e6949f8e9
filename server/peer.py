"""One connection as the core sees it: direct sends, what could not be sent yet, frames out of reads."""

from __future__ import annotations

import enum
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol

from protocol.codes import FrameError
from protocol.frame import CLIENT_LIMIT, FrameReader

from .tls_stream import TlsStream

if TYPE_CHECKING:
    import ssl

    from .transport import Link

_BLOCK: Final = 65536
"""So many bytes of the remainder are offered to the kernel at once."""
_TLS_HANDSHAKE: Final = 0x16


class State(enum.IntEnum):
    """How far a connection has come; it only ever grows."""

    OPEN = 0
    ENDING = 1  # its last frame has been read, but not handed on
    CLOSING = 2  # the core has nothing more to do with it: the remainder is sent, what comes is dropped
    GONE = 3


@dataclass(frozen=True, slots=True)
class Broken:
    """The bytes break the framing of protocol, section 1; `code` is `bad_frame` or `frame_too_large`."""

    code: str


@dataclass(frozen=True, slots=True)
class End:
    """The connection is over: `closed` by the other end, `reset`, or `late` (a frame took over 5 s)."""

    why: str


class Owner(Protocol):
    """What a peer asks of whoever owns its socket."""

    unsent: int
    """The `unsent` of all its peers."""

    def watch(self, peer: Peer) -> None:
        """There is a remainder now: call `flush` once the kernel takes more."""

    def part(self, peer: Peer) -> None:
        """The core has closed it: send the remainder, then let the connection go."""


class Peer:
    """A connected client.

    `address` is for people and logs, `session` belongs to the core, `unsent` is how many bytes the kernel has
    not taken yet. The core reads these, `tls` and `open`, and calls `send` and `close`; the rest is the
    harvester's.
    """

    __slots__ = (
        "_lost",
        "_owner",
        "_reader",
        "_remainder",
        "_tls",
        "_unread",
        "address",
        "ended",
        "last_arrival",
        "link",
        "noticed",
        "out_of_order",
        "session",
        "state",
        "unsent",
    )

    def __init__(self, owner: Owner, link: Link) -> None:
        self.address = link.address
        self.session: Any = None
        self.unsent = 0
        self.link = link
        self.state = State.OPEN
        self.ended = False  # nothing more can be read
        self.last_arrival = 0
        self.out_of_order = 0  # the kernel's count when last looked at
        self.noticed = -1  # when that count was last seen to have grown
        self._owner = owner
        self._lost = False  # something sent has not got across, and never will
        self._unread = True  # not a byte has come yet
        self._tls: TlsStream | None = None
        # Both exist only while they hold something: an idle spectator should cost little.
        self._reader: FrameReader | None = None
        self._remainder: deque[bytes] | None = None

    @property
    def tls(self) -> bool:
        """True once the client has begun with a TLS handshake."""
        return self._tls is not None

    @property
    def open(self) -> bool:
        """True until the core has closed it, or has been told that it is closed."""
        return self.state < State.CLOSING

    def send(self, data: bytes) -> None:
        """Send without waiting; never raises, and does nothing once the connection is closed.

        What the kernel does not take is kept; the core looks at `unsent` and acts on the limit.
        """
        if self.state < State.CLOSING:
            self._put(data if self._tls is None else self._tls.encrypt(data))

    def close(self) -> None:
        """End the connection after what has been sent; nothing more is heard of it."""
        if self.state < State.CLOSING:
            if self._tls is not None:
                self._put(self._tls.farewell())
            self.state = State.CLOSING
            self._reader = None
            self._owner.part(self)

    def take(self, data: bytes, context: ssl.SSLContext | None) -> list[bytes | Broken | End]:
        """What comes of bytes that were read: payloads, and what ends the stream last."""
        ending: End | None = None
        if self._unread:
            self._unread = False
            if context is not None and data[0] == _TLS_HANDSHAKE:
                self._tls = TlsStream(context)
        if self._tls is not None:
            data, over = self._tls.decrypt(data)
            self._put(self._tls.outgoing())
            ending = End("closed") if over else None
        taken = self._frames(data) if data else []
        if ending is not None and not (taken and isinstance(taken[-1], Broken)):
            taken.append(ending)
        return taken

    @property
    def partial(self) -> bool:
        """True while a started frame waits for its rest."""
        return self._reader is not None

    def flush(self) -> None:
        """Offer the remainder to the kernel again."""
        while self._remainder:
            parts = [self._remainder.popleft()]
            size = len(parts[0])
            while self._remainder and size < _BLOCK:
                parts.append(self._remainder.popleft())
                size += len(parts[-1])
            block = b"".join(parts)
            taken = self._offer(block)
            if self._remainder is None:
                return
            self._count(-taken)
            if taken < size:
                self._remainder.appendleft(block[taken:])
                return
        self._remainder = None

    def go(self) -> None:
        """Nothing is sent or read any more. What it took, of which TLS is the most, is given back at once: a
        timer may hold the peer for a while yet."""
        self.state = State.GONE
        if self.unsent:
            self.lose()
        self._tls = self._reader = self._remainder = None

    def lose(self) -> None:
        """What is unsent stays so, and as a frame may be torn nothing is sent behind it, whatever the link
        would take. What came before is still read, to its end."""
        self._lost = True
        self._count(-self.unsent)
        self._remainder = None
        with suppress(OSError):
            self.link.finish()

    def _frames(self, data: bytes) -> list[bytes | Broken | End]:
        reader = self._reader or FrameReader(CLIENT_LIMIT)
        reader.feed(data)
        taken: list[bytes | Broken | End] = []
        try:
            taken.extend(reader.frames())
        except FrameError as error:
            taken.append(Broken(error.code))
            self._reader = None
        else:
            self._reader = reader if reader.partial else None
        return taken

    def _put(self, data: bytes) -> None:
        if not data or self._lost:
            return
        if self._remainder is not None:
            self._remainder.append(data)
            self._count(len(data))
            return
        taken = self._offer(data)
        if taken < len(data):
            self._remainder = deque((data[taken:],))
            self._count(len(data) - taken)
            self._owner.watch(self)

    def _count(self, more: int) -> None:
        self.unsent += more
        self._owner.unsent += more

    def _offer(self, data: bytes) -> int:
        """How many bytes were taken, all of them where it is of no use to keep any."""
        try:
            return self.link.send(data)
        except BlockingIOError:
            return 0
        except OSError:
            self.lose()
            return len(data)
