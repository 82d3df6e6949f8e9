"""Checks that a round was dealt from the secret whose hash was told before it (protocol, section 4).

A `Witness` follows the events of one table as its viewer sees them. At the end of a round it deals and draws
again from the seed and compares with everything that was seen: own cards, cards turned up, coins, and the
hands that are shown at the end.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from engine.cards import CARDS, parse_card
from engine.deal import below, commit_of, seed_of, shuffle, words
from engine.rules import MAX_SEATS, MIN_SEATS, BadRules, Rules
from engine.state import deal_hands, random_starter
from protocol import events as e
from protocol.messages import Event, View

from .notices import Checked, Fault
from .rulebook import known_rules, understood


@dataclass(slots=True)
class Witness:
    """What one viewer saw of a table's present round, and of the promise before it.

    A promise is for one round, and stays: another commit for the same round is believed no more than another
    secret. With `hears_ready` False it is not told who was ready, as in a record.
    """

    table: int
    you: int | None = None
    seats: int = 0
    rules: dict[str, object] = field(default_factory=dict)
    commit: bytes | None = None
    """Of the round that is played or comes next."""
    promised: tuple[int, int] | None = None
    """The match and the round that it is for."""
    nonce: bytes | None = None
    """The viewer's own for that round, once the server took it."""
    ready: set[int] | None = None
    """The people who were ready for it, and may have given a nonce; None if not all of that was seen."""
    round: int | None = None
    seen: list[Event] | None = None
    """The events of the round, from its deal on; None if its deal was not seen."""
    seq: int | None = None
    """Of the last event."""
    hears_ready: bool = True

    def view(self, view: View) -> None:
        """Take a fresh view: events before it may have been missed."""
        self.seats, self.rules = len(view.seats), view.rules
        promised = _promised(view)
        if promised != self.promised:
            self.promised, self.commit, self.nonce, self.ready = promised, view.commit, None, None
        if view.phase == "between":
            self.ready = {seat.seat for seat in view.seats if seat.ready and seat.kind == "human"}
        elif view.seq != self.seq:
            self.ready = None
        if (view.seq, view.you) != (self.seq, self.you):
            self.seen = None
        self.you, self.seq, self.round = view.you, view.seq, view.round

    def promise(self, nonce: bytes | None) -> None:
        """The server took the viewer's nonce for the coming round."""
        self.nonce = nonce

    def event(self, event: Event) -> Checked | None:
        """Follow an event; at the end of a round what came of checking it."""
        self.seq = event.seq
        match event:
            case e.MatchBegun():
                self.seats, self.rules = len(event.seats), event.rules
                self._await((event.match, 1), event.commit)
            case e.SeatReady() if self.ready is not None:
                self.ready.add(event.seat)
            case e.Seat(kind="bot" | "empty") if self.ready is not None and self.seen is None:
                self.ready.discard(event.seat)
            case e.RoundBegun() if self.seen is None:
                self.round, self.seen = event.round, [event]
            case e.RoundOver():
                fault = self._fault(event)
                whole = self.seen is not None and self._rules() is not None
                checked = Checked(self.table, self.round, whole, fault)
                self._await(self.promised and (self.promised[0], self.promised[1] + 1), event.commit)
                return checked
            case _:
                if self.seen is not None:
                    self.seen.append(event)
        return None

    def _await(self, promised: tuple[int, int] | None, commit: bytes | None) -> None:
        """Another round comes next."""
        self.promised, self.commit, self.nonce, self.seen = promised, commit, None, None
        self.ready = set() if self.hears_ready else None

    def _fault(self, over: e.RoundOver) -> Fault | None:
        if self.commit is None or commit_of(over.secret) != self.commit:
            return "commit"
        if any(len(nonce or b"") > 255 for nonce in over.nonces) or len(over.nonces) != self.seats:
            return "seed"
        if seed_of(over.secret, over.nonces) != over.seed:
            return "seed"
        if self.nonce is not None and self.you is not None and over.nonces[self.you] != self.nonce:
            return "nonce"
        if self.ready is not None and any(
            nonce and seat not in self.ready for seat, nonce in enumerate(over.nonces)
        ):
            return "given"
        rules = self._rules()
        if self.seen is None or rules is None:
            return None
        return _Again(rules, self.seats, over.seed, self.you).compare(self.seen, over)

    def _rules(self) -> Rules | None:
        """The rules, if this version knows all of them."""
        if not MIN_SEATS <= self.seats <= MAX_SEATS or not understood(self.rules):
            return None
        rules = known_rules(self.rules)
        try:
            rules.check_seats(self.seats)
        except BadRules:
            return None
        return rules


def _promised(view: View) -> tuple[int, int] | None:
    """The match and the round that a view's commit is for."""
    if view.match is None or view.commit is None:
        return None
    return view.match, (view.round or 0) + (view.phase == "between")


class _Differs(Exception):
    """What was seen is not what the seed gives."""

    def __init__(self, fault: Fault) -> None:
        self.fault: Fault = fault


class _Again:
    """A round dealt again from its seed, its cards moved as the events tell."""

    def __init__(self, rules: Rules, seats: int, seed: bytes, you: int | None) -> None:
        self.rules, self.seats, self.seed, self.you = rules, seats, seed, you
        self.hands, self.discards, stock = deal_hands(rules, seats, seed)
        self.stock: Final = stock
        """Top first."""
        self.reshuffles = 0

    def compare(self, seen: list[Event], over: e.RoundOver) -> Fault | None:
        try:
            for event in seen:
                self._follow(event)
        except _Differs as differs:
            return differs.fault
        shown = [sorted(hand) for hand in over.hands]
        return None if shown == [sorted(map(_text, hand)) for hand in self.hands] else "hands"

    def _follow(self, event: Event) -> None:
        match event:
            case e.RoundBegun():
                self._dealt(event)
            case e.Turned():
                self.discards.append(self._top("deal"))
                _agree(_text(self.discards[-1]) == event.top, "deal")
            case e.Played():
                card = parse_card(event.card)
                _agree(event.seat < self.seats and card in self.hands[event.seat], "played")
                self.hands[event.seat].remove(card)
                self.discards.append(card)
            case e.Drew():
                _agree(event.seat < self.seats, "drawn")
                drawn = [self._top("drawn") for _ in range(event.count)]
                self.hands[event.seat] += drawn
                _agree(event.seat != self.you or event.cards == [*map(_text, drawn)], "drawn")
            case e.DirectionSet(by="coin"):
                _agree(event.direction == (-1 if below(2, words(self.seed, "coin")) else 1), "coin")
            case _:
                pass

    def _dealt(self, event: e.RoundBegun) -> None:
        pile = [*event.under, event.top]
        _agree(pile == [*map(_text, self.discards)] and event.stock == len(self.stock), "deal")
        if self.you is not None:
            _agree(event.hands[self.you] == [*map(_text, self.hands[self.you])], "deal")
        if event.round == 1 or self.rules.starter == "random":
            _agree(event.starter == random_starter(self.seats, self.seed), "starter")

    def _top(self, fault: Fault) -> int:
        if not self.stock:
            self.reshuffles += 1
            self.stock[:], self.discards[:] = self.discards[:-1], self.discards[-1:]
            shuffle(self.stock, words(self.seed, f"reshuffle/{self.reshuffles}"))
        _agree(bool(self.stock), fault)
        return self.stock.pop(0)


def _agree(agrees: bool, fault: Fault) -> None:
    if not agrees:
        raise _Differs(fault)


def _text(card: int) -> str:
    return CARDS[card]
