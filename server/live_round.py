"""A round in time: what is held for the grace, what runs out when, and what follows for those who wait.

The engine knows no clock; everything here that has to do with time is rules, section 9 and protocol,
sections 3 to 5. All moments are ns of the server's clock.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from engine.actions import Action, Do, action_from_data, action_to_data
from engine.events import Event, RoundOver
from engine.legality import Refused
from engine.round import Round
from engine.state import Phase

from .broadcast import Broadcast
from .record import Decided
from .revival import LEAST, Revival
from .settings import SECOND, Settings
from .telling import Teller

CLAIMS = (Do.DOBON, Do.WAIVE)


class Answer(Protocol):
    """How whoever asked is told. Called exactly once for each `Asked`."""

    def __call__(self, code: str | None, by: int | None = None) -> None:
        """None: it was done; else the error code, for `too_late` with the µs by which it was."""


Answering = Callable[[Action, int | None, int | None], Answer]
"""How who asked for something that is still held is told, by the action, the player and the request's id."""


@dataclass(slots=True, eq=False)
class Asked:
    """What a seat wants to do, about the event numbered ``on``."""

    action: Action
    on: int
    arrival: int
    answer: Answer
    player: int | None = None
    request: int | None = None


class LiveRound:
    """One round at a table. ``windows`` has, for each `played` of the match by seq, when it was closed."""

    def __init__(
        self,
        round: Round,
        log: list[Event],
        broadcast: Broadcast,
        settings: Settings,
        match: int,
        windows: dict[int, int | None],
        over: Callable[[RoundOver], None],
    ) -> None:
        self.round = round
        self.settings = settings
        self.teller = Teller(round, broadcast, settings, match, windows)
        self.held: list[Asked] = []
        self._log = log
        self._broadcast = broadcast
        self._match = match
        self._windows = windows
        self._over = over
        self._silent = [0] * round.seats
        """By seat, until when its claims are refused after one that did not hold."""
        self._others_closed = 0
        """When the window was last closed to all but the discarder."""
        self._others_open = False
        self._latest = 0
        """When the last thing was decided."""
        self.last_round: RoundOver | None = None
        """The end of the round, while it is held back for the grace after a last card."""

    def begin(self) -> None:
        """Tell the deal."""
        self._tell(self._broadcast.now)

    # What is asked

    def act(self, asked: Asked) -> None:
        """Take a seat's request: refuse it, hold it for the grace, or do it."""
        if asked.arrival < self._latest:
            # Read late while no order mattered: what is decided stays, and it came after that.
            asked.arrival = self._latest + 1
        if asked.action.do in CLAIMS:
            self._take_claim(asked)
        else:
            self._take_move(asked)

    def _take_claim(self, asked: Asked) -> None:
        seat, do = asked.action.seat, asked.action.do
        if do is Do.DOBON and asked.arrival < self._silent[seat]:
            return asked.answer("rate")
        if asked.on not in self._windows:
            return asked.answer("stale")
        closed = self._windows[asked.on]
        if closed is not None:
            if asked.on == self.teller.claim_on:
                code = "not_now" if self.round.phase is Phase.OVER else self.round.window_refusal(seat)
                self._note(asked, asked.arrival, code or "window_closed")
            return asked.answer("too_late", max(0, asked.arrival - closed) // 1000)
        if self.holds_waiver(seat):
            return asked.answer("window_closed")
        if do is Do.WAIVE and asked.arrival < self.teller.until and self._would_close(seat):
            return self.held.append(asked)
        return self._do(asked, asked.arrival)

    def _take_move(self, asked: Asked) -> None:
        if asked.on != self.teller.act_on:
            return asked.answer("stale")
        if self.holds_move(asked.action.seat):
            return asked.answer("not_now")
        if not self.in_grace(asked.arrival):
            return self._do(asked, asked.arrival)
        trial = self.round.copy()
        try:
            trial.apply(asked.action)
        except Refused as refused:
            self._note(asked, asked.arrival, refused.code)
            return asked.answer(refused.code)
        return self.held.append(asked)

    def in_grace(self, moment: int) -> bool:
        """Whether a claim on the last card still comes before any move."""
        return self.round.window is not None and moment < self.teller.until

    def window_open(self) -> bool:
        """Whether the last card may still be claimed by somebody."""
        claim_on = self.teller.claim_on
        return claim_on is not None and self._windows[claim_on] is None

    def holds_move(self, seat: int) -> bool:
        """Whether a play, draw or pass of the seat waits for the end of the grace."""
        return any(held.action.seat == seat and held.action.do not in CLAIMS for held in self.held)

    def holds_waiver(self, seat: int) -> bool:
        """Whether the seat has waived, as the last one awaited, and the end of the grace is waited for."""
        return any(held.action == Action(seat, Do.WAIVE) for held in self.held)

    def _would_close(self, seat: int) -> bool:
        """Whether the seat's waiver is the last one waited for."""
        round = self.round
        return (
            round.phase is Phase.CLAIM
            and round.window_refusal(seat) is None
            and not round.awaited() & ~(1 << seat)
        )

    # What is done

    def _do(self, asked: Asked, effect: int) -> None:
        try:
            self.round.apply(asked.action)
        except Refused as refused:
            self._note(asked, effect, refused.code)
            return self._refuse(asked, refused.code)
        self._note(asked, effect, None)
        asked.answer(None)
        self._tell(effect, asked.arrival)
        if asked.action.do is Do.DOBON and self.round.phase in (Phase.CLAIM, Phase.OVER):
            self._end_held_moves()
        return None

    def _refuse(self, asked: Asked, code: str) -> None:
        seat = asked.action.seat
        if asked.action.do in CLAIMS and code == "window_closed" and not self.round.waived >> seat & 1:
            # Closed to this seat by somebody's claim: on the wire that is being late.
            return asked.answer("too_late", max(0, asked.arrival - self._others_closed) // 1000)
        if asked.action.do is Do.DOBON and code == "not_eligible":
            self._silent[seat] = asked.arrival + SECOND
        return asked.answer(code)

    def _end_held_moves(self) -> None:
        """A claim that holds comes before whatever waited for the grace."""
        held, self.held = self.held, []
        for asked in held:
            if asked.action.do in CLAIMS:
                self.held.append(asked)
            else:
                asked.answer("not_now")

    def _tell(self, effect: int, arrival: int | None = None) -> None:
        """Tell what the engine did. An `out` that nobody is waited for is told after the grace."""
        teller, round = self.teller, self.round
        events = self._log[:]
        self._log.clear()
        for place, event in enumerate(events):
            if isinstance(event, RoundOver):
                if event.why == "out" and self._broadcast.now < teller.until:
                    self.last_round = event
                    teller.deadline = teller.until
                else:
                    teller.deadline = None
                    self._over(event)
            else:
                teller.tell(event, effect, arrival, last=place == len(events) - 1)
        teller.after_step(effect)
        if self._others_open and not round.others_open:
            self._others_closed = effect
        self._others_open = round.others_open

    # Time

    def next(self) -> int | None:
        """The earliest moment at which time decides something."""
        if self.held:
            return self.teller.until
        return self.teller.deadline

    def decide(self) -> None:
        """Let the time that `next` told run out."""
        moment = self.next()
        assert moment is not None
        if self.held:
            self._take_held(moment)
        elif self.last_round is not None:
            event, self.last_round = self.last_round, None
            self.teller.deadline = None
            self._over(event)
        else:
            # A turn that goes on after it, with a drawn card, has no more time and runs out again at once.
            self.round.expire()
            self._note(None, moment, None)
            self._tell(moment)

    def _take_held(self, moment: int) -> None:
        held = sorted(self.held, key=lambda asked: (asked.arrival, self.rank(asked.action.seat)))
        self.held = []
        for asked in held:
            if asked.action.do not in CLAIMS and asked.on != self.teller.act_on:
                asked.answer("not_now")
            else:
                self._do(asked, moment)

    def open_to_order(self) -> bool:
        """Whether the order of arrivals decides something now."""
        round = self.round
        if round.phase is Phase.OVER:
            return False
        return round.window is not None or round.phase is not Phase.TURN

    def rank(self, seat: int) -> int:
        """The seat's place among equal arrivals (protocol, section 5.3)."""
        round = self.round
        if round.phase is Phase.OPENING:
            return (seat - round.starter) % round.seats
        if self.teller.discarder is None:
            return (seat - round.turn_seat) * round.direction % round.seats
        return ((seat - self.teller.discarder) * round.direction - 1) % round.seats

    # For the record

    def _note(self, asked: Asked | None, effect: int, code: str | None) -> None:
        self._latest = max(self._latest, effect)
        broadcast = self._broadcast
        action, arrival = (None, effect) if asked is None else (asked.action, asked.arrival)
        broadcast.gate.note(
            Decided(
                broadcast.table,
                self._match,
                self.round.number,
                action,
                arrival - broadcast.born,
                effect - broadcast.born,
                code,
            )
        )

    def to_data(self) -> dict[str, Any]:
        """What can't be had from the round and its inputs; moments in ns since the table was made."""
        since = self._broadcast.since
        return {
            "teller": self.teller.to_data(),
            "silent": [since(moment) if moment else None for moment in self._silent],
            "others_closed": since(self._others_closed) if self._others_closed else None,
            "held": [
                [action_to_data(asked.action), asked.on, since(asked.arrival), asked.player, asked.request]
                for asked in self.held
            ],
        }

    def take_up(
        self,
        data: dict[str, Any],
        events: list[Event],
        revival: Revival,
        answering: Answering,
    ) -> None:
        """Stand where `to_data` was made."""
        told: list[Event] = [event for event in events if not isinstance(event, RoundOver)]
        teller, round = self.teller, self.round
        teller.take_up(data["teller"], told, revival)
        self._silent = [revival.moment(moment) or 0 for moment in data["silent"]]
        self._others_closed = revival.moment(data["others_closed"]) or 0
        self._others_open = round.others_open
        for plain, on, arrival, player, request in data["held"]:
            action = action_from_data(plain)
            answer = answering(action, player, request)
            self.held.append(Asked(action, on, revival.moment(arrival), answer, player, request))
        if round.phase is Phase.OVER and teller.deadline is not None:
            self.last_round = next(event for event in events if isinstance(event, RoundOver))
        self._put_off(revival)

    def go_on(self, revival: Revival) -> None:
        """Time stood still: move what is waited for."""
        teller, since = self.teller, self._broadcast.since
        teller.deadline = revival.deadline(since(teller.deadline))
        teller.until = revival.ending(since(teller.until)) or 0
        self._put_off(revival)

    def _put_off(self, revival: Revival) -> None:
        teller = self.teller
        if self.held or self.last_round is not None:
            # Nobody is asked before these are done, but people may still claim.
            teller.until = max(teller.until, revival.now + LEAST)
        if self.last_round is not None:
            teller.deadline = teller.until
