"""What people may ask of a table, apart from playing (protocol, section 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.rules import BadRules
from protocol.messages import (
    AtTable,
    Bot,
    Chat,
    Join,
    Kick,
    Leave,
    Pause,
    SetRules,
    Start,
    Sync,
    Watch,
)
from protocol.text import BadText, clean_chat

from .limits import MOST_SPECTATORS
from .reply import Reply
from .seats import Seat, bot_name
from .settings import BadSettings

if TYPE_CHECKING:
    from .session import Session
    from .table import Table

MOST_TABLES = 16
"""How many tables one session may be at."""


def join(table: Table, session: Session, request: Join, reply: Reply) -> None:
    member = table.broadcast.members.get(session.player)
    here = None if member is None else member.seat
    if request.seat is not None and request.seat >= len(table.seats):
        return reply.error("bad_request", "there is no such seat", field="seat")
    if table.playing:
        return _join_in_match(table, session, request, reply)
    if member is None and not _may_enter(table, session, request.password, reply):
        return None
    if here is not None and request.seat in (None, here):
        reply.ok(seat=here)
        return table.show(session.player)
    free = [seat.index for seat in table.seats if seat.kind == "empty"]
    if request.seat is None and not free:
        return reply.error("table_full")
    index = free[0] if request.seat is None else request.seat
    if index not in free:
        return reply.error("seat_taken")
    reply.ok(seat=index)
    table.take_seat(session, index)
    return table.show(session.player)


def _join_in_match(table: Table, session: Session, request: Join, reply: Reply) -> None:
    """Only who played in this match from the start sits down again, and only in their own seat."""
    own = next((seat for seat in table.seats if seat.player == session.player), None)
    if own is None or request.seat not in (None, own.index):
        return reply.error("not_now")
    reply.ok(seat=own.index)
    if own.status == "left":
        table.take_back(session, own)
    elif own.status == "autopilot":
        own.automatic, own.overdue = False, 0
        table.set_status(own, "online")
    return table.show(session.player)


def watch(table: Table, session: Session, request: Watch, reply: Reply) -> None:
    member = table.broadcast.members.get(session.player)
    if member is None and not _may_enter(table, session, request.password, reply):
        return None
    if member is not None and member.seat is not None and table.playing:
        return reply.error("not_now")
    if member is None and not _room_for_spectator(table):
        return reply.error("table_full")
    reply.ok()
    if member is None or member.seat is not None:
        table.look_on(session)
    return table.show(session.player)


def _room_for_spectator(table: Table) -> bool:
    looking_on = sum(member.seat is None for member in table.broadcast.members.values())
    return len(table.spectator_names()) < table.floor.limits.spectators and looking_on < MOST_SPECTATORS


def _may_enter(table: Table, session: Session, password: str | None, reply: Reply) -> bool:
    refusal = _password_refusal(table, session, password)
    if refusal is not None:
        reply.error(refusal)
    elif len(session.tables) >= MOST_TABLES:
        reply.error("not_now", "you are at too many tables")
    else:
        return True
    return False


def _password_refusal(table: Table, session: Session, password: str | None) -> str | None:
    if not table.locked:
        return None
    if password is None:
        return "password"
    assert session.connection is not None
    address, now = session.connection.peer.address, table.broadcast.now
    if not table.floor.guesses.allows(address, now):
        return "rate"
    if table.admits(password):
        return None
    table.floor.guesses.use(address, now)
    return "password"


def leave(table: Table, session: Session, request: Leave, reply: Reply) -> None:
    reply.ok()
    table.leave(session)


def sync(table: Table, session: Session, request: Sync, reply: Reply) -> None:
    reply.ok()
    table.show(session.player)


def chat(table: Table, session: Session, request: Chat, reply: Reply) -> None:
    try:
        text = clean_chat(request.text)
    except BadText as bad:
        return reply.error("bad_request", str(bad), field="text")
    reply.ok()
    member = table.broadcast.members[session.player]
    table.broadcast.emit("chat", {"from": session.name, "seat": member.seat, "text": text})
    return None


# The host's


def bot(table: Table, session: Session, request: Bot, reply: Reply) -> None:
    seat = _seat(table, request.seat, reply)
    if seat is None:
        return None
    if table.playing:
        if not _replaceable(seat) or request.level is None:
            return reply.error("not_now")
    elif seat.kind == "human":
        return reply.error("seat_taken")
    reply.ok()
    if seat.seated:
        expel(table, seat)
    if request.level is None:
        seat.clear()
    else:
        seat.seat_bot(request.level, bot_name(table.seats, seat.index))
    return table.tell_seat(seat)


def kick(table: Table, session: Session, request: Kick, reply: Reply) -> None:
    seat = _seat(table, request.seat, reply)
    if seat is None:
        return None
    if table.playing and not _replaceable(seat):
        return reply.error("not_now")
    if seat.kind == "empty" or seat.player == session.player:
        return reply.error("bad_request", "there is nobody to remove in that seat", field="seat")
    reply.ok()
    if seat.seated:
        expel(table, seat)
    elif seat.kind == "bot":
        seat.clear()
        table.tell_seat(seat)
    return None


def expel(table: Table, seat: Seat) -> None:
    """Remove the human in this seat from the table, and say so to them."""
    member = table.broadcast.member_at(seat.index)
    assert member is not None
    session = member.session
    table.leave(session)
    if session.connection is not None:
        text = "the host has removed you from the table"
        session.connection.say({"t": "error", "code": "kicked", "message": text, "table": table.number})


def _seat(table: Table, index: int, reply: Reply) -> Seat | None:
    if index < len(table.seats):
        return table.seats[index]
    reply.error("bad_request", "there is no such seat", field="seat")
    return None


def _replaceable(seat: Seat) -> bool:
    return seat.kind == "human" and seat.status in ("away", "autopilot", "left")


def rules(table: Table, session: Session, request: SetRules, reply: Reply) -> None:
    if table.playing:
        return reply.error("not_now")
    changes = request.rules or {}
    try:
        changed = table.rules.changed(changes, seats=len(table.seats))
        settings = table.settings.changed(request.settings or {})
    except (BadRules, BadSettings) as bad:
        return reply.error("bad_rules", str(bad), field=bad.field)
    data: dict[str, Any] = {"rules": changed.to_data(), "settings": settings.to_data()}
    reply.ok(**data)
    if (changed, settings) == (table.rules, table.settings):
        return None
    pace = table.settings.bot_pace
    table.rules, table.settings = changed, settings
    table.preset = changes.get("preset", table.preset)
    table.broadcast.emit("rules", data)
    if pace != settings.bot_pace:
        for seat in table.seats:
            if seat.kind == "bot":
                table.tell_seat(seat)
    return table.keep()


def start(table: Table, session: Session, request: Start, reply: Reply) -> None:
    if table.playing:
        return reply.error("not_now")
    empty = [seat for seat in table.seats if seat.kind == "empty"]
    if empty and request.fill is None:
        return reply.error("bad_request", "a level must be named for the empty seats", field="fill")
    if not table.floor.gate.roomy:
        return reply.error("server_full", "there is no room left on the disk to write down another match")
    reply.ok()
    for seat in empty:
        assert request.fill is not None
        seat.seat_bot(request.fill, bot_name(table.seats, seat.index))
        table.tell_seat(seat)
    return table.start()


def pause(table: Table, session: Session, request: Pause, reply: Reply) -> None:
    game = table.game
    if game is None or game.over or not game.between:
        return reply.error("not_now")
    reply.ok()
    if game.paused != request.on:
        table.pause(request.on)
    return None


HOSTS = (Bot, Kick, SetRules, Start, Pause)
"""Only the host may ask these."""


def take(table: Table, session: Session, request: AtTable, reply: Reply) -> None:
    """Do or refuse a request about a table that is no play."""
    match request:
        case Join():
            return join(table, session, request, reply)
        case Watch():
            return watch(table, session, request, reply)
    if session.player not in table.broadcast.members:
        return reply.error("not_at_table")
    if isinstance(request, HOSTS) and table.host != session.player:
        return reply.error("not_host")
    match request:
        case Leave():
            return leave(table, session, request, reply)
        case Sync():
            return sync(table, session, request, reply)
        case Chat():
            return chat(table, session, request, reply)
        case Bot():
            return bot(table, session, request, reply)
        case Kick():
            return kick(table, session, request, reply)
        case SetRules():
            return rules(table, session, request, reply)
        case Start():
            return start(table, session, request, reply)
        case Pause():
            return pause(table, session, request, reply)
        case _:
            raise AssertionError(f"{type(request).__name__} is no request about a table")
