"""Where bytes come from and go to: the few calls the harvester needs, over the machine's TCP.

`memory.Network` is the twin of `SocketTransport` over memory and virtual time. Times are int nanoseconds:
`now` of a monotonic clock, `stamp` of the wall clock, `offset` the wall clock minus the monotonic one.
"""

from __future__ import annotations

import contextlib
import errno
import socket
import sys
import time
from typing import Final, Literal, NamedTuple, Protocol

import trio

from .readiness import READ, Readiness, open_readiness
from .stamps import enable_stamps, read_stamped, stamps_work

Clock = Literal["kernel", "read"]

READ_SIZE: Final = 65536
"""The most that one connection gives in one harvest; the rest waits for the next, so that all get a turn."""
_SEND_BUFFER: Final = 131072
"""What the kernel keeps for a client that does not read, before it counts as unsent here."""
_BACKLOG: Final = 1024
_LOOK: Final = 0.005
"""Seconds between two looks where the system has nothing to wait on (Windows)."""
_NO_ROOM: Final = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})


class NoRoom(Exception):
    """The system has no descriptor or memory for another connection now."""


class Received(NamedTuple):
    """One read. `stamp` is its last segment's; `out_of_order` counts all the segments that ever came so."""

    data: bytes
    stamp: int | None
    out_of_order: int


class Link(Protocol):
    """One connection's bytes. A call that has to wait raises BlockingIOError, a dead connection OSError."""

    address: str

    def recv(self) -> Received:
        """Up to READ_SIZE bytes; empty ones at the end of the stream."""

    def send(self, data: bytes) -> int:
        """How many of the bytes were taken."""

    def finish(self) -> None:
        """Tell the other end that nothing more will be sent."""


class Listener(Protocol):
    """Where connections come in."""

    def accept(self) -> Link:
        """The next connection; BlockingIOError if there is none, NoRoom if it can't be had now."""


class Transport(Protocol):
    """The harvester's surroundings."""

    clock: Clock

    def now(self) -> int:
        """The monotonic clock."""

    def offset(self) -> int:
        """The wall clock minus the monotonic clock, as of now."""

    def add(self, source: Link | Listener) -> None:
        """Watch for what can be read."""

    def watch(self, source: Link | Listener, events: int) -> None:
        """Watch for `events` from now on: READ, WRITE, both or 0."""

    def drop(self, source: Link | Listener) -> None:
        """Close."""

    def ready(self) -> list[tuple[Link | Listener, int]]:
        """Look, without waiting: what is ready, and for what."""

    async def wait(self, until: int | None) -> None:
        """Return when something is ready, or at the moment `until`."""

    async def pause(self) -> None:
        """Let other tasks run, for less time than the kernel's stamps may be late."""


class SocketLink:
    """A TCP connection."""

    __slots__ = ("_stamped", "address", "sock")

    def __init__(self, sock: socket.socket, address: str, stamped: bool) -> None:
        self.sock = sock
        self.address = address
        self._stamped = stamped

    def recv(self) -> Received:
        if self._stamped:
            return Received(*read_stamped(self.sock, READ_SIZE))
        return Received(self.sock.recv(READ_SIZE), None, 0)

    def send(self, data: bytes) -> int:
        return self.sock.send(data)

    def finish(self) -> None:
        self.sock.shutdown(socket.SHUT_WR)


class SocketListener:
    """A listening socket; `host` and `port` are where."""

    __slots__ = ("_stamped", "host", "port", "sock")

    def __init__(self, sock: socket.socket, stamped: bool) -> None:
        self.sock = sock
        self.host, self.port = sock.getsockname()[:2]
        self._stamped = stamped

    def accept(self) -> SocketLink:
        try:
            sock, name = self.sock.accept()
        except BlockingIOError:
            raise
        except OSError as error:
            if error.errno in _NO_ROOM:
                raise NoRoom(error.strerror) from None
            # That connection died in the queue; the next look finds the others.
            raise BlockingIOError from None
        sock.setblocking(False)
        with contextlib.suppress(OSError):
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        host = f"[{name[0]}]" if ":" in name[0] else name[0]
        return SocketLink(sock, f"{host}:{name[1]}", self._stamped)


class SocketTransport:
    """The machine's TCP. `arrival="read"` does without kernel stamps; else they are used where they work."""

    def __init__(self, arrival: Clock | None = None, readiness: Readiness | None = None) -> None:
        self.clock: Clock = "kernel" if arrival != "read" and stamps_work() else "read"
        self._readiness = readiness or open_readiness()

    def listen(self, host: str | None, port: int) -> list[SocketListener]:
        """Listening sockets for every address of `host`, None being all of the machine's; port 0 finds one.

        Raises OSError if an address can't be had.
        """
        listeners: list[SocketListener] = []
        try:
            for family, kind, _, _, address in _addresses(host, port):
                at = (address[0], listeners[0].port, *address[2:]) if listeners and not port else address
                listeners.append(self._open(family, kind, at))
        except OSError:
            for listener in listeners:
                listener.sock.close()
            raise
        return listeners

    def now(self) -> int:
        return time.monotonic_ns()

    def offset(self) -> int:
        best = offset = 0
        for attempt in range(4):
            before = time.monotonic_ns()
            wall = time.time_ns()
            after = time.monotonic_ns()
            if attempt == 0 or after - before < best:
                best, offset = after - before, wall - (before + after) // 2
            # A processor taken away between the calls would shift every stamp of the harvest.
            if best < 2_000:
                break
        return offset

    def add(self, source: Link | Listener) -> None:
        self._readiness.watch(_sock(source), source, READ)

    def watch(self, source: Link | Listener, events: int) -> None:
        self._readiness.watch(_sock(source), source, events)

    def drop(self, source: Link | Listener) -> None:
        sock = _sock(source)
        self._readiness.watch(sock, source, 0)
        sock.close()

    def ready(self) -> list[tuple[Link | Listener, int]]:
        return self._readiness.look()

    async def wait(self, until: int | None) -> None:
        descriptor = self._readiness.descriptor
        seconds = float("inf") if until is None else max(0, until - self.now()) / 1e9
        if descriptor is None:
            await trio.sleep(min(seconds, _LOOK))
            return
        with trio.move_on_after(seconds):
            await trio.lowlevel.wait_readable(descriptor)

    async def pause(self) -> None:
        await trio.lowlevel.checkpoint()

    def close(self) -> None:
        """Give the readiness back; every link and listener has been dropped before."""
        self._readiness.close()

    def _open(self, family: int, kind: int, address: tuple[str, int]) -> SocketListener:
        sock = socket.socket(family, kind)
        try:
            sock.setblocking(False)
            if sys.platform != "win32":  # there it would let another program take the port over
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            # Both are inherited by what is accepted, so that the very first bytes are stamped.
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER)
            if self.clock == "kernel":
                enable_stamps(sock)
            sock.bind(address)
            sock.listen(_BACKLOG)
        except OSError:
            sock.close()
            raise
        return SocketListener(sock, self.clock == "kernel")


def _sock(source: Link | Listener) -> socket.socket:
    assert isinstance(source, SocketLink | SocketListener)
    return source.sock


def _addresses(host: str | None, port: int) -> list[tuple[int, int, int, str, tuple[str, int]]]:
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    if host is not None:
        return found  # type: ignore[return-value]
    usable = []
    for entry in found:
        with contextlib.suppress(OSError), socket.socket(entry[0], entry[1]):
            usable.append(entry)
    return usable  # type: ignore[return-value]
