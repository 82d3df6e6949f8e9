"""The scripts that let shells complete `dobon`."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from client.command import command_table
from client.completion import SHELLS, script
from tests.patience import PATIENCE


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_names_every_command_and_its_options(shell: str) -> None:
    text = script(shell, str)
    for name in command_table(str):
        assert name in text
    for option in ("against", "seat", "rule", "lang"):
        assert option in text


@pytest.mark.parametrize("shell", [shell for shell in SHELLS if shutil.which(shell)])
def test_a_shell_takes_its_script(shell: str) -> None:
    subprocess.run([shell, "-n"], input=script(shell, str), text=True, check=True, timeout=PATIENCE)


def test_bash_completes() -> None:
    asks = """
    COMP_WORDS=(dobon {words}); COMP_CWORD={place}; _shtab_dobon; echo "${{COMPREPLY[@]}}"
    """
    for words, place, want in (
        ("re", 1, "replay"),
        ("completion ''", 2, "bash"),
        ("verify --ag", 2, "--against"),
        ("play --level n", 3, "normal"),
    ):
        program = script("bash", str) + asks.format(words=words, place=place)
        done = subprocess.run(
            ["bash"], input=program, text=True, capture_output=True, timeout=PATIENCE, check=True
        )
        assert want in done.stdout.split(), (words, done.stdout, done.stderr)
