"""A recorded round followed event by event in full information: all hands, and who could do what.

A record has the events and needs no playing; but what a seat was told it may play is not in them, and is
looked up here as the rules have it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from engine.actions import Action, Do
from engine.cards import CARDS, SUITS, VALUE, deck, mask_of, parse_card, rank_text
from engine.legality import Legality
from engine.rules import Rules
from engine.state import Phase
from engine.view import may, playable

RANKS: Final = {rank_text(rank): rank for rank in range(14)}
"""Rank indices by their text; `X` is a joker's."""


class Followed:
    """One round. Raises ValueError, KeyError, TypeError or IndexError for events that can't be."""

    def __init__(self, rules: Rules, begun: Mapping[str, Any]) -> None:
        """`begun` is the `round` event, with all hands."""
        self.hands: list[list[str]] = [list(hand) for hand in begun["hands"]]
        """By seat, in the order the cards came."""
        hands = [[parse_card(card) for card in hand] for hand in self.hands]
        pile = [parse_card(card) for card in (*begun["under"], begun["top"])]
        seen = mask_of([*pile, *(card for hand in hands for card in hand)])
        rest = [card for card in deck(rules.jokers) if not seen >> card & 1]
        self._state = Legality(rules, hands, pile, rest, seed=bytes(32), starter=begun["starter"])
        self._stock(begun["stock"])

    @property
    def phase(self) -> Phase:
        return self._state.phase

    def asked(self, seat: int) -> dict[str, Any] | None:
        """`playable` and `may` of a seat that is asked now."""
        cards = playable(self._state, seat)
        if cards is None:
            return None
        return {"playable": [CARDS[card] for card in cards], "may": may(self._state, seat)}

    def decline(self, seat: int) -> None:
        """A seat will not play in the race; no event tells of it."""
        self._state.declined |= 1 << seat

    def follow(self, event: Mapping[str, Any]) -> None:
        """Stand as after this event."""
        state = self._state
        match event["ev"]:
            case "opening":
                state.phase, state.declined = Phase.OPENING, 0
            case "turned":
                state.discards.append(parse_card(event["top"]))
                state.suit = SUITS.index(event["top"][1]) if event["top"][0] != "X" else 0
                self._stock(event["stock"])
            case "direction_race":
                one, other = event["candidates"]
                state.phase, state.candidates, state.declined = Phase.DIRECTION, (one, other), 0
            case "rps":
                state.phase = Phase.RPS
            case "direction":
                state.direction = event["direction"]
            case "turn":
                self._turn(event)
            case "played":
                self._played(event)
            case "drew":
                self._drew(event)
            case "reshuffled":
                del state.discards[:-1]
                self._stock(event["stock"])
            case "claimed":
                state.phase = Phase.CLAIM
            case "round_over":
                state.phase = Phase.OVER
            case _:
                pass
        state.find_fit()

    def _stock(self, count: int) -> None:
        """How many there are is all that the rules ask of cards that lie face down."""
        if not 0 <= count <= len(CARDS):
            raise ValueError(f"a stock of {count}")
        self._state.stock = [0] * count

    def _turn(self, event: Mapping[str, Any]) -> None:
        state, attack = self._state, event["attack"]
        state.phase, state.turn_seat, state.drawn = Phase.TURN, event["seat"], None
        state.direction, state.suit = event["direction"], SUITS.index(event["suit"])
        state.attack_rank = None if attack is None else RANKS[attack["rank"]]
        if attack is not None:
            state.attack_draw = attack["draw"]

    def _played(self, event: Mapping[str, Any]) -> None:
        seat, card = event["seat"], event["card"]
        self.hands[seat].remove(card)
        # With the call: what is drawn for a missing one is an event of its own.
        self._state.put(Action(seat, Do.PLAY, parse_card(card), SUITS.index(event["suit"]), True))
        self._state.suit, self._state.drawn = SUITS.index(event["suit"]), None

    def _drew(self, event: Mapping[str, Any]) -> None:
        state, seat = self._state, event["seat"]
        cards = [parse_card(card) for card in event["cards"]]
        self.hands[seat] += event["cards"]
        state.hands[seat] |= mask_of(cards)
        state.counts[seat] += sum(VALUE[card] for card in cards)
        self._stock(event["stock"])
        if event["why"] in ("choice", "attack"):
            state.attack_rank = None
        if event["why"] == "choice" and cards and not state.tables.draw_ends_turn:
            state.drawn = cards[0]
