"""A program in a terminal of its own: its keys, its screen, and what it leaves behind."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pyte

from tests.end_to_end.processes import PATIENT, WORDS
from tests.patience import PATIENCE

ROOT = Path(__file__).resolve().parents[2]
MODES = re.compile(r"\x1b\[\?([0-9;]+)([hl])")
OFF = (1049, 1000, 1003, 1006, 1015, 2004, 1)
ENTERED = ("1049", "2004", "1000")
"""Of the modes that are entered and left; 1000 is the first of those of the mouse."""
QUIET = {**dict.fromkeys(OFF, False), 25: True, 7: True}
"""The modes of a terminal at rest: main screen, no mouse, no bracketed paste, a cursor, lines that wrap."""


class Pty:
    """A child on a pseudo-terminal with an emulated screen; end it by leaving the block."""

    def __init__(
        self, command: Sequence[str], home: Path, size: tuple[int, int] = (24, 80), **environ: str
    ) -> None:
        plain: Mapping[str, str] = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "LANG": "C.UTF-8",
            "LC_ALL": "C.UTF-8",
            "TERM": "xterm-256color",
            "PROMPT_TOOLKIT_NO_CPR": "1",
            "PYTHONPATH": str(ROOT),
        }
        self.screen = pyte.Screen(size[1], size[0])
        self._stream = pyte.ByteStream(self.screen)
        self.output = b""
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(home)
            os.execvpe(command[0], list(command), {**plain, **environ})
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
        self.before = self.attributes()
        self._status: int | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._status is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        self.close()

    def close(self) -> None:
        """Closes the terminal, as closing its window does."""
        if self.terminal >= 0:
            os.close(self.terminal)
            self.terminal = -1

    def attributes(self) -> list[Any]:
        """The line's settings, as `stty -a` shows them."""
        return termios.tcgetattr(self.terminal)

    def text(self) -> str:
        return "\n".join(line.rstrip() for line in self.screen.display)

    def press(self, keys: str) -> None:
        os.write(self.terminal, keys.encode())

    def signal(self, number: signal.Signals) -> None:
        os.kill(self.pid, number)

    def until(self, holds: Callable[[str], object]) -> str:
        """Reads till the text of the screen is as told, and returns it."""
        deadline = time.monotonic() + PATIENCE
        while not holds(self.text()):
            if not self._read(deadline):
                raise AssertionError(f"it does not come:\n{self.text()}")
        return self.text()

    def until_shown(self, text: str) -> str:
        return self.until(lambda shown: text in shown)

    def read_some(self) -> None:
        """Reads what there is."""
        self._read(time.monotonic() + 0.05)

    def ended(self) -> int:
        """Reads to the end and returns the exit code, of a signal its negative."""
        deadline = time.monotonic() + PATIENCE
        while self.terminal >= 0 and self._read(deadline):
            pass
        assert time.monotonic() < deadline, f"it does not end:\n{self.text()}"
        _pid, status = os.waitpid(self.pid, 0)
        self._status = os.waitstatus_to_exitcode(status)
        return self._status

    def modes(self) -> dict[int, bool]:
        """How the program left the modes of the terminal."""
        found = dict(QUIET)
        for numbers, letter in MODES.findall(self.output.decode("utf-8", "replace")):
            for number in map(int, numbers.split(";")):
                if number in found:
                    found[number] = letter == "h"
        return found

    def last_lines(self) -> list[str]:
        """What stands on the main screen after the alternate one was left."""
        tail = self.output.rsplit(b"\x1b[?1049l", 1)[-1].decode("utf-8", "replace")
        plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", tail)
        return [line.strip() for line in plain.splitlines() if line.strip()]

    def _read(self, deadline: float) -> bool:
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([self.terminal], [], [], left)[0]:
            return False
        try:
            data = os.read(self.terminal, 65536)
        except OSError:  # the child's side is closed
            return False
        self.output += data
        self._stream.feed(data)
        return bool(data)


def calm(pty: Pty) -> None:
    """Everything is as it was."""
    assert pty.attributes() == pty.before
    assert pty.modes() == QUIET


def restored(pty: Pty) -> None:
    """Everything is as it was, and each mode was left as often as entered, the last one first."""
    calm(pty)
    entered: list[str] = []
    for number, letter in MODES.findall(pty.output.decode("utf-8", "replace")):
        if letter == "h" and number in ENTERED:
            entered.append(number)
        elif number in ENTERED:
            assert entered.pop() == number
    assert entered == []


def dobon(*words: str) -> list[str]:
    return [sys.executable, "-m", "client.command", *words]


@contextlib.contextmanager
def served() -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A server on a free loopback port: its address, and its process."""
    command = [sys.executable, "-m", *PATIENT, *WORDS]
    with tempfile.TemporaryDirectory() as home:
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, "HOME": home, "XDG_RUNTIME_DIR": home},
        )
        assert process.stdout is not None
        try:
            first = process.stdout.readline()
            assert first.startswith("listening on "), first
            yield first.split()[2], process
        finally:
            process.terminate()
            process.communicate(timeout=PATIENCE)
