"""How fast the full-screen client is: `python -m bench.client`. Linux, a few seconds for each figure.

In this process: what one change on screen costs at 100x30, against a bare application of five windows, and
the bytes that it writes, against a full repaint. In a pseudo-terminal of 80x24, the client being a process of
its own that plays at a server in this one: from a key to the frame that shows it, from an event to its frame,
processor time while nothing happens, and from the start to the first frame against a bare interpreter.
"""

from __future__ import annotations

import asyncio
import io
import os
import random
import select
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

from msgspec import to_builtins
from prompt_toolkit.application import Application
from prompt_toolkit.application.current import set_app
from prompt_toolkit.data_structures import Size as TerminalSize
from prompt_toolkit.input import DummyInput
from prompt_toolkit.layout import Layout
from prompt_toolkit.output import ColorDepth

from bench.five_windows import five_windows
from client.control import Screenful
from client.frugal import FrugalOutput
from client.glyphs import UNICODE
from client.model import Model, update
from client.screen.canvas import Frame
from client.screen.draw import draw
from client.screen.scene import Scene, Size, Ui
from client.settings import Settings
from client.styles import style_for
from engine.rules import Rules
from protocol.frame import encode_frame
from protocol.messages import Event
from tests.client.pty_session import Pty, dobon
from tests.client.screens import view, welcome
from tests.client.streams import Stream
from tests.patience import PATIENCE

ROUNDS: Final = 300
KEYS: Final = 200
STARTS: Final = 7


def main() -> None:
    redraw()
    print()
    live()
    print()
    starts()


def show(name: str, *figures: str) -> None:
    print(f"{name:<46}" + "".join(f"{figure:>16}" for figure in figures))


# One change on screen, in this process.


class Drawn:
    """An application that is drawn by hand."""

    def __init__(self, layout: Layout, size: Size) -> None:
        self.written = io.StringIO()
        output = FrugalOutput(
            self.written,
            lambda: TerminalSize(rows=size.height, columns=size.width),
            term="xterm-256color",
            enable_cpr=False,
        )
        self.application: Application[None] = Application(
            layout=layout,
            full_screen=True,
            output=output,
            input=DummyInput(),
            style=style_for(ColorDepth.DEPTH_8_BIT),
        )

    def draw(self) -> tuple[int, int]:
        """(ns, bytes) of one drawing."""
        before = len(self.written.getvalue())
        start = time.perf_counter_ns()
        self.application.renderer.render(self.application, self.application.layout)
        took = time.perf_counter_ns() - start
        return took, len(self.written.getvalue()[before:].encode())


class Compared:
    """A table of ours at which a match is played at random, and five bare windows; both change in turns."""

    def __init__(self, size: Size) -> None:
        self.changes = 0
        self._chance = random.Random(3)
        self._begin()
        screenful = Screenful(self._frame, lambda name: None, lambda: False)
        self.ours = Drawn(screenful.layout, size)
        self.bare = Drawn(five_windows(lambda: f"change {self.changes}"), size)

    def _begin(self) -> None:
        self._stream = Stream(Rules.preset("dobon"), 4, self._chance)
        self._model = update(Model(link="online", name="P0"), self._stream.view(0), 0)
        self._feed(self._stream.begin())
        self._feed(self._stream.deal())

    def _feed(self, events: Iterable[dict[int | None, Event]]) -> None:
        for each in events:
            self._model = update(self._model, each[0], self._stream.at)

    def _frame(self, size: Size) -> Frame:
        table = self._model.table
        hand = (table.view.hand if table else None) or [""]
        moment = self._stream.at + 300
        return draw(
            Scene(self._model, Ui(card=hand[0]), Settings(), UNICODE, str, moment, connected=True), size
        )

    def change(self) -> tuple[int, int, int]:
        """(our ns, their ns, our bytes) for what one action of somebody's changes."""
        self.changes += 1
        if self._stream.playing:
            self._feed(self._stream.step())
        else:
            self._begin()
        with set_app(self.ours.application):
            ours, written = self.ours.draw()
        with set_app(self.bare.application):
            bare, _written = self.bare.draw()
        return ours, bare, written


def redraw() -> None:
    asyncio.run(_redraw())


