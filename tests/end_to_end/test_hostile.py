"""Connections that are cut, silent, slow, endless or mad harm nobody else; over real sockets."""

from __future__ import annotations

import json
import os
import random
import signal
import socket
import struct
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
import trio

from tests.patience import soon

from .processes import COMMAND, Served, cpu, exit_code, served
from .robots import Frames, Robot, dial_tcp, frame, public

HELLO = {"t": "hello", "versions": [1], "agent": "hostile"}
SETTINGS = {"grace": 20, "claim_time": 1000, "opening_time": 1000, "bot_pace": 0}


async def connect(server: Served, name: str | None = None) -> trio.SocketStream:
    stream = await trio.open_tcp_stream(server.host, server.port)
    if name is not None:
        await stream.send_all(frame({**HELLO, "name": name}))
        with soon(f"the welcome of {name}"):
            await stream.receive_some(4096)
    return stream


async def cut(server: Served, chance: random.Random) -> None:
    """Resets and ends at every point: before hello, within a frame, at a table."""
    whole = frame({**HELLO, "name": f"Cut{chance.randrange(10**9)}"}) + frame(
        {"t": "watch", "id": 1, "table": 1}
    )
    while True:
        stream = await connect(server)
        await stream.send_all(whole[: chance.randrange(len(whole) + 1)])
        if chance.random() < 0.5:
            stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        await trio.sleep(0.005)
        stream.socket.close()


async def never_read(server: Served, chance: random.Random) -> None:
    """Watches and asks for views without end, and reads nothing."""
    stream = await connect(server, f"Deaf{chance.randrange(10**9)}")
    await stream.send_all(frame({"t": "watch", "id": 1, "table": 1}))
    number = 1
    while True:
        number += 1
        await stream.send_all(frame({"t": "sync", "id": number, "table": 1}))
        await trio.sleep(0.06)


async def drip(server: Served, chance: random.Random) -> None:
    """A byte now and then."""
    stream = await connect(server)
    for byte in frame({**HELLO, "name": "Slow"}) * 100:
        await stream.send_all(bytes([byte]))
        await trio.sleep(0.2)


async def flood(server: Served, chance: random.Random) -> None:
    """As much as goes through."""
    while True:
        stream = await connect(server, f"Flood{chance.randrange(10**9)}")
        block = b"".join(frame({"t": "tables", "id": number}) for number in range(1, 100))
        try:
            while True:
                await stream.send_all(block)
        except trio.BrokenResourceError:
            await trio.sleep(0.01)


async def half_open(server: Served, chance: random.Random) -> None:
    """Sends its end at once and keeps the rest open."""
    stream = await connect(server, f"Half{chance.randrange(10**9)}")
    await stream.send_eof()
    await trio.sleep_forever()


async def mad(server: Served, chance: random.Random) -> None:
    """Garbage in well-formed frames and in none."""
    for _ in range(10_000):
        stream = await connect(server)
        body = chance.randbytes(chance.randrange(1, 200))
        await stream.send_all(chance.choice([struct.pack(">I", len(body)), b""]) + body)
        stream.socket.close()
    await trio.sleep_forever()


Bully = Callable[[Served, random.Random], Awaitable[None]]


@pytest.mark.parametrize("bully", [cut, never_read, drip, flood, half_open, mad])
async def test_a_match_goes_on_undisturbed(bully: Bully) -> None:
    async with served() as server, trio.open_nursery() as nursery:
        players = [Robot(name, dial_tcp(server.host, server.port), pause=0.02) for name in ("Aki", "Ben")]
        for robot in players:
            await nursery.start(robot.run)
        made = await players[0].ask("create", seats=2, rules={"rounds": 1}, settings=SETTINGS)
        for robot in players:
            robot.table = made["table"]
        await players[1].ask("join")
        for number in range(3):
            nursery.start_soon(_bully, bully, server, random.Random(number))
        await players[0].ask("start")
        for robot in players:
            await robot.finish()
        nursery.cancel_scope.cancel()
    for robot in players:
        assert not robot.problems
        assert robot.resumed == 0
        # Not one of their turns ran out, whoever pulled at the server.
        assert not [event for event in robot.events if event["ev"] == "timed_out"]
    one, two = ({event["seq"]: public(event) for event in robot.events} for robot in players)
    assert all(one[seq] == two[seq] for seq in one.keys() & two.keys())


