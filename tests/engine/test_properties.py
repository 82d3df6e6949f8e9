"""What holds at every table, whatever its rules: one function for each law, tried on random tables."""

import json
import random
from collections.abc import Callable
from itertools import islice
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import Phase as HypothesisPhase

from engine.actions import Action
from engine.cards import VALUE, cards_of, mask_of
from engine.events import Drew, Event, Played, Turned, event_data
from engine.legality import Refused
from engine.round import LAST_TURN, Round
from engine.state import Phase
from engine.trace import check, compact
from engine.view import view, view_data
from tests.engine.play import (
    Table,
    act,
    assert_every_card_is_in_one_place,
    code_of,
    every_action,
    play,
    recorded,
    state,
    tables,
)

LONGEST = 25 * LAST_TURN
"""Steps, with all waivers, that no round needs."""


def what_is_listed_is_what_is_accepted(table: Table) -> None:
    """And what is refused changes nothing. Listed without a suit or a call that changes nothing."""
    round, rng = table.deal(log=[])
    asked = every_action(table.seats)
    for number, _ in enumerate(play(round, rng)):
        if number > 2 and rng.random() > 0.008:
            continue
        before, listed = state(round), set(round.legal_actions())
        refused = [action for action in asked if code_of(round, action)]
        assert not listed.intersection(refused)
        for action in set(asked).difference(refused, listed):
            plain = {
                action._replace(suit=None),
                action._replace(call=False),
                action._replace(suit=None, call=False),
            }
            same = plain & listed
            assert same, f"{action} is accepted and not listed"
            assert after(round, action) in [after(round, each) for each in same]
        log: list[Event] = []
        scratch = round.copy(log)
        for action in refused:
            with pytest.raises(Refused):
                scratch.apply(action)
        assert state(scratch) == state(round) == before
        assert not log


def after(round: Round, action: Action) -> tuple[dict[str, Any], list[Event]]:
    log: list[Event] = []
    copy = round.copy(log)
    copy.apply(action)
    return state(copy), log


def every_card_is_in_one_place(table: Table) -> None:
    """After every action, and each hand counts what it holds."""
    round, rng = table.deal()
    assert_every_card_is_in_one_place(round)
    for _ in play(round, rng):
        assert_every_card_is_in_one_place(round)
        assert round.counts == [sum(VALUE[card] for card in cards_of(hand)) for hand in round.hands]


def a_round_ends(table: Table) -> None:
    """Soon, and then nothing goes on."""
    round, rng = table.deal()
    steps = list(islice(play(round, rng), LONGEST))
    assert round.phase is Phase.OVER
    assert len(steps) < LONGEST
    assert round.turn <= LAST_TURN
    assert not round.legal_actions()
    assert {code_of(round, action) for action in every_action(table.seats)} == {"not_now"}
    with pytest.raises(Refused, match="not_now"):
        round.expire()


def a_copy_goes_its_own_way(table: Table) -> None:
    """And goes it as the original would have gone."""
    round, rng = table.deal(log=[])
    for _ in islice(play(round, rng), rng.randrange(60)):
        pass
    before, log = state(round), list(round.log or [])
    copied: list[Event] = []
    copy = round.copy(copied)
    choices = rng.getstate()
    steps = list(play(copy, rng))
    assert state(round) == before
    assert round.log == log
    rng.setstate(choices)
    assert list(play(round, rng)) == steps
    assert state(round) == state(copy)
    assert round.log == log + copied


def the_same_again_is_the_same(table: Table) -> None:
    """A match, written down and played again from what was written, has the same events and the same end."""
    trace = recorded(table, rounds=2)
    assert check(json.loads(compact(trace))) is None
    assert compact(recorded(table, rounds=2)) == compact(trace)


def who_is_told_nothing_misses_nothing(table: Table) -> None:
    """A round without a log goes the way it goes with one."""
    round, rng = table.deal(log=[])
    silent = round.copy()
    for action in play(round, rng):
        act(silent, action)
        assert state(silent) == state(round)


