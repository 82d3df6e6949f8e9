"""Which front end plays: the full screen on a terminal that can show it, else plain lines."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from .goal import Goal
from .options import terminal
from .settings import Settings

Translate = Callable[[str], str]


def start(goal: Goal, args: argparse.Namespace, settings: Settings, _: Translate) -> int:
    """Hand over to the front end; returns the exit code."""
    if not args.plain and terminal():
        from . import fullscreen

        return fullscreen.run(goal, settings, _)
    from . import plain

    return plain.run(goal, settings, _)