async def _bully(bully: Bully, server: Served, chance: random.Random) -> None:
    try:
        await bully(server, chance)
    except (trio.BrokenResourceError, trio.ClosedResourceError):
        await trio.sleep_forever()


async def test_ten_thousand_frames_of_garbage() -> None:
    """Each on a connection of its own where it is no frame, and in sessions where it is no request."""
    chance = random.Random(3)
    async with served() as server:
        for number in range(100):
            stream = await connect(server, f"Mad{number}")
            block = b"".join(frame(_nonsense(chance, n)) for n in range(1, 101))
            try:
                await stream.send_all(block)
                while await stream.receive_some(65536):
                    if number % 2:
                        break
                    await stream.send_eof()
            except trio.BrokenResourceError:
                pass
            stream.socket.close()
        stream = await connect(server, "Sane")
        await stream.send_all(frame({"t": "tables", "id": 1}))
        reader = Frames()
        with soon("an answer to who is sane"):
            (answer,) = reader.feed(bytes(await stream.receive_some(65536)))
        assert answer["t"] == "ok"


def _nonsense(chance: random.Random, number: int) -> dict[str, object]:
    values: list[object] = [None, True, -1, 2**53, "", "x" * 100, b"\xff", [], {}, [[[[[]]]]], {"t": "hello"}]
    kinds = [
        "create",
        "join",
        "play",
        "draw",
        "dobon",
        "ready",
        "chat",
        "rules",
        "start",
        "kick",
        "bot",
        "rps",
    ]
    keys = [
        "table",
        "seat",
        "on",
        "card",
        "rules",
        "settings",
        "text",
        "level",
        "bots",
        "seats",
        "nonce",
        "t",
    ]
    message: dict[str, object] = {"t": chance.choice(kinds), "id": number}
    for _ in range(chance.randrange(5)):
        message[chance.choice(keys)] = chance.choice(values)
    return message


async def test_the_line_costs_less_than_a_second() -> None:
    """Of the processor, whatever else a machine is busy with: elsewhere it comes as soon as that."""
    async with served() as server:
        assert cpu(server.process.pid) < 1
        assert server.line.startswith(f"listening on 127.0.0.1:{server.port} code ")


async def test_stopping_tells_everybody_and_waits_for_nobody() -> None:
    async with served() as server:
        reading = await connect(server, "Reads")
        deaf = [await connect(server, f"Deaf{number}") for number in range(20)]
        assert deaf
        os.kill(server.process.pid, 15)
        data = b""
        with soon("the end of a connection"):
            while more := await reading.receive_some(65536):
                data += more
        assert await exit_code(server.process) == 0
        last = Frames().feed(data)[-1]
        assert (last["code"], last["resume"]) == ("shutdown", True)
        with pytest.raises(OSError, match="connect"):
            await trio.open_tcp_stream(server.host, server.port)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_asked_twice_to_stop_it_stops_at_once(number: int, tmp_path: Path) -> None:
    """Newcomers are refused as soon as anybody is told, and nothing is left behind."""
    log, data = tmp_path / "log", tmp_path / "data"
    with log.open("wb") as stderr:
        async with served("--data", str(data), stderr=stderr) as server:
            reading = await connect(server, "Reads")
            deaf = await connect(server, "Deaf")
            server.process.send_signal(number)
            with soon("a last word"):
                last = Frames().feed(bytes(await reading.receive_some(65536)))[-1]
            assert last["code"] == "shutdown"
            with pytest.raises(OSError, match="connect"):
                await trio.open_tcp_stream(server.host, server.port)
            server.process.send_signal(number)
            assert await exit_code(server.process) == 0
            await deaf.aclose()
    lines = [json.loads(line) for line in log.read_bytes().splitlines() if line.startswith(b"{")]
    assert [line["event"] for line in lines][-2:] == ["stopping at once", "stopped"]
    assert b"Traceback" not in log.read_bytes()
    assert "admin.sock" not in [path.name for path in data.iterdir()]


async def test_a_port_that_is_taken_is_said_in_one_sentence(tmp_path: Path) -> None:
    async with served() as server:
        done = await trio.run_process(
            [*COMMAND, "--port", str(server.port), "--data", str(tmp_path)],
            capture_stderr=True,
            capture_stdout=True,
            check=False,
        )
        assert (done.returncode, done.stdout) == (1, b"")
        assert done.stderr.count(b"\n") == 1
