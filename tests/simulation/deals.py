"""Deals in which many cards are claimed, by several at once, and back."""

from __future__ import annotations

from itertools import combinations

from engine.cards import VALUE, Card
from engine.rules import Rules
from engine.state import deal_hands

Deal = tuple[list[list[Card]], list[Card], list[Card]]
"""The hands, the pile, and the stock."""
HAND = 3


def contested(rules: Rules, seats: int, seed: bytes) -> Deal:
    """A deal by `engine.state.deal_hands` with its cards in other places; hands are of `HAND` cards.

    All hands count, or will count once a certain card of theirs is played, what the card turned up is worth.
    Every second seat holds a card of that rank.
    """
    hands, discards, stock = deal_hands(rules, seats, seed)
    pool = [card for hand in hands for card in hand] + discards + stock
    value = 7 + seed[0] % 4
    top = _take(pool, 1, value)
    dealt = [
        _take(pool, HAND, value) if seat % 2 else _take(pool, 1, value) + _take(pool, HAND - 1, value)
        for seat in range(seats)
    ]
    return dealt, top, pool


def _take(pool: list[Card], size: int, value: int) -> list[Card]:
    """Take so many cards that count this together."""
    worth = [card for card in pool if VALUE[card]]
    found = next(cards for cards in combinations(worth, size) if sum(VALUE[card] for card in cards) == value)
    for card in found:
        pool.remove(card)
    return list(found)
