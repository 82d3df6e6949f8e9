"""The full-screen front end: glyphs, app, both loops, and one sentence at the end."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Awaitable, Callable
from pathlib import Path

from . import guest
from .app import App
from .command import Exit
from .glyphs import chosen, suit_columns
from .goal import Goal
from .settings import Settings
from .tokens import state_path

Translate = Callable[[str], str]


def run(goal: Goal, settings: Settings, _: Translate) -> int:
    """Plays or watches at one server; returns the exit code."""

    async def errand(app: App) -> None:
        from .errand import to_the_end

        await to_the_end(app, goal)

    return _run(settings, _, errand, goal.where, connected=True)


def run_start(settings: Settings, _: Translate) -> int:
    """The start screen; returns the exit code."""

    async def errand(app: App) -> None:
        from .errand import from_the_start

        await from_the_start(app)

    return _run(settings, _, errand, "", connected=False)


def _run(
    settings: Settings,
    _: Translate,
    errand: Callable[[App], Awaitable[None]],
    where: str,
    *,
    connected: bool,
) -> int:
    glyphs = chosen(settings.glyphs, suit_columns)
    app = App(settings, glyphs, errand, connected=connected, translate=_)
    try:
        code = guest.run(app.application, app.run_errand)
    except KeyboardInterrupt:
        code = Exit.INTERRUPTED
    except Exception as fault:
        app.farewell, code = _ended(fault, where, app.translate)
    try:
        sys.stdout.flush()
        if app.farewell:
            sys.stderr.write(app.farewell + "\n")
    except OSError:  # the terminal is gone; the interpreter's own last flush must not fail too
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return code


def _ended(fault: Exception, where: str, _: Translate) -> tuple[str, int]:
    """The sentence for what ended it, and the exit code."""
    from .refusals import failure
    from .session import SessionFailed

    if isinstance(fault, SessionFailed):
        return failure(fault, where, _)
    return _fault(fault, _), Exit.FAILURE


def _fault(fault: Exception, _: Translate) -> str:
    """A fault of ours: its traceback goes to a file, the player gets a sentence."""
    path = state_path() / "fault.txt"
    cause: BaseException = fault
    while isinstance(cause, BaseExceptionGroup):  # of one or several tasks: the first will do
        cause = cause.exceptions[0]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(traceback.format_exception(fault)), "utf-8")
    except OSError:
        path = Path("-")
    said = _("Dobon had to end, and the fault is its own ({fault}); details are in {path}.")
    return said.format(fault=type(cause).__name__, path=path)
