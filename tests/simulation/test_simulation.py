"""Seeds of the simulation: a hundred whenever tests are run, two thousand at night.

Each is a table or more of people who come and go over a network that fails, on a server that dies, with what
must always hold looked at after every step (`machine`, `person`), and once all is quiet again (`run`).
"""

from __future__ import annotations

import pytest

from .run import simulate

EVERY_DAY = 100
AT_NIGHT = 2000
AT_ONCE = 10


@pytest.mark.parametrize("first", range(0, EVERY_DAY, AT_ONCE))
def test_seeds(first: int) -> None:
    events = 0
    for seed in range(first, first + AT_ONCE):
        events += simulate(seed).events
    assert events > 100 * AT_ONCE


@pytest.mark.nightly
@pytest.mark.parametrize("first", range(EVERY_DAY, AT_NIGHT, AT_ONCE))
def test_many_seeds(first: int) -> None:
    for seed in range(first, first + AT_ONCE):
        simulate(seed)


def test_all_of_it_happens() -> None:
    """Seeds would prove little that lose no connection and kill no server."""
    total: dict[str, int] = {}
    for seed in range(20):
        for what, count in simulate(seed).counts.items():
            total[what] = total.get(what, 0) + count
    often = {"cut": 100, "resumed": 100, "acted": 1000, "refused": 1000, "locked out": 100}
    seldom = {"crashed": 5, "claimed": 10, "contested": 3, "false": 1, "encrypted": 15}
    events = {"full": 2, "put out": 1, "closed": 3, "shut down": 3}
    for what, least in (often | seldom | events).items():
        assert total[what] >= least, total


@pytest.mark.parametrize("seed", [3, 4, 5, 44, 45, 55])
def test_a_seed_is_the_same_again(seed: int) -> None:
    assert simulate(seed) == simulate(seed)
