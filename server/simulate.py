"""`dobon sim`: bots against bots without a network, what came of it and, if wanted, a trace of every match.

A bot is a function `choose(view, seen, rng)` of what its seat may know: the view, the round's events as the
seat got them, and the chance it may use. It returns an action, or None to let the time run.
"""

import argparse
import json
import random
import secrets
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from hashlib import sha256
from math import sqrt
from typing import Any, TextIO

from engine.actions import Action
from engine.events import Event, event_data
from engine.legality import Refused
from engine.match import Match
from engine.round import Round
from engine.rules import PRESETS, BadRules, Rules, parse_rule
from engine.state import Phase
from engine.trace import Recorder, compact
from engine.view import View, view
from protocol.text import pad

from . import random_player

Translate = Callable[[str], str]
Bot = Callable[[View, Sequence[dict[str, Any]], random.Random], Action | None]

LEVELS: dict[str, Bot] = dict.fromkeys(("easy", "normal", "hard"), random_player.choose)
MEASURES = ("first", "rank", "points", "dobons", "doboned", "outs")
"""What is counted of each bot, once for each match; `points` are the match's total."""


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

    def seed(text: str) -> bytes:
        try:
            return bytes.fromhex(text)
        except ValueError:
            raise argparse.ArgumentTypeError(_("a seed is hex digits, two for each byte")) from None

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
    parser.add_argument("--seed", type=seed, metavar="HEX", help=_("the same seed plays the same matches"))
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
        sys.stderr.write(f"{args.trace}: {error.strerror}\n")
        return 1
    sys.stdout.write(json.dumps(results, indent=2) + "\n" if args.json else table(results, _))
    return 0


def simulate(
    rules: Rules, levels: Sequence[str], matches: int, seed: bytes, trace: TextIO | None = None
) -> dict[str, Any]:
    """Play the matches, each bot one seat further on in each, and sum up what each bot did.

    With `trace`, writes a list of traces to it, a match on a line. Each measure of a bot is a mean for one
    match with its 95 % interval.
    """
    seats = len(levels)
    counted: list[dict[str, list[int]]] = [{measure: [] for measure in MEASURES} for _ in levels]
    for number in range(matches):
        seating = [(seat - number) % seats for seat in range(seats)]
        match = sha256(b"dobon sim" + seed + number.to_bytes(4, "big")).digest()
        recorder = Recorder(rules, seats) if trace else None
        scores = play_match(rules, [LEVELS[levels[bot]] for bot in seating], match, recorder)
        for bot, score in zip(seating, scores, strict=True):
            for measure, value in score.items():
                counted[bot][measure].append(value)
        if trace and recorder:
            trace.write(("[\n" if number == 0 else ",\n") + compact(recorder.data))
    if trace:
        trace.write("\n]\n")
    bots = [
        {"bot": level, **{measure: interval(values) for measure, values in of_bot.items()}}
        for level, of_bot in zip(levels, counted, strict=True)
    ]
    return {"seed": seed.hex(), "matches": matches, "rules": rules.to_data(), "bots": bots}


def play_match(
    rules: Rules, bots: Sequence[Bot], seed: bytes, recorder: Recorder | None = None
) -> list[dict[str, int]]:
    """Play one match, everything from `seed`; returns each seat's measures."""
    match = Match(rules, len(bots))
    rng = random.Random(seed)
    scores = [dict.fromkeys(MEASURES, 0) for _ in bots]
    while not match.over:
        of_round = sha256(seed + match.finished.to_bytes(4, "big")).digest()
        log: list[Event] = []
        round = match.deal(of_round, log)
        if recorder:
            recorder.deal(of_round, log)
        play_round(round, log, bots, rng, recorder)
        match.finish(round)
        outcome = round.outcome
        assert outcome is not None
        for seat in outcome.winners:
            scores[seat]["dobons" if outcome.why == "dobon" else "outs"] += 1
        for seat in outcome.losers:
            scores[seat]["doboned"] += 1
    ranking = match.ranking()
    for place in ranking:
        score = scores[place["seat"]]
        score["first"], score["rank"], score["points"] = (
            int(place["rank"] == 1),
            place["rank"],
            place["total"],
        )
    if recorder:
        recorder.close(ranking)
    return scores


def play_round(
    round: Round,
    log: list[Event],
    bots: Sequence[Bot],
    rng: random.Random,
    recorder: Recorder | None = None,
) -> None:
    """Play a round that has just been dealt; `log` is its log and holds the events of the deal.

    After each change everyone who can do anything is asked, whoever is on turn last, as the grace has it, the
    others in a random order. If nobody acts, the time runs out.
    """
    seen: list[list[dict[str, Any]]] = [[] for _ in bots]
    while round.phase is not Phase.OVER:
        for seat, events in enumerate(seen):
            events.extend(event_data(event, viewer=seat) for event in log)
        log.clear()
        for seat in _asked(round, rng):
            action = bots[seat](view(round, seat), seen[seat], rng)
            if action is None:
                continue
            try:
                round.apply(action)
            except Refused as refused:
                if recorder:
                    recorder.refused(action, refused.code)
                continue
            if recorder:
                recorder.step(action, log)
            break
        else:
            round.expire()
            if recorder:
                recorder.step(None, log)


def _asked(round: Round, rng: random.Random) -> list[int]:
    seats = [seat for seat in range(round.seats) if round.legal_actions(seat)]
    rng.shuffle(seats)
    if round.phase is Phase.TURN:
        seats.sort(key=round.turn_seat.__eq__)
    return seats


def interval(values: Sequence[int]) -> dict[str, float | None]:
    """The mean of a sample and its 95 % interval by the normal distribution; None for a single value."""
    size = len(values)
    mean = sum(values) / size
    if size == 1:
        return {"mean": mean, "low": None, "high": None}
    variance = sum((value - mean) ** 2 for value in values) / (size - 1)
    margin = 1.96 * sqrt(variance / size)
    return {"mean": mean, "low": mean - margin, "high": mean + margin}


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
