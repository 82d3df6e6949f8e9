"""The one answer of a request, and what people are told with each code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from protocol.frame import encode_frame

from .record import SessionKept

if TYPE_CHECKING:
    from .broadcast import Broadcast
    from .record import Gate
    from .session import Session

MESSAGES: Final = {
    "bad_frame": "that is no frame of this protocol",
    "frame_too_large": "a frame is longer than allowed",
    "unknown_type": "there is no such request",
    "bad_request": "that request has a field that will not do",
    "version": "none of these versions is spoken here",
    "name_invalid": "that name can't be used",
    "name_taken": "somebody here has that name",
    "password": "that is not the password",
    "server_full": "the server is full",
    "token_unknown": "that session is over",
    "tls_required": "this server wants TLS",
    "replaced": "the session goes on over another connection",
    "duplicate": "that request was decided before; look at the view",
    "rate": "too many requests",
    "slow": "too much was left unread",
    "shutdown": "the server shuts down",
    "no_table": "there is no such table",
    "not_at_table": "you are not at that table",
    "table_full": "there is no free seat",
    "seat_taken": "that seat is taken",
    "not_host": "only the host may do that",
    "not_now": "that can't be done now",
    "stale": "that was about something else than what is asked now",
    "not_your_turn": "it is not your turn",
    "not_in_hand": "you don't hold that card",
    "does_not_fit": "that card can't be played now",
    "must_answer": "you hold an answer and must play it",
    "must_play": "a card fits and must be played",
    "suit_needed": "a suit must be named with that card",
    "cannot_draw": "you can't draw now",
    "cannot_pass": "you can't pass now",
    "window_closed": "you have waived that card",
    "too_late": "that card could no longer be claimed",
    "not_eligible": "your hand does not claim that card",
    "already_claimed": "you have claimed that card before",
    "bad_rules": "rules like that can't be played",
    "kicked": "the host of this server does not let you in",
    "internal": "the server has made a mistake",
}


UNKEPT: Final = "nothing can be written down now, perhaps the disk is full: the game waits until it can"


class Reply:
    """The answer to one request, to be given once: now or, for what is held, later, on whichever connection
    the session has then."""

    __slots__ = ("_broadcast", "_gate", "given", "request", "session")

    def __init__(self, session: Session, request: int, gate: Gate) -> None:
        self.session = session
        self.request = request
        self.given = False
        self._gate = gate
        self._broadcast: Broadcast | None = None

    def at(self, broadcast: Broadcast) -> None:
        """The request is about this table: its answer takes its place among the table's events."""
        self._broadcast = broadcast

    def ok(self, **fields: Any) -> None:
        self._give({"t": "ok", "re": self.request, **fields})

    def tell(self, **fields: Any) -> None:
        """Answer a question. That may be long, and nothing was decided: what it says is not recorded."""
        self._give({"t": "ok", "re": self.request, **fields}, question=True)

    def error(self, code: str, message: str | None = None, **fields: Any) -> None:
        text = MESSAGES[code] if message is None else message
        self._give({"t": "error", "re": self.request, "code": code, "message": text, **fields})

    def __call__(self, code: str | None, by: int | None = None) -> None:
        """How a table answers what was asked of a round."""
        if code is None:
            self.ok()
        elif by is None:
            self.error(code)
        else:
            self.error(code, by=by)

    def _give(self, message: dict[str, Any], question: bool = False) -> None:
        session = self.session
        self.given = True
        if session.ended:
            # To what was held when its player was put out: a row of it would bring the session back.
            return
        session.requests.decide(self.request, message)
        if self._gate.keeps:
            requests = session.requests.to_data(question)
            self._gate.note(SessionKept(session.player, session.name, session.digest, requests))
        frame = encode_frame(message)
        if self._broadcast is not None and session.player in self._broadcast.members:
            self._broadcast.to(session.player, frame)
        elif session.connection is not None:
            session.connection.send(frame)
