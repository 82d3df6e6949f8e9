"""A match: rounds one after the other, their starters, points and the ranking (rules, sections 3 and 8)."""

from __future__ import annotations

from typing import Any

from .events import Event
from .points import Outcome, ranking
from .round import Round
from .rules import Rules
from .state import random_starter


class Match:
    """The score sheet of a match; each round is dealt by `deal` and entered by `finish`."""

    def __init__(self, rules: Rules, seats: int) -> None:
        """Raises `BadRules` if ``seats`` people can't play by ``rules``."""
        rules.check_seats(seats)
        self.rules = rules
        self.seats = seats
        self.totals = [0] * seats
        self.finished = 0
        """Rounds entered so far."""
        self._starter: int | None = None
        self._last: Outcome | None = None

    @property
    def over(self) -> bool:
        return self.finished == self.rules.rounds

    def deal(self, seed: bytes, log: list[Event] | None = None) -> Round:
        """The next round, dealt from its seed."""
        if self.over:
            raise ValueError("the match is over")
        return Round.deal(
            self.rules,
            self.seats,
            seed,
            number=self.finished + 1,
            starter=self._next_starter(seed),
            totals=self.totals,
            log=log,
        )

    def finish(self, round: Round) -> None:
        """Enter a round that is over, the last one dealt."""
        for seat, gained in enumerate(round.points()):
            self.totals[seat] += gained
        self.finished += 1
        self._starter = round.starter
        self._last = round.outcome

    def ranking(self) -> list[dict[str, Any]]:
        """``{"seat", "rank", "total"}`` for each seat, best first."""
        return ranking(self.rules, self.totals)

    def _next_starter(self, seed: bytes) -> int:
        last = self._last
        if last is None or self._starter is None or self.rules.starter == "random":
            return random_starter(self.seats, seed)
        chosen = {"winner": last.winners, "loser": last.losers}.get(self.rules.starter, [])
        return chosen[0] if len(chosen) == 1 else (self._starter + 1) % self.seats
