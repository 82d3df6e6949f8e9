"""`dobon completion SHELL`: prints the script that lets a shell complete `dobon`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import Final

from .command import Exit, build_parser, command_table, load
from .i18n import Translate

SHELLS: Final = ("bash", "zsh", "fish")
FILES: Final = {"file", "against", "trace", "password_file", "config"}
FOLDERS: Final = {"data"}
"""Arguments that name a file or a folder, by their `dest`."""


def add_arguments(parser: argparse.ArgumentParser, _: Translate) -> None:
    parser.add_argument(
        "shell",
        choices=SHELLS,
        metavar=_("SHELL"),
        help=_('bash, zsh or fish; for bash: eval "$(dobon completion bash)"'),
    )


def run(args: argparse.Namespace, _: Translate) -> int:
    sys.stdout.write(script(args.shell, _))
    return Exit.OK


def script(shell: str, _: Translate) -> str:
    """The script for one of `SHELLS`, with the commands' help in the language of `_`."""
    import shtab

    commands = command_table(_)
    parser = build_parser(_, commands, {name: load(command) for name, command in commands.items()})
    for action in _actions(parser):
        if action.dest in FILES | FOLDERS:
            kind = shtab.FILE if action.dest in FILES else shtab.DIRECTORY
            action.complete = kind  # type: ignore[attr-defined]
    return str(shtab.complete(parser, shell)).rstrip() + "\n"


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for each in action.choices.values():
                yield from _actions(each)
