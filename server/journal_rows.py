"""What the entries of a record are as rows of the journal, and as entries again."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from engine.actions import Action, action_from_data, action_to_data

from .journal_schema import seal, unseal
from .record import (
    Decided,
    Entry,
    MatchBegun,
    MatchOver,
    RoundDealt,
    RoundEnded,
    SecretDrawn,
    SessionEnded,
    SessionKept,
    StepKept,
    TableClosed,
    TableKept,
    WindowKept,
)
from .standing import Kept, MatchKept, RoundKept, Unreadable, unpack

Row = tuple[str, tuple[Any, ...]]
"""A statement and its values. To execute it twice is the same as once."""

_COUNT: Final = (
    "INSERT INTO counter VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET next = max(next, excluded.next)"
)
_TABLE: Final = (
    "INSERT INTO place (number, born, data) VALUES (?, ?, ?)"
    " ON CONFLICT (number) DO UPDATE SET data = excluded.data"
)
_NO_WINDOWS: Final = "DELETE FROM window WHERE match IN (SELECT number FROM match WHERE place = ?)"
"""A claim can come too late only for a card of the match being played."""
_NEVER_PLAYED: Final = (
    "DELETE FROM place WHERE number = ? AND NOT EXISTS (SELECT 1 FROM match WHERE place = ?)"
)
"""To make tables and close them again fills no disk."""


class Rows:
    """Makes rows of entries. Inputs are numbered here, so it must get every entry, in order.

    ``offset`` is the wall clock less the clock of the entries, ns; ``wall`` the time of day in s.
    """

    def __init__(self, offset: Callable[[], int], wall: Callable[[], float] = time.time) -> None:
        self._offset = offset
        self._wall = wall
        self._counts: dict[int, tuple[int, int, int]] = {}
        """By table: its match, its round, and how many inputs that has. Of a round that is over, refusals of
        those who came late may still follow."""

    def count_on(self, connection: sqlite3.Connection) -> None:
        """Number inputs on from where an earlier process left off."""
        latest = (
            "SELECT place.number, max(match.number) FROM match"
            " JOIN place ON place.number = match.place WHERE closed IS NULL GROUP BY place.number"
        )
        inputs = "SELECT round, max(place) FROM input WHERE match = ? GROUP BY round ORDER BY round DESC"
        for table, match in connection.execute(latest).fetchall():
            round, count = connection.execute(inputs, (match,)).fetchone() or (0, 0)
            self._counts[table] = (match, round, count)

    def of(self, entries: Sequence[Entry]) -> list[Row]:
        """The rows of a batch; of what is written over in it only the last."""
        latest: dict[tuple[type, int], Entry] = {}
        for entry in entries:
            if isinstance(entry, SessionKept):
                latest[SessionKept, entry.player] = entry
            elif isinstance(entry, StepKept):
                latest[StepKept, entry.table] = entry
        rows: list[Row] = []
        for entry in entries:
            match entry:
                case SessionKept() if latest[SessionKept, entry.player] is not entry:
                    continue
                case StepKept() if latest[StepKept, entry.table] is not entry:
                    continue
            rows += self._rows(entry)
        return rows

    def _rows(self, entry: Entry) -> Iterator[Row]:
        match entry:
            case SessionKept(player, name, digest, requests):
                yield _COUNT, ("player", player + 1)
                data = seal([name, digest, requests], player)
                yield "INSERT OR REPLACE INTO session VALUES (?, ?)", (player, data)
            case SessionEnded(player):
                yield "DELETE FROM session WHERE player = ?", (player,)
            case TableKept(number, born, data):
                yield _COUNT, ("table", number + 1)
                yield _TABLE, (number, born + self._offset(), seal(data, number))
            case StepKept(number, moment, standing):
                blob = seal(standing, number, moment)
                yield "UPDATE place SET moment = ?, standing = ? WHERE number = ?", (moment, blob, number)
            case TableClosed(number, why):
                self._counts.pop(number, None)
                yield "UPDATE place SET closed = ? WHERE number = ?", (why, number)
                if why != "fault":
                    yield "UPDATE place SET standing = NULL WHERE number = ?", (number,)
                    yield _NO_WINDOWS, (number,)
                    yield _NEVER_PLAYED, (number, number)
            case MatchBegun(table, match, rules, settings, seats):
                yield _COUNT, ("match", match + 1)
                statement = "INSERT OR REPLACE INTO match (number, place, data, begun) VALUES (?, ?, ?, ?)"
                yield _NO_WINDOWS, (table,)
                yield statement, (match, table, seal([rules, settings, seats], match), int(self._wall()))
            case _:
                yield self._of_round(entry)

    def _of_round(
        self, entry: SecretDrawn | RoundDealt | Decided | WindowKept | RoundEnded | MatchOver
    ) -> Row:
        match entry:
            case SecretDrawn(_, match, round, secret, commit):
                statement = "INSERT OR REPLACE INTO round (match, number, secret) VALUES (?, ?, ?)"
                return statement, (match, round, seal([secret, commit], match, round))
            case RoundDealt(_, match, round, seed, nonces):
                statement = "UPDATE round SET deal = ? WHERE match = ? AND number = ?"
                return statement, (seal([seed, nonces], match, round), match, round)
            case Decided(table, match, round, action, arrival, effect, code):
                last = self._counts.get(table)
                place = last[2] + 1 if last is not None and last[:2] == (match, round) else 1
                self._counts[table] = (match, round, place)
                plain = None if action is None else action_to_data(action)
                blob = seal([plain, arrival, effect, code], match, round, place)
                return "INSERT OR REPLACE INTO input VALUES (?, ?, ?, ?)", (match, round, place, blob)
            case WindowKept(_, match, seq, closed):
                return "INSERT OR REPLACE INTO window VALUES (?, ?, ?)", (match, seq, closed)
            case RoundEnded(_, match, round, fields):
                statement = "UPDATE round SET result = ? WHERE match = ? AND number = ?"
                return statement, (seal(fields, match, round), match, round)
            case MatchOver(_, match, ranking):
                return "UPDATE match SET ranking = ? WHERE number = ?", (seal(ranking, match), match)


# Reading


def read_sessions(connection: sqlite3.Connection) -> Iterator[SessionKept]:
    """Every session that can be read; one that can't has to begin anew."""
    for player, blob in connection.execute("SELECT player, data FROM session ORDER BY player"):
        try:
            name, digest, requests = unseal(blob, player)
        except Unreadable:
            continue
        yield SessionKept(player, name, digest, requests)


