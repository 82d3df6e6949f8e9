"""What a seat reads off its own view, the same for every level: what it could do and what is unseen."""

from __future__ import annotations

from collections.abc import Iterable

from ..actions import DOBON, WAIVE, Action, Do
from ..cards import SUIT_OF, SUITS, VALUE, Card, CardSet, mask_of
from ..tables import PAIR_COUNTS, Tables, tables_for
from ..view import View


def seat_of(view: View) -> int:
    """The seat that the view is of; a spectator's view is nothing to decide from."""
    if view.you is None:
        raise ValueError("a spectator has nothing to decide")
    return view.you


def tables_of(view: View) -> Tables:
    return tables_for(view.rules, view.seats)


def unseen(view: View) -> CardSet:
    """The cards that are in the stock or in others' hands."""
    return mask_of(tables_of(view).deck) & ~mask_of(view.hand) & ~mask_of(view.discards)


def count_of(hand: list[Card]) -> int:
    return sum([VALUE[card] for card in hand])


def holds(view: View) -> bool:
    """Whether a claim of this seat on the top card, or its counter, would be right."""
    tables, hand, value = tables_of(view), view.hand, VALUE[view.top]
    least = tables.counter_min if view.you == view.discard_by else tables.dobon_min
    if not value or len(hand) < least:
        return False
    if tables.pair_math and len(hand) == 2:
        return bool(PAIR_COUNTS[VALUE[hand[0]]][VALUE[hand[1]]] >> value & 1)
    return count_of(hand) == value


def claim_if(view: View, wanted: bool) -> Action | None:
    """The claim or the waiver, or None where no window is open to the seat."""
    if view.claim != "open":
        return None
    return (DOBON if wanted else WAIVE)[seat_of(view)]


def names_suit(view: View, card: Card) -> bool:
    """Whether playing the card now names a suit, and has to."""
    tables = tables_of(view)
    naming = tables.jokers if view.attack else tables.naming
    return bool(naming >> card & 1) and len(view.hand) > 1


def play(view: View, card: Card, suit: int | None = None, call: bool = True) -> Action:
    """Playing the card; without a ``suit`` it names the one the rest of the hand has most of."""
    if not names_suit(view, card):
        suit = None
    elif suit is None:
        suit = best_suit(view, card)
    called = call and view.rules.last_call > 0 and len(view.hand) == 2
    return Action(seat_of(view), Do.PLAY, card, suit, called)


def best_suit(view: View, without: Card) -> int:
    """The suit most of the hand's other cards have; cards that fit any suit do not count."""
    wild = tables_of(view).naming
    held = [SUIT_OF[card] for card in view.hand if card != without and not wild >> card & 1]
    return max(range(len(SUITS)), key=held.count) if held else SUIT_OF[without]


def amounts_in(cards: Iterable[Card]) -> tuple[int, ...]:
    """How many of the cards there are of each value, 0 to 13."""
    amounts = [0] * 14
    for card in cards:
        amounts[VALUE[card]] += 1
    return tuple(amounts)
