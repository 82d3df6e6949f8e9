"""What the lines of the pages do, in requests, wishes and settings."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from client.app import App
from client.deeds import Wish
from client.glyphs import UNICODE
from client.i18n import catalogue
from client.model import Model
from client.screen.draw import draw
from client.screen.pages import rows_of
from client.screen.scene import Found, Size, Typing
from client.settings import Settings
from engine.rules import PRESETS
from protocol.messages import Bot, Create, Join, Kick, Pause, Request, SetRules, Start, View, Watch
from tests.client.screens import idle, lobby, model, seats, view
from tests.client.terminals import text_of
from tests.client.test_app import Asked, nothing, press


@contextmanager
def shown(found: Model, *, connected: bool = True) -> Iterator[tuple[App, Asked, list[dict[str, Any]]]]:
    """An app with this model, its session, and the settings that it keeps."""
    kept: list[dict[str, Any]] = []
    with create_pipe_input() as pipe, create_app_session(input=pipe, output=DummyOutput()):
        app = App(
            Settings(name="Haru"), UNICODE, nothing, connected=connected, translate=str, keep=kept.append
        )
        asked = Asked()
        app.session = asked  # type: ignore[assignment]
        app.model = found
        yield app, asked, kept


def go(app: App, key: str) -> None:
    """Chooses the line of this key."""
    names = [row.key for row in rows_of(app.scene())]
    app.deeds.go(names.index(key))


def type_text(app: App, text: str) -> None:
    app._screenful.buffer.text = text
    app._typed()


def test_the_start_screen_wants_a_server_or_a_game_alone() -> None:
    with shown(Model(), connected=False) as (app, _asked, _kept):
        wishes: list[Wish] = []
        app.wish = wishes.append
        app.change(servers=(Found("Sora", "192.168.1.20:5213", "K7Q2", 3, "ab12"),))
        go(app, "server:0")
        press(app, "enter")
        go(app, "alone")
        press(app, "enter")
        go(app, "address")
        press(app, "enter")
        assert app.ui.typing == Typing("address")
        type_text(app, " k7q2 ")
        assert wishes == [Wish("join", "192.168.1.20:5213", "ab12"), Wish("alone"), Wish("join", "k7q2")]


@pytest.mark.parametrize(
    ("key", "before", "after", "then"),
    [
        ("server:0", "b", "ab", "server:1"),
        ("server:1", "ab", "b", "server:0"),
        ("server:0", "b", "a", "alone"),
        ("address", "", "ab", "address"),
        ("address", "ab", "", "address"),
        ("alone", "", "a", "alone"),
    ],
)
def test_the_chosen_line_of_the_start_screen_stays_chosen(
    key: str, before: str, after: str, then: str
) -> None:
    """Servers come and go, and a stranger can see to it that they do as somebody presses Enter."""

    def servers(names: str) -> tuple[Found, ...]:
        return tuple(Found(name, f"192.168.1.{ord(name)}:5213", "", None) for name in names)

    with shown(Model(), connected=False) as (app, _asked, _kept):
        app.change(servers=servers(before))
        go(app, key)
        app.show(app.ui.found(servers(after)))
        assert rows_of(app.scene())[app.ui.row].key == then


def test_a_bad_name_is_refused_with_a_sentence_and_the_field_stays() -> None:
    with shown(Model(), connected=False) as (app, _asked, kept):
        go(app, "name")
        press(app, "enter")
        type_text(app, "x" * 40)
        assert app.ui.told
        assert app.ui.typing == Typing("name")
        type_text(app, "花子")
        assert kept == [{"name": "花子"}]
        assert app.ui.typing is None


@pytest.mark.parametrize(
    ("key", "letter", "request_"),
    [("table:3", "enter", Join(table=3)), ("table:3", "w", Watch(table=3))],
)
def test_the_lobby_joins_and_watches(key: str, letter: str, request_: Request) -> None:
    with shown(lobby()) as (app, asked, _kept):
        go(app, key)
        press(app, letter)
        assert asked.posted == [request_]


def test_a_table_with_a_password_asks_for_it() -> None:
    with shown(lobby()) as (app, asked, _kept):
        go(app, "table:4")
        press(app, "enter")
        assert app.ui.typing == Typing("watch:4", secret=True)
        type_text(app, "sesame")
        assert asked.posted == [Watch(table=4, password="sesame")]


def test_a_new_table() -> None:
    with shown(lobby()) as (app, asked, _kept):
        go(app, "create")
        press(app, "enter")
        go(app, "draft:name")
        press(app, "enter")
        type_text(app, "金曜")
        go(app, "draft:preset")
        press(app, "right")
        go(app, "draft:seats")
        press(app, "right", "right")
        go(app, "open")
        press(app, "enter")
        assert asked.posted == [Create(name="金曜", rules={"preset": "pageone"}, seats=6)]
        assert app.ui.page is None


@pytest.mark.parametrize(
    ("key", "press_", "request_"),
    [
        ("begin", "enter", Start(table=3, fill="normal")),
        ("seat:3", "right", Bot(table=3, seat=3, level="easy")),
        ("seat:1", "right", Bot(table=3, seat=1, level=None)),
        ("seat:2", "k", Kick(table=3, seat=2)),
        ("seat:3", "enter", Join(table=3, seat=3)),
        ("rule:preset", "right", SetRules(table=3, rules={"preset": "pageone"})),
        ("rule:hand", "left", SetRules(table=3, rules={"hand": 4})),
        ("rule:out", "right", SetRules(table=3, rules={"out": False})),
        ("rule:claims", "right", SetRules(table=3, rules={"claims": "last"})),
        ("setting:grace", "right", SetRules(table=3, settings={"grace": 2000})),
        ("setting:bot_pace", "left", SetRules(table=3, settings={"bot_pace": 50})),
    ],
)
def test_the_set_up_of_a_table(key: str, press_: str, request_: Request) -> None:
    with shown(model(idle("open", seats=seats(seat3={"kind": "empty", "name": None})))) as (
        app,
        asked,
        _kept,
    ):
        go(app, key)
        press(app, press_)
        assert asked.posted == [request_]


@pytest.mark.parametrize("host", [0, 2])
def test_a_seat_offers_only_what_can_be_done_with_it(host: int) -> None:
    taken = seats(seat1={"kind": "bot"}, seat3={"kind": "empty", "name": None})
    table = idle("open", seats=taken, host={"seat": host, "name": taken[host]["name"]})
    with shown(model(table)) as (app, _asked, _kept):
        notes = [row.note for row in rows_of(app.scene()) if row.key.startswith("seat:")]
    assert ["sit here" in note for note in notes] == [False, False, False, True]
    assert ["remove" in note for note in notes] == [False, False, host == 0, False]
    assert [bool(note) for note in notes] == [False, host == 0, host == 0, True]


def test_function_cards_are_typed() -> None:
    with shown(model(idle("open"))) as (app, asked, _kept):
        go(app, "rule:effects")
        press(app, "enter")
        type_text(app, "A:nonsense")
        assert app.ui.told
        type_text(app, "A:skip,AS:attack5")
        assert asked.posted == [SetRules(table=3, rules={"effects": {"A": "skip", "AS": "attack5"}})]


def test_every_rule_and_setting_is_on_the_page_in_the_players_words() -> None:
    table = idle("open")
    assert isinstance(table, View)
    with shown(model(table)) as (app, _asked, _kept):
        app.translate = catalogue("ja").gettext
        rows = [row for row in rows_of(app.scene()) if row.key.startswith(("rule:", "setting:"))]
    assert {row.key for row in rows} == {
        "rule:preset",
        *(f"rule:{name}" for name in PRESETS["dobon"].to_data()),
        *(f"setting:{name}" for name in table.settings),
    }
    assert not any(row.label.isascii() for row in rows)
    for row in rows[1:]:
        field = row.key.partition(":")[2]
        assert row.note.endswith(field), "it is what has to be typed elsewhere"


def test_a_guest_changes_no_rules() -> None:
    with shown(model(idle("open", host={"seat": 1, "name": "Sora"}))) as (app, asked, _kept):
        for key in ("rule:hand", "setting:grace", "seat:3"):
            go(app, key)
            press(app, "right")
        assert asked.posted == []


def test_settings_are_kept_at_once() -> None:
    with shown(model(view())) as (app, _asked, kept):
        app.open("settings")
        for key in ("sort", "bell", "animation", "language", "glyphs"):
            go(app, f"set:{key}")
            press(app, "right")
        assert kept == [
            {"sort": "rank"},
            {"bell": False},
            {"animation": 200},
            {"language": "en"},
            {"glyphs": "unicode"},
        ]


def test_somebody_is_muted_and_heard_again() -> None:
    with shown(model(view())) as (app, _asked, kept):
        app.open("people")
        go(app, "person:2")
        press(app, "enter", "enter")
        assert kept == [{"muted": ("花子・アリス",)}, {"muted": ()}]
        go(app, "person:0")
        press(app, "enter")
        assert len(kept) == 2


def test_the_menu_leads_everywhere_and_back() -> None:
    for key in ("log", "people", "rules", "help", "settings", "leave"):
        with shown(model(view())) as (app, _asked, _kept):
            press(app, "m")
            go(app, key)
            press(app, "enter")
            assert app.ui.page is not None
            assert app.ui.page.page == key
            press(app, "escape", "escape")
            assert app.ui.page is None


@pytest.mark.parametrize(
    ("key", "page"),
    [("l", "log"), ("o", "people"), ("r", "rules"), ("h", "help"), ("g", "settings"), ("q", "leave")],
)
def test_the_menu_does_what_its_keys_say(key: str, page: str) -> None:
    with shown(model(view())) as (app, _asked, _kept):
        press(app, "m", key)
        assert app.ui.page is not None
        assert app.ui.page.page == page
        press(app, "q", "escape")
        assert app.ui.page is None


def test_every_key_that_the_menu_shows_does_something() -> None:
    with shown(model(idle("between"))) as (app, asked, _kept):
        app.open("menu")
        letters = [row.value for row in rows_of(app.scene()) if len(row.value) == 1]
        assert len(letters) == 9
        for letter in letters:
            app.show(replace(app.ui, pages=(), typing=None))
            press(app, "m")
            before = (app.ui, app.settings.sort, len(asked.posted))
            press(app, letter)
            assert (app.ui, app.settings.sort, len(asked.posted)) != before, letter
        assert asked.posted == [Pause(table=3, on=True)]


def test_q_closes_the_pages_that_name_no_other_use_for_it() -> None:
    with shown(model(view())) as (app, asked, _kept):
        for page in ("people", "settings", "leave"):
            app.open(page)
            press(app, "q")
            assert app.ui.page is None
        assert asked.posted == []


def test_lines_are_walked_round_and_headings_are_passed() -> None:
    with shown(replace(model(view()))) as (app, _asked, _kept):
        app.open("people")
        seen = []
        for _ in range(9):
            press(app, "down")
            seen.append(app.deeds.chosen()[1])
        assert all(row is not None and row.can_be_chosen for row in seen)
        assert len({row.key for row in seen if row}) == 7


def test_the_page_of_rules_tells_the_times_of_the_table() -> None:
    with shown(model(view())) as (app, _asked, _kept):
        app.open("rules")
        press(app, "end")
        lines = text_of(draw(app.scene(), Size(80, 60)))
    assert any("time for a turn: 30 s" in line for line in lines)
    assert any("how long bots take to think (0: no time): 100 %" in line for line in lines)
