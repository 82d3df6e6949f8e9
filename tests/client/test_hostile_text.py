"""Text that means harm, in every field where a server can put text: nothing of it moves a cursor or hides."""

from __future__ import annotations

import gettext
import random
from collections.abc import Iterator
from typing import Any

import pytest

from client.glyphs import UNICODE, WIDE_ASCII
from client.model import Model, update
from client.notices import Message
from client.phrases import Speaker
from client.plain_lines import look, news, status
from client.screen.draw import draw
from client.screen.scene import Opened, Page, Size, Ui
from protocol.codes import FrameError
from protocol.connection import Answer
from protocol.events import EVENT_TYPES
from protocol.messages import Create, Event, Tables
from tests.client.screens import model, said, scene, seats, view, welcome
from tests.fuzz import frames

SPEAK = Speaker(gettext.NullTranslations().gettext, UNICODE)
HOSTILE = {
    "colour": "\x1b[31mred\x1b[0m",
    "clear": "\x1b[2J\x1b[H",
    "title": "\x1b]0;title\x07",
    "one-byte escapes": "\x9b2J\x9d0;title\x9c",
    "bell and delete": "\x07\x08\x7f",
    "lines": "a\r\nb\x0bc\x0cd\u2028e\x85f",
    "turned round": "\u202eevil\u202c \u2066x\u2069 \u200e\u200f\u061c",
    "unseen": "\u200b\u2060\u3164\ufeff",
    "nul": "admin\x00",
    "no text": "\ud800",
    "marks of styles": "<b>{0}{name}%s%(x)s</b><ansired>[red]",
}
PAGES: tuple[Page | None, ...] = ("people", "menu", "rules", "settings")


def shown(found: Model, message: Message | None) -> Iterator[str]:
    """All lines that either client makes of it."""
    if message is not None:
        yield from news(message, found, SPEAK)
    yield from status(found, SPEAK)
    pages: tuple[Page | None, ...] = (None,)
    if found.table is not None:
        yield from look(found.table, found, SPEAK)
        pages = (None, "log") if isinstance(message, Event) else (None, "log", *PAGES)
    for page in pages:
        for glyphs in (UNICODE, WIDE_ASCII):
            ui = Ui(pages=() if page is None else (Opened(page),))
            for line in draw(scene(found, ui, glyphs=glyphs), Size(100, 30)).lines:
                yield "".join(part for _style, part in line)


def told(text: str) -> Iterator[tuple[Model, Message | None]]:
    """A server that has nothing else to say."""
    chance = random.Random(7)
    people = [{**seat, "name": text} for seat in seats()]
    named = view(name=text, host={"seat": 0, "name": text}, seats=people, spectators=[text, text])
    at_table = model(named)
    yield at_table, named
    hello = update(Model(), welcome(), 0)
    info: dict[str, Any] = {"table": 3, "name": text, "preset": text, "phase": "open", "spectators": 0}
    sitting = [{"seat": 0, "kind": "human", "name": text}, {"seat": 1, "kind": "bot", "name": text}]
    tables = said(t="ok", re=1, tables=[{**info, "seats": sitting, "password": False}])
    listed = Answer(Tables(id=1), tables)  # type: ignore[arg-type]
    yield update(hello, listed, 0), listed
    for code in ("bad_rules", "slow", "kicked", text):
        refused = said(t="error", re=1, code=code, message=text, field=text)
        answer = Answer(Create(id=1), refused)  # type: ignore[arg-type]
        yield update(at_table, answer, 0), answer
    for ev in sorted(EVENT_TYPES):
        for _ in range(3):
            try:
                happened = said(**frames.event(chance, ev))
                yield update(at_table, happened, 0), happened
            except FrameError:
                continue


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_it_is_only_ever_text(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "TEXTS", (text,))
    lines = 0
    for found, message in told(text):
        for line in shown(found, message):
            assert line.isprintable(), ascii(line)
            lines += 1
    assert lines > 10_000


def test_what_looks_like_a_style_is_shown() -> None:
    """Letter by letter: our own markup is no way to another's cursor."""
    text = HOSTILE["marks of styles"]
    chat = said(t="event", table=3, seq=51, at=1, ev="chat", seat=1, text=text, **{"from": "Aki"})
    found = update(model(view()), chat, 0)
    assert any(text in line for line in news(chat, found, SPEAK))
    assert any(text in line for line in shown(found, None))
