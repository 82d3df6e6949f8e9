"""Servers that are killed at any moment: nothing that was told is lost, and nobody sees a second truth."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest
import trio

from engine.trace import check
from server.export import export
from tests.patience import soon

from .processes import PATIENT, exit_code, reserved_port
from .robots import Message, Robot, SocketWire, Wire, public

FAST = {"grace": 20, "claim_time": 1000, "opening_time": 1000, "ready_time": 2000, "bot_pace": 0}
RULES = {"preset": "dobon", "rounds": 12, "claims": "last", "counter": "ask", "jokers": 1, "last_call": 1}
RACE = {**RULES, "preset": "pageone", "claims": "all"}
TOLD_BY_TABLE = ("seat", "spectator", "host", "rules", "match", "ready", "match_over", "chat", "paused")


class Survivor(Robot):
    """A robot that comes back to whatever server there is, and watches over what it is told."""

    def __init__(self, name: str, port: int) -> None:
        # A chance next to none: but what was decided before a kill may be answered `duplicate` after it.
        super().__init__(name, self._knock, cuts=1e-12, pause=0.01)
        self.port = port
        self.heard = 0
        self.stirred = trio.Event()

    async def _knock(self) -> Wire:
        while True:
            with suppress(OSError):
                return SocketWire(await trio.open_tcp_stream("127.0.0.1", self.port))
            await trio.sleep(0.02)

    async def _hear(self, message: Message) -> None:
        told = max((event["seq"] for event in self.events), default=0)
        if message["t"] == "welcome" and message["last_id"] > self._id:
            self.problems.append(f"{message['last_id']} arrived, {self._id} was the last sent")
        if message["t"] in ("view", "event") and message["seq"] < told:
            self.problems.append(f"{message['seq']} told after {told}")
        if message["t"] == "view" and message["phase"] == "over":
            self.over.set()
        if message["t"] == "event" and message["ev"] == "match":
            self.over = trio.Event()
        await super()._hear(message)
        self.heard += message["t"] in ("view", "event")
        self.stirred.set()
        self.stirred = trio.Event()


@asynccontextmanager
async def life(folder: Path, port: int) -> AsyncIterator[trio.Process]:
    """A server that accepts connections, and is killed at the end."""
    command = [sys.executable, "-m", *PATIENT, "--host", "127.0.0.1", "--no-discovery", "--no-admin"]
    with (folder / "log").open("ab") as log:
        process = await trio.lowlevel.open_process(
            [*command, "--port", str(port), "--data", str(folder)], stdout=subprocess.PIPE, stderr=log
        )
    try:
        assert process.stdout is not None
        with soon("the server's first line"):
            line = await process.stdout.receive_some()
        assert line.startswith(b"listening"), (folder / "log").read_text()[-2000:]
        yield process
    finally:
        process.kill()
        with trio.CancelScope(shield=True):
            await process.wait()


async def play_and_kill(folder: Path, port: int, kills: int, dice: Random, rules: Message) -> list[Survivor]:
    """Play match after match while servers die, and then to an end; everybody is back in half of their lives,
    and in the others when they are."""
    robots = [Survivor(name, port) for name in ("Aki", "Ben", "Chie", "Dan")]
    *players, watcher = robots
    async with trio.open_nursery() as nursery:
        async with life(folder, port):
            for robot in robots:
                await nursery.start(robot.run)
            made = await players[0].ask("create", bots=["normal"], seats=4, rules=rules, settings=FAST)
            for robot in robots:
                robot.table = made["table"]
            for robot in players[1:]:
                await robot.ask("join")
            await watcher.ask("watch")
            await players[0].ask("start")
            await hear(watcher, dice.randrange(300))
        for number in range(kills - 1):
            resumed = [robot.resumed for robot in robots]
            async with life(folder, port):
                if number % 2:
                    await back(robots, resumed)
                await hear(watcher, dice.randrange(200))
                if watcher.over.is_set():
                    await players[0].ask("start")
        async with life(folder, port) as last:
            for robot in robots:
                await robot.finish()
            last.send_signal(signal.SIGTERM)
            assert await exit_code(last) == 0
        nursery.cancel_scope.cancel()
    return robots


async def test_stopped_and_started_again(tmp_path: Path) -> None:
    """SIGTERM says that the server will be back, ends it in time, and loses nothing either."""
    with reserved_port() as port:
        robots = await stop_and_start(tmp_path, port, 3)
    for robot in robots:
        goodbyes = [problem for problem in robot.problems if "'code': 'shutdown'" in problem]
        assert len(goodbyes) == 3
        assert all("'resume': True" in goodbye for goodbye in goodbyes)
    assert agree(robots, tmp_path) == 1


async def stop_and_start(folder: Path, port: int, times: int) -> list[Survivor]:
    """Play a match while servers are stopped, everybody being there."""
    robots = [Survivor(name, port) for name in ("Aki", "Ben")]
    async with trio.open_nursery() as nursery:
        for lifetime in range(times):
            resumed = [robot.resumed for robot in robots]
            async with life(folder, port) as process:
                if not lifetime:
                    for robot in robots:
                        await nursery.start(robot.run)
                    rules = {**RULES, "rounds": 3}
                    made = await robots[0].ask("create", bots=["normal"], seats=3, rules=rules, settings=FAST)
                    for robot in robots:
                        robot.table = made["table"]
                    await robots[1].ask("join")
                    await robots[0].ask("start")
                else:
                    await back(robots, resumed)
                await hear(robots[0], 40)
                process.send_signal(signal.SIGTERM)
                assert await exit_code(process) == 0
        async with life(folder, port):
            for robot in robots:
                await robot.finish()
        nursery.cancel_scope.cancel()
    return robots


async def back(robots: Sequence[Survivor], resumed: Sequence[int]) -> None:
    """Wait until each has resumed its session once more than so often."""
    for robot, times in zip(robots, resumed, strict=True):
        with soon(f"{robot.name}'s return"):
            while robot.resumed <= times:
                await robot.stirred.wait()


async def hear(robot: Survivor, messages: int) -> None:
    """Wait until it has heard so much more of its match, or that it is over."""
    until = robot.heard + messages
    with soon(f"{messages} more messages for {robot.name}"):
        while robot.heard < until and not robot.over.is_set():
            await robot.stirred.wait()


def agree(robots: Sequence[Survivor], folder: Path) -> int:
    """What everybody was told is one story, and it is the one on record; how many matches it has."""
    truth: dict[int, Message] = {}
    for robot in robots:
        assert [problem for problem in robot.problems if "shutdown" not in problem] == []
        for event in robot.events:
            assert truth.setdefault(event["seq"], public(event)) == public(event)
    told = [event for _seq, event in sorted(truth.items())]
    matches = sorted({event["match"] for event in told if event["ev"] == "match"})
    written = []
    for match in matches:
        trace = export(folder, str(match), str)
        assert check(json.loads(json.dumps(trace))) is None
        assert "ranking" in trace
        for round in trace["rounds"]:
            written += round["events"] + [
                event for step in round["steps"] for event in step.get("events", [])
            ]
    left = iter(written)
    for event in told:
        if event["ev"] not in TOLD_BY_TABLE:
            # What was told during a restart is missing in what was heard, never the other way round.
            assert any(same(event, each) for each in left), event
    return len(matches)


def same(told: Message, written: dict[str, Any]) -> bool:
    """Whether an event on record is the one that was told, as far as everybody sees it."""
    hidden = ("hands", "cards", "playable", "may") if told["ev"] != "round_over" else ()
    for key, value in written.items():
        if key in hidden:
            continue
        if key == "claims":
            value = [{**claim, "lag": made["lag"]} for claim, made in zip(value, told[key], strict=False)]
        if told.get(key) != value:
            return False
    return True


@pytest.mark.parametrize("rules", [RULES, RACE], ids=["turns", "race"])
async def test_killed_at_any_moment(rules: Message, tmp_path: Path) -> None:
    with reserved_port() as port:
        robots = await play_and_kill(tmp_path, port, 6, Random(7), {**rules, "rounds": 5})
    assert agree(robots, tmp_path) >= 1
    assert min(robot.resumed for robot in robots) >= 3


@pytest.mark.nightly
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("part", range(4))
async def test_killed_at_three_hundred_moments(part: int, tmp_path: Path) -> None:
    with reserved_port() as port:
        robots = await play_and_kill(tmp_path, port, 75, Random(part), (RULES, RACE)[part % 2])
    assert agree(robots, tmp_path) >= 1
    assert min(robot.resumed for robot in robots) >= 37
