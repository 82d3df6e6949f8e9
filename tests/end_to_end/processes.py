"""Servers as processes, for tests over real sockets."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

import trio

from tests.patience import soon

PATIENT: Final = ("tests.end_to_end.patient", "3600", "0")
"""A server that never complains of its disk, as a module and its arguments."""
STALLED: Final = ("tests.end_to_end.patient", "0.02", "0.1")
"""One whose disk is so slow that the game waits for it again and again."""
WORDS: Final = ("--host", "127.0.0.1", "--port", "0", "--no-discovery")
COMMAND: Final = (sys.executable, "-m", "server", *WORDS)


class Served(NamedTuple):
    """A running `dobon serve`."""

    process: trio.Process
    host: str
    port: int
    line: str


@asynccontextmanager
async def served(*flags: str, module: Sequence[str] = PATIENT, **options: Any) -> AsyncIterator[Served]:
    """Start a server on a free port of the loopback, with data of its own unless the flags name some.

    It is stopped at the end, and must then exit with 0. ``options`` are those of `open_process`.
    """
    with tempfile.TemporaryDirectory() as folder:
        data = [] if "--data" in flags else ["--data", folder]
        process = await trio.lowlevel.open_process(
            [sys.executable, "-m", *module, *WORDS, *data, *flags],
            stdout=subprocess.PIPE,
            **{"stderr": subprocess.DEVNULL, **options},
        )
        try:
            yield await _started(process)
            if process.returncode is None:
                process.send_signal(signal.SIGTERM)
            assert await exit_code(process) == 0
        finally:
            if process.returncode is None:
                process.kill()
                with trio.CancelScope(shield=True):
                    await process.wait()


async def exit_code(process: trio.Process) -> int:
    """The exit code of a process that is about to end."""
    with soon(f"the end of {process.args!r}"):
        return await process.wait()


def cpu(pid: int) -> float:
    """Seconds of the processor that a process has had so far."""
    words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def reserved_port() -> Iterator[int]:
    """A port of the loopback where servers can come and go, and that is given to nobody else meanwhile."""
    with socket.socket() as held:
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        held.bind(("127.0.0.1", 0))
        yield held.getsockname()[1]


async def _started(process: trio.Process) -> Served:
    assert process.stdout is not None
    line = b""
    with soon("a server's first line"):
        while not line.endswith(b"\n"):
            line += await process.stdout.receive_some(1) or b"the server did not start\n"
    assert line.startswith(b"listening on "), line
    host, port = line.decode().split()[2].rsplit(":", 1)
    return Served(process, host, int(port), line.decode())


def log_lines(log: Path, event: str) -> list[dict[str, Any]]:
    """The lines of this event that a server has written into a file so far."""
    lines = log.read_bytes().splitlines(keepends=True)
    found = [json.loads(line) for line in lines if line.startswith(b"{") and line.endswith(b"\n")]
    return [line for line in found if line["event"] == event]


async def logged(log: Path, event: str) -> dict[str, Any]:
    """The first such line, once it is there: a server logs aside of what it does."""
    with soon(f"{event} in the log"):
        while not (lines := log_lines(log, event)):  # noqa: ASYNC110 - another process writes them
            await trio.sleep(0.01)
    return lines[0]
