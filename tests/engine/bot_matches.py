"""Random rules and rounds between bots, for the tests of the bots."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from engine.actions import Action
from engine.bots import Level
from engine.bots.arena import Arena
from engine.bots.reading import seat_of
from engine.cards import CARDS, RANKS, cards_of, mask_of, value_of
from engine.events import Event
from engine.round import Round
from engine.rules import EFFECTS, FIELDS, Flag, Number, Rules, Word
from engine.view import View


def random_rules(rng: Random, seats: int) -> Rules:
    """Any rules that can be played with so many seats."""
    data: dict[str, object] = {}
    for name, kind in FIELDS.items():
        if isinstance(kind, Number):
            data[name] = rng.randint(kind.low, kind.high)
        elif isinstance(kind, Word):
            data[name] = rng.choice(kind.words)
        elif isinstance(kind, Flag):
            data[name] = rng.random() < 0.5
    keys = rng.sample([*RANKS, *CARDS[:52]], rng.randrange(8))
    data["effects"] = {key: rng.choice(EFFECTS) for key in keys}
    data["hand"] = min(rng.randint(3, 7), 49 // seats)
    data["rounds"] = rng.randint(1, 3)
    if data["opening"] == "race":
        data["first_card"] = "plain"
    return Rules.from_data(data, seats=seats)


class Position(NamedTuple):
    """A round as it stood when a seat was asked, and what the seat had got of it."""

    round: Round
    seat: int
    seen: list[Event]
    claiming: bool


def play(rules: Rules, bots: Sequence[Level], seed: bytes, rng: Random) -> Round:
    """A round from its deal to its end."""
    log: list[Event] = []
    round = Round.deal(rules, len(bots), seed, log=log)
    Arena(round, log, bots, rng).play()
    return round


def positions(rules: Rules, bots: Sequence[Level], seed: bytes, rng: Random) -> list[Position]:
    """Every position of a round in which one of the bots was asked."""
    log: list[Event] = []
    round = Round.deal(rules, len(bots), seed, log=log)
    found: list[Position] = []

    def watched(level: Level) -> Level:
        def choose(seen_by: View, seen: Sequence[Event], chance: Random) -> Action:
            found.append(Position(round.copy(), seat_of(seen_by), list(seen), claiming=False))
            return level.choose(seen_by, seen, chance)

        def claim_or_waive(seen_by: View, seen: Sequence[Event], chance: Random) -> Action | None:
            found.append(Position(round.copy(), seat_of(seen_by), list(seen), claiming=True))
            return level.claim_or_waive(seen_by, seen, chance)

        return Level(choose, claim_or_waive, level.reaction)

    Arena(round, log, [watched(level) for level in bots], rng).play()
    return found


def redealt(position: Position, rng: Random) -> Round:
    """The same position with every card that its seat does not know somewhere else."""
    round = position.round.copy()
    others = [seat for seat in range(round.seats) if seat != position.seat]
    hidden = [card for seat in others for card in cards_of(round.hands[seat])] + round.stock
    rng.shuffle(hidden)
    for seat in others:
        size = round.hands[seat].bit_count()
        round.hands[seat] = mask_of(hidden[:size])
        round.counts[seat] = value_of(round.hands[seat])
        del hidden[:size]
    round.stock = hidden
    return round
