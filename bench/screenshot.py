"""The README's picture, made from the real client: `python -m bench.screenshot [FILE.svg …]`.

A server with a known seed, a player on a pseudo-terminal who plays by keys, and the screen at a good moment
as an SVG: every character is put into its cell, so the columns stand straight whatever font shows them.
"""

from __future__ import annotations

import contextlib
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple
from xml.sax.saxutils import escape, quoteattr

import pyte
from pyte.screens import Char

from protocol.text import columns
from tests.client.pty_session import Pty, dobon

FOLDER: Final = Path(__file__).resolve().parent.parent / "docs"
CELL: Final = (9, 19)
FONT: Final = "'DejaVu Sans Mono', 'Noto Sans Mono CJK JP', 'Menlo', 'Consolas', monospace"
INK, PAPER = "#d6d9dc", "#15191e"
NAMED: Final = {
    "black": "#15191e",
    "red": "#d0646c",
    "green": "#5aa873",
    "brown": "#d9a441",
    "blue": "#5f92cf",
    "magenta": "#b58fd0",
    "cyan": "#3aa0a8",
    "white": "#d6d9dc",
}
MOST_KEYS: Final = 400
"""Keys after which no good moment will come any more."""


class Picture(NamedTuple):
    file: str
    language: str
    name: str
    seed: str
    size: tuple[int, int]


PICTURES: Final = (
    Picture("screenshot.svg", "en", "Haru", "5eed", (24, 80)),
    Picture("screenshot-ja.svg", "ja", "花子", "5eed", (24, 80)),
)


def main(files: list[str]) -> None:
    for picture in PICTURES:
        if files and picture.file not in files:
            continue
        with tempfile.TemporaryDirectory() as home, game(picture, Path(home)) as pty:
            good_moment(pty)
            path = FOLDER / picture.file
            path.parent.mkdir(exist_ok=True)
            path.write_text(svg(pty.screen, "Dobon"), "utf-8")
            print(path)
            print(pty.text())


@contextlib.contextmanager
def game(picture: Picture, home: Path) -> Iterator[Pty]:
    command = dobon("play", "--name", picture.name, "--seed", picture.seed, "--lang", picture.language)
    with Pty(command, home, picture.size, PROMPT_TOOLKIT_COLOR_DEPTH="DEPTH_24_BIT") as pty:
        pty.until(lambda shown: "Enter" in shown)
        yield pty


def good_moment(pty: Pty) -> None:
    """Plays till it is the player's turn with a choice of cards, some way into a round."""
    for _ in range(MOST_KEYS):
        shown = pty.until(is_asked)
        if shown.count("▲") >= 2 and is_under_way(shown) and "█" in shown:
            return
        pty.press(answer(shown))
        pty.until(lambda now, before=shown: now != before)  # type: ignore[misc]
    raise SystemExit(f"no good moment came:\n{pty.text()}")


def is_asked(shown: str) -> bool:
    if "on its way" in shown or "猶予" in shown:
        return False  # what was pressed last is held for the grace
    return "[Enter" in shown or "[d " in shown or "[p " in shown or "♠ s" in shown


def is_under_way(shown: str) -> bool:
    """Whether somebody is down to few cards, so that it is no beginning."""
    return any(f"▒▒ {count} " in shown for count in (2, 3)) or "×" in shown


def answer(shown: str) -> str:
    """The key for what is asked."""
    if "▲" in shown or "♠ s" in shown:
        return "\r"
    if "[d " in shown:
        return "d"
    return "p" if "[p " in shown else "\r"


# The screen as SVG.


def svg(screen: pyte.Screen, title: str) -> str:
    width, height = screen.columns * CELL[0] + 24, screen.lines * CELL[1] + 24
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{width}" height="{height}" rx="8" fill="{PAPER}"/>',
        f'<g font-family={quoteattr(FONT)} font-size="15" xml:space="preserve">',
    ]
    for y in range(screen.lines):
        parts += row(screen, y)
    return "\n".join([*parts, "</g>", "</svg>", ""])


def row(screen: pyte.Screen, y: int) -> Iterator[str]:
    """The pieces of one row that share a look: a background, and the characters each at its own place."""
    cells = [screen.buffer[y][x] for x in range(screen.columns)]
    x = 0
    while x < len(cells):
        end = x + 1
        while end < len(cells) and look(cells[end]) == look(cells[x]):
            end += 1
        ink, paper, bold = look(cells[x])
        left, top = 12 + x * CELL[0], 12 + y * CELL[1]
        if paper != PAPER:
            wide, high = (end - x) * CELL[0], CELL[1]
            yield f'<rect x="{left}" y="{top}" width="{wide}" height="{high}" fill="{paper}"/>'
        weight = ' font-weight="bold"' if bold else ""
        for place, text in words(cells, x, end):
            at, length = 12 + place * CELL[0], columns(text) * CELL[0]
            yield (
                f'<text x="{at}" y="{top + 14}" textLength="{length}" lengthAdjust="spacingAndGlyphs" '
                f'fill="{ink}"{weight}>{escape(text)}</text>'
            )
        x = end


def words(cells: list[Char], start: int, end: int) -> Iterator[tuple[int, str]]:
    """(cell, text) of what is to be drawn at once: characters side by side, one of two columns by itself."""
    x = start
    while x < end:
        text = cells[x].data
        if not text.strip():
            x += 1
            continue
        first, width = x, columns(text)
        x += max(1, width)
        while width == 1 and x < end and cells[x].data.strip() and columns(cells[x].data) == 1:
            text += cells[x].data
            x += 1
        yield first, text


def look(char: Char) -> tuple[str, str, bool]:
    ink, paper = colour(char.fg, INK), colour(char.bg, PAPER)
    return (paper, ink, char.bold) if char.reverse else (ink, paper, char.bold)


def colour(name: str, default: str) -> str:
    if name == "default":
        return default
    return NAMED.get(name.removeprefix("bright"), f"#{name}" if len(name) == 6 else default)


if __name__ == "__main__":
    main(sys.argv[1:])
