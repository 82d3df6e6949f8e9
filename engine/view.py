"""What one viewer may know of a round, built field by field and nowhere else (rules, section 10).

A seat's view holds its own hand and what it may do; a spectator's holds neither. Whatever all can see is
the same in every view. Who else could play or claim is in none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .cards import SUITS, Card, cards_of
from .events import Attack, ClaimMade, attack_data, cards_data, claims_data
from .legality import Legality
from .points import Outcome
from .round import Round
from .rules import Rules
from .state import Phase


@dataclass(slots=True)
class View:
    """A round as ``you`` sees it, a seat or None for a spectator. Seats, suits and cards are ints."""

    rules: Rules
    seats: int
    you: int | None
    phase: Phase
    round: int
    starter: int
    totals: tuple[int, ...]
    direction: int
    suit: int
    discards: list[Card]
    """Bottom first, since the last reshuffle; the top card is last."""
    stock: int
    sizes: list[int]
    attack: Attack | None
    turn: int
    turn_seat: int | None
    idle: int
    """Turns in a row in which nobody played or drew."""
    discard: int
    """The number of the last card played, 0 before the first."""
    discard_by: int | None
    """Whose card can be claimed while its window is open."""
    claims: list[ClaimMade]
    candidates: tuple[int, int] | None
    attempt: int | None
    outcome: Outcome | None
    hand: list[Card]
    """Your own, as the cards came."""
    drawn: Card | None
    playable: list[Card] | None
    may: list[str] | None
    claim: str | None

    @property
    def top(self) -> Card:
        return self.discards[-1]


def view(round: Round, viewer: int | None) -> View:
    """What ``viewer`` may know of ``round`` now."""
    in_race = round.phase in (Phase.DIRECTION, Phase.RPS)
    on_turn = round.phase is Phase.TURN
    return View(
        rules=round.rules,
        seats=round.seats,
        you=viewer,
        phase=round.phase,
        round=round.number,
        starter=round.starter,
        totals=round.totals,
        direction=round.direction,
        suit=round.suit,
        discards=round.discards[:],
        stock=len(round.stock),
        sizes=round.sizes(),
        attack=None if round.attack_rank is None else Attack(round.attack_rank, round.attack_draw),
        turn=round.turn,
        turn_seat=round.turn_seat if on_turn else None,
        idle=round.idle,
        discard=round.discard,
        discard_by=round.window,
        claims=[ClaimMade(seat, place, seat == round.window) for place, seat in enumerate(round.claims, 1)],
        candidates=round.candidates if in_race else None,
        attempt=round.attempt if round.phase is Phase.RPS else None,
        outcome=round.outcome,
        hand=[] if viewer is None else list(round.hand_cards(viewer)),
        drawn=round.drawn if on_turn and viewer == round.turn_seat else None,
        playable=playable(round, viewer),
        may=may(round, viewer),
        claim=claim_standing(round, viewer),
    )


def playable(round: Legality, viewer: int | None) -> list[Card] | None:
    """The viewer's cards that may be played now; None for who is not asked."""
    if viewer is None or not round.asked(viewer):
        return None
    return list(cards_of(round.playable(viewer)))


def may(round: Legality, viewer: int | None) -> list[str] | None:
    """Which of ``play``, ``draw`` and ``pass`` the viewer may do now; None for who is not asked."""
    if viewer is None or not round.asked(viewer):
        return None
    on_turn = round.phase is Phase.TURN
    allowed = {
        "play": bool(round.playable(viewer)),
        "draw": on_turn and round.draw_refusal(viewer) is None,
        "pass": not on_turn or round.pass_refusal(viewer) is None,
    }
    return [word for word, is_allowed in allowed.items() if is_allowed]


def claim_standing(round: Round, viewer: int | None) -> str | None:
    """The viewer's standing in an open window: ``open``, ``claimed``, ``waived``, ``paid``, or None.

    ``open`` means that a claim would be judged, not that it would hold.
    """
    if viewer is None or round.window is None or round.phase is Phase.OVER:
        return None
    if viewer in round.claims:
        return "claimed"
    if round.paid >> viewer & 1:
        return "paid"
    if round.waived >> viewer & 1:
        return "waived"
    return "open" if round.window_refusal(viewer) is None else None


def view_data(seen: View) -> dict[str, Any]:
    """The part of the protocol's ``view`` message that a round knows, with its keys and texts."""
    return {
        "phase": seen.phase.word,
        "round": seen.round,
        "starter": seen.starter,
        "top": cards_data([seen.top])[0],
        "suit": SUITS[seen.suit],
        "direction": seen.direction,
        "stock": seen.stock,
        "attack": attack_data(seen.attack),
        "turn": seen.turn or None,
        "turn_seat": seen.turn_seat,
        "discards": cards_data(seen.discards),
        "discard": seen.discard or None,
        "discard_by": seen.discard_by,
        "claims": None if seen.discard_by is None else claims_data(tuple(seen.claims)),
        "candidates": None if seen.candidates is None else list(seen.candidates),
        "try": seen.attempt,
        "hand": None if seen.you is None else cards_data(seen.hand),
        "drawn": None if seen.drawn is None else cards_data([seen.drawn])[0],
        "playable": None if seen.playable is None else cards_data(seen.playable),
        "may": seen.may,
        "claim": seen.claim,
    }
