"""Holds a match's export against what one player was shown: a client's own record of it.

The client's record is a file of JSON lines (docs/verify.md): its head, then the views and events of one table
as they were received. Every event of the match must be in the export, in its place and with nothing different
but what only the receiver may know; and nothing may have been told before it was decided.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from engine.trace import meets

Json = dict[str, Any]

MS: Final = 1_000_000
OUTSIDE: Final = {"seat", "spectator", "host", "rules", "chat", "paused", "ready", "closed"}
"""Events of a table that are no part of a match's record."""


class BadRecord(ValueError):
    """The file is no record of a client's; the text says why, in English."""


class Unlike(NamedTuple):
    """The first line of the record that the export does not have like that."""

    line: int
    shown: object
    exported: object


class Alike(NamedTuple):
    """All that was shown is there. `you` is the seat, None for a spectator; `events` how many were compared;
    `rounds` the first and the last round seen, 0 if none was."""

    you: int | None
    events: int
    rounds: tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    data: Json


@dataclass(slots=True)
class _Piece:
    """What was shown without a gap: from a view on, or from the beginning of the match."""

    view: _Line | None
    events: list[_Line]


class _Told(NamedTuple):
    """An event that the export says was told, and when at the earliest, in ms of the table's clock."""

    event: Json
    at: int


def compare(text: str, trace: Mapping[str, Any]) -> Alike | Unlike:
    """Compare a client's record with a sound trace of a server. Raises BadRecord."""
    lines = _lines(text)
    you = next((line.data.get("you") for line in lines if line.data["t"] == "view"), None)
    first = next((line for line in lines if _match_of(line.data) is not None), None)
    if first is None:
        raise BadRecord("no match was played in it")
    if _match_of(first.data) != trace.get("match"):
        return Unlike(first.number, {"match": _match_of(first.data)}, {"match": trace.get("match")})
    if you is not None and not (isinstance(you, int) and 0 <= you < trace["seats"]):
        return Unlike(first.number, {"you": you}, {"seats": trace["seats"]})
    told = list(_told(trace, you))
    at, compared, rounds = 0, 0, []
    for piece in _pieces(lines):
        if not piece.events:
            continue
        found = _place(piece, told, at)
        differs = _follow(piece, told, found)
        if differs is not None:
            return differs
        rounds += [line.data["round"] for line in piece.events if line.data["ev"] == "round"]
        if piece.view is not None and piece.view.data.get("round"):
            rounds.append(piece.view.data["round"])
        at = found + len(piece.events)
        compared += len(piece.events)
    return Alike(you, compared, (min(rounds, default=0), max(rounds, default=0)))


def _lines(text: str) -> list[_Line]:
    rows = text.splitlines()
    if text and not text.endswith("\n"):
        rows.pop()  # a line that was cut short when the client died
    found = []
    for number, row in enumerate(rows, 1):
        try:
            data = json.loads(row)
        except (ValueError, RecursionError):
            raise BadRecord(f"line {number} is not JSON") from None
        if not isinstance(data, dict) or not isinstance(data.get("t"), str):
            raise BadRecord(f"line {number} is no message")
        if data["t"] == "event" and not (isinstance(data.get("ev"), str) and isinstance(data.get("at"), int)):
            raise BadRecord(f"line {number} is no event")
        found.append(_Line(number, data))
    if not found or found[0].data["t"] != "record":
        raise BadRecord("it does not begin like one")
    return found[1:]


def _match_of(data: Json) -> Any:
    is_match = data["t"] == "event" and data["ev"] == "match"
    return data.get("match") if is_match or data["t"] == "view" else None


def _pieces(lines: Sequence[_Line]) -> Iterator[_Piece]:
    piece = _Piece(None, [])
    for line in lines:
        if line.data["t"] == "view":
            yield piece
            piece = _Piece(line if line.data.get("match") is not None else None, [])
        elif line.data["t"] == "event" and line.data["ev"] not in OUTSIDE:
            piece.events.append(line)
    yield piece


