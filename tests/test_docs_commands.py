"""The commands in README and docs work as printed: each is run, or stands in a table with the reason why not.

They are run in the order of the page, in a HOME of their own, in which a server serves and one match has been
played. Input is empty, so what plays does so in plain lines and ends at once. Only where the server is, and
what files are called that have a date in their name, differs from the page.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.plain_round import play_a_round, served

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = Path(sys.executable).parent
# README.ja.md has the same commands: tests/test_docs_links.py sees to that
PAGES = ("README.md", *(f"docs/{page.name}" for page in sorted(ROOT.glob("docs/*.md"))))

# one server for all of them
pytestmark = [pytest.mark.xdist_group("docs"), pytest.mark.timeout(300)]

NOT_RUN = {
    r"make (play|test)": "`.ci/run` runs the one, `test_play_is_set_up_as_the_makefile_says` reads the other",
    r"make \w+": "they are `make test` and more; that there is such a target is tested below",
    r"\.ci/run": "it runs this test",
    r"pipx install \.|uvx --from \. dobon": "need a network; tests/test_packaging.py installs the wheel",
    r"sudo .*|systemctl .*|journalctl .*": "change the machine; contrib/dobon.service has tests of its own",
    r"docker .*": "needs Docker; contrib/Dockerfile has tests of its own",
    r"\.venv/bin/pre-commit install": "changes the checkout; the configuration is tested below",
    r"\.venv/bin/python -m pytest .*": "that there are such tests is tested below",
    r"\.venv/bin/python -m tests\.planted .*": "runs the nets twice; tests/planted has tests of its own",
    r"git diff .*": "a look at the checkout",
    r"dobon admin (kick|ban|unban|close|shutdown).*": "send somebody off; tests/server/test_admin.py does",
    r"dobon sim --bots hard,.*": "searches for an hour; tests/server/test_simulate.py has a short one",
}
"""What is not run, as a pattern for the whole command, and why."""

GOES_ON = re.compile(r"dobon (serve|watch)\b.*")
"""What runs until it is told to end: it is started, says its first line, and is ended."""

PATIENCE = 100
"""Seconds that a command may take."""
RECORD = re.compile(r"~/\.local/state/dobon/records/\S+")
"""A player's own record of a match."""


class Command(NamedTuple):
    page: str
    text: str


def commands(page: str) -> list[str]:
    """The commands of a page's shell blocks, without comments."""
    blocks = re.findall(r"^```sh\n(.*?)^```$", (ROOT / page).read_text("utf-8"), re.MULTILINE | re.DOTALL)
    lines = "".join(blocks).replace("\\\n", " ").splitlines()
    return [text for line in lines if (text := re.sub(r"(^|\s)#.*", "", line).strip())]


def why_not(command: str) -> str | None:
    """The reason for which a command is not run."""
    return next((reason for pattern, reason in NOT_RUN.items() if re.fullmatch(pattern, command)), None)


ALL = [Command(page, text) for page in PAGES for text in commands(page)]


class Sandbox(NamedTuple):
    home: Path
    environ: dict[str, str]
    address: str
    code: str

    def shell(self, command: str) -> str:
        """Run a command as printed. Returns what it said; raises AssertionError if it failed."""
        with subprocess.Popen(
            ["bash", "-c", self.here(command)],
            cwd=self.home,
            env=self.environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        ) as process:
            assert process.stdout is not None
            goes_on = GOES_ON.fullmatch(command)
            said = process.stdout.readline() if goes_on else ""
            if goes_on:
                process.terminate()
            said += "".join(process.communicate(timeout=PATIENCE))
        ended = {0, 128 + signal.SIGTERM} if goes_on else {0}
        if command == "dobon doctor":
            ended.add(
                1
            )  # it finds fault with the machine: with a server that somebody else runs on it, perhaps
        assert process.returncode in ended, f"{command}\n{said}"
        return said

    def here(self, command: str) -> str:
        """The command with this server and this record in place of the page's."""
        for example, here in (("04AB", self.code), ("192.168.1.20", self.address)):
            command = command.replace(example, here)
        command = RECORD.sub(str(next(self.home.glob(".local/state/dobon/records/*.jsonl"))), command)
        return command.replace(".venv/bin/", "")


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    home = tmp_path_factory.mktemp("home")
    shutil.copytree(ROOT / "examples", home / "examples")
    environ = {
        "HOME": str(home),
        "PATH": f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}",
        "LANG": "C.UTF-8",
        "PYTHONPATH": str(ROOT),
        "DOBON_HOST": "127.0.0.1",
        "DOBON_PORT": "0",
    }
    with served(PROGRAMS / "dobon", environ) as (address, code):
        play_a_round([PROGRAMS / "dobon", "join", code, "--plain", "--name", "Haru"], environ)
        found = Sandbox(home, environ, address, code)
        found.shell("dobon export 1 > match.json")
        yield found


@pytest.mark.parametrize("page", [page for page in PAGES if commands(page)])
def test_the_commands_of_a_page(page: str, sandbox: Sandbox) -> None:
    for command in commands(page):
        if why_not(command) is None:
            sandbox.shell(command)


@pytest.mark.parametrize("pattern", NOT_RUN)
def test_each_exception_is_needed(pattern: str) -> None:
    assert any(re.fullmatch(pattern, command.text) for command in ALL)


def test_the_targets_of_make_exist() -> None:
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    pages = "".join((ROOT / page).read_text("utf-8") for page in PAGES)
    named = set(re.findall(r"(?:`|^)make (\w+)", pages, re.MULTILINE))
    assert {"play", "test", "nightly", "bench", "screenshot"} <= named <= targets


def test_the_tests_that_pages_name_exist() -> None:
    named = [command.text for command in ALL if "-m pytest" in command.text]
    paths = [path for text in named for path in re.findall(r"tests/[\w/.]+", text)]
    assert paths
    assert [path for path in paths if not (ROOT / path).exists()] == []


def recipes() -> str:
    """The Makefile's commands, with its variables filled in as on a machine without make."""
    text = (ROOT / "Makefile").read_text("utf-8")
    for name, value in (
        ("PIP", "$(BIN)/python -m pip"),
        ("BIN", "$(VENV)/bin"),
        ("VENV", ".venv"),
        ("PYTHON", "py"),
    ):
        text = text.replace(f"$({name})", value)
    return text


@pytest.mark.parametrize("page", ["README.md", "README.ja.md"])
def test_without_make_the_same_is_done_as_with_it(page: str) -> None:
    blocks = re.findall(r"^```bat\n(.*?)^```$", (ROOT / page).read_text("utf-8"), re.MULTILINE | re.DOTALL)
    typed = [line.replace("\\Scripts\\", "/bin/") for line in "".join(blocks).splitlines()]
    assert len(typed) == 7
    assert [line for line in typed if f"\t{line}\n" not in recipes()] == []


def test_the_hooks_that_pre_commit_runs_can_be_run() -> None:
    entries = re.findall(
        r"^ +entry: (.+)$", (ROOT / ".pre-commit-config.yaml").read_text("utf-8"), re.MULTILINE
    )
    assert len(entries) == 3
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for entry in entries:
        what = entry.split()
        assert f"\n{what[1]}:" in makefile if what[0] == "make" else (ROOT / what[-1]).exists()
