import argparse
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client import i18n, rules_command
from client.rules_fields import EFFECTS, EXPLANATIONS, VALUES, card_name, effect_name, refusal, value_text
from client.rules_text import sections
from engine.rules import EFFECTS as EFFECT_WORDS
from engine.rules import FIELDS, PRESETS, BadRules, Effects, Flag, Number, Rules, Word, parse_rule

JAPANESE = i18n.catalogue("ja").gettext


def same(text: str) -> str:
    return text


def values(field: str) -> st.SearchStrategy[object]:
    match FIELDS[field]:
        case Number(low, high):
            return st.integers(low, high)
        case Word(words):
            return st.sampled_from(words)
        case Flag():
            return st.booleans()
        case Effects():
            keys = st.sampled_from(["A", "2", "T", "J", "AS", "TD"])
            return st.dictionaries(keys, st.sampled_from(EFFECT_WORDS), max_size=4)
    raise AssertionError(field)


def said(rules: Rules, seats: int | None = None) -> set[str]:
    return {sentence for section in sections(rules, same, seats) for sentence in section.sentences}


def test_every_field_and_value_has_its_words() -> None:
    assert list(EXPLANATIONS) == list(FIELDS)
    for field, kind in FIELDS.items():
        if isinstance(kind, Word):
            assert set(VALUES[field]) == set(kind.words)
    assert set(EFFECTS) == {effect for effect in EFFECT_WORDS if not effect.startswith("attack")}


@given(st.fixed_dictionaries({field: values(field) for field in FIELDS}), st.sampled_from([None, 2, 4]))
def test_any_rules_can_be_said(data: dict[str, Any], seats: int | None) -> None:
    if data["opening"] == "race":
        data["first_card"] = "plain"
    rules = Rules.from_data(data)
    for translate in (same, JAPANESE):
        found = sections(rules, translate, seats)
        assert all(section.sentences for section in found)
        text = json.dumps(found, ensure_ascii=False)
        assert "{" not in text
        assert "attack1" not in text
        for field, value in rules.to_data().items():
            assert value_text(field, value, translate)


# A field, what it takes for it to matter, a value that then makes a difference.
MATTERS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({}, {"jokers": 1}),
    ({}, {"hand": 6}),
    ({}, {"rounds": 1}),
    ({}, {"opening": "race"}),
    ({}, {"starter": "winner"}),
    ({"opening": "race"}, {"starter": "loser"}),
    ({}, {"first_card": "effect"}),
    ({}, {"effects": {"3": "skip"}}),
    ({}, {"answer": "must"}),
    ({}, {"drawn": "end"}),
    ({}, {"must_play": True}),
    ({"drawn": "end"}, {"must_play": True}),
    ({}, {"reverse_two": "none"}),
    ({}, {"out": False}),
    ({}, {"dobon_min": 2}),
    ({}, {"dobon_math": "pair"}),
    ({}, {"claims": "last"}),
    ({}, {"claims": "all"}),
    ({"claims": "last"}, {"chain_loser": "discarder"}),
    ({}, {"counter": "ask"}),
    ({}, {"counter": "off"}),
    ({}, {"counter_min": 2}),
    ({}, {"false_dobon": 2}),
    ({}, {"last_call": 2}),
    ({"opening": "race"}, {"order_by": "rps"}),
    ({}, {"scoring": "wins"}),
    ({}, {"scoring": "chain"}),
    ({}, {"double_effect": True}),
]


@pytest.mark.parametrize(("base", "change"), MATTERS)
def test_a_field_that_matters_is_said(base: dict[str, Any], change: dict[str, Any]) -> None:
    rules = Rules.from_data(base)
    assert said(rules) != said(rules.changed(change))


def test_every_field_matters_somewhere() -> None:
    assert {field for _, change in MATTERS for field in change} == set(FIELDS)


