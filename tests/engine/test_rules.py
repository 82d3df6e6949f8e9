"""Rules from text and from data: what is refused, with which sentence, and what comes back as it was."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given

from engine.rules import FIELDS, PRESETS, BadRules, Rules, parse_rule
from tests.engine.play import Table, tables

FROM_DATA: list[tuple[dict[str, Any], int, str, str]] = [
    # names
    ({"joker": 1}, 4, "joker", "one of the fields jokers, hand"),
    ({"Jokers": 1}, 4, "Jokers", "one of the fields"),
    ({"": 1}, 4, "", "one of the fields"),
    ({"preset": "mau"}, 4, "preset", "one of dobon, pageone"),
    ({"preset": None}, 4, "preset", "one of dobon, pageone"),
    ({"preset": ["dobon"]}, 4, "preset", "one of dobon, pageone"),
    # types
    ({"hand": "5"}, 4, "hand", "a whole number from 3 to 7"),
    ({"hand": 5.0}, 4, "hand", "a whole number from 3 to 7"),
    ({"hand": None}, 4, "hand", "a whole number from 3 to 7"),
    ({"jokers": True}, 4, "jokers", "a whole number from 0 to 2"),
    ({"must_play": "yes"}, 4, "must_play", "true or false"),
    ({"out": 1}, 4, "out", "true or false"),
    ({"double_effect": 0}, 4, "double_effect", "true or false"),
    ({"claims": True}, 4, "claims", "one of first, last, all"),
    ({"claims": ["first"]}, 4, "claims", "one of first, last, all"),
    ({"effects": "A:skip"}, 4, "effects", "a map from a rank or a card"),
    ({"effects": [["A", "skip"]]}, 4, "effects", "a map from a rank or a card"),
    # ranges
    ({"jokers": 3}, 4, "jokers", "a whole number from 0 to 2"),
    ({"jokers": -1}, 4, "jokers", "a whole number from 0 to 2"),
    ({"hand": 2}, 4, "hand", "a whole number from 3 to 7"),
    ({"hand": 8}, 2, "hand", "a whole number from 3 to 7"),
    ({"hand": 2**70}, 2, "hand", "a whole number from 3 to 7"),
    ({"rounds": 0}, 4, "rounds", "a whole number from 1 to 20"),
    ({"rounds": 21}, 4, "rounds", "a whole number from 1 to 20"),
    ({"dobon_min": 0}, 4, "dobon_min", "a whole number from 1 to 7"),
    ({"counter_min": 8}, 4, "counter_min", "a whole number from 1 to 7"),
    ({"false_dobon": 6}, 4, "false_dobon", "a whole number from 0 to 5"),
    ({"last_call": 6}, 4, "last_call", "a whole number from 0 to 5"),
    # words
    ({"opening": "Race"}, 4, "opening", "one of turn, race"),
    ({"starter": "host"}, 4, "starter", "one of rotate, random, winner, loser"),
    ({"first_card": ""}, 4, "first_card", "one of plain, effect"),
    ({"answer": "can"}, 4, "answer", "one of may, must"),
    ({"drawn": "keep"}, 4, "drawn", "one of play, end"),
    ({"reverse_two": "reverse"}, 4, "reverse_two", "one of skip, none"),
    ({"dobon_math": "product"}, 4, "dobon_math", "one of sum, pair"),
    ({"chain_loser": "all"}, 4, "chain_loser", "one of previous, discarder"),
    ({"counter": "yes"}, 4, "counter", "one of auto, ask, off"),
    ({"order_by": "dice"}, 4, "order_by", "one of coin, rps"),
    ({"scoring": "points"}, 4, "scoring", "one of penalty, wins, chain"),
    # effects
    ({"effects": {"X1": "skip"}}, 4, "effects", "(no joker)"),
    ({"effects": {"X": "skip"}}, 4, "effects", "(no joker)"),
    ({"effects": {"10": "skip"}}, 4, "effects", "a rank or a card"),
    ({"effects": {"SA": "skip"}}, 4, "effects", "a rank or a card"),
    ({"effects": {"a": "skip"}}, 4, "effects", "a rank or a card"),
    ({"effects": {1: "skip"}}, 4, "effects", "a rank or a card"),
    ({"effects": {"A": "attack"}}, 4, "effects", "attack1 to attack9"),
    ({"effects": {"A": "attack0"}}, 4, "effects", "attack1 to attack9"),
    ({"effects": {"A": "attack10"}}, 4, "effects", "attack1 to attack9"),
    ({"effects": {"A": None}}, 4, "effects", "attack1 to attack9"),
    ({"effects": {"A": ["skip"]}}, 4, "effects", "attack1 to attack9"),
    # what contradicts itself
    ({"first_card": "effect", "opening": "race"}, 4, "first_card", "plain where the opening is a race"),
    ({"preset": "pageone", "first_card": "effect"}, 4, "first_card", "plain where the opening is a race"),
    ({"hand": 7}, 8, "hand", "at most 6 cards for 8 seats"),
    ({"hand": 7, "jokers": 2}, 8, "hand", "at most 6 cards for 8 seats"),
    ({}, 1, "seats", "a whole number from 2 to 8"),
    ({}, 9, "seats", "a whole number from 2 to 8"),
]

FROM_TEXT: list[tuple[str, str, str]] = [
    ("hand", "hand", "FIELD=VALUE"),
    ("", "", "FIELD=VALUE"),
    ("=5", "", "one of the fields"),
    ("hands=5", "hands", "one of the fields"),
    ("hand=", "hand", "a whole number from 3 to 7"),
    ("hand=five", "hand", "a whole number from 3 to 7"),
    ("hand=5.0", "hand", "a whole number from 3 to 7"),
    ("hand=-5", "hand", "a whole number from 3 to 7"),
    ("hand=５", "hand", "a whole number from 3 to 7"),
    ("hand=" + "9" * 5000, "hand", "a whole number from 3 to 7"),
    ("rounds=21", "rounds", "a whole number from 1 to 20"),
    ("must_play=maybe", "must_play", "true or false"),
    ("must_play=1", "must_play", "true or false"),
    ("claims=middle", "claims", "one of first, last, all"),
    ("claims=", "claims", "one of first, last, all"),
    ("effects=A", "effects", "a map from a rank or a card"),
    ("effects=A:skip,,J:reverse", "effects", "a map from a rank or a card"),
    ("effects=A:skip:J", "effects", "a map from a rank or a card"),
    ("effects=A:skip,A:wild", "effects", "a map from a rank or a card"),
    ("effects=X1:skip", "effects", "(no joker)"),
    ("effects=A:attack10", "effects", "attack1 to attack9"),
    ("preset=mau", "preset", "one of dobon, pageone"),
]


def assert_one_sentence(bad: BadRules, field: str, expected: str) -> None:
    """Names the field, its value and what would do, on one line."""
    assert bad.field == field
    assert expected in bad.expected
    assert "\n" not in str(bad)
    assert str(bad).startswith(f"{field}: {bad.value!r} will not do; expected ")


@pytest.mark.parametrize(("data", "seats", "field", "expected"), FROM_DATA)
def test_bad_data(data: Mapping[str, Any], seats: int, field: str, expected: str) -> None:
    with pytest.raises(BadRules) as refused:
        Rules.from_data(data, seats=seats)
    assert_one_sentence(refused.value, field, expected)


@pytest.mark.parametrize(("text", "field", "expected"), FROM_TEXT, ids=lambda text: text[:30])
def test_bad_text(text: str, field: str, expected: str) -> None:
    with pytest.raises(BadRules) as refused:
        Rules.from_data(dict([parse_rule(text)]), seats=4)
    assert_one_sentence(refused.value, field, expected)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("hand=6", 6),
        (" hand = 6 ", 6),
        ("must_play=yes", True),
        ("must_play=true", True),
        ("out=no", False),
        ("claims=all", "all"),
        ("effects=", ()),
        ("effects=A:skip,AS:attack5", (("A", "skip"), ("AS", "attack5"))),
        ("effects=A:skip, 2:attack9", (("A", "skip"), ("2", "attack9"))),
    ],
)
def test_good_text(text: str, value: object) -> None:
    field, parsed = parse_rule(text)
    assert getattr(Rules.from_data({field: parsed}), field) == value


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_is_a_set_of_values(name: str) -> None:
    """Nothing remembers where rules came from: the same values are the same rules."""
    preset = Rules.preset(name)
    assert list(preset.to_data()) == list(FIELDS)
    assert Rules.from_data(preset.to_data()) == preset
    other = next(each for each in PRESETS if each != name)
    assert Rules.from_data({"preset": other, **preset.to_data()}) == preset
    assert Rules.preset(other).changed({"preset": name}) == preset


def test_effects_replace_the_whole_map() -> None:
    assert Rules.from_data({"effects": {"Q": "skip"}}).to_data()["effects"] == {"Q": "skip"}
    assert Rules.from_data({"preset": "pageone", "effects": {}}).effects == ()


@given(tables())
def test_data_comes_back_as_it_was(table: Table) -> None:
    assert Rules.from_data(table.rules.to_data(), seats=table.seats) == table.rules


def test_the_largest_hands_that_can_be_dealt() -> None:
    for seats in range(2, 9):
        largest = min(7, (52 - 1 - 2) // seats)
        assert Rules.from_data({"hand": largest}, seats=seats).hand == largest
