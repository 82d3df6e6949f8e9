"""What the commands that play share: their options, the player, and the start, or why there is none."""

from __future__ import annotations

import argparse
import getpass
import os
import sys
from pathlib import Path

from protocol.text import BadName, clean_name
from protocol.trouble import system_reason

from . import settings as kept
from .command import Exit
from .goal import Goal
from .i18n import Translate
from .problems import text_problem


class BadStart(Exception):
    """The command line, or a file it names, can't be used; `str()` is one sentence."""


def add_player_arguments(parser: argparse.ArgumentParser, _: Translate) -> None:
    """What every command that plays takes."""
    parser.add_argument("--name", metavar=_("NAME"), help=_("what you are called"))
    parser.add_argument(
        "--glyphs", choices=kept.CHOICES["glyphs"], help=_("suits and borders as symbols or in ASCII")
    )
    parser.add_argument("--plain", action="store_true", help=_("plain lines instead of the full screen"))


def player(args: argparse.Namespace, _: Translate) -> tuple[str, bool, kept.Settings]:
    """The player's name, whether they chose it themselves, and their settings. Raises BadStart."""
    loaded = kept.load({"name": args.name, "glyphs": args.glyphs})
    for problem in loaded.problems:
        sys.stderr.write(problem.sentence(_) + "\n")
    wish = loaded.settings.name
    if not wish:
        return _own_name(), False, loaded.settings
    try:
        return clean_name(wish), True, loaded.settings
    except BadName as problem:
        raise BadStart(
            _("You can't be called that: {reason}").format(reason=text_problem(problem, _))
        ) from None


def _own_name() -> str:
    """What this machine calls the player."""
    try:
        return clean_name(getpass.getuser())
    except (OSError, KeyError, ImportError, BadName):
        return "Player"


def password(path: str | None, _: Translate) -> str | None:
    """The first line of a file. Raises BadStart."""
    if path is None:
        return None
    try:
        lines = Path(path).read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = system_reason(error, _) if isinstance(error, OSError) else _("it is no text")
        raise BadStart(_("{path} can't be read: {reason}.").format(path=path, reason=reason)) from None
    if not lines or not lines[0]:
        raise BadStart(_("There is no password in {path}.").format(path=path))
    return lines[0]


def refuse(problem: BadStart) -> int:
    """Say why it does not start."""
    sys.stderr.write(f"{problem}\n")
    return Exit.USAGE


def terminal() -> bool:
    """Whether there is a terminal that can show a full screen."""
    able = os.environ.get("TERM", "") not in ("", "dumb", "unknown") or sys.platform == "win32"
    return able and sys.stdin.isatty() and sys.stdout.isatty()


def start(goal: Goal, args: argparse.Namespace, settings: kept.Settings, _: Translate) -> int:
    """Hands over to the front end that can be shown here; returns its exit code."""
    if not args.plain and terminal():
        from . import fullscreen

        return fullscreen.run(goal, settings, _)
    from . import plain

    return plain.run(goal, settings, _)
