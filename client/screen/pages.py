"""The lines of the pages around the table: start screen, lobby, a new table, settings, menu, people."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from protocol.fields import TableInfo

from ..i18n import Translate
from .form import Row
from .scene import Scene
from .seats import kind, status
from .setup import setup_rows


def rows_of(scene: Scene) -> tuple[Row, ...]:
    """The lines of the page that is uppermost; none where it is no list."""
    _ = scene.translate
    if (page := scene.ui.page) is not None:
        build = _OPENED.get(page.page)
        return build(scene) if build else ()
    if not scene.connected:
        return start_rows(scene)
    if scene.table is None:
        return lobby_rows(scene)
    if scene.table.closed is not None:
        return (Row("leave:table", _("Back to the lobby")),)
    return setup_rows(scene) if scene.table.view.phase == "open" else ()


def start_rows(scene: Scene) -> tuple[Row, ...]:
    """What `dobon` with nothing else shows."""
    _, ui = scene.translate, scene.ui
    rows = [
        Row("alone", _("Play alone"), note=_("A table of your own with three bots; nothing to set up.")),
        Row("", _("On this network"), kind="heading"),
    ]
    for index, server in enumerate(ui.servers):
        players = "?" if server.players is None else str(server.players)
        value = _("{code} · {address} · players: {players}").format(
            code=server.code or "-", address=server.address, players=players
        )
        rows.append(Row(f"server:{index}", scene.safe(server.name), value, _("Enter: join this server.")))
    if not ui.servers:
        rows.append(Row("", _("Looking for servers …") if ui.searching else _("None found."), kind="plain"))
    rows += [
        Row("", _("Elsewhere"), kind="heading"),
        Row(
            "address",
            _("Join code or address"),
            scene.safe(ui.address),
            _("Enter, then the code or address that whoever hosts has been shown."),
            "text",
        ),
        Row(
            "password",
            _("Password"),
            "*" * len(ui.password),
            _("Only for a server that asks for one."),
            "text",
        ),
        Row("", _("You"), kind="heading"),
        Row("name", _("Your name"), scene.safe(scene.settings.name), _("As the others see you."), "text"),
        _language(scene),
        Row("settings", _("Settings"), note=_("Colours, sorting, sound, glyphs and more.")),
        Row("help", _("Keys"), note=_("What every key does.")),
        Row("rules", _("Rules"), note=_("How Dobon is played.")),
        Row("statistics", _("Results"), note=_("Of everybody who played on this machine.")),
        Row("quit", _("Leave"), note=_("Ends the program.")),
    ]
    return tuple(rows)


def lobby_rows(scene: Scene) -> tuple[Row, ...]:
    """The tables of a server."""
    _, model = scene.translate, scene.model
    if model.welcome is None:
        return Row("", _("Connecting …"), kind="plain"), Row("quit", _("Leave this server"))
    rows = [
        Row("create", _("New table"), note=_("Open a table of your own.")),
        Row("", _("Tables"), kind="heading"),
    ]
    tables = model.lobby
    for info in tables or ():
        rows.append(
            Row(
                f"table:{info.table}",
                scene.safe(info.name),
                table_text(info, _),
                _("Enter: sit down where a seat is free, else watch. w: watch."),
            )
        )
    if not tables:
        rows.append(Row("", _("None yet.") if tables is not None else _("Asking …"), kind="plain"))
    rows += [
        Row("", "", kind="plain"),
        Row("settings", _("Settings")),
        Row("help", _("Keys")),
        Row("quit", _("Leave this server")),
    ]
    return tuple(rows)


def table_text(info: TableInfo, _: Translate) -> str:
    """A table of the lobby in a few words."""
    taken = sum(seat.kind != "empty" for seat in info.seats)
    phase = {"open": _("open"), "playing": _("playing"), "over": _("between matches")}[info.phase]
    parts = [
        info.preset or _("own rules"),
        _("{taken} of {seats} seats").format(taken=taken, seats=len(info.seats)),
        phase,
    ]
    if info.spectators:
        parts.append(_("{count} watching").format(count=info.spectators))
    if info.password:
        parts.append(_("password"))
    return _(", ").join(parts)


def create_rows(scene: Scene) -> tuple[Row, ...]:
    """A new table, before it is opened; everything else is set at the table."""
    _, draft = scene.translate, scene.ui.draft
    return (
        Row("open", _("Open the table"), note=_("Rules, seats and bots are set at the table.")),
        Row("draft:name", _("Name"), scene.safe(draft.name), _("Left out, it is called after you."), "text"),
        Row("draft:preset", _("Game"), draft.preset, _presets(_)[draft.preset], "choice"),
        Row("draft:seats", _("Seats"), str(draft.seats), _("2 to 8."), "choice"),
        Row(
            "draft:password",
            _("Password"),
            "*" * len(draft.password),
            _("Whoever sits down or watches must know it; empty: nobody need."),
            "text",
        ),
        Row("close", _("Back")),
    )


def _presets(_: Translate) -> Mapping[str, str]:
    return {
        "dobon": _("dobon: penalty points, the first Dobon wins."),
        "pageone": _("pageone: a race for the first card, points for wins, the last Dobon wins."),
    }


def settings_rows(scene: Scene) -> tuple[Row, ...]:
    """The player's own settings; each change is kept at once."""
    _, s = scene.translate, scene.settings
    yes_no = {True: _("on"), False: _("off")}
    sort = {"suit": _("by suit"), "rank": _("by rank"), "dealt": _("as dealt")}[s.sort]
    glyphs = {"auto": _("as the terminal can"), "unicode": "♠ ♥ ♦ ♣", "ascii": "S H D C"}[s.glyphs]
    speed = f"{s.animation} %" if s.animation else _("off")
    crooked = _("ASCII where the terminal shows them crooked.")
    if s.glyphs == "auto" and scene.glyphs.is_ascii:
        crooked = _("Letters here: this terminal shows symbols crooked, or LANG is not one of UTF-8.")

    def choice(key: str, label: str, value: str, note: str) -> Row:
        return Row(f"set:{key}", label, value, note, "choice")

    return (
        Row("set:name", _("Your name"), scene.safe(s.name), _("From the next server on."), "text"),
        _language(scene),
        choice("glyphs", _("Suits and borders"), glyphs, crooked),
        choice(
            "four_colour", _("Four-colour suits"), yes_no[s.four_colour], _("Diamonds blue, clubs green.")
        ),
        choice("sort", _("Sort the hand"), sort, _("At the table: s.")),
        choice("bell", _("Bell"), yes_no[s.bell], _("Rings when it is your turn or you could claim.")),
        choice("mouse", _("Mouse"), yes_no[s.mouse], _("Cards and buttons can be clicked.")),
        choice("animation", _("Animation"), speed, _("How fast highlights pass and bars move.")),
        choice(
            "auto_pass",
            _("Pass by itself"),
            yes_no[s.auto_pass],
            _("Draws and passes for you when nothing fits, after a moment that varies."),
        ),
        choice(
            "auto_counter",
            _("Dobon return by itself"),
            yes_no[s.auto_counter],
            _("Where the table asks, claims it when your hand counts it, else waives."),
        ),
        Row("close", _("Back")),
    )


