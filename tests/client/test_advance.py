"""Single events, where a whole stream would seldom bring them about."""

from __future__ import annotations

import random

from client.advance import advance, settled
from engine.rules import Rules
from protocol import events as e
from tests.client.streams import TABLE, Stream


def test_who_has_left_counts_as_ready() -> None:
    stream = Stream(Rules.preset("dobon"), 2, random.Random(1))
    list(stream.begin())
    view = settled(stream.view(0))
    gone = e.Seat(table=TABLE, seq=view.seq + 1, at=view.at, seat=1, name="P1", kind="human", status="left")
    assert [seat.ready for seat in view.seats] == [False, False]
    without = advance(view, gone)
    assert [seat.ready for seat in without.seats] == [False, True]
    back = e.Seat(table=TABLE, seq=view.seq + 2, at=view.at, seat=1, name="P1", kind="human", status="online")
    assert [seat.ready for seat in advance(without, back).seats] == [False, False]
