"""What is exported agrees with itself, and with nothing that was changed."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest
import trio

from engine.trace import BadTrace, check
from server import export, verify
from server.config import Config
from server.record import Decided, Entry

from .keeping import kept_world
from .world import arrange, begin

Json = dict[str, Any]
RULES = {"rounds": 2, "claims": "all", "counter": "ask", "false_dobon": 1, "dobon_math": "pair"}


def ask(command: Any, capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Run a command of the command line; its exit code, stdout and stderr."""
    parser = argparse.ArgumentParser()
    command.add_arguments(parser, str)
    capsys.readouterr()
    code = command.run(parser.parse_args(words), str)
    said = capsys.readouterr()
    return code, said.out, said.err


async def played(folder: Path) -> None:
    """A match of bots, and of people who let their time run out."""
    async with kept_world(folder, Config(seed=b"export")) as server:
        players = await server.table(["A", "B"], seats=4, bots=["easy", "normal"], rules=RULES)
        await begin(players)
        await players[0].event("match_over")


def steps_of(trace: Json) -> list[Json]:
    return [step for round in trace["rounds"] for step in round["steps"]]


async def test_a_match_is_listed_exported_and_verified(
    autojump_clock: trio.testing.MockClock, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path
    await played(folder)
    code, out, _err = ask(export, capsys, "--data", str(folder))
    assert (code, out.count("\n")) == (0, 1)
    number, _begun, said = out.strip().split("\t")
    assert number == "1"
    assert "1. " in said
    code, out, _err = ask(export, capsys, "1", "--data", str(folder))
    assert code == 0
    trace = json.loads(out)
    assert check(trace) is None
    assert [set(round) for round in trace["rounds"]] == [
        {"seed", "events", "steps", "secret", "nonces", "commit"}
    ] * 2
    assert any(event["ev"] == "claimed" for step in steps_of(trace) for event in step.get("events", []))
    assert any(step["do"] == "expire" for step in steps_of(trace))
    (folder / "match.json").write_text(out)
    for what in ("1", str(folder / "match.json")):
        code, out, _err = ask(verify, capsys, what, "--data", str(folder))
        assert (code, out.count("commitments, seeds, arrival order and every event agree")) == (0, 1)


@pytest.mark.parametrize("label", ["2", "play-1", "x", "-1", "0", "../journal-1", "99999999999999999999"])
async def test_what_is_not_there_is_said(
    label: str,
    autojump_clock: trio.testing.MockClock,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    async with kept_world(tmp_path) as server:
        await server.hello("A")
    words = ["--data", str(tmp_path), "--", label]
    assert ask(export, capsys, *words)[:2] == (1, "")
    code, out, err = ask(verify, capsys, *words)
    assert (code, out, err.count("\n")) == (1, "", 1)


async def test_no_single_change_goes_unseen(autojump_clock: trio.testing.MockClock, tmp_path: Path) -> None:
    """Each field of each kind is changed in turn, at several places where it stands."""
    await played(tmp_path)
    trace = export.export(tmp_path, "1", str)
    changed = 0
    for change in changes(trace):
        forged = deepcopy(trace)
        change(forged)
        if forged != trace:
            changed += 1
            assert found_wrong(forged)
    assert changed > 250


def found_wrong(trace: Json) -> bool:
    try:
        return check(trace) is not None
    except BadTrace:
        return True


def changes(trace: Json) -> Iterator[Callable[[Json], object]]:
    dice = Random(1)
    kinds: dict[tuple[Any, ...], list[tuple[tuple[Any, ...], Any]]] = {}
    for path, value in leaves(trace):
        kinds.setdefault(tuple(key for key in path if isinstance(key, str)), []).append((path, value))
    for path, value in (each for found in kinds.values() for each in dice.sample(found, min(4, len(found)))):
        yield partial(put, path=path, value=other(value))
        yield partial(put, path=path, value=None)
    for number, round in enumerate(trace["rounds"]):
        for at in dice.sample(range(len(round["steps"]) - 1), 20):
            yield partial(swap, number=number, at=at)
            yield partial(drop, number=number, at=at)


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(inner, (*path, key))
    else:
        yield path, value


def put(trace: Json, path: tuple[Any, ...], value: Any) -> None:
    place: Any = trace
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value


def swap(trace: Json, number: int, at: int) -> None:
    steps = trace["rounds"][number]["steps"]
    steps[at], steps[at + 1] = steps[at + 1], steps[at]


def drop(trace: Json, number: int, at: int) -> None:
    del trace["rounds"][number]["steps"][at]


def other(value: Any) -> Any:
    """Something like it that could stand there as well."""
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case None:
            return "00"
        case str() if len(value) >= 16:
            return ("0" if value[0] != "0" else "1") + value[1:]
        case str() if value in ("7H", "7D"):
            return "7D" if value == "7H" else "7H"
        case str():
            return "7H" if len(value) == 2 else f"{value}x"


async def test_what_still_goes_on_is_not_shown(
    autojump_clock: trio.testing.MockClock, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with kept_world(tmp_path) as server:
        players = await server.table(["A", "B"], rules={"rounds": 2})
        await begin(players)
        await trio.sleep(1)
        trace = export.export(tmp_path, "1", str)
        assert (trace["rounds"], "ranking" in trace) == ([], False)
        assert "not over: A, B" in ask(export, capsys, "--data", str(tmp_path))[1]
        await players[0].event("round_over")
        await trio.sleep(1)
        trace = export.export(tmp_path, "1", str)
        assert len(trace["rounds"]) == 1
        assert check(trace) is None


async def test_who_came_too_late_is_on_record(
    autojump_clock: trio.testing.MockClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrange(monkeypatch, ("7H 2C 9D", "3D 4D KH", "3C 4C"), "3H")
    async with kept_world(tmp_path) as server:
        noted: list[Decided] = []
        note = server.core.gate.note

        def listen(entry: Entry) -> None:
            note(entry)
            if isinstance(entry, Decided):
                noted.append(entry)

        monkeypatch.setattr(server.core.gate, "note", listen)
        a, b, c = await server.table(["A", "B", "C"])
        await begin([a, b, c])
        turn = await a.event("turn")
        await a.ask("play", on=turn["seq"], card="7H")
        on = (await c.event("played"))["seq"]
        turn = await b.event("turn", seat=1)
        assert (await b.ask("draw", on=turn["seq"]))["t"] == "ok"
        answer = await c.ask("dobon", on=on)
        assert answer["code"] == "too_late"
        assert [each.code for each in noted] == [None, None, "window_closed"]
        assert noted[1].effect - noted[1].arrival > 0
        assert (noted[2].arrival - noted[1].effect) // 1000 == answer["by"]
