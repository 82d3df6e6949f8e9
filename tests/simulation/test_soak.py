"""A day and a night of one server: what it holds at the end is what it held in the first hours."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from .soak import GUESTS, HOURS, REGULARS, TABLES, Held, soak

SETTLED = 8
"""After so many hours everything is there that is kept for a while."""


@pytest.mark.nightly
@pytest.mark.timeout(2 * 3600)
def test_nothing_grows() -> None:
    *hours, empty = soak(HOURS, lambda held: print(*held, flush=True))
    assert len(hours) == HOURS
    early, late = hours[1:SETTLED], hours[SETTLED:]
    assert max(hour.blocks for hour in late) < 1.1 * max(hour.blocks for hour in early)
    assert max(hour.megabytes for hour in late) <= 1.1 * max(hour.megabytes for hour in early)
    people = TABLES * len(REGULARS) + GUESTS
    for hour in hours:
        assert hour.connections <= people + 5
        # Guests are remembered for ten minutes, or until the match at their table is over.
        assert hour.sessions <= people + 20
        assert hour.tables <= TABLES + 1
        assert hour.timers < 10 * people
        assert hour.once <= people
        assert hour.addresses <= 2 * hour.sessions + 10
        assert hour.series <= hour.tables * 256
        assert hour.open_rows < 1000 * hour.tables + hour.sessions
    # The journal grows with what is played, and by nothing else.
    assert _bytes_per_input(late) < 1.1 * _bytes_per_input(early)
    assert hours[-1].inputs > 20_000
    assert (empty.connections, empty.sessions, empty.tables, empty.timers, empty.open_rows) == (0, 0, 0, 0, 0)


def _bytes_per_input(hours: Sequence[Held]) -> float:
    """By how much the journal grew, from the first of these hours to the last."""
    return (hours[-1].file - hours[0].file) / (hours[-1].inputs - hours[0].inputs)
