"""The twin of the machine's TCP for tests: connections in memory, on trio's clock, which may be virtual.

A client end says for each piece of bytes when it arrives (its stamp) and from when on it can be read, so that
stalls, late reads and segments out of order are written down instead of waited for. Given the same calls, all
that happens is the same. Times are int nanoseconds since the network was made.
"""

from __future__ import annotations

import errno
from collections import deque
from dataclasses import dataclass
from typing import Final

import trio

from .readiness import READ, WRITE
from .transport import READ_SIZE, Clock, Link, Listener, NoRoom, Received

LOOK: Final = 20_000
"""What another look costs while frames are held: on a clock that stands still they would wait for ever."""
WINDOW: Final = 65536
"""How many bytes the network keeps for a client that does not read."""
_WALL: Final = 1_700_000_000_000_000_000


@dataclass(slots=True)
class _Segment:
    arrival: int
    readable: int
    data: bytes
    ending: bool = False  # nothing follows
    reset: bool = False


class Client:
    """A client's end. `window` may be changed at any time."""

    def __init__(self, network: Network, address: str) -> None:
        self.window = WINDOW
        self._network = network
        self._link = MemoryLink(network, self, address)
        self._received = bytearray()
        self._over = False
        self._changed = trio.Event()

    def send(
        self,
        data: bytes,
        arrival: int | None = None,
        readable: int | None = None,
        out_of_order: bool = False,
    ) -> None:
        """Send bytes that arrive at `arrival` (now) and can be read from `readable` (their arrival) on.

        Either may lie in the past or the future; bytes never overtake what this client sent before. With
        `out_of_order` the kernel counts the piece as one that came before its turn.
        """
        at = self._network.now() if arrival is None else arrival
        self._link.put(_Segment(at, at if readable is None else readable, data), out_of_order)

    def close(self, arrival: int | None = None) -> None:
        """Send nothing more; what the server still sends can be received."""
        at = self._network.now() if arrival is None else arrival
        self._link.put(_Segment(at, at, b"", ending=True), False)

    def reset(self, arrival: int | None = None) -> None:
        """Be gone, as a process that was killed."""
        at = self._network.now() if arrival is None else arrival
        self._link.put(_Segment(at, at, b"", ending=True, reset=True), False)
        self._link.dead = True

    def take(self) -> bytes:
        """What has come, without waiting."""
        data = bytes(self._received)
        if data:
            self._received.clear()
            self._network.stir()
        return data

    async def receive(self) -> bytes:
        """What has come, at least one byte; none once the server has closed the connection."""
        while not self._received and not self._over:
            self._changed = trio.Event()
            await self._changed.wait()
        return self.take()

    def room(self) -> int:
        """How many bytes the network would take for this client now."""
        return max(0, self.window - len(self._received))

    def deliver(self, data: bytes) -> None:
        """The network's: bytes for this client."""
        self._received += data
        self._changed.set()

    def hang_up(self) -> None:
        """The network's: the server's end is closed."""
        self._over = True
        self._changed.set()


class MemoryLink:
    """The server's end."""

    def __init__(self, network: Network, client: Client, address: str) -> None:
        self.address = address
        self.client = client
        self.dead = False
        self._network = network
        self._segments: deque[_Segment] = deque()
        self._early: list[int] = []
        self._counted = 0
        self._finished = False

    def put(self, segment: _Segment, out_of_order: bool) -> None:
        """Something from the client is under way; after its end nothing is."""
        if self._segments:
            if self._segments[-1].ending:
                return
            segment.readable = max(segment.readable, self._segments[-1].readable)
        if out_of_order:
            self._early.append(segment.arrival)
        if segment.data or segment.ending:
            self._segments.append(segment)
            self._network.stir()

    def recv(self) -> Received:
        now = self._network.now()
        arrival: int | None = None
        data = bytearray()
        while self._segments and self._segments[0].readable <= now and len(data) < READ_SIZE:
            segment = self._segments[0]
            if segment.ending:
                if not data and segment.reset:
                    raise ConnectionResetError(errno.ECONNRESET, "reset")
                if data:
                    break
                return Received(b"", None, self._count(now))
            part = segment.data[: READ_SIZE - len(data)]
            segment.data = segment.data[len(part) :]
            data += part
            arrival = segment.arrival
            if not segment.data:
                self._segments.popleft()
        if arrival is None:
            raise BlockingIOError
        stamp = self._network.stamp(arrival) if self._network.clock == "kernel" else None
        return Received(bytes(data), stamp, self._count(now))

    def send(self, data: bytes) -> int:
        if self.dead or self._finished:
            raise BrokenPipeError(errno.EPIPE, "broken pipe")
        taken = min(len(data), self.client.room())
        if not taken:
            raise BlockingIOError
        self.client.deliver(data[:taken])
        return taken

    def finish(self) -> None:
        self._finished = True
        self.client.hang_up()

    def next_readable(self) -> int | None:
        """From when on there is something to read."""
        return self._segments[0].readable if self._segments else None

    def writable(self) -> bool:
        """Whether a send would take something, or fail for good."""
        return self.dead or self.client.room() > 0

    def _count(self, now: int) -> int:
        self._counted += sum(arrival <= now for arrival in self._early)
        self._early = [arrival for arrival in self._early if arrival > now]
        return self._counted


