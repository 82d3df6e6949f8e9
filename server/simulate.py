"""`dobon sim`: bots against bots without a network, what came of it and, if wanted, a trace of every match.

Who may claim on a card is asked first, in random order, so the results say how bots decide and not how fast.
"""

import argparse
import json
import secrets
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any, TextIO

from engine.bots import LEVELS
from engine.bots.series import Bot, play_series
from engine.rules import PRESETS, BadRules, Rules, parse_rule
from engine.trace import compact
from protocol.text import pad
from protocol.trouble import Translate, system_reason

from .options import seed_type


def add_arguments(parser: argparse.ArgumentParser, _: Translate) -> None:
    """The options of `dobon sim`."""

    def bots(text: str) -> list[str]:
        for level in (levels := text.split(",")):
            if level not in LEVELS:
                there_are = _("there is no bot {level!r}, only {levels}")
                raise argparse.ArgumentTypeError(there_are.format(level=level, levels=", ".join(LEVELS)))
        return levels

    def rule(text: str) -> tuple[str, object]:
        try:
            return parse_rule(text)
        except BadRules as bad:
            raise argparse.ArgumentTypeError(str(bad)) from None

    def count(text: str) -> int:
        if not text.isdecimal() or not int(text):
            raise argparse.ArgumentTypeError(_("at least one match has to be played"))
        return int(text)

    levels = ", ".join(LEVELS)
    parser.add_argument(
        "--bots",
        type=bots,
        default="easy,easy,easy,easy",
        metavar=_("BOT,BOT,…"),
        help=_("one bot for each seat: {levels}").format(levels=levels),
    )
    parser.add_argument("--matches", type=count, default=100, metavar="N", help=_("how many matches to play"))
    parser.add_argument(
        "--seed", type=seed_type(_), metavar="HEX", help=_("the same seed plays the same matches")
    )
    parser.add_argument("--rules", choices=PRESETS, default="dobon", help=_("the game to play"))
    parser.add_argument(
        "--rule",
        type=rule,
        action="append",
        default=[],
        metavar=_("FIELD=VALUE"),
        help=_("play with this rule changed; can be given again"),
    )
    parser.add_argument("--json", action="store_true", help=_("print the results as JSON"))
    parser.add_argument("--trace", metavar=_("FILE"), help=_("write every match, step by step, to this file"))


def run(args: argparse.Namespace, _: Translate) -> int:
    """Play the matches; 2 for rules that can't be played, 1 for a trace that can't be written."""
    seed = secrets.token_bytes(8) if args.seed is None else args.seed
    try:
        rules = Rules.preset(args.rules).changed(dict(args.rule), seats=len(args.bots))
    except BadRules as bad:
        sys.stderr.write(f"{bad}\n")
        return 2
    try:
        with ExitStack() as stack:
            out = stack.enter_context(open(args.trace, "w", encoding="ascii")) if args.trace else None
            results = simulate(rules, args.bots, args.matches, seed, out)
    except OSError as error:
        said = _("{file} can't be written: {reason}.")
        sys.stderr.write(said.format(file=args.trace, reason=system_reason(error, _)) + "\n")
        return 1
    sys.stdout.write(json.dumps(results, indent=2) + "\n" if args.json else table(results, _))
    return 0


def simulate(
    rules: Rules, levels: Sequence[str], matches: int, seed: bytes, trace: TextIO | None = None
) -> dict[str, Any]:
    """Play the matches and sum up what each bot did, as `engine.bots.series` does.

    With `trace`, writes a list of traces to it, a match on a line.
    """
    written = 0

    def write(match: dict[str, Any]) -> None:
        nonlocal written
        assert trace is not None
        trace.write(("[\n" if written == 0 else ",\n") + compact(match))
        written += 1

    bots = [Bot(level, LEVELS[level]) for level in levels]
    results = play_series(rules, bots, matches, seed, write if trace else None)
    if trace:
        trace.write("\n]\n")
    return {"seed": seed.hex(), "matches": matches, "rules": rules.to_data(), "bots": results}


def table(results: dict[str, Any], _: Translate) -> str:
    """The results for people, a bot on a line."""
    heads = {
        "first": _("first"),
        "rank": _("place"),
        "points": _("points"),
        "dobons": _("Dobons"),
        "doboned": _("Doboned"),
        "outs": _("out"),
    }
    lines = [
        _("{matches} matches, seed {seed}, each figure for one match ± its 95 % interval").format(**results)
    ]
    lines.append(f"{'':12}" + "".join(pad(head, 18, right=True) for head in heads.values()))
    for number, bot in enumerate(results["bots"], 1):
        cells = "".join(pad(_cell(bot[measure]), 18, right=True) for measure in heads)
        lines.append(f"{number} {bot['bot']:10}{cells}")
    return "\n".join(lines) + "\n"


def _cell(value: dict[str, float | None]) -> str:
    if value["high"] is None or value["mean"] is None:
        return f"{value['mean']:.2f}"
    return f"{value['mean']:.2f} ± {value['high'] - value['mean']:.2f}"
