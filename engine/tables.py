"""Rules compiled into what a round looks up: masks, numbers and truth values, no names."""

from __future__ import annotations

from functools import cache

from .cards import CARDS, JOKER_RANK, JOKERS, RANK_OF, RANKS, SUIT_OF, SUITS, CardSet, deck, mask_of
from .rules import Rules

JOKER_ATTACK = 5


class Tables:
    """One `Rules` for one number of seats. Lists are indexed by card, rank index or suit index."""

    def __init__(self, rules: Rules, seats: int) -> None:
        cards = mask_of(deck(rules.jokers))
        jokers = cards & JOKERS
        effects = _effects_by_card(rules)
        wild = mask_of(card for card, effect in effects.items() if effect == "wild") | jokers

        self.deck = deck(rules.jokers)
        self.jokers: CardSet = jokers
        self.naming: CardSet = wild | mask_of(card for card, effect in effects.items() if effect == "suit")
        """Cards that name a suit outside an attack."""
        self.answers = [mask_of(c for c in self.deck if RANK_OF[c] == rank) for rank in range(JOKER_RANK + 1)]
        """What answers an attack, by its rank."""
        suits = [mask_of(c for c in self.deck if c < 52 and SUIT_OF[c] == suit) for suit in range(len(SUITS))]
        self.fits = [
            [(suit | self.answers[RANK_OF[top]] | wild) & cards for suit in suits]
            for top in range(len(CARDS))
        ]
        """What fits outside an attack, by top card and suit to follow."""
        self.step = [0] * len(CARDS)
        """The N of a card's attack, 0 for none."""
        for card, effect in effects.items():
            if effect.startswith("attack"):
                self.step[card] = int(effect.removeprefix("attack"))
        for joker in range(52, 52 + rules.jokers):
            self.step[joker] = JOKER_ATTACK

        reverses = mask_of(card for card, effect in effects.items() if effect == "reverse")
        self.first_reverses: CardSet = reverses
        self.first_skips: CardSet = mask_of(card for card, effect in effects.items() if effect == "skip")
        self.reverses: CardSet = reverses if seats > 2 else 0
        self.skips: CardSet = self.first_skips | (
            reverses if seats == 2 and rules.reverse_two == "skip" else 0
        )
        """What skips when played: with two seats a reverse may be a skip."""
        self.has_effect: CardSet = mask_of(effects)

        self.race = rules.opening == "race"
        self.first_acts = rules.first_card == "effect"
        self.must_answer = rules.answer == "must"
        self.must_play = rules.must_play
        self.draw_ends_turn = rules.drawn == "end"
        self.never_last: CardSet = jokers if rules.out else cards
        """What can't be played as the only card in hand."""
        self.dobon_min = rules.dobon_min
        self.counter_min = rules.counter_min
        self.pair_math = rules.dobon_math == "pair"
        self.chain_claims = rules.claims == "last"
        self.gather_claims = rules.claims == "all"
        self.previous_loses = rules.claims == "last" and rules.chain_loser == "previous"
        self.counter_auto = rules.counter == "auto"
        self.counter_ask = rules.counter == "ask"
        self.false_dobon = rules.false_dobon
        self.last_call = rules.last_call
        self.throws_decide = rules.order_by == "rps"


def _effects_by_card(rules: Rules) -> dict[int, str]:
    """Each plain card's effect; a card's own entry beats its rank's."""
    by_key = dict(rules.effects)
    return {
        card: effect
        for card in range(52)
        if (effect := by_key.get(CARDS[card], by_key.get(RANKS[RANK_OF[card]]))) is not None
    }


@cache
def tables_for(rules: Rules, seats: int) -> Tables:
    """The tables of these rules, made once."""
    return Tables(rules, seats)


def _pair_counts(a: int, b: int) -> int:
    counts = 1 << a + b | 1 << abs(a - b) | 1 << a * b
    if b and a % b == 0:
        counts |= 1 << a // b
    if a and b % a == 0:
        counts |= 1 << b // a
    return counts


PAIR_COUNTS = [[_pair_counts(a, b) for b in range(14)] for a in range(14)]
"""With ``dobon_math: pair``: bit n of entry [a][b] says that two cards of those values count n."""
