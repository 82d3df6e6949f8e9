"""Rounds that could be the one a seat is in: its view, the hidden cards dealt as it has seen they can be.

The only place where a round is made from inside; seen by that seat, each is exactly what the view says.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from ..cards import VALUE, Card, CardSet, cards_of, mask_of
from ..events import Event
from ..round import Round
from ..state import Phase
from ..tables import PAIR_COUNTS
from ..view import View
from .reading import count_of, unseen
from .seen import ALL, Declined, Held, Knowledge

TRUST = 0.75
"""How often a guess is believed: that a hand holds no card its holder would have played, say."""
TRUST_CHOICE = 0.85
"""How often it is believed that a player would have played a higher card if there had been one."""
RETRIES = 8


class Worlds:
    """Deals the hidden cards anew as often as wanted. With ``guess`` off only what is certain is kept to."""

    def __init__(self, view: View, seen: Sequence[Event], guess: bool = True) -> None:
        assert view.you is not None
        self._knowledge = Knowledge(view, seen)
        self._guess = guess
        self._pair_math = view.rules.dobon_math == "pair"
        self._unseen: list[Card] = list(cards_of(unseen(view)))
        self._position = _position(view, self._knowledge)
        # Those with the fewest cards to choose from choose first, so that something is left for them.
        hidden = mask_of(self._unseen)
        self._held = [(seat, held) for seat, hand in enumerate(self._knowledge.hands) for held in hand]
        self._held.sort(key=lambda each: (each[1].possible & hidden).bit_count())

    def deal(self, rng: Random) -> Round:
        """One such round."""
        free = self._unseen[:]
        rng.shuffle(free)
        dealt: dict[Held, Card] = {}
        for _, held in self._held:
            dealt[held] = self._pick(free, held, rng)
        if self._guess:
            for facts in self._knowledge.declined:
                self._respect(facts, dealt, free, rng)
        round = self._position.copy()
        hands, counts = round.hands, round.counts
        for seat, held in self._held:
            card = dealt[held]
            hands[seat] |= 1 << card
            counts[seat] += VALUE[card]
        round.stock = free
        round.seed = rng.randbytes(32)
        drawn = self._knowledge.drawn
        if drawn is not None:
            round.drawn = dealt[drawn]
        return round

    def _pick(self, free: list[Card], held: Held, rng: Random) -> Card:
        """Take a card for this place out of the shuffled ones that are free."""
        possible = held.possible
        if self._guess:
            unlikely = held.unlikely
            if rng.random() < TRUST_CHOICE:
                unlikely |= held.passed_over
            for wanted in (held.likely & ~unlikely, ~unlikely):
                if wanted and rng.random() < TRUST:
                    wanted &= possible
                    for place, card in enumerate(free):
                        if wanted >> card & 1:
                            return free.pop(place)
        if possible != ALL:
            for place, card in enumerate(free):
                if possible >> card & 1:
                    return free.pop(place)
        return free.pop()

    def _respect(self, facts: list[Declined], dealt: dict[Held, Card], free: list[Card], rng: Random) -> None:
        """Exchange cards with the stock until the hand could have declined what it declined."""
        for _ in range(RETRIES):
            broken = next((fact for fact in facts if fact.held and self._contradicts(fact, dealt)), None)
            if broken is None or not free:
                return
            held = broken.held[rng.randrange(len(broken.held))]
            place = rng.randrange(len(free))
            if held.possible & ~held.unlikely & self._stock_allows(dealt[held]) & 1 << free[place]:
                dealt[held], free[place] = free[place], dealt[held]

    def _stock_allows(self, card: Card) -> CardSet:
        return ALL if self._knowledge.stock >> card & 1 else 0

    def _contradicts(self, fact: Declined, dealt: dict[Held, Card]) -> bool:
        values = [VALUE[dealt[held]] for held in fact.held] + fact.played
        if self._pair_math and len(values) == 2:
            return bool(PAIR_COUNTS[values[0]][values[1]] >> fact.value & 1)
        return sum(values) == fact.value


def _position(view: View, knowledge: Knowledge) -> Round:
    """The view as a round in which others' hands and the stock are still empty."""
    seats, you = view.seats, view.you
    assert you is not None
    hands: list[list[Card]] = [[] for _ in range(seats)]
    hands[you] = view.hand
    round = Round(
        view.rules,
        hands,
        view.discards,
        [],
        seed=bytes(32),
        starter=view.starter,
        number=view.round,
        totals=view.totals,
    )
    round.counts[you] = count_of(view.hand)
    round.phase = view.phase
    round.direction = view.direction
    round.suit = view.suit
    round.turn = view.turn
    round.idle = view.idle
    round.reshuffles = knowledge.reshuffles
    round.drawn = view.drawn
    if view.turn_seat is not None:
        round.turn_seat = view.turn_seat
    if view.attack is not None:
        round.attack_rank, round.attack_draw = view.attack.rank, view.attack.draw
        round.attack_step = knowledge.attack_step
    round.candidates = view.candidates
    round.attempt = view.attempt or 0
    round.outcome = view.outcome
    if view.may is None and (
        view.phase is Phase.OPENING or (view.candidates is not None and you in view.candidates)
    ):
        round.declined = 1 << you
    _open_window(round, view, knowledge)
    round.find_fit()
    return round


def _open_window(round: Round, view: View, knowledge: Knowledge) -> None:
    """Whose card can be claimed and by whom, as far as this seat can tell."""
    you = view.you
    assert you is not None
    round.discard = view.discard
    round.window = view.discard_by
    round.claims = [claim.seat for claim in view.claims]
    if round.window is None:
        return
    round.paid = knowledge.paid
    if view.claim == "waived":
        round.waived = 1 << you
    tables = round.tables
    claimed = bool(round.claims)
    # Who gathers claims does not know from the events alone whether the counter is asked already: the seat's
    # own standing says it where it matters.
    asked = claimed and not tables.chain_claims
    if tables.gather_claims:
        asked = claimed and (view.claim == "open") == (you == round.window)
    round.others_open = not asked
    round.counter_open = tables.counter_ask and (asked or (claimed and tables.chain_claims))
