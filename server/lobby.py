"""All tables of a server: listing, making, finding and closing them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from engine.rules import BadRules, Rules
from protocol.messages import Create, Request, Tables
from protocol.text import BadText, clean_table_name

from .limits import key_of
from .reply import Reply
from .seats import bot_name
from .settings import BadSettings, Settings
from .table import Table
from .table_requests import MOST_TABLES

if TYPE_CHECKING:
    from .floor import Floor
    from .session import Session

SEATS: Final = 4


class Lobby:
    """The tables, by number. A number is never used again."""

    def __init__(self, floor: Floor, first_table: int) -> None:
        self.tables: dict[int, Table] = {}
        self._floor = floor
        self._next_table = first_table

    def take(self, session: Session, request: Request, reply: Reply) -> Table | None:
        """Do or refuse a request that is about no table yet; the table it made."""
        match request:
            case Tables():
                reply.tell(tables=[self._listed(table) for table in self.tables.values()])
                return None
            case Create():
                return self._create(session, request, reply)
            case _:
                raise AssertionError(f"{type(request).__name__} is no request about the lobby")

    def _create(self, session: Session, request: Create, reply: Reply) -> Table | None:
        assert session.connection is not None
        address, limits = session.connection.peer.address, self._floor.limits
        made_at = key_of(address)
        made_there = sum(table.made_at == made_at for table in self.tables.values())
        if len(self.tables) >= limits.tables or made_there >= limits.tables_from(made_at):
            reply.error("server_full", "there are too many tables")
            return None
        if len(session.tables) >= MOST_TABLES:
            reply.error("not_now", "you are at too many tables")
            return None
        given = request.rules or {}
        count = SEATS if request.seats is None else request.seats
        try:
            rules = Rules.from_data(given, seats=count)
            settings = Settings().changed(request.settings or {})
            name = session.name if request.name is None else clean_table_name(request.name)
        except (BadRules, BadSettings) as bad:
            reply.error("bad_rules", str(bad), field=bad.field)
            return None
        except BadText as bad:
            reply.error("bad_request", str(bad), field="name")
            return None
        sits = request.sit is not False
        bots = request.bots or []
        if len(bots) > count - sits:
            reply.error("bad_request", "there are more bots than seats", field="bots")
            return None
        if request.password and not self._may_lock(address):
            reply.error("rate", "too many tables with a password")
            return None
        preset = given.get("preset", "dobon")
        table = Table(self._next_table, name, rules, preset, settings, count, self._floor)
        self._next_table += 1
        table.set_password(request.password)
        table.host, table.made_at = session.player, made_at
        for index, level in enumerate(bots, start=int(sits)):
            table.seats[index].seat_bot(level, bot_name(table.seats, index))
        self.tables[table.number] = table
        table.begin()
        table.welcome(session, 0 if sits else None)
        reply.ok(table=table.number, seat=0 if sits else None)
        table.show(session.player)
        return table

    def _may_lock(self, address: str) -> bool:
        locks, now = self._floor.locks, self._floor.clock()
        if not locks.allows(address, now):
            return False
        locks.use(address, now)
        return True

    def _listed(self, table: Table) -> dict[str, Any]:
        """A table in the list. The same object while it says the same: each session keeps its last answer."""
        seq, data = table.listing
        if seq != table.broadcast.seq:
            made = listing_of(table)
            data = made if made != data else data
            table.listing = table.broadcast.seq, data
        return data


def listing_of(table: Table) -> dict[str, Any]:
    """A table in the list of tables."""
    return {
        "table": table.number,
        "name": table.name,
        "preset": table.preset,
        "phase": table.phase,
        "seats": [
            {
                "seat": seat.index,
                "name": seat.name or None,
                "kind": seat.kind,
                **({"level": seat.level} if seat.level else {}),
            }
            for seat in table.seats
        ],
        "spectators": len(table.spectator_names()),
        "password": table.locked,
    }
