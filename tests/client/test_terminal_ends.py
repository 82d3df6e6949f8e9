"""Every way in which the screen can end leaves the terminal as it was, and says at most one sentence."""

from __future__ import annotations

import contextlib
import itertools
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.client.pty_session import QUIET, Pty, dobon, restored, served

NUMBERS = itertools.count()
SIGNALS = ((signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGQUIT, 131))


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with served() as (address, _process):
        yield address


def new_name() -> str:
    """The session of a player who left is kept for a while, and so is the name."""
    return f"P{next(NUMBERS)}"


@contextlib.contextmanager
def lobby(server: str, home: Path, name: str | None = None) -> Iterator[Pty]:
    """A player in the lobby, under a name that nobody else has."""
    with Pty(dobon("join", server, "--name", name or new_name()), home) as pty:
        pty.until_shown("New table")
        yield pty


def test_left_by_the_menu(server: str, tmp_path: Path) -> None:
    with lobby(server, tmp_path) as pty:
        pty.press("\x1b[A\r")  # up from the first line to the last: leave this server
        assert pty.ended() == 0
        restored(pty)
        assert pty.last_lines() == []


def test_ctrl_c_asks_and_then_leaves(server: str, tmp_path: Path) -> None:
    with lobby(server, tmp_path) as pty:
        pty.press("\x03")
        pty.until_shown("Press Ctrl-C again")
        pty.press("x")
        pty.until(lambda shown: "Press Ctrl-C again" not in shown)
        pty.press("\x03")
        pty.until_shown("Press Ctrl-C again")
        pty.press("\x03")
        assert pty.ended() == 130
        restored(pty)


@pytest.mark.parametrize(("number", "code"), SIGNALS)
def test_signals(server: str, tmp_path: Path, number: signal.Signals, code: int) -> None:
    with lobby(server, tmp_path) as pty:
        pty.signal(number)
        assert pty.ended() == code
        restored(pty)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGINT])
def test_a_signal_while_the_terminal_is_asked(server: str, tmp_path: Path, number: signal.Signals) -> None:
    """How wide it draws a suit: before the screen is there, and with what was typed not shown."""
    command = dobon("join", server, "--name", new_name())
    with Pty(command, tmp_path, PROMPT_TOOLKIT_NO_CPR="0") as pty:
        pty.until(lambda _: b"\x1b[6n" in pty.output)
        pty.signal(number)
        assert pty.ended() in (-number, 130)
        assert pty.attributes() == pty.before


def test_the_terminal_closed_while_it_is_asked(server: str, tmp_path: Path) -> None:
    command = dobon("join", server, "--name", new_name())
    with Pty(command, tmp_path, PROMPT_TOOLKIT_NO_CPR="0") as pty:
        pty.until(lambda _: b"\x1b[6n" in pty.output)
        pty.close()
        assert pty.ended() == -signal.SIGHUP


def test_sigint_from_outside_asks_too(server: str, tmp_path: Path) -> None:
    with lobby(server, tmp_path) as pty:
        pty.signal(signal.SIGINT)
        pty.until_shown("Press Ctrl-C again")
        pty.signal(signal.SIGINT)
        assert pty.ended() == 130
        restored(pty)


def test_ctrl_backslash_leaves_at_once(server: str, tmp_path: Path) -> None:
    with lobby(server, tmp_path) as pty:
        pty.press("\x1c")
        assert pty.ended() == 131
        restored(pty)


def test_refused_connection(tmp_path: Path) -> None:
    with Pty(dobon("join", "127.0.0.1:1"), tmp_path) as pty:
        assert pty.ended() == 69
        restored(pty)
        assert len(pty.last_lines()) == 1
        assert "No server answers at 127.0.0.1:1" in pty.last_lines()[0]


def test_name_taken(server: str, tmp_path: Path) -> None:
    with (
        lobby(server, tmp_path, "Sora"),
        Pty(dobon("join", server, "--name", "Sora"), tmp_path / ".") as pty,
    ):
        assert pty.ended() == 77
        restored(pty)
        assert len(pty.last_lines()) == 1


def test_a_server_that_is_gone_is_shown_and_can_be_left(tmp_path: Path) -> None:
    with served() as (where, process), Pty(dobon("join", where, "--name", "Haru"), tmp_path) as pty:
        pty.until_shown("New table")
        process.kill()
        pty.until_shown("The connection is gone")
        pty.press("\x03")
        pty.until_shown("Press Ctrl-C again")
        pty.press("\x03")
        assert pty.ended() == 130
        restored(pty)


FAULT = """
import sys
import client.{module} as module
def fault(*args, **more):
    raise RuntimeError("made for this test")
{patch}
from client.command import main
sys.exit(main())
"""


NO_IMPORT = "sys.modules['client.errand'] = type('', (), {'__getattr__': fault})()"
"""It fails as it is imported, which is late."""


