"""`dobon verify`: deals and plays the matches of a file again and says whether everything agrees."""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from engine.trace import BadTrace, Difference, check, compact, traces_in
from protocol.text import clip, harmless
from protocol.trouble import Translate, system_reason

from .against import Alike, BadRecord, Unlike, compare
from .export import LABEL, NoMatch, add_data_argument, export
from .folder import kept_at

QUOTED = 1000
"""Columns of what is shown of a value that differs."""


def add_arguments(parser: argparse.ArgumentParser, _: Translate) -> None:
    """The options of `dobon verify`."""
    parser.add_argument(
        "file",
        metavar=_("FILE|MATCH"),
        help=_(
            "one match or a list of them, as sim and export write them; or the number of a match kept here"
        ),
    )
    parser.add_argument(
        "--against",
        metavar=_("RECORD"),
        help=_("a record that a client kept of the match, to be held against it"),
    )
    add_data_argument(parser, _)


def run(args: argparse.Namespace, _: Translate) -> int:
    """Check one file or match: 0 if all agrees; 1, with one sentence, if not or if it is no trace."""
    try:
        data = _data(args, _)
    except NoMatch as problem:
        return _fail(str(problem))
    except OSError as error:
        return _fail(
            _("{file} can't be read: {reason}").format(file=args.file, reason=system_reason(error, _))
        )
    except (ValueError, RecursionError):
        return _fail(_("{file} is no trace: it is not JSON").format(file=args.file))
    try:
        traces = traces_in(data)
        differences = [(number, check(trace)) for number, trace in enumerate(traces, 1)]
    except BadTrace as bad:
        return _fail(_("{file} is no trace: {reason}").format(file=args.file, reason=bad))
    for number, differs in differences:
        if differs:
            _say(f"{args.file}: {_sentence(number, differs, _)}")
            return 1
    rounds = [round for trace in traces for round in trace["rounds"]]
    agrees = _("{file}: every event agrees (matches: {matches}, rounds: {rounds}, steps: {steps})")
    if rounds and all("secret" in round for round in rounds):
        agrees = _(
            "{file}: commitments, seeds, arrival order and every event agree "
            "(matches: {matches}, rounds: {rounds}, steps: {steps})"
        )
    steps = sum(len(round["steps"]) for round in rounds)
    _say(agrees.format(file=args.file, matches=len(traces), rounds=len(rounds), steps=steps))
    return 0 if args.against is None else _hold_against(args, traces, _)


def _data(args: argparse.Namespace, _: Translate) -> Any:
    path = Path(args.file)
    if not path.exists() and LABEL.fullmatch(args.file):
        return export(kept_at(args.data), args.file, _)
    return json.loads(path.read_bytes())


def _hold_against(args: argparse.Namespace, traces: Sequence[Mapping[str, Any]], _: Translate) -> int:
    """Compare with what a client was shown: 0 if all of it is in the export."""
    record = args.against
    try:
        text = Path(record).read_text("utf-8")
    except OSError as error:
        return _fail(_("{file} can't be read: {reason}").format(file=record, reason=system_reason(error, _)))
    except UnicodeDecodeError:
        return _fail(_("{file} is no record of a client: {reason}").format(file=record, reason="UTF-8"))
    exported = [trace for trace in traces if "match" in trace and "players" in trace]
    if not exported:
        return _fail(_("{file} is no export of a server: nobody was shown it.").format(file=args.file))
    try:
        results = [compare(text, trace) for trace in exported]
    except (KeyError, TypeError, AttributeError):
        return _fail(_("{file} is no export of a server: nobody was shown it.").format(file=args.file))
    except BadRecord as bad:
        return _fail(_("{file} is no record of a client: {reason}").format(file=record, reason=bad))
    for trace, result in zip(exported, results, strict=True):
        if isinstance(result, Alike):
            _say(_alike(record, result, trace, _))
            return 0
    worst = max((each for each in results if isinstance(each, Unlike)), key=lambda each: each.line)
    said = _("{record}, line {line}: shown was {shown}, the export has {exported}").format(
        record=record, line=worst.line, shown=_text(worst.shown), exported=_text(worst.exported)
    )
    _say(said)
    return 1


def _alike(record: str, result: Alike, trace: Mapping[str, Any], _: Translate) -> str:
    who = _("a spectator")
    if result.you is not None:
        who = _("{name} in seat {seat}").format(
            name=trace["players"][result.you]["name"], seat=result.you + 1
        )
    return _(
        "{record}: all that {who} was shown is in the export (rounds {first} to {last}, events: {events})"
    ).format(record=record, who=who, first=result.rounds[0], last=result.rounds[1], events=result.events)


def _sentence(match: int, differs: Difference, _: Translate) -> str:
    if differs.round == 0:
        place = _("match {match}, the checksum") if differs.step else _("match {match}, the ranking")
    elif differs.step == 0:
        place = _("match {match}, round {round}, the deal")
    else:
        place = _("match {match}, round {round}, step {step}")
    return _("{place}: expected {expected}, got {got}").format(
        place=place.format(match=match, round=differs.round, step=differs.step),
        expected=_text(differs.expected),
        got=_text(differs.got),
    )


def _text(value: Any) -> str:
    return clip(value if isinstance(value, str) else compact(value), QUOTED)


def _say(sentence: str) -> None:
    """The file is somebody else's: nothing in it may reach the terminal as it is."""
    sys.stdout.write(harmless(sentence) + "\n")


def _fail(sentence: str) -> int:
    sys.stderr.write(harmless(sentence) + "\n")
    return 1
