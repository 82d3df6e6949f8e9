"""Pages that are a list of lines to choose from: the start, the lobby, the set-up, the settings, the menu."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal, TypeAlias

from protocol.text import clip, columns, pad

from .canvas import Canvas, Field

RowKind: TypeAlias = Literal["action", "choice", "text", "heading", "plain"]


@dataclass(frozen=True, slots=True)
class Row:
    """One line. `key` is what Enter (and, for a `choice`, left and right) acts on; a `heading` can't be
    chosen. `note` explains the chosen line."""

    key: str
    label: str
    value: str = ""
    note: str = ""
    kind: RowKind = "action"

    @property
    def can_be_chosen(self) -> bool:
        return self.kind not in ("heading", "plain")


def nearest(rows: Sequence[Row], row: int, step: int = 1) -> int:
    """The line to choose for a wish of `row`: itself, or the next that can be, in the direction of `step`,
    else the last before it."""
    ahead = range(row, len(rows)) if step > 0 else range(min(row, len(rows) - 1), -1, -1)
    behind = range(min(row, len(rows) - 1), -1, -1) if step > 0 else range(max(0, row), len(rows))
    for index in chain(ahead, behind):
        if index >= 0 and rows[index].can_be_chosen:
            return index
    return 0


def draw_form(
    canvas: Canvas,
    area: tuple[int, int, int, int],
    rows: Sequence[Row],
    chosen: int,
    typing: str | None = None,
) -> None:
    """The lines in `area` (column, row, columns, rows), scrolled so that the chosen one is in sight, its note
    below. `typing` is the key of the line whose text is being typed."""
    x, y, width, height = area
    glyphs = canvas.glyphs
    note_rows = 2 if height > 4 else 0
    shown = max(1, height - note_rows)
    first = max(0, min(chosen - shown // 2, len(rows) - shown))
    labels = max((columns(row.label) for row in rows if row.value or row.kind == "text"), default=0)
    labels = min(labels, max(8, width // 2))
    for line, row in enumerate(rows[first : first + shown], y):
        index = first + line - y
        on = index == chosen and row.can_be_chosen
        _draw_row(canvas, (x, line, width), row, labels, on, row.key == typing)
        if row.can_be_chosen:
            canvas.target(x, line, width, f"row:{index}")
    if first > 0:
        canvas.put(x + width - 1, y, glyphs.up, "class:mark")
    if first + shown < len(rows):
        canvas.put(x + width - 1, y + shown - 1, glyphs.down, "class:mark")
    if note_rows and 0 <= chosen < len(rows):
        for line, text in enumerate(wrapped(rows[chosen].note, width - 2)[:note_rows]):
            canvas.put(x + 2, y + height - note_rows + line, text, "class:calm")


def _draw_row(
    canvas: Canvas, place: tuple[int, int, int], row: Row, labels: int, on: bool, typing: bool
) -> None:
    x, y, width = place
    glyphs = canvas.glyphs
    if row.kind in ("heading", "plain"):
        canvas.put(x, y, clip(row.label, width), "class:heading" if row.kind == "heading" else "class:calm")
        return
    style = "class:chosen" if on else ""
    canvas.put(x, y, f"{glyphs.cursor} " if on else "  ", "class:mark")
    if not row.value and row.kind == "action":
        canvas.put(x + 2, y, clip(row.label, width - 2), style)
        return
    canvas.put(x + 2, y, pad(row.label, labels), style)
    at, room = x + 2 + labels + 2, width - labels - 4
    if row.kind == "text":  # below the values that arrows stand before
        at, room = at + 2, room - 2
    if typing:
        canvas.field = Field(y, at, max(1, room))
        return
    value = clip(row.value, room - 4 if row.kind == "choice" else room)
    if row.kind == "choice" and on:
        value = f"{glyphs.left} {value} {glyphs.right}"
    elif row.kind == "choice":
        value = f"  {value}"
    elif row.kind == "text" and not row.value:
        value = glyphs.dash * min(room, 12)
    canvas.put(at, y, clip(value, room), "class:value.on" if on else "class:value")


def draw_title(canvas: Canvas, text: str, keys: str) -> None:
    """The upper and the lower edge of a page: its name, and the keys that help."""
    canvas.put(0, 0, pad(f" {text}", canvas.width), "class:bar.title")
    canvas.put(0, canvas.height - 1, clip(f" {keys}", canvas.width), "class:calm")


NOT_FIRST = "、。，．！？）」』】：；ー"
"""What no line of Japanese begins with."""


def wrapped(text: str, width: int) -> list[str]:
    """A text in lines of at most `width` columns, broken at spaces or, in a script without, anywhere."""
    lines: list[str] = []
    line, last = "", -1
    for character in text:
        line += character
        if character == " " or columns(character) == 2:
            last = len(line)
        if columns(line) > width:
            # a word of half a line or more is broken rather than left on a line of its own
            cut = last if len(line) // 2 < last < len(line) else len(line) - 1
            if cut <= 0:
                cut = max(1, len(line) - 1)
            if cut > 1 and line[cut] in NOT_FIRST:
                cut -= 1
            lines.append(line[:cut].rstrip())
            line, last = line[cut:].lstrip(), -1
    if line:
        lines.append(line)
    return lines or [""]