class MemoryListener:
    """Where `Network.connect` knocks."""

    def __init__(self, network: Network) -> None:
        self._network = network
        self.waiting: deque[MemoryLink] = deque()

    def accept(self) -> MemoryLink:
        if not self.waiting:
            raise BlockingIOError
        if self._network.full():
            raise NoRoom("too many open files")
        return self.waiting.popleft()


class Network:
    """A transport in memory. `most` is how many connections may be open at once, None being any number."""

    def __init__(self, clock: Clock = "kernel", most: int | None = None) -> None:
        self.clock: Clock = clock
        self.most = most
        self.listener = MemoryListener(self)
        self._origin = trio.current_time()
        self._walls = [(0, _WALL)]
        self._watched: dict[MemoryLink | MemoryListener, int] = {}
        self._stirred = trio.Event()
        self._connected = 0

    def connect(self, address: str | None = None) -> Client:
        """A new client, at once; the server accepts it when it looks."""
        self._connected += 1
        client = Client(self, address or f"memory:{self._connected}")
        self.listener.waiting.append(client._link)
        self.stir()
        return client

    def set_wall_clock(self, by: int) -> None:
        """Somebody sets the wall clock forward, or back, by so many ns."""
        self._walls.append((self.now(), self._walls[-1][1] + by))

    def stamp(self, arrival: int) -> int:
        """What the wall clock showed then."""
        return arrival + next(wall for since, wall in reversed(self._walls) if since <= arrival or not since)

    def open(self) -> int:
        """How many connections the server holds."""
        return sum(isinstance(source, MemoryLink) for source in self._watched)

    def full(self) -> bool:
        """Whether no further connection can be had."""
        return self.most is not None and self.open() >= self.most

    def stir(self) -> None:
        """Something has changed that `wait` may have been waiting for."""
        self._stirred.set()

    def now(self) -> int:
        return round((trio.current_time() - self._origin) * 1e9)

    def offset(self) -> int:
        return self._walls[-1][1]

    def add(self, source: Link | Listener) -> None:
        self.watch(source, READ)

    def watch(self, source: Link | Listener, events: int) -> None:
        assert isinstance(source, MemoryLink | MemoryListener)
        self._watched[source] = events
        self.stir()

    def drop(self, source: Link | Listener) -> None:
        assert isinstance(source, MemoryLink | MemoryListener)
        self._watched.pop(source, None)
        if isinstance(source, MemoryLink):
            source.dead = True
            source.client.hang_up()

    def ready(self) -> list[tuple[Link | Listener, int]]:
        now = self.now()
        found: list[tuple[Link | Listener, int]] = []
        for source, events in self._watched.items():
            if isinstance(source, MemoryListener):
                if events and source.waiting:
                    found.append((source, READ))
                continue
            moment = source.next_readable()
            ready = events & READ if moment is not None and moment <= now else 0
            ready |= events & WRITE if source.writable() else 0
            if ready:
                found.append((source, ready))
        return found

    async def wait(self, until: int | None) -> None:
        await trio.lowlevel.checkpoint()
        while not self.ready():
            moments = [] if until is None else [until]
            for source, events in self._watched.items():
                if isinstance(source, MemoryLink) and events & READ:
                    moment = source.next_readable()
                    moments += [] if moment is None else [moment]
            if moments and min(moments) <= self.now():
                return
            self._stirred = trio.Event()
            # Half a nanosecond on: a moment is reached even where the seconds' fraction was rounded down.
            seconds = (min(moments) + 0.5) / 1e9 if moments else float("inf")
            with trio.move_on_at(self._origin + seconds):
                await self._stirred.wait()

    async def pause(self) -> None:
        await trio.sleep(LOOK / 1e9)
