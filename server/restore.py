"""Taking up again what a record has kept: sessions, and tables that stand where they stood."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

import structlog

from engine.actions import Action
from engine.rules import Rules
from protocol.once import Requests

from . import absence
from .broadcast import Member
from .live_round import CLAIMS, Answer, Answering
from .passwords import Password
from .reply import Reply
from .revival import Revival
from .series import Series
from .session import Session
from .settings import MS, Settings
from .standing import FORM, SEAT, Kept, Unreadable
from .table import Table

if TYPE_CHECKING:
    from .core import Core
    from .floor import Floor
    from .record import SessionKept

_log = structlog.get_logger("restore")


class Loaded(Protocol):
    """What a record has kept of an earlier process."""

    def sessions(self) -> Iterable[SessionKept]:
        """Every session that was not ended and can be read."""

    def open_tables(self) -> Iterable[int]:
        """The number of every table that was not closed."""

    def table(self, number: int) -> Kept:
        """One of them. Raises `Unreadable`, or anything else where the record makes no sense."""


def restore(core: Core, loaded: Loaded) -> dict[int, str]:
    """Let everything stand where it stood. By number, why a table can't; nothing else is touched by that."""
    sessions = {}
    for kept in loaded.sessions():
        requests = Requests.from_data({**kept.requests, "undecided": []})
        session = Session(kept.player, kept.name, kept.digest, requests=requests)
        sessions[session.player] = session
        core.visitors.take_back(session)
    refused = {}
    for number in loaded.open_tables():
        try:
            table = revive(loaded.table(number), core.floor, sessions)
        except Exception as problem:
            # A damaged record can fail in any way, and must not reach the other tables.
            refused[number] = str(problem) or type(problem).__name__
            for session in sessions.values():
                session.tables.pop(number, None)
        else:
            core.take_up(table)
    for session in sessions.values():
        tables = session.tables.values()
        session.seats = sum(table.broadcast.members[session.player].seat is not None for table in tables)
    if sessions or core.lobby.tables or refused:
        _log.info("taken up", sessions=len(sessions), tables=len(core.lobby.tables), refused=sorted(refused))
    return refused


def revive(kept: Kept, floor: Floor, sessions: Mapping[int, Session]) -> Table:
    """Make a table again, standing where it stood, with nobody connected.

    Raises `Unreadable`, or anything else where the record makes no sense.
    """
    if kept.data["form"] > FORM:
        raise Unreadable("it was written by a newer version of Dobon")
    data, standing = kept.data, kept.standing
    rules = Rules.from_data(data["rules"], seats=data["seats"])
    settings = Settings().changed(data["settings"])
    table = Table(kept.number, data["name"], rules, data["preset"], settings, data["seats"], floor)
    broadcast, now = table.broadcast, floor.clock()
    # A wall clock that was set back must not take the table's time back.
    broadcast.born, broadcast.now = now - max(kept.age, kept.stood), now
    # One number is left out, so that no two views of one seq differ.
    broadcast.seq = standing["seq"] + 1
    table.password = None if data["password"] is None else Password(*data["password"])
    table.series = Series.from_data(standing["series"])
    table.arrivals = standing["arrivals"]
    _seat_people(table, standing, sessions)
    if kept.match is not None:
        revival = Revival(broadcast.born, kept.stood, now)
        match = kept.match
        rules = Rules.from_data(match.rules, seats=len(table.seats))
        table.game = table.new_game(match.number, rules, Settings().changed(match.settings))
        table.game.take_up(standing["game"], match.rounds, match.windows, revival, _answering(table))
    _hand_on_host(table, standing["host"])
    return table


def _seat_people(table: Table, standing: Mapping[str, Any], sessions: Mapping[int, Session]) -> None:
    away = table.settings.away_time * MS
    for seat, data in zip(table.seats, standing["seats"], strict=True):
        for name, value in zip(SEAT, data, strict=True):
            setattr(seat, name, value)
        if seat.seated:
            # Whoever was here has to find back first.
            if seat.status == "online":
                seat.status = "away"
            if seat.status == "away":
                seat.away_due = table.broadcast.now + away
            if seat.player not in sessions:
                seat.status, seat.automatic, seat.away_due = "left", True, None
        seat.automatic = seat.kind == "bot" or seat.status in ("autopilot", "left")
    for player, place, since in standing["members"]:
        session = sessions.get(player)
        if session is not None:
            table.broadcast.members[player] = Member(session, place, since)
            session.tables[table.number] = table


def _hand_on_host(table: Table, host: int) -> None:
    table.host = host
    table.host_due = table.broadcast.now + table.settings.away_time * MS
    if host not in table.broadcast.members:
        absence.hand_over(table)


def _answering(table: Table) -> Answering:
    """How those are told whose requests were held when the table stood still."""

    def answering(action: Action, player: int | None, request: int | None) -> Answer:
        member = None if player is None else table.broadcast.members.get(player)
        if member is None or request is None:
            return _unheard
        requests = member.session.requests
        requests.await_again(request)
        reply = Reply(member.session, request, table.floor.gate)
        reply.at(table.broadcast)
        table.replies.append(reply)
        seat = table.seats[action.seat]

        def answer(code: str | None, by: int | None = None) -> None:
            reply(code, by)
            if code is None and action.do not in CLAIMS:
                seat.overdue = 0

        return answer

    return answering


def _unheard(code: str | None, by: int | None = None) -> None:
    """A bot's answer: it looks at what is asked next."""
