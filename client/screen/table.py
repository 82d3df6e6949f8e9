"""The table while a game is on: full from 80 columns and 24 rows, with a panel beside it where there is room,
compact from 60 columns and 16 rows."""

from __future__ import annotations

from protocol.text import clip, columns, pad

from ..knowledge import sorted_hand, total, waits
from ..phrases import Speaker, run_on
from ..rules_fields import counted
from .buttons import buttons
from .canvas import Canvas, fraction_bar
from .cards import HUGE, LABELS, LARGE, SMALL, draw_card, draw_hand, style_of
from .clock import awaits_return, turn_clock, until_next, window_clock
from .contest import claim_texts, draw_claims
from .form import wrapped
from .log import draw_log
from .middle import attack_badge, direction_text, draw_middle, named_suit, wake_for_middle
from .results import draw_results
from .scene import Scene
from .seats import draw_compact, draw_round_table, is_on, standing, status
from .sentence import sentence

FULL = (80, 24)
COMPACT = (60, 16)
PANEL_FROM = 112
"""The width from which log and chat stand beside the table."""


def draw_table(canvas: Canvas, scene: Scene) -> None:
    """The whole screen for a table that plays, or has just played."""
    if canvas.width >= FULL[0] and canvas.height >= FULL[1]:
        _draw_full(canvas, scene)
    else:
        _draw_compact(canvas, scene)


def _is_playing(scene: Scene) -> bool:
    table = scene.table
    return table is not None and table.view.top is not None


