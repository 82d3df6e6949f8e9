"""Everybody else round the table, and who they are to each other."""

from __future__ import annotations

from engine.cards import parse_card
from protocol import events as e
from protocol.messages import View
from protocol.replies import ViewSeat
from protocol.text import clip, columns

from ..model import Table
from ..rules_fields import LEVELS
from .canvas import Canvas
from .cards import backs
from .scene import Scene

HEIGHT = 3
PLACES = {
    1: (0, 1, 0),
    2: (1, 0, 1),
    3: (1, 1, 1),
    4: (1, 2, 1),
    5: (1, 3, 1),
    6: (2, 2, 2),
    7: (2, 3, 2),
    8: (2, 4, 2),
}
"""How many boxes stand on the left, at the top and on the right, by their number."""


def round_the_table(view: View) -> list[ViewSeat]:
    """The others clockwise from the viewer's left; for a spectator everybody from seat 0 on."""
    seats = list(view.seats)
    if view.you is None:
        return seats
    return [*seats[view.you + 1 :], *seats[: view.you]]


def ranks(view: View, fewer_is_better: bool) -> dict[int, int]:
    """The rank of each seat by its total so far, from 1, equal totals sharing one."""
    totals = [(seat.total or 0) if fewer_is_better else -(seat.total or 0) for seat in view.seats]
    return {
        seat.seat: 1 + sum(other < total for other in totals)
        for seat, total in zip(view.seats, totals, strict=True)
    }


def last_player(table: Table) -> int | None:
    """Who played the last card of this round, as far as this client saw it."""
    if table.view.discard_by is not None:
        return table.view.discard_by
    for entry in reversed(table.log):
        if isinstance(entry.what, e.Played):
            return entry.what.seat
        if isinstance(entry.what, e.RoundBegun):
            return None
    return None


def standing(scene: Scene, seat: ViewSeat) -> str:
    """Total and rank: `12 pts #2`."""
    _, table = scene.translate, scene.table
    assert table is not None
    rank = ranks(table.view, table.rules.scoring == "penalty")[seat.seat]
    return _("{total} pts").format(total=seat.total or 0) + " " + _("#{rank}").format(rank=rank)


def kind(scene: Scene, seat: ViewSeat) -> str:
    """What somebody is, where it is not plainly a person: a bot's level."""
    _ = scene.translate
    if seat.kind != "bot":
        return ""
    return _(LEVELS[seat.level]) if seat.level else _("bot")


def status(scene: Scene, seat: ViewSeat) -> tuple[str, str]:
    """(style, text) of the most pressing thing to know of a seat; empty if there is none."""
    _, table = scene.translate, scene.table
    assert table is not None
    view = table.view
    match seat.status:
        case "away":
            return "class:warn", _("away")
        case "autopilot":
            return "class:warn", _("autopilot")
        case "left":
            return "class:warn", _("left")
        case _:
            pass
    claims = [claim for claim in view.claims or () if claim.seat == seat.seat]
    if claims:
        return "class:urgent", _("Dobon return!") if claims[-1].counter else _("Dobon!")
    if view.phase == "between" and seat.kind == "human":
        return ("class:good", _("ready")) if seat.ready else ("", "")
    if seat.count == 1:
        return "class:warn", _("one card!")
    if view.top and last_player(table) == seat.seat:
        return "class:calm", _("played {card}").format(card=scene.glyphs.card(view.top))
    return "", ""


def is_on(view: View, seat: int) -> bool:
    """Whether it is this seat's turn, or it is a candidate in a race."""
    return seat == view.turn_seat or seat in (view.candidates or ())


