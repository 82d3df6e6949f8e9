"""Structured logs: one JSON object a line on stderr.

What is logged are ids, codes and names; never a card, a token or a password. A name is a JSON string in which
all that can't be seen is escaped: so it can forge no line and moves no cursor, and the host can read it.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import queue
import sys
import threading
from collections.abc import Iterator
from typing import Any, Final, TextIO, cast

import structlog

WAITING: Final = 10_000
"""Lines that wait for whoever reads stderr; those beyond are left out."""
PATIENCE: Final = 1.0
"""Seconds that are left at the end for what waits."""


class _Stderr:
    """Whatever stderr is at the moment. A disk that is full, or a reader that has gone, ends no game."""

    aside: _Aside | None = None

    def write(self, text: str) -> int:
        if self.aside is not None:
            return self.aside.write(text)
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.write(text)
        return len(text)

    def flush(self) -> None:
        if self.aside is None:
            with contextlib.suppress(OSError, ValueError):
                sys.stderr.flush()


class _Aside:
    """A thread that writes: whoever reads may stand still, a terminal after Ctrl-S or a pager."""

    def __init__(self) -> None:
        self._target = sys.stderr.fileno()
        self._lines: queue.Queue[bytes | None] = queue.Queue(WAITING)
        self._left_out = 0
        self._thread = threading.Thread(target=self._work, name="logs", daemon=True)
        self._thread.start()

    def write(self, text: str) -> int:
        try:
            self._lines.put_nowait(text.encode(_encoding(), "backslashreplace"))
        except queue.Full:
            self._left_out += 1
        return len(text)

    def end(self) -> None:
        """Waits a while for what is not written yet."""
        with contextlib.suppress(queue.Full):
            self._lines.put(None, timeout=PATIENCE)
            self._thread.join(PATIENCE)

    def _work(self) -> None:
        while (line := self._lines.get()) is not None:
            if self._left_out:
                line = b'{"event": "lines left out", "lines": %d}\n' % self._left_out + line
                self._left_out = 0
            with contextlib.suppress(OSError):  # as above
                while line:
                    line = line[os.write(self._target, line) :]


_STDERR: Final = _Stderr()


@contextlib.contextmanager
def written_aside() -> Iterator[None]:
    """While this lasts no log line is waited for."""
    aside = _STDERR.aside = _Aside()
    try:
        yield
    finally:
        aside.end()
        _STDERR.aside = None


def readable(data: object, **options: Any) -> str:
    """JSON in one line. Controls, what changes the direction, line separators and all else that prints
    nothing, and what stderr's encoding lacks, stand in it as `\\uXXXX`."""
    text, encoding = json.dumps(data, ensure_ascii=False, **options), _encoding()
    if text.isascii() and text.isprintable():
        return text
    return "".join(each if _is_seen(each, encoding) else _escaped(each) for each in text)


def _is_seen(character: str, encoding: str) -> bool:
    try:
        character.encode(encoding)
    except UnicodeEncodeError:
        return False
    return character.isprintable()


def _escaped(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def _encoding() -> str:
    return getattr(sys.stderr, "encoding", None) or "utf-8"


def configure(level: int = logging.INFO) -> None:
    """Set up logging for a process that serves."""
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.ExceptionRenderer(),
            structlog.processors.JSONRenderer(readable),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.WriteLoggerFactory(cast(TextIO, _STDERR)),
        cache_logger_on_first_use=True,
    )
