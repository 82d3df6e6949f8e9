"""Every deal is checked: honest ones pass, each way to cheat is named."""

import random
from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from client.fairness import Witness
from client.notices import Checked
from engine.rules import Rules
from protocol import events as e
from protocol.messages import Event
from tests.client.streams import TABLE, Stream


def rounds(rules: Rules, seats: int, seed: int) -> Iterator[tuple[Stream, list[dict[int | None, Event]]]]:
    """The rounds of a match, each as its events for every viewer; the match's first event stands before
    those of the first round."""
    stream = Stream(rules, seats, random.Random(seed))
    told = list(stream.begin())
    while not stream.match.over:
        told += stream.deal()
        while stream.playing:
            told += stream.step()
        yield stream, told
        told = []


def witnessed(witness: Witness, events: list[Event]) -> list[Checked]:
    return [checked for event in events if (checked := witness.event(event)) is not None]


@pytest.mark.parametrize("seed", range(12))
def test_an_honest_deal_agrees(seed: int) -> None:
    chance = random.Random(seed)
    seats = chance.randint(2, 5)
    preset = chance.choice(["dobon", "pageone"])
    fields = {
        "preset": preset,
        "jokers": chance.randint(0, 2),
        "rounds": 3,
        "false_dobon": chance.randint(0, 2),
    }
    rules = Rules.from_data(fields, seats)
    witnesses: dict[int | None, Witness] = {}
    for stream, told in rounds(rules, seats, seed):
        for viewer in stream.viewers:
            witness = witnesses.setdefault(viewer, Witness(TABLE, you=viewer))
            *_, last = events = [each[viewer] for each in told]
            if viewer is not None:
                for event in events:
                    witness.event(event) if isinstance(event, e.MatchBegun) else None
                witness.promise(next(x for x in events if isinstance(x, e.RoundOver)).nonces[viewer])
                events = [event for event in events if not isinstance(event, e.MatchBegun)]
            (checked,) = witnessed(witness, events)
            assert checked == Checked(TABLE, stream.match.finished, whole=True)
            assert isinstance(last, e.RoundOver | e.MatchOver)


def one_round(viewer: int | None = 0) -> tuple[Witness, list[Event]]:
    rules = Rules.from_data({"preset": "pageone", "rounds": 1, "opening": "turn"}, 3)
    _, told = next(rounds(rules, 3, 5))
    events = [each[viewer] for each in told]
    return Witness(TABLE, you=viewer), events


def changed(events: list[Event], kind: type[Event], change: Any) -> list[Event]:
    """The events with the first of a kind that can be changed so, changed."""
    for place, event in enumerate(events):
        if isinstance(event, kind) and (other := change(event)) is not None:
            return [*events[:place], other, *events[place + 1 :]]
    raise AssertionError("there is none")


def own_draw(event: Any) -> Any:
    return replace(event, cards=["X1"] * len(event.cards)) if event.cards else None


CHEATS: dict[str, tuple[Any, Any]] = {
    "commit": (e.MatchBegun, lambda event: replace(event, commit=bytes(32))),
    "seed": (e.RoundOver, lambda event: replace(event, seed=bytes(32))),
    "deal": (e.RoundBegun, lambda event: replace(event, hands=[event.hands[0][::-1], None, None])),
    "starter": (e.RoundBegun, lambda event: replace(event, starter=(event.starter + 1) % 3)),
    "drawn": (e.Drew, own_draw),
    "played": (e.Played, lambda event: replace(event, card="X2")),
    "hands": (e.RoundOver, lambda event: replace(event, hands=[["AS"]] * 3)),
}


@pytest.mark.parametrize("fault", CHEATS)
def test_each_way_to_cheat_is_named(fault: str) -> None:
    witness, events = one_round()
    kind, change = CHEATS[fault]
    (checked,) = witnessed(witness, changed(events, kind, change))
    assert (checked.fault, checked.whole) == (fault, True)


def test_a_nonce_that_was_taken_must_be_in_the_seed() -> None:
    witness, events = one_round()
    witness.event(events[0])
    witness.promise(b"mine")
    (checked,) = witnessed(witness, events[1:])
    assert checked.fault == "nonce"


def test_who_came_in_the_middle_checks_what_can_be_checked() -> None:
    _stream, told = next(rounds(Rules.from_data({"rounds": 1}, 2), 2, 1))
    witness = Witness(TABLE)
    witness.event(told[0][None])
    witness.seen = None
    (checked,) = witnessed(witness, [each[None] for each in told[-2:]])
    assert (checked.fault, checked.whole) == (None, False)


def test_rules_from_the_future_are_no_fault() -> None:
    witness, events = one_round(None)
    first = events[0]
    assert isinstance(first, e.MatchBegun)
    events[0] = replace(first, rules={**first.rules, "gravity": 2})
    (checked,) = witnessed(witness, events)
    assert (checked.fault, checked.whole) == (None, False)


def test_a_look_at_the_whole_in_between_takes_nothing_away() -> None:
    stream = Stream(Rules.from_data({"rounds": 1}, 2), 2, random.Random(1))
    witness = Witness(TABLE, you=0)
    checked = []
    for happens in (stream.begin, stream.deal):
        checked += witnessed(witness, [each[0] for each in happens()])
        witness.view(stream.view(0))
    while stream.playing:
        checked += witnessed(witness, [each[0] for each in stream.step()])
        if stream.playing:
            witness.view(stream.view(0))
    assert [(each.fault, each.whole) for each in checked] == [(None, True)]
