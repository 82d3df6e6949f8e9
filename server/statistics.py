"""What became of everybody who played here, computed from the journals of a data folder at every call.

Only matches that are over count. People are told apart by their names, bots by their levels.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any, Final

from engine.actions import Do
from engine.rules import PRESETS, Rules
from protocol.text import name_key

from .journal_rows import read_inputs
from .journal_schema import SUFFIX, BadJournal, open_to_read, unseal
from .ratings import NoRatings, Rating, rate
from .record import Decided
from .standing import Unreadable

Json = dict[str, Any]

MS: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Played:
    """A match that is over, as it is kept. `claims` are by seat, each the ns from the card to the claim and
    those from the first claim on it, None where nobody else claimed it."""

    begun: int
    label: tuple[str, int]
    preset: str
    players: list[Json]
    ranking: list[Json]
    made: list[int]
    suffered: list[int]
    countered: list[int]
    claims: list[list[tuple[int, int | None]]]


@dataclass(slots=True)
class Tally:
    """What one player, or all bots of a level, did in some matches."""

    matches: int = 0
    places: dict[int, int] = field(default_factory=dict)
    points: int = 0
    made: int = 0
    suffered: int = 0
    countered: int = 0
    claims: list[int] = field(default_factory=list)
    lags: list[int] = field(default_factory=list)

    def add(self, match: Played, seat: int, place: Json) -> None:
        self.matches += 1
        self.places[place["rank"]] = self.places.get(place["rank"], 0) + 1
        self.points += place["total"]
        self.made += match.made[seat]
        self.suffered += match.suffered[seat]
        self.countered += match.countered[seat]
        self.claims += [after for after, _lag in match.claims[seat]]
        self.lags += [lag for _after, lag in match.claims[seat] if lag is not None]

    def to_data(self) -> Json:
        return {
            "matches": self.matches,
            "places": {str(rank): self.places[rank] for rank in sorted(self.places)},
            "mean_place": sum(rank * count for rank, count in self.places.items()) / self.matches,
            "points": self.points,
            "dobons": {"made": self.made, "suffered": self.suffered, "countered": self.countered},
            "claim_ms": _middle(self.claims),
            "lag_ms": _middle(self.lags),
        }


def collect(folder: Path) -> Json:
    """The statistics of all journals in a folder, as plain data.

    `matches`, `damaged` (how many could not be read), `rated` (whether there are ratings), and `players`,
    best first: `name` (None for bots), `level` (None for people), `rating` ({`mu`, `sigma`} or None), the
    figures over all, and the same for each preset in `presets`. Figures: `matches`, `places` (how often each
    rank), `mean_place`, `points`, `dobons` (`made`: claims; `suffered`: rounds lost by Dobon; `countered`:
    Dobon returns), `claim_ms` (`median` and `best` time from a card to the claim on it) and `lag_ms` (the
    same behind the first claim, of contests with several claims), both None without any.
    """
    matches: list[Played] = []
    damaged = 0
    for path in sorted(folder.glob("*" + SUFFIX)):
        try:
            found, bad = _read(path)
        except (BadJournal, sqlite3.Error):
            damaged += 1
            continue
        matches += found
        damaged += bad
    matches.sort(key=lambda match: (match.begun, match.label))
    try:
        ratings: dict[str, Rating] | None = rate(map(_ranked, matches))
    except NoRatings:
        ratings = None
    return {
        "matches": len(matches),
        "damaged": damaged,
        "rated": ratings is not None,
        "players": _players(matches, ratings or {}),
    }


def _players(matches: Sequence[Played], ratings: Mapping[str, Rating]) -> list[Json]:
    everything: dict[str, Tally] = {}
    by_preset: dict[str, dict[str, Tally]] = {}
    who: dict[str, Json] = {}
    for match in matches:
        for place in match.ranking:
            seat = place["seat"]
            player = match.players[seat]
            key = _key(player)
            is_bot = player["kind"] == "bot"
            who[key] = {
                "name": None if is_bot else player["name"],
                "level": player.get("level") if is_bot else None,
            }
            everything.setdefault(key, Tally()).add(match, seat, place)
            by_preset.setdefault(key, {}).setdefault(match.preset, Tally()).add(match, seat, place)
    found = []
    for key, tally in everything.items():
        rating = ratings.get(key)
        shown = None if rating is None else {"mu": rating.mu, "sigma": rating.sigma}
        presets = {name: each.to_data() for name, each in sorted(by_preset[key].items())}
        found.append((key, {**who[key], "rating": shown, **tally.to_data(), "presets": presets}))
    least = {key: rating.least for key, rating in ratings.items()}
    found.sort(key=lambda each: (-least.get(each[0], 0.0), each[1]["mean_place"], each[0]))
    return [data for _key, data in found]


def _key(player: Json) -> str:
    """Who somebody is over all matches."""
    return f"bot {player.get('level')}" if player["kind"] == "bot" else f"human {name_key(player['name'])}"


def _ranked(match: Played) -> dict[int, tuple[str, int]]:
    return {place["seat"]: (_key(match.players[place["seat"]]), place["rank"]) for place in match.ranking}


def _middle(times: Sequence[int]) -> Json | None:
    """In ms with a thousandth, from ns."""
    if not times:
        return None
    return {"median": round(median(times) / MS, 3), "best": round(min(times) / MS, 3)}


def preset_of(rules: Rules) -> str:
    """The preset that has the most of these rules: what a table began from, most likely."""
    mine = rules.to_data()
    differ = {
        name: sum(mine[key] != value for key, value in PRESETS[name].to_data().items()) for name in PRESETS
    }
    return min(differ, key=lambda name: differ[name])


# Reading


def _read(path: Path) -> tuple[list[Played], int]:
    """Every match of a journal that is over, and how many could not be read. Raises BadJournal or
    sqlite3.Error."""
    found, bad = [], 0
    with closing(open_to_read(path)) as connection:
        query = "SELECT number, data, ranking, begun FROM match WHERE ranking IS NOT NULL ORDER BY number"
        for number, data, ranking, begun in connection.execute(query).fetchall():
            try:
                rules, _settings, players = unseal(data, number)
                ended = unseal(ranking, number)
                rounds = list(_rounds(connection, number))
            except (Unreadable, sqlite3.Error, ValueError):
                bad += 1
                continue
            found.append(_played(begun, (path.name, number), rules, players, ended, rounds))
    return found, bad


def _rounds(connection: sqlite3.Connection, match: int) -> Iterator[tuple[Json, list[Decided]]]:
    query = "SELECT number, result FROM round WHERE match = ? AND result IS NOT NULL ORDER BY number"
    for round, result in connection.execute(query, (match,)).fetchall():
        yield unseal(result, match, round), read_inputs(connection, match, round)


def _played(
    begun: int,
    label: tuple[str, int],
    rules: Json,
    players: list[Json],
    ranking: list[Json],
    rounds: Sequence[tuple[Json, list[Decided]]],
) -> Played:
    seats = len(players)
    made, suffered, countered = [0] * seats, [0] * seats, [0] * seats
    times: list[list[tuple[int, int | None]]] = [[] for _ in range(seats)]
    for over, inputs in rounds:
        if over["why"] == "dobon":
            for seat in over["losers"]:
                suffered[seat] += 1
        claims = over["claims"]
        several = sum(not claim["counter"] for claim in claims) > 1
        arrived = _arrivals(inputs)
        for claim in claims:
            seat = claim["seat"]
            if claim["counter"]:
                countered[seat] += 1
                continue
            made[seat] += 1
            if seat in arrived:
                times[seat].append((arrived[seat], claim["lag"] * 1000 if several else None))
    preset = preset_of(Rules.from_data(rules, seats=seats))
    return Played(begun, label, preset, players, ranking, made, suffered, countered, times)


def _arrivals(inputs: Sequence[Decided]) -> dict[int, int]:
    """By seat, how many ns after the last card was shown its claim on it arrived."""
    shown = 0
    found: dict[int, int] = {}
    for decided in inputs:
        if decided.code is not None or decided.action is None:
            continue
        if decided.action.do is Do.PLAY:
            shown, found = decided.effect, {}
        elif decided.action.do is Do.DOBON:
            found[decided.action.seat] = decided.arrival - shown
    return found
