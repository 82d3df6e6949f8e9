"""Lines that are typed or piped, for trio: read in a thread, which a cancelled reader does not wait for."""

from __future__ import annotations

import os
import threading
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING, Final, TypeAlias

import trio

from .plain_help import WORDS

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession

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
        # os.read, for a thread left in a buffered reader would make the interpreter's exit complain
        data = await trio.to_thread.run_sync(os.read, source, 65536, abandon_on_cancel=True)
        *lines, held = (held + data).split(b"\n")
        if not data and held:
            lines = [held]
        held = held[:LINE_LENGTH]
        for line in lines:
            yield line[:LINE_LENGTH].decode("utf-8", "surrogateescape").rstrip("\r")
        if not data:
            return


@asynccontextmanager
async def typed_lines() -> AsyncIterator[AsyncIterator[str]]:
    """Lines from a prompt, with completion and history; what is printed meanwhile appears above it."""
    # a terminal need not say where its cursor is: some never do
    os.environ["PROMPT_TOOLKIT_NO_CPR"] = "1"
    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import WordCompleter
    from prompt_toolkit.patch_stdout import patch_stdout

    prompt: PromptSession[str] = PromptSession(
        completer=WordCompleter(list(WORDS)), complete_while_typing=False
    )
    with patch_stdout():
        yield _ask(prompt)


async def _ask(prompt: PromptSession[str]) -> AsyncIterator[str]:
    while True:
        asking = _Asking(prompt)
        try:
            line = await trio.to_thread.run_sync(asking.work, abandon_on_cancel=True)
        except trio.Cancelled:
            asking.stop()
            with trio.CancelScope(shield=True):
                await trio.to_thread.run_sync(asking.done.wait)
            raise
        if line is None:
            return
        yield line[:LINE_LENGTH]


class _Asking:
    """One prompt, in a thread with a loop of its own."""

    def __init__(self, prompt: PromptSession[str]) -> None:
        self.done = threading.Event()
        self._prompt = prompt

    def work(self) -> str | None:
        """The line; None at the end of the input. Ctrl-C is the signal that it would be without a prompt."""
        try:
            return self._prompt.prompt("dobon> ", handle_sigint=False)
        except EOFError:
            return None
        except KeyboardInterrupt:
            import signal

            os.kill(os.getpid(), signal.SIGINT)
            return ""
        finally:
            self.done.set()

    def stop(self) -> None:
        """End the prompt from outside; the terminal is as it was once `done` is set."""
        app = self._prompt.app
        if app.loop is not None and app.is_running:
            app.loop.call_soon_threadsafe(lambda: app.exit(exception=EOFError) if app.is_running else None)
