"""`dobon export`: a match that was played here as a trace, or a list of all of them."""

from __future__ import annotations

import argparse
import os
import re
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from engine.events import Event
from engine.match import Match
from engine.rules import Rules
from engine.trace import Recorder, compact, seal
from protocol.text import harmless
from protocol.trouble import Translate

from .folder import kept_at
from .journal_rows import read_inputs
from .journal_schema import JOURNAL, SUFFIX, BadJournal, open_to_read, unseal
from .keeping import sentence
from .standing import Unreadable

Json = dict[str, Any]

LABEL = re.compile(r"(?:([a-z0-9-]+)-)?([0-9]{1,15})")
"""How a match is named: by its number, and before it the file it is in where that is not the server's."""


class NoMatch(Exception):
    """There is no such match, or it can't be read; the text is one sentence for people."""


class Listed(NamedTuple):
    """A match in the list. ``label`` finds it again; ``begun`` in s of the epoch."""

    label: str
    begun: int
    players: list[Json]
    ranking: list[Json] | None


def add_arguments(parser: argparse.ArgumentParser, _: Translate) -> None:
    """The options of `dobon export`."""
    parser.add_argument(
        "match", nargs="?", metavar=_("MATCH"), help=_("its number; left out, every match is listed")
    )
    add_data_argument(parser, _)


def add_data_argument(parser: argparse.ArgumentParser, _: Translate) -> None:
    """The option that says which folder matches are kept in."""
    parser.add_argument(
        "--data",
        default=os.environ.get("DOBON_DATA"),
        metavar=_("FOLDER"),
        help=_("where matches are kept"),
    )


def run(args: argparse.Namespace, _: Translate) -> int:
    """Print a trace or the list; 1 where there is no such match."""
    folder = kept_at(args.data)
    try:
        if args.match is None:
            for listed in list_matches(folder, _):
                sys.stdout.write(_line(listed, _))
        else:
            sys.stdout.write(compact(export(folder, args.match, _)) + "\n")
    except NoMatch as problem:
        sys.stderr.write(harmless(str(problem)) + "\n")
        return 1
    return 0


def list_matches(folder: Path, _: Translate) -> Iterator[Listed]:
    """Every match kept in a folder, the oldest of each file first. Raises `NoMatch`."""
    for path in sorted(folder.glob("*" + SUFFIX)):
        with closing(_open(path, _)) as connection:
            query = "SELECT number, data, ranking, begun FROM match ORDER BY number"
            for number, data, ranking, begun in _rows(connection, path, query, _):
                try:
                    players = unseal(data, number)[2]
                    ended = None if ranking is None else unseal(ranking, number)
                except Unreadable:
                    players, ended = [], None
                yield Listed(_label(path, number), begun, players, ended)


def export(folder: Path, label: str, _: Translate) -> Json:
    """One match as a trace. Raises `NoMatch`."""
    found = LABEL.fullmatch(label)
    path = folder / (((found and found[1]) or JOURNAL) + SUFFIX)
    missing = NoMatch(_("There is no match {match} in {path}.").format(match=label, path=folder))
    if found is None or (found[1] and not path.exists()):
        raise missing
    with closing(_open(path, _)) as connection:
        try:
            trace = trace_of(connection, int(found[2]))
        except LookupError:
            raise missing from None
        except (Unreadable, sqlite3.Error, ValueError, OverflowError) as problem:
            said = _("The record of match {match} is damaged: {reason}.")
            raise NoMatch(said.format(match=label, reason=problem)) from None
    return trace


def trace_of(connection: sqlite3.Connection, number: int) -> Json:
    """A match as a trace with times and proofs, as far as its rounds are over.

    Of a round that is still played nothing is shown. Raises LookupError if there is no such match,
    `Unreadable`, sqlite3.Error or ValueError where its record is damaged.
    """
    row = connection.execute("SELECT data, ranking FROM match WHERE number = ?", (number,)).fetchone()
    if row is None:
        raise LookupError(number)
    rules, settings, players = unseal(row[0], number)
    recorder = Recorder(Rules.from_data(rules, seats=len(players)), len(players))
    match = Match(Rules.from_data(rules, seats=len(players)), len(players))
    query = "SELECT number, secret, deal FROM round WHERE match = ? AND result IS NOT NULL ORDER BY number"
    for round, secret, deal in connection.execute(query, (number,)).fetchall():
        drawn, commit = unseal(secret, number, round)
        seed, nonces = unseal(deal, number, round)
        _record_round(recorder, match, seed, connection, number)
        recorder.data["rounds"][-1] |= {
            "secret": drawn.hex(),
            "nonces": [None if nonce is None else nonce.hex() for nonce in nonces],
            "commit": commit.hex(),
        }
    if row[1] is not None:
        recorder.close(unseal(row[1], number))
    recorder.data |= {"match": number, "players": players, "settings": settings}
    return seal(recorder.data)


def _record_round(
    recorder: Recorder, match: Match, seed: bytes, connection: sqlite3.Connection, number: int
) -> None:
    log: list[Event] = []
    round = match.deal(seed, log)
    recorder.deal(seed, log)
    for decided in read_inputs(connection, number, round.number):
        log.clear()
        if decided.code is not None:
            recorder.refused(decided.action, decided.code)
        else:
            if decided.action is None:
                round.expire()
            else:
                round.apply(decided.action)
            recorder.step(decided.action, log)
        step = recorder.data["rounds"][-1]["steps"][-1]
        step |= {"arrival": decided.arrival, "effect": decided.effect}
    match.finish(round)


def _open(path: Path, _: Translate) -> sqlite3.Connection:
    try:
        return open_to_read(path)
    except BadJournal as bad:
        raise NoMatch(sentence(bad, _)) from None


def _rows(connection: sqlite3.Connection, path: Path, query: str, _: Translate) -> list[tuple[Any, ...]]:
    try:
        return connection.execute(query).fetchall()
    except sqlite3.Error as error:
        raise NoMatch(sentence(BadJournal("damaged", path, str(error)), _)) from None


def _label(path: Path, number: int) -> str:
    return str(number) if path.stem == JOURNAL else f"{path.stem}-{number}"


def _line(listed: Listed, _: Translate) -> str:
    begun = datetime.fromtimestamp(listed.begun).isoformat(" ", "minutes")
    names = [player["name"] for player in listed.players]
    if listed.ranking is None:
        said = _("not over: {names}").format(names=", ".join(names))
    else:
        said = ", ".join(
            f"{place['rank']}. {names[place['seat']]} {place['total']}" for place in listed.ranking
        )
    return f"{listed.label}\t{begun}\t{harmless(said)}\n"
