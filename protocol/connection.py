"""One conversation, without I/O: bytes or payloads go in, typed messages come out (sections 2, 3, 6).

`ServerConnection` is one connection as the server sees it; what belongs to the session and survives the
connection is `once.Requests`. `ClientConnection` is a player's or spectator's end over any number of
connections of one session.
"""

from collections import deque
from collections.abc import Iterator
from enum import Enum, auto
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from msgspec.structs import replace

from .codes import FrameError, RequestError
from .frame import (
    CLIENT_LIMIT,
    SERVER_DEPTH,
    SERVER_LIMIT,
    FrameReader,
    decode_payload,
    encode_frame,
    pad_frame,
)
from .messages import (
    VERSIONS,
    ClientMessage,
    Closed,
    Create,
    Dobon,
    Error,
    Event,
    Hello,
    Join,
    Leave,
    Ok,
    Ping,
    Pong,
    Request,
    ServerMessage,
    Sync,
    Unknown,
    View,
    Watch,
    Welcome,
    parse_request,
    parse_server,
    to_data,
)


class State(Enum):
    """Where a connection stands."""

    HELLO = auto()
    """The hello, or its answer, is awaited."""
    OPEN = auto()
    CLOSED = auto()
    """Nothing more is taken; the transport is to be closed once what is to be sent is sent."""


Said: TypeAlias = Literal["hello", "other"]
# What a client may say when. Any other pair is answered `bad_request`, and the connection closes.
_SERVER: Final[dict[tuple[State, Said], State]] = {
    (State.HELLO, "hello"): State.OPEN,
    (State.OPEN, "other"): State.OPEN,
}

Heard: TypeAlias = Literal["welcome", "error", "other"]
# What a server may say when. Any other pair is a fault of the server.
_CLIENT: Final[dict[tuple[State, Heard], State]] = {
    (State.HELLO, "welcome"): State.OPEN,
    (State.HELLO, "error"): State.CLOSED,
    (State.OPEN, "error"): State.OPEN,
    (State.OPEN, "other"): State.OPEN,
}

ENDS: Final = frozenset({"bad_frame", "frame_too_large", "replaced", "slow", "shutdown"})
"""Codes of an error without `re` after which the server closes an open connection. (`rate` without `re`
closes after 200 refusals, but also answers a ping too many, so it is not among them.)"""
GONE: Final = frozenset({"no_table", "not_at_table"})
"""Codes that say of a table that one is not there any more (of a play perhaps only that one does not sit)."""


class ServerConnection:
    """The server's side of one connection: which messages may come when."""

    __slots__ = ("state",)

    def __init__(self) -> None:
        self.state = State.HELLO

    def receive(self, payload: bytes) -> ClientMessage:
        """The message of one payload.

        Raises FrameError or RequestError, to be answered with `error`; if `state` is CLOSED then, the
        connection is closed after that answer.
        """
        if self.state is State.CLOSED:
            raise FrameError("bad_frame", "the connection is closed")
        try:
            data = decode_payload(payload)
        except FrameError:
            self.state = State.CLOSED
            raise
        said: Said = "hello" if data.get("t") == "hello" else "other"
        before = self.state
        self.state = _SERVER.get((before, said), State.CLOSED)
        if self.state is State.CLOSED:
            what = "the first message is hello" if before is State.HELLO else "hello comes once"
            raise RequestError("bad_request", what, "t")
        try:
            return parse_request(data)
        except RequestError:
            if said == "hello":
                self.state = State.CLOSED
            raise


class Answer(NamedTuple):
    """A request and what became of it: its reply, or None if it was lost together with its session."""

    request: Request
    reply: Ok | Error | None


MOST_TABLES: Final = 100
"""Tables that a client follows; no server of ours lets a session be at more than 16."""
MOST_OWED: Final = 1000
"""Frames that a client owes a server that does not read, or does not answer; in a game they are a few."""

Received: TypeAlias = Welcome | Answer | Error | View | Event | Pong


