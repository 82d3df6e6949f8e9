"""Two loops in one thread: prompt-toolkit's asyncio loop is the host, trio is its guest.

The screen needs the one, the session the other. `run` sees to it that, whatever ends the program (a key, a
signal, a fault in either loop), trio's tasks are cancelled and finished, and the terminal is as it was.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import signal
import sys
from collections.abc import Awaitable, Callable
from typing import Any, Final

from .application import FullScreen

SIGNALS: Final = {
    name: 128 + getattr(signal, name) for name in ("SIGTERM", "SIGHUP", "SIGQUIT") if hasattr(signal, name)
}
"""What ends the program from outside, and the exit code that tells so."""

GONE: Final = SIGNALS.get("SIGHUP", 1)
"""The exit code for a terminal that was closed."""


def run(application: FullScreen, guest: Callable[[], Awaitable[None]]) -> int:
    """Runs the application with `guest` as trio's main task till either ends, and returns the application's
    result, which is an exit code. Raises what was raised in either loop."""
    return asyncio.run(_host(application, guest))


async def _host(application: FullScreen, guest: Callable[[], Awaitable[None]]) -> int:
    loop = asyncio.get_running_loop()
    ends, trio = _Ends(application), _Guest(guest)
    loop.set_exception_handler(ends.faulted)
    for name, code in SIGNALS.items():
        with contextlib.suppress(NotImplementedError):  # Windows
            loop.add_signal_handler(getattr(signal, name), ends.leave, code)

    def drawn(_: object) -> None:
        application.after_render -= drawn
        loop.call_soon(trio.start, loop, ends.fail)

    application.after_render += drawn
    try:
        result: int = await application.run_async(pre_run=ends.begin, set_exception_handler=False)
    except EOFError:
        result = GONE
    except OSError as fault:
        ends.fail(fault)
        result = GONE
    finally:
        application.restore()
        await trio.stop()
        application.settle()
    if ends.fault is not None:
        raise ends.fault
    return result


class _Guest:
    """The trio run. It starts once there is something to be seen: importing trio would take a third of the
    time to the first picture."""

    def __init__(self, main: Callable[[], Awaitable[None]]) -> None:
        self._main = main
        self._done: asyncio.Future[None] | None = None
        self._cancel: Callable[[], None] = lambda: None

    def start(self, loop: asyncio.AbstractEventLoop, failed: Callable[[BaseException], None]) -> None:
        import trio

        scope = trio.CancelScope()
        done = self._done = loop.create_future()
        self._cancel = scope.cancel

        async def main() -> None:
            with scope:
                await self._main()

        def finished(outcome: Any) -> None:
            try:
                outcome.unwrap()
            except BaseException as fault:
                failed(fault)
            done.set_result(None)

        trio.lowlevel.start_guest_run(
            main,
            run_sync_soon_threadsafe=loop.call_soon_threadsafe,
            run_sync_soon_not_threadsafe=loop.call_soon,
            done_callback=finished,
            host_uses_signal_set_wakeup_fd=sys.platform != "win32",
        )

    async def stop(self) -> None:
        """Cancels the run and waits till it is over; nothing to do if it never started."""
        if self._done is not None:
            self._cancel()
            await self._done


class _Ends:
    """The ways in which the application can be made to end, whether it has begun yet or not."""

    def __init__(self, application: FullScreen) -> None:
        self._application = application
        self._code: int | None = None
        self.fault: BaseException | None = None

    def begin(self) -> None:
        """The application runs from now on; it may be wanted no longer."""
        if self._code is not None:
            self._exit(self._code)

    def leave(self, code: int) -> None:
        self._code = code
        self._exit(code)

    def fail(self, fault: BaseException) -> None:
        if isinstance(fault, OSError) and fault.errno == errno.EIO:  # the terminal is gone, which is no fault
            self.leave(GONE)
            return
        self.fault = self.fault or fault
        self.leave(1)

    def faulted(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """What asyncio would print: a key's handler or the drawing failed."""
        fault = context.get("exception")
        self.fail(fault if isinstance(fault, BaseException) else RuntimeError(str(context.get("message"))))

    def _exit(self, code: int) -> None:
        future = self._application.future
        if future is not None and not future.done():
            self._application.exit(result=code)
