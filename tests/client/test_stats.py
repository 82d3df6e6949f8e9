"""`dobon stats` and its page: the same lines from the same statistics."""

from __future__ import annotations

import argparse
import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from client import stats
from client.i18n import catalogue
from client.model import Model
from client.screen.draw import draw, text_lines
from client.screen.scene import Scene, Size, Ui
from client.screen.statistics import statistics_lines
from tests.client.screens import scene
from tests.client.terminals import Terminal
from tests.client.test_app import press
from tests.client.test_pages import go, shown

Json = dict[str, Any]
SIZES = (Size(80, 24), Size(60, 16), Size(120, 40))


def figures(matches: int, first: int, points: int, made: int, *, claims: bool = True) -> Json:
    return {
        "matches": matches,
        "places": {"1": first, "3": matches - first},
        "mean_place": (first + 3 * (matches - first)) / matches,
        "points": points,
        "dobons": {"made": made, "suffered": made // 2, "countered": made // 5},
        "claim_ms": {"median": 812.4, "best": 341.013} if claims else None,
        "lag_ms": {"median": 12.75, "best": 0.0} if claims else None,
    }


def data(*, rated: bool = True, damaged: int = 0) -> Json:
    """Two people and a bot, who played both games."""
    players = [
        (
            "花子・アリス",
            None,
            figures(12, 7, 310, 21),
            {"dobon": figures(10, 6, 305, 18), "pageone": figures(2, 1, 5, 3)},
        ),
        (None, "hard", figures(12, 4, 420, 17), {"dobon": figures(12, 4, 420, 17)}),
        (
            "Haru\x1b[1m",
            None,
            figures(3, 0, 190, 0, claims=False),
            {"dobon": figures(3, 0, 190, 0, claims=False)},
        ),
    ]
    return {
        "matches": 12,
        "damaged": damaged,
        "rated": rated,
        "players": [
            {
                "name": name,
                "level": level,
                "rating": {"mu": 30.21 - place, "sigma": 3.4} if rated else None,
                **overall,
                "presets": presets,
            }
            for place, (name, level, overall, presets) in enumerate(players)
        ],
    }


def page(statistics: Json | None, language: str = "en") -> Scene:
    ui = replace(Ui().opened("statistics"), statistics=statistics)
    return replace(scene(Model(), ui), connected=False, translate=catalogue(language).gettext)


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("state", ["full", "empty", "reading", "no ratings"])
def test_page(state: str, language: str, snapshot: SnapshotAssertion) -> None:
    nothing = {"matches": 0, "damaged": 0, "rated": True, "players": []}
    statistics = {
        "full": data(damaged=1),
        "empty": nothing,
        "reading": None,
        "no ratings": data(rated=False),
    }[state]
    found = page(statistics, language)
    pictures = [
        f"{size.width}x{size.height}\n" + "\n".join(Terminal(size).show(draw(found, size))) for size in SIZES
    ]
    assert "\n".join(pictures) == snapshot


def test_without_ratings_one_sentence_says_how_to_have_them() -> None:
    said = "\n".join(line for _style, line in statistics_lines(data(rated=False), str, 100))
    assert said.count("ratings") == 2  # the sentence, and the name of what is to be installed
    assert "dobon[ratings]" in said
    assert "±" not in said


def test_names_can_do_no_harm() -> None:
    assert not any("\x1b" in line for _style, line in statistics_lines(data(), str, 100))


def ask(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    parser = argparse.ArgumentParser()
    stats.add_arguments(parser, str)
    assert stats.run(parser.parse_args(words), str) == 0
    return capsys.readouterr().out


def test_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "No match has been played" in ask(capsys, "--data", str(tmp_path))
    assert json.loads(ask(capsys, "--data", str(tmp_path), "--json"))["players"] == []
    monkeypatch.setattr(stats, "collected", lambda folder: data())
    said = ask(capsys)
    assert "花子・アリス" in said
    assert "bot, hard" in said
    assert json.loads(ask(capsys, "--json")) == data()


def test_the_start_screen_opens_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("client.deeds.collected", data)
    with shown(Model(), connected=False) as (app, _asked, _kept):
        go(app, "statistics")
        press(app, "enter")
        assert app.ui.page is not None
        assert app.ui.page.page == "statistics"
        lines = [line for _style, line in text_lines(app.scene(), app.ui.page, 76)]
        assert any("花子" in line for line in lines)
        app.press("escape")
        assert app.ui.page is None


def test_what_is_read_meanwhile_does_not_hold_up_the_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main(fails: bool) -> None:
        def collected() -> Json:
            if fails:
                raise OSError("no")
            return data()

        monkeypatch.setattr("client.deeds.collected", collected)
        with shown(Model(), connected=False) as (app, _asked, _kept):
            app.application.loop = asyncio.get_running_loop()
            changed = asyncio.Event()
            show = app.show

            def noticed(ui: Ui) -> None:
                show(ui)
                changed.set()

            monkeypatch.setattr(app, "show", noticed)
            go(app, "statistics")
            press(app, "enter")
            assert app.ui.statistics is None
            while app.ui.statistics is None and not app.ui.told:
                changed.clear()
                await changed.wait()
            assert bool(app.ui.told) is fails
            assert (app.ui.page is None) is fails

    asyncio.run(main(False))
    asyncio.run(main(True))
