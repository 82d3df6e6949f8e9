"""Matches between bots, one after the other, and what came of them.

As many matches as there are seats are dealt the same cards, each bot a seat further on in each of them, so
that the luck of the deal cancels out. Everything follows from one seed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import sha256
from math import sqrt
from random import Random
from statistics import fmean
from typing import Any, NamedTuple

from ..events import Event
from ..match import Match
from ..rules import Rules
from ..trace import Recorder
from . import Level
from .arena import Arena

MEASURES = ("first", "rank", "points", "difference", "dobons", "doboned", "outs")
"""What is counted of each bot, once a match: `points` are its total, `difference` is to the others' mean."""
NORMAL_95 = 1.96


class Bot(NamedTuple):
    """A level and what it is called in the results."""

    name: str
    level: Level


def play_series(
    rules: Rules,
    bots: Sequence[Bot],
    matches: int,
    seed: bytes,
    record: Callable[[dict[str, Any]], None] | None = None,
) -> list[dict[str, Any]]:
    """Play the matches; for each bot its name, each measure's mean for a match with its 95 % interval, and
    with `penalty` the ``ratio`` of its points to the mean of the others'.

    ``record`` is given the trace of each match. Intervals take a deal's matches together; of one deal there
    is none.
    """
    seats = len(bots)
    counted: list[list[dict[str, float]]] = [[] for _ in bots]
    for number in range(matches):
        seating = [(seat - number) % seats for seat in range(seats)]
        of_match = sha256(b"dobon sim" + seed + (number // seats).to_bytes(4, "big")).digest()
        recorder = Recorder(rules, seats) if record else None
        scores = play_match(rules, [bots[bot].level for bot in seating], of_match, recorder)
        for bot, score in zip(seating, scores, strict=True):
            counted[bot].append(score)
        if record and recorder:
            record(recorder.data)
    return [_summary(rules, bot.name, scores, seats) for bot, scores in zip(bots, counted, strict=True)]


def play_match(
    rules: Rules, levels: Sequence[Level], seed: bytes, recorder: Recorder | None = None
) -> list[dict[str, float]]:
    """Play one match, everything from ``seed``; each seat's measures."""
    match = Match(rules, len(levels))
    rng = Random(seed)
    scores: list[dict[str, float]] = [dict.fromkeys(MEASURES, 0.0) for _ in levels]
    while not match.over:
        of_round = sha256(seed + match.finished.to_bytes(4, "big")).digest()
        log: list[Event] = []
        round = match.deal(of_round, log)
        if recorder:
            recorder.deal(of_round, log)
        Arena(round, log, levels, rng, recorder.step if recorder else None).play()
        match.finish(round)
        outcome = round.outcome
        assert outcome is not None
        for seat in outcome.winners:
            scores[seat]["dobons" if outcome.why == "dobon" else "outs"] += 1
        for seat in outcome.losers:
            scores[seat]["doboned"] += 1
    ranking = match.ranking()
    for place in ranking:
        score = scores[place["seat"]]
        score["first"] = float(place["rank"] == 1)
        score["rank"] = place["rank"]
        score["points"] = place["total"]
        score["difference"] = place["total"] - (sum(match.totals) - place["total"]) / (len(levels) - 1)
    if recorder:
        recorder.close(ranking)
    return scores


def interval(values: Sequence[float], together: int = 1) -> dict[str, float | None]:
    """The mean of a sample and its 95 % interval by the normal distribution.

    Each ``together`` successive values are one observation. None instead of bounds for a single observation.
    """
    mean = fmean(values)
    return _around(mean, [value - mean for value in values], together)


def ratio_interval(
    own: Sequence[float], others: Sequence[float], together: int = 1
) -> dict[str, float | None]:
    """The ratio of two means, matched pair by pair, with its 95 % interval by the delta method."""
    base = fmean(others)
    ratio = fmean(own) / base
    residuals = [(one - ratio * other) / base for one, other in zip(own, others, strict=True)]
    return _around(ratio, residuals, together)


def _around(centre: float, residuals: Sequence[float], together: int) -> dict[str, float | None]:
    sums = [sum(residuals[first : first + together]) for first in range(0, len(residuals), together)]
    if len(sums) == 1:
        return {"mean": centre, "low": None, "high": None}
    variance = sum(each * each for each in sums) * len(sums) / (len(sums) - 1) / len(residuals) ** 2
    margin = NORMAL_95 * sqrt(variance)
    return {"mean": centre, "low": centre - margin, "high": centre + margin}


def _summary(rules: Rules, name: str, scores: list[dict[str, float]], seats: int) -> dict[str, Any]:
    columns = {measure: [score[measure] for score in scores] for measure in MEASURES}
    summary: dict[str, Any] = {"bot": name}
    summary |= {measure: interval(values, seats) for measure, values in columns.items()}
    points = columns["points"]
    others = [own - difference for own, difference in zip(points, columns["difference"], strict=True)]
    if rules.scoring == "penalty" and any(others):
        summary["ratio"] = ratio_interval(points, others, seats)
    return summary
