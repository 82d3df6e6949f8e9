"""A recorded match on the screen: every way to move through it, through whose eyes, and what is shown."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput
from syrupy.assertion import SnapshotAssertion

from client import replay, replay_app
from client.command import server_part
from client.film import Film
from client.glyphs import ASCII, UNICODE
from client.i18n import catalogue
from client.phrases import Speaker
from client.records import Recorder, moments, read
from client.replay_app import ReplayApp
from client.retold import BadRecord, Moment, retold
from client.screen.scene import Size
from client.settings import Settings
from protocol import events as e
from protocol.connection import Answer
from tests.client.terminals import Terminal, text_of

Json = dict[str, Any]

MATCH = Path(__file__).with_name("match.json")
"""A match of five on a server, Haru and 花子, who sleep, and bots; with a race, attacks and a contest."""
SIZES = (Size(80, 24), Size(60, 16), Size(120, 40))


def record() -> Json:
    found: Json = json.loads(MATCH.read_text("utf-8"))
    return found


def film(viewer: int | None = None, *, is_open: bool = False, data: Json | None = None) -> Film:
    tell = partial(retold, data or record(), name=str, title="match 1")
    return Film(lambda viewer, is_open: tell(viewer, is_open=is_open), viewer, is_open=is_open)


@contextmanager
def shown(found: Film, translate: Callable[[str], str] = str, glyphs: Any = UNICODE) -> Iterator[ReplayApp]:
    with create_pipe_input() as pipe, create_app_session(input=pipe, output=DummyOutput()):
        yield ReplayApp(found, Settings(name="Haru"), glyphs, translate)


def press(app: ReplayApp, *names: str) -> None:
    for name in names:
        app.press(name)


# Moving.


def test_it_goes_forwards_and_backwards_and_stands_the_same() -> None:
    found = film(0)
    views = []
    while True:
        views.append(found.table.view)
        if not found.go(found.place + 1):
            break
    assert found.at_end
    assert len(views) == len(found.moments)
    for view in reversed(views):
        assert found.table.view == view
        found.go(found.place - 1)
    assert (found.place, found.go(-5)) == (0, False)


def test_it_goes_to_rounds_and_claims() -> None:
    found = film()
    assert found.go_to_round(2)
    assert found.table.view.round == 2
    assert isinstance(found.news[0].what, e.RoundBegun)
    found.go(0)
    places = []
    while found.go_to_claim(1):
        places.append(found.place)
        assert found.moment.claims
        assert any(isinstance(entry.what, e.Claimed | e.FalseClaim) for entry in found.news)
    assert len(places) >= 2
    for place in reversed(places[:-1]):
        assert found.go_to_claim(-1)
        assert found.place == place
    assert not found.go_to_claim(-1)


def test_through_other_eyes_it_is_the_same_moment() -> None:
    found = film(0)
    found.go(12)
    at, top = found.moment.at, found.table.view.top
    hand = found.table.view.hand
    for viewer in (1, 4, None):
        found.see(viewer, is_open=False)
        assert (found.moment.at, found.table.view.top, found.table.you) == (at, top, viewer)
        assert found.table.view.hand != hand
    found.see(0, is_open=True)
    assert (found.moment.at, found.table.view.hand) == (at, hand)
    assert all(
        len(held) == seat.count for held, seat in zip(found.moment.hands, found.table.view.seats, strict=True)
    )
    with pytest.raises(BadRecord):
        found.see(5, is_open=False)
    assert (found.viewer, found.moment.at) == (0, at)


def test_what_is_news_is_what_the_step_brought() -> None:
    found = film()
    log = 0
    for place in range(len(found.moments)):
        found.go(place)
        log += len(found.news)
        assert found.table.log[len(found.table.log) - len(found.news) :] == found.news
    assert log == len(found.table.log)


# Records that are none.


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data.pop("rounds"),
        lambda data: data.update(rounds=3),
        lambda data: data.update(rules={"hand": 99}),
        lambda data: data["players"].pop(),
        lambda data: data["rounds"][0].pop("events"),
        lambda data: data["rounds"][0]["steps"].append({"do": "play"}),
        lambda data: data["rounds"][0]["steps"][0].update(events=[{"ev": "played", "seat": 0, "card": "X9"}]),
        lambda data: data["rounds"][0]["steps"][0].update(events=[{"ev": "nonsense"}]),
        lambda data: data["rounds"][0].update(secret="no hex"),
    ],
)
def test_what_is_no_record_is_refused(change: Callable[[Json], object]) -> None:
    data = record()
    change(data)
    with pytest.raises(BadRecord):
        film(data=data)


def test_a_record_without_times_has_a_second_for_each_step() -> None:
    data = record()
    for key in ("players", "settings", "match", "sha256"):
        del data[key]
    for round in data["rounds"]:
        for key in ("secret", "nonces", "commit"):
            del round[key]
        for step in round["steps"]:
            del step["arrival"], step["effect"]
    found = film(data=data)
    found.go(10**6)
    assert found.table.checked is None
    assert found.table.view.ranking is not None
    times = [moment.at for moment in found.moments]
    assert times == sorted(times)
    with shown(found) as app:
        assert any("no secret" in row for row in text_of(app.frame(SIZES[0])))


# The screen.


PLACES: dict[str, Callable[[Film], object]] = {
    "beginning": lambda found: None,
    "opening": lambda found: found.go_to_round(1),
    "attack": lambda found: found.go(next_place(found, lambda film: film.table.view.attack is not None)),
    "contest": lambda found: [found.go_to_claim(1) for _ in range(2)],
    "round over": lambda found: found.go(
        next_place(found, lambda film: film.table.view.phase == "between", 3)
    ),
    "end": lambda found: found.go(10**6),
}


def next_place(found: Film, wanted: Callable[[Film], bool], first: int = 0) -> int:
    for place in range(first, len(found.moments)):
        found.go(place)
        if wanted(found):
            return place
    raise AssertionError("the match has no such moment")


EYES: dict[str, tuple[int | None, bool]] = {
    "Haru": (0, False),
    "spectator": (None, False),
    "open": (None, True),
}


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("eyes", EYES)
@pytest.mark.parametrize("place", PLACES)
def test_pictures(place: str, eyes: str, language: str, snapshot: SnapshotAssertion) -> None:
    viewer, is_open = EYES[eyes]
    found = film(viewer, is_open=is_open)
    PLACES[place](found)
    with shown(found, catalogue(language).gettext) as app:
        pictures = [
            f"{size.width}x{size.height}\n" + "\n".join(Terminal(size).show(app.frame(size)))
            for size in SIZES
        ]
    assert "\n".join(pictures) == snapshot


@pytest.mark.parametrize("language", ["en", "ja"])
def test_pages(language: str, snapshot: SnapshotAssertion) -> None:
    with shown(film(0), catalogue(language).gettext) as app:
        pictures = []
        for key in ("h", "l", "r"):
            press(app, key)
            pictures.append("\n".join(Terminal(SIZES[0]).show(app.frame(SIZES[0]))))
            press(app, "escape")
    assert "\n".join(pictures) == snapshot


def test_what_is_hidden_at_the_table_is_hidden_in_the_replay() -> None:
    """A spectator's picture has no card that nobody has played."""
    found = film()
    found.go_to_round(1)
    cards = {card for hand in found.moment.hands for card in hand}
    with shown(found) as app:
        text = "\n".join(text_of(app.frame(SIZES[2])))
        assert not [card for card in cards if UNICODE.card(card) in text]
        press(app, "o")
        text = "\n".join(text_of(app.frame(SIZES[2])))
        assert all(UNICODE.card(card) in text for card in cards)


