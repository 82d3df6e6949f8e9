"""Bots that think beside a server that serves: `python -m bench.thinking [--tables 100] [--seconds 60]`.

A whole server in memory plays that many tables of four bots at their normal pace, once with `normal`, who
never search, and once with `hard`. Told are how late the loop wakes up (its idling with no table at all is
the measure), how many of the searches were ready by the moment drawn for them, and what the worker needs.
"""

from __future__ import annotations

import argparse
import logging
from collections.abc import Callable
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

import trio

from engine.actions import Action
from engine.bots import REACTIONS
from protocol.frame import SERVER_DEPTH, SERVER_LIMIT, FrameReader, decode_payload, encode_frame
from server.bot_seat import Question
from server.config import Config
from server.core import Core
from server.harvest import Harvester
from server.logs import configure
from server.memory import Client, Network
from server.record import NoRecord
from server.thinker import WorkerThinker

TICK = 0.01
"""How often the loop's lateness is looked at, in s."""
WARM_UP = 10.0
TABLES_EACH = 8
"""How many tables one session opens."""


class Watched(WorkerThinker):
    """A thinker that notes by how much each search was ready before its moment, in ms."""

    def __init__(self) -> None:
        super().__init__()
        self.spare: list[float] = []

    def think(self, question: Question, deliver: Callable[[Action | None], None]) -> None:
        asked = trio.current_time()
        drawn = REACTIONS[question.level].draw(Random(question.seed))
        delivered = False

        def note(action: Action | None) -> None:
            nonlocal delivered
            delivered = True
            deliver(action)
            if searched:
                self.spare.append(drawn - 1000 * (trio.current_time() - asked))

        searched = False
        super().think(question, note)
        searched = not delivered


async def open_tables(client: Client, tables: int, level: str) -> None:
    """Say hello, open the tables and start them, and read whatever comes."""
    reader = FrameReader(SERVER_LIMIT)
    client.send(
        encode_frame({"t": "hello", "versions": [1], "name": f"w{id(client)}"[:16], "agent": "bench"})
    )
    request = 0

    def ask(**fields: Any) -> None:
        nonlocal request
        request += 1
        client.send(encode_frame({"id": request, **fields}))

    for _ in range(tables):
        ask(t="create", seats=4, bots=[level] * 4, sit=False, rules={"rounds": 20})
    while data := await client.receive():
        reader.feed(data)
        for payload in reader.frames():
            message = decode_payload(payload, SERVER_DEPTH)
            if message["t"] == "ok" and "table" in message:
                ask(t="start", table=message["table"])
            elif message["t"] == "ping":
                client.send(encode_frame({"t": "pong", "n": message["n"]}))
            elif message["t"] == "error":
                raise RuntimeError(f"the server refused: {message}")


async def lateness(seconds: float) -> float:
    """The median of how late the loop wakes from short sleeps, in ms."""
    late = []
    end = trio.current_time() + seconds
    while (now := trio.current_time()) < end:
        await trio.sleep(TICK)
        late.append(1000 * (trio.current_time() - now - TICK))
    return median(late)


async def serve(tables: int, level: str, seconds: float) -> dict[str, Any]:
    """Play the tables for a while; what was seen."""
    network, thinker = Network(), Watched()
    harvester: Harvester
    core = Core(Config(), NoRecord(), thinker, network.now, network.clock, lambda: harvester.wake())
    harvester = Harvester(network, core)
    harvester.listen(network.listener)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(harvester.run)
        nursery.start_soon(thinker.run)
        for first in range(0, tables, TABLES_EACH):
            nursery.start_soon(open_tables, network.connect(), min(TABLES_EACH, tables - first), level)
        await trio.sleep(WARM_UP)
        thinker.spare.clear()
        late = await lateness(seconds)
        memory = 0 if thinker.process is None else _memory(thinker.process.pid)
        nursery.cancel_scope.cancel()
    ready = sum(spare >= 0 for spare in thinker.spare) / len(thinker.spare) if thinker.spare else 1.0
    return {"late": late, "searches": len(thinker.spare) / seconds, "ready": ready, "memory": memory}


def _memory(pid: int) -> float:
    """Resident MiB of a process."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return 0.0


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--tables", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=60)
    args = parser.parse_args()
    configure(logging.WARNING)
    idle = trio.run(serve, 0, "normal", args.seconds / 4)["late"]
    print(f"idle: the loop wakes {idle:.3f} ms late (median)")
    for level in ("normal", "hard"):
        seen = trio.run(serve, args.tables, level, args.seconds)
        late = seen["late"]
        print(f"{args.tables} tables of four {level}: {late:.3f} ms late, {late / idle:.2f} × idle")
    print(f"{seen['searches']:.0f} searches/s, {seen['ready']:.2%} in time; worker {seen['memory']:.0f} MiB")


if __name__ == "__main__":
    main()
