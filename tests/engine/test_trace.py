"""A trace agrees with the match it was written of, and with no other."""

import json
from contextlib import suppress
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.deal import commit_of, seed_of
from engine.rules import PRESETS, Rules
from engine.trace import BadTrace, Difference, check, compact, traces_in
from tests.engine.play import Table, recorded

SECRET = bytes(range(32))
NONCES = [b"one", None, b""]


@pytest.fixture(params=PRESETS)
def trace(request: pytest.FixtureRequest) -> dict[str, Any]:
    rules = Rules.preset(request.param).changed({"false_dobon": 1})
    return as_read(recorded(Table(rules, 3, seed_of(SECRET, NONCES), chance=5), rounds=2))


def as_read(trace: dict[str, Any]) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(compact(trace))
    return data


def part_of(trace: dict[str, Any]) -> Difference:
    found = check(trace)
    assert found is not None
    return found


def test_a_trace_agrees_and_names_every_field(trace: dict[str, Any]) -> None:
    assert check(trace) is None
    assert list(trace) == ["rules", "seats", "rounds", "ranking"]
    assert Rules.from_data(trace["rules"]).to_data() == {
        field: value for field, value in trace["rules"].items() if field != "preset"
    }


def test_the_first_step_that_differs_is_named(trace: dict[str, Any]) -> None:
    steps = trace["rounds"][1]["steps"]
    at = next(number for number, step in enumerate(steps) if step["do"] == "draw")
    steps[at]["events"][-1]["seat"] = 7
    found = part_of(trace)
    assert (found.round, found.step) == (2, at + 1)
    assert found.expected == steps[at]["events"][-1]
    assert isinstance(found.got, dict)
    assert found.got["seat"] != 7


@pytest.mark.parametrize(
    ("change", "place", "expected", "got"),
    [
        (lambda trace: trace["rounds"][0].update(seed="00" * 32), (1, 0), "hands", "hands"),
        (lambda trace: trace["rounds"][0]["events"].pop(), (1, 0), "nothing more", "ev"),
        (lambda trace: trace["rounds"][0]["steps"].pop(), (1, None), "the end of the round", "goes on"),
        (lambda trace: trace["rounds"].append(trace["rounds"][0]), (3, 0), "another", "over"),
        (lambda trace: trace["rounds"].pop(), (0, 0), "rank", "the match goes on"),
        (lambda trace: trace["ranking"].reverse(), (0, 0), "rank", "rank"),
        (lambda trace: trace["rules"].update(hand=3), (1, 0), "hands", "hands"),
        (
            lambda trace: trace["rounds"][0]["steps"].insert(0, {"seat": 0, "do": "rps", "throw": "rock"}),
            (1, 1),
            "accepted",
            "not_now",
        ),
        (
            lambda trace: trace["rounds"][0]["steps"].insert(0, {"do": "expire", "error": "not_now"}),
            (1, 1),
            "not_now",
            "accepted",
        ),
    ],
)
def test_what_was_changed_is_found(
    trace: dict[str, Any], change: Any, place: tuple[int, int | None], expected: str, got: str
) -> None:
    change(trace)
    found = part_of(trace)
    assert found.round == place[0]
    assert place[1] is None or found.step == place[1]
    assert expected in str(found.expected)
    assert got in str(found.got)


def test_a_refusal_is_checked_and_may_be_part_of_a_trace(trace: dict[str, Any]) -> None:
    refused = {"seat": 0, "do": "rps", "throw": "rock", "error": "not_now"}
    trace["rounds"][0]["steps"].insert(0, refused)
    assert check(trace) is None


def test_a_match_that_is_not_over_agrees_as_far_as_it_goes(trace: dict[str, Any]) -> None:
    del trace["ranking"]
    del trace["rounds"][1]["steps"][3:]
    assert check(trace) is None


def promised(trace: dict[str, Any]) -> dict[str, Any]:
    """The trace as a server keeps it, its first round at least."""
    nonces = [None if nonce is None else nonce.hex() for nonce in NONCES]
    trace["rounds"][0].update(secret=SECRET.hex(), nonces=nonces, commit=commit_of(SECRET).hex())
    return trace


def test_a_kept_commitment_agrees(trace: dict[str, Any]) -> None:
    assert check(promised(trace)) is None


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("commit", "00" * 32, "commit 00"),
        ("secret", "00" * 32, "commit "),
        ("nonces", ["6f6e65", None, "00"], "seed "),
    ],
)
def test_a_broken_commitment_is_found(trace: dict[str, Any], key: str, value: Any, expected: str) -> None:
    promised(trace)["rounds"][0][key] = value
    found = part_of(trace)
    assert (found.round, found.step) == (1, 0)
    assert str(found.expected).startswith(expected)


def timed(trace: dict[str, Any]) -> list[dict[str, Any]]:
    """Give every step of the first round a time of its own; returns the steps."""
    steps: list[dict[str, Any]] = trace["rounds"][0]["steps"]
    for number, step in enumerate(steps):
        step.update(effect=number * 10, arrival=number * 10)
    return steps


def test_steps_stand_in_order_of_arrival(trace: dict[str, Any]) -> None:
    steps = timed(trace)
    assert check(trace) is None
    steps[4]["arrival"] = 25  # held: it takes effect in its turn all the same
    assert check(trace) is None
    steps[4]["effect"] = 25
    found = part_of(trace)
    assert (found.round, found.step) == (1, 5)
    assert "arrived at 25" in str(found.got)


def test_equal_arrivals_go_by_seat() -> None:
    """From the discarder's next seat on; and nobody arrives with a deadline."""
    table = Table(Rules.preset("dobon"), 4, bytes(32), chance=0)
    trace = as_read(recorded(table, rounds=1))
    data = trace["rounds"][0]
    seat = data["events"][-1]["seat"]
    refused = [
        {
            "seat": (seat + place) % 4,
            "do": "rps",
            "throw": "rock",
            "error": "not_now",
            "effect": 5,
            "arrival": 5,
        }
        for place in range(4)
    ]
    data["steps"] = refused
    del trace["ranking"]
    assert check(trace) is None
    data["steps"] = [refused[0], refused[2], refused[1]]
    found = part_of(trace)
    assert (found.round, found.step) == (1, 3)
    data["steps"] = [refused[0], {"do": "expire", "effect": 5, "arrival": 5}]
    assert part_of(trace).step == 2


@pytest.mark.parametrize(
    "data", [None, 3, "trace", [], {}, [[]], [{"rules": {}}], [{"rounds": []}, 5]], ids=compact
)
def test_what_is_no_trace(data: object) -> None:
    with pytest.raises(BadTrace):
        traces_in(data)


def spots(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in plain data."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(spot for key, each in inner for spot in spots(each, (*path, key)))]


SOUND = promised(as_read(recorded(Table(Rules.preset("pageone"), 3, seed_of(SECRET, NONCES), 8), rounds=1)))
timed(SOUND)
SPOTS = spots(SOUND)[1:]
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(max_size=3)
    | st.just("00" * 32),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=3,
)


@settings(deadline=None)
@given(st.sampled_from(SPOTS), JSON | st.just(...))
def test_damage_is_found_or_said(spot: tuple[Any, ...], value: Any) -> None:
    """Whatever stands anywhere in a file, the answer is a difference or BadTrace, never a fault."""
    trace = deepcopy(SOUND)
    place: Any = trace
    for key in spot[:-1]:
        place = place[key]
    if value is ...:
        del place[spot[-1]]
    else:
        place[spot[-1]] = value
    with suppress(BadTrace):
        check(trace)
