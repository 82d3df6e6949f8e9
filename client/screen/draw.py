"""`draw(scene, size) -> Frame`: what the terminal shows at one moment, and nothing else."""

from __future__ import annotations

from engine.rules import PRESETS
from protocol.text import clip, columns

from ..knowledge import can_dobon
from ..rules_fields import SETTINGS, decided
from ..rules_text import Section, sections
from .canvas import Canvas, Frame
from .form import draw_form, draw_title, nearest, wrapped
from .log import draw_log, latest
from .pages import rows_of
from .scene import Opened, Scene, Size
from .sentence import connection, sentence
from .statistics import statistics_lines
from .table import COMPACT, draw_table


def draw(scene: Scene, size: Size) -> Frame:
    """The picture for a terminal of `size`, exactly as many lines as it has rows."""
    canvas = Canvas(max(0, size.width), max(0, size.height), scene.glyphs)
    if size.width < COMPACT[0] or size.height < COMPACT[1]:
        _draw_small(canvas, scene)
        return canvas.frame()
    page = scene.ui.page
    match page:
        case None:
            _draw_root(canvas, scene)
        case Opened("suit" | "throw"):
            _draw_root(canvas, scene)
            _draw_chooser(canvas, scene, page)
        case Opened("help" | "rules" | "log" | "statistics"):
            _draw_text(canvas, scene, page)
        case _:
            _draw_list(canvas, scene, page.row)
    return canvas.frame()


def _draw_root(canvas: Canvas, scene: Scene) -> None:
    table = scene.table
    if scene.connected and table is not None and table.view.phase != "open":
        draw_table(canvas, scene)
    else:
        _draw_list(canvas, scene, scene.ui.row)


def _draw_list(canvas: Canvas, scene: Scene, row: int) -> None:
    _, rows = scene.translate, rows_of(scene)
    chosen = nearest(rows, row)
    draw_title(canvas, _title(scene), _keys(scene))
    table = scene.table
    inside = min(canvas.width - 4, 100)
    x = (canvas.width - inside) // 2
    log = (4 if canvas.height >= 20 else 2) if table is not None and scene.ui.page is None else 0
    height = canvas.height - 4 - log
    typing = scene.ui.typing
    draw_form(canvas, (x, 2, inside, height), rows, chosen, typing.key if typing else None)
    if log:
        draw_log(canvas, scene, (x, canvas.height - 2 - log, inside, log))
    style, text = _state(scene)
    canvas.put(x, canvas.height - 2, clip(text, inside), style)


def _keys(scene: Scene) -> str:
    """The keys of a page that is a list; only one that was opened can be closed."""
    _ = scene.translate
    said = _("arrows: choose · Enter: do it · left, right: change")
    if scene.ui.page is not None:
        return _("{keys} · Esc: back").format(keys=said)
    if scene.connected and scene.table is not None:
        return _("{keys} · Esc: menu").format(keys=said)
    return said


def _state(scene: Scene) -> tuple[str, str]:
    """The line above the keys: what is the matter."""
    _ = scene.translate
    if scene.ui.asks_to_leave:
        return "class:urgent", _("Press Ctrl-C again to leave the game, any other key to stay.")
    if scene.ui.told:
        return "class:urgent", scene.ui.told
    if scene.connected and scene.model.link != "online":
        return "class:urgent", connection(scene)
    if scene.table is not None:
        return sentence(scene)
    return "", ""


def _title(scene: Scene) -> str:
    _, page = scene.translate, scene.ui.page
    if page is not None:
        return {
            "menu": _("Menu"),
            "settings": _("Settings"),
            "people": _("People"),
            "create": _("A new table"),
            "leave": _("Leave?"),
            "help": _("Keys"),
            "rules": _("Rules"),
            "log": _("What happened"),
            "statistics": _("Results"),
        }.get(page.page, "")
    if not scene.connected:
        return _("Dobon")
    if scene.table is not None:
        return scene.safe(scene.table.view.name)
    return _("Lobby")


def text_lines(scene: Scene, page: Opened, width: int) -> list[tuple[str, str]]:
    """All (style, text) lines of a page of text."""
    _ = scene.translate
    match page.page:
        case "help":
            room = max((columns(key) for key, _text in scene.keys), default=0)
            return [
                (style, line) for key, text in scene.keys for style, line in _entry(key, text, room, width)
            ]
        case "rules":
            return _rules(scene, width)
        case "statistics":
            if scene.ui.statistics is None:
                return [("class:calm", _("Reading what was played here …"))]
            return statistics_lines(scene.ui.statistics, _, width)
        case _:
            return latest(scene, width, 10_000)


