"""A terminal, or a pipe, that is read slowly or not at all: the client goes on, and ends in order."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import trio

from tests.client.fake_server import VIEW, Peer, listening
from tests.client.pty_session import Pty, calm, dobon, restored
from tests.end_to_end.evening import environment
from tests.patience import PATIENCE, soon

ROUNDS = 200


class Chatterer:
    """A server that, once told to, shows another table again and again and asks after each for a pong."""

    def __init__(self) -> None:
        self._go, self._done = trio.Event(), trio.Event()

    def begin(self) -> None:
        """For another thread."""
        trio.from_thread.run_sync(self._go.set)

    def pongs(self) -> None:
        """For another thread: begins, and waits till every pong has come."""
        self.begin()
        trio.from_thread.run(self._done.wait)

    async def script(self, peer: Peer) -> None:
        await peer.greet()
        await self._go.wait()
        for n in range(ROUNDS):
            names = [f"{n}-{number:03}" for number in range(40)]
            await peer.say(
                {**VIEW, "seq": n, "name": f"Room {n}", "spectators": names}, {"t": "ping", "n": n}
            )
            while (heard := await peer.hear()) != {"t": "pong", "n": n}:
                if not heard:
                    return
                if heard["t"] == "tables":
                    await peer.say({"t": "ok", "re": heard["id"], "tables": []})
        self._done.set()
        await trio.sleep_forever()


async def story(told: Callable[[str, Path, Chatterer], None], home: Path) -> None:
    """What a thread tells of a client at a chatterer."""
    server = Chatterer()
    with soon("the end of the story"):
        async with listening(server.script) as address:
            await trio.to_thread.run_sync(told, address, home, server)


def fill(pty: Pty) -> None:
    """Writes to the terminal, as another program in it may, till it takes no more; it shows nothing of it."""
    line = os.open(os.readlink(f"/proc/{pty.pid}/fd/1"), os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK)
    try:
        while True:
            os.write(line, bytes(500))
    except BlockingIOError:
        pass
    finally:
        os.close(line)


def player(address: str, *words: str) -> list[str]:
    return dobon("join", address, "--name", "Haru", *words)


@pytest.mark.parametrize("mode", ["--glyphs=ascii", "--plain"])
async def test_pings_are_answered_while_the_terminal_stands_still(mode: str, tmp_path: Path) -> None:
    def told(address: str, home: Path, server: Chatterer) -> None:
        with Pty(player(address, mode), home) as pty:
            pty.until_shown("Connect" if mode == "--plain" else "New table")
            fill(pty)
            server.pongs()
            pty.until_shown(f"Room {ROUNDS - 1}")
            pty.signal(signal.SIGTERM)
            assert pty.ended() == 143
            restored(pty)

    await story(told, tmp_path)


@pytest.mark.parametrize("mode", ["--glyphs=ascii", "--plain"])
async def test_it_ends_though_nobody_reads(mode: str, tmp_path: Path) -> None:
    """The last words, which put the terminal in order, come through."""

    def told(address: str, home: Path, server: Chatterer) -> None:
        with Pty(player(address, mode), home) as pty:
            pty.until_shown("Connect" if mode == "--plain" else "New table")
            fill(pty)
            server.pongs()
            pty.signal(signal.SIGTERM)
            os.waitid(os.P_PID, pty.pid, os.WEXITED | os.WNOWAIT)
            assert pty.ended() == 143
            calm(pty)

    await story(told, tmp_path)


async def test_only_the_latest_picture_is_drawn(tmp_path: Path) -> None:
    def told(address: str, home: Path, server: Chatterer) -> None:
        with Pty(player(address), home) as pty:
            pty.until_shown("New table")
            fill(pty)
            before = len(pty.output)
            server.pongs()
            pty.until_shown(f"Room {ROUNDS - 1}")
            shown = pty.output[before:].replace(b"\0", b"")
            assert len(shown) < 20_000, "two pictures, and what the line held"
            pty.signal(signal.SIGTERM)
            assert pty.ended() == 143

    await story(told, tmp_path)


async def test_ctrl_z_waits_for_no_terminal_that_stands_still(tmp_path: Path) -> None:
    """And what puts it in order is there before the shell is."""

    def told(address: str, home: Path, server: Chatterer) -> None:
        with Pty(["bash", "--norc", "-i"], home, PS1="ready> ") as pty:
            pty.until_shown("ready>")
            pty.press(" ".join(player(address)) + "\r")
            pty.until_shown("New table")
            fill(pty)
            server.pongs()
            pty.press("\x1a")
            pty.until_shown("Stopped")
            assert pty.modes()[1049] is False
            pty.press("fg\r")
            pty.until_shown(f"Room {ROUNDS - 1}")

    await story(told, tmp_path)


SHARED = """
import fcntl, os, signal, subprocess, sys
signal.signal(signal.SIGINT, lambda *_: None)
fcntl.fcntl(1, fcntl.F_SETFL, os.O_RDWR | int(sys.argv[1]))
subprocess.call(sys.argv[2:])
print("It is", "waiting" if os.get_blocking(1) else "not waiting")
"""


@pytest.mark.parametrize("mode", ["--glyphs=ascii", "--plain"])
@pytest.mark.parametrize("flag", [0, os.O_NONBLOCK])
async def test_the_line_is_taken_and_left_as_it_is(flag: int, mode: str, tmp_path: Path) -> None:
    """The shell uses the same terminal: ours makes it no other, and bears what others made of it."""

    def told(address: str, home: Path, server: Chatterer) -> None:
        command = [sys.executable, "-c", SHARED, str(flag), *player(address, mode)]
        with Pty(command, home) as pty:
            pty.until_shown("Connect" if mode == "--plain" else "New table")
            fill(pty)
            server.pongs()
            pty.until_shown(f"Room {ROUNDS - 1}")
            pty.press("\x03" if mode == "--plain" else "\x03\x03")
            pty.until_shown("It is not waiting" if flag else "It is waiting")

    await story(told, tmp_path)


async def test_a_pipe_that_is_read_late_gets_everything(tmp_path: Path) -> None:
    def told(address: str, home: Path, server: Chatterer) -> None:
        with piped(address, home) as client:
            server.pongs()
            said, _ = client.communicate(b"quit\n", PATIENCE)
            assert client.returncode == 0
            assert said.count(b"Room") == ROUNDS

    await story(told, tmp_path)


async def test_a_pipe_that_is_never_read_keeps_nobody(tmp_path: Path) -> None:
    def told(address: str, home: Path, server: Chatterer) -> None:
        with piped(address, home) as client:
            server.pongs()
            client.send_signal(signal.SIGTERM)
            assert client.wait(PATIENCE) == 143

    await story(told, tmp_path)


async def test_it_ends_once_nobody_can_read(tmp_path: Path) -> None:
    def told(address: str, home: Path, server: Chatterer) -> None:
        with piped(address, home) as client:
            assert client.stdout is not None
            assert client.stdout.readline()
            client.stdout.close()
            server.begin()
            assert client.wait(PATIENCE) == 1

    await story(told, tmp_path)


def piped(address: str, home: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        player(address, "--plain"), stdin=-1, stdout=-1, stderr=subprocess.DEVNULL, env=environment(home)
    )
