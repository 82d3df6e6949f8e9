"""A line to type in, with completion and history; what is printed meanwhile appears above it."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Final, TextIO, cast

import trio
from prompt_toolkit import PromptSession
from prompt_toolkit.application import run_in_terminal
from prompt_toolkit.completion import WordCompleter
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.output import Output
from prompt_toolkit.output.vt100 import Vt100_Output

from .keyboard import keyboard
from .outlet import Outlet
from .plain_help import WORDS
from .plain_input import LINE_LENGTH

LONGEST: Final = 1000
"""Characters of a line after which no more can be pasted into it."""


class Prompt:
    """Asks for one line after the other, each in a thread with a loop of its own; whoever cancels that waits
    till the terminal is in order."""

    def __init__(self, outlet: Outlet) -> None:
        # a terminal need not say where its cursor is: some never do
        os.environ["PROMPT_TOOLKIT_NO_CPR"] = "1"
        self._outlet = outlet
        self._session: PromptSession[str] = PromptSession(
            completer=WordCompleter(list(WORDS)),
            complete_while_typing=False,
            key_bindings=self._keys(),
            input=keyboard(),
            output=_output(outlet),
        )
        self._held: list[str] = []
        """Lines that are not printed yet, because the prompt stands where they are to be."""
        self._is_printing = False
        self._lock = threading.Lock()
        self._is_asking = self._is_unwanted = False

    def print(self, lines: Iterable[str]) -> None:
        """Prints lines as soon as the prompt lets it, and at its end for certain."""
        with self._lock:
            self._held += lines
        if not self._is_asking:
            self._write()
        elif (loop := self._session.app.loop) is not None:
            with suppress(RuntimeError):  # the prompt has ended just now
                loop.call_soon_threadsafe(self._print_above)

    @asynccontextmanager
    async def lines(self) -> AsyncIterator[AsyncIterator[str]]:
        """What is typed, line by line."""
        yield self._ask()

    async def _ask(self) -> AsyncIterator[str]:
        while True:
            self._is_asking, self._is_unwanted = True, False
            try:
                async with trio.open_nursery() as nursery:
                    nursery.start_soon(self._watch)
                    line = await trio.to_thread.run_sync(self._work)
                    nursery.cancel_scope.cancel()
            finally:
                self._is_asking = False
                with suppress(OSError):  # that nobody can read is said by whatever is written next
                    self._write()
            if line is None:
                return
            yield line[:LINE_LENGTH]

    async def _watch(self) -> None:
        """Ends the prompt when it is cancelled, wherever it stands."""
        try:
            await trio.sleep_forever()
        finally:
            self._outlet.mark()
            self._is_unwanted = True
            if (loop := self._session.app.loop) is not None:
                with suppress(RuntimeError):  # it ends by itself just now
                    loop.call_soon_threadsafe(self._begin)

    # In the thread.

    def _work(self) -> str | None:
        """The line; None at the end of the input. Ctrl-C is the signal that it would be without a prompt."""
        try:
            return self._session.prompt("dobon> ", handle_sigint=False, pre_run=self._begin)
        except EOFError:
            return None
        except KeyboardInterrupt:
            os.kill(os.getpid(), signal.SIGINT)
            return ""

    def _begin(self) -> None:
        """The prompt runs; it may be wanted no longer, and something may wait to be printed."""
        app = self._session.app
        if not self._is_unwanted:
            self._print_above()
        elif app.future is not None and not app.future.done():
            app.erase_when_done = True
            app.exit(exception=EOFError)

    def _print_above(self) -> None:
        if self._held and not self._is_printing:
            self._is_printing = True
            run_in_terminal(self._write)

    def _write(self) -> None:
        with self._lock:
            self._is_printing = False
            lines, self._held = self._held, []
            if lines:
                self._outlet.write("".join(f"{line}\n" for line in lines))

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()

        @keys.add("c-z", filter=sys.platform != "win32")
        def _suspend(event: KeyPressEvent) -> None:
            self._outlet.mark()
            run_in_terminal(partial(trio.from_thread.run_sync, self._outlet.suspend))

        @keys.add(Keys.BracketedPaste)
        def _paste(event: KeyPressEvent) -> None:
            room = max(0, LONGEST - len(event.current_buffer.text))
            event.current_buffer.insert_text(" ".join(event.data[:LONGEST].split())[:room])

        return keys


def _output(outlet: Outlet) -> Output | None:
    """The output of this terminal; None where prompt-toolkit is to choose one."""
    if sys.platform == "win32":
        return None
    return Vt100_Output.from_pty(cast(TextIO, outlet), term=os.environ.get("TERM"))