class ClientConnection:
    """A client's side of one session.

    `connect()` for every new connection; bytes from the socket into `receive`, `data_to_send()` to the
    socket after either and after `send`. It numbers requests, keeps them until they are answered and
    sends them again after a resume, answers pings, and lets no event of a table through out of order.

    While a Dobon is unanswered nothing is sent behind it: read together, both would carry the later
    stamp (section 5).
    """

    def __init__(self, name: str, agent: str, token: str | None = None, password: str | None = None) -> None:
        self.name = name
        self.agent = agent
        self.token = token
        self.password = password
        self.padded = False
        """Whether the present connection is encrypted: then the lengths of frames are to tell nothing."""
        self.state = State.CLOSED
        self.welcome: Welcome | None = None
        self.end: Error | None = None
        """The error that closed the present connection, or told that it will be."""
        self._kicked = False
        self._broken = False
        self._reader = FrameReader(SERVER_LIMIT)
        self._outgoing: deque[tuple[bytes, int | None]] = deque()
        self._alone: int | None = None
        self._last_id = 0
        self._pings = 0
        self._unanswered: dict[int, tuple[Request, bytes, bool]] = {}
        self._syncing: set[int] = set()
        self._seqs: dict[int, int | None] = {}
        self._unseen: set[int] = set()
        """Tables whose view has not come since the resume."""

    def connect(self) -> None:
        """Begin a connection: its first frame is the hello, with the token if there is one."""
        self.state = State.HELLO
        self.end = None
        self._reader = FrameReader(SERVER_LIMIT)
        self._outgoing.clear()
        self._alone = None
        hello = Hello(
            versions=list(VERSIONS),
            name=self.name,
            agent=self.agent,
            token=self.token,
            password=self.password,
        )
        self._outgoing.append((encode_frame(to_data(hello), CLIENT_LIMIT), None))

    @property
    def may_reconnect(self) -> bool:
        """Whether to dial again unasked after the connection is gone: not after `replaced`, `kicked`, a
        hello that was refused, a shutdown for good, or a server that broke the protocol. A server that is
        full, or can write nothing down, still keeps the session that there is."""
        if self._kicked or self._broken:
            return False
        if self.end is None:
            return True
        if self.end.code == "server_full":
            return self.welcome is not None
        return self.end.code in ("slow", "shutdown") and self.end.resume is not False

    @property
    def unanswered(self) -> list[Request]:
        """The requests that wait for their answer, in order."""
        return [request for request, _, _ in self._unanswered.values()]

    def send(self, request: Request, alone: bool = False) -> int:
        """Number a request, queue it, and return its id.

        With `alone` nothing goes out behind it before its answer, as behind every Dobon: for a play
        in the opening race. Between two connections it waits for the resume. Raises ValueError if it
        cannot be said (text that is no Unicode, more than a frame holds) or before the first welcome.
        """
        if self.welcome is None:
            raise ValueError("there is no session yet")
        numbered = replace(request, id=self._last_id + 1)
        frame = encode_frame(to_data(numbered), CLIENT_LIMIT)
        self._last_id = numbered.id
        alone = alone or isinstance(request, Dobon)
        self._unanswered[numbered.id] = (numbered, frame, alone)
        if self.state is State.OPEN:
            self._outgoing.append((frame, numbered.id if alone else None))
        return numbered.id

    def ping(self) -> int:
        """Queue a ping and return its number, which the Pong brings back."""
        self._pings += 1
        self._say(Ping(n=self._pings))
        return self._pings

    def data_to_send(self) -> bytes:
        """Take the bytes that may be sent now."""
        taken = bytearray()
        while self._outgoing and self._alone is None:
            frame, self._alone = self._outgoing.popleft()
            taken += self._disguised(frame) if self.padded else frame
        return bytes(taken)

    def receive(self, data: bytes) -> Iterator[Received]:
        """What the server said with these bytes, in order. To be run to its end.

        Raises FrameError if the server breaks the protocol; the state is CLOSED then.
        """
        self._reader.feed(data)
        try:
            for payload in self._reader.frames():
                if self.state is State.CLOSED:
                    return
                message = self._parse(decode_payload(payload, SERVER_DEPTH))
                if message is not None:
                    yield from self._take(message)
        except FrameError:
            self.state = State.CLOSED
            self._broken = True
            raise

    def _disguised(self, frame: bytes) -> bytes:
        """The frame padded, if it can be: by its length one sees what was thrown, how long a password is."""
        padded = pad_frame(frame)
        return padded if len(padded) - 4 <= CLIENT_LIMIT else frame

    def _bear(self, owed: int) -> None:
        """Raise FrameError for a server that only makes work: nothing may pile up here."""
        if owed >= MOST_OWED:
            raise FrameError("bad_frame", "it asks for more than it takes")

    def _say(self, message: Ping | Pong) -> None:
        self._outgoing.append((encode_frame(to_data(message), CLIENT_LIMIT), None))

    def _parse(self, data: dict[str, Any]) -> ServerMessage | None:
        asked = None
        if data.get("t") == "ok":
            re = data.get("re")
            known = self._unanswered.get(re) if type(re) is int else None
            asked = None if known is None else str(known[0].__struct_config__.tag)
        return parse_server(data, asked)

    def _take(self, message: ServerMessage) -> Iterator[Received]:
        heard: Heard = "other"
        if isinstance(message, Welcome):
            heard = "welcome"
        elif isinstance(message, Error):
            heard = "error"
        state = _CLIENT.get((self.state, heard))
        if state is None:
            raise FrameError("bad_frame", f"{type(message).__name__} comes at the wrong time")
        self.state = state
        if self._unseen and state is State.OPEN and not isinstance(message, Welcome | View):
            self._ask_after_tables(getattr(message, "table", None))
        match message:
            case Welcome():
                yield from self._welcomed(message)
            case Error() if message.re is None or state is State.CLOSED:
                self._told(message)
                yield message
            case Ok() | Error():
                yield from self._answered(message)
            case Ping():
                self._bear(len(self._outgoing))
                self._say(Pong(n=message.n))
            case Pong():
                yield message
            case View():
                self._seqs[message.table] = message.seq
                if len(self._seqs) > MOST_TABLES:
                    raise FrameError("bad_frame", "it shows more tables than there can be")
                self._unseen.discard(message.table)
                yield message
            case _:
                yield from self._happened(message)

    def _welcomed(self, welcome: Welcome) -> Iterator[Received]:
        if welcome.version not in VERSIONS:
            raise FrameError("bad_frame", "the server chose a version that was not offered")
        self.welcome = welcome
        self.token = welcome.token
        if not welcome.resumed:
            lost = list(self._unanswered.values())
            self._unanswered.clear()
            self._syncing.clear()
            self._seqs.clear()
            self._unseen.clear()
            self._last_id = welcome.last_id
            yield welcome
            yield from (Answer(request, None) for request, _, _ in lost)
            return
        self._last_id = max(self._last_id, welcome.last_id)
        self._seqs = dict.fromkeys(self._seqs, None)
        self._unseen = set(self._seqs)
        # Whatever the server saw of them: it does none twice, and answers each.
        for number, (_, frame, alone) in self._unanswered.items():
            self._outgoing.append((frame, number if alone else None))
        yield welcome

    def _ask_after_tables(self, alive: int | None) -> None:
        """The views of a resume are over: where there was none, one is gone, or the table is. Of the one
        that is ``alive`` something was heard."""
        for table in sorted(self._unseen & self._seqs.keys()):
            if table != alive:
                self._syncing.add(self.send(Sync(table=table)))
        self._unseen &= {alive}

    def _answered(self, reply: Ok | Error) -> Iterator[Received]:
        if reply.re == self._alone:
            self._alone = None
        known = self._unanswered.pop(reply.re or 0, None)
        if known is None:
            return
        request = known[0]
        if isinstance(reply, Ok):
            if isinstance(request, Leave):
                self._seqs.pop(request.table, None)
            elif isinstance(request, Create | Join | Watch):
                self._kicked = False
        if request.id not in self._syncing:
            yield Answer(request, reply)
            return
        self._syncing.discard(request.id)
        if isinstance(reply, Error) and isinstance(request, Sync):
            if reply.code in GONE:
                self._seqs.pop(request.table, None)
                yield Answer(request, reply)
            else:
                # Refused for now (the rate): the next event shows the gap again and asks again.
                self._seqs[request.table] = 0

    def _told(self, error: Error) -> None:
        if error.code == "kicked":
            self._kicked = True
        if error.code == "kicked" and error.table is not None:
            self._seqs.pop(error.table, None)
        elif self.state is State.CLOSED or error.code in ENDS or error.code == "kicked":
            self.end = error

    def _happened(self, event: Event | Unknown) -> Iterator[Received]:
        last = self._seqs.get(event.table)
        if last is None or event.seq <= last:
            return
        if event.seq > last + 1:
            self._seqs[event.table] = None
            self._bear(len(self._syncing))
            self._syncing.add(self.send(Sync(table=event.table)))
            return
        self._seqs[event.table] = event.seq
        if isinstance(event, Closed):
            del self._seqs[event.table]
        if not isinstance(event, Unknown):
            yield event
