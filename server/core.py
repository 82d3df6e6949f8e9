"""The server without sockets: what the harvester hands on becomes requests, steps of tables, and answers.

Nothing that a client sends raises out of here: it ends its own connection at most. A fault of ours in a
table's step closes that table.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any, Final

import structlog

from protocol.codes import FrameError, RequestError
from protocol.connection import State
from protocol.messages import VERSIONS, Act, AtTable, Hello, Ping, Pong, Request
from protocol.once import Verdict

from . import play_requests, table_requests
from .chance import Chance
from .connection import REFUSED_IN_A_ROW, Connection
from .floor import Floor
from .limits import LOCK_EVERY, LOCKS, Allowance
from .lobby import Lobby
from .record import Gate, Record
from .reply import MESSAGES, UNKEPT, Reply
from .session import Sessions
from .table import Table
from .timers import Timers
from .visitors import Visitors

if TYPE_CHECKING:
    from .arrivals import Frame
    from .bot_seat import Thinker
    from .config import Config
    from .peer import Peer

TURN: Final = 5_000_000
"""How long, in ns, what is due may take until the sockets are looked at again."""

_log = structlog.get_logger("core")


class Core:
    """An `Arrivals`: what it does is said there. ``clock`` is the harvester's, in ns."""

    def __init__(
        self,
        config: Config,
        record: Record,
        thinker: Thinker,
        clock: Callable[[], int],
        arrival: str,
        wake: Callable[[], None],
    ) -> None:
        """``arrival`` is what `welcome.clock` says; ``wake`` makes the harvester look at the deadlines."""
        first_table, first_match, first_player = record.first_ids()
        chance = Chance(config.seed)
        self.gate = Gate(record)
        self.timers = Timers()
        self._shows = Timers()
        """Of the tables at which bots play alone."""
        self._shown = 0
        """How many entries were noted when these were last dealt with."""
        welcome = {"clock": arrival, "seeded": chance.seeded}
        sessions = Sessions(chance, first_player)
        self.visitors = Visitors(config, sessions, self.gate, self.timers, clock, welcome, self.step)
        matches = count(first_match)
        floor = Floor(
            self.gate,
            chance,
            thinker,
            clock,
            matches,
            self.visitors.too_slow,
            self._schedule,
            config.limits,
            self.visitors.guesses,
            Allowance(LOCKS, LOCK_EVERY),
        )
        self.floor = floor
        self.lobby = Lobby(floor, first_table)
        self._wake = wake
        self._clock = clock
        self._stood_at = 0
        self._scheduled: dict[int, tuple[int, Timers]] = {}
        """By table, the earliest moment that a timer is set for, and among which."""
        self._called = False

    # What the harvester calls

    def connected(self, peer: Peer) -> None:
        with self._call(peer):
            self.visitors.connected(peer)

    def table_of(self, frame: Frame) -> Hashable | None:
        connection: Connection = frame.peer.session
        if frame.message is None:
            assert isinstance(frame.payload, bytes)
            try:
                frame.message = connection.talk.receive(frame.payload)
            except (FrameError, RequestError) as error:
                frame.message = error
        message = frame.message
        return message.table if isinstance(message, AtTable) and self._table(message.table) else None

    def race_open(self, table: Hashable, arrival: int) -> bool:
        known = self._table(table)
        if known is None:
            return False
        due = known.next()
        return known.race_open() or (due is not None and due <= arrival)

    def rank(self, frame: Frame) -> int:
        table, session = self._table(frame.table), frame.peer.session.session
        return -1 if table is None or session is None else table.rank(session.player)

    def decide_until(self, moment: int, table: Hashable | None) -> None:
        with self._call():
            if table is None:
                self._run_timers(moment)
            elif (known := self._table(table)) is not None:
                self._decide(known, moment)

    def frame(self, frame: Frame) -> None:
        self.visitors.counts.took(self._clock() - frame.arrival)
        with self._call(frame.peer):
            self._take(frame.peer.session, frame)
            self.visitors.look_at_unsent(frame.peer.session)

    def broken(self, peer: Peer, code: str) -> None:
        with self._call(peer):
            self.visitors.end(peer.session, code)

    def closed(self, peer: Peer, why: str) -> None:
        with self._call(peer):
            self.visitors.detach(peer.session, why)

    def drained(self, peer: Peer) -> None:
        with self._call(peer):
            session = peer.session.session
            if session is not None:
                for table in list(session.tables.values()):
                    self.step(table, partial(table.catch_up, session))

    def next_deadline(self) -> int | None:
        moments = [self.timers.next(), self._shows.next() if self._may_show() else None]
        return min((moment for moment in moments if moment is not None), default=None)

    @contextmanager
    def _call(self, peer: Peer | None = None) -> Iterator[None]:
        """One call of the harvester: a fault of ours ends the connection it is about, nothing more."""
        self._called = True
        try:
            yield
            self.visitors.cut_slow()
        except Exception:
            _log.exception("fault", address=None if peer is None else peer.address)
            if peer is not None and peer.open:
                self.visitors.end(peer.session, "internal")
        finally:
            self._called = False

    # What the record calls

    def take_up(self, table: Table) -> None:
        """A table from an earlier process goes on."""
        self.lobby.tables[table.number] = table
        self.step(table, lambda: None)

    def stand_still(self) -> None:
        """Nothing can be written for now: until it can, no table decides anything."""
        self._stood_at = self._clock()
        self.visitors.stand_still()

    def written(self) -> None:
        """More of what was noted is safe."""
        self.gate.release()
        if self._shows.next() is not None:
            self._wake()

    def go_on(self) -> None:
        """It can again."""
        with self._call():
            for table in list(self.lobby.tables.values()):
                self.step(table, partial(table.go_on, self._stood_at))
        self._wake()

    # Tables and their deadlines

    def step(self, table: Table, do: Callable[[], None]) -> None:
        """Make a step of a table, in the harvester's turn. If it fails halfway, what stands there can't be
        trusted any more."""
        try:
            table.begin()
            do()
            table.settle()
        except Exception:
            self._fault(table)

    def _table(self, number: Hashable) -> Table | None:
        return self.lobby.tables.get(number) if isinstance(number, int) else None

    def _decide(self, table: Table, moment: int) -> None:
        if self.gate.stuck or self.visitors.ending:
            return
        try:
            table.decide(moment)
        except Exception:
            self._fault(table)

    def _fault(self, table: Table) -> None:
        _log.exception("table closed by a fault", table=table.number)
        if not table.is_closed:
            table.close("fault")
            self._schedule(table)

    def _run_timers(self, moment: int) -> None:
        """Let what is due happen, for so long that nobody's request waits for it. Bots that play among
        themselves, however fast, come last and only as fast as it can be written down."""
        end = self._clock() + TURN

        def enough() -> bool:
            return self._clock() >= end

        self.timers.run(moment, enough)
        if self._may_show():
            self._shows.run(moment, enough)
            self._shown = self.gate.noted

    def _may_show(self) -> bool:
        return self._shown <= self.gate.written

    def _schedule(self, table: Table) -> None:
        """A table's step is over: see to it that it is called at its next moment, or forget it."""
        if table.is_closed:
            self.lobby.tables.pop(table.number, None)
            self._scheduled.pop(table.number, None)
            return
        if not table.playing:
            self.visitors.look_for_gone(table)
        moment = table.next()
        if moment is None:
            return
        timers = self.timers if table.attended else self._shows
        known, among = self._scheduled.get(table.number, (moment + 1, timers))
        # A timer that comes too early finds nothing to do and sets the next one: far fewer are set so.
        if moment < known or among is not timers:
            self._scheduled[table.number] = moment, timers
            timers.set(moment, partial(self._table_due, table, timers))
            if not self._called:
                self._wake()

    def _table_due(self, table: Table, timers: Timers, moment: int) -> None:
        if self._scheduled.get(table.number) == (moment, timers):
            del self._scheduled[table.number]
            if self.gate.stuck or self.visitors.ending:
                return
            self._decide(table, moment)
            self._schedule(table)

    # Messages

    def _take(self, connection: Connection, frame: Frame) -> None:
        if connection.ended or self.visitors.ending:
            return
        message = frame.message
        answered = connection.beat.unanswered > 0
        connection.beat.heard(frame.arrival)
        match message:
            case FrameError():
                self.visitors.end(connection, message.code)
            case RequestError():
                self._take_bad(connection, message, frame.arrival)
            case Hello():
                self.visitors.hello(connection, message)
            case Pong() if answered:
                pass
            case Ping() | Pong():
                if self._allowed(connection, frame.arrival) and isinstance(message, Ping):
                    connection.say_at_once({"t": "pong", "n": message.n})
            case Request() if self.gate.stuck and connection.new(message.id):
                text = {"t": "error", "re": message.id, "code": "server_full", "message": UNKEPT}
                connection.say_at_once(text)
            case Request():
                reply = self._admit(connection, message.id, frame.arrival)
                if reply is not None:
                    self._do(message, frame.arrival, reply)
            case _:
                raise AssertionError(f"{type(message).__name__} is no message of a client")

    def _take_bad(self, connection: Connection, error: RequestError, arrival: int) -> None:
        fields: dict[str, Any] = {} if error.field is None else {"field": error.field}
        if error.code == "version":
            fields["versions"] = list(VERSIONS)
        if connection.talk.state is State.CLOSED:
            connection.end(error.code, error.message, **fields)
            self.visitors.detach(connection, error.code)
        elif error.re is not None:
            reply = self._admit(connection, error.re, arrival)
            if reply is not None:
                reply.error(error.code, error.message, **fields)
        elif self._allowed(connection, arrival):
            connection.say({"t": "error", "code": error.code, "message": error.message, **fields})

    def _allowed(self, connection: Connection, arrival: int) -> bool:
        """Whether something without an id is within the rate; answered if not."""
        if connection.allow(arrival):
            return True
        connection.say({"t": "error", "code": "rate", "message": MESSAGES["rate"]})
        self._cut_if_flooding(connection)
        return False

    def _admit(self, connection: Connection, request: int, arrival: int) -> Reply | None:
        """The reply to give if the request is to be done; else it has had its answer."""
        session = connection.session
        assert session is not None
        verdict = session.requests.arrive(request)
        allowed = connection.allow(arrival)
        reply: Reply | None = None
        match verdict:
            case Verdict.NEW:
                reply = Reply(session, request, self.gate)
                if not allowed:
                    reply.error("rate")
                    reply = None
            case Verdict.AGAIN:
                assert session.requests.answer is not None
                connection.say(session.requests.answer)
            case Verdict.DUPLICATE:
                message = MESSAGES["duplicate"]
                connection.say({"t": "error", "re": request, "code": "duplicate", "message": message})
            case Verdict.WAIT:
                pass
        if not allowed:
            self._cut_if_flooding(connection)
        return reply

    def _cut_if_flooding(self, connection: Connection) -> None:
        if connection.refused >= REFUSED_IN_A_ROW:
            self.visitors.end(connection)

    def _do(self, request: Request, arrival: int, reply: Reply) -> None:
        self.visitors.counts.requests[type(request).__name__.lower()] += 1
        if not isinstance(request, AtTable):
            made = self.lobby.take(reply.session, request, reply)
            if made is not None:
                made.settle()
            return
        table = self._table(request.table)
        if table is None:
            reply.error("no_table")
            return
        reply.at(table.broadcast)
        table.replies.append(reply)
        if isinstance(request, Act):
            do = partial(play_requests.take, table, reply.session, request, arrival, reply)
        else:
            do = partial(table_requests.take, table, reply.session, request, reply)
        self.step(table, do)
