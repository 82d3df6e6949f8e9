"""Tables of any rules and seats for Hypothesis, and random play at them."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

from hypothesis import strategies as st

from engine.actions import THROWS, Action, Do
from engine.cards import CARDS, RANKS, SUITS, mask_of
from engine.events import Event
from engine.legality import Refused
from engine.match import Match
from engine.round import Round
from engine.rules import EFFECTS, FIELDS, MAX_SEATS, MIN_SEATS, Effects, Flag, Kind, Number, Rules, Word
from engine.state import Phase, RoundState
from engine.trace import Recorder


@dataclass(frozen=True)
class Table:
    """What decides a whole random game: the rules, the seats, the deal and every choice."""

    rules: Rules
    seats: int
    seed: bytes
    chance: int

    def deal(self, log: list[Any] | None = None) -> tuple[Round, random.Random]:
        """The round as dealt, and the source of the choices."""
        round = Round.deal(self.rules, self.seats, self.seed, log=log)
        return round, random.Random(self.chance)


def _values(kind: Kind) -> st.SearchStrategy[Any]:
    match kind:
        case Number():
            return st.integers(kind.low, kind.high)
        case Word():
            return st.sampled_from(kind.words)
        case Flag():
            return st.booleans()
        case Effects():
            keys = st.sampled_from(RANKS) | st.sampled_from(CARDS[:52])
            return st.dictionaries(keys, st.sampled_from(EFFECTS), max_size=12)
    raise AssertionError(f"no values for {kind}")


@st.composite
def tables(draw: st.DrawFn) -> Table:
    """Any table that the rules allow."""
    seats = draw(st.integers(MIN_SEATS, MAX_SEATS))
    fields = {name: draw(_values(kind)) for name, kind in FIELDS.items()}
    fields["hand"] = min(fields["hand"], (52 - 1 - 2) // seats)
    if fields["opening"] == "race":
        fields["first_card"] = "plain"
    seed = draw(st.binary(min_size=32, max_size=32))
    return Table(Rules.from_data(fields, seats=seats), seats, seed, draw(st.integers(0, 2**32 - 1)))


_WEIGHT = {Do.PLAY: 4.0, Do.DRAW: 2.0, Do.PASS: 2.0, Do.DOBON: 0.05, Do.WAIVE: 0.3, Do.RPS: 1.0}


def choose(round: Round, rng: random.Random) -> Action | None:
    """A legal action at random, None to let the time run out; seldom a false claim, mostly the right ones."""
    legal = round.legal_actions()
    if not legal or rng.random() < 0.05:
        return None
    right = round.claimants()
    weights = [
        3.0 if action.do is Do.DOBON and right >> action.seat & 1 else _WEIGHT[action.do] for action in legal
    ]
    return rng.choices(legal, weights)[0]


def act(round: Round, action: Action | None) -> None:
    """Take an action, or let the time run out."""
    if action is None:
        round.expire()
    else:
        round.apply(action)


def play(round: Round, rng: random.Random) -> Iterator[Action | None]:
    """Play to the end, pausing after each step."""
    while round.phase is not Phase.OVER:
        action = choose(round, rng)
        act(round, action)
        yield action


def recorded(table: Table, rounds: int) -> dict[str, Any]:
    """The trace of a random match of so many rounds."""
    match = Match(table.rules.changed({"rounds": rounds}), table.seats)
    recorder = Recorder(match.rules, table.seats)
    rng = random.Random(table.chance)
    while not match.over:
        seed = bytes(byte ^ match.finished for byte in table.seed)
        log: list[Event] = []
        round = match.deal(seed, log)
        recorder.deal(seed, log)
        log.clear()
        for action in play(round, rng):
            recorder.step(action, log)
            log.clear()
        match.finish(round)
    recorder.close(match.ranking())
    return recorder.data


def every_action(seats: int) -> list[Action]:
    """All that can be asked for at a table of so many."""
    found = []
    for seat in range(seats):
        for card, suit, call in product(range(len(CARDS)), (None, *range(len(SUITS))), (False, True)):
            found.append(Action(seat, Do.PLAY, card, suit, call))
        found += [Action(seat, do) for do in (Do.DRAW, Do.PASS, Do.DOBON, Do.WAIVE)]
        found += [Action(seat, Do.RPS, throw=throw) for throw in range(len(THROWS))]
    return found


def code_of(round: Round, action: Action) -> str | None:
    """The code that an action would be refused with, None if it would be taken. The round stays as it is."""
    try:
        round.copy().apply(action)
    except Refused as refused:
        return refused.code
    return None


def state(round: RoundState) -> dict[str, Any]:
    """All that a round is made of but its log, as values that don't change with it."""
    return {name: _frozen(getattr(round, name)) for name in RoundState.__slots__ if name != "log"}


def _frozen(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


def assert_every_card_is_in_one_place(round: Round) -> None:
    """52 cards and the jokers, each once, and the running counts of the hands are right."""
    held = [card for hand in round.hands for card in range(len(CARDS)) if hand >> card & 1]
    assert sorted(held + round.stock + round.discards) == round.tables.deck
    assert mask_of(held) == sum(round.hands)
