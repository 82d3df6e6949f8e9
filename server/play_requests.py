"""Playing: requests of the protocol's section 3, `Play`, as actions of the engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.actions import THROWS, Action, Do
from engine.cards import SUIT_INDEX, parse_card
from protocol.messages import Act, Dobon, Draw, Pass, Play, Ready, Rps, Waive

from .live_round import CLAIMS, Asked
from .reply import Reply

if TYPE_CHECKING:
    from .seats import Seat
    from .session import Session
    from .table import Table


def take(table: Table, session: Session, request: Act, arrival: int, reply: Reply) -> None:
    """Do, hold or refuse what a seated player wants."""
    member = table.broadcast.members.get(session.player)
    if member is None or member.seat is None:
        return reply.error("not_at_table")
    seat = table.seats[member.seat]
    if table.game is None:
        return reply.error("stale")
    was_played_for = seat.status == "autopilot"
    if was_played_for:
        seat.automatic = False
    if isinstance(request, Ready):
        return _ready(table, seat, request, was_played_for, reply)
    action = action_of(request, seat.index)

    def answer(code: str | None, by: int | None = None) -> None:
        reply(code, by)
        if code is None and action.do not in CLAIMS:
            seat.overdue = 0
        if was_played_for:
            _is_back(table, seat)

    return table.game.act(
        seat.index, Asked(action, request.on, arrival, answer, session.player, reply.request)
    )


def _ready(table: Table, seat: Seat, request: Ready, was_played_for: bool, reply: Reply) -> None:
    assert table.game is not None
    code = table.game.ready(seat.index, request.on, request.nonce)
    reply(code)
    if was_played_for:
        _is_back(table, seat)
    if code is None:
        table.game.tell_ready(seat.index)


def _is_back(table: Table, seat: Seat) -> None:
    if seat.status == "autopilot":
        seat.overdue = 0
        table.set_status(seat, "online")


def action_of(request: Act, seat: int) -> Action:
    """What the engine is asked for."""
    match request:
        case Play():
            suit = None if request.suit is None else SUIT_INDEX[request.suit]
            return Action(seat, Do.PLAY, parse_card(request.card), suit, call=bool(request.call))
        case Draw():
            return Action(seat, Do.DRAW)
        case Pass():
            return Action(seat, Do.PASS)
        case Dobon():
            return Action(seat, Do.DOBON)
        case Waive():
            return Action(seat, Do.WAIVE)
        case Rps():
            return Action(seat, Do.RPS, throw=THROWS.index(request.throw))
        case _:
            raise AssertionError(f"{type(request).__name__} is no play")
