"""Every key and what it does. The page of keys is made from the first lines of the docstrings here.

A handler is a function of the app, put into the table of the place where it works: at the `table`, on a page
that is a `list` or a `text`, in the choosers of a `suit` or a `throw`. What a key does anywhere stands under
`any`. While a text is typed none of these work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from .i18n import Translate, mark
from .knowledge import sorted_hand
from .screen.buttons import buttons
from .screen.cards import LABELS

if TYPE_CHECKING:
    from .app import App

Place: TypeAlias = Literal["any", "table", "list", "text", "suit", "throw"]
Handler: TypeAlias = Callable[["App"], None]

KEYS: Final[dict[Place, dict[str, Handler]]] = {
    place: {} for place in ("any", "table", "list", "text", "suit", "throw")
}
SHOWN: Final[dict[str, str]] = {
    "1": "1 – 9 0 A – Z",
    "tab": "Tab",
    "enter": mark("Enter, Space"),
    "left": mark("left, right"),
    "up": mark("up, down"),
    "escape": "Esc",
    "pageup": mark("page up, page down"),
    "c-c": "Ctrl-C",
    "c-z": "Ctrl-Z",
    "c-l": "Ctrl-L",
    "h": "h, ?",
}
"""How the first key of a handler is named on the page of keys, where that is not the key itself."""


def on(place: Place, *keys: str) -> Callable[[Handler], Handler]:
    """Binds a handler to keys, named as prompt-toolkit names them."""

    def bound(handler: Handler) -> Handler:
        KEYS[place].update(dict.fromkeys(keys, handler))
        return handler

    return bound


def help_keys(_: Translate) -> Iterator[tuple[str, str]]:
    """(key, what it does) for the page of keys, in the order in which they stand here."""
    for place in ("table", "list", "any"):
        told: set[Handler] = set()
        for key, handler in KEYS[place].items():
            if handler in told or not handler.__doc__:
                continue
            told.add(handler)
            text = handler.__doc__.strip().splitlines()[0]
            yield _(SHOWN[key]) if key in SHOWN else key, _(text)


# At the table.


@on("table", "tab")
def dobon(app: App) -> None:
    """Dobon, on the card that you see; where you are asked, Dobon return."""
    app.game.dobon()


@on("table", "enter", " ")
def do(app: App) -> None:
    """Play the chosen card, or do what the chosen button says; between rounds: ready."""
    table = app.model.table
    if table is not None and table.closed is not None:
        app.leave_table()
    elif app.ui.on_buttons:
        button(app, app.ui.button)
    elif table is not None and table.view.phase in ("between", "over", "rps"):
        button(app, {"between": "ready", "over": "again", "rps": "throw"}[table.view.phase])
    else:
        app.game.play()


@on("table", *LABELS)
def choose(app: App) -> None:
    """Choose the card above this key: digits, then capital letters."""
    hand = _hand(app)
    place = LABELS.index(app.pressed) if app.pressed in LABELS else 0
    if place < len(hand):
        app.change(card=hand[place], on_buttons=False)


@on("table", "left", "right")
def along(app: App) -> None:
    """Go along the hand, or along the buttons."""
    step = 1 if app.pressed == "right" else -1
    scene = app.scene()
    if scene.ui.on_buttons:
        names = [each.name for each in buttons(scene)]
        place = names.index(scene.ui.button) if scene.ui.button in names else 0
        app.change(button=names[(place + step) % len(names)])
        return
    hand = _hand(app)
    if hand:
        place = hand.index(scene.ui.card) if scene.ui.card in hand else -step
        app.change(card=hand[(place + step) % len(hand)])


@on("table", "up", "down")
def between_rows(app: App) -> None:
    """Go from the hand to the buttons below it, and back."""
    app.change(on_buttons=app.pressed == "down")


@on("table", "d")
def draw(app: App) -> None:
    """Draw a card, or take what an attack asks for."""
    app.game.draw()


@on("table", "p")
def pass_(app: App) -> None:
    """Pass; in the opening race: decline."""
    app.game.pass_()


@on("table", "w")
def waive(app: App) -> None:
    """Waive: give up claiming this card, so that nobody waits for you."""
    app.game.waive()


@on("table", "c")
def call(app: App) -> None:
    """Say with the next play that it leaves you one card, where the rules ask for it."""
    app.game.call()


@on("table", "s")
def sort(app: App) -> None:
    """Sort the hand: by suit, by rank, as dealt."""
    app.deeds.sort()


@on("table", "t")
def chat(app: App) -> None:
    """Chat: opens a field of its own; Enter says it, Esc closes it."""
    app.type("chat")


@on("table", "l")
def log(app: App) -> None:
    """What happened, from the beginning."""
    app.open("log")


@on("table", "o")
def people(app: App) -> None:
    """People: seats and spectators; mute chat; the host can remove and replace."""
    app.open("people")


@on("table", "r")
def rules(app: App) -> None:
    """The rules in force at this table."""
    app.open("rules")


@on("table", "z")
def pause(app: App) -> None:
    """Host: hold the next round back, or let it come."""
    app.game.pause()


@on("table", "g")
def settings(app: App) -> None:
    """Settings."""
    app.open("settings")


@on("table", "m", "escape")
def menu(app: App) -> None:
    """The menu, with everything that is not play."""
    app.open("menu")


@on("table", "q")
def leave(app: App) -> None:
    """Leave the table; asks first."""
    app.open("leave")


# On pages that are lists.


@on("list", "up", "down")
def line(app: App) -> None:
    """On a page: go from line to line."""
    app.deeds.move(1 if app.pressed == "down" else -1)


@on("list", "pageup", "pagedown", "home", "end")
def lines(app: App) -> None:
    app.deeds.move({"pageup": -10, "pagedown": 10, "home": -1000, "end": 1000}[app.pressed])


@on("list", "left", "right")
def value(app: App) -> None:
    """On a page: change the value of the chosen line."""
    app.deeds.step(1 if app.pressed == "right" else -1)


@on("list", "enter", " ")
def act(app: App) -> None:
    """On a page: do what the chosen line says."""
    app.deeds.act()


@on("list", "w", "k", "b", "t", "m", "l", "o", "r", "s", "g", "z")
def order(app: App) -> None:
    app.deeds.letter(app.pressed)


@on("list", "q")
def back_or_leave(app: App) -> None:
    if not app.deeds.labelled("q"):
        app.close_page()


@on("list", "escape")
@on("text", "escape", "q", "enter", " ")
@on("suit", "escape", "q")
@on("throw", "escape", "q")
def back(app: App) -> None:
    """Close the page."""
    app.close_page()


# Pages of text.


@on("text", "up", "down", "pageup", "pagedown", "home", "end")
def scroll(app: App) -> None:
    rows = max(1, app.size().height - 5)
    steps = {"up": -1, "down": 1, "pageup": -rows, "pagedown": rows, "home": -(10**6), "end": 10**6}
    app.scroll(steps[app.pressed])


# Choosers.


@on("suit", "left", "right")
@on("throw", "left", "right")
def beside(app: App) -> None:
    page = app.ui.page
    if page is not None:
        count = 4 if page.page == "suit" else 3
        app.show(app.ui.at((page.row + (1 if app.pressed == "right" else -1)) % count))


@on("suit", "enter", " ")
@on("throw", "enter", " ")
def take(app: App) -> None:
    page = app.ui.page
    if page is not None:
        app.game.chosen(page.row)


@on("suit", "s", "h", "d", "c")
def suit(app: App) -> None:
    app.game.chosen("shdc".index(app.pressed))


@on("throw", "1", "2", "3")
def throw(app: App) -> None:
    app.game.chosen(int(app.pressed) - 1)


# Anywhere.


@on("any", "h", "?")
def help_(app: App) -> None:
    """This page."""
    if app.ui.page is None or app.ui.page.page != "help":
        app.open("help")


@on("any", "c-c", "<sigint>")
def interrupt(app: App) -> None:
    """Leave the game; asks once, the second time it leaves."""
    app.interrupt()


@on("any", "c-z")
def suspend(app: App) -> None:
    """Back to the shell for a while; `fg` comes back."""
    app.suspend()


@on("any", "c-l")
def redraw(app: App) -> None:
    """Draw the screen anew."""
    app.repaint()


@on("any", "c-\\")
def quit_at_once(app: App) -> None:
    app.quit(131)


def button(app: App, name: str) -> None:
    """Does what a button of the table says."""
    match name:
        case "dobon":
            app.game.dobon()
        case "play":
            app.game.play()
        case "draw":
            app.game.draw()
        case "pass":
            app.game.pass_()
        case "waive":
            app.game.waive()
        case "call":
            app.game.call()
        case "ready":
            app.game.ready()
        case "again":
            app.game.again()
        case "throw":
            app.open("throw")
        case _:
            app.open("menu")


def _hand(app: App) -> list[str]:
    table = app.model.table
    return [] if table is None else sorted_hand(table.view, app.settings.sort)
