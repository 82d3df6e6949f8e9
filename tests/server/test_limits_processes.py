"""Few file descriptors, in a real process: who is there is served, whoever knocks."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import trio

from protocol.frame import SERVER_DEPTH, SERVER_LIMIT, FrameReader, decode_payload, encode_frame
from tests.end_to_end.processes import Served, cpu, log_lines, logged, served
from tests.patience import soon

KNOCKS = 200


class Caller:
    """A connection that asks one thing after the other."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self.stream = stream
        self._reader = FrameReader(SERVER_LIMIT)
        self._heard: list[dict[str, Any]] = []

    async def say(self, **message: Any) -> None:
        await self.stream.send_all(encode_frame(message))

    async def next(self, **wanted: Any) -> dict[str, Any]:
        """The next message with these values; an empty one at the end."""
        with soon(f"{wanted}"):
            while True:
                while self._heard:
                    message = self._heard.pop(0)
                    if wanted.items() <= message.items():
                        return message
                try:
                    data = await self.stream.receive_some(65536)
                except trio.BrokenResourceError:
                    data = b""
                if not data:
                    return {}
                self._reader.feed(bytes(data))
                self._heard += [decode_payload(each, SERVER_DEPTH) for each in self._reader.frames()]


async def dial(server: Served) -> Caller:
    return Caller(await trio.open_tcp_stream(server.host, server.port))


async def hello(server: Served, name: str) -> Caller:
    caller = await dial(server)
    await caller.say(t="hello", versions=[1], name=name, agent="test")
    assert (await caller.next())["t"] == "welcome"
    return caller


async def seated(server: Served) -> tuple[Caller, Caller]:
    """Two people at a table."""
    a, b = await hello(server, "A"), await hello(server, "B")
    await a.say(t="create", id=1, seats=2)
    table = (await a.next(re=1))["table"]
    await b.say(t="join", id=1, table=table)
    assert (await b.next(re=1))["t"] == "ok"
    return a, b


async def talk(a: Caller, b: Caller, number: int) -> None:
    """What the one says, the other hears."""
    await a.say(t="chat", id=number, table=1, text=f"line {number}")
    assert (await a.next(re=number))["t"] == "ok"
    assert (await b.next(ev="chat"))["text"] == f"line {number}"


def descriptors(most: int) -> dict[str, Any]:
    """Options for a process that may have so many files open."""
    return {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))}


@contextmanager
def held(count: int) -> Iterator[list[int]]:
    """Files that the server inherits, and does not know of."""
    files = [os.open(os.devnull, os.O_RDONLY) for _ in range(count)]
    try:
        yield files
    finally:
        for file in files:
            os.close(file)


async def test_with_few_descriptors_newcomers_are_told_and_nobody_is_disturbed(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with log.open("wb") as stderr:
        async with served(stderr=stderr, **descriptors(64)) as server:
            few = await logged(log, "few_files")
            assert few["files"] == 64
            assert 5 <= few["connections"] <= 16
            a, b = await seated(server)
            knocking = [await dial(server) for _ in range(KNOCKS)]
            for number in range(2, 12):
                await talk(a, b, number)
            refused = 0
            for caller in knocking[few["connections"] :][:20]:
                await caller.say(t="hello", versions=[1], name="Late", agent="test")
                refused += (await caller.next()).get("code") == "server_full"
            assert refused == 20
            await talk(a, b, 12)
            for caller in knocking:
                await caller.stream.aclose()
            await _welcome_again(server)
            await talk(a, b, 13)


async def test_out_of_descriptors_it_waits_quietly_for_some(tmp_path: Path) -> None:
    """The files that it counts on are gone already: accepting fails."""
    log = tmp_path / "log"
    with log.open("wb") as stderr, held(40) as files:
        async with served(stderr=stderr, pass_fds=files, **descriptors(110)) as server:
            a, b = await seated(server)
            pid = server.process.pid
            knocking = [await dial(server) for _ in range(KNOCKS)]
            began, used, number = trio.current_time(), cpu(pid), 1
            while len(log_lines(log, "accept_paused")) < 3:
                number += 1
                await talk(a, b, number)
                await trio.sleep(0.2)
            elapsed = trio.current_time() - began
            assert cpu(pid) - used < elapsed / 4
            said = [datetime.fromisoformat(line["timestamp"]) for line in log_lines(log, "accept_paused")]
            # By the log's own times, with room for a busy machine that writes one line late.
            assert all(later - earlier > timedelta(seconds=0.5) for earlier, later in pairwise(said))
            assert "open files" in log_lines(log, "accept_paused")[0]["why"]
            for caller in knocking:
                await caller.stream.aclose()
            await _welcome_again(server)
            await talk(a, b, number + 1)


async def _welcome_again(server: Served) -> None:
    """Once the others have gone, somebody new gets in."""
    with soon("a welcome for somebody new"):
        for number in range(100):
            caller = await dial(server)
            await caller.say(t="hello", versions=[1], name=f"New {number}", agent="test")
            if (await caller.next()).get("t") == "welcome":
                return
