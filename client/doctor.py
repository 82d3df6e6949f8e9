"""`dobon doctor`: looks at terminal, network and data, and says what to do where something is wrong."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from protocol.text import columns, pad

from . import settings as kept
from .command import Exit, server_part
from .glyphs import chosen, speaks_unicode, suit_columns
from .i18n import Translate, language
from .options import terminal
from .screen.table import COMPACT, FULL

Finding = tuple[str, bool, str]
"""What was looked at, whether all is well, and one sentence."""


class Terminal(NamedTuple):
    """What is known of a terminal. `suit` is the columns a suit takes, None if it did not say; `bits` the
    colours it can show, as a power of two."""

    is_there: bool
    width: int
    height: int
    bits: int
    suit: int | None
    encoding: str
    environ: Mapping[str, str]


def add_arguments(parser: argparse.ArgumentParser, _: Translate) -> None:
    parser.add_argument(
        "--data",
        default=os.environ.get("DOBON_DATA"),
        metavar=_("FOLDER"),
        help=_("where matches are kept"),
    )


def run(args: argparse.Namespace, _: Translate) -> int:
    """0 if all is well, 1 if there is something to do."""
    is_fine = True
    checkup, folder = server_part("checkup"), server_part("folder").kept_at(args.data)
    loaded = kept.load({})
    for title, findings in (
        (_("Terminal"), of_terminal(here(), loaded.settings, args.lang, _)),
        (_("Settings"), of_settings(loaded, _)),
        (_("Network"), checkup.network(_)),
        (_("Data"), checkup.data(folder, _)),
    ):
        sys.stdout.write(f"{title}\n")
        for line, fine in shown(findings, _):
            sys.stdout.write(f"{line}\n")
            sys.stdout.flush()
            is_fine = is_fine and fine
    return Exit.OK if is_fine else Exit.FAILURE


def shown(findings: Iterable[Finding], _: Translate) -> Iterator[tuple[str, bool]]:
    """Each finding as a line, and whether all is well with it."""
    marks = {True: _("ok"), False: _("look!")}
    room = max(map(columns, marks.values()))
    for what, is_fine, said in findings:
        yield f"  {pad(marks[is_fine], room)}  {what}: {said}", is_fine


def here() -> Terminal:
    """The terminal that this runs in; it is asked for the width of a suit."""
    size = shutil.get_terminal_size()
    is_there = terminal()
    bits, suit = 0, None
    if is_there:
        from prompt_toolkit.output import create_output

        depth = create_output().get_default_color_depth()
        bits = {"DEPTH_1_BIT": 1, "DEPTH_4_BIT": 4, "DEPTH_8_BIT": 8}.get(depth.name, 24)
        suit = suit_columns() if speaks_unicode(os.environ) else None
    return Terminal(is_there, size.columns, size.lines, bits, suit, sys.stdout.encoding, os.environ)


def of_terminal(
    found: Terminal, settings: kept.Settings, lang: str | None, _: Translate
) -> Iterator[Finding]:
    """Size, colours, widths of glyphs, locale. `lang` is the language of the command line."""
    if found.is_there:
        yield _("size"), *_size(found, _)
        yield _("colours"), *_colours(found, _)
        yield _("glyphs"), *_glyphs(found, settings.glyphs, _)
    else:
        yield _("screen"), True, _("There is no terminal here to look at; --plain plays in lines.")
    yield _("locale"), *_locale(found, language(lang, found.environ, lambda: settings.language), _)


def _size(found: Terminal, _: Translate) -> tuple[bool, str]:
    now = f"{found.width}×{found.height}"
    if found.width < COMPACT[0] or found.height < COMPACT[1]:
        said = _("{now} is too small: make the window at least {width}×{height}.")
        return False, said.format(now=now, width=COMPACT[0], height=COMPACT[1])
    if found.width < FULL[0] or found.height < FULL[1]:
        said = _("{now} is enough; from {width}×{height} the whole table shows.")
        return True, said.format(now=now, width=FULL[0], height=FULL[1])
    return True, _("{now} shows the whole table.").format(now=now)


def _colours(found: Terminal, _: Translate) -> tuple[bool, str]:
    if found.environ.get("NO_COLOR") or found.bits <= 1:
        return True, _("No colours; everything can be told without them.")
    return True, _("{count} colours.").format(count=2**found.bits)


def _glyphs(found: Terminal, glyphs: str, _: Translate) -> tuple[bool, str]:
    set_ = chosen(glyphs, lambda: found.suit, found.environ)
    if glyphs == "unicode" and found.suit not in (None, 1):
        said = _(
            "A suit takes {count} columns here: set the glyphs to auto or ascii, or the table is crooked."
        )
        return False, said.format(count=found.suit)
    if found.suit is None:
        if set_.is_ascii and not speaks_unicode(found.environ):
            said = _(
                "Suits are shown as S H D C, for the locale is not one of UTF-8: see whether LANG can be."
            )
            return True, said
        if set_.is_ascii:
            return True, _("Suits are shown as S H D C.")
        said = _(
            "The terminal does not say how wide a suit is: should the table be crooked, use --glyphs ascii."
        )
        return True, said
    if set_.is_ascii and glyphs != "ascii":
        said = _("A suit takes {count} columns here, so suits are shown as S H D C.")
        return True, said.format(count=found.suit)
    if set_.is_ascii:
        return True, _("Suits are shown as S H D C.")
    return True, _("Suits take one column and are shown as ♠ ♥ ♦ ♣.")


def _locale(found: Terminal, spoken: str, _: Translate) -> tuple[bool, str]:
    names = ("LC_ALL", "LC_CTYPE", "LANG")
    locale = next((value for name in names if (value := found.environ.get(name))), "")
    tongue = {"en": "English", "ja": "日本語"}[spoken]
    if not found.encoding.lower().replace("-", "").startswith("utf"):
        said = _("Text is written in {encoding}: set LANG to one that ends in UTF-8, for names and suits.")
        return False, said.format(encoding=found.encoding)
    said = _("{locale}, in which Dobon speaks {language}; --lang or the settings choose another.")
    return True, said.format(locale=locale or "-", language=tongue)


def of_settings(loaded: kept.Loaded, _: Translate) -> Iterator[Finding]:
    """Whether the settings file and the variables can be used."""
    for problem in loaded.problems:
        yield _("settings"), False, problem.sentence(_)
    if not loaded.problems:
        yield _("settings"), True, _("They are kept in {path}.").format(path=kept.config_path())