@pytest.mark.parametrize(
    ("base", "seats", "change"),
    [
        ({}, None, {"chain_loser": "discarder"}),
        ({}, None, {"order_by": "rps"}),
        ({"counter": "off"}, None, {"counter_min": 3}),
        ({"scoring": "wins"}, None, {"double_effect": True}),
        ({"effects": {"8": "wild"}}, None, {"answer": "must"}),
        ({"effects": {"8": "wild"}}, None, {"reverse_two": "none"}),
        ({}, 4, {"reverse_two": "none"}),
        ({"opening": "race"}, 2, {"order_by": "rps"}),
        ({}, 2, {"claims": "last"}),
    ],
)
def test_what_makes_no_difference_is_not_said(
    base: dict[str, Any], seats: int | None, change: dict[str, Any]
) -> None:
    rules = Rules.from_data(base)
    assert said(rules, seats) == said(rules.changed(change), seats)


def test_cards_and_effects_have_names() -> None:
    assert card_name("T", same) == "10"
    assert card_name("AS", same) == "A of spades"
    assert card_name("TD", JAPANESE) == "ダイヤの10"
    assert effect_name("attack5", JAPANESE) == "ドロー5"
    assert value_text("effects", {}, same) == "none"


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        ("hand=9", "hand can't be 9; what would do: 3 – 7."),
        ("claims=some", "claims can't be some; what would do: first, last, all."),
        ("out=maybe", "out can't be maybe; what would do: yes, no."),
        ("effects=A", "effects can't be A; what would do: A:skip"),
        ("hands=5", "There is no rule “hands”, only jokers, hand,"),
        ("hand", "A rule is given as FIELD=VALUE, not as “hand”."),
        ("preset=uno", "There is no game “uno”, only dobon, pageone."),
    ],
)
def test_refusals_are_one_sentence(rule: str, sentence: str) -> None:
    with pytest.raises(BadRules) as bad:
        Rules.from_data(dict([parse_rule(rule)]))
    assert refusal(bad.value, same).startswith(sentence)
    assert refusal(bad.value, JAPANESE) != refusal(bad.value, same)


@pytest.mark.parametrize(
    ("data", "seats", "sentence"),
    [
        (
            {"opening": "race", "first_card": "effect"},
            None,
            "The turned-up card can't act on the starter where",
        ),
        ({"hand": 7}, 8, "There are not enough cards to deal 7 to every seat."),
        ({}, 9, "A table has 2 to 8 seats."),
    ],
)
def test_refusals_of_combinations(data: dict[str, Any], seats: int | None, sentence: str) -> None:
    with pytest.raises(BadRules) as bad:
        Rules.from_data(data, seats)
    assert refusal(bad.value, same).startswith(sentence)


def run(*words: str, translate: Callable[[str], str] = same) -> int:
    parser = argparse.ArgumentParser()
    rules_command.add_arguments(parser, translate)
    return rules_command.run(parser.parse_args(words), translate)


def test_the_command_prints_sentences_and_fields(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("pageone") == 0
    out = capsys.readouterr().out
    for sentence in said(PRESETS["pageone"]):
        assert f"- {sentence}\n" in out
    assert "effects=2:attack2,3:skip,8:suit,J:reverse,AS:attack5\n" in out
    assert run("--rule", "jokers=2", translate=JAPANESE) == 0
    assert "ジョーカー2枚" in capsys.readouterr().out


def test_the_printed_fields_can_be_typed_again(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("pageone") == 0
    lines = capsys.readouterr().out.split("The fields\n")[1].splitlines()
    rules = [parse_rule(line) for line in lines if not line.startswith(" ")]
    assert Rules.from_data(dict(rules)) == PRESETS["pageone"]


def test_the_command_prints_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--json") == 0
    data = json.loads(capsys.readouterr().out)
    assert data["preset"] == "dobon"
    assert Rules.from_data(data["rules"]) == PRESETS["dobon"]
    assert set(data["fields"]) == set(FIELDS)
    assert data["sections"][0]["title"] == "The deal"
    assert run("pageone", "--rule", "hand=6", "--json") == 0
    assert json.loads(capsys.readouterr().out)["preset"] is None


def test_bad_rules_are_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--rule", "hand=9") == 2
    assert run("uno") == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 2
