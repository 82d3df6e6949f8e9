"""The full-screen front end: glyphs, app, both loops, and one sentence at the end."""

from __future__ import annotations

import os
import sys
from collections.abc import Awaitable, Callable

from . import guest
from .app import App
from .command import Exit
from .fault import own_fault
from .glyphs import chosen, suit_columns
from .goal import Goal
from .i18n import Translate
from .settings import Settings


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
    from .refusals import last_word
    from .session import SessionFailed

    if isinstance(fault, SessionFailed):
        return last_word(fault, where, _)
    return own_fault(fault, _), Exit.FAILURE
