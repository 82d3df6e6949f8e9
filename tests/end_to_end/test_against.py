"""What a client kept of a match is held against the server's export of it, and any difference is found."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from client import records
from client.records import Recorder
from engine.trace import seal
from protocol.messages import parse_server
from server import export, verify
from server.against import Alike, BadRecord, Unlike, compare
from server.config import Config
from tests.server.keeping import kept_world
from tests.server.world import Caller, begin

Json = dict[str, Any]
RULES = {"rounds": 2, "claims": "all", "counter": "ask", "false_dobon": 1, "dobon_math": "pair"}


def kept(caller: Caller, folder: Path) -> str:
    """What a client would have written down of all that this caller heard."""
    with Recorder("A", folder) as recorder:
        for message in caller.heard:
            received = parse_server(message)
            assert received is not None
            recorder.take(received)  # type: ignore[arg-type]
    (path,) = folder.glob("*.jsonl")
    return path.read_text("ascii")


async def play(folder: Path) -> tuple[Json, dict[int | None, str]]:
    """A match's export, and the records of two players and a spectator, by their seats."""
    async with kept_world(folder, Config(seed=b"against")) as server:
        players = await server.table(["A", "B"], seats=4, bots=["easy", "normal"], rules=RULES)
        watcher = await server.watcher("W", players[0].table)
        await begin(players)
        await players[0].event("round_over")
        # Whoever comes back in the middle has a view, and goes on from there.
        again = await server.resume(players[1])
        await again.event("match_over")
        await trio.sleep(1)
        trace = export.export(folder, "1", str)
        players[1].heard += again.heard
        callers: dict[int | None, Caller] = {0: players[0], 3: players[1], None: watcher}
        return trace, {seat: kept(each, folder / f"kept-{seat}") for seat, each in callers.items()}


@pytest.fixture(scope="module")
def match(tmp_path_factory: pytest.TempPathFactory) -> tuple[Json, dict[int | None, str]]:
    clock = trio.testing.MockClock(autojump_threshold=0)
    return trio.run(play, tmp_path_factory.mktemp("against"), clock=clock)


Match = tuple[Json, dict[int | None, str]]


def test_what_everybody_was_shown_is_in_the_export(match: Match) -> None:
    trace, kept = match
    for seat, text in kept.items():
        found = compare(text, trace)
        assert isinstance(found, Alike)
        assert (found.you, found.rounds) == (seat, (1, 2))
        assert found.events > 50


def test_a_record_shows_the_match_again(match: Match) -> None:
    _trace, kept = match
    for text in kept.values():
        moments = records.moments(records.read(text))
        assert {each.round for each in moments} == {0, 1, 2}


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(inner, (*path, key))
    else:
        yield path


def other(value: Any) -> Any:
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case str() if len(value) > 16:
            return ("0" if value[0] != "0" else "1") + value[1:]
        case None:
            return "7H"
        case _:
            return "7H" if value != "7H" else "7D"


def test_an_export_that_was_made_up_is_found(match: Match) -> None:
    """Each field of each event is changed in turn, with all hands: what this seat was shown does not agree,
    though the export may be sound in itself."""
    trace, kept = match
    text, changed = kept[0], 0
    told = [trace["rounds"][0]["events"], *(step.get("events", []) for step in trace["rounds"][0]["steps"])]
    seen: set[tuple[Any, ...]] = set()
    for number, events in enumerate(told):
        for place, event in enumerate(events):
            for path in leaves(event):
                kind = (event["ev"], *(key for key in path if isinstance(key, str)))
                if kind in seen or hidden(event, path):
                    continue
                seen.add(kind)
                forged = deepcopy(trace)
                steps = forged["rounds"][0]
                target = (steps["events"] if number == 0 else steps["steps"][number - 1]["events"])[place]
                for key in path[:-1]:
                    target = target[key]
                target[path[-1]] = other(target[path[-1]])
                changed += 1
                assert isinstance(compare(text, forged), Unlike), (event, path)
    assert changed > 40


def hidden(event: Json, path: tuple[Any, ...]) -> bool:
    """Whether seat 0 was not shown this."""
    if event["ev"] == "round" and path[0] == "hands":
        return bool(path[1] != 0)
    return bool(event["ev"] == "drew" and path[0] == "cards" and event["seat"] != 0)


def test_proofs_lags_and_times_are_held_to_what_was_shown(match: Match) -> None:
    trace, kept = match
    text = kept[0]

    def change(**fields: Any) -> Json:
        forged = deepcopy(trace)
        forged["rounds"][0] |= fields
        return forged

    first = trace["rounds"][0]
    for key in ("seed", "secret", "commit"):
        assert isinstance(compare(text, change(**{key: other(first[key])})), Unlike), key
    assert isinstance(compare(text, change(nonces=["00", *first["nonces"][1:]])), Unlike)
    claimed = next(
        place
        for place, step in enumerate(first["steps"])
        if any(event["ev"] == "claimed" for event in step.get("events", ()))
    )
    forged = deepcopy(trace)
    forged["rounds"][0]["steps"][claimed]["effect"] += 10**9
    assert isinstance(compare(text, forged), Unlike)
    forged = deepcopy(trace)
    del forged["rounds"][0]["steps"][claimed]
    assert isinstance(compare(text, forged), Unlike)
    assert isinstance(compare(text, {**trace, "match": 2}), Unlike)


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[]", '{"t":"record"}', '{"t":"record"}\n', "x\n", '{"t":"record"}\n{"t":"event"}\n', "\n"],
)
def test_what_is_no_record_is_said(text: str, match: Match) -> None:
    with pytest.raises(BadRecord):
        compare(text, match[0])


def test_the_command_says_it_in_one_sentence(
    match: Match, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trace, kept = match
    file, record = tmp_path / "match.json", tmp_path / "mine.jsonl"

    def ask() -> tuple[int, list[str]]:
        parser = argparse.ArgumentParser()
        verify.add_arguments(parser, str)
        capsys.readouterr()
        code = verify.run(parser.parse_args([str(file), "--against", str(record)]), str)
        said = capsys.readouterr()
        return code, (said.out + said.err).splitlines()

    file.write_text(json.dumps(trace))
    record.write_text(kept[0])
    code, said = ask()
    assert (code, len(said)) == (0, 2)
    assert "all that A in seat 1 was shown is in the export (rounds 1 to 2" in said[1]
    lines = kept[0].splitlines(keepends=True)
    place = next(place for place, line in enumerate(lines) if '"ev":"played"' in line)
    card = json.loads(lines[place])["card"]
    lines[place] = lines[place].replace(f'"{card}"', '"2C"' if card != "2C" else '"2D"')
    record.write_text("".join(lines))
    code, said = ask()
    assert code == 1
    assert f"line {place + 1}: shown was" in said[-1]
    record.write_text("nothing")
    assert ask()[0] == 1
    record.write_text(kept[0])
    file.write_text(json.dumps(seal({key: value for key, value in trace.items() if key != "players"})))
    code, said = ask()
    assert (code, "is no export of a server" in said[-1]) == (1, True)
