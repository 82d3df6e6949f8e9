"""Bots that play among themselves, as fast as they can, hold nobody up."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import trio

from engine.actions import Action
from server.bot_seat import InlineThinker, Question
from server.seats import Status

from .keeping import kept_world
from .world import World, world

Clock = trio.testing.MockClock
FAST: dict[str, Any] = {"bot_pace": 0, "grace": 0, "claim_time": 1000}
THOUGHT = 0.001
"""Seconds that each decision of a bot takes here."""


class Busy(InlineThinker):
    """Thinks on the server's time."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def think(self, question: Question, deliver: Callable[[Action | None], None]) -> None:
        self._clock.jump(THOUGHT)
        super().think(question, deliver)


async def show(server: World, name: str) -> int:
    """A table at which four bots play, and its number."""
    host = await server.hello(name)
    made = await host.ask("create", sit=False, bots=["easy"] * 4, settings=FAST)
    await host.ask("start", table=made["table"])
    return int(made["table"])


async def test_who_asks_does_not_wait_for_them(autojump_clock: Clock) -> None:
    async with world(thinker=Busy(autojump_clock)) as server:
        caller = await server.hello("Haru")
        for number in range(30):
            await show(server, f"Host {number}")
        waited = []
        for _ in range(20):
            await trio.sleep(0.1)
            began = trio.current_time()
            assert (await caller.ask("tables"))["t"] == "ok"
            waited.append(trio.current_time() - began)
        assert max(waited) < 0.03
        assert sum(table.playing for table in server.core.lobby.tables.values()) > 20


async def test_they_play_no_faster_than_it_is_written_down(autojump_clock: Clock, tmp_path: Path) -> None:
    free = trio.Event()
    free.set()

    async def away(do: Callable[[], None]) -> None:
        await free.wait()
        await trio.sleep(0.01)
        do()

    async with kept_world(tmp_path, away=away) as server:
        table = server.core.lobby.tables[await show(server, "Host")]
        await trio.sleep(1)
        free = trio.Event()
        await trio.sleep(0.1)
        before = table.broadcast.seq
        await trio.sleep(1)
        assert table.broadcast.seq == before
        free.set()
        await trio.sleep(1)
        assert before + 20 < table.broadcast.seq < before + 500


async def test_who_is_played_for_makes_a_show_of_it_and_who_is_away_does_not(autojump_clock: Clock) -> None:
    async with world() as server:
        (human,) = await server.table(["A"], bots=["easy"] * 3)
        table = server.core.lobby.tables[human.table]
        attended = {}
        for status in get_args(Status):
            table.seats[0].status = status
            attended[status] = table.attended
        assert attended == {"online": True, "away": True, "autopilot": False, "left": False}
