"""The middle of the table: the stock, the pile with its large card, the direction, a pending attack."""

from __future__ import annotations

from protocol.text import clip, columns

from ..knowledge import attack_cards
from .canvas import Canvas, fraction_bar
from .cards import BIG, draw_back, draw_card, style_of
from .clock import turn_clock, until_next
from .scene import Scene
from .seats import last_player

PILES = ((15, 11), (13, 9), (11, 7), BIG)
"""The sizes of the card on the pile, largest first."""
GAP = 2


def draw_middle(canvas: Canvas, scene: Scene, left: int, right: int, top: int, bottom: int) -> None:
    """Stock, pile and notes side by side in the middle of columns `left` to `right`, rows `top` to
    `bottom`."""
    table = scene.table
    assert table is not None
    view = table.view
    if view.top is None:
        return
    _, notes = scene.translate, notes_of(scene)
    beside = max(14, max((columns(text) for _style, text in notes), default=0))
    big, below = _size(right - left, bottom - top, beside)
    stock = (big[0] - 2, big[1])
    used = stock[0] + GAP + big[0]
    x = left + max(0, (right - left - used - (0 if below else GAP + beside)) // 2)
    y = top + max(0, (bottom - top - big[1] - 1 - (len(notes) if below else 0)) // 2)
    if view.stock:
        draw_back(canvas, x, y, stock)
    else:
        canvas.box(x, y, *stock, canvas.glyphs.box, "class:seat")
    canvas.center(x, stock[0], y + stock[1] // 2, f" {view.stock or 0} ", "class:count")
    canvas.center(x - 2, stock[0] + 4, y + stock[1], _("stock"), "class:calm")
    pile = x + stock[0] + GAP
    draw_card(canvas, pile, y, big, view.top, style_of(view.top, four_colour=scene.settings.four_colour))
    by = last_player(table)
    if by is not None:
        canvas.center(pile - 2, big[0] + 4, y + big[1], clip(scene.name(by), big[0] + 4), "class:calm")
    for row, (style, text) in enumerate(notes):
        if below:
            canvas.center(left, right - left, y + big[1] + 1 + row, text, style)
        elif row < big[1]:
            at = pile + big[0] + GAP
            canvas.put(at, y + row, clip(text, max(0, right - at)), style)


def _size(width: int, height: int, beside: int) -> tuple[tuple[int, int], bool]:
    """The largest card that leaves room for the notes beside it, or (True) below it."""
    for big in PILES:
        used = 2 * big[0] - 2 + GAP
        if big[1] + 3 <= height and used + GAP + beside <= width:
            return big, False
        if big[1] + 6 <= height and used <= width:
            return big, True
    return BIG, False


def notes_of(scene: Scene) -> list[tuple[str, str]]:
    """(style, text) of what stands beside the pile: direction, suit, attack, time."""
    _, table, glyphs = scene.translate, scene.table, scene.glyphs
    assert table is not None
    view = table.view
    found: list[tuple[str, str]] = []
    if direction := direction_text(scene):
        fresh = is_fresh(scene, "direction")
        found.append(("class:urgent" if fresh else "class:calm", direction))
    if named := named_suit(scene):
        found.append(("class:act", _("suit {suit}").format(suit=named)))
    if badge := attack_badge(scene):
        found.append(("class:attack", f" {badge} "))
    clock = turn_clock(scene)
    if clock is not None and view.phase in ("opening", "direction", "rps"):
        found.append(("class:bar", fraction_bar(8, clock.share, glyphs) + f" {clock.seconds} s"))
    return found


def wake_for_middle(canvas: Canvas, scene: Scene) -> None:
    """The picture changes with the countdown of a race, and each second with a turn's."""
    table, clock = scene.table, turn_clock(scene)
    if table is not None and clock is not None:
        race = table.view.phase in ("opening", "direction", "rps")
        canvas.wake_in(until_next(scene, clock, 8 * (len(scene.glyphs.bar) - 1) if race else 0))


def direction_text(scene: Scene) -> str:
    """The direction of play as an arrow and a word."""
    _, table, glyphs = scene.translate, scene.table, scene.glyphs
    if table is None or table.view.direction is None:
        return ""
    if table.view.direction == 1:
        return f"{glyphs.clockwise} " + _("clockwise")
    return f"{glyphs.counter} " + _("reversed")


def named_suit(scene: Scene) -> str:
    """The suit to follow, where it is not the one printed on the top card."""
    table = scene.table
    if table is None or table.view.suit is None or table.view.top is None:
        return ""
    view = table.view
    if view.top is not None and view.top[0] != "X" and view.top[1] == view.suit:
        return ""
    return scene.glyphs.suits[str(view.suit)]


def attack_badge(scene: Scene) -> str:
    """A pending attack as it counts up: `draw 2`, then `draw 6: 2×3`."""
    _, table = scene.translate, scene.table
    if table is None or table.view.attack is None:
        return ""
    count, times = table.view.attack.draw, attack_cards(table.view)
    if times == 1:
        return _("draw {count}").format(count=count)
    steps = f"{count // times}{scene.glyphs.times}{times}"
    return _("draw {count}: {steps}").format(count=count, steps=steps)


def is_fresh(scene: Scene, what: str) -> bool:
    """Whether something changed so recently that it is still highlighted."""
    if scene.settings.animation == 0:
        return False
    began = scene.ui.started.get(what)
    return began is not None and scene.now - began < highlight_ms(scene)


def highlight_ms(scene: Scene) -> int:
    """How long a highlight stays, at the player's speed of animation."""
    return 90_000 // max(1, scene.settings.animation)
