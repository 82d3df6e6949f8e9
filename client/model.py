"""What a front end knows: `update(model, message, now) -> model`, pure, the same for every front end.

Fed with a session's stream of messages (client/notices.py), live or recorded, it holds all that is shown.
Times called `now` are the local monotonic clock in ms; times of a table are ms since the table was made, and
`Table.local` turns them into local ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Final, Literal, TypeAlias

from msgspec.structs import replace as changed

from engine.rules import Rules
from protocol import events as e
from protocol.connection import GONE, Answer
from protocol.fields import TableInfo
from protocol.messages import (
    Closed,
    Dobon,
    Draw,
    Error,
    Event,
    Leave,
    OkTables,
    Pass,
    Play,
    Request,
    Sync,
    View,
    Waive,
    Welcome,
)
from protocol.replies import ViewSeat
from protocol.requests import Act

from .advance import advance, settled
from .notices import Away, Checked, Ended, Message, Sent
from .rulebook import rules_of

LOG_LENGTH: Final = 2000
"""Entries that a table's log keeps; a long match has some 1,500."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a table's log: an event, or what came of checking a deal, as it was when it happened.

    `view` is the table just before it (names, hands, the card claimed): what a sentence needs to be told.
    """

    seq: int
    what: Event | Checked
    view: View


@dataclass(frozen=True, slots=True)
class Table:
    """One table as its viewer sees it.

    `view` is the protocol's `view` (protocol, section 4), moved on by every event; read the seats, phase,
    cards and deadlines there, and use its `act_on`, `claim_on`, `ready_on` as `on`. Fields without meaning in
    its phase are None: in `open`, `between` and `over` all that belongs to a round.
    """

    view: View
    offset: int
    """Local ms less the table's ms: the smallest seen, which is the one with the least delay."""
    log: tuple[Entry, ...] = ()
    """What happened since this client came, oldest first, chat too."""
    late: int | None = None
    """By how many µs the viewer's own claim on the card of the last window was too late."""
    checked: Checked | None = None
    """What came of checking the deal of `view.last_round`; None until it was checked, and for ever if its end
    was not seen here."""
    players: tuple[ViewSeat, ...] = ()
    """The seats as they were at the end of `view.last_round`, as far as it is known: who has left since is
    still named."""
    pending: tuple[Request, ...] = ()
    """The viewer's requests about this table that wait for their answer, oldest first: a held play is one."""
    closed: str | None = None
    """Why the table is gone (`closed.why`), or `kicked`; None while it is there."""

    @property
    def id(self) -> int:
        return self.view.table

    @property
    def you(self) -> int | None:
        """The viewer's seat, None for a spectator."""
        return self.view.you

    @property
    def rules(self) -> Rules:
        return rules_of(self.view)

    @property
    def ended(self) -> View:
        """The view with the players of the last round in their seats, which its results are told of."""
        return changed(self.view, seats=list(self.players)) if self.players else self.view

    @property
    def held(self) -> Act | None:
        """The viewer's own action that waits for the end of the grace."""
        return next((each for each in self.pending if isinstance(each, Play | Draw | Pass)), None)

    def seat(self, number: int) -> ViewSeat | None:
        return next((seat for seat in self.view.seats if seat.seat == number), None)

    def local(self, moment: int) -> int:
        """A moment of the table's clock, in local ms."""
        return moment + self.offset

    def left(self, moment: int | None, now: int) -> int | None:
        """The ms from local `now` to a table's `deadline` or `until`, not below 0; None for None."""
        return None if moment is None else max(0, self.local(moment) - now)


Link: TypeAlias = Literal["connecting", "online", "away", "ended"]


@dataclass(frozen=True, slots=True)
class Model:
    """All that a front end shows."""

    link: Link = "connecting"
    retry_at: int | None = None
    """While `link` is `away`: local ms of the next attempt."""
    name: str = ""
    """The name the player asked for; a resumed session may have another, seen at its seat."""
    welcome: Welcome | None = None
    """What the server said of itself and of the session."""
    lobby: tuple[TableInfo, ...] | None = None
    """The answer to the last `tables` request; None before the first."""
    tables: Mapping[int, Table] = field(default_factory=lambda: MappingProxyType({}))
    """Every table that the session is at, by id, and the last one that ended."""
    shown: int | None = None
    """The table that the player came to last."""

    @property
    def table(self) -> Table | None:
        """The table to show, None in the lobby."""
        return None if self.shown is None else self.tables.get(self.shown)

    @property
    def is_host(self) -> bool:
        """Whether the viewer may do what is the host's at the table shown."""
        table = self.table
        if table is None or table.view.host is None:
            return False
        if table.view.host.seat is not None:
            return table.view.host.seat == table.you
        return table.you is None and table.view.host.name == self.name


def update(model: Model, message: Message, now: int) -> Model:
    """The model after a message that came at local time `now`."""
    match message:
        case Welcome():
            tables = model.tables if message.resumed else _none()
            shown = model.shown if message.resumed else None
            online = replace(model, link="online", retry_at=None, welcome=message)
            return replace(online, tables=tables, shown=shown)
        case Away():
            return replace(model, link="away", retry_at=now + message.retry)
        case Ended():
            return replace(model, link="ended", retry_at=None)
        case Sent(request=request):
            return _at_table(model, request, lambda table: replace(table, pending=(*table.pending, request)))
        case Answer():
            return _answered(model, message)
        case Error():
            return _told(model, message)
        case View():
            return _viewed(model, message, now)
        case Checked():
            return _checked(model, message)
        case _:
            return _happened(model, message, now)


