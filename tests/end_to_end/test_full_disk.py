"""A full disk: nobody is told what is not kept, everybody is told that, and it goes on when it can."""

from __future__ import annotations

import json
import resource
from pathlib import Path

import trio

from engine.trace import check
from server.export import export
from tests.patience import soon

from .processes import reserved_port
from .robots import Message
from .test_killed import FAST, RULES, Survivor, agree, hear, life

UNLIMITED = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
FULL = (1000, resource.RLIM_INFINITY)


class Told(Survivor):
    """Also remembers what it is told beside the game."""

    def __init__(self, name: str, port: int) -> None:
        super().__init__(name, port)
        self.refused: list[int] = []

    async def _hear(self, message: Message) -> None:
        if message.get("code") == "server_full" and "re" in message:
            self.refused.append(message["re"])
        await super()._hear(message)

    async def until_it_waits(self, times: int) -> None:
        """Wait till everybody was told more often than that that the game waits."""
        with soon(f"{self.name} being told that the game waits"):
            while self.stood <= times:
                await self.stirred.wait()

    async def until_refused(self, request: int) -> None:
        with soon(f"the refusal of {request} for {self.name}"):
            while request not in self.refused:
                await self.stirred.wait()


async def test_a_full_disk_stops_the_game_and_loses_nothing(tmp_path: Path) -> None:
    with reserved_port() as port:
        robots = [Told(name, port) for name in ("Aki", "Ben")]
        await play_on_a_full_disk(tmp_path, port, robots)
    assert agree(robots, tmp_path) == 1
    assert check(json.loads(json.dumps(export(tmp_path, "1", str)))) is None


async def play_on_a_full_disk(folder: Path, port: int, robots: list[Told]) -> None:
    """A match that three times finds the disk full, which nobody plays through, and a server killed."""
    async with trio.open_nursery() as nursery:
        async with life(folder, port) as server:
            for robot in robots:
                await nursery.start(robot.run)
            made = await robots[0].ask("create", bots=["easy"], seats=3, rules=RULES, settings=FAST)
            for robot in robots:
                robot.table = made["table"]
            await robots[1].ask("join")
            await robots[0].ask("start")
            for _ in range(3):
                await hear(robots[0], 30)
                stood = robots[1].stood
                resource.prlimit(server.pid, resource.RLIMIT_FSIZE, FULL)
                await robots[1].until_it_waits(stood)
                told = robots[1].heard
                await robots[0].until_refused(await robots[0].request("chat", text="still there?"))
                assert robots[1].heard == told
                resource.prlimit(server.pid, resource.RLIMIT_FSIZE, UNLIMITED)
            await hear(robots[0], 30)
        async with life(folder, port):
            for robot in robots:
                await robot.finish()
        nursery.cancel_scope.cancel()