async def _redraw() -> None:
    for size in (Size(80, 24), Size(100, 30), Size(200, 60)):
        compared = Compared(size)
        compared.change()
        compared.ours.application.renderer.reset()
        full = compared.change()[2]
        ours, bare, written = zip(*(compared.change() for _ in range(ROUNDS)), strict=True)
        mine, theirs, count = (statistics.median(each) for each in (ours, bare, written))
        name = f"one event on screen at {size.width}x{size.height}"
        show(name, f"{mine / 1e6:.2f} ms", f"bare {theirs / 1e6:.2f} ms", f"ratio {mine / theirs:.2f}")
        show("  bytes written", f"{count:.0f}", f"repaint {full}", f"ratio {count / full:.3f}")


# The client in a terminal.


class Server:
    """A server of one table and one player, that says what it is told to."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(PATIENCE)  # a client that fails at once would be waited for
        self.where = f"127.0.0.1:{self._listener.getsockname()[1]}"
        self.seq = 50
        self._connection: socket.socket | None = None

    def accept(self) -> None:
        """Takes the client in and shows it the table; an attempt at TLS is turned away."""
        while True:
            self._connection, _address = self._listener.accept()
            self._connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            first = self._connection.recv(65536)
            if first[:1] == b"\x00":  # a frame's length
                break
            self._connection.close()
        self.say(to_builtins(welcome(), builtin_types=(bytes,)))
        self.say(to_builtins(view(at=0, until=None, deadline=None), builtin_types=(bytes,)))

    def say(self, data: dict[str, Any]) -> None:
        assert self._connection is not None
        self._connection.sendall(encode_frame(data, 1 << 20))

    def happen(self) -> None:
        """A card of somebody else's, over and over."""
        self.seq += 1
        card = "3C" if self.seq % 2 else "4D"
        data = {
            "t": "event",
            "table": 3,
            "seq": self.seq,
            "at": self.seq,
            "ev": "played",
            "seat": 1,
            "card": card,
        }
        self.say({**data, "suit": card[1], "discard": self.seq, "left": 3, "until": None, "deadline": None})


def frame_after(pty: Pty, cause: Callable[[], None]) -> float:
    """Seconds from a cause to the last byte of the frame that it makes."""
    start = time.perf_counter()
    cause()
    select.select([pty.terminal], [], [], 5)
    end = time.perf_counter()
    while select.select([pty.terminal], [], [], 0.004)[0]:
        pty.output += os.read(pty.terminal, 65536)
        end = time.perf_counter()
    return end - start


def rest(pty: Pty, seconds: float) -> None:
    """Waits for what the client says though nothing happens."""
    if select.select([pty.terminal], [], [], seconds)[0]:
        pty.read_some()


def live() -> None:
    server = Server()
    with (
        tempfile.TemporaryDirectory() as home,
        Pty(dobon("join", server.where, "--name", "Haru"), Path(home)) as pty,
    ):
        server.accept()
        pty.until_shown("Your turn")
        keys, events, sizes = [], [], []
        for _ in range(KEYS):
            keys.append(frame_after(pty, lambda: pty.press("\x1b[C")))
            rest(pty, 0.02)
            before = len(pty.output)
            events.append(frame_after(pty, server.happen))
            sizes.append(len(pty.output) - before)
            rest(pty, 0.02)
        for name, times in (("key to frame", keys), ("event to frame", events)):
            ordered = sorted(times)
            show(
                f"{name} at 80x24",
                f"{statistics.median(ordered) * 1000:.1f} ms",
                f"p99 {ordered[len(ordered) * 99 // 100] * 1000:.1f} ms",
            )
        show("bytes written for one event", f"{statistics.median(sizes):.0f}")
        used = cpu_seconds(pty.pid)
        rest(pty, 5)
        show("processor time while nothing happens", f"{(cpu_seconds(pty.pid) - used) * 200:.2f} ms/s")


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


# From nothing.


def starts() -> None:
    bare, helps, firsts = [], [], []
    with tempfile.TemporaryDirectory() as home:
        environ = {**os.environ, "HOME": home}
        for _ in range(STARTS):
            bare.append(run_time([sys.executable, "-c", "pass"], environ))
            helps.append(run_time(dobon("--help"), environ))
            firsts.append(first_frame(Path(home)))
    base = statistics.median(bare)
    show("python -c pass", f"{base * 1000:.0f} ms")
    for name, times in (("dobon --help", helps), ("dobon, start to first frame", firsts)):
        show(
            name, f"{statistics.median(times) * 1000:.0f} ms", f"ratio {statistics.median(times) / base:.1f}"
        )


def run_time(command: list[str], environ: dict[str, str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, env=environ, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def first_frame(home: Path) -> float:
    start = time.perf_counter()
    with Pty(dobon(), home) as pty:
        pty.until_shown("Play alone")
        return time.perf_counter() - start


if __name__ == "__main__":
    main()
