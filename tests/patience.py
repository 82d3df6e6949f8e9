"""How long tests wait for what must come: far longer than it takes on a busy machine, but not for ever."""

from __future__ import annotations

import traceback
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, Final

import trio

PATIENCE: Final = 200
"""Seconds after which what is waited for will not come any more."""

Test = Callable[..., Awaitable[None]]


@contextmanager
def soon(what: str, seconds: float = PATIENCE) -> Iterator[None]:
    """What the block waits for must come; if it does not, the failure says what it was."""
    with trio.move_on_after(seconds) as waiting:
        yield
    if waiting.cancelled_caught:
        raise AssertionError(f"{what}: not within {seconds} s")


def watched(test: Test, seconds: float) -> Test:
    """The test, ended after so long with an account of what each of its tasks waited for.

    A test that is ended from outside leaves trio unusable, and all that follow in its process fail too.
    """

    @wraps(test)
    async def run(*args: Any, **fixtures: Any) -> None:
        waits = ""

        async def lose_patience() -> None:
            nonlocal waits
            await trio.sleep(seconds)
            waits = "\n".join(stacks(main))
            whole.cancel()

        main = trio.lowlevel.current_task()
        with trio.CancelScope() as whole:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(lose_patience)
                await test(*args, **fixtures)
                nursery.cancel_scope.cancel()
        if waits:
            raise AssertionError(f"not over within {seconds} s:\n{waits}")

    return run


def stacks(task: trio.lowlevel.Task) -> Iterator[str]:
    """Where a task and those that it has started are."""
    frames = traceback.StackSummary.extract(task.iter_await_frames())
    yield f"{task.name}:\n" + "".join(frames.format())
    for nursery in task.child_nurseries:
        for child in nursery.child_tasks:
            yield from stacks(child)
