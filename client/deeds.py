"""What the lines of the pages do: the start screen, the lobby, the set-up, the settings, the menu, people."""

from __future__ import annotations

from asyncio import Future
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from engine.rules import PRESETS, BadRules, Rules, parse_rule
from protocol.messages import Bot, Chat, Create, Join, Kick, SetRules, Start, Watch
from protocol.text import BadText, clean_chat, clean_name, clean_table_name

from .problems import text_problem
from .rules_fields import refusal
from .screen.form import Row, nearest
from .screen.pages import rows_of
from .screen.scene import Draft
from .screen.setup import level_step, preset_of, rule_step, setting_step
from .settings import CHOICES
from .stats import collected

if TYPE_CHECKING:
    from .app import App

SPEEDS = (0, 50, 100, 200, 300)


class Wish(NamedTuple):
    """What the start screen wants: to `join` an address or code, to play `alone`, or to `leave` a server."""

    what: Literal["join", "alone", "leave"]
    where: str = ""
    fingerprint: str | None = None
    """What the server found there announces of its certificate."""


class Deeds:
    """Moves along the lines of the uppermost page and does what they say."""

    def __init__(self, app: App) -> None:
        self._app = app

    def chosen(self) -> tuple[int, Row | None]:
        """The chosen line and its place."""
        app = self._app
        rows = rows_of(app.scene())
        page = app.ui.page
        place = nearest(rows, app.ui.row if page is None else page.row)
        return place, rows[place] if rows else None

    def move(self, step: int) -> None:
        app = self._app
        rows = rows_of(app.scene())
        place, _row = self.chosen()
        if abs(step) == 1:
            self.go(nearest(rows, (place + step) % len(rows) if rows else 0, step))
        else:
            self.go(nearest(rows, max(0, min(len(rows) - 1, place + step)), -1 if step > 0 else 1))

    def go(self, row: int) -> None:
        app = self._app
        app.show(replace(app.ui, row=row) if app.ui.page is None else app.ui.at(row))

    def labelled(self, letter: str) -> bool:
        """In the menu each line shows its key: does what the line of this one does, if there is one."""
        app = self._app
        if app.ui.page is None or app.ui.page.page != "menu":
            return False
        place = next((place for place, row in enumerate(rows_of(app.scene())) if row.value == letter), None)
        if place is None:
            return False
        self.go(place)
        self.act()
        return True

    def letter(self, letter: str) -> None:
        """A key that means something on this page, or on its chosen line."""
        app = self._app
        if self.labelled(letter):
            return
        _place, row = self.chosen()
        what, _colon, about = ("" if row is None else row.key).partition(":")
        table = app.model.table
        if letter == "w" and what == "table":
            self._enter(int(about), watch=True)
        elif letter == "k" and what in ("seat", "person") and table is not None:
            app.post(Kick(table=table.id, seat=int(about)))
        elif letter == "b" and what in ("seat", "person") and table is not None:
            app.post(Bot(table=table.id, seat=int(about), level="normal"))
        elif letter == "t" and table is not None and app.ui.page is None:
            app.type("chat")
        elif letter == "m" and table is not None and app.ui.page is None:
            app.open("menu")

    def act(self) -> None:
        """Enter on the chosen line."""
        app = self._app
        _place, row = self.chosen()
        if row is None:
            return
        what, _colon, about = row.key.partition(":")
        if row.kind == "text":
            app.type(row.key)
        elif what == "seat" and app.model.table is not None:
            app.post(Join(table=app.model.table.id, seat=int(about)))
        elif row.kind == "choice":
            self.step(1)
        elif what == "server":
            server = app.ui.servers[int(about)]
            app.want(Wish("join", server.address, server.fingerprint))
        elif what == "table":
            self._enter(int(about), watch=False)
        elif what in ("person", "spectator"):
            self._mute(what, int(about))
        elif row.key == "leave:table":
            app.leave_table()
        else:
            self._plain(row.key)

    def _plain(self, key: str) -> None:
        app, table = self._app, self._app.model.table
        match key:
            case "alone":
                app.want(Wish("alone"))
            case "create":
                app.open("create")
            case "open":
                self._create()
            case "begin" if table is not None:
                app.post(Start(table=table.id, fill="normal"))
            case "help" | "rules" | "settings" | "menu" | "people" | "log" | "leave":
                app.open(key)
            case "statistics":
                self._statistics()
            case "chat":
                app.close_page()
                app.type("chat")
            case "sort":
                app.close_page()
                self.sort()
            case "pause":
                app.close_page()
                app.game.pause()
            case "sit" if table is not None:
                app.close_page()
                app.post(Join(table=table.id))
            case "close":
                app.close_page()
            case "quit":
                app.leave_server()
            case _:
                pass

    def step(self, step: int) -> None:
        """Left or right on the chosen line."""
        app = self._app
        _place, row = self.chosen()
        if row is None or row.kind not in ("choice", "text"):
            return
        what, _colon, about = row.key.partition(":")
        match what:
            case "set" if row.kind == "choice":
                app.set_setting(about, self._setting(about, step))
            case "draft" if row.kind == "choice":
                self._draft(about, step)
            case "seat":
                self._seat(int(about), step)
            case "rule" if row.kind == "choice":
                self._rule(about, step)
            case "setting":
                self._table_setting(about, step)
            case _:
                pass

    def sort(self) -> None:
        """Shows the hand in the next order."""
        self._app.set_setting("sort", self._setting("sort", 1))

    def text_for(self, key: str) -> str:
        """What stands in the field for this at first; function cards as they are typed."""
        app = self._app
        table = app.model.table
        effects = () if table is None else table.rules.effects
        texts = {
            "address": app.ui.address,
            "name": app.settings.name,
            "set:name": app.settings.name,
            "draft:name": app.ui.draft.name,
            "rule:effects": ",".join(f"{card}:{effect}" for card, effect in effects),
        }
        return texts.get(key, "")

    def typed(self, key: str, text: str) -> str | None:
        """A text was typed for this; returns what is wrong with it, None if it was taken."""
        app, _ = self._app, self._app.translate
        what, _colon, about = key.partition(":")
        table = app.model.table
        try:
            text.encode()  # a terminal may send bytes that are no letters
            match what:
                case "chat" if table is not None and text.strip():
                    app.post(Chat(table=table.id, text=clean_chat(text)))
                case "address":
                    app.change(address=text.strip())
                    app.want(Wish("join", text.strip()))
                case "password":
                    app.change(password=text)
                case "set" | "name":
                    app.set_setting("name", clean_name(text))
                case "draft":
                    value = clean_table_name(text) if about == "name" and text.strip() else text
                    app.change(draft=_drafted(app.ui.draft, about, value))
                case "join" | "watch":
                    kind = Join if what == "join" else Watch
                    app.post(kind(table=int(about), password=text))
                case "rule" if table is not None:
                    field, rule = parse_rule(f"{about}={text}")
                    Rules.preset("dobon").changed({field: rule})
                    app.post(SetRules(table=table.id, rules={field: rule}))
                case _:
                    pass
        except UnicodeEncodeError:
            return _("It has a character that can't be used here.")
        except BadText as error:
            return text_problem(error, _)
        except BadRules as error:
            return refusal(error, _)
        return None

    def _enter(self, number: int, *, watch: bool) -> None:
        app = self._app
        info = next((each for each in app.model.lobby or () if each.table == number), None)
        if info is None:
            return
        free = info.phase == "open" and any(seat.kind == "empty" for seat in info.seats)
        kind = Join if free and not watch else Watch
        if info.password:
            app.type(f"{'join' if kind is Join else 'watch'}:{number}", secret=True)
        else:
            app.post(kind(table=number))

    def _create(self) -> None:
        app, draft = self._app, self._app.ui.draft
        app.close_page()
        app.post(
            Create(
                name=draft.name or None,
                rules={"preset": draft.preset},
                seats=draft.seats,
                password=draft.password or None,
            )
        )

    def _statistics(self) -> None:
        """Opens the page, and has it read in a thread: a long journal takes a second."""
        app, loop, _ = self._app, self._app.application.loop, self._app.translate
        app.change(statistics=None)
        app.open("statistics")
        if loop is None:
            app.change(statistics=collected())
            return

        def read(future: Future[Any]) -> None:
            if future.exception() is not None:
                app.close_page()
                app.tell(_("What was played here can't be read."))
            else:
                app.change(statistics=future.result())

        loop.run_in_executor(None, collected).add_done_callback(read)

    def _mute(self, what: str, place: int) -> None:
        app, table = self._app, self._app.model.table
        if table is None:
            return
        seat = table.seat(place) if what == "person" else None
        name = table.view.spectators[place] if what == "spectator" else seat.name if seat else None
        if not name or (seat is not None and (seat.kind != "human" or seat.seat == table.you)):
            return
        muted = app.settings.muted
        app.set_setting("muted", tuple(m for m in muted if m != name) if name in muted else (*muted, name))

    def _setting(self, field: str, step: int) -> Any:
        value = getattr(self._app.settings, field)
        if isinstance(value, bool):
            return not value
        options: tuple[Any, ...] = SPEEDS if field == "animation" else CHOICES[field]
        place = options.index(value) if value in options else 0
        return options[(place + step) % len(options)]

    def _draft(self, field: str, step: int) -> None:
        app, draft = self._app, self._app.ui.draft
        if field == "seats":
            app.change(draft=replace(draft, seats=2 + (draft.seats - 2 + step) % 7))
        else:
            names = tuple(PRESETS)
            app.change(draft=replace(draft, preset=names[(names.index(draft.preset) + step) % len(names)]))

    def _seat(self, number: int, step: int) -> None:
        app, table = self._app, self._app.model.table
        seat = None if table is None else table.seat(number)
        if table is not None and seat is not None and seat.kind != "human":
            level = level_step(seat.level if seat.kind == "bot" else None, step)
            app.post(Bot(table=table.id, seat=number, level=level))  # type: ignore[arg-type]

    def _rule(self, field: str, step: int) -> None:
        app, table = self._app, self._app.model.table
        if table is None:
            return
        rules = table.view.rules
        if field == "preset":
            names = tuple(PRESETS)
            now = preset_of(rules) or names[-1]
            chosen = names[(names.index(now) + step) % len(names)]
            app.post(SetRules(table=table.id, rules={"preset": chosen}))
        elif (value := rule_step(field, rules.get(field), step)) is not None:
            app.post(SetRules(table=table.id, rules={field: value}))

    def _table_setting(self, name: str, step: int) -> None:
        app, table = self._app, self._app.model.table
        value = None if table is None else table.view.settings.get(name)
        if table is not None and isinstance(value, int):
            app.post(SetRules(table=table.id, settings={name: setting_step(name, value, step)}))


def _drafted(draft: Draft, field: str, value: str) -> Draft:
    return replace(draft, **{field: value})  # type: ignore[arg-type]