def test_keys_move_and_change_eyes() -> None:
    with shown(film()) as app:
        press(app, "right", "right", "left")
        assert app.film.place == 1
        press(app, "end")
        assert app.film.at_end
        press(app, "home", "pagedown", "pagedown")
        assert app.film.moment.round == 2
        press(app, "right", "pageup")
        assert isinstance(app.film.news[0].what, e.RoundBegun)
        assert app.film.moment.round == 2
        press(app, "pageup")
        assert app.film.moment.round == 1
        press(app, "c")
        assert app.film.moment.claims
        press(app, "C")
        assert app.ui.told
        press(app, "2")
        assert (app.film.viewer, app.ui.told) == (1, "")
        press(app, "8")
        assert (app.film.viewer, bool(app.ui.told)) == (1, True)
        press(app, "0", "o")
        assert (app.film.viewer, app.film.is_open) == (None, True)
        press(app, "+", "+", "+", "+", "+", "+")
        assert app.speed == replay_app.SPEEDS[-1]
        press(app, *["-"] * 9)
        assert app.speed == replay_app.SPEEDS[0]
        press(app, "x")


def test_it_plays_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """At twice the speed a step is due after half of what it took; of a long wait only the end is seen."""
    now = 50.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    loop = Loop()
    with shown(film()) as app:
        monkeypatch.setattr(type(app.application), "loop", loop, raising=False)
        app.application.loop = loop  # type: ignore[assignment]
        press(app, "+", " ")
        assert app.playing
        waits = []
        while app.playing:
            wait, act = loop.due.pop()
            gap = min(replay_app.LONGEST, app.film.moments[app.film.place + 1].at - app.film.moment.at)
            assert wait == pytest.approx(gap / 2000, abs=0.001)
            now += wait / 2
            assert app.now() <= app.film.moments[app.film.place + 1].at
            now += wait / 2
            waits.append(wait)
            act()
        assert app.film.at_end
        assert max(waits) == replay_app.LONGEST / 2000
        press(app, " ")
        assert (app.film.place, app.playing) == (0, True)
        press(app, " ")
        assert not app.playing


class Loop:
    """Notes what is to be called, and when."""

    def __init__(self) -> None:
        self.due: list[tuple[float, Callable[[], None]]] = []

    def call_later(self, wait: float, act: Callable[[], None]) -> Loop:
        self.due.append((wait, act))
        return self

    def cancel(self) -> None:
        pass

    def call_soon_threadsafe(self, act: Callable[[], None]) -> None:
        pass


