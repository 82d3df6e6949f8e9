"""Whole matches over real sockets, by scripted players who know only the protocol."""

from __future__ import annotations

from typing import Any

import pytest
import trio

from .processes import served
from .robots import Robot, dial_tcp, public

FAST = {"grace": 20, "claim_time": 1000, "opening_time": 1000, "bot_pace": 0}


@pytest.mark.parametrize("preset", ["dobon", "pageone"])
@pytest.mark.parametrize("bots", [0, 1])
async def test_a_whole_match_is_the_same_for_everybody(preset: str, bots: int) -> None:
    async with served() as server, trio.open_nursery() as nursery:
        dial = dial_tcp(server.host, server.port)
        players = [Robot(name, dial, pause=0.02) for name in ("Aki", "Ben", "Chie")]
        watcher = Robot("Dan", dial)
        for robot in [*players, watcher]:
            await nursery.start(robot.run)
        made = await players[0].ask(
            "create",
            seats=3 + bots,
            bots=[],
            rules={"preset": preset, "rounds": 2, "last_call": 2, "jokers": 1},
            settings=FAST,
        )
        for robot in [*players, watcher]:
            robot.table = made["table"]
        for robot in players[1:]:
            assert (await robot.ask("join"))["t"] == "ok"
        assert (await watcher.ask("watch"))["t"] == "ok"
        assert (await players[0].ask("start", fill="normal"))["t"] == "ok"
        for robot in [*players, watcher]:
            await robot.finish()
        nursery.cancel_scope.cancel()
    same_for_all([*players, watcher])
    assert len(watcher.rounds) == 2


def same_for_all(robots: list[Robot]) -> None:
    by_seq: dict[int, dict[str, Any]] = {}
    for robot in robots:
        assert not robot.problems
        seqs = [event["seq"] for event in robot.events]
        assert seqs == list(range(seqs[0], seqs[0] + len(seqs)))
        for event in robot.events:
            assert by_seq.setdefault(event["seq"], public(event)) == public(event)
