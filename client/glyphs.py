"""Which characters a terminal can be trusted with: its suits and borders, found out by asking it once.

Spades, hearts and clubs are of ambiguous width, diamonds are not: some terminals give them two columns,
and then nothing stands straight. So a suit is printed and the terminal is asked where its cursor is.
"""

import os
import re
import select
import signal
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

PATIENCE: Final = 0.5
"""Seconds that a terminal has to say where its cursor is; over a slow line the answer takes a while."""

_ANSWER: Final = re.compile(rb"\x1b\[(\d+);(\d+)R")


@dataclass(frozen=True, slots=True)
class Glyphs:
    """The characters of one screen; every text is one column wide for each of its characters.

    `suits` by the letter of the suit; `box` is the corners and edges of a frame: top left, top, top right,
    left, right, bottom left, bottom, bottom right. `bar` are the fillings of one cell, least first.
    """

    suits: Mapping[str, str]
    box: str
    bold_box: str
    back: str
    bar: str
    clockwise: str
    counter: str
    turn: str
    raised: str
    dot: str
    dash: str
    times: str
    star: str
    cursor: str
    left: str
    right: str
    up: str
    down: str
    ambiguous_wide: bool = False
    """Whether ambiguous-width characters of sentences, names and chat are to be replaced."""

    @property
    def is_ascii(self) -> bool:
        return self.box.isascii()

    def card(self, text: str) -> str:
        """A card as it is printed, two columns, a ten three: `7♥`, `10S`; a joker is `JK`."""
        rank, suit = text[0], text[1]
        if rank == "X":
            return "JK"
        return ("10" if rank == "T" else rank) + self.suits[suit]


UNICODE: Final = Glyphs(
    suits={"S": "♠", "H": "♥", "D": "♦", "C": "♣"},
    box="┌─┐││└─┘",
    bold_box="╔═╗║║╚═╝",
    back="▒",
    bar=" ▏▎▍▌▋▊▉█",
    clockwise="↻",
    counter="↺",
    turn="▶",
    raised="▲",
    dot="·",
    dash="─",
    times="×",
    star="★",
    cursor="›",
    left="◂",
    right="▸",
    up="↑",
    down="↓",
)
ASCII: Final = Glyphs(
    suits={"S": "S", "H": "H", "D": "D", "C": "C"},
    box="+-+||+-+",
    bold_box="#=#||#=#",
    back="#",
    bar=" =",
    clockwise=">",
    counter="<",
    turn=">",
    raised="^",
    dot="-",
    dash="-",
    times="x",
    star="*",
    cursor=">",
    left="<",
    right=">",
    up="^",
    down="v",
)
WIDE_ASCII: Final = replace(ASCII, ambiguous_wide=True)
"""For a terminal where a suit takes two columns, or which has no suits at all: what we print is ASCII, and
the punctuation of sentences and names is kept to what every terminal gives one column."""


def chosen(wish: str, probe: Callable[[], int | None], environ: Mapping[str, str] = os.environ) -> Glyphs:
    """The glyphs for `auto`, `unicode` or `ascii`; `probe` tells how many columns a suit took, None if the
    terminal did not say. Without an answer the locale decides: who says nothing may still be a fine terminal.
    """
    if wish == "unicode":
        return UNICODE
    if not speaks_unicode(environ):
        return WIDE_ASCII
    columns = probe()
    if columns is not None and columns != 1:
        return WIDE_ASCII
    return ASCII if wish == "ascii" else UNICODE


def again(wish: str, first: Glyphs) -> Glyphs:
    """The glyphs for another wish where `first` was found: the terminal is not asked a second time."""
    if wish == "unicode":
        return UNICODE
    if wish == "ascii" and not first.is_ascii:
        return ASCII
    return first


def speaks_unicode(environ: Mapping[str, str]) -> bool:
    """Whether the locale is one of UTF-8."""
    for variable in ("LC_ALL", "LC_CTYPE", "LANG"):
        if value := environ.get(variable):
            return "utf8" in value.lower().replace("-", "")
    return sys.platform == "win32"


def suit_columns(patience: float = PATIENCE) -> int | None:
    """How many columns a suit takes on this terminal, or None if it does not say within `patience` seconds.

    What was typed meanwhile is lost; the line printed on is left as it was.
    """
    if sys.platform == "win32" or os.environ.get("PROMPT_TOOLKIT_NO_CPR") == "1":
        return None
    import termios
    import tty

    source, target = sys.stdin.fileno(), sys.stdout.fileno()
    if not select.select([], [target], [], patience)[1]:
        return None
    # a signal that ended us here would leave the shell without echo
    unblocked = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    column = None
    try:
        before = termios.tcgetattr(source)
        try:
            tty.setcbreak(source, termios.TCSANOW)
            os.write(target, "\r♠\x1b[6n".encode())
            column = _answer(source, time.monotonic() + patience)
            os.write(target, b"\r\x1b[K")
        finally:
            termios.tcsetattr(source, termios.TCSANOW, before)
    except (OSError, termios.error):
        pass  # the terminal was closed meanwhile
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, unblocked)
    return None if column is None else column - 1


def _answer(source: int, deadline: float) -> int | None:
    """The column that a cursor report names."""
    heard = b""
    while (left := deadline - time.monotonic()) > 0:
        if not select.select([source], [], [], left)[0]:
            return None
        got = os.read(source, 1024)
        if not got:
            return None
        heard += got
        if found := _ANSWER.search(heard):
            return int(found[2])
    return None
