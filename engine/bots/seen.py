"""What a seat knows of the hidden cards from the events it got, and what it may guess.

``seen`` is the list of the round's events from its deal on, each as `engine.events.event_for` gives it to the
seat: a card it may not see is left out (``hands`` and ``cards`` are ``()``). From them `Knowledge` keeps book
of every card that another seat holds: where it can have come from, what its holder would rather have played,
and which Doboned cards the hand can't have counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from .. import events
from ..cards import SUIT_OF, VALUE, Card, CardSet, mask_of
from ..events import Event
from ..tables import Tables, tables_for
from ..view import View

ALL: CardSet = (1 << 54) - 1
KEPT = 3
"""Wild cards and attacks are played as if they counted so much less."""
LONGEST_FACT = 4
"""A hand of more cards hardly ever counts 13 or less, so that it claims nothing says nothing."""


class Held:
    """One card in another's hand: what it may be, what it is unlikely to be, what it is likely to be."""

    __slots__ = ("likely", "passed_over", "possible", "unlikely")

    def __init__(self, possible: CardSet) -> None:
        self.possible = possible
        self.unlikely: CardSet = 0
        """Its holder drew or passed where one of these could have been played."""
        self.passed_over: CardSet = 0
        """Its holder played a lower card where one of these could have been played."""
        self.likely: CardSet = 0
        """Its holder named their suit."""


@dataclass(slots=True)
class Declined:
    """A hand that let a Dobon on ``value`` go by: its cards still held, the values of those played."""

    held: list[Held]
    played: list[int]
    value: int


