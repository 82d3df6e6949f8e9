"""A disk so slow that the game waits again and again: nobody takes that for an end, and nothing is lost."""

from __future__ import annotations

import json
from pathlib import Path

import trio

from engine.trace import check
from server.export import export

from .processes import STALLED, served
from .robots import Robot, dial_tcp
from .test_examples import QUICK, Seated
from .test_matches import FAST, same_for_all


async def test_players_ask_again_for_what_was_refused_meanwhile(tmp_path: Path) -> None:
    async with served("--data", str(tmp_path), module=STALLED) as server, trio.open_nursery() as nursery:
        robots = [Robot(name, dial_tcp(server.host, server.port), pause=0.01) for name in ("Aki", "Ben")]
        for robot in robots:
            await nursery.start(robot.run)
        made = await robots[0].ask("create", seats=3, bots=["normal"], rules={"rounds": 2}, settings=FAST)
        for robot in robots:
            robot.table = made["table"]
        assert (await robots[1].ask("join"))["t"] == "ok"
        assert (await robots[0].ask("start"))["t"] == "ok"
        for robot in robots:
            await robot.finish()
        nursery.cancel_scope.cancel()
    same_for_all(robots)
    assert min(robot.stood for robot in robots) > 5
    assert check(json.loads(json.dumps(export(tmp_path, "1", str)))) is None


async def test_a_strangers_bot_waits_too() -> None:
    async with served(module=STALLED) as server:
        bot = await Seated.start(server, "--new", "--bots", "easy,normal", "--settings", QUICK)
        assert len(await bot.ranking()) == 3
