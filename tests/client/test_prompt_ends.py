"""Every way in which the prompt of the plain client can end leaves the terminal as it was."""

from __future__ import annotations

import itertools
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.client.pty_session import Pty, dobon, restored, served

NUMBERS = itertools.count()


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with served() as (address, _process):
        yield address


def player(server: str, name: str = "") -> list[str]:
    return dobon("join", server, "--plain", "--name", name or f"P{next(NUMBERS)}")


@pytest.mark.parametrize(
    ("keys", "code"), [("quit\r", 0), ("\x04", 0), ("\x03", 130), ("half a li\x03", 130)]
)
def test_left_by_keys(server: str, tmp_path: Path, keys: str, code: int) -> None:
    with Pty(player(server), tmp_path) as pty:
        pty.until_shown("dobon>")
        pty.press(keys)
        assert pty.ended() == code
        restored(pty)


def test_without_a_prompt_the_shell_goes_on_below_what_ctrl_c_shows(server: str, tmp_path: Path) -> None:
    with Pty(player(server), tmp_path, TERM="dumb") as pty:
        pty.until_shown("There are no tables")
        pty.press("\x03")
        assert pty.ended() == 130
        assert pty.output.endswith(b"^C\r\n")


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_signals(server: str, tmp_path: Path, number: signal.Signals, code: int) -> None:
    with Pty(player(server), tmp_path) as pty:
        pty.until_shown("dobon>")
        pty.signal(number)
        assert pty.ended() == code
        restored(pty)


def test_the_terminal_closed(server: str, tmp_path: Path) -> None:
    with Pty(player(server), tmp_path) as pty:
        pty.until_shown("dobon>")
        pty.close()
        assert pty.ended() == 129


@pytest.mark.parametrize("mode", ["--plain", "--glyphs=ascii"])
def test_taken_over_from_elsewhere(server: str, tmp_path: Path, mode: str) -> None:
    """By who has the same token: that one stays, this one is told so and does not try again."""
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    name = f"P{next(NUMBERS)}"
    with Pty(dobon("join", server, mode, "--name", name), here) as pty:
        pty.until_shown("dobon>" if mode == "--plain" else "New table")
        shutil.copytree(here, there)
        with Pty(player(server, name), there) as other:
            other.until_shown("dobon>")
            assert pty.ended() == 77
            restored(pty)
            assert "You have joined from elsewhere" in pty.text()
            other.press("tables\r")
            other.until(lambda shown: shown.count("There are no tables") == 2)
            other.press("quit\r")
            assert other.ended() == 0
