"""`dobon play`: alone against bots, on a server of one's own that lives as long as the game."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

from engine.rules import PRESETS, BadRules, Rules, parse_rule
from protocol.messages import Create

from .command import Exit
from .goal import Goal
from .i18n import Translate
from .options import BadStart, add_player_arguments, player, refuse, start
from .own_server import own_server
from .rules_fields import LEVELS, refusal


def add_arguments(parser: argparse.ArgumentParser, _: Translate) -> None:
    parser.add_argument("--seats", type=int, default=4, metavar="N", help=_("you and the bots (default: 4)"))
    parser.add_argument(
        "--level", choices=tuple(LEVELS), default="normal", help=_("how well the bots play (default: normal)")
    )
    parser.add_argument(
        "--rules", choices=tuple(PRESETS), default="dobon", help=_("which game (default: dobon)")
    )
    parser.add_argument(
        "--rule",
        action="append",
        default=[],
        metavar="FIELD=VALUE",
        help=_("with this field changed; can be given several times"),
    )
    parser.add_argument(
        "--seed",
        type=_seed(_),
        metavar="HEX",
        help=_("for tests: every secret follows from this, anybody can foresee all cards"),
    )
    add_player_arguments(parser, _)


def _seed(_: Translate) -> Callable[[str], str]:
    def parse(text: str) -> str:
        try:
            return bytes.fromhex(text).hex()
        except ValueError:
            raise argparse.ArgumentTypeError(_("a seed is hex digits, two for each byte")) from None

    return parse


def run(args: argparse.Namespace, _: Translate) -> int:
    """2 for a command line that won't do, 1 where no server can be started; else the front end's code."""
    try:
        name, _named, settings = player(args, _)
        create = _table(args, _)
    except BadStart as problem:
        return refuse(problem)
    try:
        with own_server(args.seed, _) as address:
            goal = Goal((address,), str(address), name, create=create, keep=False)
            return start(goal, args, settings, _)
    except BadStart as problem:
        sys.stderr.write(f"{problem}\n")
        return Exit.FAILURE


def _table(args: argparse.Namespace, _: Translate) -> Create:
    try:
        rules = {"preset": args.rules, **dict(map(parse_rule, args.rule))}
        Rules.from_data(rules, seats=args.seats)
    except BadRules as problem:
        raise BadStart(refusal(problem, _)) from None
    return Create(rules=rules, seats=args.seats, bots=[args.level] * (args.seats - 1))
