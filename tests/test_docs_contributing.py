"""The worked examples of docs/contributing.md hold: each patch applies, passes its test, keeps types."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "contributing.md").read_text("utf-8")
PARTS = ("engine", "protocol", "server", "client", "tests", "pyproject.toml")


class Example(NamedTuple):
    """A patch, and where the test that shows it goes."""

    title: str
    patch: str
    file: str
    test: str


def examples() -> list[Example]:
    found = re.findall(
        r"^### (.+?)\n.*?^```diff\n(.+?)^```\n.*?^```python\n# (\S+)\n(.+?)^```\n",
        PAGE,
        re.MULTILINE | re.DOTALL,
    )
    return [Example(*parts) for parts in found]


def copy(place: Path) -> Path:
    """The sources and tests, at another place."""
    for name in PARTS:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, place / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, place / name)
    return place


def run(place: Path, *words: str, given: str | None = None) -> None:
    """Run a command in the copy; fails the test with all that was said."""
    done = subprocess.run(
        words,
        cwd=place,
        input=given,
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": str(place), "PATH": "/usr/bin:/bin", "HOME": str(place), "LANG": "C.UTF-8"},
    )
    if done.returncode:
        pytest.fail(f"{' '.join(words)}\n{done.stdout}{done.stderr}", pytrace=False)


def test_there_are_three() -> None:
    assert [example.title for example in examples()] == ["A rule field", "A message", "A screen"]


@pytest.mark.parametrize("example", examples(), ids=[example.title for example in examples()])
def test_an_example_holds(example: Example, tmp_path: Path) -> None:
    place = copy(tmp_path)
    run(place, "git", "apply", "-C1", "-", given=example.patch)
    (place / example.file).write_text(example.test, "utf-8")
    run(place, sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", example.file)


@pytest.mark.nightly
@pytest.mark.timeout(600)
@pytest.mark.parametrize("example", examples(), ids=[example.title for example in examples()])
def test_an_example_keeps_types_and_layout(example: Example, tmp_path: Path) -> None:
    place = copy(tmp_path)
    run(place, "git", "apply", "-C1", "-", given=example.patch)
    (place / example.file).write_text(example.test, "utf-8")
    parts = ("engine", "protocol", "server", "client", example.file)
    run(place, sys.executable, "-m", "mypy", *parts)
    run(place, sys.executable, "-m", "ruff", "check", *parts)
    run(place, sys.executable, "-m", "ruff", "format", "--check", *parts)
