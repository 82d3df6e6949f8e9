"""The contest for a card, on the screen."""

from __future__ import annotations

from collections.abc import Sequence

from protocol.fields import Claim
from protocol.text import clip, columns

from ..phrases import Speaker
from .canvas import Canvas
from .scene import Scene


def claim_texts(scene: Scene, claims: Sequence[Claim]) -> list[tuple[str, str]]:
    """(style, text) of each claim in the order of arrival, and of one's own that came too late."""
    _, table = scene.translate, scene.table
    assert table is not None
    speak = Speaker(_, scene.glyphs)
    found = [
        ("class:mine" if claim.seat == table.you else "class:claim", speak.placed(claim, table.view))
        for claim in sorted(claims, key=lambda each: each.order)
    ]
    if table.late is not None:
        by = f"{table.late // 1000}.{table.late % 1000 // 100}"
        found.append(("class:warn", _("you: {by} ms too late").format(by=by)))
    return found


def draw_claims(canvas: Canvas, x: int, y: int, width: int, rows: int, pieces: list[tuple[str, str]]) -> int:
    """The claims one after another over at most `rows` lines; returns the row below."""
    at, end = x, x + width
    row = y
    for style, text in pieces:
        text = clip(text, width)
        lead = f" {canvas.glyphs.dot} " if at > x else ""
        if at + columns(lead) + columns(text) > end:
            row, at, lead = row + 1, x, ""
        if row >= y + rows:
            return row
        at = canvas.put(at, row, lead, "class:calm")
        at = canvas.put(at, row, text, style)
    return row + 1 if pieces else y
