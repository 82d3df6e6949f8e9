"""The command `dobon`: finds the module a command lives in, imports that one alone, and returns an exit code.

This is the one module that may reach both the client and the server, and it does so by name, when a command
is run: `dobon --help` and `dobon --version` must not pay for trio or prompt-toolkit.

A command is a module with

    add_arguments(parser, _)    its options; `_` translates
    run(args, _) -> int         its work; returns the exit code
"""

import argparse
import importlib
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from gettext import gettext
from typing import Any, Final, NamedTuple, NoReturn, Protocol

from .i18n import LANGUAGES, Translate, catalogue, speak, wished


class Exit(IntEnum):
    """What the process says to the shell; the middle ones are those of sysexits.h, which Windows lacks."""

    OK = 0
    FAILURE = 1
    USAGE = 2
    UNREACHABLE = 69
    """No server answers at that address."""
    PROTOCOL = 76
    """The two ends speak no common version."""
    NOT_ALLOWED = 77
    """Refused by the server: a password, a ban."""
    INTERRUPTED = 130
    """Ended by SIGINT."""


class Command(NamedTuple):
    """One line of the table: where the command lives and what `dobon --help` says of it."""

    module: str
    summary: str


START: Final = Command("client.start", "")
"""What runs where nothing else was asked for, and somebody is there to see it."""


class CommandModule(Protocol):
    """What every module named in the table has."""

    def add_arguments(self, parser: argparse.ArgumentParser, _: Translate, /) -> None: ...

    def run(self, args: argparse.Namespace, _: Translate, /) -> int: ...


def command_table(_: Translate) -> dict[str, Command]:
    """Every command by its name, in the order in which help lists them."""
    return {
        "play": Command("client.play", _("play alone against bots")),
        "join": Command("client.join", _("play on a server")),
        "watch": Command("client.join", _("look on at a server's table")),
        "servers": Command("client.servers", _("list the servers on the local network")),
        "rules": Command("client.rules_command", _("print the rules of a game")),
        "serve": Command("server.serve", _("run a server for others to join")),
        "admin": Command("server.admin_command", _("look after a server that runs on this machine")),
        "sim": Command("server.simulate", _("let bots play each other")),
        "export": Command("server.export", _("write down a match that was played here")),
        "verify": Command("server.verify", _("play a recorded match again and see whether it agrees")),
        "replay": Command("client.replay", _("watch a recorded match again")),
        "stats": Command("client.stats", _("show what became of everybody who played here")),
        "doctor": Command("client.doctor", _("check terminal, network and data")),
        "completion": Command("client.completion", _("print what makes a shell complete these commands")),
    }


def main(
    argv: Sequence[str] | None = None, table: Callable[[Translate], Mapping[str, Command]] = command_table
) -> int:
    """Run the command line `argv` (without the program's name; the process's own if None).

    Returns an exit code; a wrong command line ends in SystemExit(2), as argparse has it.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    lang, rest = _language(words)
    chosen = wished(lang)
    speak(chosen)
    translate = catalogue(chosen).gettext
    commands = table(translate)
    name = next((word for word in rest if not word.startswith("-")), "")
    module = load(commands[name]) if name in commands else None
    if not rest and sys.stdin.isatty() and sys.stdout.isatty():
        module = load(START)
    parser = build_parser(translate, commands, {name: module} if module else {})
    # it may stand anywhere, also behind what admin calls a command; a wrong one is still complained of
    args = parser.parse_args(rest if lang in LANGUAGES else words, argparse.Namespace(lang=lang))
    if module is None:
        parser.print_help(sys.stderr)
        return Exit.USAGE
    return _finish(module, args, translate)


class _Parser(argparse.ArgumentParser):
    """Complains of what it does not know by itself: argparse leaves that to the outermost parser, whose
    usage says nothing of the command."""

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(gettext("unrecognized arguments: %s") % " ".join(unknown))
        return found, unknown


def build_parser(
    _: Translate, commands: Mapping[str, Command], loaded: Mapping[str, CommandModule]
) -> argparse.ArgumentParser:
    """The parser with every command's name and, for those `loaded`, their arguments.

    Shell completion loads all of them; a run loads the one it is for.
    """
    common = _Parser(add_help=False)
    # suppressed: a subparser's default would overwrite what was said before the command's name
    common.add_argument(
        "--lang", choices=LANGUAGES, default=argparse.SUPPRESS, help=_("language of what is printed")
    )
    parser = _Parser(
        prog="dobon",
        parents=[common],
        description=_("Dobon, the Japanese card game, over a LAN from terminals."),
        epilog=_(
            "With friends: one runs “dobon serve”, then everybody “dobon join”, with the code that serve "
            "shows if the server is not found by itself. “dobon” alone is a start screen."
        ),
    )
    parser.add_argument("--version", action=_Version, help=_("print the version and exit"))
    choices = parser.add_subparsers(dest="command", metavar=_("COMMAND"), title=_("commands"))
    for name, command in commands.items():
        chosen = choices.add_parser(name, parents=[common], help=command.summary, description=command.summary)
        if name in loaded:
            loaded[name].add_arguments(chosen, _)
    return parser


class _Version(argparse.Action):
    """`--version`, looking the version up only when asked: the metadata takes 20 ms to import."""

    def __init__(self, option_strings: Sequence[str], dest: str, **rest: Any) -> None:
        super().__init__(option_strings, argparse.SUPPRESS, nargs=0, **rest)

    def __call__(self, parser: argparse.ArgumentParser, *rest: object) -> NoReturn:
        from importlib.metadata import version

        sys.stdout.write(f"dobon {version('dobon')}\n")
        parser.exit(Exit.OK)


def _language(words: list[str]) -> tuple[str | None, list[str]]:
    """The value of `--lang`, which must be known before anything is said, and the words without it."""
    finder = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    finder.add_argument("--lang")
    try:
        found, rest = finder.parse_known_args(words)
    except argparse.ArgumentError:
        return None, words
    return found.lang, rest


def server_part(name: str) -> Any:
    """A module of the server's by its name: for a client that shows what is kept on this machine."""
    return importlib.import_module(f"server.{name}")


def load(command: Command) -> CommandModule:
    """The module of a command."""
    module: Any = importlib.import_module(command.module)
    found: CommandModule = module
    return found


def end_echo() -> None:
    """Ends the line on which a terminal has shown `^C`: the shell's prompt would stand behind it."""
    if sys.stdin.isatty() and sys.stderr.isatty():
        sys.stderr.write("\n")


def _finish(module: CommandModule, args: argparse.Namespace, translate: Translate) -> int:
    try:
        code = module.run(args, translate)
        sys.stdout.flush()
    except KeyboardInterrupt:
        end_echo()
        return Exit.INTERRUPTED
    except BrokenPipeError:
        # whoever read our output has gone (`dobon rules | head`); the interpreter's own last flush must not
        # complain about it again
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Exit.FAILURE
    return code


if __name__ == "__main__":
    sys.exit(main())
