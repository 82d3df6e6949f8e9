"""Every link of every page leads somewhere: to a file that there is, and to a heading in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob(".github/**/*.md")])
NAMES = [page.relative_to(ROOT).as_posix() for page in PAGES]


def prose(page: Path) -> str:
    """A page without its blocks and pieces of code."""
    text = re.sub(r"^(```+).*?^\1$", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`]*`", lambda code: "" if "](" in code[0] else code[0], text)


def links(page: Path) -> list[str]:
    """Where its links and pictures lead, in this repository."""
    found = re.findall(r"\]\(([^)\s]+)\)", prose(page))
    return [target for target in found if not re.match(r"[a-z]+:", target)]


def anchors(page: Path) -> Iterator[str]:
    """The names of its headings as GitHub makes them."""
    seen: dict[str, int] = {}
    for heading in re.findall(r"^#+ +(.+?) *#*$", prose(page), re.MULTILINE):
        text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()
        name = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
        count = seen[name] = seen.get(name, -1) + 1
        yield f"{name}-{count}" if count else name


def test_the_pages_are_found() -> None:
    assert {"README.md", "README.ja.md", "CHANGELOG.md", "docs/rules.ja.md", "docs/design.md"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_links_lead_somewhere(name: str) -> None:
    page = ROOT / name
    for link in links(page):
        path, _sharp, anchor = unquote(link).partition("#")
        target = (page.parent / path) if path else page
        assert target.exists(), link
        assert target.resolve().is_relative_to(ROOT), link
        if anchor:
            assert anchor in set(anchors(target)), link


@pytest.mark.parametrize("name", NAMES)
def test_a_page_speaks_of_paths_that_there_are(name: str) -> None:
    """What is written as code and looks like a file of the sources is one."""
    text = re.sub(r"^(```+).*?^\1$", "", (ROOT / name).read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    found = re.findall(r"`((?:engine|protocol|server|client|bench|examples|contrib|docs)/[\w./-]+)`", text)
    assert [path for path in found if not (ROOT / path).exists()] == []


def test_both_readmes_have_the_same_parts() -> None:
    """Section by section the same commands and the same links, but for the other language's pages."""
    english, japanese = ((ROOT / name).read_text("utf-8") for name in ("README.md", "README.ja.md"))
    shapes = [
        [
            [line.split("#")[0].rstrip() for line in block.splitlines()]
            for block in re.findall(r"```\w+\n(.*?)```", text, re.DOTALL)
        ]
        for text in (english, japanese)
    ]
    assert shapes[0] == shapes[1]
    assert english.count("\n## ") == japanese.count("\n## ")
    targets = [
        sorted(
            re.sub(r"(README|docs/rules)(\.ja)?\.md", r"\1", link.replace("-ja.svg", ".svg"))
            for link in links(ROOT / name)
        )
        for name in ("README.md", "README.ja.md")
    ]
    assert targets[0] == targets[1]