def nobody_sees_what_they_may_not_know(table: Table) -> None:
    """Cards the viewer may not know are dealt anew among the places they may be in: the view, the refusals
    and what is seen of the steps that follow stay byte for byte the same, until the rules show more.
    """
    round, rng = table.deal()
    for _ in islice(play(round, rng), rng.randrange(80)):
        pass
    if round.phase is Phase.OVER:
        return
    for viewer in (None, *range(table.seats)):
        shown, steps = future(round, viewer, rng)
        other = redealt(round, viewer, shown, rng)
        assert seen_by(viewer, other) == seen_by(viewer, round)
        assert round.awaited() == other.awaited()
        assert list(map(round.asked, range(table.seats))) == list(map(other.asked, range(table.seats)))
        if viewer is not None:
            mine = [action for action in every_action(table.seats) if action.seat == viewer]
            assert [code_of(round, action) for action in mine] == [code_of(other, action) for action in mine]
            assert round.legal_actions(viewer) == other.legal_actions(viewer)
        for action in steps:
            here, there = told(round, action), told(other, action)
            if not as_much_is_shown(here, there):
                break  # the action itself has shown that one of the two is not the deal
            assert seen_by(viewer, other, there) == seen_by(viewer, round, here)


def future(round: Round, viewer: int | None, rng: random.Random) -> tuple[set[int], list[Action | None]]:
    """A few steps that may follow, and the cards that the viewer will have seen when they are over."""
    log: list[Event] = []
    copy = round.copy(log)
    steps = list(islice(play(copy, rng), 8))
    if copy.phase is Phase.OVER:
        steps.pop()
    shown = set()
    for event in log:
        if isinstance(event, Played):
            shown.add(event.card)
        elif isinstance(event, Turned):
            shown.add(event.top)
        elif isinstance(event, Drew) and event.seat == viewer:
            shown.update(event.cards)
    return shown, steps


def redealt(round: Round, viewer: int | None, shown: set[int], rng: random.Random) -> Round:
    """A round that differs only in where the cards lie that the viewer can't place, `shown` ones apart."""
    other = round.copy()
    others = [seat for seat in range(round.seats) if seat != viewer]
    old = [card for seat in others for card in cards_of(round.hands[seat])] + round.stock
    old = [card for card in old if card not in shown]
    becomes = dict(zip(old, rng.sample(old, len(old)), strict=True))
    other.stock = [becomes.get(card, card) for card in round.stock]
    other.order = round.order[:]
    for card, new in becomes.items():
        other.order[new] = round.order[card]
    for seat in others:
        hand = [becomes.get(card, card) for card in cards_of(round.hands[seat])]
        other.hands[seat] = mask_of(hand)
        other.counts[seat] = sum(VALUE[card] for card in hand)
    if round.drawn is not None:
        other.drawn = becomes.get(round.drawn, round.drawn)
    assert_every_card_is_in_one_place(other)
    return other


def told(round: Round, action: Action | None) -> list[Event] | None:
    """The events of an action, None if it is refused."""
    log: list[Event] = []
    round.log = log
    try:
        act(round, action)
    except Refused:
        return None
    return log


def as_much_is_shown(here: list[Event] | None, there: list[Event] | None) -> bool:
    """Whether the rules let an action pass with both deals, and made the same of it.

    The card that the clock plays for a seat is the first that fits in its hand, so it may be another one.
    """
    if here is None or there is None:
        return False
    return [(each.ev, getattr(each, "card", None)) for each in here] == [
        (each.ev, getattr(each, "card", None)) for each in there
    ]


def seen_by(viewer: int | None, round: Round, events: list[Event] | None = None) -> str:
    """All that a viewer has: the view, as its values and as it is sent, and the events."""
    seen = view(round, viewer)
    return compact([repr(seen), view_data(seen), [event_data(event, viewer) for event in events or ()]])


LAWS: list[Callable[[Table], None]] = [
    what_is_listed_is_what_is_accepted,
    every_card_is_in_one_place,
    a_round_ends,
    a_copy_goes_its_own_way,
    the_same_again_is_the_same,
    who_is_told_nothing_misses_nothing,
    nobody_sees_what_they_may_not_know,
]


def hold(law: Callable[[Table], None], examples: int, shrink: bool) -> None:
    """Try a law at so many tables; to shrink a table that breaks it can take minutes."""
    limits = settings(
        max_examples=examples,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
        phases=[phase for phase in HypothesisPhase if shrink or phase.name not in ("shrink", "explain")],
    )
    limits(given(tables())(law))()


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_law(law: Callable[[Table], None]) -> None:
    hold(law, 25, shrink=False)


@pytest.mark.nightly
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_law_at_many_tables(law: Callable[[Table], None]) -> None:
    hold(law, 2000, shrink=True)
