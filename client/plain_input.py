"""Lines that are typed or piped, for trio: read in a thread, which a cancelled reader does not wait for."""

from __future__ import annotations

import os
import select
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
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


@asynccontextmanager
async def typed_lines(ending: Callable[[], None]) -> AsyncIterator[AsyncIterator[str]]:
    """Lines from a prompt, with completion and history; what is printed meanwhile appears above it. `ending`
    is called before a prompt that is cancelled puts the terminal in order."""
    # a terminal need not say where its cursor is: some never do
    os.environ["PROMPT_TOOLKIT_NO_CPR"] = "1"
    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import WordCompleter
    from prompt_toolkit.patch_stdout import patch_stdout

    prompt: PromptSession[str] = PromptSession(
        completer=WordCompleter(list(WORDS)), complete_while_typing=False
    )
    with patch_stdout():
        yield _ask(prompt, ending)


async def _ask(prompt: PromptSession[str], ending: Callable[[], None]) -> AsyncIterator[str]:
    while True:
        asking = _Asking(prompt, ending)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(asking.watch)
            line = await trio.to_thread.run_sync(asking.work)
            nursery.cancel_scope.cancel()
        if line is None:
            return
        yield line[:LINE_LENGTH]


class _Asking:
    """One prompt, in a thread with a loop of its own; who cancels it waits till the terminal is in order."""

    def __init__(self, prompt: PromptSession[str], ending: Callable[[], None]) -> None:
        self._prompt, self._ending = prompt, ending
        self._is_answered = self._is_unwanted = False

    def work(self) -> str | None:
        """The line; None at the end of the input. Ctrl-C is the signal that it would be without a prompt."""
        try:
            return self._prompt.prompt("dobon> ", handle_sigint=False, pre_run=self._begin)
        except EOFError:
            return None
        except KeyboardInterrupt:
            import signal

            os.kill(os.getpid(), signal.SIGINT)
            return ""
        finally:
            self._is_answered = True

    async def watch(self) -> None:
        """Ends the prompt when it is cancelled, wherever it stands."""
        try:
            await trio.sleep_forever()
        finally:
            if not self._is_answered:
                self._ending()
                self._is_unwanted = True
                if (loop := self._prompt.app.loop) is not None:
                    with suppress(RuntimeError):  # it ends by itself just now
                        loop.call_soon_threadsafe(self._begin)

    def _begin(self) -> None:
        """It runs now; it may be wanted no longer."""
        app = self._prompt.app
        if self._is_unwanted and app.is_running and app.future is not None and not app.future.done():
            app.exit(exception=EOFError)
