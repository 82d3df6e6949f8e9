"""Records that strangers have written: one sentence comes of each, and the terminal stays as it is."""

from __future__ import annotations

import argparse
import copy
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from client import replay
from server import verify
from tests.fuzz.frames import anything

MATCH = json.loads((Path(__file__).parents[1] / "client" / "match.json").read_text("utf-8"))
ESCAPE = "\x1b]0;title\x07\x1b[2J\x9b31m\u202eLIVE\n"
Place = tuple[str | int, ...]

PLACES: list[Place] = [
    ("sha256",),
    ("ranking",),
    ("match",),
    ("rules", "claims"),
    ("rules", "preset"),
    ("rules", "effects"),
    ("settings", "grace"),
    ("players", 0, "name"),
    ("players", 0, "kind"),
    *(("rounds", 0, key) for key in ("commit", "seed", "secret", "nonces")),
    *(("rounds", 0, "steps", 0, key) for key in ("do", "seat", "card", "suit", "error")),
    *(("rounds", 0, "events", 0, key) for key in ("ev", "top", "hands", "stock")),
    ("rounds", 0, "steps", -1, "events", -1, "why"),
]


def with_value(place: Place, value: Any) -> dict[str, Any]:
    record: dict[str, Any] = copy.deepcopy(MATCH)
    at: Any = record
    for key in place[:-1]:
        at = at[key]
    if place[-1] == "error":
        del at["events"]
    at[place[-1]] = value
    return record


def places(data: Any, here: Place = ()) -> list[Place]:
    """Every place in a record."""
    found = [here] if here else []
    if isinstance(data, dict):
        for key, value in data.items():
            found += places(value, (*here, key))
    elif isinstance(data, list):
        for index, value in enumerate(data):
            found += places(value, (*here, index))
    return found


def verified(file: Path) -> int:
    return verify.run(argparse.Namespace(file=str(file), data=None, against=None), str)


def replayed(file: Path) -> int:
    options = {
        "data": None,
        "seat": None,
        "open": False,
        "round": 0,
        "match": 1,
        "glyphs": None,
        "plain": True,
    }
    return replay.run(argparse.Namespace(file=str(file), **options), str)


@pytest.mark.parametrize("command", [verified, replayed])
@pytest.mark.parametrize("place", PLACES, ids=lambda place: "-".join(map(str, place)))
def test_no_value_reaches_the_terminal_as_it_is(
    place: Place, command: Callable[[Path], int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "match.json"
    file.write_text(json.dumps(with_value(place, ESCAPE)), "utf-8")
    command(file)
    said, complaints = capsys.readouterr()
    assert all(character.isprintable() or character == "\n" for character in said + complaints)
    assert "\nLIVE" not in said + complaints


def test_a_long_value_is_cut(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "match.json"
    file.write_text(json.dumps(with_value(("sha256",), "A" * 1_000_000)), "utf-8")
    assert verified(file) == 1
    assert len(capsys.readouterr().out) < 5000


@pytest.mark.parametrize("command", [verified, replayed])
def test_spoilt_records_end_in_a_sentence(
    command: Callable[[Path], int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chance = random.Random(7)
    everywhere = places(MATCH)
    shallow = [place for place in everywhere if len(place) <= 4]
    file = tmp_path / "match.json"
    refused = 0
    for _ in range(300):
        place = chance.choice(shallow if chance.random() < 0.5 else everywhere)
        value = 10**9 if chance.random() < 0.1 else anything(chance)
        file.write_text(json.dumps(with_value(place, value), default=repr, skipkeys=True), "utf-8")
        refused += command(file)
    assert refused > 100
    said, complaints = capsys.readouterr()
    assert all(character.isprintable() or character == "\n" for character in said + complaints)