class Knowledge:
    """What ``seen`` says to the seat ``you``. Lists are by seat; one's own entries stay empty."""

    def __init__(self, view: View, seen: Sequence[Event]) -> None:
        assert view.you is not None
        self.you = view.you
        self.tables: Tables = tables_for(view.rules, view.seats)
        self.dobon_min = view.rules.dobon_min
        self.hands: list[list[Held]] = [[] for _ in range(view.seats)]
        self.declined: list[list[Declined]] = [[] for _ in range(view.seats)]
        self.stock: CardSet = ALL
        """The cards that those in the stock can be, as far as reshuffles tell."""
        self.attack_step = 0
        self.reshuffles = 0
        self.paid = 0
        """The seats that paid for a false claim on the top card."""
        self.drawn: Held | None = None
        """The card that the seat on turn, if it is another, has just drawn and may play."""

        self._pile: list[Card] = []
        self._left = 0
        self._older = 0
        """How many cards of the draw under way come from the stock before the reshuffle, ..."""
        self._older_stock: CardSet = ALL
        """... and what they can be."""
        self._suit = 0
        self._attack: int | None = None
        self._window: int | None = None
        self._has_drawn = False
        self._forced = False
        for event in seen:
            self._take(event)
        self._complete(view)

    def _complete(self, view: View) -> None:
        """Where ``seen`` does not go back to the deal, know at least how many cards there are."""
        for seat, size in enumerate(view.sizes):
            hand = self.hands[seat]
            if seat != self.you:
                hand += [Held(ALL) for _ in range(size - len(hand))]
                del hand[size:]
        if view.attack is not None and not self.attack_step:
            self.attack_step = view.attack.draw

    def _take(self, event: Event) -> None:
        kind = type(event)
        if kind is events.TurnBegun:
            self._begin_turn(event)  # type: ignore[arg-type]
        elif kind is events.Played:
            self._play(event)  # type: ignore[arg-type]
        elif kind is events.Drew:
            self._draw(event)  # type: ignore[arg-type]
        elif kind is events.Passed:
            self._pass(event)  # type: ignore[arg-type]
        elif kind is events.Reshuffled:
            self._reshuffle(event)  # type: ignore[arg-type]
        elif kind is events.RoundBegun:
            self._begin(event)  # type: ignore[arg-type]
        elif kind is events.Turned:
            self._turn_up(event)  # type: ignore[arg-type]
        elif kind is events.FalseClaim:
            self._false_claim(event)  # type: ignore[arg-type]
        elif kind is events.TimedOut:
            self._forced = True

    def _fit(self) -> CardSet:
        if self._attack is not None:
            return self.tables.answers[self._attack]
        return self.tables.fits[self._pile[-1]][self._suit]

    def _begin(self, event: events.RoundBegun) -> None:
        self._pile = [*event.under, event.top]
        self._suit = SUIT_OF[event.top]
        self._left = event.stock
        for seat, count in enumerate(event.counts):
            if seat != self.you:
                self.hands[seat] = [Held(ALL) for _ in range(count)]

    def _turn_up(self, event: events.Turned) -> None:
        """Another card is turned up only if nobody could play on the one before."""
        fit = self._fit()
        for hand in self.hands:
            _rather_not(hand, fit)
        self._pile.append(event.top)
        self._suit = SUIT_OF[event.top]
        self._left = event.stock

    def _begin_turn(self, event: events.TurnBegun) -> None:
        self._suit = event.suit
        self._has_drawn = self._forced = False
        self.drawn = None
        if event.attack is None:
            self._attack = None
        elif self._attack is None:
            self._attack, self.attack_step = event.attack.rank, event.attack.draw

    def _play(self, event: events.Played) -> None:
        self._close_window()
        seat, card = event.seat, event.card
        if seat != self.you:
            self._give_up(seat, card)
            if self.drawn is None and self._attack is None and not self._forced:
                sooner = self._fit() & sooner_than(self.tables, card)
                for held in self.hands[seat]:
                    held.passed_over |= sooner
            if self._attack is None and self.tables.naming >> card & 1 and event.left and not self._forced:
                self.hands[seat][-1].likely = self.tables.fits[card][event.suit] & ~self.tables.naming
        if self._attack is None and event.left and self.tables.step[card]:
            self._attack, self.attack_step = _rank_of(card), self.tables.step[card]
        self._pile.append(card)
        self._suit = event.suit
        self._window = seat
        self.paid = 0
        self.drawn = None

    def _draw(self, event: events.Drew) -> None:
        seat, hand = event.seat, self.hands[event.seat]
        if event.why in ("choice", "attack"):
            self._close_window()
            if not self._forced:
                _rather_not(hand, self._fit())
        if event.why == "attack":
            self._attack = None
        if seat != self.you:
            older = self._older
            hand += [Held(self._older_stock if place < older else self.stock) for place in range(event.count)]
            if event.why == "choice" and not self.tables.draw_ends_turn:
                self.drawn = hand[-1]
        self._older = 0
        self._left = event.stock
        self._has_drawn |= event.why == "choice"

    def _pass(self, event: events.Passed) -> None:
        self._close_window()
        if not self._forced:
            hand = self.hands[event.seat]
            _rather_not(hand[-1:] if self._has_drawn else hand, self._fit())

    def _reshuffle(self, event: events.Reshuffled) -> None:
        """The discards are the stock: nothing that anybody held before is among them."""
        self.reshuffles += 1
        fresh = mask_of(self._pile[:-1])
        del self._pile[:-1]
        for hand in self.hands:
            for held in hand:
                held.possible &= ~fresh
        self._older = self._left
        self._older_stock = self.stock & ~fresh
        self.stock = fresh
        self._left = event.stock

    def _false_claim(self, event: events.FalseClaim) -> None:
        self._decline(event.seat)
        self.paid |= 1 << event.seat

    def _close_window(self) -> None:
        if self._window is not None:
            for seat in range(len(self.hands)):
                if seat != self._window and not self.paid >> seat & 1:
                    self._decline(seat)
        self._window = None

    def _decline(self, seat: int) -> None:
        hand, value = self.hands[seat], VALUE[self._pile[-1]]
        if value and self.dobon_min <= len(hand) <= LONGEST_FACT:
            self.declined[seat].append(Declined(hand[:], [], value))

    def _give_up(self, seat: int, card: Card) -> None:
        """Take the card out of the hand: the one just drawn, or the newest of those it can have been."""
        hand = self.hands[seat]
        held = (
            self.drawn
            or next((held for held in reversed(hand) if held.possible & ~held.unlikely & 1 << card), None)
            or next((held for held in hand if held.possible & 1 << card), hand[0])
        )
        hand.remove(held)
        for fact in self.declined[seat]:
            if held in fact.held:
                fact.held.remove(held)
                fact.played.append(VALUE[card])


@cache
def sooner_than(tables: Tables, card: Card) -> CardSet:
    """The cards that most players would rather have played: higher ones, and wild cards and attacks last."""

    def liking(each: Card) -> int:
        return VALUE[each] - (KEPT if tables.naming >> each & 1 or tables.step[each] else 0)

    return mask_of(each for each in tables.deck if liking(each) > liking(card))


def _rank_of(card: Card) -> int:
    return 13 if card >= 52 else card % 13


def _rather_not(hand: Iterable[Held], cards: CardSet) -> None:
    for held in hand:
        held.unlikely |= cards
