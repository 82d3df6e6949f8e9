"""The end of a round and of a match: hands, points, totals, ranking, and whether the deal was honest."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

from engine.cards import parse_card
from protocol import events as e
from protocol.messages import LastRound, View
from protocol.text import clip, columns, pad

from ..knowledge import total
from ..model import Table
from ..phrases import Speaker
from ..series import standings
from .canvas import Canvas
from .contest import claim_texts, draw_claims
from .form import wrapped
from .scene import Scene
from .seats import kind, ranks


def headline(scene: Scene, last: LastRound) -> str:
    """How the round ended, in a sentence."""
    _ = scene.translate
    winners = _(", ").join(scene.name(seat) for seat in last.winners)
    losers = _(", ").join(scene.name(seat) for seat in last.losers)
    card = scene.glyphs.card(last.card) if last.card else ""
    match last.why:
        case "stalemate":
            return _("Stalemate: nobody could go on.")
        case "out":
            return _("{winners} is out of cards and wins the round.").format(winners=winners)
        case _:
            return _("Dobon on {card}: won by {winners}, lost by {losers}.").format(
                card=card, winners=winners, losers=losers
            )


def verdict(scene: Scene, table: Table) -> tuple[str, str]:
    """(style, text) of what came of checking the deal."""
    _, checked = scene.translate, table.checked
    if checked is None:
        if scene.is_replay:
            return "class:calm", _("The record has no secret that this deal could be checked with.")
        if table.log and isinstance(table.log[-1].what, e.RoundOver):
            return "class:calm", _("The deal is being checked.")
        return "class:calm", _("The end of this round was not seen from here: its deal was not checked.")
    text = Speaker(_, scene.glyphs).checked(checked)
    return ("class:good" if checked.fault is None else "class:warn"), text


def draw_results(canvas: Canvas, scene: Scene, width: int, y: int, height: int) -> None:
    """What the end of a round shows, in rows `y` to `y + height`."""
    scene = _with_the_players(scene)
    table = scene.table
    assert table is not None
    last, view, _ = table.view.last_round, table.view, scene.translate
    end = y + height
    if last is None:
        canvas.center(
            0, width, y + height // 2, _("The cards are shuffled for the first round."), "class:calm"
        )
        return
    title = _("Match over") if view.phase == "over" else _round_title(scene, view)
    canvas.center(0, width, y, clip(f"{title}  {headline(scene, last)}", width - 2), "class:title")
    row = y + 1
    row = draw_claims(canvas, 2, row, width - 4, 2, claim_texts(scene, last.claims))
    order = _order(table)
    if end - row >= len(order) + 3:
        row += 1
    row = _draw_rows(canvas, scene, row, min(end, row + len(order) + 1), width, order, last)
    style, text = verdict(scene, table)
    row += 1 if row + 2 < end else 0
    for line in wrapped(text, width - 4):
        if row < end:
            canvas.put(2, row, line, style)
            row += 1
    if view.phase == "over" and view.series and row + 1 < end:
        _draw_series(canvas, scene, row + 1, end, width)


def _with_the_players(scene: Scene) -> Scene:
    """The same where who has left since the end of the round still sits in their seat."""
    table, tables = scene.table, scene.model.tables
    assert table is not None
    known = MappingProxyType({**tables, table.id: replace(table, view=table.ended)})
    return replace(scene, model=replace(scene.model, tables=known))


def _round_title(scene: Scene, view: View) -> str:
    _, table = scene.translate, scene.table
    assert table is not None
    return _("Round {round} of {rounds}").format(round=view.round, rounds=table.rules.rounds)


def _order(table: Table) -> list[int]:
    """The seats best first once the match is over, else as they sit."""
    if table.view.phase == "over" and table.view.ranking:
        return [standing.seat for standing in table.view.ranking]
    return [seat.seat for seat in table.view.seats]


def _draw_rows(
    canvas: Canvas, scene: Scene, y: int, end: int, width: int, order: list[int], last: LastRound
) -> int:
    """A line for each seat: name, cards left and their count, points, total, rank."""
    _, table = scene.translate, scene.table
    assert table is not None
    view, rules = table.view, table.rules
    place = {each.seat: each.rank for each in view.ranking or ()} or ranks(view, rules.scoring == "penalty")
    names = 18 if width >= 70 else 12
    numbers = (_("points"), _("total"), _("rank"))
    cells = [max(6, columns(text)) for text in numbers]
    hand = width - 4 - names - 2 - sum(cells) - 2 * len(cells)
    at = 2 + names + 2 + hand
    canvas.put(2, y, pad(_("player"), names), "class:heading")
    canvas.put(2 + names + 2, y, pad(_("hand"), hand), "class:heading")
    for text, cell in zip(numbers, cells, strict=True):
        canvas.put(at, y, "  " + pad(text, cell, right=True), "class:heading")
        at += cell + 2
    for row, seat in enumerate(order, y + 1):
        if row >= end:
            return end
        mark, style = " ", "class:name"
        if seat in last.winners:
            mark, style = scene.glyphs.star, "class:good"
        elif seat in last.losers:
            mark, style = scene.glyphs.times, "class:warn"
        canvas.put(0, row, mark, style)
        who = table.seat(seat)
        level = kind(scene, who) if who else ""
        name = scene.name(seat) + (f" {scene.glyphs.dot} {level}" if level else "")
        canvas.put(2, row, pad(name, names), "class:mine" if seat == view.you else style)
        held = sorted(last.hands[seat], key=parse_card) if seat < len(last.hands) else []
        _draw_held(canvas, scene, 2 + names + 2, row, hand, held)
        points = last.points[seat] if seat < len(last.points) else 0
        total = last.totals[seat] if seat < len(last.totals) else 0
        at = 2 + names + 2 + hand
        sign = f"+{points}" if points > 0 else str(points)
        for text, cell in zip((sign, str(total), f"{place.get(seat, '')}"), cells, strict=True):
            canvas.put(at, row, "  " + pad(text, cell, right=True), "class:points")
            at += cell + 2
    return min(end, y + 1 + len(order))


def _draw_held(canvas: Canvas, scene: Scene, x: int, y: int, width: int, held: list[str]) -> None:
    _, end, at = scene.translate, x + width, x
    if not held:
        canvas.put(x, y, clip(_("no cards"), width), "class:calm")
        return
    count = f"= {total(held)}"
    for card in held:
        printed = scene.glyphs.card(card)
        if at + columns(printed) + 1 + len(count) > end:
            break
        red = card[0] != "X" and card[1] in "HD"
        at = canvas.put(at, y, printed, "class:ink.red" if red else "class:ink") + 1
    canvas.put(at, y, clip(count, max(0, end - at)), "class:count")


def _draw_series(canvas: Canvas, scene: Scene, y: int, end: int, width: int) -> None:
    _, table = scene.translate, scene.table
    assert table is not None
    lines = standings(table.view.series or (), Speaker(_, scene.glyphs))
    if lines:
        canvas.put(2, y, _("At this table so far"), "class:heading")
    for row, text in enumerate(lines, y + 1):
        if row < end:
            canvas.put(2, row, clip(text, width - 4), "class:calm")
