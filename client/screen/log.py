"""What happened, newest last, with what people say; and the field in which to say something."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from protocol import events as e
from protocol.text import ANNOUNCER, columns, name_key

from ..model import Entry
from ..phrases import Speaker
from .canvas import Canvas, Field
from .form import wrapped
from .scene import Scene

STEP: Final = 6
"""Events after which a page begins at the soonest, where it has so many rows."""


def lines_of(scene: Scene, entry: Entry, width: int) -> list[tuple[str, str]]:
    """An entry in (style, text) lines; none if there is nothing to say of it, or its speaker is muted."""
    match entry.what:
        case e.Chatted(name=name, text=text) if name != ANNOUNCER:
            if name_key(name) in map(name_key, scene.settings.muted):
                return []
            said = f"{scene.safe(name)}: {scene.safe(text)}"
            return [("class:chat", line) for line in wrapped(said, width)]
        case e.TurnBegun() | e.SeatReady() | e.Opening():
            return []  # the screen shows these while they last
        case _:
            text = Speaker(scene.translate, scene.glyphs).sentence(entry)
            you = entry.view.you
            mine = you is not None and getattr(entry.what, "seat", None) == you
            style = "class:mine" if mine else "class:log"
            return [(style, line) for line in wrapped(text, width)] if text else []


def latest(scene: Scene, width: int, rows: int, skip: int = 0) -> list[tuple[str, str]]:
    """The last `rows` lines of the log, or those `skip` lines before them."""
    found: list[tuple[str, str]] = []
    for line in _backwards(scene, width):
        found.append(line)
        if len(found) == rows + skip:
            break
    return found[skip:][::-1]


def _backwards(scene: Scene, width: int) -> Iterator[tuple[str, str]]:
    table = scene.table
    for entry in reversed(table.log if table is not None else ()):
        yield from reversed(lines_of(scene, entry, width))


def draw_log(canvas: Canvas, scene: Scene, area: tuple[int, int, int, int]) -> None:
    """The newest lines in `area` (column, row, columns, rows), the lowest row given to the chat's field while
    something is typed."""
    x, y, width, rows = area
    typing = scene.ui.typing
    if typing is not None and typing.key == "chat" and rows > 0:
        _, rows = scene.translate, rows - 1
        label = _("Say:") + " "
        canvas.put(x, y + rows, label, "class:heading")
        at = x + columns(label)
        canvas.field = Field(y + rows, at, max(1, width - columns(label)))
    if rows <= 0 or width <= 0:
        return
    for row, (style, text) in enumerate(page(scene, width, rows), y):
        canvas.put(x, row, text, style)


def page(scene: Scene, width: int, rows: int) -> list[tuple[str, str]]:
    """The newest lines as on a page that is filled from the top and, when it is full, moved up by some events
    at once: a line that is moved is a line to send anew. What was said before the newest line stays."""
    table = scene.table
    step = max(min(rows, STEP), rows // 3)
    found: list[tuple[str, str]] = []
    fits: list[tuple[str, str]] = []
    may_begin = False
    for entry in reversed(table.log if table is not None else ()):
        lines = lines_of(scene, entry, width)
        if len(lines) + len(found) > rows:
            return fits or found or lines[:rows]
        found[:0] = lines
        if lines and may_begin:
            fits, may_begin = found[:], False
        may_begin |= entry.seq % step == 0
    return found
