"""What is typed and what is pasted, told apart, in terminals too that don't do it themselves."""

from __future__ import annotations

import os
import select
import sys
import time
from codecs import getincrementaldecoder
from typing import Final

from prompt_toolkit.input import Input
from prompt_toolkit.input.posix_utils import PosixStdinReader

PIECE: Final = 4096
"""Bytes that are read at once, as many as a terminal holds."""
TYPED: Final = 256
"""Characters that nobody types before they are read."""
QUIET: Final = 0.05
"""Seconds after which a paste is over."""
BEGIN, END = "\x1b[200~", "\x1b[201~"


def keyboard() -> Input | None:
    """The input of this terminal; None where prompt-toolkit is to choose one."""
    if sys.platform == "win32" or not sys.stdin.isatty():
        return None
    from prompt_toolkit.input.vt100 import Vt100Input

    found = Vt100Input(sys.stdin)
    found.stdin_reader = Reader(sys.stdin.fileno(), encoding=sys.stdin.encoding)
    return found


class Reader(PosixStdinReader):
    """Reads from a terminal, and puts what was pasted between the marks of a paste: its letters must not be
    taken for keys."""

    def __init__(self, source: int, encoding: str) -> None:
        super().__init__(source, encoding=encoding)
        self._decoder = getincrementaldecoder(encoding)("surrogateescape")
        self._is_marked = False
        """Whether the terminal itself has begun a paste."""
        self._pasting_until = 0.0

    def read(self, count: int = PIECE) -> str:
        """What there is, without waiting; `closed` is true once there will be nothing any more."""
        try:
            if self.closed or not select.select([self.stdin_fd], [], [], 0)[0]:
                return ""
            data = os.read(self.stdin_fd, PIECE)
        except BlockingIOError:
            return ""
        except OSError:  # the terminal is gone
            data = b""
        self.closed = not data
        return self._marked(self._decoder.decode(data), time.monotonic())

    def _marked(self, text: str, now: float) -> str:
        head, escape, tail = text.partition("\x1b")
        if head and not self._is_marked and (len(head) > TYPED or now < self._pasting_until):
            self._pasting_until = now + QUIET
            head = BEGIN + head + END
        begin, end = text.rfind(BEGIN), text.rfind(END)
        self._is_marked = begin > end or (self._is_marked and end < 0)
        return head + escape + tail
