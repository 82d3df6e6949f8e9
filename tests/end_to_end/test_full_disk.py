"""A full disk: nobody is told what is not kept, everybody is told that, and it goes on when it can."""

from __future__ import annotations

import json
import resource
from pathlib import Path

import trio

from engine.trace import check
from server.export import export

from .robots import Message
from .test_killed import FAST, RULES, Survivor, agree, free_port, hear, life

UNLIMITED = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)


class Told(Survivor):
    """Also remembers what it is told beside the game."""

    def __init__(self, name: str, port: int) -> None:
        super().__init__(name, port)
        self.warned = trio.Event()

    async def _hear(self, message: Message) -> None:
        if message["t"] == "error" and message["code"] == "server_full":
            self.warned.set()
            if message.get("re") is None:
                return
        await super()._hear(message)


async def test_a_full_disk_stops_the_game_and_loses_nothing(tmp_path: Path) -> None:
    port = free_port()
    robots = [Told(name, port) for name in ("Aki", "Ben")]
    async with trio.open_nursery() as nursery:
        async with life(tmp_path, port) as server:
            for robot in robots:
                await nursery.start(robot.run)
            rules = {**RULES, "rounds": 3}
            made = await robots[0].ask("create", bots=["easy"], seats=3, rules=rules, settings=FAST)
            for robot in robots:
                robot.table = made["table"]
            await robots[1].ask("join")
            await robots[0].ask("start")
            for _ in range(3):
                await hear(robots[0], 30)
                resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))
                with trio.fail_after(60):
                    await robots[1].warned.wait()
                told = robots[1].heard
                refused = await robots[0].ask("chat", text="still there?")
                assert refused["code"] == "server_full"
                assert robots[1].heard == told
                robots[1].warned = trio.Event()
                resource.prlimit(server.pid, resource.RLIMIT_FSIZE, UNLIMITED)
            await hear(robots[0], 30)
        async with life(tmp_path, port):
            with trio.fail_after(60):
                for robot in robots:
                    await robot.over.wait()
        nursery.cancel_scope.cancel()
    assert agree(robots, tmp_path) == 1
    assert check(json.loads(json.dumps(export(tmp_path, "1", str)))) is None
