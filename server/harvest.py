"""The one reader: everything that is ready on all sockets, stamped, handed on in order of arrival.

One task owns the sockets, the harvest and the deadlines; no other reads a socket or lets a deadline decide.
What it hands on, to whom, and when, is said in `arrivals`. The order (protocol, section 5) comes about so:

- The kernel stamps each segment with the wall clock as it comes in, so a busy server only reads later, not
  otherwise. Stamps become monotonic at the read, by the offset of the clocks measured in that harvest.
- A segment may stay unreadable for a while after its stamp. While a table's race is open, a frame younger
  than MARGIN waits for what may still have come before it.
- A frame's tail sent ahead of its head carries an early stamp. So a stamp is believed only if it is later
  than the last time that the connection was seen to have received segments out of order.
"""

from __future__ import annotations

import ssl
from collections.abc import Hashable, Iterable, Iterator
from typing import Final

import trio

from .arrivals import Arrivals, Frame
from .entrance import Entrance
from .peer import Broken, End, Peer, State
from .readiness import READ, WRITE
from .tls_stream import prepare
from .transport import Link, Listener, Transport

MARGIN: Final = 100_000
"""How long after its stamp a segment may be unreadable: on loopback and veth 99.9 % take less than this."""
FRAME_TIME: Final = 5_000_000_000
"""A frame that was begun has to be complete within this time."""
LINGER: Final = 1_000_000_000
"""How long a connection that the core closed is kept for its last bytes to get across."""
MOST_UNSENT: Final = 128 << 20
"""Bytes that may wait for clients to read, over all connections: each has a limit, but there are many."""


