"""A grid of terminal cells to draw on, and the finished frame.

Whatever is put on a canvas is cut where the canvas ends, so no line is ever wider than the terminal, and a
character of two columns that would stick out is left away. Texts from people pass through `harmless` before
they come here; what is put is counted a character at a time, as everywhere else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from wcwidth import wcwidth

from protocol.text import clip, columns, harmless

from ..glyphs import Glyphs

Line: TypeAlias = tuple[tuple[str, str], ...]
"""One line of the screen: pieces of (style, text)."""

NARROW: Final = str.maketrans("“”‘’…·×−→←–—•", "\"\"''.-x-><---")
"""What stands for the punctuation of our own sentences where all is to be ASCII; one for one, so that
nothing moves."""

JOINED: Final = ""
"""The cell under the right half of a character of two columns."""


class Target(NamedTuple):
    """Something that can be clicked: `columns` from `left` up to, not including, `right` of row `y`."""

    y: int
    left: int
    right: int
    name: str


class Field(NamedTuple):
    """Where the text that is being typed stands."""

    y: int
    left: int
    columns: int


@dataclass(frozen=True, slots=True)
class Frame:
    """A finished picture, as many lines as the terminal has.

    `wake` is in how many ms the picture changes though nothing happens, a bar say; None if it does not.
    """

    lines: tuple[Line, ...]
    field: Field | None = None
    targets: tuple[Target, ...] = ()
    wake: int | None = None


class Canvas:
    """`width` times `height` cells, blank at first. Every method takes 0-based columns and rows."""

    def __init__(self, width: int, height: int, glyphs: Glyphs) -> None:
        self.width, self.height, self.glyphs = width, height, glyphs
        self.field: Field | None = None
        self.targets: list[Target] = []
        self.wake: int | None = None
        self._text = [[" "] * width for _ in range(height)]
        self._style = [[""] * width for _ in range(height)]

    def put(self, x: int, y: int, text: str, style: str = "") -> int:
        """Writes `text` from column `x` on and returns the column behind it."""
        if not 0 <= y < self.height:
            return x + columns(text)
        if text.isascii() and x >= 0:
            end = min(x + len(text), self.width)
            if x < end:
                self._cut(y, x, end)
                self._text[y][x:end] = text[: end - x]
                self._style[y][x:end] = [style] * (end - x)
            return x + len(text)
        if self.glyphs.is_ascii:
            text = text.translate(NARROW)
        if self.glyphs.ambiguous_wide:
            text = harmless(text, ambiguous_wide=True)
        for character in text:
            x = self._set(x, y, character, style)
        return x

    def right(self, x: int, y: int, text: str, style: str = "") -> None:
        """Writes `text` so that it ends before column `x`."""
        self.put(x - columns(text), y, text, style)

    def center(self, x: int, width: int, y: int, text: str, style: str = "") -> None:
        """Writes `text`, clipped, in the middle of `width` columns."""
        text = clip(text, width)
        self.put(x + (width - columns(text)) // 2, y, text, style)

    def box(self, x: int, y: int, width: int, height: int, box: str, style: str = "") -> None:
        """A frame, its inside blank."""
        if width < 2 or height < 2:
            return
        self.put(x, y, box[0] + box[1] * (width - 2) + box[2], style)
        for row in range(y + 1, y + height - 1):
            self.put(x, row, box[3] + " " * (width - 2) + box[4], style)
        self.put(x, y + height - 1, box[5] + box[6] * (width - 2) + box[7], style)

    def target(self, x: int, y: int, width: int, name: str) -> None:
        """Makes a piece of a row clickable."""
        self.targets.append(Target(y, x, x + width, name))

    def wake_in(self, ms: int | None) -> None:
        """Says that the picture changes by itself after `ms`; the soonest counts."""
        if ms is not None and (self.wake is None or ms < self.wake):
            self.wake = max(1, ms)

    def frame(self) -> Frame:
        lines = tuple(map(_line, self._text, self._style))
        return Frame(lines, self.field, tuple(self.targets), self.wake)

    def _set(self, x: int, y: int, character: str, style: str) -> int:
        width = max(0, wcwidth(character))
        if width == 0:
            last = x - 1
            while 0 < last < self.width and self._text[y][last] == JOINED:
                last -= 1
            if 0 <= last < self.width:
                self._text[y][last] += character
            return x
        end = x + width
        if x >= 0 and end <= self.width:
            self._cut(y, x, end)
            self._text[y][x] = character
            self._style[y][x] = style
            if width == 2:
                self._text[y][x + 1] = JOINED
                self._style[y][x + 1] = style
        return end

    def _cut(self, y: int, start: int, end: int) -> None:
        """Blanks what is left of characters of two columns whose other half is written over."""
        row = self._text[y]
        if row[start] == JOINED:
            row[start - 1] = " "
        if end < self.width and row[end] == JOINED:
            row[end] = " "


def _line(text: list[str], styles: list[str]) -> Line:
    pieces: list[tuple[str, str]] = []
    start, last = 0, len(styles)
    while start < last:
        style = styles[start]
        end = start + 1
        while end < last and styles[end] == style:
            end += 1
        pieces.append((style, "".join(text[start:end])))
        start = end
    return tuple(pieces)


def fraction_bar(width: int, share: float, glyphs: Glyphs) -> str:
    """A bar of `width` columns of which `share`, 0 to 1, is full."""
    levels = len(glyphs.bar) - 1
    units = round(max(0.0, min(1.0, share)) * width * levels)
    full, part = divmod(units, levels)
    text = glyphs.bar[-1] * full + (glyphs.bar[part] if part else "")
    return text + " " * (width - len(text))
