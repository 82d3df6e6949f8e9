"""Matches between bots and what is summed up of them; the example of docs/bots.md among them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from engine.bots import LEVELS
from engine.bots.series import Bot, interval, play_series, ratio_interval
from engine.rules import Rules
from engine.trace import check

DOCS = Path(__file__).parents[2] / "docs" / "bots.md"


def test_the_same_seed_plays_the_same_matches() -> None:
    bots = [Bot("n", LEVELS["normal"]), Bot("e", LEVELS["easy"])]
    rules = Rules.preset("pageone")
    assert play_series(rules, bots, 3, b"x") == play_series(rules, bots, 3, b"x")
    assert play_series(rules, bots, 3, b"x") != play_series(rules, bots, 3, b"y")


def test_what_is_recorded_is_a_sound_trace_and_sums_up_to_the_results() -> None:
    traces: list[dict[str, Any]] = []
    bots = [Bot(name, LEVELS[name]) for name in ("normal", "easy", "easy")]
    results = play_series(Rules.preset("dobon"), bots, 4, b"x", traces.append)
    assert [check(trace) for trace in traces] == [None] * 4
    assert (
        len({trace["rounds"][0]["seed"] for trace in traces}) == 2
    )  # three matches of one deal, one of the next
    # The first bot sits one seat further on in each match.
    totals = [{place["seat"]: place["total"] for place in trace["ranking"]} for trace in traces]
    points = [total[number % 3] for number, total in enumerate(totals)]
    assert results[0]["points"]["mean"] == pytest.approx(sum(points) / 4)
    others = sum(sum(total.values()) for total in totals) - sum(points)
    assert results[0]["ratio"]["mean"] == pytest.approx(sum(points) / (others / 2))
    assert results[0]["difference"]["mean"] == pytest.approx((sum(points) - others / 2) / 4)


def test_there_is_a_ratio_only_of_penalties() -> None:
    bots = [Bot("e", LEVELS["easy"])] * 3
    assert "ratio" not in play_series(Rules.preset("pageone"), bots, 2, b"x")[0]


def test_intervals() -> None:
    assert interval([3]) == {"mean": 3, "low": None, "high": None}
    found = interval([1, 2, 3, 4])
    assert found["mean"] == 2.5
    assert found["high"] == pytest.approx(2.5 + 1.96 * (5 / 3 / 4) ** 0.5)
    # Two and two taken together, the sample has no spread left.
    assert interval([1, 4, 3, 2], together=2) == pytest.approx({"mean": 2.5, "low": 2.5, "high": 2.5})
    # Points that are always half the others' leave nothing to doubt.
    assert ratio_interval([1, 2, 3], [2, 4, 6]) == pytest.approx({"mean": 0.5, "low": 0.5, "high": 0.5})


def test_the_example_of_the_documentation_plays(capsys: pytest.CaptureFixture[str]) -> None:
    example = re.search(r"```python\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    assert example is not None
    exec(compile(example.group(1), str(DOCS), "exec"), {})
    assert capsys.readouterr().out.startswith("miser")
