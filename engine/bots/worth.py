"""What a position is worth to a seat, learnt once for each set of rules from rounds played in a hurry.

A seat's points depend, in the mean, on how many cards it holds, how few another holds, how far off its turn
is, and, along a line, on what its hand counts. `Worth` keeps such a line for each case. It is what lets a
search look only a few turns ahead, where chance has not yet drowned what a choice is good for.
"""

from __future__ import annotations

from functools import lru_cache
from random import Random

from ..deal import SEED_BYTES
from ..round import Round
from ..rules import Rules
from ..state import OVER
from ..tables import tables_for
from .playout import Playout
from .reading import amounts_in

TURNS = 40_000
"""How many turns are played to learn from."""
LAPS = 25
"""After so many turns for each seat a round is given up."""
STRIDE = 3
"""One position in so many is learnt from: neighbours say the same."""
DOUBT = 30.0
"""How many positions' worth of the overall line each case's own line starts with."""

SIZES, FEWEST, TURN_OFF = 7, 5, 4
Line = tuple[float, float]


class Worth:
    """Points to be expected by each seat, and what that is to one of them. Made by `worth_of`."""

    def __init__(self, rules: Rules, seats: int) -> None:
        self._better = -1 if rules.scoring == "penalty" else 1
        self._seats = seats
        self._lines: list[Line] = _learn(rules, seats)

    def gain(self, round: Round, seat: int) -> float:
        """How much better the seat does than the others' mean, in points: as it came out, or as expected."""
        if round.phase is OVER:
            return self._compare(round.points(), seat)
        counts, lines = round.counts, self._lines
        expected = []
        for each, case in enumerate(_cases(round)):
            start, slope = lines[case]
            expected.append(start + slope * counts[each])
        return self._compare(expected, seat)

    def _compare(self, points: list[int] | list[float], seat: int) -> float:
        own = points[seat]
        return self._better * (own - (sum(points) - own) / (self._seats - 1))


@lru_cache(maxsize=64)
def worth_of(rules: Rules, seats: int) -> Worth:
    """What positions are worth under these rules; takes about a quarter of a second the first time."""
    return Worth(rules, seats)


def _cases(round: Round) -> list[int]:
    """For each seat, which line its points follow."""
    sizes = [hand.bit_count() for hand in round.hands]
    wild = round.tables.naming
    ordered = sorted(sizes)
    fewest, next_fewest = ordered[0], ordered[1]
    cases = []
    for seat, size in enumerate(sizes):
        least = next_fewest if size == fewest else fewest
        off = (seat - round.turn_seat) * round.direction % round.seats
        if off > 2:
            off = 2
        elif off == 0 and round.attack_rank is not None:
            off = 3
        case = (min(size, SIZES - 1) * FEWEST + min(least, FEWEST - 1)) * TURN_OFF + off
        cases.append(2 * case + (round.hands[seat] & wild > 0))
    return cases


def _learn(rules: Rules, seats: int) -> list[Line]:
    """Each case's line: where the points start and how they grow with the count of the hand."""
    rng = Random(1)
    playout = Playout(rules, seats, amounts_in(tables_for(rules, seats).deck))
    sums = [[0.0] * 5 for _ in range(SIZES * FEWEST * TURN_OFF * 2)]
    turns = 0
    while turns < TURNS:
        round = Round.deal(rules, seats, rng.randbytes(SEED_BYTES))
        passed: list[tuple[int, int, int]] = []
        while round.phase is not OVER and round.turn < LAPS * seats:
            playout.advance(round, rng, round.turn + STRIDE)
            if round.phase is not OVER:
                passed += [(case, seat, round.counts[seat]) for seat, case in enumerate(_cases(round))]
        turns += round.turn
        points = _points(round, rules)
        for case, seat, count in passed:
            _enter(sums[case], count, points[seat])
    overall = [sum(column) for column in zip(*sums, strict=True)]
    return [_line(each, overall) for each in sums]


def _points(round: Round, rules: Rules) -> list[int]:
    if round.phase is OVER:
        return round.points()
    return round.counts if rules.scoring == "penalty" else [0] * round.seats


def _enter(sums: list[float], count: int, points: int) -> None:
    sums[0] += 1
    sums[1] += count
    sums[2] += points
    sums[3] += count * count
    sums[4] += count * points


def _line(sums: list[float], overall: list[float]) -> Line:
    """The line through one case's points, drawn towards the line through all."""
    share = DOUBT / (overall[0] or 1.0)
    number, count, points, squares, products = (
        each + share * whole for each, whole in zip(sums, overall, strict=True)
    )
    if not number:
        return 0.0, 0.0
    spread = squares - count * count / number
    slope = (products - count * points / number) / spread if spread > 1e-9 else 0.0
    return (points - slope * count) / number, slope
