"""Who wins, who loses and what it costs (rules, sections 7 and 8)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from .cards import VALUE, Card
from .rules import Rules
from .tables import Tables, tables_for


@dataclass(slots=True)
class Outcome:
    """How a round ended. ``claims`` are the claiming seats in order, the last perhaps the discarder."""

    why: str
    winners: list[int]
    losers: list[int]
    card: Card | None = None
    discarder: int | None = None
    claims: list[int] = field(default_factory=list)


def dobon_outcome(tables: Tables, card: Card, discarder: int, claims: list[int]) -> Outcome:
    """The winners and losers of a contest that has at least one claim (the table of section 7)."""
    if claims[-1] == discarder:
        winners = [discarder]
        losers = sorted(claims[:-1]) if tables.gather_claims else [claims[-2]]
    elif tables.gather_claims:
        winners, losers = sorted(claims), [discarder]
    else:
        winners = [claims[-1]]
        losers = [claims[-2]] if tables.previous_loses and len(claims) > 1 else [discarder]
    return Outcome("dobon", winners, losers, card, discarder, list(claims))


def points_of(rules: Rules, outcome: Outcome, counts: Sequence[int]) -> list[int]:
    """Each seat's points for a round that left hands counting ``counts``."""
    return _SCORING[rules.scoring](rules, outcome, counts)


def ranking(rules: Rules, totals: Sequence[int]) -> list[dict[str, Any]]:
    """Seats best first as ``{"seat", "rank", "total"}``; equal totals share a rank, the next is skipped."""
    sign = 1 if rules.scoring == "penalty" else -1
    order = sorted(range(len(totals)), key=lambda seat: (sign * totals[seat], seat))
    ranked: list[dict[str, Any]] = []
    for place, seat in enumerate(order, 1):
        tied = ranked and ranked[-1]["total"] == totals[seat]
        ranked.append({"seat": seat, "rank": ranked[-1]["rank"] if tied else place, "total": totals[seat]})
    return ranked


def _penalty(rules: Rules, outcome: Outcome, counts: Sequence[int]) -> list[int]:
    if outcome.why != "dobon":
        return [0 if seat in outcome.winners else count for seat, count in enumerate(counts)]
    assert outcome.card is not None
    number = VALUE[outcome.card]
    points = [0] * len(counts)
    for seat in outcome.losers:
        if seat == outcome.discarder:
            points[seat] = counts[seat] + number * 2 * len(outcome.winners)
        else:
            points[seat] = number * 3
    if rules.double_effect and tables_for(rules, len(counts)).has_effect >> outcome.card & 1:
        points = [2 * each for each in points]
    return points


def _wins(rules: Rules, outcome: Outcome, counts: Sequence[int], stake: int = 1) -> list[int]:
    points = [0] * len(counts)
    for seat in outcome.winners:
        points[seat] += stake
    for seat in outcome.losers:
        points[seat] -= stake
    return points


def _chain(rules: Rules, outcome: Outcome, counts: Sequence[int]) -> list[int]:
    return _wins(rules, outcome, counts, stake=len(outcome.claims) or 1)


_SCORING: dict[str, Callable[[Rules, Outcome, Sequence[int]], list[int]]] = {
    "penalty": _penalty,
    "wins": _wins,
    "chain": _chain,
}
