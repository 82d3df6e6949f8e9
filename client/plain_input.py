"""Lines that come through a pipe, for trio: read in a thread, which a cancelled reader does not wait for."""

from __future__ import annotations

import os
import select
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Final, TypeAlias

import trio

Lines: TypeAlias = AbstractAsyncContextManager[AsyncIterator[str]]
"""Lines without their ends, until the end of the input; to be left as a context."""

LINE_LENGTH: Final = 4096
"""Characters of a line that are looked at; more is a paste gone wrong, or no person."""


@asynccontextmanager
async def piped_lines(source: int = 0) -> AsyncIterator[AsyncIterator[str]]:
    """The lines of a file descriptor, standard input's; what is no UTF-8 in them becomes lone surrogates."""
    yield _read(source)


async def _read(source: int) -> AsyncIterator[str]:
    held = b""
    while True:
        data = await trio.to_thread.run_sync(_some, source, abandon_on_cancel=True)
        *lines, held = (held + data).split(b"\n")
        if not data and held:
            lines = [held]
        held = held[:LINE_LENGTH]
        for line in lines:
            yield line[:LINE_LENGTH].decode("utf-8", "surrogateescape").rstrip("\r")
        if not data:
            return


def _some(source: int) -> bytes:
    """What there is, waiting for it; nothing at the end."""
    while True:
        try:
            # os.read, for a thread left in a buffered reader would make the interpreter's exit complain
            return os.read(source, 65536)
        except BlockingIOError:  # somebody who has it, too, made it one that does not wait
            select.select([source], [], [])
