"""Who is away from a table, and what follows of it (protocol, sections 3 and 6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .seats import reaction_of
from .settings import MS

if TYPE_CHECKING:
    from .broadcast import Member
    from .session import Session
    from .table import Table


def absent(table: Table, session: Session) -> None:
    """Somebody's connection is gone."""
    member = table.broadcast.members[session.player]
    due = table.broadcast.now + table.settings.away_time * MS
    member.behind = False
    if member.seat is None:
        table.broadcast.emit("spectator", {"name": session.name, "here": False})
    else:
        seat = table.seats[member.seat]
        if seat.status == "online":
            table.set_status(seat, "away")
        seat.away_due = due
    if table.host == session.player:
        table.host_due = due


def present(table: Table, session: Session, was_absent: bool) -> None:
    """Somebody is back, or goes on over another connection; a view is due."""
    member = table.broadcast.members[session.player]
    if table.host == session.player:
        table.host_due = None
    if member.seat is not None:
        seat = table.seats[member.seat]
        seat.away_due, seat.automatic, seat.overdue = None, False, 0
        if seat.status != "online":
            table.set_status(seat, "online")
    elif was_absent:
        table.broadcast.emit("spectator", {"name": session.name, "here": True})


def returned(table: Table, session: Session) -> None:
    """Somebody who is back gets their view; who is here is the host before who has been away too long."""
    table.show(session.player)
    if host_is_gone(table):
        hand_over(table)


def host_is_gone(table: Table) -> bool:
    """Whether the host has left, or has been away too long with nobody there to follow."""
    member = table.broadcast.members.get(table.host)
    return member is None or (member.session.connection is None and table.host_due is None)


def decide(table: Table, moment: int) -> None:
    """Those whose `away_time` was over at ``moment`` are played for, and are hosts no longer."""
    for seat in table.seats:
        if seat.away_due is not None and seat.away_due <= moment:
            seat.away_due = None
            if table.playing and seat.status == "away":
                table.play_for(seat)
    if table.host_due is not None and table.host_due <= moment:
        table.host_due = None
        hand_over(table)


def tell_reactions(table: Table) -> None:
    """Bots hold back while a human is seated: tell it when the first has come, and when the last has gone."""
    human, before = table.human_seated, table.human_told
    table.human_told = human
    if table.is_closed or before in (None, human):
        return
    for seat in table.seats:
        level = seat.bot_level
        if seat.kind == "bot" and reaction_of(level, table.settings, human) != reaction_of(
            level, table.settings, not human
        ):
            table.tell_seat(seat)


def hand_over(table: Table) -> None:
    """Make who has sat the longest the host, with nobody seated who has looked on; the absent come last."""
    members = [m for m in table.broadcast.members.values() if m.session.player != table.host]
    if table.host in table.broadcast.members:
        # Only away: a host who is here takes over, or nobody does.
        members = [m for m in members if m.session.connection is not None]
    if members:
        table.host = min(members, key=lambda m: _claim_to_host(table, m)).session.player
        table.tell_host()
        if table.broadcast.members[table.host].session.connection is None:
            table.host_due = table.broadcast.now + table.settings.away_time * MS
    elif table.game is not None and table.game.paused:
        # Nobody is left to let the next round come.
        table.pause(False)


def _claim_to_host(table: Table, member: Member) -> tuple[bool, bool, int]:
    since = member.since if member.seat is None else table.seats[member.seat].since
    return member.seat is None, member.session.connection is None, since
