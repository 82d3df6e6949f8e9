"""The real client on a terminal of its own: a game alone, any size, pastes, old locales, no colour."""

from __future__ import annotations

import fcntl
import itertools
import os
import re
import select
import signal
import struct
import sys
import termios
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.client.pty_session import Pty, dobon, restored, served

NUMBERS = itertools.count()
SIZES = ((1, 1), (0, 0), (3, 2), (5, 20), (16, 60), (24, 80), (60, 200), (200, 500), (15, 59))


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with served() as (address, _process):
        yield address


def resize(pty: Pty, rows: int, columns: int) -> None:
    fcntl.ioctl(pty.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    pty.screen.resize(rows, columns)
    pty.signal(signal.SIGWINCH)


def test_from_the_start_screen_into_a_game_and_back(tmp_path: Path) -> None:
    with Pty(dobon(), tmp_path) as pty:
        pty.until_shown("Play alone")
        pty.press("\r")
        pty.until_shown("Ready")
        pty.press("\r")
        pty.until_shown("Hand: 5 cards")
        pty.press("q")
        pty.until_shown("Leave the table")
        pty.press("\x1b[B\r")
        pty.until_shown("Leave this server")
        pty.press("\x1b[A\r")
        pty.until_shown("Play alone")
        pty.press("\x1b[A\r")
        assert pty.ended() == 0


OPENED: dict[str, list[tuple[str, str]]] = {
    "lobby": [],
    "keys": [("h", "Dobon, on the card")],
    "settings": [("\x1b[A\x1b[A\x1b[A\r", "Four-colour suits")],
    "table": [("\r", "Open the table"), ("\r", "You are the host")],
    "menu": [("\r", "Open the table"), ("\r", "You are the host"), ("m", "What happened")],
    "text field": [("\r", "Open the table"), ("\r", "You are the host"), ("t", "Say:")],
}


@pytest.mark.parametrize("steps", OPENED.values(), ids=OPENED)
def test_any_size_at_any_time(server: str, tmp_path: Path, steps: list[tuple[str, str]]) -> None:
    """Hundreds of sizes, one right after the other, whatever is open; 0x0 says that the size is not known."""
    with Pty(dobon("join", server, "--name", f"Sizes{next(NUMBERS)}"), tmp_path) as pty:
        shown = "New table"
        pty.until_shown(shown)
        for keys, shown in steps:
            pty.press(keys)
            pty.until_shown(shown)
        for rows, columns in SIZES * 40:
            resize(pty, rows, columns)
        pty.until_shown("Dobon needs 60")
        resize(pty, 24, 80)
        pty.until_shown("You are the host" if shown == "Say:" else shown)
        pty.press("\x1c")
        assert pty.ended() == 131
        restored(pty)


def test_keys_work_below_the_smallest_size(server: str, tmp_path: Path) -> None:
    with Pty(dobon("join", server, "--name", "Small"), tmp_path, (10, 50)) as pty:
        pty.until_shown("Dobon needs 60")
        pty.press("\x1c")
        assert pty.ended() == 131


MARKS = {"in marks": (b"\x1b[200~", b"\x1b[201~"), "as if typed": (b"", b"")}
"""Most terminals say where a paste begins and ends."""
F12 = "\x1b[24~"
"""Does nothing, but is no text: what comes behind it was not pasted, however soon it comes."""
UNHURRIED = """
import sys
import client.keyboard
from client.command import main
client.keyboard.QUIET = 3600
sys.exit(main())
"""
"""A client to which a paste is not over because a busy machine makes a pause in it."""


def paster(server: str, *words: str) -> list[str]:
    return [sys.executable, "-c", UNHURRIED, "join", server, *words]


@pytest.mark.parametrize("marks", MARKS.values(), ids=MARKS)
def test_a_million_characters_pasted(server: str, tmp_path: Path, marks: tuple[bytes, bytes]) -> None:
    """Into a field: cut at the limit. Where there is none: no key is pressed by them."""
    begin, end = marks
    name = f"Paste{next(NUMBERS)}"
    with Pty(paster(server, "--name", name), tmp_path) as pty:
        pty.until_shown("New table")
        pour(pty, begin + b"h\r" * 500_000 + end)
        for key, shown in (("\r", "Open the table"), ("\r", "You are the host"), ("t", "Say:")):
            pty.press(F12 + key)
            pty.until_shown(shown)
        pour(pty, begin + b"q\r" * 500_000 + end)
        pty.until_shown("q q q q")
        pty.press(F12 + "\r")
        pty.until_shown(f"{name}: q q q q")
        pty.press(F12 + "\x1c")
        assert pty.ended() == 131


@pytest.mark.parametrize("marks", MARKS.values(), ids=MARKS)
def test_a_million_characters_pasted_at_the_prompt(
    server: str, tmp_path: Path, marks: tuple[bytes, bytes]
) -> None:
    """One line of what a line can hold."""
    begin, end = marks
    with Pty(paster(server, "--name", f"Paste{next(NUMBERS)}", "--plain"), tmp_path) as pty:
        pty.until_shown("dobon>")
        pty.press("create\r")
        pty.until_shown("is made")
        pour(pty, begin + b"chat " + b"quit\r" * 200_000 + end)
        pty.until_shown("quit quit")
        pty.press(F12 + "\r")
        pty.until_shown("It is too long: 200 characters")
        assert len(pty.output) < 20_000
        pty.press(F12 + "quit\r")
        assert pty.ended() == 0


def pour(pty: Pty, data: bytes) -> None:
    """Writes more than the terminal holds at once, reading what comes back."""
    os.set_blocking(pty.terminal, False)
    while data:
        readable, writable, _ = select.select([pty.terminal], [pty.terminal], [])
        if writable:
            data = data[os.write(pty.terminal, data) :]
        if readable:
            pty.read_some()
    os.set_blocking(pty.terminal, True)


@pytest.mark.parametrize("locale", ["C", "POSIX", "de_DE.ISO-8859-1"])
def test_a_locale_without_unicode_gets_letters_for_suits(tmp_path: Path, locale: str) -> None:
    command = dobon("play", "--name", "Haru")
    with Pty(command, tmp_path, LANG=locale, LC_ALL=locale, PYTHONCOERCECLOCALE="0", PYTHONUTF8="0") as pty:
        pty.until_shown("Ready")
        pty.press("\r")
        shown = pty.until_shown("Hand: 5 cards")
        assert shown.isascii()
        assert "?" not in shown
        pty.press("g")
        pty.until_shown("Four-colour suits")
        pty.press("\x1b[B\x1b[B")
        pty.until_shown("Letters here")
        pty.press("\x1c")
        assert pty.ended() == 131


def test_no_colour_where_none_is_wanted(server: str, tmp_path: Path) -> None:
    with Pty(dobon("join", server, "--name", "Grey"), tmp_path, NO_COLOR="1") as pty:
        pty.until_shown("New table")
        pty.press("\x1c")
        pty.ended()
        looks = {
            number for look in re.findall(rb"\x1b\[([0-9;]*)m", pty.output) for number in look.split(b";")
        }
        assert looks <= {b"", b"0", b"1", b"4", b"7"}


@pytest.mark.parametrize(
    ("answer", "late", "suits"),
    [
        (None, False, "♠"),
        ("\x1b[1;2R", False, "♠"),
        ("\x1b[1;3R", False, ""),
        ("\x1b[1;3R", True, "♠"),
    ],
    ids=["silent", "one column", "two columns", "too late"],
)
def test_the_terminal_is_asked_how_wide_a_suit_is(
    server: str, tmp_path: Path, answer: str | None, late: bool, suits: str
) -> None:
    """Whatever it answers, and when, the client can be used, and no answer is taken for keys."""
    name = f"Wide{next(NUMBERS)}"
    with Pty(dobon("join", server, "--name", name), tmp_path, PROMPT_TOOLKIT_NO_CPR="0") as pty:
        if answer and not late:
            pty.press(answer)  # it waits in the line: nothing depends on how fast this test is
        pty.until_shown("New table")
        if answer and late:
            pty.press(answer)
        pty.press("\x1b[A\x1b[A\x1b[A\r")  # the settings are the last line but two
        shown = pty.until_shown("Four-colour suits")
        assert (suits == "♠") == ("·" in shown.splitlines()[-1])
        assert "R" not in shown.splitlines()[1]
        pty.press("\x1c")
        assert pty.ended() == 131


def test_a_click_does_what_enter_does(server: str, tmp_path: Path) -> None:
    with Pty(dobon("join", server, "--name", "Mouse"), tmp_path, DOBON_MOUSE="1") as pty:
        rows = pty.until_shown("New table").splitlines()
        y = next(number for number, row in enumerate(rows, 1) if "New table" in row)
        pty.press(f"\x1b[<0;6;{y}M\x1b[<0;6;{y}m")
        pty.until_shown("Open the table")
        pty.press("\x1c")
        assert pty.ended() == 131
