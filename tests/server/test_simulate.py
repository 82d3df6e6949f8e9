"""`dobon sim` and `dobon verify`, through the command line."""

import json
from pathlib import Path
from typing import Any

import pytest

from client.command import main
from engine.rules import PRESETS, Rules
from tests.conformance import run_file

GOLDEN = Path(__file__).parents[1] / "cases" / "traces" / "random.json"
SIM = ["sim", "--bots", "easy,easy,easy", "--matches", "3", "--seed", "00"]


@pytest.mark.parametrize("preset", PRESETS)
def test_what_sim_writes_is_verified(preset: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace = tmp_path / "trace.json"
    assert main([*SIM, "--rules", preset, "--rule", "jokers=1", "--trace", str(trace)]) == 0
    data = json.loads(trace.read_text())
    assert [(match["seats"], len(match["rounds"])) for match in data] == [(3, 5)] * 3
    assert Rules.from_data(data[0]["rules"]) == Rules.preset(preset).changed({"jokers": 1})
    assert [failure for _, failure in run_file(trace)] == [None] * 3
    capsys.readouterr()
    assert main(["verify", str(trace)]) == 0
    assert "every event agrees (matches: 3, rounds: 15, steps: " in capsys.readouterr().out


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = []
    for name, seed in (("a", "00"), ("b", "00"), ("c", "01")):
        assert main([*SIM[:-1], seed, "--json", "--trace", str(tmp_path / name)]) == 0
        said.append(capsys.readouterr().out)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes() != (tmp_path / "c").read_bytes()
    assert said[0] == said[1] != said[2]


def test_results_have_intervals(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SIM, "--json", "--matches", "6"]) == 0
    results = json.loads(capsys.readouterr().out)
    assert results["seed"] == "00"
    assert results["matches"] == 6
    assert [bot["bot"] for bot in results["bots"]] == ["easy"] * 3
    for bot in results["bots"]:
        assert bot["points"]["low"] <= bot["points"]["mean"] <= bot["points"]["high"]
        assert 1 <= bot["rank"]["mean"] <= 3


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--bots", "easy,silly"], "silly"),
        (["--bots", "easy"], "seats: 1 will not do"),
        (["--rule", "hand=9"], "hand: 9 will not do"),
        (["--rule", "hnd=5"], "hnd: '5' will not do"),
        (["--rule", "hand"], "FIELD=VALUE"),
        (["--matches", "0"], "at least one match"),
        (["--seed", "xyz"], "hex digits"),
    ],
)
def test_a_wrong_command_line(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        code: Any = main(["sim", *words])
    except SystemExit as stop:
        code = stop.code
    assert code == 2
    assert said in capsys.readouterr().err


def test_a_trace_that_cannot_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SIM, "--trace", str(tmp_path / "no" / "where")]) == 1
    assert "no/where can't be written: there is no such file" in capsys.readouterr().err.replace("\\", "/")


def test_the_first_difference_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    traces = json.loads(GOLDEN.read_text())
    step = traces[1]["rounds"][0]["steps"][1]
    step.pop("events", None)
    step["error"] = "internal"
    (changed := tmp_path / "changed.json").write_text(json.dumps(traces))
    assert main(["verify", str(changed)]) == 1
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith(f"{changed}: match 2, round 1, step 2: expected internal, got ")


def test_a_file_is_one_match_or_many(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (one := tmp_path / "one.json").write_text(json.dumps(json.loads(GOLDEN.read_text())[0]))
    assert main(["verify", str(one)]) == 0
    assert "(matches: 1, " in capsys.readouterr().out


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", "3", '{"rounds": 1}', "\x00", "[" * 100_000])
def test_what_is_no_trace_is_said_in_a_sentence(
    content: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (file := tmp_path / "file.json").write_text(content)
    assert main(["verify", str(file)]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"{file} is no trace: ")


def test_what_cannot_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(tmp_path)]) == 1
    assert main(["verify", str(tmp_path / "missing")]) == 1
    assert capsys.readouterr().err.count("can't be read") == 2
