"""Cards, sets of cards, and how both are written (rules, section 1).

A card is a small int: ``suit * 13 + rank`` for the 52 plain cards, suits in the order S H D C and
rank 0 for the ace; 52 and 53 are the jokers. So sorting ints sorts cards in the order of a new deck.
A set of cards is an int with bit ``1 << card`` for each member.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

Card: TypeAlias = int
CardSet: TypeAlias = int

SUITS = "SHDC"
RANKS = "A23456789TJQK"
JOKER_RANK = len(RANKS)
"""The rank index of a joker, one past the king's."""

CARDS = (*(rank + suit for suit in SUITS for rank in RANKS), "X1", "X2")
"""The two characters of each card, by card."""

VALUE = tuple(card % 13 + 1 if card < 52 else 0 for card in range(54))
"""What a card counts: ace 1 to king 13, a joker 0."""

RANK_OF = tuple(card % 13 if card < 52 else JOKER_RANK for card in range(54))
SUIT_OF = tuple(card // 13 if card < 52 else 0 for card in range(54))
"""The printed suit, an index into ``SUITS``; for a joker that of spades, which it names by default."""

JOKERS: CardSet = 0b11 << 52

SUIT_INDEX = {suit: index for index, suit in enumerate(SUITS)}

_BY_TEXT = {text: card for card, text in enumerate(CARDS)}


def parse_card(text: str) -> Card:
    """The card written as ``text``, such as ``"TH"``; ``ValueError`` if no card is written so."""
    card = _BY_TEXT.get(text)
    if card is None:
        raise ValueError(f"{text!r} is no card; a card is a rank of {RANKS} and a suit of {SUITS}, or X1, X2")
    return card


def rank_text(rank: int) -> str:
    """The character of a rank index, ``X`` for a joker's."""
    return (RANKS + "X")[rank]


def deck(jokers: int) -> list[Card]:
    """The sorted deck with that many jokers (0 to 2), the top card first."""
    return list(range(52 + jokers))


def mask_of(cards: Iterable[Card]) -> CardSet:
    """The set of these cards."""
    mask = 0
    for card in cards:
        mask |= 1 << card
    return mask


def cards_of(mask: CardSet) -> Iterator[Card]:
    """The members of a set, in sorted-deck order."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def value_of(mask: CardSet) -> int:
    """What the cards of a set count together."""
    return sum(VALUE[card] for card in cards_of(mask))
