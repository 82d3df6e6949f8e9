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
    stream = dealt()
    witness = Witness(TABLE)
    witness.view(stream.view(None))
    (checked,) = witnessed(witness, [each[None] for each in rest(stream)])
    assert (checked.fault, checked.whole) == (None, False)


def dealt(number: int = 1) -> Stream:
    """A match whose round of this number has been dealt."""
    stream = Stream(Rules.from_data({"rounds": 3}, 2), 2, random.Random(1))
    list(stream.begin())
    for _ in range(number - 1):
        list(stream.deal())
        rest(stream)
    list(stream.deal())
    return stream


def rest(stream: Stream) -> list[dict[int | None, Event]]:
    """The round played to its end."""
    told: list[dict[int | None, Event]] = []
    while stream.playing:
        told += stream.step()
    return told


def test_a_promise_for_a_round_stays_whatever_a_view_says() -> None:
    """The server draws another secret once it has the nonces, and shows the new commit in a view."""
    stream = Stream(Rules.from_data({"rounds": 3}, 2), 2, random.Random(1))
    witness = Witness(TABLE, you=0)
    for each in stream.begin():
        witness.event(each[0])
    stream.commit = stream._new_secret()
    witness.view(stream.view(0))
    (checked,) = witnessed(witness, [each[0] for each in (*stream.deal(), *rest(stream))])
    assert checked.fault == "commit"
    (checked,) = witnessed(witness, [each[0] for each in (*stream.deal(), *rest(stream))])
    assert checked.fault is None


def test_a_round_that_nothing_was_promised_for_is_a_fault() -> None:
    stream = dealt()
    witness = Witness(TABLE)
    witness.view(stream.view(None))
    told = [each[None] for each in rest(stream)]
    (over,) = [event for event in told if isinstance(event, e.RoundOver)]
    told[told.index(over)] = replace(over, commit=None)
    (checked,) = witnessed(witness, told)
    assert checked.fault is None
    (checked,) = witnessed(witness, [each[None] for each in (*stream.deal(), *rest(stream))])
    assert checked.fault == "commit"


def test_who_was_away_for_rounds_takes_the_promise_that_stands_now() -> None:
    stream = dealt()
    witness = Witness(TABLE)
    witness.view(stream.view(None))
    rest(stream)
    list(stream.deal())
    rest(stream)
    witness.view(stream.view(None))
    told = [each[None] for each in (*stream.deal(), *rest(stream))]
    assert [checked.fault for checked in witnessed(witness, told)] == [None]


def test_a_second_deal_of_a_round_is_a_fault() -> None:
    witness, events = one_round()
    place = next(place for place, event in enumerate(events) if isinstance(event, e.RoundBegun))
    first = events[place]
    assert isinstance(first, e.RoundBegun)
    other = replace(first, hands=[first.hands[0] and first.hands[0][::-1], None, None])
    (checked,) = witnessed(witness, [*events[:place], other, *events[place:]])
    assert checked.fault == "deal"


def test_a_nonce_for_a_seat_that_gave_none_is_a_fault() -> None:
    """Of a bot's seat, say: a server could try numbers for it until the deal suits it."""
    for seed in range(20):
        rules = Rules.from_data({"rounds": 1}, 3)
        _, told = next(rounds(rules, 3, seed))
        events = [each[None] for each in told]
        ready = [event for event in events if isinstance(event, e.SeatReady)]
        if ready:
            break
    (checked,) = witnessed(Witness(TABLE), events)
    assert checked.fault is None
    (checked,) = witnessed(Witness(TABLE), [event for event in events if event is not ready[0]])
    assert checked.fault == "given"
    seat = e.Seat(table=TABLE, seq=ready[0].seq, at=0, seat=ready[0].seat, name="Sora", kind="bot")
    place = events.index(ready[0]) + 1
    (checked,) = witnessed(Witness(TABLE), [*events[:place], seat, *events[place:]])
    assert checked.fault == "given"


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
