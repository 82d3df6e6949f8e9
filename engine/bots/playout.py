"""A round played to its end in a hurry: every seat by the rules of thumb of `normal`, in their fastest form.

Each seat decides from its own hand and from what all can see, so a playout is no better informed than the
players it stands for. All marks are looked up; what they are made of is worked out once for a decision.
"""

from __future__ import annotations

from random import Random

from ..actions import DOBON, DRAW, PASS, PLAY, PLAY_NAMING, THROW, Action
from ..cards import VALUE, CardSet
from ..round import Round
from ..rules import Rules
from ..state import CLAIM, OVER, RPS, TURN
from ..tables import tables_for
from . import normal
from .odds import LARGEST, odds_by_size

NOISE = 2.0
"""How far apart, in marks, two cards can be and still be taken for one another."""
STAKE = 12.0
"""What is left in the hand of who is Doboned, as a rule."""


class Playout:
    """Plays rounds under one set of rules, with the odds of one moment."""

    def __init__(self, rules: Rules, seats: int, amounts: tuple[int, ...]) -> None:
        """``amounts``: how many unseen cards there are of each value, 0 to 13."""
        self._rules = rules
        self._tables = tables = tables_for(rules, seats)
        self._penalty = rules.scoring == "penalty"
        odds = odds_by_size(amounts, rules.dobon_math == "pair")
        self._cost = [[0.0] * 14 for _ in range(54)]
        """By size of another's hand and value of the card: what playing it costs."""
        for size in range(rules.dobon_min, LARGEST + 1):
            for value in range(1, 14):
                stake = STAKE + 2 * value if self._penalty else normal.OUT
                self._cost[size][value] = odds[size][value] * stake
        worth = [VALUE[card] if self._penalty else VALUE[card] / 2 for card in range(54)]
        self._base = [
            worth[card]
            - (
                normal.KEEP_WILD
                if tables.naming >> card & 1
                else normal.KEEP_ATTACK * bool(tables.step[card])
            )
            for card in range(54)
        ]
        unseen = max(1, sum(amounts))
        self._wait = [0.0] + [normal.WAIT * amounts[count] / unseen for count in range(1, 14)]
        self._marks: dict[int, list[float]] = {}
        self._suits = [
            sum(1 << card for card in range(13 * suit, 13 * suit + 13)) & ~tables.naming for suit in range(4)
        ]

    def advance(self, round: Round, rng: Random, turn: int) -> None:
        """Play on until the round is over, or the turn of that number has begun and nobody claims."""
        claimed = -1
        while True:
            phase = round.phase
            if phase is OVER:
                return
            if round.window is not None and (phase is CLAIM or claimed != round.discard):
                claimed = round.discard
                claimants = round.claimants()
                if claimants:
                    round.apply(DOBON[_any(claimants, rng)])
                    continue
            if phase is TURN:
                if round.turn >= turn:
                    return
                round.apply(self._turn(round, rng))
            elif phase is CLAIM:
                round.expire()
            else:
                self._race(round, rng)

    def _turn(self, round: Round, rng: Random) -> Action:
        seat = round.turn_seat
        plays = round.playable(seat)
        if plays:
            card, marks = self._best(round, seat, plays, rng)
            attacked = round.attack_rank is not None
            threshold = normal.PASSING if round.drawn is not None else normal.DRAWING
            forced = self._tables.must_answer if attacked else self._tables.must_play
            if marks > threshold or forced:
                return self._play(round, seat, card)
        if round.drawn is None and (round.stock or round.attack_rank is not None or round.drawable()):
            return DRAW[seat]
        return PASS[seat]

    def _best(self, round: Round, seat: int, plays: CardSet, rng: Random) -> tuple[int, float]:
        hand = round.hands[seat]
        if not hand & (hand - 1):
            return plays.bit_length() - 1, normal.OUT
        key = 0
        for other in round.hands:
            key += 1 << 4 * other.bit_count()
        key -= 1 << 4 * hand.bit_count()
        marks = self._marks.get(key) or self._add_marks(key)
        count, wait, random = round.counts[seat], self._wait, rng.random
        best, most = 0, -1e9
        while plays:
            bit = plays & -plays
            plays ^= bit
            card = bit.bit_length() - 1
            left = count - VALUE[card]
            each = marks[card] + random() * NOISE
            if left < 14:
                each += wait[left]
            if each > most:
                best, most = card, each
        return best, most

    def _add_marks(self, key: int) -> list[float]:
        """Each card's marks where the others' hands are of the sizes that the key counts."""
        cost = [0.0] * 14
        for size in range(1, LARGEST + 1):
            for _ in range(key >> 4 * size & 15):
                cost = [one + other for one, other in zip(cost, self._cost[size], strict=True)]
        marks = self._marks[key] = [base - cost[VALUE[card]] for card, base in enumerate(self._base)]
        return marks

    def _play(self, round: Round, seat: int, card: int) -> Action:
        bit, hand = 1 << card, round.hands[seat]
        if bit & round.naming:
            held = [(hand & suit & ~bit).bit_count() for suit in self._suits]
            action = PLAY_NAMING[seat][bit][held.index(max(held))]
        else:
            action = PLAY[seat][bit]
        if self._tables.last_call and hand.bit_count() == 2:
            return action._replace(call=True)
        return action

    def _race(self, round: Round, rng: Random) -> None:
        """One seat's play or decline in the opening and for the direction, or one throw."""
        if round.phase is RPS:
            asked = [seat for seat in range(round.seats) if round.throw_awaited(seat)]
            round.apply(rng.choice(THROW[rng.choice(asked)]))
            return
        asked = [seat for seat in range(round.seats) if round.asked(seat)]
        able = [seat for seat in asked if round.playable(seat)]
        if able:
            seat = rng.choice(able)
            card, _ = self._best(round, seat, round.playable(seat), rng)
            round.apply(self._play(round, seat, card))
        else:
            round.apply(PASS[asked[0]])


def _any(seats: int, rng: Random) -> int:
    """One of a mask of seats."""
    if not seats & (seats - 1):
        return seats.bit_length() - 1
    return rng.choice([seat for seat in range(seats.bit_length()) if seats >> seat & 1])
