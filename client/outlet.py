"""A way out to a terminal or a pipe on which nobody waits: a thread of its own writes, at their pace.

A slow line, a window that stands still, a pager: who writes to those stands still as well, and the answers to
the server's pings with them. The line itself stays as it is: were it `O_NONBLOCK`, the shell's would be, too.
"""

from __future__ import annotations

import io
import os
import select
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, TextIO

if sys.platform != "win32":
    import termios

PATIENCE: Final = 1.0
"""Seconds that a terminal has at the end for what it has not taken yet, and again for the last words."""
PIECE: Final = 1024
"""Bytes that are handed over at once: what is behind them can still be left out."""

DEADLY: Final = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT) if sys.platform != "win32" else ()


class Outlet(io.TextIOBase):
    """A text stream to where `target` leads. Its methods raise OSError once nobody can read there."""

    def __init__(self, target: TextIO) -> None:
        raw: Any = target.buffer
        self._raw: io.RawIOBase = getattr(raw, "raw", raw)
        self._encoding = target.encoding
        self._is_terminal = target.isatty()
        self._changed = threading.Condition()
        self._held = bytearray()
        """What was written here and not yet taken."""
        self._optional = 0
        """How much of that may be left out at the end, from its beginning."""
        self._is_busy = False
        """Whether a piece is on its way."""
        self._then: Callable[[], None] | None = None
        self._fault: OSError | None = None
        self._thread: threading.Thread | None = None

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._encoding

    def fileno(self) -> int:
        return self._raw.fileno()

    def isatty(self) -> bool:
        return self._is_terminal

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        """Takes all of it, at once; what the encoding lacks becomes question marks."""
        with self._changed:
            self._check()
            self._held += text.encode(self._encoding, "replace")
            if self._thread is None:  # what waits for a terminal must not keep the process
                self._thread = threading.Thread(target=self._work, name="outlet", daemon=True)
                self._thread.start()
            self._changed.notify_all()
        return len(text)

    def is_behind(self, then: Callable[[], None], beyond: int = 0) -> bool:
        """Whether more than `beyond` bytes are not taken yet. If so, `then` is called once all of them are,
        in the thread that writes; the last one that was given counts."""
        with self._changed:
            self._check()
            is_behind = self._is_pending and len(self._held) >= beyond
            self._then = then if is_behind else self._then
            return is_behind

    def mark(self) -> None:
        """What is written from now on are last words, which `settle` does not leave out."""
        with self._changed:
            self._optional = len(self._held)

    def settle(self, patience: float | None) -> None:
        """Waits till all is taken. After `patience` seconds it leaves out what was there before `mark`, here
        and in the system, and gives the last words as long again."""
        if self._wait(patience):
            return
        with self._changed:
            del self._held[: self._optional]
            self._optional = 0
        if self._is_terminal and sys.platform != "win32":
            with suppress(termios.error):
                termios.tcflush(self.fileno(), termios.TCOFLUSH)
                # A writer that waits for room is not told of it; it is told that the line is open again.
                termios.tcflow(self.fileno(), termios.TCOOFF)
                termios.tcflow(self.fileno(), termios.TCOON)
            self._wait(patience)

    def suspend(self) -> None:
        """For Ctrl-Z: stops the process once the terminal is in order, which `mark` has been told of. For the
        main thread."""
        with suppress(OSError):
            self.settle(PATIENCE)
        # Who is told to end while stopped must do so as it is: to touch the terminal would stop it again.
        handlers = {number: signal.signal(number, signal.SIG_DFL) for number in DEADLY}
        os.kill(0, signal.SIGTSTP)
        for number, handler in handlers.items():
            signal.signal(number, handler)

    @property
    def _is_pending(self) -> bool:
        return bool(self._held) or self._is_busy

    def _check(self) -> None:
        if self._fault is not None:
            raise OSError(self._fault.errno, self._fault.strerror)

    def _wait(self, patience: float | None) -> bool:
        with self._changed:
            is_settled = self._changed.wait_for(lambda: not self._is_pending, patience)
            self._check()
            return is_settled

    # The thread.

    def _work(self) -> None:
        while self._fault is None:
            with self._changed:
                self._changed.wait_for(lambda: self._held)
                piece = bytes(self._held[:PIECE])
                del self._held[:PIECE]
                self._optional = max(0, self._optional - PIECE)
                self._is_busy = True
            fault = self._hand_over(piece)
            with self._changed:
                self._is_busy, self._fault = False, fault
                if fault is not None:
                    self._held.clear()
                then = None
                if not self._held:
                    then, self._then = self._then, None
                    self._changed.notify_all()
            if then is not None:
                with suppress(RuntimeError):  # its loop has ended meanwhile
                    then()

    def _hand_over(self, piece: bytes) -> OSError | None:
        try:
            while piece:
                taken = self._raw.write(piece)
                if taken is None:  # somebody else made the line one that does not wait
                    select.select([], [self._raw], [])
                piece = piece[taken or 0 :]
        except OSError as fault:
            return fault
        return None