def _none() -> Mapping[int, Table]:
    return MappingProxyType({})


def _with(model: Model, table: Table) -> Model:
    return replace(model, tables=MappingProxyType({**model.tables, table.id: table}))


def _at_table(model: Model, request: Request, change: Any) -> Model:
    table = model.tables.get(getattr(request, "table", 0))
    return model if table is None else _with(model, change(table))


def _viewed(model: Model, view: View, now: int) -> Model:
    """A view is the whole: it is taken as it comes; only what it does not hold is kept."""
    old = model.tables.get(view.table)
    table = Table(settled(view), now - view.at)
    if old is not None:
        table = replace(
            table,
            log=old.log,
            pending=old.pending,
            checked=old.checked if old.view.last_round == view.last_round else None,
            players=_players(old, table.view),
            late=old.late if old.view.claim_on == table.view.claim_on else None,
        )
    else:
        table = replace(table, players=_players(None, table.view))
    there = {each: known for each, known in model.tables.items() if known.closed is None}
    shown = model.shown if view.table in there and model.shown in there else view.table
    return replace(model, tables=MappingProxyType({**there, table.id: table}), shown=shown)


def _players(old: Table | None, view: View) -> tuple[ViewSeat, ...]:
    """Who played the last round, from a fresh view: whose seat is empty there was seen before, if ever."""
    if view.last_round is None:
        return ()
    if old is None:
        return tuple(view.seats)
    if old.players and old.view.last_round == view.last_round:
        return old.players
    return tuple((old.seat(seat.seat) or seat) if seat.kind == "empty" else seat for seat in view.seats)


def _happened(model: Model, event: Event, now: int) -> Model:
    table = model.tables.get(event.table)
    if table is None:
        return model
    before = table.view
    view = advance(before, event)
    entry = Entry(event.seq, event, before)
    table = replace(
        table,
        view=view,
        offset=min(table.offset, now - event.at),
        log=(*table.log[1 - LOG_LENGTH :], entry),
    )
    match event:
        case e.RoundBegun() | e.Played():
            table = replace(table, late=None)
        case e.RoundOver():
            table = replace(table, checked=None, players=tuple(view.seats))
        case e.MatchBegun():
            table = replace(table, late=None, checked=None, players=())
        case Closed(why=why):
            table = _closed(table, why)
        case _:
            pass
    return _with(model, table)


def _checked(model: Model, checked: Checked) -> Model:
    table = model.tables.get(checked.table)
    if table is None:
        return model
    entry = Entry(table.view.seq, checked, table.view)
    return _with(model, replace(table, checked=checked, log=(*table.log[1 - LOG_LENGTH :], entry)))


def _told(model: Model, error: Error) -> Model:
    table = model.tables.get(error.table or 0)
    if error.code == "kicked" and table is not None:
        return _with(model, _closed(table, "kicked"))
    return model


def _answered(model: Model, answer: Answer) -> Model:
    request, reply = answer
    model = _at_table(model, request, lambda table: replace(table, pending=_without(table.pending, request)))
    if reply is None:
        return model
    if isinstance(reply, Error):
        if isinstance(request, Dobon) and reply.code == "too_late" and reply.by is not None:
            by = reply.by
            return _at_table(model, request, lambda table: replace(table, late=by))
        if isinstance(request, Sync) and reply.code in GONE:
            # It was while one was not connected.
            why = "kicked" if reply.code == "not_at_table" else "admin"
            return _at_table(model, request, lambda table: _closed(table, why))
        return without(model, request.table) if isinstance(request, Leave) and reply.code in GONE else model
    match request:
        case Leave():
            return without(model, request.table)
        case Pass() | Waive():
            return _at_table(model, request, lambda table: _declined(table, request))
        case _:
            return replace(model, lobby=tuple(reply.tables)) if isinstance(reply, OkTables) else model


def _closed(table: Table, why: str) -> Table:
    """The table as it stood last; nothing is asked any more and no time runs."""
    nothing = dict.fromkeys(
        ("playable", "may", "claim", "act_on", "claim_on", "ready_on", "deadline", "until")
    )
    return replace(table, view=changed(table.view, **nothing, turn_seat=None), closed=why, pending=())


def without(model: Model, table: int) -> Model:
    """The model without a table that was left."""
    tables = {each: known for each, known in model.tables.items() if each != table}
    shown = next(reversed(tables), None) if model.shown == table else model.shown
    return replace(model, tables=MappingProxyType(tables), shown=shown)


def _declined(table: Table, request: Pass | Waive) -> Table:
    """A decline and a waiver have no event of their own: the answer is all there is to know of them."""
    view = table.view
    if isinstance(request, Waive):
        if request.on == view.claim_on and view.claim == "open":
            return replace(table, view=changed(view, claim="waived"))
    elif request.on == view.act_on and view.phase in ("opening", "direction"):
        return replace(table, view=settled(changed(view, playable=None, may=None)))
    return table


def _without(pending: tuple[Request, ...], request: Request) -> tuple[Request, ...]:
    return tuple(each for each in pending if each.id != request.id)