def _draw_full(canvas: Canvas, scene: Scene) -> None:
    panel = min(56, canvas.width - 80) if canvas.width >= PANEL_FROM else 0
    width, height = canvas.width - panel - (1 if panel else 0), canvas.height
    table = scene.table
    assert table is not None
    plays = _is_playing(scene)
    size = HUGE if height >= 46 else LARGE if height >= 30 else SMALL
    holds = table.you is not None and plays
    bottom = height - 3 - (size[1] + 3 if holds else 0)
    log = 0 if panel else min(8 if plays else 4, max(3, bottom - 10 - (height - 24) // 2))
    _draw_header(canvas, scene)
    if plays:
        row = _draw_game(canvas, scene, width, 1, bottom - log, bottom)
    else:
        draw_results(canvas, scene, width, 1, bottom - log - 1)
        row = bottom - log
    if panel:
        for y in range(1, height - 2):
            canvas.put(width, y, canvas.glyphs.box[3], "class:seat")
        draw_log(canvas, scene, (width + 2, 1, panel - 1, height - 3))
    else:
        draw_log(canvas, scene, (1, row, width - 2, bottom - row))
    if holds:
        _draw_own(canvas, scene, width, bottom, size)
    _draw_foot(canvas, scene, width)


def _draw_game(canvas: Canvas, scene: Scene, width: int, y: int, end: int, bottom: int) -> int:
    """Everybody and the pile in rows `y` to `end`, then a contest, at most to row `bottom`; returns the row
    below it."""
    table = scene.table
    assert table is not None
    claims = claim_texts(scene, table.view.claims or ())
    if claims and end == bottom:  # no log below from which it could take its rows
        end -= 2
    gap = 1 if end - y >= 16 else 0
    left, right, top = draw_round_table(canvas, scene, width, y + gap, end - y - gap)
    draw_middle(canvas, scene, left, right, top, end)
    wake_for_middle(canvas, scene)
    return draw_claims(canvas, 1, end, width - 2, 2, claims)


def _draw_header(canvas: Canvas, scene: Scene) -> None:
    """The uppermost row: what is played, which round, the connection."""
    _, table, glyphs = scene.translate, scene.table, scene.glyphs
    assert table is not None
    view = table.view
    parts = [scene.safe(view.name)]
    if view.round is not None:
        parts.append(_("round {round} of {rounds}").format(round=view.round, rounds=table.rules.rounds))
    if view.paused:
        parts.append(_("paused"))
    if view.you is None:
        parts.append(_("watching"))
    right = []
    if view.spectators:
        right.append(_("{count} watching").format(count=len(view.spectators)))
    if scene.model.link != "online":
        right.append(_("no connection"))
    elif scene.ping is not None:
        right.append(_("ping {ms} ms").format(ms=scene.ping))
    text = " " + f" {glyphs.dot} ".join(parts)
    tail = f" {glyphs.dot} ".join(right) + " "
    room = canvas.width - columns(tail) - 1
    style = "class:bar.title" if scene.model.link == "online" else "class:bar.away"
    canvas.put(0, 0, pad(text, room) + " " + tail, style)


def _draw_own(canvas: Canvas, scene: Scene, width: int, y: int, size: tuple[int, int]) -> None:
    """The viewer's own place: an edge with name and points, the hand, and what it counts."""
    table = scene.table
    assert table is not None
    _own_edge(canvas, scene, width, y)
    hand = sorted_hand(table.view, scene.settings.sort)
    draw_hand(
        canvas,
        (1, y + 1, width - 2),
        hand,
        size=size,
        playable=frozenset(table.view.playable or ()),
        chosen=scene.ui.card if not scene.ui.on_buttons else None,
        four_colour=scene.settings.four_colour,
    )
    _draw_count(canvas, scene, 1, y + size[1] + 3, width - 2)


def _own_edge(canvas: Canvas, scene: Scene, width: int, y: int) -> None:
    _, table, glyphs = scene.translate, scene.table, scene.glyphs
    assert table is not None
    view = table.view
    me = None if view.you is None else table.seat(view.you)
    if me is None:
        return
    on = is_on(view, me.seat)
    canvas.put(0, y, glyphs.dash * width, "class:seat")
    mark = glyphs.turn if on else " "
    text = f"{mark}{clip(scene.name(me.seat), 24)} {glyphs.dot} {standing(scene, me)} "
    end = canvas.put(2, y, text, "class:name.on" if on else "class:name")
    tone, word = status(scene, me)
    if word and tone != "class:calm":
        canvas.put(end + 1, y, f" {word} ", tone)
    clock = turn_clock(scene)
    if clock is not None and view.phase in ("turn", "opening", "direction", "rps"):
        hurry = clock.seconds <= 5 and view.may is not None
        canvas.right(width - 2, y, f" {clock.seconds} s ", "class:urgent" if hurry else "class:calm")


def count_text(scene: Scene) -> str:
    """What the own hand counts, and which cards on the pile would make it a Dobon."""
    _, table = scene.translate, scene.table
    assert table is not None
    view = table.view
    hand = view.hand or []
    text = _("Hand: {cards}, count {count}.").format(cards=counted(len(hand), _), count=total(hand))
    if values := waits(table.rules, hand, counter=view.you == view.discard_by):
        return run_on(text, _("Dobon on {ranks}.").format(ranks=Speaker(_, scene.glyphs).ranks(values)))
    if hand and len(hand) < table.rules.dobon_min:
        return run_on(text, _("Dobon takes {least} cards.").format(least=table.rules.dobon_min))
    return run_on(text, _("No card makes it a Dobon."))


def _draw_count(canvas: Canvas, scene: Scene, x: int, y: int, width: int) -> None:
    _ = scene.translate
    canvas.put(x, y, clip(count_text(scene), width), "class:count")
    if scene.ui.call:
        note = _("last card will be called")
        canvas.right(x + width, y, note, "class:urgent")


def _draw_foot(canvas: Canvas, scene: Scene, width: int) -> None:
    """The two lowest rows: the sentence, and the keys, Dobon always first."""
    style, text = sentence(scene)
    room = canvas.width - 2
    first, *more = wrapped(text, room)
    if more:  # what can be done must be read to its end: it takes the row above, too
        canvas.put(1, canvas.height - 3, pad(first, room), style)
        first = " ".join(more)
    canvas.put(1, canvas.height - 2, clip(first, room), style)
    _draw_buttons(canvas, scene, width, canvas.height - 1)
    if scene.model.link == "away" and scene.model.retry_at is not None:
        canvas.wake_in(1000)


def _draw_buttons(canvas: Canvas, scene: Scene, width: int, y: int) -> None:
    """What can be done now is in brackets; the rest keeps its place."""
    glyphs = scene.glyphs
    dobon, *others = buttons(scene)
    on = scene.ui.on_buttons and scene.ui.button == dobon.name
    left, right = (glyphs.star, glyphs.star) if dobon.lit else ("[", "]") if dobon.enabled else (" ", " ")
    style = "class:dobon.lit" if dobon.lit else "class:dobon" if dobon.enabled else "class:dobon.off"
    label = f"{left} {dobon.label} {dobon.key} {right}"
    end = canvas.put(0, y, f"{glyphs.cursor}" if on else " ", "class:mark")
    canvas.target(end, y, columns(label), "button:dobon")
    end = canvas.put(end, y, label, style)
    texts = {button.name: f"{button.key} {button.label}" for button in others}
    room = width - end - 9 - sum(columns(text) + 2 for text in texts.values())
    if room < 4 and "play" in texts:  # what Enter does is known
        room += columns(texts.pop("play")) + 2
    if room < 4 and "menu" in texts:
        room += columns(texts["menu"]) - 1
        texts["menu"] = "m"
    bar = max(4, min(16, room))
    _draw_window(canvas, scene, end + 1, y, bar)
    at = end + bar + 8
    for button in others:
        text = texts.get(button.name, "")
        if not text or at + columns(text) + 2 > width:
            continue
        on = scene.ui.on_buttons and scene.ui.button == button.name
        style = "class:button.lit" if button.lit else "class:button" if button.enabled else "class:off"
        edges = "[]" if button.enabled else "  "
        if on:
            style, edges = "class:chosen", f"{glyphs.cursor} "
        canvas.target(at, y, columns(text) + 2, f"button:{button.name}")
        at = canvas.put(at, y, f"{edges[0]}{text}{edges[1]}", style)


def _draw_window(canvas: Canvas, scene: Scene, x: int, y: int, width: int) -> None:
    """How long a card can be claimed for certain, as a bar."""
    _, table, clock = scene.translate, scene.table, window_clock(scene)
    if table is None or table.view.claim_on is None:
        return
    if clock is None or clock.left <= 0:
        if table.view.claim == "open" and not awaits_return(scene):
            canvas.put(x, y, clip(_("still open"), width + 6), "class:calm")
        return
    left = clock.left
    if scene.settings.animation == 0:
        left = clock.seconds * 1000
    canvas.put(x, y, fraction_bar(width, left / clock.total, scene.glyphs), "class:bar")
    canvas.put(x + width + 1, y, f"{clock.left // 1000}.{clock.left % 1000 // 100} s", "class:calm")
    canvas.wake_in(until_next(scene, clock, width * (len(scene.glyphs.bar) - 1)))


def _draw_compact(canvas: Canvas, scene: Scene) -> None:
    """Sixteen rows are enough for everything but the pictures."""
    table = scene.table
    assert table is not None
    width, height = canvas.width, canvas.height
    _draw_header(canvas, scene)
    if not _is_playing(scene):
        draw_results(canvas, scene, width, 1, height - 4)
        draw_log(canvas, scene, (1, height - 3, width - 2, 1))
        _draw_foot(canvas, scene, width)
        return
    row = draw_compact(canvas, scene, 1)
    holds = table.you is not None
    bottom = height - (8 if holds else 3)
    room = bottom - row - 1
    claims = claim_texts(scene, table.view.claims or ())
    _draw_small_middle(canvas, scene, row, min(4, max(1, room)))
    row += min(4, max(1, room))
    if claims:
        row = draw_claims(canvas, 1, row, width - 2, 1, claims)
    draw_log(canvas, scene, (1, row, width - 2, max(1, bottom - row)))
    if holds:
        _own_edge(canvas, scene, width, bottom)
        _draw_small_hand(canvas, scene, bottom + 1)
        _draw_count(canvas, scene, 1, height - 3, width - 2)
    wake_for_middle(canvas, scene)
    _draw_foot(canvas, scene, width)


def _draw_small_middle(canvas: Canvas, scene: Scene, y: int, rows: int) -> None:
    _, table = scene.translate, scene.table
    assert table is not None
    view = table.view
    if view.top is None:
        return
    style = style_of(view.top, four_colour=scene.settings.four_colour)
    if rows >= 3:
        draw_card(canvas, 2, y, (6, 3), view.top, style)
        at = 10
    else:
        at = canvas.put(2, y, f" {scene.glyphs.card(view.top)} ", style) + 2
    texts = [("class:calm", direction_text(scene))]
    if named := named_suit(scene):
        texts.append(("class:act", _("suit {suit}").format(suit=named)))
    if badge := attack_badge(scene):
        texts.append(("class:attack", f" {badge} "))
    texts.append(("class:calm", _("stock {count}").format(count=view.stock)))
    row = y + (1 if rows >= 3 else 0)
    for style, text in texts:
        if text:
            at = canvas.put(at, row, text, style) + 2


def _draw_small_hand(canvas: Canvas, scene: Scene, y: int) -> None:
    """The hand in three rows: marks above the cards that fit, the cards, the keys that choose them."""
    table, glyphs = scene.table, scene.glyphs
    assert table is not None
    hand = sorted_hand(table.view, scene.settings.sort)
    playable = table.view.playable or ()
    place = hand.index(scene.ui.card) if scene.ui.card in hand else 0
    room = max(1, (canvas.width - 4) // 5)
    first = max(0, min(place - room // 2, len(hand) - room))
    shown = hand[first : first + room]
    x = max(1, (canvas.width - 5 * len(shown)) // 2)
    for index, card in enumerate(shown, first):
        fits, on = card in playable, card == scene.ui.card and not scene.ui.on_buttons
        text = glyphs.card(card)
        style = style_of(card, playable=fits, four_colour=scene.settings.four_colour)
        if fits:
            canvas.put(x + 1, y, glyphs.raised * 2, "class:mark")
        canvas.put(x, y + 1, f"[{text:^3}]" if on else f" {text:^3} ", style)
        if index < len(LABELS):
            canvas.put(x + 2, y + 2, LABELS[index], "class:chosen" if on else "class:key")
        canvas.target(x, y + 1, 5, f"card:{card}")
        x += 5
    if first > 0:
        canvas.put(0, y + 1, glyphs.left, "class:mark")
    if first + room < len(hand):
        canvas.put(canvas.width - 1, y + 1, glyphs.right, "class:mark")
