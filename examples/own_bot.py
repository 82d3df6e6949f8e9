"""A bot of one's own, playing against those of Dobon without a network: a hundred matches in two seconds.

    python examples/own_bot.py [MATCHES] [SEED]

It wants a hand that is *waiting*: one that counts from 1 to 13, and best a number of which many cards are
still to come. Otherwise it plays its highest card. Change `choose`, and see whether it wins more often.
"""

import random
import sys
from collections.abc import Sequence

from engine.actions import DRAW, PASS, THROW, Action
from engine.bots import LEVELS, Level
from engine.bots.arena import Arena
from engine.bots.reading import claim_if, count_of, holds, play, seat_of, unseen
from engine.cards import VALUE, Card, cards_of
from engine.events import Event
from engine.match import Match
from engine.rules import Rules
from engine.state import Phase
from engine.view import View


def worth(view: View, card: Card) -> tuple[int, int]:
    """How good it is to play a card: cards still to come that the rest of the hand waits for, then points."""
    rest = [each for each in view.hand if each != card]
    to_come = [each for each in cards_of(unseen(view)) if VALUE[each] == count_of(rest)]
    return len(to_come) if rest else 99, VALUE[card]


def choose(view: View, seen: Sequence[Event], rng: random.Random) -> Action:
    """What to do when the seat is asked to play, draw, pass, decline or throw."""
    seat = seat_of(view)
    if view.phase is Phase.RPS:
        return rng.choice(THROW[seat])
    if view.playable:
        return play(view, max(view.playable, key=lambda card: worth(view, card)))
    return (DRAW if "draw" in (view.may or []) else PASS)[seat]


def claim_or_waive(view: View, seen: Sequence[Event], rng: random.Random) -> Action | None:
    """Dobon whenever the hand counts the top card; None where no window is open to the seat."""
    return claim_if(view, holds(view))


MINE = Level(choose, claim_or_waive, LEVELS["normal"].reaction)


def play_match(rules: Rules, bots: Sequence[Level], rng: random.Random) -> list[dict[str, int]]:
    """A match between bots, one for each seat; its ranking."""
    match = Match(rules, len(bots))
    while not match.over:
        log: list[Event] = []
        round = match.deal(rng.randbytes(32), log)
        Arena(round, log, bots, rng).play()
        match.finish(round)
    return match.ranking()


def main(matches: int = 100, seed: int = 1) -> None:
    rng = random.Random(seed)
    names = ["mine", "easy", "normal"]
    bots = {"mine": MINE, **LEVELS}
    firsts = dict.fromkeys(names, 0)
    for number in range(matches):
        seated = [names[(seat + number) % len(names)] for seat in range(len(names))]
        for place in play_match(Rules.preset("dobon"), [bots[name] for name in seated], rng):
            firsts[seated[place["seat"]]] += place["rank"] == 1
    for name, wins in firsts.items():
        print(f"{name}: first in {wins} of {matches} matches")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