def _language(scene: Scene) -> Row:
    _ = scene.translate
    names = {"": _("as the system"), "en": "English", "ja": "日本語"}
    return Row("set:language", _("Language"), names[scene.settings.language], kind="choice")


def menu_rows(scene: Scene) -> tuple[Row, ...]:
    """Everything at a table that is not play."""
    _, table = scene.translate, scene.table
    rows = [
        Row("chat", _("Chat"), "t"),
        Row("log", _("What happened"), "l"),
        Row("people", _("People"), "o"),
        Row("rules", _("Rules of this table"), "r"),
        Row("help", _("Keys"), "h"),
        Row("sort", _("Sort the hand"), "s"),
        Row("settings", _("Settings"), "g"),
    ]
    if table is not None and scene.model.is_host:
        pause = _("Let the next round come") if table.view.paused else _("Pause after this round")
        rows.append(Row("pause", pause, "z"))
    if table is not None and table.you is None and table.view.phase in ("open", "over"):
        rows.append(Row("sit", _("Sit down")))
    return (*rows, Row("leave", _("Leave the table"), "q"), Row("close", _("Back"), "Esc"))


def people_rows(scene: Scene) -> tuple[Row, ...]:
    """Who is here; chat can be muted, and the host can act for the order of the table."""
    _, table = scene.translate, scene.table
    assert table is not None
    rows = [Row("", _("At the table"), kind="heading")]
    for seat in table.view.seats:
        name = scene.name(seat.seat)
        words = [kind(scene, seat) or (_("empty") if seat.kind == "empty" else "")]
        words.append(status(scene, seat)[1])
        if seat.seat == table.you:
            words.append(_("you"))
        if seat.name in scene.settings.muted:
            words.append(_("muted"))
        value = _(", ").join(word for word in words if word)
        note = _("Enter: mute or hear.") if seat.kind == "human" else ""
        if scene.model.is_host:
            note = _("Enter: mute or hear. k: remove from the table. b: let a bot play on.")
        rows.append(Row(f"person:{seat.seat}", name, value or "-", note))
    rows.append(Row("", _("Watching"), kind="heading"))
    for index, name in enumerate(table.view.spectators):
        value = _("muted") if name in scene.settings.muted else "-"
        rows.append(Row(f"spectator:{index}", scene.safe(name), value, _("Enter: mute or hear.")))
    if not table.view.spectators:
        rows.append(Row("", _("Nobody."), kind="plain"))
    return (*rows, Row("close", _("Back")))


def leave_rows(scene: Scene) -> tuple[Row, ...]:
    """Whether to leave, and what comes of it."""
    _, table = scene.translate, scene.table
    playing = table is not None and table.you is not None and table.view.phase not in ("open", "over")
    note = _("The server plays on for you; you can take the seat again.") if playing else ""
    return (
        Row("close", _("Stay"), note=_("Back to the table.")),
        Row("leave:table", _("Leave the table"), note=note),
        Row("quit", _("Leave the game"), note=note or _("Ends the program.")),
    )


_OPENED: Mapping[str, Callable[[Scene], tuple[Row, ...]]] = {
    "menu": menu_rows,
    "settings": settings_rows,
    "people": people_rows,
    "create": create_rows,
    "leave": leave_rows,
}
