"""The model after events is the model of a fresh view."""

import random
from collections.abc import Iterable
from typing import Any

import pytest

from client.advance import settled
from client.model import Model, update
from engine.rules import Rules
from protocol.connection import Answer
from protocol.messages import Chat, Error, Event, Leave, Sync, View
from tests.client.streams import TABLE, Stream

FIELDS: dict[str, tuple[Any, ...]] = {
    "preset": ("dobon", "pageone"),
    "jokers": (0, 1, 2),
    "hand": (3, 4, 5),
    "answer": ("may", "must"),
    "drawn": ("play", "end"),
    "must_play": (False, True),
    "reverse_two": ("skip", "none"),
    "out": (True, True, False),
    "dobon_math": ("sum", "pair"),
    "claims": ("first", "last", "all"),
    "chain_loser": ("previous", "discarder"),
    "counter": ("auto", "ask", "off"),
    "false_dobon": (0, 1, 2),
    "last_call": (0, 1, 2),
    "order_by": ("coin", "rps"),
}


@pytest.mark.parametrize("seed", range(16))
def test_a_model_after_events_is_that_of_a_fresh_view(seed: int) -> None:
    chance = random.Random(seed)
    fields = {name: chance.choice(values) for name, values in FIELDS.items()}
    seats = chance.randint(2, 5)
    stream = Stream(Rules.from_data({**fields, "rounds": 2}, seats), seats, chance)
    models = {viewer: update(Model(), stream.view(viewer), 0) for viewer in stream.viewers}

    def follow(happened: Iterable[dict[int | None, Event]]) -> None:
        for events in happened:
            for viewer, event in events.items():
                models[viewer] = update(models[viewer], event, event.at)
        for viewer, model in models.items():
            table = model.table
            assert table is not None
            if stream.others_closed and stream.playing:
                continue  # with `claims: all` the discarder is asked without any event
            fresh = settled(stream.view(viewer))
            assert told(table.view, fresh) == told(fresh, fresh)

    follow(stream.begin())
    while not stream.match.over:
        follow(stream.deal())
        for _ in range(600):
            if stream.playing:
                follow(stream.step())
        while stream.playing:
            follow(stream.hasten())
    table = models[None].tables[TABLE]
    assert table.view.phase == "over"
    assert table.view.ranking


def told(view: View, fresh: View) -> dict[str, Any]:
    """All of a view but what only the answer to the viewer's own request tells: these viewers ask for
    nothing, so the waivers and declines that `fresh` has are unknown to them."""
    data = {name: getattr(view, name) for name in view.__struct_fields__}
    if fresh.claim == "waived":
        del data["claim"]
    if view.phase in ("opening", "direction"):
        data |= dict.fromkeys(("playable", "may", "act_on"))
    return data


@pytest.mark.parametrize(("code", "closed"), [("no_table", "admin"), ("not_at_table", "kicked")])
def test_a_table_that_was_lost_while_away_is_closed(code: str, closed: str) -> None:
    stream = Stream(Rules.preset("dobon"), 2, random.Random(1))
    model = update(Model(), stream.view(0), now=0)
    refusal = Error(code=code, message="", re=1)
    lost = update(model, Answer(Sync(id=1, table=TABLE), refusal), now=0)
    assert lost.tables[TABLE].closed == closed
    assert not update(model, Answer(Leave(id=1, table=TABLE), refusal), now=0).tables
    asked = update(
        model, Answer(Chat(id=1, table=TABLE, text="?"), Error(code="rate", message="", re=1)), now=0
    )
    assert asked.tables[TABLE].closed is None
