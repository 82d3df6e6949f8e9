"""Frames over real sockets, with a healthy game alongside that goes on as if nobody else were there."""

from __future__ import annotations

import random
from contextlib import suppress

import pytest
import trio
import trio.lowlevel

from tests.end_to_end.processes import Served, served
from tests.end_to_end.robots import Frames, Robot, dial_tcp, public
from tests.end_to_end.robots import frame as whole

from .frames import frame

SETTINGS = {"grace": 20, "claim_time": 1000, "opening_time": 1000, "bot_pace": 0, "ready_time": 1000}
AT_ONCE = 20
"""Frames on one connection, unless it is closed before."""


async def assail(server: Served, number: int, count: int) -> None:
    """Send so many frames over as many connections as it takes, some of them with a session."""
    chance = random.Random(number)
    sent = 0
    while sent < count:
        stream = await trio.open_tcp_stream(server.host, server.port)
        with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
            if chance.random() < 0.8:
                name = f"F{number} {sent}"
                hello = {"t": "hello", "versions": [1], "name": name, "agent": "fuzz"}
                await stream.send_all(whole(hello))
            for _ in range(min(AT_ONCE, count - sent)):
                await stream.send_all(frame(chance))
                sent += 1
                await trio.lowlevel.checkpoint()
            await stream.send_eof()
            with trio.move_on_after(1):
                while await stream.receive_some(65536):
                    pass
        stream.socket.close()


async def alongside(count: int) -> None:
    """A game goes on until all frames were sent, and then one more; nobody who plays notices."""
    finished = 0
    robots: list[Robot] = []
    async with served() as server, trio.open_nursery() as nursery:
        assailed = trio.Event()

        async def all_of_it() -> None:
            async with trio.open_nursery() as assailants:
                for number in range(4):
                    assailants.start_soon(assail, server, number, count // 4)
            assailed.set()

        nursery.start_soon(all_of_it)
        while finished == 0 or not assailed.is_set():
            finished += 1
            players = [
                Robot(f"P{finished} {seat}", dial_tcp(server.host, server.port), pause=0.02)
                for seat in (0, 1)
            ]
            for robot in players:
                await nursery.start(robot.run)
            made = await players[0].ask("create", seats=2, rules={"rounds": 1}, settings=SETTINGS)
            for robot in players:
                robot.table = made["table"]
            await players[1].ask("join")
            await players[0].ask("start")
            for robot in players:
                await robot.finish()
            robots += players
            one, two = ({event["seq"]: public(event) for event in robot.events} for robot in players)
            assert all(one[seq] == two[seq] for seq in one.keys() & two.keys())
        assert await _answers(server)
        nursery.cancel_scope.cancel()
    for robot in robots:
        assert not robot.problems
        assert robot.resumed == 0
        assert not [event for event in robot.events if event["ev"] == "timed_out"]


async def _answers(server: Served) -> bool:
    stream = await trio.open_tcp_stream(server.host, server.port)
    await stream.send_all(whole({"t": "hello", "versions": [1], "name": "Sane", "agent": "fuzz"}))
    (welcome,) = Frames().feed(bytes(await stream.receive_some(65536)))
    return bool(welcome["t"] == "welcome")


async def test_a_game_goes_on_among_a_thousand_frames() -> None:
    await alongside(1_000)


@pytest.mark.nightly
@pytest.mark.timeout(1800)
async def test_a_game_goes_on_among_twenty_thousand_frames() -> None:
    await alongside(20_000)