@pytest.mark.parametrize(
    ("module", "patch", "trigger"),
    [
        ("keys", "module.KEYS['any']['x'] = fault", "x"),
        ("app", "keep = module.draw\nmodule.draw = lambda s, z: fault() if s.ui.pages else keep(s, z)", "h"),
        ("errand", "module.Tables = fault", ""),
        ("app", "module.draw = fault", None),
        ("app", NO_IMPORT, None),
        ("plain", "module.news = fault; sys.argv.append('--plain')", None),
        ("plain", "module.interpret = fault; sys.argv.append('--plain')", "look\r"),
    ],
    ids=[
        *("a key's handler", "drawing", "the session's task", "the first drawing", "an import"),
        *("a line of the plain client", "a command of the plain client"),
    ],
)
def test_faults_of_our_own(server: str, tmp_path: Path, module: str, patch: str, trigger: str | None) -> None:
    script = tmp_path / "faulty.py"
    script.write_text(FAULT.format(module=module, patch=patch), "utf-8")
    with Pty([sys.executable, str(script), "join", server, "--name", new_name()], tmp_path) as pty:
        if trigger:
            pty.until_shown("dobon>" if "--plain" in patch else "New table")
            pty.press(trigger)
        assert pty.ended() == 1
        restored(pty)
        assert "RuntimeError" in pty.last_lines()[-1]
        assert len(pty.last_lines()) == 1 or "--plain" in patch
    assert "made for this test" in (tmp_path / ".local/state/dobon/fault.txt").read_text("utf-8")


def test_the_terminal_closed(server: str, tmp_path: Path) -> None:
    with lobby(server, tmp_path) as pty:
        pty.close()
        assert pty.ended() == 129


@pytest.fixture(params=["--glyphs=ascii", "--plain"])
def stopped(request: pytest.FixtureRequest, server: str, tmp_path: Path) -> Iterator[tuple[Pty, str]]:
    """A shell from which a client was started, and stopped by Ctrl-Z; and what the client shows."""
    shown = "dobon>" if request.param == "--plain" else "New table"
    with Pty(["bash", "--norc", "-i"], tmp_path, PS1="ready> ") as pty:
        pty.until_shown("ready>")
        pty.press(" ".join(dobon("join", server, "--name", new_name(), request.param)) + "\r")
        pty.until_shown(shown)
        pty.press("\x1a")
        pty.until_shown("Stopped")
        assert pty.modes() == {**QUIET, 2004: pty.modes()[2004]}  # bash's own
        yield pty, shown


def test_suspended_and_back(stopped: tuple[Pty, str]) -> None:
    pty, shown = stopped
    pty.press("fg\r")
    pty.until_shown(shown)
    pty.press("\x03")
    if shown == "New table":
        pty.until_shown("Press Ctrl-C again")
        pty.press("\x03")
    pty.until(lambda shown: shown.rstrip().endswith("ready>"))
    assert pty.modes()[1049] is False


def test_ended_while_suspended(stopped: tuple[Pty, str]) -> None:
    """It need not be brought back for that, and leaves the shell's terminal alone."""
    pty, _ = stopped
    before = len(pty.output)
    pty.press('kill %1; while kill -0 %1 2> /dev/null; do :; done; echo all "gone"\r')
    pty.until_shown("all gone")
    assert b"\x1b[?1049" not in pty.output[before:]


def test_ctrl_z_where_there_is_no_shell_to_go_back_to(server: str, tmp_path: Path) -> None:
    """Nothing would ever continue it, so the system does not stop it."""
    with lobby(server, tmp_path) as pty:
        pty.press("\x1a")
        pty.press("h")
        pty.until_shown("Dobon, on the card that you see")
        pty.press("\x1c")
        assert pty.ended() == 131
        restored(pty)


def test_mouse_is_off_unless_asked(server: str, tmp_path: Path) -> None:
    with lobby(server, tmp_path) as pty:
        assert pty.modes()[1000] is False
        pty.press("\x1c")
        pty.ended()
    command = dobon("join", server, "--name", new_name())
    with Pty(command, tmp_path, DOBON_MOUSE="1") as pty:
        pty.until_shown("New table")
        assert pty.modes()[1000] is True
        pty.signal(signal.SIGTERM)
        pty.ended()
        restored(pty)


REPLAY = """
import sys
import client.replay_app as module
def fault(*args, **more):
    raise RuntimeError("made for this test")
module.draw_replay = fault
from client.command import main
sys.exit(main())
"""


def test_a_fault_in_a_replay(tmp_path: Path) -> None:
    record = str(tmp_path / "match.json")
    with Pty(dobon("sim", "--bots", "easy,easy", "--matches", "1", "--trace", record), tmp_path) as pty:
        assert pty.ended() == 0
    with Pty([sys.executable, "-c", REPLAY, "replay", record], tmp_path) as pty:
        assert pty.ended() == 1
        restored(pty)
        assert "RuntimeError" in pty.last_lines()[-1]


@pytest.mark.parametrize("term", ["dumb", "", "unknown"])
def test_a_dumb_terminal_gets_no_escape(server: str, tmp_path: Path, term: str) -> None:
    with Pty(dobon("join", server, "--name", new_name()), tmp_path, TERM=term) as pty:
        pty.until_shown("Connected")
        pty.press("quit\n")
        pty.ended()
        assert b"\x1b" not in pty.output


@pytest.mark.parametrize("term", ["dumb", "", "unknown"])
def test_the_start_screen_needs_a_terminal_that_can_show_it(tmp_path: Path, term: str) -> None:
    with Pty(dobon(), tmp_path, TERM=term) as pty:
        assert pty.ended() == 2
        assert pty.output.startswith(b"The start screen needs a terminal")
        assert b"\x1b" not in pty.output
