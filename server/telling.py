"""Engine events as the table tells them: with seq, deadlines, lags, and what each seat may see of its own."""

from __future__ import annotations

from typing import Any

from engine.events import (
    Claimed,
    DirectionRace,
    Drew,
    Event,
    Opening,
    Played,
    RoundBegun,
    RpsAsked,
    TimedOut,
    TurnBegun,
    cards_data,
    event_data,
    event_for,
)
from engine.round import Round
from engine.state import Phase
from engine.view import may, playable

from .broadcast import Broadcast
from .record import WindowKept
from .revival import Revival
from .settings import MS, Settings

Fields = dict[str, Any]


class Teller:
    """Tells a round's events and keeps what later requests and views need of them. Moments are ns."""

    def __init__(
        self,
        round: Round,
        broadcast: Broadcast,
        settings: Settings,
        match: int,
        windows: dict[int, int | None],
    ) -> None:
        self.deadline: int | None = None
        self.until = 0
        """The end of the grace after the last card played."""
        self.played_at = 0
        self.discarder: int | None = None
        self.act_on: int | None = None
        self.claim_on: int | None = None
        self.lags: list[int] = []
        """Of the claims on the last card, in their order, in µs."""
        self.events: list[Event] = []
        """Everything told so far, in full information."""
        self.overdue: tuple[int, int | None] | None = None
        """The seat whose time has just run out and the turn's seq, for the table to take note of."""
        self._round = round
        self._broadcast = broadcast
        self._settings = settings
        self._match = match
        self._windows = windows
        self._first_claim = 0
        self._counter_asked = False

    def tell(self, event: Event, effect: int, arrival: int | None, last: bool) -> None:
        """Tell one event; ``last``: it is the last one of its step."""
        fields = event_data(event, None)
        own: dict[int, Fields] = {}
        if isinstance(event, Played):
            self._played(event, fields, effect)
        elif isinstance(event, TurnBegun):
            self._turn(fields, own)
        elif isinstance(event, Drew):
            own[event.seat] = {"cards": cards_data(event.cards)}
            self._ask(fields, own, last)
        elif isinstance(event, Claimed):
            self._claimed(event, fields, effect if arrival is None else arrival)
        elif isinstance(event, RoundBegun):
            hands = event_data(event)["hands"]
            for seat in range(self._round.seats):
                mine = [hand if seat == place else None for place, hand in enumerate(hands)]
                own[seat] = {"hands": mine}
        elif isinstance(event, Opening | DirectionRace):
            self._race(event, fields, own)
        elif isinstance(event, RpsAsked):
            fields["deadline"] = self._set_deadline(self._settings.opening_time)
        elif isinstance(event, TimedOut):
            self.overdue = (event.seat, self.act_on)
        seq = self._broadcast.emit(event.ev, fields, own)
        self.events.append(event)
        if isinstance(event, Played):
            self.claim_on = seq
            self._set_window(seq, None)
        elif isinstance(event, TurnBegun | Opening | DirectionRace | RpsAsked):
            self.act_on = seq

    def after_step(self, effect: int) -> None:
        """Take note of what a step has changed without an event."""
        round = self._round
        if self.claim_on is not None and (round.window is None or round.phase is Phase.OVER):
            self._close(effect)
        asked = round.counter_open and round.phase is Phase.CLAIM
        if asked and not self._counter_asked and round.rules.claims == "all":
            self._set_deadline(self._settings.claim_time)
        self._counter_asked = asked

    # For the record

    def to_data(self) -> dict[str, Any]:
        """What can't be had from the round; moments in ns since the table was made."""
        since = self._broadcast.since
        return {
            "deadline": since(self.deadline),
            "until": since(self.until) if self.claim_on is not None else None,
            "played_at": since(self.played_at) if self.claim_on is not None else None,
            "discarder": self.discarder,
            "act_on": self.act_on,
            "claim_on": self.claim_on,
            "lags": self.lags,
            "first_claim": since(self._first_claim) if self.lags else None,
            "counter_asked": self._counter_asked,
        }

    def take_up(self, data: dict[str, Any], events: list[Event], revival: Revival) -> None:
        """Stand where `to_data` was made; ``events`` have been told."""
        self.deadline = revival.deadline(data["deadline"])
        self.until = revival.ending(data["until"]) or 0
        self.played_at = revival.moment(data["played_at"]) or 0
        self.discarder, self.act_on, self.claim_on = data["discarder"], data["act_on"], data["claim_on"]
        self.lags = list(data["lags"])
        self._first_claim = revival.moment(data["first_claim"]) or 0
        self._counter_asked = data["counter_asked"]
        self.events = events

    def seen_by(self, seat: int) -> list[Event]:
        """The round's events as this seat got them."""
        return [event_for(event, seat) for event in self.events]

    def _close(self, effect: int) -> None:
        if self.claim_on is not None and self._windows[self.claim_on] is None:
            self._set_window(self.claim_on, effect)

    def _set_window(self, seq: int, closed: int | None) -> None:
        self._windows[seq] = closed
        broadcast = self._broadcast
        broadcast.gate.note(WindowKept(broadcast.table, self._match, seq, broadcast.since(closed)))

    def _played(self, event: Played, fields: Fields, effect: int) -> None:
        self._close(effect)
        now, settings = self._broadcast.now, self._settings
        self.discarder = event.seat
        self.played_at = now
        self.until = now + settings.grace * MS
        self.lags = []
        self._counter_asked = False
        fields["until"] = self._broadcast.ms(self.until)
        fields["deadline"] = None
        phase = self._round.phase
        if not event.left and phase is Phase.CLAIM:
            fields["deadline"] = self._set_deadline(settings.claim_time)
        elif not event.left and phase is Phase.OVER and self._round.window is not None:
            # Nobody is waited for: the round ends with the grace.
            fields["deadline"] = fields["until"]

    def _turn(self, fields: Fields, own: dict[int, Fields]) -> None:
        begins = max(self._broadcast.now, self.until)
        fields["deadline"] = self._set_deadline(self._settings.turn_time, begins)
        self._ask(fields, own)

    def _race(self, event: Opening | DirectionRace, fields: Fields, own: dict[int, Fields]) -> None:
        self._set_deadline(self._settings.opening_time)
        if isinstance(event, DirectionRace) and self.deadline is not None:
            self.deadline = max(self.deadline, self.until)
        assert self.deadline is not None
        fields["deadline"] = self._broadcast.ms(self.deadline)
        self._ask(fields, own)

    def _claimed(self, event: Claimed, fields: Fields, arrival: int) -> None:
        if event.order == 1:
            self._first_claim = arrival
        self.lags.append((arrival - self._first_claim) // 1000)
        fields["lag"] = self.lags[-1]
        round = self._round
        if round.phase is not Phase.CLAIM:
            fields["deadline"] = None
            return
        restarts = round.rules.claims != "all" or event.order == 1 or round.counter_open
        if restarts or self.deadline is None:
            self._set_deadline(self._settings.claim_time)
        assert self.deadline is not None
        fields["deadline"] = self._broadcast.ms(self.deadline)

    def _ask(self, fields: Fields, own: dict[int, Fields], last: bool = True) -> None:
        """Show each seat that is asked after this event what it may do; the others nothing."""
        fields["playable"] = fields["may"] = None
        for seat in range(self._round.seats):
            if last and (cards := playable(self._round, seat)) is not None:
                own.setdefault(seat, {}).update(playable=cards_data(cards), may=may(self._round, seat))

    def _set_deadline(self, ms: int, begins: int | None = None) -> int:
        self.deadline = (self._broadcast.now if begins is None else begins) + ms * MS
        return self._broadcast.ms(self.deadline)
