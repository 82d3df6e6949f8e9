"""What the journals of a folder say of everybody who played, and that it says the same when made anew."""

from __future__ import annotations

import json
import shutil
import sqlite3
import sys
from collections import Counter
from pathlib import Path
from statistics import median
from typing import Any

import pytest
import trio
import trio.testing

from engine.rules import Rules
from server import export
from server.config import Config
from server.ratings import NoRatings, Rating, rate
from server.statistics import collect, preset_of

from .keeping import kept_world
from .world import arrange, begin

Json = dict[str, Any]


async def matches(folder: Path) -> None:
    """Three matches at two tables, of two people and bots, and one that is not over."""
    async with kept_world(folder, Config(seed=b"statistics")) as server:
        rules = {"rounds": 2, "claims": "all", "counter": "ask", "dobon_math": "pair"}
        players = await server.table(["Haru", "Sora"], seats=4, bots=["hard", "hard"], rules=rules)
        for _ in range(2):
            await begin(players)
            await players[0].event("match_over")
        host = players[1]
        made = await host.ask(
            "create",
            seats=3,
            bots=["easy", "normal"],
            rules={"preset": "pageone", "rounds": 1},
        )
        host.table = made["table"]
        await host.ask("start")
        await host.event("match_over")
        await players[0].ask("start")
        await players[0].event("match", match=4)
        await trio.sleep(1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("statistics")
    trio.run(matches, path, clock=trio.testing.MockClock(autojump_threshold=0))
    return path


def by_name(data: Json) -> dict[str, Json]:
    return {player["name"] or f"bot {player['level']}": player for player in data["players"]}


def test_it_is_what_the_records_say(folder: Path) -> None:
    data = collect(folder)
    found = by_name(data)
    assert (data["matches"], data["damaged"], data["rated"]) == (3, 0, True)
    assert set(found) == {"Haru", "Sora", "bot hard", "bot easy", "bot normal"}
    totals, ranks = Counter[str](), Counter[tuple[str, int]]()
    made, suffered, countered = Counter[str](), Counter[str](), Counter[str]()
    times: dict[str, list[int]] = {}
    for number in ("1", "2", "3"):
        trace = export.export(folder, number, str)
        names = [
            each["name"] if each["kind"] == "human" else f"bot {each['level']}" for each in trace["players"]
        ]
        for place in trace["ranking"]:
            totals[names[place["seat"]]] += place["total"]
            ranks[names[place["seat"]], place["rank"]] += 1
        for round in trace["rounds"]:
            shown = 0
            for step in round["steps"]:
                for event in step.get("events", ()):
                    match event:
                        case {"ev": "played"}:
                            shown = step["effect"]
                        case {"ev": "claimed", "counter": True, "seat": seat}:
                            countered[names[seat]] += 1
                        case {"ev": "claimed", "seat": seat}:
                            made[names[seat]] += 1
                            times.setdefault(names[seat], []).append(step["arrival"] - shown)
                        case {"ev": "round_over", "why": "dobon", "losers": losers}:
                            suffered.update(names[seat] for seat in losers)
    assert sum(made.values()) >= 3
    for name, player in found.items():
        assert player["points"] == totals[name]
        assert player["places"] == {str(rank): n for (who, rank), n in sorted(ranks.items()) if who == name}
        assert player["dobons"] == {
            "made": made[name],
            "suffered": suffered[name],
            "countered": countered[name],
        }
        if name in times:
            assert player["claim_ms"]["median"] == pytest.approx(median(times[name]) / 1e6, abs=0.001)
            assert player["claim_ms"]["best"] == pytest.approx(min(times[name]) / 1e6, abs=0.001)
        else:
            assert player["claim_ms"] is None


def test_it_is_by_preset_too(folder: Path) -> None:
    found = by_name(collect(folder))
    assert set(found["Sora"]["presets"]) == {"dobon", "pageone"}
    assert set(found["Haru"]["presets"]) == {"dobon"}
    assert found["bot hard"]["presets"]["dobon"]["matches"] == found["bot hard"]["matches"] == 4
    parts = found["Sora"]["presets"].values()
    assert sum(part["matches"] for part in parts) == found["Sora"]["matches"] == 3
    assert sum(part["points"] for part in parts) == found["Sora"]["points"]


def test_ratings_are_the_same_after_a_rebuild(folder: Path, tmp_path: Path) -> None:
    """They follow from the matches alone: no earlier run and no other machine changes them."""
    first = collect(folder)
    assert collect(folder) == first
    moved = tmp_path / "moved"
    shutil.copytree(folder, moved)
    connection = sqlite3.connect(moved / "journal.sqlite")
    connection.execute("VACUUM")
    connection.close()
    assert collect(moved) == first
    ratings = {name: each["rating"] for name, each in by_name(first).items()}
    assert all(rating["sigma"] < 25 / 3 for rating in ratings.values())
    assert json.loads(json.dumps(first)) == first


def test_the_best_come_first(folder: Path) -> None:
    players = collect(folder)["players"]
    least = [player["rating"]["mu"] - 3 * player["rating"]["sigma"] for player in players]
    assert least == sorted(least, reverse=True)


def test_without_openskill_all_but_the_ratings_is_there(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rated = collect(folder)
    monkeypatch.setitem(sys.modules, "openskill.models", None)
    with pytest.raises(NoRatings):
        rate([])
    data = collect(folder)
    assert not data["rated"]
    assert all(player["rating"] is None for player in data["players"])
    bare = [{**player, "rating": None} for player in rated["players"]]
    assert sorted(map(str, bare)) == sorted(map(str, data["players"]))


def test_who_wins_rises_and_who_loses_falls() -> None:
    match = {0: ("a", 1), 1: ("b", 2), 2: ("c", 2), 3: ("d", 4)}
    found = rate([match] * 5)
    assert found["a"].mu > found["b"].mu > found["d"].mu
    assert found["b"].mu == pytest.approx(found["c"].mu)
    assert Rating(25, 2).least == 19
    once, twice = rate([match]), rate([match, match])
    assert twice["a"].sigma < once["a"].sigma


def test_bots_of_a_level_share_a_rating() -> None:
    found = rate([{0: ("bot", 1), 1: ("bot", 3), 2: ("a", 2)}])
    assert set(found) == {"bot", "a"}
    assert found["bot"].mu == pytest.approx(25, abs=1)


async def test_a_contest_has_its_lags(
    autojump_clock: trio.testing.MockClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Claims 100 and 150 ms after the card was shown: times of 100 and 150, lags of 0 and 50 ms."""
    arrange(monkeypatch, ("7H 2C 9D", "3D 4D", "3C 4C"), "3H")
    async with kept_world(tmp_path) as server:
        rules = {"rounds": 1, "claims": "all", "counter": "off"}
        a, b, c = await server.table(["A", "B", "C"], rules=rules)
        await begin([a, b, c])
        turn = await a.event("turn")
        await a.ask("play", on=turn["seq"], card="7H")
        on = (await c.event("played"))["seq"]
        await trio.sleep(0.1)
        b.request("dobon", on=on)
        await trio.sleep(0.05)
        c.request("dobon", on=on)
        await a.event("match_over")
        await trio.sleep(1)
    found = by_name(collect(tmp_path))
    assert found["B"]["claim_ms"]["median"] == pytest.approx(100, abs=2)
    assert found["C"]["claim_ms"]["best"] == pytest.approx(150, abs=2)
    assert found["B"]["lag_ms"] == {"median": 0.0, "best": 0.0}
    assert found["C"]["lag_ms"]["median"] == pytest.approx(50, abs=2)
    assert found["A"]["dobons"] == {"made": 0, "suffered": 1, "countered": 0}
    assert found["A"]["claim_ms"] is None


def test_what_is_damaged_is_counted_and_left_out(folder: Path, tmp_path: Path) -> None:
    moved = tmp_path / "moved"
    shutil.copytree(folder, moved)
    connection = sqlite3.connect(moved / "journal.sqlite")
    with connection:
        connection.execute("UPDATE match SET data = x'00' WHERE number = 2")
        connection.execute("DELETE FROM input WHERE match = 3 AND round = 1 AND place = 1")
    connection.close()
    (moved / "play.sqlite").write_bytes(b"none at all")
    data = collect(moved)
    assert (data["matches"], data["damaged"]) == (1, 3)
    assert collect(tmp_path / "nowhere")["players"] == []


def test_rules_that_were_changed_are_counted_with_their_preset() -> None:
    for name in ("dobon", "pageone"):
        assert preset_of(Rules.preset(name)) == name
        assert preset_of(Rules.preset(name).changed({"rounds": 3, "hand": 6, "jokers": 2})) == name
