"""The simplest ways a person might play; `normal` has to beat them all. Each claims every Dobon it holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from engine.actions import THROW, Action
from engine.bots import REACTIONS, Level
from engine.bots.normal import claim_or_waive, without_card
from engine.bots.reading import count_of, play, seat_of
from engine.cards import VALUE, Card
from engine.events import Event
from engine.state import Phase
from engine.view import View

Pick = Callable[[View, Random], Card | None]


def _highest(view: View, rng: Random) -> Card | None:
    return max(view.playable or [], key=lambda card: VALUE[card], default=None)


def _lowest(view: View, rng: Random) -> Card | None:
    return min(view.playable or [], key=lambda card: VALUE[card], default=None)


def _random(view: View, rng: Random) -> Card | None:
    return rng.choice(view.playable) if view.playable else None


def _never(view: View, rng: Random) -> Card | None:
    """Collects cards, and plays only the last one, or where it has to."""
    return _random(view, rng) if len(view.hand) == 1 or not without_card(view) else None


def _waiting(view: View, rng: Random) -> Card | None:
    """Stops playing once its hand can be Doboned with."""
    ready = count_of(view.hand) <= 13 and len(view.hand) >= view.rules.dobon_min
    return None if ready and without_card(view) else _highest(view, rng)


def _strategy(pick: Pick) -> Level:
    def choose(view: View, seen: Sequence[Event], rng: Random) -> Action:
        if view.phase is Phase.RPS:
            return rng.choice(THROW[seat_of(view)])
        card = pick(view, rng)
        return without_card(view)[0] if card is None else play(view, card)

    return Level(choose, claim_or_waive, REACTIONS["normal"])


STRATEGIES: dict[str, Level] = {
    "highest card": _strategy(_highest),
    "lowest card": _strategy(_lowest),
    "any card": _strategy(_random),
    "draws": _strategy(_never),
    "waits for its count": _strategy(_waiting),
}
"""By what they are called in the tables."""