class Harvester:
    """The task that reads. `context` is for clients that speak TLS; without one they break the framing.

    `most` is how many connections may be open.
    """

    def __init__(
        self,
        transport: Transport,
        arrivals: Arrivals,
        context: ssl.SSLContext | None = None,
        most: int | None = None,
    ) -> None:
        if context is not None:
            prepare(context)
        self._transport = transport
        self._arrivals = arrivals
        self._context = context
        self._entrance = Entrance(transport, most)
        self._peers: dict[Link | Listener, Peer] = {}
        self._held: list[Frame] = []
        self._sequence = 0
        self._start = transport.now()
        self._floor = self._start
        self._offset = self._previous_offset = transport.offset()
        self._drained: list[Peer] = []
        # Both in order of time, as dicts keep the order of insertion.
        self._begun: dict[Peer, int] = {}
        self._parting: dict[Peer, int] = {}
        self.unsent = 0
        self._finishing = False
        self._sleep = trio.CancelScope()

    @property
    def clock(self) -> str:
        """What `welcome.clock` says: `kernel` or `read`."""
        return self._transport.clock

    def now(self) -> int:
        """The clock of all arrivals and deadlines, ns."""
        return self._transport.now()

    def listen(self, listener: Listener) -> None:
        """Accept what comes in there."""
        self._entrance.listen(listener)

    def wake(self) -> None:
        """For other tasks: ask for `next_deadline` again now."""
        self._sleep.cancel()

    def close_doors(self) -> None:
        """Accept nobody any more."""
        self._entrance.close()

    def finish(self) -> None:
        """Accept nobody any more, close every connection; `run` returns when all are gone, within LINGER."""
        self._finishing = True
        self.close_doors()
        for peer in list(self._peers.values()):
            peer.close()
        self.wake()

    async def run(self) -> None:
        """Read, hand on and let deadlines decide until `finish`."""
        try:
            while self._peers or not self._finishing:
                if self._held:
                    await self._transport.pause()
                else:
                    with trio.CancelScope() as self._sleep:
                        await self._transport.wait(self._wake_at())
                self._harvest()
        finally:
            self.close_doors()
            for peer in list(self._peers.values()):
                self._drop(peer)

    # What peers ask for

    def watch(self, peer: Peer) -> None:
        """Watch for what the peer needs now."""
        if peer.state is State.GONE:
            return
        events = (0 if peer.ended else READ) | (WRITE if peer.unsent else 0)
        self._transport.watch(peer.link, events)

    def part(self, peer: Peer) -> None:
        """The core has closed this peer: send what is left, say so to the other end, then drop it."""
        self._begun.pop(peer, None)
        self._parting[peer] = self._transport.now() + LINGER
        self._part_further(peer)
        self.wake()

    # One harvest

    def _harvest(self) -> None:
        transport = self._transport
        start = transport.now()
        self._floor, self._start = self._start - MARGIN, start
        self._previous_offset, self._offset = self._offset, transport.offset()
        frames, self._held = self._held, []
        readable: list[Peer] = []
        for source, events in transport.ready():
            peer = self._peers.get(source)
            if peer is None:
                self._accept(source, readable)
                continue
            if events & WRITE:
                self._flush(peer)
            if events & READ:
                readable.append(peer)
        for peer in readable:
            if peer.state is not State.GONE:
                self._read(peer, frames)
        if frames:
            self._hand_on(frames)
        self._arrivals.decide_until(start - MARGIN, None)
        self._tell_drained()
        self._relieve()
        self._expire()

    def _accept(self, source: Link | Listener, readable: list[Peer]) -> None:
        for link in self._entrance.admit(source, len(self._peers), self._start):
            peer = Peer(self, link)
            self._peers[link] = peer
            self._transport.add(link)
            self._arrivals.connected(peer)
            # What it sent before it was accepted is as old as its stamp says.
            readable.append(peer)

    def _read(self, peer: Peer, frames: list[Frame]) -> None:
        try:
            data, stamp, out_of_order = peer.link.recv()
        except BlockingIOError:
            return
        except OSError:
            self._end(peer, End("reset"), frames)
            return
        if not data:
            self._end(peer, End("closed"), frames)
            return
        if peer.state is not State.OPEN:
            return
        peer.last_arrival = arrival = self._arrival(peer, stamp, out_of_order)
        taken = peer.take(data, self._context)
        for payload in taken:
            if isinstance(payload, End):
                self._end(peer, payload, frames)
            else:
                self._sequence += 1
                frames.append(Frame(peer, payload, arrival, self._sequence))
                if isinstance(payload, Broken):
                    peer.state = State.ENDING
        if taken or not peer.partial:
            self._begun.pop(peer, None)
        if peer.partial and peer.state is State.OPEN:
            self._begun.setdefault(peer, self._start)

    def _arrival(self, peer: Peer, stamp: int | None, out_of_order: int) -> int:
        """When the bytes of a read had all arrived, in monotonic time."""
        now = self._transport.now()
        if out_of_order != peer.out_of_order:
            peer.out_of_order = out_of_order
            peer.noticed = now
        arrival = self._start if stamp is None else min(self._monotonic(stamp, now), now)
        # One that came out of order after `noticed` would have been counted again, and noticed now. One that
        # came before may have waited for its head until just now, several reads later even.
        if arrival <= peer.noticed:
            arrival = max(arrival, self._start)
        return max(arrival, self._floor, peer.last_arrival)

    def _monotonic(self, stamp: int, now: int) -> int:
        """The stamp on the monotonic clock. What no offset explains is left to the caller's bounds."""
        arrival = stamp - self._offset
        if not self._floor <= arrival <= now:
            # The wall clock may have been set after the stamp, while nothing was being read.
            before = stamp - self._previous_offset
            if self._floor <= before <= now:
                return before
        return arrival

    def _end(self, peer: Peer, end: End, frames: list[Frame]) -> None:
        """Nothing more will be read of this peer."""
        peer.ended = True
        self._begun.pop(peer, None)
        self.watch(peer)
        if peer.state is State.OPEN:
            peer.state = State.ENDING
            peer.last_arrival = max(peer.last_arrival, self._start)
            self._sequence += 1
            frames.append(Frame(peer, end, peer.last_arrival, self._sequence))
        elif peer.state is State.CLOSING:
            self._part_further(peer)

    def _hand_on(self, frames: list[Frame]) -> None:
        """Hand on, oldest first, what is old enough or whose order nothing depends on; hold the rest."""
        cutoff = self._start - MARGIN
        peers: set[Peer] = set()
        tables: set[Hashable] = set()
        for frame in self._in_order(frames):
            if not frame.peer.open:
                continue
            if frame.arrival > cutoff and self._must_wait(frame, peers, tables):
                peers.add(frame.peer)
                if frame.table is not None:
                    tables.add(frame.table)
                self._held.append(frame)
            else:
                self._deliver(frame)
                self._relieve()

    def _must_wait(self, frame: Frame, peers: set[Peer], tables: set[Hashable]) -> bool:
        table = self._table(frame)
        if frame.peer in peers or table in tables:
            return True
        return table is not None and self._arrivals.race_open(table, frame.arrival)

    def _table(self, frame: Frame) -> Hashable | None:
        if frame.table is None and isinstance(frame.payload, bytes):
            frame.table = self._arrivals.table_of(frame)
        return frame.table

    def _in_order(self, frames: list[Frame]) -> Iterator[Frame]:
        """By arrival; equal ones by their seats' ranks as of then, each connection's in its own order."""
        frames.sort(key=_by_arrival)
        first = 0
        while first < len(frames):
            arrival = frames[first].arrival
            last = first + 1
            while last < len(frames) and frames[last].arrival == arrival:
                last += 1
            yield from frames[first:last] if last - first == 1 else self._ranked(frames[first:last])
            first = last

    def _ranked(self, frames: list[Frame]) -> Iterable[Frame]:
        ranks: dict[Peer, int] = {}
        if len({frame.peer for frame in frames}) == 1:
            return frames
        for frame in frames:
            if frame.peer.open and frame.peer not in ranks and self._table(frame) is not None:
                ranks[frame.peer] = self._arrivals.rank(frame)
        # Who has none competes with nobody.
        return sorted(frames, key=lambda frame: ranks.get(frame.peer, -1))

    def _deliver(self, frame: Frame) -> None:
        peer, payload, arrivals = frame.peer, frame.payload, self._arrivals
        if isinstance(payload, bytes):
            table = self._table(frame)
            if table is not None:
                arrivals.decide_until(frame.arrival, table)
            if peer.open:
                arrivals.frame(frame)
        elif isinstance(payload, Broken):
            arrivals.broken(peer, payload.code)
        else:
            peer.close()
            arrivals.closed(peer, payload.why)

    # What is due at the end of a harvest

    def _flush(self, peer: Peer) -> None:
        peer.flush()
        if peer.unsent:
            return
        self.watch(peer)
        if peer.open:
            self._drained.append(peer)
        else:
            self._part_further(peer)

    def _relieve(self) -> None:
        """Where too much is unsent in all, give up those that are over, then those that have the most."""
        if self.unsent <= MOST_UNSENT:
            return
        waiting = [peer for peer in self._peers.values() if peer.unsent]
        for peer in sorted(waiting, key=lambda peer: (peer.open, -peer.unsent)):
            if peer.open:
                peer.close()
                self._arrivals.closed(peer, "slow")
            self._drop(peer)
            # Some more than need be: to look for them takes a while.
            if self.unsent <= MOST_UNSENT - MOST_UNSENT // 8:
                return

    def _tell_drained(self) -> None:
        drained, self._drained = self._drained, []
        for peer in drained:
            if peer.open and not peer.unsent:
                self._arrivals.drained(peer)

    def _expire(self) -> None:
        while self._begun:
            peer, begun = next(iter(self._begun.items()))
            if begun + FRAME_TIME > self._start:
                break
            self._end(peer, End("late"), self._held)
        while self._parting:
            peer, until = next(iter(self._parting.items()))
            if until > self._start:
                break
            self._drop(peer)
        self._entrance.reopen(self._start)

    def _wake_at(self) -> int | None:
        moments = [begun + FRAME_TIME for begun in self._first(self._begun)]
        moments += self._first(self._parting)
        deadline = self._arrivals.next_deadline()
        if deadline is not None:
            moments.append(deadline + MARGIN)
        if self._entrance.again is not None:
            moments.append(self._entrance.again)
        return min(moments, default=None)

    @staticmethod
    def _first(times: dict[Peer, int]) -> list[int]:
        return [next(iter(times.values()))] if times else []

    def _part_further(self, peer: Peer) -> None:
        if peer.unsent:
            return
        if peer.ended:
            self._drop(peer)
            return
        # What the other end still sends has to be read: closing over unread bytes would reset the connection
        # and take our last words from it.
        try:
            peer.link.finish()
        except OSError:
            self._drop(peer)

    def _drop(self, peer: Peer) -> None:
        peer.go()
        self._parting.pop(peer, None)
        self._begun.pop(peer, None)
        if self._peers.pop(peer.link, None) is not None:
            self._transport.drop(peer.link)


def _by_arrival(frame: Frame) -> tuple[int, int]:
    return frame.arrival, frame.sequence
