"""A server, and somebody at the plain client who plays one round there, from what it prints alone."""

from __future__ import annotations

import re
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

PATIENCE = 200
"""Seconds after which a round will not end any more."""

TABLE = "create seats=2 bots=easy hand=3 rounds=1 bot_pace=0 grace=0ms claim_time=1s"
"""A table whose rounds take a second and not a minute."""


@contextmanager
def served(dobon: Path, environ: Mapping[str, str], *words: str) -> Iterator[tuple[str, str]]:
    """A server on a free loopback port: its address and its join code."""
    command: list[str | Path] = [
        dobon,
        "serve",
        "--host",
        "127.0.0.1",
        "--port",
        "0",
        "--no-discovery",
        *words,
    ]
    with subprocess.Popen(
        command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        line = process.stdout.readline().split()
        try:
            assert line[:2] == ["listening", "on"], process.communicate()[1]
            yield line[2], line[4]
        finally:
            process.terminate()
            process.communicate()


def play_a_round(command: Sequence[str | Path], environ: Mapping[str, str]) -> list[str]:
    """The lines it printed. Raises AssertionError if it fails."""
    with subprocess.Popen(
        command,
        env=environ,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        timer = threading.Timer(PATIENCE, process.kill)
        timer.start()
        lines: list[str] = []
        try:
            print(TABLE, file=process.stdin, flush=True)
            for line in process.stdout:
                lines.append(line.rstrip("\n"))
                typed = "quit" if ends_a_round(lines[-1]) else answer(lines[-1])
                if typed:
                    print(typed, file=process.stdin, flush=True)
        finally:
            timer.cancel()
        code = process.wait()
    assert (code, any(map(ends_a_round, lines))) == (0, True), "\n".join(lines)
    return lines


def ends_a_round(line: str) -> bool:
    return line.startswith("The round is over:")


def answer(line: str) -> str:
    """What to type at this line; nothing where nothing is asked."""
    if "“start”" in line:
        return "start"
    if line.startswith("> Say ready"):
        return "ready"
    if "You can DOBON!" in line:
        return "dobon"
    if not line.startswith("> Your turn:"):
        return ""
    if card := re.search(r"play (\S+?)[ ,.]", line):
        return f"{card[1]} s"
    return "draw" if "draw" in line else "pass"
