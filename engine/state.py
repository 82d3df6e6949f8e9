"""Where a round's cards are and what is pending: the state that `engine.round` moves.

Compact and mutable, so that a round copies in a microsecond or two: hands are sets of cards,
everything that depends on the rules is looked up in their `Tables`.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import TypeVar

from .actions import Action
from .cards import JOKERS, RANK_OF, SUIT_OF, VALUE, Card, CardSet, cards_of, mask_of, value_of
from .deal import below, shuffle, words
from .events import ClaimMade, Drew, Event, Played, Reshuffled, RoundBegun, RoundOver, Skipped
from .points import Outcome, points_of
from .rules import Rules
from .tables import Tables, tables_for

S = TypeVar("S", bound="RoundState")


class Phase(IntEnum):
    """What a round waits for. `CLAIM` is the time after a claim and after a last card."""

    OPENING = 0
    DIRECTION = 1
    RPS = 2
    TURN = 3
    CLAIM = 4
    OVER = 5

    @property
    def word(self) -> str:
        return self.name.lower()


OPENING, DIRECTION, RPS, TURN, CLAIM, OVER = Phase  # to look up a global is ten times as fast as a member


class RoundState:
    """One round's state. Masks of seats have bit ``1 << seat``; the stock's top and the top card are last."""

    __slots__ = (
        "attack_draw",
        "attack_rank",
        "attack_step",
        "attempt",
        "candidates",
        "claims",
        "counter_open",
        "counts",
        "declined",
        "direction",
        "discard",
        "discards",
        "drawn",
        "fit",
        "hands",
        "idle",
        "log",
        "naming",
        "number",
        "order",
        "others_open",
        "outcome",
        "paid",
        "phase",
        "reshuffles",
        "rules",
        "seats",
        "seed",
        "starter",
        "stock",
        "suit",
        "tables",
        "throws",
        "totals",
        "turn",
        "turn_seat",
        "waived",
        "window",
    )

    def __init__(
        self,
        rules: Rules,
        hands: Sequence[Sequence[Card]],
        discards: Sequence[Card],
        stock: Sequence[Card],
        *,
        seed: bytes,
        starter: int = 0,
        number: int = 1,
        totals: Sequence[int] | None = None,
        log: list[Event] | None = None,
    ) -> None:
        """``hands`` in the order the cards came, ``discards`` bottom first, ``stock`` top first."""
        seats = len(hands)
        self.rules = rules
        self.tables: Tables = tables_for(rules, seats)
        self.seats = seats
        self.seed = seed
        self.number = number
        self.starter = starter
        self.totals = tuple(totals) if totals is not None else (0,) * seats
        self.log = log
        self.hands: list[CardSet] = [mask_of(hand) for hand in hands]
        self.counts = [value_of(hand) for hand in self.hands]
        self.discards = list(discards)
        self.stock = list(reversed(stock))
        self.order = [0] * 54
        """When a card came into play, for showing hands as they were dealt and drawn."""
        for place, card in enumerate([card for hand in hands for card in hand] + list(stock)):
            self.order[card] = place
        self.reshuffles = 0

        self.phase = TURN
        self.direction = 1
        self.suit = SUIT_OF[discards[-1]]
        self.turn = 0
        self.turn_seat = starter
        self.drawn: Card | None = None
        self.idle = 0
        """Turns in a row that neither played nor drew."""
        self.attack_rank: int | None = None
        self.attack_step = 0
        self.attack_draw = 0
        self.fit: CardSet = 0
        """What fits."""
        self.naming: CardSet = 0
        """What names a suit when it is played."""
        self.find_fit()

        self.declined = 0
        self.candidates: tuple[int, int] | None = None
        self.throws: list[int | None] = [None, None]
        self.attempt = 0

        self.discard = 0
        self.window: int | None = None
        """Whose card may be claimed now: its discarder."""
        self.others_open = False
        self.counter_open = False
        self.waived = 0
        self.paid = 0
        self.claims: list[int] = []
        self.outcome: Outcome | None = None

    def copy(self: S, log: list[Event] | None = None) -> S:
        """A round of its own that stands where this one stands; it tells its events to ``log``."""
        other = object.__new__(type(self))
        other.rules = self.rules
        other.tables = self.tables
        other.seats = self.seats
        other.seed = self.seed
        other.number = self.number
        other.starter = self.starter
        other.totals = self.totals
        other.log = log
        other.hands = self.hands[:]
        other.counts = self.counts[:]
        other.discards = self.discards[:]
        other.stock = self.stock[:]
        other.order = self.order  # a reshuffle makes a new one
        other.reshuffles = self.reshuffles
        other.phase = self.phase
        other.direction = self.direction
        other.suit = self.suit
        other.turn = self.turn
        other.turn_seat = self.turn_seat
        other.drawn = self.drawn
        other.idle = self.idle
        other.attack_rank = self.attack_rank
        other.attack_step = self.attack_step
        other.attack_draw = self.attack_draw
        other.fit = self.fit
        other.naming = self.naming
        other.declined = self.declined
        other.candidates = self.candidates
        other.throws = self.throws[:]
        other.attempt = self.attempt
        other.discard = self.discard
        other.window = self.window
        other.others_open = self.others_open
        other.counter_open = self.counter_open
        other.waived = self.waived
        other.paid = self.paid
        other.claims = self.claims[:]
        other.outcome = self.outcome
        return other

    # What can be asked about it.

    def hand_cards(self, seat: int) -> tuple[Card, ...]:
        """A hand in the order its cards came."""
        return tuple(sorted(cards_of(self.hands[seat]), key=self.order.__getitem__))

    def sizes(self) -> list[int]:
        """How many cards each seat holds."""
        return [hand.bit_count() for hand in self.hands]

    def drawable(self) -> bool:
        """Whether any card is left to draw."""
        return bool(self.stock) or len(self.discards) > 1

    def points(self) -> list[int]:
        """Each seat's points for this round, once it is over."""
        assert self.outcome is not None, "the round is not over"
        return points_of(self.rules, self.outcome, self.counts)

    # How a round is told from its beginning to its end.

    def tell_deal(self) -> None:
        """Tell the round as it has just been dealt."""
        if self.log is None:
            return
        *under, top = self.discards
        hands = tuple(self.hand_cards(seat) for seat in range(self.seats))
        counts = tuple(self.sizes())
        stock = len(self.stock)
        self.log.append(RoundBegun(self.number, self.starter, top, tuple(under), hands, counts, stock))

    def tell_end(self) -> None:
        """Tell the round that is over."""
        outcome = self.outcome
        if self.log is None or outcome is None:
            return
        points = self.points()
        order = enumerate(outcome.claims, 1)
        self.log.append(
            RoundOver(
                outcome.why,
                tuple(outcome.winners),
                tuple(outcome.losers),
                outcome.card,
                tuple(ClaimMade(seat, place, seat == outcome.discarder) for place, seat in order),
                tuple(self.hand_cards(seat) for seat in range(self.seats)),
                tuple(points),
                tuple(total + gained for total, gained in zip(self.totals, points, strict=True)),
            )
        )

    # How cards move.

    def find_fit(self) -> None:
        """Look up what fits and names now; to be called when top card, suit or attack have changed."""
        tables = self.tables
        if self.attack_rank is not None:
            self.fit = tables.answers[self.attack_rank]
            self.naming = tables.jokers
        else:
            self.fit = tables.fits[self.discards[-1]][self.suit]
            self.naming = tables.naming

    def draw_cards(self, seat: int, count: int, why: str) -> list[Card]:
        """Draw as many of ``count`` cards as there are, the stock made new when it is empty."""
        hand, gained = self.hands[seat], 0
        drawn: list[Card] = []
        for _ in range(count):
            if not self.stock:
                if len(self.discards) == 1:
                    break
                self._reshuffle()
            card = self.stock.pop()
            hand |= 1 << card
            gained += VALUE[card]
            drawn.append(card)
        self.hands[seat] = hand
        self.counts[seat] += gained
        if self.log is not None:
            self.log.append(Drew(seat, len(drawn), tuple(drawn), why, len(self.stock), hand.bit_count()))
        return drawn

    def _reshuffle(self) -> None:
        self.reshuffles += 1
        cards = self.discards[:-1]
        del self.discards[:-1]
        shuffle(cards, words(self.seed, f"reshuffle/{self.reshuffles}"))
        self.order = self.order[:]
        for place, card in enumerate(cards):
            self.order[card] = 54 * self.reshuffles + place
        cards.reverse()
        self.stock = cards
        if self.log is not None:
            self.log.append(Reshuffled(len(cards)))

    def put(self, action: Action) -> int:
        """Lay the card on the pile, open its window, raise or begin its attack; the cards left in hand."""
        seat, _, card, named, call, _ = action
        assert card is not None
        tables = self.tables
        bit = 1 << card
        hand = self.hands[seat] ^ bit
        self.hands[seat] = hand
        self.counts[seat] -= VALUE[card]
        self.discards.append(card)
        answers = self.attack_rank is not None
        if named is None or not bit & self.naming:
            named = SUIT_OF[card]
        self.suit = named
        self.discard += 1
        self.window = seat
        self.others_open = True
        self.counter_open = False
        self.waived = self.paid = 0
        left = hand.bit_count()
        if self.log is not None:
            self.log.append(Played(seat, card, named, self.discard, left))
        if answers:
            self.attack_draw += self.attack_step
        else:
            if left and tables.step[card]:
                self.attack_with(card)
            self.find_fit()
        if left == 1 and tables.last_call and not call:
            left += len(self.draw_cards(seat, tables.last_call, "call"))
        return left

    def attack_with(self, card: Card) -> None:
        self.attack_rank = RANK_OF[card]
        self.attack_step = self.attack_draw = self.tables.step[card]

    def skip_to(self, seat: int, reach: int) -> int:
        """The seat ``reach`` places on, where a reach of two skips one."""
        if reach == 2 and self.log is not None:
            self.log.append(Skipped((seat + self.direction) % self.seats))
        return (seat + self.direction * reach) % self.seats

    def turn_up(self) -> Card | None:
        """Move the stock's next card to the pile; None if the stock holds nothing but jokers."""
        if not mask_of(self.stock) & ~JOKERS:
            return None
        card = self.stock.pop()
        self.discards.append(card)
        self.suit = SUIT_OF[card]
        return card


def deal_hands(rules: Rules, seats: int, seed: bytes) -> tuple[list[list[Card]], list[Card], list[Card]]:
    """The hands, the discard pile (jokers turned up below the top card) and the stock, top first."""
    deck = list(tables_for(rules, seats).deck)
    shuffle(deck, words(seed, "deal"))
    hands = [deck[seat * rules.hand : (seat + 1) * rules.hand] for seat in range(seats)]
    rest = deck[seats * rules.hand :]
    turned = 1
    while 1 << rest[turned - 1] & JOKERS:
        turned += 1
    return hands, rest[:turned], rest[turned:]


def random_starter(seats: int, seed: bytes) -> int:
    """The starter where chance decides it."""
    return below(seats, words(seed, "starter"))