def draw_seat(canvas: Canvas, place: tuple[int, int, int, int], scene: Scene, seat: ViewSeat) -> None:
    """A box at `place` (column, row, columns, rows), three rows high or four: the name in its upper border,
    cards and points inside, in the lower border what is the matter."""
    glyphs, table = scene.glyphs, scene.table
    assert table is not None
    x, y, width, height = place
    canvas.box(x, y, width, height, glyphs.box, "class:seat")
    level = kind(scene, seat)
    tail = f" {glyphs.dot} {level}" if level else ""
    on = is_on(table.view, seat.seat)
    room = width - 4
    if room - columns(tail) < 4:
        tail = ""
    name = clip(scene.name(seat.seat), room - columns(tail)) + tail
    # only the name changes with the turn, and keeps its place: more would be a long way over a slow line
    canvas.put(x + 1, y, f"{glyphs.turn if on else ' '}{name} ", "class:name.on" if on else "class:name")
    points = standing(scene, seat)
    if scene.hands and seat.count is not None:
        put_hand(canvas, x + 2, y + 1, scene, seat.seat, width - 4)
    elif seat.count is not None:
        beside = columns(points) + 1 if height == 3 else 0
        room = max(0, width - 5 - beside - len(str(seat.count)))
        held, count = backs(glyphs, seat.count, min(room, 14))
        end = canvas.put(x + 2, y + 1, held, "class:back")
        canvas.put(end, y + 1, count, "class:count")
    if height > 3 or not scene.hands:  # an open hand takes the only row
        canvas.right(x + width - 2, y + height - 2, points, "class:points")
    style, text = status(scene, seat)
    if text:
        text = clip(text, width - 6)
        canvas.put(x + width - 4 - columns(text), y + height - 1, f" {text} ", style)


def open_hand(scene: Scene, seat: int, room: int) -> str:
    """A hand seen from the front, as far as there is room."""
    held = sorted(scene.hands[seat], key=parse_card) if seat < len(scene.hands) else []
    cards = [scene.glyphs.card(card) for card in held]
    text = " ".join(cards)
    return text if columns(text) <= room else clip("".join(cards), room)


def put_hand(canvas: Canvas, x: int, y: int, scene: Scene, seat: int, room: int) -> int:
    """The same in the colours of the suits; returns the column behind it."""
    for character in open_hand(scene, seat, room):
        red = character in scene.glyphs.suits["H"] + scene.glyphs.suits["D"]
        x = canvas.put(x, y, character, "class:ink.red" if red else "class:ink")
    return x


def draw_round_table(canvas: Canvas, scene: Scene, width: int, y: int, height: int) -> tuple[int, int, int]:
    """The others' boxes in rows `y` to `y + height`; returns (left, right, top row) of the middle that stays
    free for the pile."""
    table = scene.table
    assert table is not None
    others = round_the_table(table.view)
    left, top, right = PLACES.get(len(others), (0, 0, 0))
    rows = HEIGHT if height < 16 else HEIGHT + 1
    across = max(1, top + (2 if top < 3 else 0))
    box = min(30, (width - 2) // max(3, across) - 1, max(22, (width - 36) // 2))
    first = y + (rows if top >= 3 else 1)
    room = y + height - first
    for place, seat in enumerate(others):
        if left <= place < left + top:
            share = width if top >= 3 else width - 2 * (box + 1)
            start = 0 if top >= 3 else box + 1
            cell = share // top
            x, at = start + cell * (place - left) + (cell - box) // 2, y
        else:
            stack, step = (left, left - 1 - place) if place < left else (right, place - left - top)
            gap = max(0, min(2, (room - stack * rows) // 3))
            over = max(0, (room - stack * (rows + gap)) // 3) if height >= 16 else 0
            x, at = (0 if place < left else width - box), first + over + step * (rows + gap)
        draw_seat(canvas, (max(0, x), at, box, rows), scene, seat)
    inside = box + 1 if left else 0
    return inside, width - inside, y + (rows if top else 0)


def draw_compact(canvas: Canvas, scene: Scene, y: int) -> int:
    """The others in two columns of single lines; returns the row below."""
    table = scene.table
    assert table is not None
    others = round_the_table(table.view)
    half = canvas.width // 2
    for place, seat in enumerate(others):
        column, row = place % 2, y + place // 2
        on = is_on(table.view, seat.seat)
        x = column * half
        mark = scene.glyphs.turn if on else " "
        style, text = status(scene, seat)
        if scene.hands and seat.count is not None:
            style, text = "class:name", open_hand(scene, seat.seat, half)
        count = "" if seat.count is None else str(seat.count)
        points = standing(scene, seat)
        room = max(3, half - 5 - len(count) - columns(points) - (columns(text) + 1 if text else 0))
        end = canvas.put(x, row, mark, "class:name.on")
        end = canvas.put(end, row, clip(scene.name(seat.seat), room), "class:name.on" if on else "class:name")
        end = canvas.put(end + 1, row, scene.glyphs.back if count else "", "class:back")
        end = canvas.put(end, row, count, "class:count")
        end = canvas.put(end + 1, row, points, "class:points")
        canvas.put(end + 1, row, clip(text, max(0, x + half - end - 2)), style)
    return y + (len(others) + 1) // 2