def read_table(connection: sqlite3.Connection, number: int, wall: int) -> Kept:
    """A table that was not closed, at ``wall`` ns of the wall clock. Raises `Unreadable` or sqlite3.Error."""
    query = "SELECT born, data, moment, standing FROM place WHERE number = ?"
    born, data, moment, standing = connection.execute(query, (number,)).fetchone()
    stands = unseal_step(standing, number, moment)
    match = None if stands["match"] is None else read_match(connection, stands["match"])
    inputs = [] if match is None else [round.last for round in match.rounds]
    return Kept(number, wall - born, max([moment, *inputs]), unseal(data, number), stands, match)


def unseal_step(blob: bytes, number: int, moment: int) -> dict[str, Any]:
    """A table's standing out of its row."""
    standing: dict[str, Any] = unpack(unseal(blob, number, moment))
    return standing


def read_match(connection: sqlite3.Connection, match: int) -> MatchKept:
    """A match with every round that was dealt. Raises `Unreadable` or sqlite3.Error."""
    row = connection.execute("SELECT data FROM match WHERE number = ?", (match,)).fetchone()
    if row is None:
        raise Unreadable(f"match {match} is missing")
    rules, settings, _ = unseal(row[0], match)
    rounds = []
    query = "SELECT number, deal, result FROM round WHERE match = ? AND deal IS NOT NULL ORDER BY number"
    for round, deal, result in connection.execute(query, (match,)).fetchall():
        seed, nonces = unseal(deal, match, round)
        told = None if result is None else unseal(result, match, round)
        inputs = read_inputs(connection, match, round)
        taken = [each.action for each in inputs if each.code is None]
        last = max((each.effect for each in inputs), default=0)
        rounds.append(RoundKept(seed, nonces, taken, last, told))
    query = "SELECT seq, closed FROM window WHERE match = ?"
    return MatchKept(match, rules, settings, rounds, dict(connection.execute(query, (match,))))


def read_inputs(connection: sqlite3.Connection, match: int, round: int) -> list[Decided]:
    """Every input of a round, in the order decided. Raises `Unreadable` or sqlite3.Error."""
    found = []
    query = "SELECT place, data FROM input WHERE match = ? AND round = ? ORDER BY place"
    for count, (place, blob) in enumerate(connection.execute(query, (match, round)), 1):
        if place != count:
            raise Unreadable(f"input {count} of round {round} is missing")
        plain, arrival, effect, code = unseal(blob, match, round, place)
        action: Action | None = None if plain is None else action_from_data(plain)
        found.append(Decided(0, match, round, action, arrival, effect, code))
    return found
