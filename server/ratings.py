"""A rating for everybody who played, from the places of all matches in their order, by `openskill`.

Nothing of it is kept: it follows from the matches alone, so it is the same whenever it is made anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from statistics import fmean
from typing import Any, NamedTuple


class NoRatings(Exception):
    """The package that makes ratings is not installed."""


class Rating(NamedTuple):
    """What somebody is thought to be worth: `mu`, give or take `sigma`."""

    mu: float
    sigma: float

    @property
    def least(self) -> float:
        """What they are worth all but surely: the order of a list."""
        return self.mu - 3 * self.sigma


def rate(matches: Iterable[Mapping[int, tuple[str, int]]]) -> dict[str, Rating]:
    """Ratings by key, from matches as key and rank (from 1, equal ones shared) by seat. Raises NoRatings.

    A key that sits in several seats of a match, as bots of one level do, gets the mean of what its seats got.
    """
    try:
        from openskill.models import PlackettLuce
    except ImportError:
        raise NoRatings from None
    model = PlackettLuce()
    known: dict[str, Rating] = {}
    for match in matches:
        seats = [match[seat] for seat in sorted(match)]
        teams: list[Any] = []
        for key, _rank in seats:
            before = known.get(key)
            teams.append([model.rating() if before is None else model.rating(before.mu, before.sigma)])
        rated = model.rate(teams, ranks=[rank for _key, rank in seats])
        found: dict[str, list[Any]] = {}
        for (key, _rank), team in zip(seats, rated, strict=True):
            found.setdefault(key, []).append(team[0])
        for key, ratings in found.items():
            known[key] = Rating(fmean(each.mu for each in ratings), fmean(each.sigma for each in ratings))
    return known
