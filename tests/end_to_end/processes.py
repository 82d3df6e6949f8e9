"""Servers as processes, for tests over real sockets."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import trio

COMMAND = (sys.executable, "-m", "server", "--host", "127.0.0.1", "--port", "0", "--no-discovery")


class Served(NamedTuple):
    """A running `dobon serve`."""

    process: trio.Process
    host: str
    port: int
    line: str


@asynccontextmanager
async def served(*flags: str, **options: Any) -> AsyncIterator[Served]:
    """Start a server on a free port of the loopback, with data of its own unless the flags name some.

    It is stopped at the end, and must then exit with 0. ``options`` are those of `open_process`.
    """
    with tempfile.TemporaryDirectory() as folder:
        data = [] if "--data" in flags else ["--data", folder]
        process = await trio.lowlevel.open_process(
            [*COMMAND, *data, *flags], stdout=subprocess.PIPE, **{"stderr": subprocess.DEVNULL, **options}
        )
        try:
            yield await _started(process)
            if process.returncode is None:
                process.send_signal(signal.SIGTERM)
            with trio.fail_after(5):
                assert await process.wait() == 0
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()


async def _started(process: trio.Process) -> Served:
    assert process.stdout is not None
    line = b""
    while not line.endswith(b"\n"):
        line += await process.stdout.receive_some(1) or b"the server did not start\n"
    host, port = line.decode().split()[2].rsplit(":", 1)
    return Served(process, host, int(port), line.decode())


def log_lines(log: Path, event: str) -> list[dict[str, Any]]:
    """The lines of this event that a server has written into a file so far."""
    lines = log.read_bytes().splitlines(keepends=True)
    found = [json.loads(line) for line in lines if line.startswith(b"{") and line.endswith(b"\n")]
    return [line for line in found if line["event"] == event]


async def logged(log: Path, event: str) -> dict[str, Any]:
    """The first such line, once it is there: a server logs aside of what it does."""
    while True:
        if lines := log_lines(log, event):
            return lines[0]
        await trio.sleep(0.01)
