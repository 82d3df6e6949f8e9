"""Keys and what they send: bound to what was on the screen, and to nothing while a text is typed."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.application.current import set_app
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.input.vt100_parser import Vt100Parser
from prompt_toolkit.key_binding.key_processor import KeyPress
from prompt_toolkit.output import DummyOutput

from client.app import App
from client.glyphs import UNICODE
from client.keys import KEYS, help_keys
from client.notices import Away, Message
from client.screen.cards import LABELS
from client.screen.draw import draw
from client.screen.scene import Size, Ui
from client.session import NotConnected
from client.settings import Settings
from protocol.connection import Answer
from protocol.messages import Chat, Dobon, Draw, Error, Join, Leave, Pass, Play, Request, Rps, Tables, Waive
from protocol.text import CHAT_CHARACTERS
from tests.client.screens import (
    asked_for_counter,
    attacked,
    claims,
    event,
    idle,
    many_cards,
    model,
    over,
    race,
    seats,
    view,
)
from tests.client.terminals import text_of


class Asked:
    """A session that notes what it is asked; `online` False: it takes nothing."""

    def __init__(self) -> None:
        self.posted: list[Request] = []
        self.alone: list[bool] = []
        self.online = True

    def post(self, request: Request, alone: bool = False) -> int:
        if not self.online:
            raise NotConnected
        self.posted.append(request)
        self.alone.append(alone)
        return len(self.posted)


async def nothing(app: App) -> None:
    """No errand."""


@contextmanager
def playing(*messages: Message, settings: Settings | None = None) -> Iterator[tuple[App, Asked]]:
    """An app at a table that was drawn once."""
    with create_pipe_input() as pipe, create_app_session(input=pipe, output=DummyOutput()):
        app = App(
            settings or Settings(name="Haru", bell=False),
            UNICODE,
            nothing,
            connected=True,
            translate=str,
            keep=lambda changes: None,
        )
        asked = Asked()
        app.session = asked  # type: ignore[assignment]
        app.model = model(*messages)
        arranged(app)
        yield app, asked


def arranged(app: App) -> None:
    """As after a message: the chosen card, then a picture."""
    table = app.model.table
    assert table is not None
    app._arranged(None, table.view)
    drawn(app)


def drawn(app: App) -> None:
    app._picture(Size(80, 24))


def press(app: App, *names: str) -> None:
    for name in names:
        app.press(name)


def test_the_first_card_that_fits_is_chosen_and_enter_plays_it() -> None:
    with playing(view()) as (app, asked):
        press(app, "enter")
        assert asked.posted == [Play(table=3, on=50, card="3H")]


def test_digits_and_arrows_choose_space_plays() -> None:
    with playing(view()) as (app, asked):
        press(app, "4", " ")
        assert asked.posted == [Play(table=3, on=50, card="7C")]
        press(app, "right", "left", "left", "left")
        assert app.ui.card == "3H"


def test_a_card_that_does_not_fit_is_not_sent() -> None:
    with playing(view()) as (app, asked):
        press(app, "1", "enter")
        assert asked.posted == []
        assert app.ui.told


@pytest.mark.parametrize("key", ["enter", "d", "p"])
def test_a_key_takes_over_from_the_server_where_it_is_no_move(key: str) -> None:
    played_for = {"seats": seats(seat0={"status": "autopilot"}), "turn_seat": 2}
    with playing(view(may=None, playable=None, act_on=None, **played_for)) as (app, asked):
        press(app, key)
        assert asked.posted == [Join(table=3, seat=0)]
        assert not app.ui.told


@pytest.mark.parametrize("phase", ["turn", "open"])
def test_at_a_table_that_was_closed_nothing_runs_and_enter_leads_out(phase: str) -> None:
    table = view() if phase == "turn" else idle("open")
    with playing(table, event("closed", why="admin")) as (app, asked):
        app.ui = replace(app.ui, row=9)
        assert app._picture(Size(80, 24)).wake is None
        press(app, "tab", "d", "left")
        shown = text_of(draw(app.scene(), Size(80, 24)))
        assert any("This table was closed by the server. Enter: back to the lobby." in line for line in shown)
        assert not any(UNICODE.turn in line or UNICODE.raised in line for line in shown)
        press(app, "enter")
        assert app.model.table is None
        assert asked.posted == [Tables()]


def test_a_suit_is_asked_for_and_goes_with_the_card() -> None:
    with playing(view()) as (app, asked):
        press(app, "3", "enter")
        assert app.ui.page is not None
        assert app.ui.page.page == "suit"
        press(app, "c")
        assert asked.posted == [Play(table=3, on=50, card="8D", suit="C")]
        assert app.ui.page is None
        press(app, "3", "enter", "right", "right", "enter")
        assert asked.posted[1:] == [Play(table=3, on=50, card="8D", suit="D")]


def test_the_call_goes_with_the_next_play() -> None:
    rules = {**dict(view().rules), "last_call": 2}  # type: ignore[union-attr]
    with playing(view(hand=["7C", "3H"], playable=["7C", "3H"], rules=rules)) as (app, asked):
        press(app, "c", "enter")
        assert asked.posted == [Play(table=3, on=50, card="3H", call=True)]


@pytest.mark.parametrize(
    ("key", "changes", "request_"),
    [
        ("d", {}, Draw(table=3, on=50)),
        ("p", {"may": ["play", "pass"], "drawn": "8D", "playable": ["8D"]}, Pass(table=3, on=50)),
        ("w", {}, Waive(table=3, on=49)),
    ],
)
def test_letters(key: str, changes: dict[str, Any], request_: Request) -> None:
    with playing(view(**changes)) as (app, asked):
        press(app, key)
        assert asked.posted == [request_]


def test_arrows_and_enter_do_everything() -> None:
    with playing(view()) as (app, asked):
        press(app, "down", "right", "right", "enter")
        assert asked.posted == [Draw(table=3, on=50)]
        press(app, "right", "right", "enter")
        assert asked.posted[1:] == [Waive(table=3, on=49)]


def test_dobon_names_the_card_that_was_drawn() -> None:
    with playing(view(hand=["3H", "4D"], playable=[], may=None, act_on=None)) as (app, asked):
        press(app, "tab")
        assert asked.posted == [Dobon(table=3, on=49)]


def test_dobon_on_a_card_not_yet_seen_does_not_claim_it() -> None:
    """The next card came, but the screen still shows the one before: that one is claimed, too late."""
    with playing(view(hand=["3H", "4D"], playable=[], may=None, act_on=None, turn_seat=1)) as (app, asked):
        played = event("played", seat=1, card="7D", suit="D", discard=5, left=3, until=101_000, deadline=None)
        app.feed(played)
        press(app, "tab")
        assert asked.posted == [Dobon(table=3, on=49)]
        drawn(app)
        press(app, "tab")
        assert asked.posted[1:] == [Dobon(table=3, on=51)]


def test_who_was_slower_is_told_by_how_much_although_the_round_is_over() -> None:
    claimed = event("claimed", seat=1, discard=4, order=1, against=3, counter=False, lag=0, deadline=None)
    before = view(hand=["3H", "4D"], playable=[], may=None, act_on=None)
    with playing(before, claimed, event("round_over", 52, **over(claims=claims(0)))) as (app, asked):
        press(app, "tab")
        assert asked.posted == [Dobon(table=3, on=49)]
        refused = Error(code="too_late", message="", re=1, by=42_400)
        app.feed(Answer(asked.posted[0], refused))
        assert not app.ui.told
        shown = "\n".join(text_of(draw(app.scene(), Size(80, 24))))
        assert "Sora was first · you: 42.4 ms too late" in shown
        press(app, "tab")
        assert len(asked.posted) == 1


@pytest.mark.parametrize("changes", [{"hand": ["3H", "9D"]}, {"claim": "waived"}])
def test_who_could_not_claim_was_not_slower(changes: dict[str, Any]) -> None:
    before = view(**{"hand": ["3H", "4D"], "playable": [], "may": None, "act_on": None, **changes})
    with playing(before, event("round_over", **over())) as (app, asked):
        press(app, "tab")
        assert asked.posted == []
        assert "no card to claim" in app.ui.told


def test_a_play_for_a_turn_not_yet_seen_does_nothing() -> None:
    with playing(view(turn_seat=3, may=None, playable=None, act_on=None)) as (app, asked):
        turn: dict[str, Any] = {
            "turn": 10,
            "seat": 0,
            "direction": 1,
            "suit": "H",
            "attack": None,
        }
        app.feed(event("turn", **turn, deadline=130_000, playable=["3H"], may=["play", "draw"]))
        press(app, "enter", "d")
        assert asked.posted == []
        drawn(app)
        press(app, "enter")
        assert asked.posted == [Play(table=3, on=51, card="3H")]


def test_a_wrong_dobon_is_held_back_where_it_would_only_be_refused() -> None:
    with playing(view()) as (app, asked):
        press(app, "tab")
        assert asked.posted == []
        assert app.ui.told
    rules = {**dict(view().rules), "false_dobon": 2}  # type: ignore[union-attr]
    with playing(view(rules=rules)) as (app, asked):
        press(app, "tab")
        assert asked.posted == [Dobon(table=3, on=49)]


def test_dobon_return() -> None:
    with playing(asked_for_counter()) as (app, asked):
        press(app, "tab")
        assert asked.posted == [Dobon(table=3, on=49)]


def test_nothing_is_sent_without_a_connection() -> None:
    with playing(view(hand=["3H", "4D"])) as (app, asked):
        app.feed(Away("closed", 1, 500))
        asked.online = False
        press(app, "enter", "d", "tab", "w")
        asked.online = True
        assert asked.posted == []
        assert "not sent" in app.ui.told


def test_a_held_play_is_not_sent_twice() -> None:
    from client.notices import Sent

    with playing(view(), Sent(Play(id=4, table=3, on=50, card="3H"))) as (app, asked):
        press(app, "enter", "d")
        assert asked.posted == []


def test_a_play_in_the_race_goes_alone() -> None:
    with playing(race("opening")) as (app, asked):
        press(app, "enter")
        assert asked.alone == [True]


def test_throws() -> None:
    more: dict[str, Any] = {"try": 1}
    with playing(race("rps", candidates=[0, 2], may=None, playable=None, **more)) as (app, asked):
        press(app, "enter", "2")
        assert asked.posted == [Rps(table=3, on=50, throw="paper")]


def test_answering_an_attack() -> None:
    with playing(attacked()) as (app, asked):
        press(app, "enter", "d")
        assert asked.posted == [Play(table=3, on=50, card="2C"), Draw(table=3, on=50)]


def test_the_last_of_many_cards_can_be_chosen() -> None:
    with playing(many_cards()) as (app, _asked):
        press(app, "P")
        assert app.ui.card == "KH"
        press(app, "right")
        assert app.ui.card == "AS"


def test_leaving_a_table_asks() -> None:
    with playing(view()) as (app, asked):
        press(app, "q", "escape", "q", "down", "enter")
        assert asked.posted == [Leave(table=3), Tables()]


def test_what_the_settings_do_by_themselves() -> None:
    settings = Settings(name="Haru", auto_pass=True, auto_counter=True)
    with playing(view(playable=[], may=["draw"]), settings=settings) as (app, _asked):
        assert by_itself(app) == Draw(table=3, on=50)
    with playing(view(playable=[], may=["pass"], drawn="KC"), settings=settings) as (app, _asked):
        assert by_itself(app) == Pass(table=3, on=50)
    with playing(view(), settings=settings) as (app, _asked):
        assert by_itself(app) is None
    with playing(attacked(playable=[], may=["draw"]), settings=settings) as (app, _asked):
        assert by_itself(app) is None
    with playing(asked_for_counter(), settings=settings) as (app, _asked):
        assert by_itself(app) == Dobon(table=3, on=49)
    with playing(asked_for_counter(hand=["3H", "5D"]), settings=settings) as (app, _asked):
        assert by_itself(app) == Waive(table=3, on=49)
    with playing(view(playable=[], may=["draw"])) as (app, _asked):
        assert by_itself(app) is None


def by_itself(app: App) -> Request | None:
    assert app.model.table is not None
    return app.game.by_itself(app.model.table.view)


def test_every_key_of_help_has_a_text_and_none_is_bound_twice_over() -> None:
    texts = list(help_keys(str))
    assert all(key and text.endswith(".") for key, text in texts)
    capitals = {key for key in KEYS["table"] if key.isupper()}
    assert capitals <= set(LABELS)


# With the keys that a terminal sends.


def typed(*data: str) -> tuple[list[Request], App]:
    """What comes of these bytes, each piece read by itself, at a table where Haru could claim."""

    async def feed(app: App) -> None:
        pressed: list[KeyPress] = []
        parser, processor = Vt100Parser(pressed.append), app.application.key_processor
        with set_app(app.application):
            for each in data:
                parser.feed(each)
                parser.flush()  # a lone Esc is one once nothing follows
                processor.feed_multiple(pressed)
                pressed.clear()
                processor.process_keys()

    with playing(view(hand=["3H", "4D"], playable=["3H"])) as (app, asked):
        asyncio.run(feed(app))
        return asked.posted, app


def test_typing_in_the_chat_plays_no_card() -> None:
    posted, _app = typed("t", "dp w1\t", "ドボン", "\r")
    assert posted == [Chat(table=3, text="dp w1ドボン")]


def test_escape_leaves_the_chat_unsaid() -> None:
    posted, app = typed("t", "hello", "\x1b")
    assert posted == []
    assert app.ui.typing is None


def test_a_paste_is_text_or_nothing() -> None:
    posted, _app = typed("\x1b[200~d\rdddd\t\x1b[201~")
    assert posted == []
    posted, _app = typed("t", "\x1b[200~two\nlines d\x1b[201~", "\r")
    assert posted == [Chat(table=3, text="two lines d")]


def test_a_huge_paste_is_cut() -> None:
    posted, _app = typed("t", "\x1b[200~" + "x" * 50_000 + "\x1b[201~", "\r")
    assert posted == [Chat(table=3, text="x" * CHAT_CHARACTERS)]


@pytest.mark.parametrize(
    "key",
    [
        *("chat", "address", "name", "set:name", "password", "draft:name", "draft:password"),
        *("join:3", "watch:3", "rule:effects"),
    ],
)
def test_what_is_no_text_is_refused_in_every_field(key: str) -> None:
    """A terminal may send bytes that are no letters: they become lone surrogates, which can't be sent."""
    with playing(view()) as (app, asked):
        assert app.deeds.typed(key, "a\udcff") == "It has a character that can't be used here."
        assert asked.posted == []
        assert (app.ui.password, app.ui.address, app.ui.draft) == (Ui().password, Ui().address, Ui().draft)


def test_tab_claims() -> None:
    posted, _app = typed("\t")
    assert posted == [Dobon(table=3, on=49)]
