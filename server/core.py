"""The server without sockets: what the harvester hands on becomes requests, steps of tables, and answers.

Nothing that a client sends raises out of here: it ends its own connection at most. A fault of ours in a
table's step closes that table.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import partial
from hashlib import sha256
from hmac import compare_digest
from typing import TYPE_CHECKING, Any

import structlog

from protocol.codes import FrameError, RequestError
from protocol.connection import State
from protocol.frame import CLIENT_LIMIT
from protocol.heartbeat import Beat
from protocol.messages import VERSIONS, Act, AtTable, Hello, Ping, Pong, Request
from protocol.once import Verdict
from protocol.text import CHAT_CHARACTERS, NAME_COLUMNS, BadName, clean_name

from . import play_requests, table_requests
from .bot_seat import Thinker
from .chance import Chance
from .config import SERVER, Config
from .connection import BURST, HEARTBEAT, HELLO_TIME, RATE, REFUSED_IN_A_ROW, UNSENT, Connection
from .lobby import Lobby
from .record import Gate, Record, SessionEnded, SessionKept
from .reply import MESSAGES, Reply
from .session import KEPT, Session, Sessions
from .settings import MS
from .table import Table
from .timers import Timers

if TYPE_CHECKING:
    from .arrivals import Frame
    from .peer import Peer

_log = structlog.get_logger("core")

LIMITS = {
    "frame": CLIENT_LIMIT,
    "rate": RATE,
    "burst": BURST,
    "unsent": UNSENT,
    "name": NAME_COLUMNS,
    "chat": CHAT_CHARACTERS,
}


class Core:
    """An `Arrivals`: sessions, tables and their deadlines. ``clock`` is the harvester's, in ns."""

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
        table, match, player = record.first_ids()
        chance = Chance(config.seed)
        self.gate = Gate(record)
        self.sessions = Sessions(chance, player)
        self.timers = Timers()
        self.lobby = Lobby(
            self.gate,
            chance,
            thinker,
            clock,
            table,
            match,
            config.most_tables,
            self._slow_now,
            self._schedule,
        )
        self._config = config
        self._seeded = chance.seeded
        self._clock = clock
        self._arrival = arrival
        self._wake = wake
        self._password = _digest(config.password) if config.password is not None else None
        self._connections: dict[Peer, Connection] = {}
        self._scheduled: dict[int, int] = {}
        self._slow: list[Session] = []
        self._stepping = False

    # What the harvester calls (see `arrivals`)

    def connected(self, peer: Peer) -> None:
        now = self._clock()
        connection = Connection(peer, self.gate, now)
        peer.session = connection
        self._connections[peer] = connection
        if len(self._connections) > self._config.most_connections:
            self._end(connection, "server_full")
            return
        self.timers.set(now + HELLO_TIME, partial(self._expect_hello, connection))

    def table_of(self, frame: Frame) -> Hashable | None:
        connection: Connection = frame.peer.session
        if frame.message is None:
            assert isinstance(frame.payload, bytes)
            try:
                frame.message = connection.talk.receive(frame.payload)
            except (FrameError, RequestError) as error:
                frame.message = error
        message = frame.message
        if isinstance(message, AtTable) and message.table in self.lobby.tables:
            return message.table
        return None

    def race_open(self, table: Hashable, arrival: int) -> bool:
        known = self._table(table)
        if known is None:
            return False
        if known.game is not None and known.game.race_open():
            return True
        due = known.next()
        return due is not None and due <= arrival

    def rank(self, frame: Frame) -> int:
        table = self._table(frame.table)
        session = frame.peer.session.session
        if table is None or session is None or table.game is None or table.game.live is None:
            return -1
        member = table.broadcast.members.get(session.player)
        return -1 if member is None or member.seat is None else table.game.live.rank(member.seat)

    def decide_until(self, moment: int, table: Hashable | None) -> None:
        self._stepping = True
        if table is None:
            self.timers.run(moment)
        elif (known := self._table(table)) is not None:
            self._decide(known, moment)
        self._after()

    def frame(self, frame: Frame) -> None:
        self._stepping = True
        connection: Connection = frame.peer.session
        try:
            self._take(connection, frame)
        except Exception:
            # A fault of ours in what concerns this connection alone; its session stays.
            _log.exception("fault", address=frame.peer.address)
            self._end(connection, "internal")
        self._after()

    def broken(self, peer: Peer, code: str) -> None:
        connection: Connection = peer.session
        connection.say({"t": "error", "code": code, "message": MESSAGES[code]})
        self.closed(peer, code)

    def closed(self, peer: Peer, why: str) -> None:
        self._detach(peer.session, why)
        self._after()

    def drained(self, peer: Peer) -> None:
        connection: Connection = peer.session
        if connection.session is not None:
            for table in list(connection.session.tables.values()):
                table.catch_up(connection.session)
        self._after()

    def next_deadline(self) -> int | None:
        return self.timers.next()

    # Deadlines

    def _table(self, number: Hashable) -> Table | None:
        return self.lobby.tables.get(number) if isinstance(number, int) else None

    def _schedule(self, table: Table) -> None:
        """See to it that the table is called at its next moment."""
        moment = None if table.is_closed else table.next()
        if moment is None:
            self._scheduled.pop(table.number, None)
        elif self._scheduled.get(table.number) != moment:
            self._scheduled[table.number] = moment
            self.timers.set(moment, partial(self._table_due, table))
            if not self._stepping:
                self._wake()

    def _table_due(self, table: Table, moment: int) -> None:
        if self._scheduled.get(table.number) == moment:
            del self._scheduled[table.number]
            self._decide(table, moment)

    def _decide(self, table: Table, moment: int) -> None:
        try:
            table.decide(moment)
        except Exception:
            self._fault(table)

    def _fault(self, table: Table) -> None:
        """A step has failed halfway: what stands there can't be trusted."""
        _log.exception("table closed by a fault", table=table.number)
        if not table.is_closed:
            table.close("fault")
        self._schedule(table)

    def _expect_hello(self, connection: Connection, moment: int) -> None:
        if connection.session is None and connection.peer.open:
            self._end(connection, "bad_request")

    def _beat(self, connection: Connection, moment: int) -> None:
        if not connection.peer.open:
            return
        match connection.beat.step(self._clock()):
            case Beat.PING:
                connection.say({"t": "ping", "n": connection.beat.unanswered})
            case Beat.DROP:
                self._end(connection)
                return
            case Beat.NOTHING:
                pass
        self.timers.set(connection.beat.due, partial(self._beat, connection))

    def _forget(self, session: Session, moment: int) -> None:
        """End a session that nobody has come back to."""
        if session.connection is not None or session.gone_at is None or session.gone_at + KEPT > moment:
            return
        if any(table.playing for table in session.tables.values()):
            self.timers.set(moment + KEPT // 10, partial(self._forget, session))
            return
        for table in list(session.tables.values()):
            table.begin()
            table.leave(session)
            table.settle()
        self.sessions.end(session)
        self.gate.note(SessionEnded(session.player))

    # Connections

    def _after(self) -> None:
        """End a call of the harvester: cut the players who read too slowly."""
        while self._slow:
            session = self._slow.pop()
            if session.connection is not None:
                self._end(session.connection, "slow")
        self._stepping = False

    def _slow_now(self, session: Session) -> None:
        # Not at once: a table is in the middle of sending.
        self._slow.append(session)

    def _end(self, connection: Connection, code: str | None = None, **fields: Any) -> None:
        connection.end(code, MESSAGES[code] if code else "", **fields)
        self._detach(connection, code or "silent")

    def _detach(self, connection: Connection, why: str) -> None:
        """The connection is over; its session, if it has not gone on over another one, is left alone."""
        self._connections.pop(connection.peer, None)
        session = connection.session
        if session is None or session.connection is not connection:
            return
        now = self._clock()
        session.connection, session.gone_at = None, now
        _log.info("gone", player=session.player, why=why)
        for table in list(session.tables.values()):
            table.begin()
            table.absent(session)
            table.settle()
        self.timers.set(now + KEPT, partial(self._forget, session))

    def connected_players(self) -> int:
        """How many sessions have a connection."""
        return sum(session.connection is not None for session in self.sessions)

    def shut_down(self, resume: bool) -> None:
        """Tell everybody that the server ends; the harvester closes the connections."""
        for connection in list(self._connections.values()):
            connection.say(
                {"t": "error", "code": "shutdown", "message": MESSAGES["shutdown"], "resume": resume}
            )

    # Hello

    def _hello(self, connection: Connection, hello: Hello) -> None:
        refusal = self._refusal(connection, hello)
        if refusal is not None:
            _log.info("refused", address=connection.peer.address, code=refusal)
            return self._end(connection, refusal)
        if hello.token is None:
            return self._begin(connection, clean_name(hello.name))
        session = self.sessions.find(hello.token)
        assert session is not None
        return self._resume(connection, session, hello.token)

    def _refusal(self, connection: Connection, hello: Hello) -> str | None:
        if self._config.require_tls and not connection.peer.tls:
            return "tls_required"
        if self._password is not None and not compare_digest(_digest(hello.password or ""), self._password):
            return "password"
        if hello.token is not None:
            return None if self.sessions.find(hello.token) is not None else "token_unknown"
        try:
            name = clean_name(hello.name)
        except BadName:
            return "name_invalid"
        if self.sessions.taken(name):
            return "name_taken"
        return "server_full" if len(self.sessions) >= self._config.most_sessions else None

    def _begin(self, connection: Connection, name: str) -> None:
        session, token = self.sessions.begin(name)
        session.connection, connection.session = connection, session
        if self.gate.keeps:
            self.gate.note(SessionKept(session.player, name, session.digest, session.requests.to_data()))
        self._welcome(connection, session, token, resumed=False)

    def _resume(self, connection: Connection, session: Session, token: str) -> None:
        old, session.connection = session.connection, None
        if old is not None:
            old.end("replaced", MESSAGES["replaced"])
            self._connections.pop(old.peer, None)
        for table in session.tables.values():
            table.begin()
            table.present(session, was_absent=old is None)
            table.broadcast.flush()
        session.connection, connection.session, session.gone_at = connection, session, None
        self._welcome(connection, session, token, resumed=True)
        for table in list(session.tables.values()):
            table.show(session.player)
            table.settle()

    def _welcome(self, connection: Connection, session: Session, token: str, resumed: bool) -> None:
        _log.info("welcome", player=session.player, name=session.name, resumed=resumed)
        connection.say(
            {
                "t": "welcome",
                "version": VERSIONS[0],
                "server": SERVER,
                "player": session.player,
                "token": token,
                "resumed": resumed,
                "last_id": session.requests.last,
                "clock": self._arrival,
                "seeded": self._seeded,
                "heartbeat": HEARTBEAT // MS,
                "limits": LIMITS,
            }
        )
        self.timers.set(connection.beat.due, partial(self._beat, connection))

    # Messages

    def _take(self, connection: Connection, frame: Frame) -> None:
        message = frame.message
        solicited = connection.beat.unanswered > 0
        connection.beat.heard(self._clock())
        match message:
            case FrameError():
                self._end(connection, message.code)
            case RequestError():
                self._take_bad(connection, message, frame.arrival)
            case Hello():
                self._hello(connection, message)
            case Pong() if solicited:
                pass
            case Ping() | Pong():
                self._take_ping(connection, message, frame.arrival)
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
            return self._detach(connection, error.code)
        if error.re is not None:
            reply = self._admit(connection, error.re, arrival)
            if reply is not None:
                reply.error(error.code, error.message, **fields)
            return None
        if self._allowed(connection, arrival):
            connection.say({"t": "error", "code": error.code, "message": error.message, **fields})
        return None

    def _take_ping(self, connection: Connection, message: Ping | Pong, arrival: int) -> None:
        if self._allowed(connection, arrival) and isinstance(message, Ping):
            connection.say({"t": "pong", "n": message.n})

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
            self._end(connection)

    def _do(self, request: Request, arrival: int, reply: Reply) -> None:
        if not isinstance(request, AtTable):
            made = self.lobby.take(reply.session, request, reply)
            if made is not None:
                made.settle()
            return None
        table = self.lobby.tables.get(request.table)
        if table is None:
            return reply.error("no_table")
        reply.at(table.broadcast)
        try:
            table.begin()
            if isinstance(request, Act):
                play_requests.take(table, reply.session, request, arrival, reply)
            else:
                table_requests.take(table, reply.session, request, reply)
            table.settle()
        except Exception:
            self._fault(table)
            if not reply.given:
                reply.error("internal")


def _digest(text: str) -> bytes:
    return sha256(text.encode("utf-8", "surrogatepass")).digest()
