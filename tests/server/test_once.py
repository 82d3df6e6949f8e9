"""A request acts once: sent twice, or again after a cut, the game is the same (protocol, section 3)."""

from __future__ import annotations

from typing import Any

import pytest
import trio

from server.config import Config
from server.memory import Client
from tests.end_to_end.robots import Robot, Wire, public

from .world import World, world

KINDS: list[dict[str, Any]] = [
    {"preset": "dobon", "rounds": 2, "counter": "ask", "claims": "last"},
    {"preset": "pageone", "rounds": 2, "order_by": "rps", "last_call": 1},
    {"preset": "dobon", "rounds": 2, "false_dobon": 1, "jokers": 2, "claims": "all"},
]
MOMENTS = ("seq", "at", "deadline", "until", "lag", "claims")


class MemoryWire:
    def __init__(self, client: Client) -> None:
        self._client = client

    async def send(self, data: bytes) -> None:
        self._client.send(data)

    async def receive(self) -> bytes:
        return await self._client.receive()

    def cut(self) -> None:
        self._client.reset()


async def game(server: World, rules: dict[str, Any], **how: Any) -> tuple[list[Robot], Robot]:
    """A match of three robots, and one that looks on."""

    async def dial() -> Wire:
        return MemoryWire(server.network.connect())

    players = [Robot(name, dial, **how) for name in ("Aki", "Ben", "Chie")]
    watcher = Robot("Dan", dial)
    async with trio.open_nursery() as nursery:
        for robot in [*players, watcher]:
            await nursery.start(robot.run)
        settings = {"grace": 0, "turn_time": 600_000, "claim_time": 4000, "away_time": 600_000}
        made = await players[0].ask("create", seats=3, rules=rules, settings=settings)
        for robot in [*players, watcher]:
            robot.table = made["table"]
        for robot in players[1:]:
            assert (await robot.ask("join"))["t"] == "ok"
        await watcher.ask("watch")
        await players[0].ask("start")
        with trio.fail_after(36_000):
            for robot in [*players, watcher]:
                await robot.over.wait()
        nursery.cancel_scope.cancel()
    return players, watcher


def course(watcher: Robot) -> list[dict[str, Any]]:
    """What happened, without when."""
    return [
        {key: value for key, value in public(event).items() if key not in MOMENTS}
        for event in watcher.events
        if event["ev"] not in ("seat", "ready", "host", "spectator")
    ]


@pytest.mark.parametrize("kind", range(len(KINDS)))
@pytest.mark.parametrize("how", [{"twice": True}, {"cuts": 0.3}, {"cuts": 0.15, "twice": True}])
async def test_the_game_is_the_same(
    kind: int, how: dict[str, Any], autojump_clock: trio.testing.MockClock
) -> None:
    courses = []
    for circumstances in ({}, how):
        async with world(Config(seed=b"once")) as server:
            players, watcher = await game(server, KINDS[kind], **circumstances)
            for robot in [*players, watcher]:
                assert not robot.problems
            if "cuts" in circumstances:
                assert sum(robot.resumed for robot in players) > 5
            courses.append(course(watcher))
    assert courses[0] == courses[1]
    assert len(courses[0]) > 40
