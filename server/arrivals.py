"""What the harvester asks of the server's core: the one seam between bytes and decisions.

`Harvester(transport, arrivals)` owns every socket and every deadline and calls an `Arrivals`, always from
its one task and synchronously, in the order of protocol, section 5. A call may in turn send on, or close,
any peer and may set or clear any deadline; it may not await, and it must not raise: what a client causes
ends its own connection at most, and that is for the core to see to.

For each frame, oldest arrival first, the harvester

1. asks `table_of(frame)` (the core decodes the payload there and may keep what it found in `frame.message`),
   and `rank(frame)` where the arrivals of several connections are equal;
2. if the arrival is less than MARGIN old, asks `race_open(table, arrival)` and holds the frame, and what is
   behind it at that table or on that connection, for a later harvest while the answer is yes;
3. calls `decide_until(arrival, table)`: that table's deadlines at or before the arrival come first;
4. calls `frame(frame)`, or `broken` or `closed`, a connection's last.

At the end of each harvest `decide_until(moment, None)` lets every deadline decide that is MARGIN past, all
that could be read by then having been handed on. The harvester sleeps till `next_deadline() + MARGIN` at the
latest; a task that has set an earlier deadline must call `Harvester.wake()`.

All times are int nanoseconds of the transport's monotonic clock (`Harvester.now()`).
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Protocol

from .peer import Broken, End, Peer


@dataclass(slots=True, eq=False)
class Frame:
    """One thing that arrived on a connection: a frame's payload (without prefix), or what ended the stream.

    `message` and `table` belong to the core: what it decoded, and what `table_of` said.
    """

    peer: Peer
    payload: bytes | Broken | End
    arrival: int
    sequence: int
    message: Any = None
    table: Hashable | None = None


class Arrivals(Protocol):
    """The core, as the harvester sees it; the module docstring says when each is called."""

    def connected(self, peer: Peer) -> None:
        """A connection was accepted; the core sets the deadline for its hello."""

    def table_of(self, frame: Frame) -> Hashable | None:
        """The table that this payload is for; None for the lobby, hello, ping and what can't be read."""

    def race_open(self, table: Hashable, arrival: int) -> bool:
        """Whether an earlier arrival could still change what happens at this table.

        True while a window, a race or a wait for several seats is open, and while the table has a deadline at
        or before `arrival`.
        """

    def rank(self, frame: Frame) -> int:
        """The place of the frame's seat among equal arrivals (protocol, section 5.3); lowest first."""

    def decide_until(self, moment: int, table: Hashable | None) -> None:
        """Let every deadline at or before `moment` decide, of one table, or of everything (None)."""

    def frame(self, frame: Frame) -> None:
        """Take a complete frame; `frame.payload` is bytes."""

    def broken(self, peer: Peer, code: str) -> None:
        """Answer a broken frame with its error, and close the connection: nothing more is read of it."""

    def closed(self, peer: Peer, why: str) -> None:
        """The other end is gone (`End.why`). Not called for a peer the core closed, nor after `broken`."""

    def drained(self, peer: Peer) -> None:
        """`peer.unsent` has come back to 0."""

    def next_deadline(self) -> int | None:
        """The earliest moment at which `decide_until(moment, None)` has something to do."""