# The command.


def command(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    replay.add_arguments(parser, str)
    return parser.parse_args([*words, "--plain", "--glyphs", "unicode"])


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("eyes", EYES)
def test_plain(eyes: str, language: str, snapshot: SnapshotAssertion) -> None:
    viewer, is_open = EYES[eyes]
    speak = Speaker(catalogue(language).gettext, ASCII)
    assert "\n".join(replay.lines(film(viewer, is_open=is_open), speak, "suit")) == snapshot


def test_plain_from_a_round_on() -> None:
    found = film()
    found.go_to_round(2)
    lines = list(replay.lines(found, Speaker(str, ASCII), "suit"))
    assert not any("Round 1" in line for line in lines)
    assert lines[-1].startswith("The match is over")


def test_a_file_is_replayed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert replay.run(command(str(MATCH), "--seat", "1"), str) == 0
    alone = capsys.readouterr().out
    assert "The match is over." in alone
    several = tmp_path / "several.json"
    several.write_text(json.dumps([{}, record()]))
    assert replay.run(command(str(several), "--match", "2", "--seat", "1"), str) == 0
    assert capsys.readouterr().out.replace(several.name, MATCH.name) == alone


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", []),
        ("[]", []),
        ("[3]", []),
        ("{}", []),
        ('{"t":"record"}\n', []),
        ('{"t":"record"}\n{"t":"view"}\n', []),
        (None, []),
        ("\udcff", []),
        ("", ["--match", "3"]),
    ],
)
def test_what_can_not_be_shown_is_said(
    text: str | None, words: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "it.json"
    if text is not None:
        path.write_bytes(text.encode("utf-8", "surrogateescape"))
    assert replay.run(command(str(path), *words), str) == 1
    said = capsys.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 1)


def test_a_match_that_is_not_kept(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert replay.run(command("12", "--data", str(tmp_path)), str) == 1
    assert capsys.readouterr().err.count("\n") == 1
    assert server_part("folder").kept_at("x") == Path("x")


def test_an_own_record_is_shown_as_it_was_seen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The messages of a match, written down by a client and read again, are the same film."""
    found = film(0)
    with Recorder("Haru", tmp_path) as recorder:
        for moment in found.moments:
            for message in moment.messages:
                recorder.take(message)  # type: ignore[arg-type]
    (path,) = tmp_path.glob("*.jsonl")
    again = moments(read(path.read_text("ascii")))
    views = [own(moment) for moment in again]
    assert [each for view in views for each in view] == [each for m in found.moments for each in own(m)]
    assert replay.run(command(str(path)), str) == 0
    assert "The match is over." in capsys.readouterr().out
    assert replay.run(command(str(path), "--open"), str) == 1
    assert path.stat().st_mode & 0o077 == 0


def own(moment: Moment) -> list[object]:
    return [message for message in moment.messages if not isinstance(message, Answer)]


def test_only_so_many_records_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("client.records.KEPT", 3)
    for number in range(5):
        (tmp_path / f"2020010{number}-000000-match-1-1.jsonl").write_text("")
    with Recorder("Haru", tmp_path) as recorder:
        for message in film(0).moments[0].messages:
            recorder.take(message)  # type: ignore[arg-type]
    names = sorted(path.name for path in tmp_path.glob("*.jsonl"))
    assert len(names) == 3
    assert names[:2] == ["20200103-000000-match-1-1.jsonl", "20200104-000000-match-1-1.jsonl"]


def test_a_server_can_not_make_a_player_lose_what_others_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It begins matches without end: records of it make room for each other."""
    monkeypatch.setattr("client.records.KEPT", 8)
    monkeypatch.setattr("client.records.OWN", 3)
    for number in range(8):
        (tmp_path / f"2020010{number}-000000-match-1-1.jsonl").write_text("")
    begun = next(each for each in film(0).moments[0].messages if isinstance(each, e.MatchBegun))
    with Recorder("Haru", tmp_path) as recorder:
        for number in range(100):
            recorder.take(replace(begun, match=number + 1))
    names = sorted(path.name for path in tmp_path.glob("*.jsonl"))
    assert [name[:4] for name in names].count("2020") == 5
    assert len(names) == 8


def test_a_record_does_not_grow_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("client.records.LARGEST", 10_000)
    messages = [each for moment in film(0).moments for each in moment.messages]
    with Recorder("Haru", tmp_path) as recorder:
        for message in messages:
            recorder.take(message)  # type: ignore[arg-type]
    (path,) = tmp_path.glob("*.jsonl")
    assert 10_000 <= path.stat().st_size < 12_000


def test_a_disk_that_takes_nothing_is_no_fault(tmp_path: Path) -> None:
    (tmp_path / "records").write_text("in the way")
    with Recorder("Haru", tmp_path / "records") as recorder:
        for moment in film(0).moments:
            for message in moment.messages:
                recorder.take(message)  # type: ignore[arg-type]