def _place(piece: _Piece, told: Sequence[_Told], least: int) -> int:
    """Where in the export a piece begins: behind a view the place from which most of it is alike."""
    if piece.view is None or not least < len(told):
        return least

    def alike(start: int) -> int:
        pairs = zip(piece.events, told[start:], strict=False)
        return next((n for n, (line, each) in enumerate(pairs) if not _same(each.event, line.data)), 10**9)

    return max(range(least, len(told)), key=lambda start: (alike(start), -start))


def _follow(piece: _Piece, told: Sequence[_Told], start: int) -> Unlike | None:
    if piece.view is not None:
        hand = _hand(told[:start], piece.view.data.get("you"))
        shown = piece.view.data.get("hand")
        if hand is not None and isinstance(shown, list) and sorted(map(str, shown)) != sorted(hand):
            return Unlike(piece.view.number, {"hand": shown}, {"hand": hand})
    for place, line in enumerate(piece.events, start):
        if place >= len(told):
            return Unlike(line.number, line.data, "nothing more")
        each = told[place]
        if not _same(each.event, line.data):
            shown = {key: line.data[key] for key in each.event if key in line.data}
            return Unlike(line.number, shown, each.event)
        if line.data["at"] < each.at:
            return Unlike(line.number, {"at": line.data["at"]}, {"at": f"{each.at} or later"})
    return None


def _same(expected: Json, shown: Json) -> bool:
    return meets(expected, shown)


def _hand(told: Sequence[_Told], you: int | None) -> list[str] | None:
    """The hand of a seat after these events; None without a round, or for a spectator."""
    hand: list[str] | None = None
    for event, _at in told:
        match event["ev"]:
            case "round":
                hand = None if you is None else list(event["hands"][you])
            case "round_over":
                hand = None
            case "played" if event["seat"] == you and hand is not None:
                hand.remove(event["card"])
            case "drew" if event["seat"] == you and hand is not None:
                hand += event["cards"]
            case _:
                pass
    return hand


# What the export says was told


def _told(trace: Mapping[str, Any], you: int | None) -> Iterator[_Told]:
    rounds = trace["rounds"]
    begun: Json = {"ev": "match", "match": trace["match"]}
    if rounds:
        begun["commit"] = rounds[0].get("commit")
    # The preset that a trace names beside all fields is not one of them.
    begun["rules"] = {key: value for key, value in trace["rules"].items() if key != "preset"}
    begun |= {"settings": trace["settings"]}
    begun["seats"] = [_without_nothing(player) for player in trace["players"]]
    yield _Told(begun, 0)
    for number, data in enumerate(rounds):
        following = rounds[number + 1] if number + 1 < len(rounds) else None
        for event in data["events"]:
            yield _Told(_seen(event, you), 0)
        yield from _of_steps(data, following, you)
    if "ranking" in trace:
        yield _Told({"ev": "match_over", "ranking": trace["ranking"]}, 0)


def _of_steps(data: Json, following: Json | None, you: int | None) -> Iterator[_Told]:
    lags: list[int] = []
    first = 0
    for step in data["steps"]:
        for event in step.get("events", ()):
            fields = _seen(event, you)
            if event["ev"] == "played":
                lags = []
            elif event["ev"] == "claimed":
                first = step["arrival"] if event["order"] == 1 else first
                lags.append((step["arrival"] - first) // 1000)
                fields["lag"] = lags[-1]
            elif event["ev"] == "round_over":
                fields["claims"] = [
                    {**claim, "lag": lag} for claim, lag in zip(event["claims"], lags, strict=False)
                ]
                fields |= {key: data[key] for key in ("seed", "secret", "nonces")}
                if following is not None:
                    fields["commit"] = following["commit"]
            yield _Told(fields, step["effect"] // MS)


def _without_nothing(player: Mapping[str, Any]) -> Json:
    return {key: value for key, value in player.items() if value is not None}


def _seen(event: Mapping[str, Any], you: int | None) -> Json:
    """An event of the export as this seat got it."""
    fields = dict(event)
    if event["ev"] == "round":
        fields["hands"] = [hand if seat == you else None for seat, hand in enumerate(event["hands"])]
    elif event["ev"] == "drew" and event["seat"] != you:
        fields["cards"] = None
    return fields
