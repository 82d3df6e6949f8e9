"""A match that was played over the network is retold as everybody saw it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import trio

from client.model import Model, update
from client.notices import Checked
from client.retold import Moment, retold
from protocol.connection import Answer
from protocol.messages import View, to_data
from server import export
from server.config import Config
from tests.server.keeping import kept_world
from tests.server.world import Caller, begin

Json = dict[str, Any]

ELSEWHERE = {"seat", "ready", "chat", "spectator", "host", "rules", "paused"}
"""Events that a record does not hold."""
UNKNOWN = {"t", "table", "seq", "at", "series"}
"""What the record has no word of, in any event."""
CLOSE = 5
"""Ms: a record tells when something was decided, and it is told a little later."""

RULES: dict[str, Json] = {
    "dobon": {"rounds": 2, "claims": "first", "false_dobon": 1},
    "pageone": {"preset": "pageone", "rounds": 2, "jokers": 2, "order_by": "rps"},
    "all": {"rounds": 2, "claims": "all", "counter": "ask", "dobon_math": "pair", "last_call": 2},
    "strict": {"rounds": 2, "must_play": True, "answer": "must", "first_card": "effect", "jokers": 1},
}


def game(messages: list[Json]) -> list[Json]:
    """The events of a match, without what no record has."""
    told = [each for each in messages if each["t"] == "event" and each["ev"] not in ELSEWHERE]
    return [{key: value for key, value in each.items() if key not in UNKNOWN} for each in told]


def plain(moments: tuple[Moment, ...]) -> Iterator[Json]:
    for moment in moments:
        for message in moment.messages:
            if not isinstance(message, View | Checked | Answer):
                yield to_data(message)  # type: ignore[arg-type]


def same(heard: list[Json], moments: tuple[Moment, ...]) -> None:
    """All is as it was heard, but for the moments of the deals, which nobody wrote down."""
    got, want = game(list(plain(moments))), game(heard)
    guessed = True
    for mine, theirs in zip(got, want, strict=True):
        guessed = guessed or mine["ev"] in ("match", "round")
        if guessed or mine["ev"] == "round_over":
            mine, theirs = ({**each, "deadline": None} for each in (mine, theirs))
        if mine["ev"] in ("turn", "opening", "direction_race"):
            guessed = False
        mine, theirs = ({k: v for k, v in each.items() if v is not None} for each in (mine, theirs))
        for key in {"until", "deadline"} & mine.keys() & theirs.keys():
            assert abs(mine.pop(key) - theirs.pop(key)) <= CLOSE
        assert mine == theirs


async def play(callers: list[Caller]) -> None:
    """Let bots do it: people do nothing but fall asleep, and what they are asked runs out."""
    await begin(callers)
    await callers[0].event("match_over")
    await trio.sleep(1)


@pytest.mark.parametrize("preset", RULES)
async def test_everybody_is_told_the_same_again(
    preset: str, autojump_clock: trio.testing.MockClock, tmp_path: Path
) -> None:
    async with kept_world(tmp_path, Config(seed=preset.encode())) as server:
        players = await server.table(["A", "B"], seats=4, bots=["easy", "normal"], rules=RULES[preset])
        watcher = await server.watcher("W", players[0].table)
        await play(players)
        trace = export.export(tmp_path, "1", str)
        for viewer, caller in ((0, players[0]), (3, players[1]), (None, watcher)):
            moments = retold(trace, viewer, is_open=False, name=str)
            same(caller.heard, moments)
            model = Model()
            for moment in moments:
                for message in moment.messages:
                    model = update(model, message, moment.at)
                    if isinstance(message, Checked):
                        assert message.fault is None
                        assert message.whole
            assert model.table is not None
            assert model.table.view.phase == "over"
            assert model.table.view.ranking is not None
