"""The table of a recorded match: the picture of the game, with the course of the replay below it."""

from __future__ import annotations

from typing import NamedTuple

from protocol.text import clip, columns

from ..notices import Checked
from ..phrases import Speaker, run_on
from .canvas import Canvas, Frame, fraction_bar
from .draw import draw
from .log import lines_of
from .scene import Scene, Size
from .table import COMPACT, draw_table

BAR = 12


class Course(NamedTuple):
    """Where a replay stands: moment `place`, from 0, of `places`; `speed` in percent, 0 while stopped."""

    place: int
    places: int
    speed: int
    new: int
    """How many of the log's last entries the present moment brought."""
    is_open: bool
    """Whether all hands are to be seen."""


def draw_replay(scene: Scene, size: Size, course: Course) -> Frame:
    """The picture for a terminal of `size`; pages that are opened lie over it as over the game."""
    if scene.ui.page is not None or size.width < COMPACT[0] or size.height < COMPACT[1]:
        return draw(scene, size)
    canvas = Canvas(size.width, size.height, scene.glyphs)
    draw_table(canvas, scene)
    canvas.targets.clear()
    if not course.speed:
        canvas.wake = None
    _draw_header(canvas, scene, course)
    _draw_foot(canvas, scene, course)
    return canvas.frame()


def eyes(scene: Scene, *, is_open: bool) -> str:
    """Through whose eyes the match is seen."""
    _, table = scene.translate, scene.table
    assert table is not None
    if table.you is None:
        return _("all hands open") if is_open else _("as a spectator")
    seen = _("as {name}").format(name=scene.name(table.you))
    return seen + _(", all hands open") if is_open else seen


def _draw_header(canvas: Canvas, scene: Scene, course: Course) -> None:
    _, table = scene.translate, scene.table
    assert table is not None
    parts = [_("Replay"), scene.safe(table.view.name)]
    if table.view.round is not None:
        rounds = table.rules.rounds
        parts.append(_("round {round} of {rounds}").format(round=table.view.round, rounds=rounds))
    parts.append(eyes(scene, is_open=course.is_open))
    text = " " + f" {scene.glyphs.dot} ".join(part for part in parts if part)
    text = clip(text, canvas.width)
    canvas.put(0, 0, text + " " * (canvas.width - columns(text)), "class:bar.title")


def said(scene: Scene, new: int) -> str:
    """What the present moment brought, in words; of the deal the end of the round tells above."""
    table = scene.table
    entries = [] if table is None or not new else table.log[-new:]
    speak = Speaker(scene.translate, scene.glyphs)
    told = (each for each in entries if not isinstance(each.what, Checked))
    return run_on(*(speak.sentence(each) for each in told if lines_of(scene, each, 1000)))


def _draw_foot(canvas: Canvas, scene: Scene, course: Course) -> None:
    _, glyphs, y = scene.translate, scene.glyphs, canvas.height - 2
    for row in (y, y + 1):
        canvas.put(0, row, " " * canvas.width)
    told = scene.ui.told or said(scene, course.new)
    canvas.put(1, y, clip(told, canvas.width - 2), "class:urgent" if scene.ui.told else "class:act")
    state = _("playing, {speed} %").format(speed=course.speed) if course.speed else _("stopped")
    at = canvas.put(1, y + 1, f"{state} ", "class:button.lit" if course.speed else "class:button")
    share = course.place / max(1, course.places - 1)
    at = canvas.put(at, y + 1, fraction_bar(BAR, share, glyphs), "class:bar")
    at = canvas.put(at + 1, y + 1, f"{course.place + 1}/{course.places} ", "class:count")
    canvas.put(at + 1, y + 1, _keys(scene, canvas.width - at - 2), "class:calm")


def _keys(scene: Scene, room: int) -> str:
    """What the keys do, as many as there is room for, the most wanted first."""
    _ = scene.translate
    found = [_("h: keys"), _("Space: play"), _("arrows: step"), _("c: claim"), _("o: open"), _("0 – 8: seat")]
    texts = (f" {scene.glyphs.dot} ".join(found[:many]) for many in range(len(found), 0, -1))
    return next((text for text in texts if columns(text) <= room), "")
