"""Bots against bots, without a table or a clock: who may claim on a card is asked first, in random order.

So what is measured here is how bots decide, not how fast they react.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from random import Random

from ..actions import Action
from ..events import Event, event_for
from ..round import Round
from ..state import Phase
from ..view import view
from . import Level

Note = Callable[[Action | None, Sequence[Event]], None]
"""Told of each action once done, and of each time that ran out (None), with the events it caused."""


class Arena:
    """One round between bots, one for each seat.

    ``log`` is the round's own and holds the events of its deal. `seen` has each seat's events so far.
    """

    def __init__(
        self, round: Round, log: list[Event], bots: Sequence[Level], rng: Random, note: Note | None = None
    ) -> None:
        self.round = round
        self.bots = bots
        self.seen: list[list[Event]] = [[] for _ in bots]
        self._log = log
        self._rng = rng
        self._note = note

    def play(self) -> None:
        """Play the round to its end."""
        while self.round.phase is not Phase.OVER:
            self._deliver()
            if not self._ask_claims() and not self._ask_moves():
                self.round.expire()
                self._tell(None)
        self._deliver()

    def _deliver(self) -> None:
        for seat, seen in enumerate(self.seen):
            seen += [event_for(event, seat) for event in self._log]
        self._log.clear()

    def _ask_claims(self) -> bool:
        """Ask who may claim, until something happens; whether it did."""
        round = self.round
        for seat in self._shuffled(range(round.seats)):
            if round.window is not None and round.window_refusal(seat) is None:
                action = self.bots[seat].claim_or_waive(view(round, seat), self.seen[seat], self._rng)
                if action is not None and self._happens(action):
                    return True
        return False

    def _ask_moves(self) -> bool:
        round = self.round
        if round.phase is Phase.RPS:
            asked = [seat for seat in range(round.seats) if round.throw_awaited(seat)]
        else:
            asked = [seat for seat in range(round.seats) if round.asked(seat)]
        for seat in self._shuffled(asked):
            action = self.bots[seat].choose(view(round, seat), self.seen[seat], self._rng)
            if self._happens(action):
                return True
        return False

    def _happens(self, action: Action) -> bool:
        self.round.apply(action)
        self._tell(action)
        return bool(self._log)

    def _tell(self, action: Action | None) -> None:
        if self._note is not None:
            self._note(action, self._log)

    def _shuffled(self, seats: Iterable[int]) -> list[int]:
        order = list(seats)
        if len(order) > 1:
            self._rng.shuffle(order)
        return order
