"""What a table says, and to whom: events are counted, encoded once for each class of viewer, and sent in one
piece for each step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from protocol.frame import encode_frame, pad_frame

from .connection import UNSENT
from .settings import MS

if TYPE_CHECKING:
    from .record import Gate
    from .session import Session


@dataclass(slots=True, eq=False)
class Member:
    """Somebody at a table; ``seat`` is None for a spectator."""

    session: Session
    seat: int | None
    since: int
    behind: bool = False
    """A spectator that has lost events and gets a view once what is unsent has gone."""


class Broadcast:
    """The people at one table and the stream of events they all get.

    `now` is the moment of the step being made, on the server's clock in ns; `born` when the table was made.
    """

    def __init__(
        self,
        table: int,
        born: int,
        gate: Gate,
        slow: Callable[[Session], None],
        keep: Callable[[], None],
    ) -> None:
        """``slow``: a player's connection has too much unsent; ``keep`` notes how the table stands."""
        self.table = table
        self.born = born
        self.now = born
        self.seq = 0
        self.gate = gate
        self.members: dict[int, Member] = {}
        """By player, the longest there first."""
        self._slow = slow
        self._keep = keep
        self._frames: list[bytes] = []
        self._own: dict[int, list[bytes]] = {}

    def ms(self, moment: int) -> int:
        """A moment in ms of the table's clock, as the wire has it."""
        return (moment - self.born) // MS

    def since(self, moment: int | None) -> int | None:
        """A moment in ns since the table was made, as a record has it."""
        return None if moment is None else moment - self.born

    def member_at(self, seat: int) -> Member | None:
        return next((member for member in self.members.values() if member.seat == seat), None)

    def emit(
        self, ev: str, fields: Mapping[str, Any], own: Mapping[int, Mapping[str, Any]] | None = None
    ) -> int:
        """Tell everybody an event; its seq. ``own`` has, by seat, the fields that seat gets instead."""
        self.seq += 1
        message = {"t": "event", "table": self.table, "seq": self.seq, "at": self.ms(self.now), "ev": ev}
        message.update(fields)
        frame = encode_frame(message)
        if own:
            for player, member in self.members.items():
                mine = None if member.seat is None else own.get(member.seat)
                if mine is not None:
                    self._apart(player).append(encode_frame({**message, **mine}))
                elif player in self._own and not member.behind:
                    self._own[player].append(frame)
        else:
            for player, frames in self._own.items():
                known = self.members.get(player)
                if known is not None and not known.behind:
                    frames.append(frame)
        self._frames.append(frame)
        return self.seq

    def to(self, player: int, frame: bytes) -> None:
        """Something for one member alone, in its place among the events."""
        self._apart(player).append(frame)

    def flush(self) -> bool:
        """Send what has been said since the last time; whether there was anything."""
        frames, own = self._frames, self._own
        if not frames and not own:
            return False
        # What is told has to be in the record first.
        self._keep()
        self._frames, self._own = [], {}
        common = b"".join(frames)
        padded: bytes | None = None
        late: list[Member] = []
        send = self.gate.send
        for player, member in self.members.items():
            connection = member.session.connection
            if connection is None:
                continue
            peer = connection.peer
            mine = own.get(player)
            if mine is None:
                if member.behind or not common:
                    continue
                data = common
                if peer.tls:
                    data = padded = padded or b"".join(map(pad_frame, frames))
            else:
                data = b"".join(map(pad_frame, mine)) if peer.tls else b"".join(mine)
            send(peer, data)
            if peer.unsent > UNSENT:
                late.append(member)
        for member in late:
            self._overflow(member)
        return True

    def _apart(self, player: int) -> list[bytes]:
        frames = self._own.get(player)
        if frames is None:
            member = self.members.get(player)
            frames = [] if member is None or member.behind else list(self._frames)
            self._own[player] = frames
        return frames

    def _overflow(self, member: Member) -> None:
        connection = member.session.connection
        if connection is None:
            return
        if member.session.seated or connection.peer.unsent > 2 * UNSENT:
            self._slow(member.session)
        else:
            member.behind = True
