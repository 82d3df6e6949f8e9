"""How likely a hand that nobody has shown counts a given number."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import comb

from ..tables import PAIR_COUNTS

HIGHEST = 13
LARGEST = 6
"""Hands beyond this size are taken for none: it takes many small cards to count 13 or less."""

_FIELD = 32
_FIELDS = (1 << _FIELD * (HIGHEST + 1)) - 1
_LOW = (1 << _FIELD) - 1


@lru_cache(maxsize=512)
def odds_by_size(amounts: tuple[int, ...], pair_math: bool) -> list[list[float]]:
    """``odds[size][value]``: the probability that ``size`` cards, drawn at random, would claim ``value``.

    ``amounts`` says how many cards there are of each value, 0 for jokers to 13 for kings. The lists are
    shared: not to be changed.
    """
    # ways[size] holds, in 32 bits for each count to 13, how many hands of that size count so.
    ways = [1] + [0] * LARGEST
    for value, amount in enumerate(amounts):
        shift = value * _FIELD
        for _ in range(amount):
            for size in range(LARGEST, 0, -1):
                ways[size] += ways[size - 1] << shift & _FIELDS
    total = sum(amounts)
    odds = []
    for size, packed in enumerate(ways):
        hands = comb(total, size) or 1
        odds.append([(packed >> _FIELD * count & _LOW) / hands for count in range(HIGHEST + 1)])
    if pair_math:
        hands = comb(total, 2) or 1
        odds[2] = [way / hands for way in _pairs(amounts)]
    return odds


def _pairs(amounts: Sequence[int]) -> list[int]:
    """How many pairs can be reckoned to each value."""
    ways = [0] * (HIGHEST + 1)
    for one, ones in enumerate(amounts):
        for other in range(one, HIGHEST + 1):
            pairs = ones * (ones - 1) // 2 if one == other else ones * amounts[other]
            counts = PAIR_COUNTS[one][other] if pairs else 0
            for value in range(1, HIGHEST + 1):
                if counts >> value & 1:
                    ways[value] += pairs
    return ways
