"""A view is what all events up to it make of the one before: the server's, and the client's reckoning."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import pytest
import trio
from msgspec.structs import asdict

from client.advance import advance, settled
from protocol.messages import View, parse_server
from server.config import Config
from server.table import Table
from server.views import view_of
from tests.server.test_once import game
from tests.server.world import world

RULES: list[dict[str, Any]] = [
    {"preset": "dobon", "rounds": 3, "hand": 3, "counter": "ask", "claims": "last", "jokers": 1},
    {"preset": "pageone", "rounds": 3, "hand": 3, "order_by": "rps", "last_call": 2, "dobon_min": 1},
    {"preset": "dobon", "rounds": 3, "hand": 3, "false_dobon": 2, "jokers": 2, "claims": "all"},
    {"preset": "dobon", "rounds": 2, "first_card": "effect", "must_play": True, "drawn": "end"},
]
QUIET = ("at", "claim", "playable", "may", "act_on", "deadline")
"""What a waiver or a decline of one's own changes without an event, or time alone."""


@pytest.mark.parametrize("rules", RULES)
async def test_views_and_events_tell_the_same(
    rules: dict[str, Any], autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    views: dict[tuple[int | None, int], list[dict[str, Any]]] = defaultdict(list)
    settle = Table.settle

    def note(self: Table) -> None:
        settle(self)
        for member in self.broadcast.members.values():
            view = _parsed(view_of(self, member.seat))
            views[member.seat, view.seq].append(_loud(view))

    monkeypatch.setattr(Table, "settle", note)
    async with world(Config(seed=b"views")) as server:
        players, watcher = await game(server, rules)
    compared = 0
    for robot in [*players, watcher]:
        now = settled(_parsed(robot.views[0]))
        for event in robot.events:
            if event["seq"] <= now.seq:
                continue
            now = advance(now, parse_server(event))  # type: ignore[arg-type]
            told = views.get((robot.seat, now.seq))
            if told:
                compared += 1
                assert _loud(now) in told
    assert compared > 100


def _parsed(message: dict[str, Any]) -> View:
    view = parse_server(message)
    assert isinstance(view, View)
    return view


def _loud(view: View) -> dict[str, Any]:
    return {key: value for key, value in asdict(settled(view)).items() if key not in QUIET}
