"""One table: who sits there and who looks on, and the match they play.

Synchronous: a step is `begin`, then whatever arrived or ran out, then `settle`, which sends what came of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from engine.rules import Rules
from protocol.frame import encode_frame

from . import absence
from .broadcast import Broadcast, Member
from .game import Game
from .passwords import Password
from .record import StepKept, TableClosed, TableKept
from .revival import Revival
from .seats import Seat, Status, seat_data
from .series import Series
from .settings import Settings
from .standing import pack, standing_of, table_data
from .views import view_of

if TYPE_CHECKING:
    from .floor import Floor
    from .reply import Reply
    from .session import Session


class Table:
    """A table. ``host`` is a player; ``preset`` is what its rules began from."""

    def __init__(
        self, number: int, name: str, rules: Rules, preset: str, settings: Settings, seats: int, floor: Floor
    ) -> None:
        self.number = number
        self.name = name
        self.rules = rules
        self.preset = preset
        self.settings = settings
        self.seats = [Seat(index) for index in range(seats)]
        self.floor = floor
        self.broadcast = Broadcast(number, floor.clock(), floor.gate, floor.slow, self.keep)
        self.host = 0
        self.host_due: int | None = None
        """When the host has been away too long."""
        self.game: Game | None = None
        self.is_closed = False
        self.series = Series()
        self.password: Password | None = None
        self.made_at = ""
        """The address that it was made from, while this process has it."""
        self.listing: tuple[int, dict[str, Any]] = (-1, {})
        """At which `seq` it was listed last, and what the list said of it."""
        self.human_told: bool | None = None
        """Whether a human was seated when people last heard how quick the bots are."""
        self.arrivals = 0
        """How often somebody has come or sat down: who did so before whom."""
        self.replies: list[Reply] = []
        """To the request that is being done, and to those that are held."""
        self._kept: object = None
        self._standing = b""

    # What it is

    @property
    def playing(self) -> bool:
        return self.game is not None and not self.game.over

    @property
    def phase(self) -> Literal["open", "playing", "over"]:
        if self.game is None:
            return "open"
        return "over" if self.game.over else "playing"

    @property
    def human_seated(self) -> bool:
        return any(seat.seated for seat in self.seats)

    @property
    def attended(self) -> bool:
        """Whether anybody plays at it, so that it is no faster than people are."""
        return any(seat.kind == "human" and seat.status in ("online", "away") for seat in self.seats)

    def spectator_names(self) -> list[str]:
        """Those who look on and are connected."""
        members = self.broadcast.members.values()
        return [m.session.name for m in members if m.seat is None and m.session.connection is not None]

    def host_data(self) -> dict[str, Any] | None:
        member = self.broadcast.members.get(self.host)
        return None if member is None else {"seat": member.seat, "name": member.session.name}

    def set_password(self, password: str | None) -> None:
        self.password = Password.of(password) if password else None

    @property
    def locked(self) -> bool:
        return self.password is not None

    def admits(self, password: str | None) -> bool:
        """Whether this password opens the table."""
        return self.password is None or self.password.admits(password or "")

    def rank(self, player: int) -> int:
        """The place of a player's seat among equal arrivals (protocol, section 5.3)."""
        member = self.broadcast.members.get(player)
        live = None if self.game is None else self.game.live
        return -1 if member is None or member.seat is None or live is None else live.rank(member.seat)

    def race_open(self) -> bool:
        """Whether the order of arrivals decides something now."""
        return self.game is not None and self.game.race_open()

    # Steps

    def begin(self) -> None:
        """A step begins now."""
        self.broadcast.now = max(self.broadcast.now, self.floor.clock())

    def settle(self) -> None:
        """End a step: what follows of itself follows, and what was said is sent."""
        while self.game is not None and not self.is_closed:
            self._note_overdue()
            self.game.review()
            if not self.game.over or self.game.tallied:
                break
            self._finish_match()
        if not self.is_closed and not self.playing and not self.broadcast.members:
            self.close("empty")
        absence.tell_reactions(self)
        if self.replies:
            self.replies = [reply for reply in self.replies if not reply.given]
        if not self.broadcast.flush():
            # Else it was kept before anything was sent.
            self.keep()
        self.floor.changed(self)

    def next(self) -> int | None:
        """The earliest moment at which time decides something here."""
        moments = [seat.away_due for seat in self.seats if seat.away_due is not None]
        if self.host_due is not None:
            moments.append(self.host_due)
        game = None if self.game is None else self.game.next()
        if game is not None:
            moments.append(game)
        return min(moments, default=None)

    def decide(self, moment: int) -> None:
        """Let everything that is due at or before ``moment`` decide, in its order."""
        while not self.is_closed and (due := self.next()) is not None and due <= moment:
            self.begin()
            if self.game is None or not self.game.decide(due):
                absence.decide(self, due)
            self.settle()

    # Coming and going

    def welcome(self, session: Session, seat: int | None) -> None:
        """Let in who made the table. Nothing is told of it: the view is the beginning."""
        self._enter(session, seat)
        if seat is not None:
            session.seats += 1
            self.seats[seat].seat_human(session.player, session.name, self.arrivals)

    def take_seat(self, session: Session, index: int) -> None:
        """Seat somebody, new or already here, in an empty seat."""
        self.broadcast.flush()
        self.arrivals += 1
        member = self.broadcast.members.get(session.player)
        old = None if member is None or member.seat is None else self.seats[member.seat]
        if old is not None:
            old.clear()
            self.tell_seat(old)
        else:
            session.seats += 1
        seat = self.seats[index]
        seat.seat_human(session.player, session.name, self.arrivals)
        if member is not None and member.seat is None:
            self.broadcast.emit("spectator", {"name": session.name, "here": False})
        self.tell_seat(seat)
        if member is not None:
            member.seat = index
            if self.host == session.player:
                self.tell_host()
        self.broadcast.flush()
        if member is None:
            self._enter(session, index)

    def take_back(self, session: Session, seat: Seat) -> None:
        """Somebody who left in this match sits down again in the same seat."""
        seat.status, seat.automatic, seat.overdue = "online", False, 0
        # While they were gone they counted as ready, whatever they had said.
        seat.ready, seat.nonce = False, None
        member = self.broadcast.members.get(session.player)
        if member is not None:
            self.broadcast.emit("spectator", {"name": session.name, "here": False})
        self.tell_seat(seat)
        self.broadcast.flush()
        session.seats += 1
        if member is not None:
            member.seat = seat.index
        else:
            self._enter(session, seat.index)

    def look_on(self, session: Session) -> None:
        """Somebody new looks on, or who is seated stands up to do so."""
        member = self.broadcast.members.get(session.player)
        if member is not None and member.seat is not None:
            self._vacate(member)
            member.seat = None
            if self.host == session.player:
                self.tell_host()
        self.broadcast.emit("spectator", {"name": session.name, "here": True})
        self.broadcast.flush()
        if member is None:
            self._enter(session, None)

    def _enter(self, session: Session, seat: int | None) -> None:
        self.arrivals += 1
        if self.host != session.player and absence.host_is_gone(self):
            # Everybody had left a match that goes on, or had been cut off.
            self.host = session.player
            self.broadcast.emit("host", {"seat": seat, "name": session.name})
            self.broadcast.flush()
        self.broadcast.members[session.player] = Member(session, seat, self.arrivals)
        session.tables[self.number] = self

    def leave(self, session: Session) -> None:
        """Somebody goes for good. In a match their seat is played for and stays theirs."""
        self.broadcast.flush()
        member = self.broadcast.members.pop(session.player)
        del session.tables[self.number]
        if member.seat is None:
            self.broadcast.emit("spectator", {"name": session.name, "here": False})
        else:
            self._vacate(member)
        if self.host == session.player:
            absence.hand_over(self)

    def _vacate(self, member: Member) -> None:
        assert member.seat is not None
        member.session.seats -= 1
        seat = self.seats[member.seat]
        if self.playing:
            seat.status, seat.automatic, seat.away_due = "left", True, None
        else:
            seat.clear()
        self.tell_seat(seat)

    def play_for(self, seat: Seat) -> None:
        """From now on the server plays for this player."""
        seat.automatic = True
        self.set_status(seat, "autopilot")

    def set_status(self, seat: Seat, status: Status) -> None:
        seat.status = status
        self.tell_seat(seat)

    def pause(self, on: bool) -> None:
        assert self.game is not None
        self.game.paused = on
        self.broadcast.emit("paused", {"on": on})

    # What it tells

    def tell_seat(self, seat: Seat) -> None:
        self.broadcast.emit("seat", seat_data(seat, self.settings, self.human_seated))

    def tell_host(self) -> None:
        data = self.host_data()
        assert data is not None
        self.broadcast.emit("host", data)

    def show(self, player: int) -> None:
        """Send one member the whole view."""
        member = self.broadcast.members[player]
        member.behind = False
        self.broadcast.to(player, encode_frame(view_of(self, member.seat)))

    def catch_up(self, session: Session) -> None:
        """What was unsent to a spectator that had lost events has gone."""
        if self.broadcast.members[session.player].behind:
            self.begin()
            self.show(session.player)
            self.broadcast.flush()

    def keep(self) -> None:
        """Note what has changed of the table."""
        note, broadcast = self.floor.gate.note, self.broadcast
        if not self.floor.gate.keeps or self.is_closed:
            return
        kept = (self.rules, self.settings, self.preset)
        if kept != self._kept:
            self._kept = kept
            note(TableKept(self.number, broadcast.born, table_data(self)))
        standing = pack(standing_of(self))
        if standing != self._standing:
            self._standing = standing
            note(StepKept(self.number, broadcast.now - broadcast.born, standing))

    def go_on(self, stood_at: int) -> None:
        """The table stood still from this moment to now: give everybody time, and show what is."""
        if self.game is not None:
            broadcast = self.broadcast
            self.game.go_on(Revival(broadcast.born, stood_at - broadcast.born, broadcast.now))
        for player in list(self.broadcast.members):
            self.show(player)

    # The match

    def start(self) -> None:
        """Begin a match with those who sit here."""
        for seat in self.seats:
            seat.overdue, seat.overdue_on = 0, None
        self.game = self.new_game(next(self.floor.matches), self.rules, self.settings)
        self.game.begin()
        for seat in self.seats:
            if seat.status == "away" and seat.away_due is None:
                self.play_for(seat)

    def new_game(self, number: int, rules: Rules, settings: Settings) -> Game:
        """A match with those who sit here, still to be begun or taken up again."""
        floor = self.floor
        return Game(
            number,
            self.broadcast,
            self.seats,
            rules,
            settings,
            floor.chance,
            floor.thinker,
            floor.clock,
            lambda: floor.changed(self),
        )

    def _note_overdue(self) -> None:
        assert self.game is not None
        live = self.game.live
        if live is None or live.teller.overdue is None:
            return
        index, turn = live.teller.overdue
        live.teller.overdue = None
        seat = self.seats[index]
        if seat.overdue_on != turn:
            seat.overdue_on = turn
            seat.overdue += 1
        if seat.overdue >= 2 and seat.seated and not seat.automatic:
            self.play_for(seat)

    def _finish_match(self) -> None:
        assert self.game is not None
        self.game.tallied = True
        ranking = self.game.ranking
        assert ranking is not None
        self.series.enter(ranking, [seat.name for seat in self.seats])
        self.broadcast.emit("match_over", {"ranking": ranking, "series": self.series.to_data()})
        for seat in self.seats:
            if seat.status == "left":
                seat.clear()
                self.tell_seat(seat)
            elif seat.kind == "human" and seat.status == "autopilot":
                seat.automatic = False
                member = self.broadcast.member_at(seat.index)
                connected = member is not None and member.session.connection is not None
                self.set_status(seat, "online" if connected else "away")

    def close(self, why: Literal["empty", "host", "admin", "fault"]) -> None:
        """The table is gone."""
        self.is_closed = True
        for reply in self.replies:
            if not reply.given:
                reply.error("internal" if why == "fault" else "no_table")
        self.floor.gate.note(TableClosed(self.number, why))
        self.broadcast.emit("closed", {"why": why})
        self.broadcast.flush()
        for member in self.broadcast.members.values():
            del member.session.tables[self.number]
            member.session.seats -= member.seat is not None
        self.broadcast.members.clear()