def _entry(key: str, text: str, room: int, width: int) -> list[tuple[str, str]]:
    lines = wrapped(text, width - room - 3)
    head = " " + key + " " * (room - columns(key)) + "  "
    return [("", (head if index == 0 else " " * (room + 3)) + line) for index, line in enumerate(lines)]


def _rules(scene: Scene, width: int) -> list[tuple[str, str]]:
    """The rules of the table and its settings; without a table those of the preset `dobon`."""
    _, table = scene.translate, scene.table
    rules = PRESETS["dobon"] if table is None else table.rules
    parts = list(sections(rules, _, None if table is None else len(table.view.seats)))
    if table is not None:
        settings = ((field, table.view.settings.get(field)) for field in SETTINGS)
        told = tuple(decided(field, value, _) for field, value in settings if isinstance(value, int))
        parts.append(Section(_("Times and bots"), told))
    found: list[tuple[str, str]] = []
    for title, sentences in parts:
        found.append(("class:heading", title))
        for each in sentences:
            first, *rest = wrapped(each, width - 4)
            found.append(("", f"  {scene.glyphs.dot} {first}"))
            found += [("", f"    {line}") for line in rest]
        found.append(("", ""))
    return found


def _draw_text(canvas: Canvas, scene: Scene, page: Opened) -> None:
    _ = scene.translate
    draw_title(canvas, _title(scene), _("up, down, page up, page down: scroll · Esc: back"))
    inside = min(canvas.width - 4, 100)
    x, rows = (canvas.width - inside) // 2, canvas.height - 4
    lines = text_lines(scene, page, inside)
    top = first_line(len(lines), rows, page)
    for row, (style, text) in enumerate(lines[top : top + rows], 2):
        canvas.put(x, row, text, style)
    if top > 0:
        canvas.put(canvas.width - 2, 2, scene.glyphs.up, "class:mark")
    if top + rows < len(lines):
        canvas.put(canvas.width - 2, rows + 1, scene.glyphs.down, "class:mark")
    style, text = _state(scene)
    canvas.put(x, canvas.height - 2, clip(text, inside), style)


def first_line(lines: int, rows: int, page: Opened) -> int:
    """The line at the top of a page of text; a log begins at its end and `top` counts from there."""
    most = max(0, lines - rows)
    return max(0, most - page.top) if page.page == "log" else min(page.top, most)


def _draw_chooser(canvas: Canvas, scene: Scene, page: Opened) -> None:
    """Four suits, or three throws, in a box over the table."""
    _, glyphs = scene.translate, scene.glyphs
    if page.page == "suit":
        title = _("Which suit for the {card}?").format(card=glyphs.card(page.about))
        choices = [f"{glyphs.suits[suit]} {suit.lower()}" for suit in "SHDC"]
    else:
        title = _("Rock, paper or scissors?")
        choices = [f"1 {_('rock')}", f"2 {_('paper')}", f"3 {_('scissors')}"]
    inside = max(columns(title), sum(columns(each) + 4 for each in choices)) + 2
    width = min(canvas.width, inside + 2)
    x, y = (canvas.width - width) // 2, max(1, canvas.height // 2 - 3)
    canvas.box(x, y, width, 5, glyphs.bold_box, "class:act")
    canvas.center(x + 1, width - 2, y + 1, title, "class:title")
    at = x + 2
    for index, text in enumerate(choices):
        shown = f"[{text}]" if index == page.row else f" {text} "
        canvas.target(at, y + 3, columns(shown), f"choose:{index}")
        at = canvas.put(at, y + 3, shown, "class:chosen" if index == page.row else "") + 2


def _draw_small(canvas: Canvas, scene: Scene) -> None:
    """Too small for the table: what size is wanted, and what can be done, for the keys still work."""
    _ = scene.translate
    text = _("Dobon needs {width}×{height}; this window is {now}.").format(
        width=COMPACT[0], height=COMPACT[1], now=f"{canvas.width}×{canvas.height}"
    )
    lines = [("class:urgent", line) for line in wrapped(text, max(1, canvas.width))]
    if scene.connected and scene.table is not None:
        style, said = sentence(scene)
        lines += [(style, line) for line in wrapped(said, max(1, canvas.width))]
        view = scene.table.view
        if view.top is not None:
            hand = " ".join(map(scene.glyphs.card, view.hand or ()))
            lines.append(("", f"{scene.glyphs.card(view.top)} <- {hand}"))
        if can_dobon(view):
            lines.insert(0, ("class:dobon.lit", _("DOBON")))
    for row, (style, line) in enumerate(lines[: canvas.height]):
        canvas.put(0, row, clip(line, canvas.width), style)
