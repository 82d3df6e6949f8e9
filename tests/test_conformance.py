"""The runner of cases and traces, and the cases and traces that this repository keeps."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conformance import main, run, run_file

HERE = Path(__file__).parent
CASES = sorted((HERE / "cases").rglob("*.json"))

GOOD: dict[str, Any] = {
    "name": "a six on a six",
    "rules": {"preset": "dobon"},
    "setup": {"hands": [["6S", "KC"], ["TC", "TD"]], "discard": ["6H"], "stock": ["3S"], "turn": 0},
    "steps": [
        {"seat": 0, "do": "play", "card": "6S", "events": [{"ev": "played"}, {"ev": "turn", "seat": 1}]}
    ],
    "after": {"hands": [["KC"], ["TD", "TC"]], "stock": 1, "top": "6S", "suit": "S", "turn": 1},
}


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_case_file(path: Path) -> None:
    outcomes = dict(run_file(path))
    assert outcomes
    assert {name: failure for name, failure in outcomes.items() if failure} == {}


def changed(**parts: Any) -> dict[str, Any]:
    return {**json.loads(json.dumps(GOOD)), **parts}


def step(**parts: Any) -> dict[str, Any]:
    return changed(steps=[{"seat": 0, "do": "play", "card": "6S", **parts}])


@pytest.mark.parametrize(
    ("case", "where", "expected", "got"),
    [
        (step(events=[{"ev": "played", "left": 2}, {"ev": "turn"}]), "step 1", "'left': 2", "'left': 1"),
        (step(events=[{"ev": "turn"}, {"ev": "played"}]), "step 1", "turn", "played"),
        (step(events=[{"ev": "played"}]), "step 1", "nothing more", "turn"),
        (step(events=[{"ev": "played"}, {"ev": "turn"}, {"ev": "turn"}]), "step 1", "turn", "nothing more"),
        (step(events=[{"ev": "played", "hue": 1}, {"ev": "turn"}]), "step 1", "hue", "played"),
        (step(error="not_in_hand"), "step 1", "not_in_hand", "accepted"),
        (step(card="KC"), "step 1", "accepted", "does_not_fit"),
        (step(card="KC", error="not_in_hand"), "step 1", "not_in_hand", "does_not_fit"),
        (changed(after={"top": "6H"}), "after top", "6H", "6S"),
        (changed(after={"hands": [["KC"], ["TC"]]}), "after hands", "TC", "TD"),
        (changed(after={"luck": 1}), "after luck", "1", "nothing"),
        (changed(result={"why": "out"}), "result why", "out", "goes on"),
        (changed(bad_rules="hand", seats=4), "rules", "hand refused", "accepted"),
        (changed(bad_rules="hand", seats=4, rules={"jokers": 9}), "rules", "hand", "jokers"),
        (changed(rules={"jokers": 9}), "running", "no fault", "BadRules"),
        (step(card="ZZ"), "reading", "trace", "no card"),
        ({"name": "neither"}, "reading", "case", "neither"),
        (["a list"], "reading", "case", "a list"),
        ({"rounds": 3, "rules": {}, "seats": 4}, "reading", "trace", "rounds"),
    ],
)
def test_a_failure_says_what_differs(case: object, where: str, expected: str, got: str) -> None:
    failure = run(case)
    assert failure is not None
    assert failure[0] == where
    assert expected in str(failure[1])
    assert got in str(failure[2])


def test_a_step_without_events_has_only_to_be_accepted() -> None:
    assert run(step()) is None
    assert run(GOOD) is None


def test_counts_and_exit_status(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "unheard_of.json").write_text(json.dumps([GOOD, GOOD]))
    assert main([str(tmp_path)]) == 0
    assert capsys.readouterr().out == "2 passed, 0 failed\n"

    deeper = tmp_path / "deeper"
    deeper.mkdir()
    (deeper / "broken.json").write_text("{")
    (deeper / "one.json").write_text(json.dumps(step(card="KC")))
    assert main([str(tmp_path), str(deeper)]) == 1
    *failures, counted = capsys.readouterr().out.splitlines()
    assert counted == "2 passed, 2 failed"
    assert "broken.json: file: reading" in failures[0]
    assert failures[1].endswith("a six on a six: step 1: expected accepted, got does_not_fit")


def test_nothing_found_is_a_failure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path)]) == 1
    assert capsys.readouterr().out == "0 passed, 0 failed\n"
    assert main([str(tmp_path / "missing.json")]) == 1


def test_it_runs_as_a_command() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.conformance", str(HERE / "cases" / "turns.json")],
        cwd=HERE.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert done.stdout.endswith("passed, 0 failed\n")
