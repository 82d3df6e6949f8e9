"""A rematch keeps a series: what both clients say of it, and that it goes on from match to match."""

from __future__ import annotations

import pytest
import trio

from client.glyphs import ASCII
from client.i18n import catalogue
from client.model import Model, update
from client.phrases import Speaker
from client.plain_lines import news
from client.screen.draw import draw
from client.screen.scene import Size
from client.series import standings
from protocol.events import MatchOver
from protocol.fields import Series
from protocol.messages import parse_server
from tests.client.screens import scene
from tests.client.terminals import text_of
from tests.server.world import Caller, begin, world

SPEAK = Speaker(catalogue("en").gettext, ASCII)


def test_the_best_on_average_come_first() -> None:
    series = [
        Series(name="Late", matches=1, firsts=0, total_rank=3),
        Series(name="Haru", matches=3, firsts=1, total_rank=5),
        Series(name="Sora", matches=3, firsts=2, total_rank=4),
    ]
    assert standings(series, SPEAK) == [
        "Sora: matches 3, first 2, place 1.3 on average",
        "Haru: matches 3, first 1, place 1.7 on average",
        "Late: matches 1, first 0, place 3.0 on average",
    ]


def test_one_match_makes_no_series() -> None:
    assert standings([Series(name="Haru", matches=1, firsts=1, total_rank=1)], SPEAK) == []


def shown(caller: Caller) -> tuple[list[str], str]:
    """What a plain client says at the end of the last match, and what the screen shows then."""
    model, lines = Model(name="A"), list[str]()
    for message in caller.heard:
        received = parse_server(message)
        assert received is not None
        if message["t"] in ("event", "view"):
            model = update(model, received, 0)  # type: ignore[arg-type]
        if isinstance(received, MatchOver):
            lines = news(received, model, SPEAK)
    return lines, "\n".join(text_of(draw(scene(model, glyphs=ASCII), Size(100, 30))))


async def test_it_grows_with_every_match_at_the_table(autojump_clock: trio.testing.MockClock) -> None:
    async with world() as server:
        players = await server.table(["A", "B"], rules={"rounds": 1})
        for number in (1, 2, 3):
            await begin(players)
            await players[0].event("match_over")
            lines, screen = shown(players[0])
            if number == 1:
                assert len(lines) == 1
                assert "At this table so far" not in screen
                continue
            assert [line.count(f"matches {number}") for line in lines[1:]] == [1, 1]
            assert "At this table so far" in screen
            for line in lines[1:]:
                assert line.strip() in screen


@pytest.mark.parametrize("language", ["en", "ja"])
def test_it_is_said_in_both_languages(language: str) -> None:
    speak = Speaker(catalogue(language).gettext, ASCII)
    (line,) = standings([Series(name="Haru", matches=2, firsts=1, total_rank=3)], speak)
    assert line.startswith("Haru: ")
    assert ("1.5" in line, line.isascii()) == (True, language == "en")
