"""Real connections that are cut and come back: descriptors, tasks and sessions stay what they were."""

from __future__ import annotations

import os
import random
import socket
import ssl
import struct
from contextlib import suppress
from pathlib import Path

import pytest
import structlog
import trio

from server.certificate import identity
from tests.server.encrypted import trusting

from .inprocess import listening
from .robots import Frames, frame

RESET = struct.pack("ii", 1, 0)
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
        stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
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
                held.append(await held_after(base))
    return held


async def held_after(base: int) -> tuple[int, int]:
    """Descriptors and tasks, once the server has seen the last one go."""
    for _ in range(3000):
        if descriptors() <= base:
            break
        await trio.sleep(0.01)
    return descriptors(), trio.lowlevel.current_statistics().tasks_living


def descriptors() -> int:
    """How many are open."""
    found = 0
    for number in range(4096):
        with suppress(OSError):
            os.fstat(number)
            found += 1
    return found


def client_hello() -> bytes:
    """How a client begins a TLS handshake."""
    outgoing = ssl.MemoryBIO()
    with suppress(ssl.SSLWantReadError):
        trusting().wrap_bio(ssl.MemoryBIO(), outgoing).do_handshake()
    return outgoing.read()


async def give_up(where: tuple[str, int], beginning: bytes) -> None:
    """Connect, say this much, and reset."""
    stream = await trio.open_tcp_stream(*where)
    stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
    if beginning:
        await stream.send_all(beginning)
    stream.socket.close()


def all_the_same(held: list[tuple[int, int]]) -> None:
    assert held == [held[0]] * len(held)


async def test_sixty_come_back() -> None:
    all_the_same(await crowd(60, 5))


@pytest.mark.parametrize("way", ["plain", "tls"])
async def test_those_who_give_up_on_the_way_in_leave_nothing(way: str, tmp_path: Path) -> None:
    chance = random.Random(1)
    context = identity(tmp_path, str).context
    whole = client_hello() if way == "tls" else frame({**HELLO, "name": "Nobody"})
    held = []
    async with listening(context=context) as where:
        base = descriptors()
        for _ in range(4):
            async with trio.open_nursery() as nursery:
                for _ in range(60):
                    said = 0 if chance.random() < 0.3 else chance.randrange(len(whole))
                    nursery.start_soon(give_up, where, whole[:said])
            held.append(await held_after(base))
    all_the_same(held)


@pytest.mark.nightly
@pytest.mark.timeout(1200)
async def test_five_hundred_come_back_twenty_times() -> None:
    all_the_same(await crowd(500, 20))
