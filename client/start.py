"""`dobon` with nothing else: the start screen."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace

from .command import Exit
from .i18n import Translate
from .options import BadStart, player, refuse, terminal


def add_arguments(parser: argparse.ArgumentParser, _: Translate) -> None:
    """It has none."""


def run(args: argparse.Namespace, _: Translate) -> int:
    """2 where there is no terminal for a screen; else what the screen returns."""
    if not terminal():
        sys.stderr.write(
            _("The start screen needs a terminal; try: dobon play --plain, dobon join ADDRESS --plain") + "\n"
        )
        return Exit.USAGE
    try:
        name, _named, settings = player(argparse.Namespace(name=None, glyphs=None), _)
    except BadStart as problem:
        return refuse(problem)
    from . import fullscreen

    return fullscreen.run_start(replace(settings, name=name), _)
