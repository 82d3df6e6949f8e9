"""Servers as processes, for tests over real sockets."""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import NamedTuple

import trio


class Served(NamedTuple):
    """A running `dobon serve`."""

    process: trio.Process
    host: str
    port: int
    line: str


@asynccontextmanager
async def served(*flags: str) -> AsyncIterator[Served]:
    """Start a server on a free port of the loopback; it is stopped at the end, and must then exit with 0.

    It keeps its data in a folder of its own where ``flags`` name none.
    """
    with tempfile.TemporaryDirectory() as folder:
        async with _served("--data", folder, *flags) as server:
            yield server


@asynccontextmanager
async def _served(*flags: str) -> AsyncIterator[Served]:
    command = [sys.executable, "-m", "server", "--host", "127.0.0.1", "--port", "0", "--no-discovery", *flags]
    process = await trio.lowlevel.open_process(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        assert process.stdout is not None
        line = b""
        while not line.endswith(b"\n"):
            line += await process.stdout.receive_some(1) or b"the server did not start\n"
        host, port = line.decode().split()[2].rsplit(":", 1)
        yield Served(process, host, int(port), line.decode())
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
        with trio.fail_after(5):
            assert await process.wait() == 0
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
