"""What a player can work out: what the hand waits for, and that it agrees with the engine."""

import random

import pytest
from msgspec.structs import replace

from client.knowledge import (
    attack_cards,
    can_dobon,
    counter_to_come,
    holds,
    may_claim,
    names_suit,
    sorted_hand,
    total,
    waits,
)
from client.model import Model, update
from engine.rules import Rules
from protocol.fields import Attack
from tests.client.streams import Stream

DOBON = Rules.preset("dobon")


@pytest.mark.parametrize(
    ("fields", "hand", "values"),
    [
        ({}, ["3S", "4H"], (7,)),
        ({}, ["KS", "AH"], ()),
        ({}, ["X1", "4H"], (4,)),
        ({}, [], ()),
        ({"dobon_min": 2}, ["4H"], ()),
        ({"dobon_math": "pair"}, ["3S", "4H"], (1, 7, 12)),
        ({"dobon_math": "pair"}, ["2S", "6H"], (3, 4, 8, 12)),
        ({"dobon_math": "pair"}, ["2S", "6H", "AH"], (9,)),
    ],
)
def test_what_a_hand_waits_for(fields: dict[str, object], hand: list[str], values: tuple[int, ...]) -> None:
    assert waits(DOBON.changed(fields), hand) == values


def test_a_hand_is_sorted_as_wished() -> None:
    stream = Stream(DOBON, 2, random.Random(3))
    for told in (stream.begin(), stream.deal()):
        list(told)
    view = stream.view(0)
    view.hand[:] = ["X1", "KS", "2H", "2S"]  # type: ignore[index]
    assert sorted_hand(view, "suit") == ["2S", "KS", "2H", "X1"]
    assert sorted_hand(view, "rank") == ["2S", "2H", "KS", "X1"]
    assert sorted_hand(view, "dealt") == ["X1", "KS", "2H", "2S"]
    assert total(sorted_hand(view)) == 17


@pytest.mark.parametrize("seed", range(12))
def test_the_client_knows_when_the_engine_would_take_a_dobon(seed: int) -> None:
    chance = random.Random(seed)
    fields = {"preset": chance.choice(["dobon", "pageone"]), "dobon_math": chance.choice(["sum", "pair"])}
    fields |= {
        "claims": chance.choice(["first", "last", "all"]),
        "counter": chance.choice(["auto", "ask", "off"]),
    }
    seats = chance.randint(2, 5)
    stream = Stream(Rules.from_data({**fields, "rounds": 5, "hand": 3}, seats), seats, chance)
    models = {seat: Model() for seat in range(seats)}
    models = {seat: update(model, stream.view(seat), 0) for seat, model in models.items()}
    seen = 0

    def follow(happened: object) -> None:
        nonlocal seen
        for events in happened:  # type: ignore[attr-defined]
            for seat in models:
                models[seat] = update(models[seat], events[seat], 0)
        if not stream.playing:
            return
        assert stream.round is not None
        right = stream.round.claimants()
        for seat, model in models.items():
            assert model.table is not None
            if counter_to_come(model.table.view):
                # which no event tells, but the next view
                models[seat] = update(model, stream.view(seat), 0)
            table = models[seat].table
            assert table is not None
            view = table.view
            if stream.round.waived >> seat & 1:
                continue  # which only the answer to its own waiver tells
            assert can_dobon(view) == bool(right >> seat & 1)
            assert can_dobon(view) == (may_claim(view) and holds(view))
            seen += can_dobon(view)

    follow(stream.begin())
    while not stream.match.over:
        follow(stream.deal())
        while stream.playing:
            follow(stream.step())
    assert seen


def test_which_cards_name_a_suit_and_how_high_an_attack_is() -> None:
    stream = Stream(Rules.from_data({"jokers": 2}), 2, random.Random(3))
    for told in (stream.begin(), stream.deal()):
        list(told)
    view = stream.view(0)
    assert [names_suit(view, card) for card in ("8S", "X1", "9S")] == [True, True, False]
    assert attack_cards(view) == 0
    attacked = replace(view, attack=Attack(rank="2", draw=6), discards=["9S", "2S", "2H", "2C"])
    assert attack_cards(attacked) == 3
    assert not names_suit(attacked, "8S")
