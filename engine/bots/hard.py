"""The level `hard`: reckons with what every event says, and plays each choice out in worlds that fit it all.

It begins with the marks of `normal`, which count as so many playouts, and plays every choice on in the
same worlds for a few turns each; what the position is then worth decides. The weaker half of the choices is
dropped again and again, so that the playouts go to those that are close. Claims and waivers never search: a
Dobon that holds is claimed unless the position is worth more than it.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from ..actions import DOBON, THROW, Action
from ..cards import SUIT_OF, SUITS, cards_of
from ..events import Event
from ..state import Phase
from ..view import View
from . import normal
from .determinise import Worlds
from .playout import Playout
from .reading import amounts_in, claim_if, holds, names_suit, play, seat_of, tables_of, unseen
from .worth import Worth, worth_of

BUDGET = 1200
"""Playouts for a decision, at most."""
BATCH = 12
"""Worlds between two looks at which choices can be dropped."""
SURE = 1.4
"""How many standard deviations a choice may be behind before it is dropped."""
LAPS = 3
"""How many turns of each seat a playout looks ahead."""
CLAIM_WORLDS = 24
"""Worlds in which a claim is weighed against playing on."""
PRIOR_WEIGHT = 130
"""How many playouts the marks of `normal` are worth."""
PRIOR_SCALE = {"penalty": 0.33, "wins": 0.016, "chain": 0.016}
"""How much of a mark is real, in points of the scoring."""


def choose(view: View, seen: Sequence[Event], rng: Random, budget: int = BUDGET) -> Action:
    """What the seat does, being asked to act, after about ``budget`` playouts."""
    seat = seat_of(view)
    if view.phase is Phase.RPS:
        return rng.choice(THROW[seat])
    choices = choices_of(view)
    if len(choices) == 1:
        return choices[0]
    return search(view, seen, choices, budget, rng)


def claim_or_waive(view: View, seen: Sequence[Event], rng: Random) -> Action | None:
    """Its claim or waiver in the window that is open to it; None if none is. Takes about a millisecond."""
    return claim_if(view, view.claim == "open" and holds(view) and _pays(view, seen, rng))


def _pays(view: View, seen: Sequence[Event], rng: Random) -> bool:
    """Whether a claim that holds is worth more than playing on: the others' hands can cost them more.

    Once somebody has claimed or gone out there is no playing on, and where wins count nothing beats a win.
    """
    if view.phase is not Phase.TURN or view.rules.scoring != "penalty":
        return True
    seat = seat_of(view)
    worlds, playout, worth = _tools(view, seen)
    balance = 0.0
    for _ in range(CLAIM_WORLDS):
        world = worlds.deal(rng)
        balance -= worth.gain(world, seat)
        world.apply(DOBON[seat])
        playout.advance(world, rng, turn=0)  # other claims and the counter; there is no further turn
        balance += worth.gain(world, seat)
    return balance >= 0


def _tools(view: View, seen: Sequence[Event]) -> tuple[Worlds, Playout, Worth]:
    playout = Playout(view.rules, view.seats, amounts_in(cards_of(unseen(view))))
    return Worlds(view, seen), playout, worth_of(view.rules, view.seats)


def choices_of(view: View) -> list[Action]:
    """What is worth thinking about: each card with the suits it may well name, the draw, the pass."""
    choices = []
    for card in view.playable or []:
        if names_suit(view, card):
            wild = tables_of(view).naming
            held = {SUIT_OF[other] for other in view.hand if other != card and not wild >> other & 1}
            choices += [play(view, card, suit) for suit in sorted(held) or range(len(SUITS))]
        else:
            choices.append(play(view, card))
    return choices + normal.without_card(view)


def search(view: View, seen: Sequence[Event], choices: list[Action], budget: int, rng: Random) -> Action:
    """The best of several choices, as far as ``budget`` playouts tell."""
    seat = seat_of(view)
    worlds, playout, worth = _tools(view, seen)
    horizon = view.turn + LAPS * view.seats
    weight, scale = PRIOR_WEIGHT, PRIOR_WEIGHT * PRIOR_SCALE[view.rules.scoring]
    totals = {c: scale * marks for c, marks in zip(choices, normal.judge(view, choices), strict=True)}
    summed, squares, played = 0.0, 0.0, 0
    while len(choices) > 1 and played < budget:
        for _ in range(BATCH):
            world = worlds.deal(rng)
            for choice in choices:
                trial = world.copy()
                trial.apply(choice)
                playout.advance(trial, rng, horizon)
                gain = worth.gain(trial, seat)
                totals[choice] += gain
                summed += gain
                squares += gain * gain
        played += BATCH * len(choices)
        weight += BATCH
        best = max(totals[choice] for choice in choices)
        # Totals differ by chance: by one standard deviation, as much as this.
        variance = max(0.0, squares / played - (summed / played) ** 2)
        chance = (2 * weight * variance) ** 0.5
        choices = [choice for choice in choices if best - totals[choice] <= SURE * chance]
    return max(choices, key=totals.__getitem__)
