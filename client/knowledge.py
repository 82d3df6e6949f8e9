"""What a player can work out from the rules and from what their own seat is shown; nothing is asked for.

The protocol never tells who could claim. Everything here is worked out of a `View`.
"""

from __future__ import annotations

from engine.cards import VALUE, parse_card
from engine.rules import Rules
from engine.tables import PAIR_COUNTS
from protocol.messages import View

from .rulebook import rules_of, tables_of


def sorted_hand(view: View, sort: str = "suit") -> list[str]:
    """The viewer's hand as they wish to see it: by `suit`, by `rank`, or as `dealt` and drawn."""
    hand = list(view.hand or ())
    if sort == "suit":
        hand.sort(key=parse_card)
    elif sort == "rank":
        hand.sort(key=lambda card: (parse_card(card) >= 52, VALUE[parse_card(card)], parse_card(card)))
    return hand


def total(hand: list[str]) -> int:
    """What the cards count together."""
    return sum(VALUE[parse_card(card)] for card in hand)


def waits(rules: Rules, hand: list[str], *, counter: bool = False) -> tuple[int, ...]:
    """The values of a card on which this hand makes a Dobon, least first; with `counter` a Dobon return."""
    least = rules.counter_min if counter else rules.dobon_min
    if not hand or len(hand) < least:
        return ()
    values = range(1, 14)
    if rules.dobon_math == "pair" and len(hand) == 2:
        one, other = (VALUE[parse_card(card)] for card in hand)
        return tuple(value for value in values if PAIR_COUNTS[one][other] >> value & 1)
    return tuple(value for value in values if value == total(hand))


def holds(view: View) -> bool:
    """Whether a Dobon of the viewer on the top card would be right, were its window open to them."""
    if view.top is None or view.you is None:
        return False
    value = VALUE[parse_card(view.top)]
    counter = view.discard_by == view.you
    return value in waits(rules_of(view), list(view.hand or ()), counter=counter)


def is_played_for(view: View) -> bool:
    """Whether the server plays for the viewer, till they act themselves or join again."""
    return view.you is not None and view.seats[view.you].status == "autopilot"


def may_claim(view: View) -> bool:
    """Whether a claim of the viewer's would be judged now: a window is open to them, and they have neither
    claimed nor waived."""
    return view.claim == "open"


def counter_to_come(view: View) -> bool:
    """Whether the viewer will be asked for a Dobon return, or is by now: with `claims: all` no event tells
    that the others' claims are in, only the next view does."""
    if view.you is None or view.you != view.discard_by or not view.claims or view.claim is not None:
        return False
    rules = rules_of(view)
    return rules.claims == "all" and rules.counter == "ask" and len(view.hand or ()) >= rules.counter_min


def others_counter_to_come(view: View) -> bool:
    """Whether a discarder other than the viewer is asked for a Dobon return once the time for claims is
    over: with `claims: all` no event tells that it has begun, nor until when."""
    if not view.claims or view.discard_by in (None, view.you) or view.claims[-1].counter:
        return False
    rules = rules_of(view)
    count = next((seat.count or 0 for seat in view.seats if seat.seat == view.discard_by), 0)
    return rules.claims == "all" and rules.counter == "ask" and count >= rules.counter_min


def can_dobon(view: View) -> bool:
    """Whether the viewer can make a Dobon, or a Dobon return, right now."""
    return may_claim(view) and holds(view)


def names_suit(view: View, card: str) -> bool:
    """Whether playing this card now takes a suit to be named (not needed for the last card in hand)."""
    tables = tables_of(view)
    naming = tables.naming if view.attack is None else tables.jokers
    return bool(naming >> parse_card(card) & 1)


def call_needed(view: View) -> bool:
    """Whether the next card played leaves one in hand, which the rules want called."""
    return rules_of(view).last_call > 0 and len(view.hand or ()) == 2


def attack_cards(view: View) -> int:
    """How many cards the pending attack is made of, as far as the pile shows; 0 without one."""
    if view.attack is None:
        return 0
    step, discards = tables_of(view).step, view.discards or []
    for number, card in enumerate(reversed(discards), 1):
        if card[0] != view.attack.rank:
            break
        if step[parse_card(card)] * number == view.attack.draw:
            return number
    return 1
