"""The contest for a card: every claim in order with its lag, and one's own that came too late."""

from __future__ import annotations

from collections.abc import Sequence

from protocol.fields import Claim
from protocol.text import clip, columns

from ..model import Late
from .canvas import Canvas
from .scene import Scene


def claim_texts(scene: Scene, claims: Sequence[Claim], late: Late | None) -> list[tuple[str, str]]:
    """(style, text) of each claim, in the order of arrival."""
    _, table = scene.translate, scene.table
    you = None if table is None else table.you
    found = []
    for claim in sorted(claims, key=lambda each: each.order):
        name, lag = scene.name(claim.seat), f"{claim.lag / 1000:.1f}"
        style = "class:mine" if claim.seat == you else "class:claim"
        if claim.counter:
            text = _("{name} returns {lag} ms later").format(name=name, lag=lag)
        elif claim.order == 1:
            text = _("{name} was first").format(name=name)
        else:
            text = _("{name} {lag} ms later").format(name=name, lag=lag)
        found.append((style, text))
    if late is not None:
        by = f"{late.by // 1000}.{late.by % 1000 // 100}"
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
