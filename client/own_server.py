"""A server of the player's own, for a game alone: another process, that lives as long as the game."""

from __future__ import annotations

import contextlib
import queue
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator

from protocol.joincode import Address

from .i18n import Translate
from .options import BadStart

HOST = "127.0.0.1"
PATIENCE = 60
"""Seconds that the server has to begin, and then to end."""


@contextlib.contextmanager
def own_server(seed: str | None, _: Translate) -> Iterator[Address]:
    """A server on a free loopback port, for as long as the block runs. Raises BadStart if it won't begin."""
    # -P: else Python runs what lies in the current folder under our modules' names, whoever put it there.
    command = [sys.executable, "-P", "-m", "server", "--host", HOST, "--port", "0"]
    command += ["--no-discovery", "--no-admin", "--alone", "--lifeline"]
    with tempfile.TemporaryFile() as complaints:
        process = subprocess.Popen(
            command + ([] if seed is None else ["--seed", seed]),
            # held by us alone: the server ends when we do, even if we are killed
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=complaints,
            # Ctrl-C is for the player, not for the server
            start_new_session=True,
        )
        try:
            line = _first_line(process)
            if not line.startswith("listening on "):
                process.kill()
                process.wait()
                complaints.seek(0)
                said = complaints.read().decode("utf-8", "replace").strip().splitlines() or ["?"]
                raise BadStart(_("The server does not start: {reason}").format(reason=said[-1]))
            host, _colon, port = line.split()[2].rpartition(":")
            yield Address(host, int(port))
        finally:
            _end(process)


def _first_line(process: subprocess.Popen[bytes]) -> str:
    """The server's first line; empty if it ends or says nothing."""
    said: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    assert process.stdout is not None
    threading.Thread(target=lambda: said.put(process.stdout.readline()), daemon=True).start()  # type: ignore[union-attr]
    try:
        return said.get(timeout=PATIENCE).decode("ascii", "replace")
    except queue.Empty:
        return ""


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()
