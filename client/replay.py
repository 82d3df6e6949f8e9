"""`dobon replay`: a recorded match again, on the screen of the game or in lines."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from protocol.text import harmless
from protocol.trouble import system_reason

from . import records
from . import settings as kept
from .advice import hand_line
from .command import Exit, server_part
from .film import Film
from .i18n import Translate
from .model import Model, update
from .options import terminal
from .phrases import Speaker
from .plain import plain_glyphs
from .plain_lines import look, news
from .retold import BadRecord, Moment, retold
from .settings import Settings


class CantReplay(Exception):
    """There is nothing to show; `str()` is one sentence."""


def add_arguments(parser: argparse.ArgumentParser, _: Translate) -> None:
    parser.add_argument(
        "file",
        metavar=_("FILE|MATCH"),
        help=_("a file of dobon export, dobon sim --trace or your own records; or a match kept here"),
    )
    parser.add_argument(
        "--data", default=os.environ.get("DOBON_DATA"), metavar=_("FOLDER"), help=_("where matches are kept")
    )
    parser.add_argument(
        "--seat", type=int, metavar="N", help=_("as this seat saw it, from 1; left out, as a spectator")
    )
    parser.add_argument("--open", action="store_true", help=_("with all hands open"))
    parser.add_argument("--round", type=int, default=0, metavar="N", help=_("begin with this round"))
    parser.add_argument(
        "--match", type=int, default=1, metavar="N", help=_("which match of a file with several (default: 1)")
    )
    parser.add_argument(
        "--glyphs", choices=kept.CHOICES["glyphs"], help=_("suits and borders as symbols or in ASCII")
    )
    parser.add_argument("--plain", action="store_true", help=_("plain lines instead of the full screen"))


def run(args: argparse.Namespace, _: Translate) -> int:
    """1, with one sentence, for what can't be read or is no record."""
    loaded = kept.load({"glyphs": args.glyphs})
    for problem in loaded.problems:
        sys.stderr.write(problem.sentence(_) + "\n")
    viewer = None if args.seat is None else args.seat - 1
    try:
        film = Film(_retell(args, _), viewer, is_open=args.open)
        if args.round:
            film.go_to_round(args.round)
    except CantReplay as problem:
        sys.stderr.write(harmless(str(problem)) + "\n")
        return Exit.FAILURE
    except BadRecord as problem:
        said = _("{file} can't be shown: {reason}.").format(file=args.file, reason=problem)
        sys.stderr.write(harmless(said) + "\n")
        return Exit.FAILURE
    if args.plain or not terminal():
        return _print(film, loaded.settings, _)
    from . import replay_screen

    return replay_screen.run(film, loaded.settings, _)


def _retell(args: argparse.Namespace, _: Translate) -> Callable[[int | None, bool], tuple[Moment, ...]]:
    """What tells the match again to a viewer. Raises CantReplay or BadRecord."""
    path = Path(args.file)
    if not path.exists() and args.file.replace("-", "").isalnum():
        export = server_part("export")
        try:
            record = export.export(server_part("folder").kept_at(args.data), args.file, _)
        except export.NoMatch as problem:
            raise CantReplay(str(problem)) from None
        return _told_to_anybody(record, _("match {match}").format(match=args.file), _)
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        said = _("{file} can't be read: {reason}")
        raise CantReplay(said.format(file=path, reason=system_reason(error, _))) from None
    except UnicodeDecodeError:
        raise CantReplay(_("{file} is no trace: it is not JSON").format(file=path)) from None
    if records.is_record(text):
        found = records.moments(records.read(text))
        return partial(_own, found, None if args.seat is None else args.seat - 1)
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise CantReplay(_("{file} is no trace: it is not JSON").format(file=path)) from None
    matches = data if isinstance(data, list) else [data]
    if not 0 < args.match <= len(matches) or not isinstance(matches[args.match - 1], dict):
        raise CantReplay(_("{file} has no match {match}.").format(file=path, match=args.match))
    return _told_to_anybody(matches[args.match - 1], path.name, _)


def _told_to_anybody(
    record: Mapping[str, Any], title: str, _: Translate
) -> Callable[[int | None, bool], tuple[Moment, ...]]:
    def name(seat: int) -> str:
        return _("seat {number}").format(number=seat + 1)

    def retell(viewer: int | None, is_open: bool) -> tuple[Moment, ...]:
        return retold(record, viewer, is_open=is_open, name=name, title=title)

    return retell


def _own(
    found: tuple[Moment, ...], asked: int | None, viewer: int | None, is_open: bool
) -> tuple[Moment, ...]:
    """One's own record can only be seen as it was."""
    if is_open or viewer != asked:
        raise BadRecord("it is one player's own record, and shows what that player saw")
    return found


def _print(film: Film, settings: Settings, _: Translate) -> int:
    """The match in lines, from the film's place on, with the hands that are to be seen."""
    sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]
    speak = Speaker(_, plain_glyphs(settings.glyphs, sys.stdout.encoding, os.environ))
    sys.stdout.writelines(f"{line}\n" for line in lines(film, speak, settings.sort))
    return Exit.OK


def lines(film: Film, speak: Speaker, sort: str) -> Iterator[str]:
    """What `--plain` prints."""
    model = film.model
    if film.place:
        yield from look(film.table, model, speak)
    else:
        model = Model(link="online")
    shown: list[str] = []
    for moment in film.moments[film.place + 1 if film.place else 0 :]:
        for message in moment.messages:
            model = update(model, message, moment.at)
            yield from news(message, model, speak)
        table = model.table
        if table is None or table.view.top is None:
            continue
        hands = [f"> {hand_line(table, speak, sort)}"] if table.you is not None else []
        if film.is_open:
            hands += [
                f"> {speak.who(table.view, seat)}: {speak.cards(hand)}"
                for seat, hand in enumerate(moment.hands)
                if seat != table.you
            ]
        if hands != shown:
            yield from hands
        shown = hands
