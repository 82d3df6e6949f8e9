"""Real connections that are cut and come back: descriptors, tasks and sessions stay what they were."""

from __future__ import annotations

import os
import random
import socket
import struct
from contextlib import suppress

import pytest
import structlog
import trio

from .inprocess import listening
from .robots import Frames, frame

HELLO = {"t": "hello", "versions": [1], "agent": "again"}


async def come_back(where: tuple[str, int], number: int, token: str | None, chance: random.Random) -> str:
    """Connect, and be cut off, with or without a word, somewhere in a request."""
    stream = await trio.open_tcp_stream(*where)
    await stream.send_all(frame({**HELLO, "name": f"P{number}", **({"token": token} if token else {})}))
    reader = Frames()
    welcome: dict[str, object] = {}
    while not welcome:
        for message in reader.feed(bytes(await stream.receive_some(65536))):
            welcome = welcome or message
    assert welcome["t"] == "welcome"
    assert welcome["resumed"] == (token is not None)
    asked = frame({"t": "tables", "id": int(str(welcome["last_id"])) + 1})
    with suppress(trio.BrokenResourceError):
        await stream.send_all(asked[: chance.randrange(len(asked) + 1)])
    if chance.random() < 0.5:
        stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    stream.socket.close()
    return str(welcome["token"])


async def crowd(people: int, times: int) -> list[tuple[int, int]]:
    """Let so many come back so often; descriptors and tasks after each time, once the server has seen it."""
    chance = random.Random(0)
    tokens: list[str | None] = [None] * people
    held = []
    with structlog.testing.capture_logs():
        async with listening() as where:
            base = descriptors()

            async def one(number: int) -> None:
                tokens[number] = await come_back(where, number, tokens[number], chance)

            for _ in range(times):
                async with trio.open_nursery() as nursery:
                    for number in range(people):
                        nursery.start_soon(one, number)
                for _ in range(3000):  # till the server has seen the last one go
                    if descriptors() <= base:
                        break
                    await trio.sleep(0.01)
                held.append((descriptors(), trio.lowlevel.current_statistics().tasks_living))
    return held


def descriptors() -> int:
    """How many are open."""
    found = 0
    for number in range(4096):
        with suppress(OSError):
            os.fstat(number)
            found += 1
    return found


def all_the_same(held: list[tuple[int, int]]) -> None:
    assert held == [held[0]] * len(held)


async def test_sixty_come_back() -> None:
    all_the_same(await crowd(60, 5))


@pytest.mark.nightly
@pytest.mark.timeout(1200)
async def test_five_hundred_come_back_twenty_times() -> None:
    all_the_same(await crowd(500, 20))
