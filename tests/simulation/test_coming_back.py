"""Hundreds of people whose connections are cut, and who come back, again and again: nothing piles up."""

from __future__ import annotations

import gc
import random
import sys
from typing import NamedTuple

import structlog
import trio

from protocol.frame import SERVER_DEPTH, SERVER_LIMIT, FrameReader, decode_payload, encode_frame
from server.memory import Network
from tests.server.world import World, world

PEOPLE = 500
TIMES = 20
TABLES = 16
SETTLED = 5
"""After so many times everything that is kept for a while is there."""


class Held(NamedTuple):
    """What the server holds."""

    tasks: int
    connections: int
    sessions: int
    timers: int
    memory: int
    """Blocks of it."""


async def come_back(network: Network, number: int, token: str | None, chance: random.Random) -> str:
    """Connect, be at a table, and be cut off somewhere in the next request."""
    client = network.connect()
    hello = {"t": "hello", "versions": [1], "name": f"P{number}", "agent": "test"}
    client.send(encode_frame({**hello, **({"token": token} if token else {})}))
    reader = FrameReader(SERVER_LIMIT)
    welcome = None
    while welcome is None:
        reader.feed(await client.receive())
        for payload in reader.frames():
            welcome = welcome or decode_payload(payload, SERVER_DEPTH)
    assert welcome["t"] == "welcome"
    assert welcome["resumed"] == (token is not None)
    asked = encode_frame({"t": "watch", "id": welcome["last_id"] + 1, "table": 1 + number % TABLES})
    client.send(asked[: chance.randrange(len(asked) + 1)])
    # A few moments for all of them: the network in memory looks at everybody at each.
    await trio.sleep(chance.randrange(5) / 5)
    if chance.random() < 0.5:
        client.reset()
    else:
        client.close()
    return str(welcome["token"])


def held(server: World) -> Held:
    gc.collect()
    core = server.core
    return Held(
        trio.lowlevel.current_statistics().tasks_living,
        len(server.harvester._peers) + len(core.visitors._connections) + server.network.open(),
        len(core.visitors.sessions),
        len(core.timers._heap),
        sys.getallocatedblocks(),
    )


async def crowd(server: World) -> list[Held]:
    """Let all of them come and go; what was held after each time."""
    network = server.network
    tokens: list[str | None] = [None] * PEOPLE
    chance = random.Random(0)
    holds: list[Held] = []
    host = network.connect()
    host.send(encode_frame({"t": "hello", "versions": [1], "name": "Host", "agent": "test"}))
    for table in range(TABLES):
        host.send(encode_frame({"t": "create", "id": table + 1, "sit": False}))

    async def one(number: int) -> None:
        tokens[number] = await come_back(network, number, tokens[number], chance)

    for _ in range(TIMES):
        with structlog.testing.capture_logs():
            async with trio.open_nursery() as nursery:
                for number in range(PEOPLE):
                    nursery.start_soon(one, number)
            # All that waits for a hello or a pong has run out; sessions are kept.
            await trio.sleep(12)
            host.take()
            host.send(encode_frame({"t": "pong", "n": 1}))
        holds.append(held(server))
    return holds


async def test_what_is_held_stays_the_same(autojump_clock: trio.testing.MockClock) -> None:
    async with world() as server:
        holds = await crowd(server)
    early, late = holds[SETTLED], holds[-1]
    assert late.sessions == PEOPLE + 1
    assert late[:4] == early[:4]
    assert late.memory < early.memory * 1.02
