"""Who comes, stays and goes: hello, resume, heartbeats, sessions left alone (protocol, sections 2 and 6)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from hashlib import sha256
from hmac import compare_digest
from typing import TYPE_CHECKING, Any

import structlog

from protocol.frame import CLIENT_LIMIT
from protocol.heartbeat import Beat
from protocol.messages import VERSIONS, Hello
from protocol.text import ANNOUNCER, CHAT_CHARACTERS, NAME_COLUMNS, BadName, clean_name, name_key

from . import absence
from .bans import Bans
from .config import SERVER, Config
from .connection import BURST, HEARTBEAT, HELLO_TIME, RATE, UNSENT, Connection
from .counts import Counts
from .limits import Allowance, Doors
from .record import Gate, SessionEnded, SessionKept
from .reply import MESSAGES, UNKEPT
from .session import KEPT, Session, Sessions
from .settings import MS
from .timers import Timers

if TYPE_CHECKING:
    from .peer import Peer
    from .table import Table

_log = structlog.get_logger("visitors")

LIMITS = {
    "frame": CLIENT_LIMIT,
    "rate": RATE,
    "burst": BURST,
    "unsent": UNSENT,
    "name": NAME_COLUMNS,
    "chat": CHAT_CHARACTERS,
}


class Visitors:
    """Every connection, and every session with or without one. ``clock`` in ns."""

    def __init__(
        self,
        config: Config,
        sessions: Sessions,
        gate: Gate,
        timers: Timers,
        clock: Callable[[], int],
        welcome: dict[str, Any],
        step: Callable[[Table, Callable[[], None]], None],
    ) -> None:
        """``welcome``: what it says to everybody alike; ``step`` makes a step of a table."""
        self.sessions = sessions
        self.guesses = Allowance()
        self.bans = Bans()
        self.counts = Counts()
        self._config = config
        self._doors = Doors(config.limits)
        self._gate = gate
        self._timers = timers
        self._clock = clock
        self._welcome = welcome
        self._step = step
        self._password = _digest(config.password) if config.password is not None else None
        self._connections: dict[Peer, Connection] = {}
        self._slow: list[Session] = []
        self.ending = False
        """Everybody was told that the server ends: nothing is taken or decided any more."""

    def connected(self, peer: Peer) -> None:
        """A connection was accepted: it has to say hello."""
        now = self._clock()
        connection = Connection(peer, self._gate, now)
        peer.session = connection
        self._connections[peer] = connection
        self.counts.connections += 1
        has_room = self._doors.enter(peer.address)
        if self.bans.holds(peer.address):
            self._turn_away(connection, "kicked")
        elif not has_room:
            self._turn_away(connection, "server_full")
        else:
            self._timers.set(now + HELLO_TIME, partial(self._expect_hello, connection))

    def _turn_away(self, connection: Connection, code: str) -> None:
        """End a connection before it has said hello."""
        self.end(connection, code if self._hears(connection) else None)

    def _hears(self, connection: Connection) -> bool:
        """Whether anything can be said to it unasked: not to one that may be about to speak TLS, as a word in
        the open would look as if the server had stopped encrypting."""
        return connection.peer.tls or not self._config.require_tls

    def take_back(self, session: Session) -> None:
        """A session from an earlier process; whoever it belongs to has to come back."""
        session.gone_at = self._clock()
        self.sessions.add(session)
        session.forgetting = True
        self._timers.set(session.gone_at + KEPT, partial(self._forget, session))

    def players(self) -> int:
        """How many sessions have a connection."""
        return sum(session.connection is not None for session in self.sessions)

    def connections(self) -> int:
        """How many connections there are, those without a session too."""
        return len(self._connections)

    def unsent(self) -> int:
        """How many bytes wait for clients to read, over all connections."""
        return sum(peer.unsent for peer in self._connections)

    def end(self, connection: Connection, code: str | None = None, **fields: Any) -> None:
        """End a connection, saying why where there is something to say."""
        self.counts.refusals[code or "silent"] += 1
        connection.end(code, MESSAGES[code] if code else "", **fields)
        self.detach(connection, code or "silent")

    def detach(self, connection: Connection, why: str) -> None:
        """A connection is over; a session that has not gone on over another one is left alone."""
        self._let_go(connection)
        session = connection.session
        if session is None or session.connection is not connection:
            return
        now = self._clock()
        session.connection, session.gone_at = None, now
        _log.info("gone", player=session.player, why=why)
        if not self.ending:
            for table in list(session.tables.values()):
                self._step(table, partial(absence.absent, table, session))
        if not session.forgetting:
            # One for a session, however often it goes: else they would pile up.
            session.forgetting = True
            self._timers.set(now + KEPT, partial(self._forget, session))

    def _let_go(self, connection: Connection) -> None:
        if self._connections.pop(connection.peer, None) is not None:
            self._doors.leave(connection.peer.address)

    def too_slow(self, session: Session) -> None:
        """A player does not read. Not cut at once: a table is in the middle of sending."""
        self._slow.append(session)

    def look_at_unsent(self, connection: Connection) -> None:
        """Cut who asks and does not read: answers count, not only what tables tell."""
        if connection.peer.unsent > 2 * UNSENT and connection.peer.open:
            self.end(connection, "slow")

    def cut_slow(self) -> None:
        """Cut the players that were found too slow."""
        while self._slow:
            session = self._slow.pop()
            if session.connection is not None:
                self.end(session.connection, "slow")

    def stand_still(self) -> None:
        """Tell everybody that the game waits. Not kept, and past everything that is withheld: whose welcome
        is withheld too waits for that, and would take this for a refusal."""
        message = {"t": "error", "code": "server_full", "message": UNKEPT}
        for connection in self._connections.values():
            if connection.welcomed:
                connection.say_at_once(message)

    # What the host does

    def banned(self, session: Session) -> bool:
        """Whether a ban fits this session: its name, or the address it is connected from."""
        connection = session.connection
        return self.bans.names(session.name) or (
            connection is not None and self.bans.holds(connection.peer.address)
        )

    def expel(self, session: Session) -> None:
        """End somebody's session; at their tables it is as if they had left."""
        for table in list(session.tables.values()):
            self._step(table, partial(table.leave, session))
        if session.connection is not None:
            self.end(session.connection, "kicked")
        self._end_session(session)

    def cut_banned(self) -> None:
        """Cut connections from banned addresses that have no session yet."""
        for connection in list(self._connections.values()):
            if connection.session is None and self.bans.holds(connection.peer.address):
                self.end(connection, "kicked")

    def shut_down(self, resume: bool) -> None:
        """Tell everybody that the server ends. Tables stay as they are: nobody has gone away from them."""
        self.ending = True
        message = {"t": "error", "code": "shutdown", "message": MESSAGES["shutdown"], "resume": resume}
        for connection in filter(self._hears, self._connections.values()):
            say = connection.say_at_once if self._gate.stuck else connection.say
            say(message)

    # Hello

    def hello(self, connection: Connection, hello: Hello) -> None:
        """Begin a session or take one up again."""
        if self._gate.stuck:
            connection.end("server_full", UNKEPT)
            self.detach(connection, "server_full")
            return
        refusal = self._refusal(connection, hello)
        if refusal is not None:
            _log.info("refused", address=connection.peer.address, code=refusal)
            self.end(connection, refusal)
        elif hello.token is None:
            self._begin(connection, clean_name(hello.name))
        else:
            session = self.sessions.find(hello.token)
            assert session is not None
            self._resume(connection, session, hello.token)

    def _refusal(self, connection: Connection, hello: Hello) -> str | None:
        if self._config.require_tls and not connection.peer.tls:
            return "tls_required"
        known = None if hello.token is None else self.sessions.find(hello.token)
        if self._password is not None and known is None:
            # Who has a session knew the password when it began.
            refusal = self._password_refusal(connection, hello.password)
            if refusal is not None:
                return refusal
        if hello.token is not None:
            if known is None:
                return "token_unknown"
            return "kicked" if self.bans.names(known.name) else None
        try:
            name = clean_name(hello.name)
        except BadName:
            return "name_invalid"
        if self.bans.names(name):
            return "kicked"
        if self.sessions.taken(name) or name_key(name) == ANNOUNCER:
            return "name_taken"
        has_room = self._doors.may_begin(connection.peer.address, len(self.sessions))
        return None if has_room else "server_full"

    def _password_refusal(self, connection: Connection, given: str | None) -> str | None:
        if given is None:
            return "password"
        address, now = connection.peer.address, self._clock()
        if not self.guesses.allows(address, now):
            return "rate"
        assert self._password is not None
        if compare_digest(_digest(given), self._password):
            return None
        self.guesses.use(address, now)
        return "password"

    def _begin(self, connection: Connection, name: str) -> None:
        session, token = self.sessions.begin(name)
        self._doors.begin(connection.peer.address, session.player)
        session.connection, connection.session = connection, session
        if self._gate.keeps:
            self._gate.note(SessionKept(session.player, name, session.digest, session.requests.to_data()))
        self._say_welcome(connection, session, token, resumed=False)

    def _resume(self, connection: Connection, session: Session, token: str) -> None:
        # While it has no connection, so that what others are told of it does not reach it before its view.
        old, session.connection = session.connection, None
        if old is not None:
            old.end("replaced", MESSAGES["replaced"])
            self._let_go(old)
        for table in list(session.tables.values()):
            self._step(table, partial(absence.present, table, session, old is None))
        session.connection, connection.session, session.gone_at = connection, session, None
        self._say_welcome(connection, session, token, resumed=True)
        for table in list(session.tables.values()):
            self._step(table, partial(absence.returned, table, session))

    def _say_welcome(self, connection: Connection, session: Session, token: str, resumed: bool) -> None:
        _log.info("welcome", player=session.player, name=session.name, resumed=resumed)
        connection.welcome(
            {
                "t": "welcome",
                "version": VERSIONS[0],
                "server": SERVER,
                "player": session.player,
                "token": token,
                "resumed": resumed,
                "last_id": session.requests.last,
                **self._welcome,
                "heartbeat": HEARTBEAT // MS,
                "limits": LIMITS,
            }
        )
        self._timers.set(connection.beat.due, partial(self._beat, connection))

    # Time

    def _expect_hello(self, connection: Connection, moment: int) -> None:
        if connection.session is None and connection.peer.open:
            self._turn_away(connection, "bad_request")

    def _beat(self, connection: Connection, moment: int) -> None:
        if not connection.peer.open:
            return
        match connection.beat.step(self._clock()):
            case Beat.PING if connection.welcomed:
                connection.say_at_once({"t": "ping", "n": connection.beat.unanswered})
            case Beat.DROP:
                self.end(connection)
                return
            case Beat.PING | Beat.NOTHING:
                pass
        self._timers.set(connection.beat.due, partial(self._beat, connection))

    def _forget(self, session: Session, moment: int) -> None:
        """End a session that nobody has come back to."""
        session.forgetting = False
        self._end_if_gone(session, moment)
        if session.gone_at is not None:
            session.forgetting = True
            again = max(session.gone_at + KEPT, moment + KEPT // 10)
            self._timers.set(again, partial(self._forget, session))

    def look_for_gone(self, table: Table) -> None:
        """Nobody plays at this table: who would have been forgotten but for its match is so now, or a table
        with match after match would keep everybody who ever looked on."""
        now = self._clock()
        for member in table.broadcast.members.values():
            gone_at = member.session.gone_at
            if gone_at is not None and gone_at + KEPT <= now:
                self._timers.set(now, partial(self._end_if_gone, member.session))

    def _end_if_gone(self, session: Session, moment: int) -> None:
        if session.gone_at is None or session.gone_at + KEPT > moment:
            return
        if not any(table.playing for table in session.tables.values()):
            for table in list(session.tables.values()):
                self._step(table, partial(table.leave, session))
            self._end_session(session)

    def _end_session(self, session: Session) -> None:
        session.gone_at = None
        self.sessions.end(session)
        self._doors.end(session.player)
        self._gate.note(SessionEnded(session.player))


def _digest(text: str) -> bytes:
    return sha256(text.encode("utf-8", "surrogatepass")).digest()
