"""Whatever is to be shown, no line is wider than the terminal, and names move no column."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import lru_cache
from types import MappingProxyType

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace as changed

from client.glyphs import ASCII, UNICODE, WIDE_ASCII
from client.i18n import catalogue
from client.keys import help_keys
from client.model import Model, update
from client.screen.canvas import Frame
from client.screen.draw import draw
from client.screen.scene import Opened, Page, Scene, Size, Typing, Ui
from client.settings import Settings
from engine.rules import Rules
from protocol.events import Chatted
from protocol.text import columns
from tests.client.states import STATES
from tests.client.streams import Stream
from tests.client.terminals import Terminal, text_of

HOSTILE = (
    *("\x1b[31mred\x1b[0m", "\x1b]0;title\x07", "\x9b31m", "\u202eevil\u202c", "a" + "\u0301" * 40),
    *("<b>bold</b>", "{0}", "%s", "{name}", "花子・アリス", "한글이름", "👨\u200d👩\u200d👧", "🇯🇵", "♠♥♦♣"),
    *("\u200b\u2060", "カ\u3099ナ", "\u115f\u1160", "\ud800", "", " ", "W" * 40, "ｆｕｌｌ", "\t\r\n"),
    *("\x7f\x00", "①②③", "x" * 300),
)
names = st.one_of(st.sampled_from(HOSTILE), st.text(max_size=20))
sizes = st.builds(Size, st.integers(20, 250), st.integers(5, 80))
PAGES: tuple[Page, ...] = (
    *("menu", "help", "rules", "settings", "log", "people", "suit", "throw", "leave", "create"),
)
TABLES = (Size(80, 24), Size(120, 40))
EDGES = (
    *(Size(20, 5), Size(60, 16), Size(61, 17), Size(79, 23), Size(80, 24), Size(111, 29), Size(112, 30)),
    Size(250, 80),
)


@lru_cache(maxsize=64)
def played(seed: int) -> tuple[Model, int]:
    """A match at random, stopped at random; and the time then."""
    chance = random.Random(seed)
    rules = Rules.preset(chance.choice(("dobon", "pageone"))).changed(
        {"jokers": chance.randrange(3), "hand": 3 + chance.randrange(3), "rounds": 2}
    )
    stream = Stream(rules, chance.randrange(2, 9), chance)
    you = chance.choice(stream.viewers)
    model = update(Model(link="online", name="P0"), stream.view(you), 0)
    for _ in range(chance.randrange(40)):
        told = stream.step() if stream.playing else stream.begin() if stream.number is None else stream.deal()
        for events in told:
            model = update(model, events[you], stream.at)
        if stream.ranking is not None:
            break
    return model, stream.at


def renamed(model: Model, called: list[str]) -> Model:
    """The same with other names for everybody and everything, and with them in the chat."""
    table = model.table
    assert table is not None
    name = [called[place % len(called)] for place in range(9)]
    view = changed(
        table.view,
        name=name[8],
        seats=[changed(seat, name=name[seat.seat]) for seat in table.view.seats],
        spectators=[name[0], name[1]],
    )
    said = Chatted(table=view.table, seq=view.seq + 1, at=view.at, name=name[2], seat=None, text=name[3])
    players = tuple(changed(seat, name=name[seat.seat]) for seat in table.players)
    table = replace(table, view=view, players=players)
    return update(replace(model, tables=MappingProxyType({table.id: table})), said, view.at)


@st.composite
def scenes(draw_: st.DrawFn) -> Scene:
    model, now = played(draw_(st.integers(0, 63)))
    model = renamed(model, draw_(st.lists(names, min_size=1, max_size=9)))
    table = model.table
    assert table is not None
    hand = table.view.hand or []
    ui = Ui(
        pages=tuple(
            Opened(page, draw_(st.integers(0, 30)), draw_(st.integers(0, 30)), (hand or ["7H"])[0])
            for page in draw_(st.lists(st.sampled_from(PAGES), max_size=1))
        ),
        card=draw_(st.sampled_from([None, *hand])),
        on_buttons=draw_(st.booleans()),
        typing=draw_(st.sampled_from((None, Typing("chat"), Typing("name")))),
        told=draw_(st.sampled_from(("", *HOSTILE[:4]))) and "x" * 200,
        address=draw_(names),
    )
    translate = catalogue(draw_(st.sampled_from(("en", "ja")))).gettext
    return Scene(
        model,
        ui,
        Settings(name=draw_(names), sort=draw_(st.sampled_from(("suit", "rank", "dealt")))),
        draw_(st.sampled_from((UNICODE, ASCII, WIDE_ASCII))),
        translate,
        now + draw_(st.integers(0, 40_000)),
        ping=draw_(st.sampled_from((None, 3, 12_345))),
        connected=draw_(st.integers(0, 9)) > 0,
        keys=tuple(help_keys(translate)),
    )


@settings(max_examples=200, deadline=None)
@given(scenes(), sizes)
def test_every_line_is_as_wide_as_the_terminal(scene: Scene, size: Size) -> None:
    frame = draw(scene, size)
    assert len(frame.lines) == size.height
    for line in frame.lines:
        text = "".join(text for _style, text in line)
        assert columns(text) == size.width
        assert text.isprintable() or all(character.isprintable() for character in text)
    if frame.field is not None:
        assert 0 <= frame.field.y < size.height
        assert 0 < frame.field.columns <= size.width - frame.field.left


@settings(max_examples=40, deadline=None)
@given(scenes(), sizes)
def test_the_terminal_shows_what_was_drawn(scene: Scene, size: Size) -> None:
    scene = replace(scene, ui=replace(scene.ui, typing=None))
    frame = draw(scene, size)
    assert Terminal(size).show(frame) == text_of(frame)


def edges(frame: Frame) -> set[tuple[int, int, str]]:
    """Where the upright edges and the corners of all boxes stand."""
    found = set()
    for y, line in enumerate(frame.lines):
        x = 0
        for _style, text in line:
            for character in text:
                if character in "│║┌┐└┘╔╗╚╝":
                    found.add((y, x, character))
                x += columns(character)
    return found


@settings(max_examples=60, deadline=None)
@given(
    st.lists(names, min_size=1, max_size=9),
    st.integers(0, 63),
    st.sampled_from((Size(80, 24), Size(120, 40))),
)
def test_names_move_no_column(called: list[str], seed: int, size: Size) -> None:
    model, now = played(seed)
    plain = Scene(renamed(model, ["Haru"]), Ui(), Settings(), UNICODE, str, now, connected=True)
    table = plain.table
    assert table is not None
    if table.view.top is None or table.view.claims:  # a contest takes a second row for long names
        return
    hostile = replace(plain, model=renamed(model, called))
    above = size.height - 3  # a long sentence takes this row, too
    assert {edge for edge in edges(draw(hostile, size)) if edge[0] != above} == {
        edge for edge in edges(draw(plain, size)) if edge[0] != above
    }


def test_states_fit_any_size() -> None:
    for name, state in STATES.items():
        scene = state()
        for size in EDGES:
            for line in draw(scene, size).lines:
                assert sum(columns(text) for _style, text in line) == size.width, name
