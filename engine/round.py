"""One round: the state machine of the rules, and the only module that changes a phase.

A whole round, everybody doing the first thing they may:

>>> from engine.rules import Rules
>>> round = Round.deal(Rules.preset("dobon"), seats=4, seed=bytes(32), log=[])
>>> while round.phase is not Phase.OVER:
...     actions = round.legal_actions()
...     round.apply(actions[0]) if actions else round.expire()
>>> round.outcome.why, round.log[-1].ev
('out', 'round_over')

`_MACHINE` below is the table of what each phase does with each kind of action. An action that breaks a rule
raises `Refused` and changes nothing; which code is given first is said in section 11 of the rules.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from . import actions, events
from .actions import Action, Do
from .cards import JOKERS, SUIT_OF, Card, cards_of
from .deal import below, words
from .events import Event
from .legality import Legality, Refused
from .points import Outcome, dobon_outcome
from .rules import Rules
from .state import CLAIM, DIRECTION, OPENING, OVER, RPS, TURN, Phase, deal_hands, random_starter

LAST_TURN: Final = 1000
LAST_ATTEMPT: Final = 5


class Round(Legality):
    """A round being played. Give it a ``log`` to be told its events; without one none are built."""

    __slots__ = ()

    @classmethod
    def deal(
        cls,
        rules: Rules,
        seats: int,
        seed: bytes,
        *,
        number: int = 1,
        starter: int | None = None,
        totals: Sequence[int] | None = None,
        log: list[Event] | None = None,
    ) -> Round:
        """Deal a round from its 32-byte seed; without a ``starter`` chance chooses one."""
        hands, discards, stock = deal_hands(rules, seats, seed)
        if starter is None:
            starter = random_starter(seats, seed)
        round = cls(
            rules, hands, discards, stock, seed=seed, starter=starter, number=number, totals=totals, log=log
        )
        round.tell_deal()
        if round.tables.race:
            round._begin_opening()
        else:
            round._begin_turn(round._after_first_card() if round.tables.first_acts else starter)
        return round

    @classmethod
    def setup(
        cls,
        rules: Rules,
        hands: Sequence[Sequence[Card]],
        discards: Sequence[Card],
        stock: Sequence[Card],
        *,
        phase: Phase = Phase.TURN,
        turn: int = 0,
        direction: int = 1,
        suit: int | None = None,
        attack: tuple[int, int, int] | None = None,
        starter: int = 0,
        seed: bytes = bytes(32),
        log: list[Event] | None = None,
    ) -> Round:
        """A position in the first turn of seat ``turn``, or in the opening; no window is open.

        ``discards`` bottom first, ``stock`` top first, ``attack`` as (rank index, step, cards to draw).
        """
        round = cls(rules, hands, discards, stock, seed=seed, starter=starter)
        round.direction = direction
        if suit is not None:
            round.suit = suit
        if attack is not None:
            round.attack_rank, round.attack_step, round.attack_draw = attack
        round.find_fit()
        if phase is OPENING:
            round._begin_opening()
        else:
            round._begin_turn(turn)
        round.log = log
        return round

    def apply(self, action: Action) -> None:
        """Do what a seat wants to do. Raises `Refused`, and then nothing has changed."""
        _MACHINE[self.phase][action.do](self, action)

    def expire(self) -> None:
        """Let the time run out for whatever is waited for (rules, section 9)."""
        EXPIRY[self.phase](self)

    # The opening race (section 5).

    def _begin_opening(self) -> None:
        self.phase = OPENING
        self.declined = 0
        self.find_fit()
        if self.log is not None:
            self.log.append(events.Opening())

    def _open(self, action: Action) -> None:
        self.refuse_declined(action.seat)
        self.refuse_card(action)
        left = self.put(action)
        if left == 0:
            return self._after_last_card()
        # A reverse has no effect here, not even as the skip of two players: there is no direction yet.
        reach = 2 if 1 << self.discards[-1] & self.tables.first_skips else 1
        ahead = (action.seat + reach) % self.seats
        behind = (action.seat - reach) % self.seats
        if ahead == behind:
            self.skip_to(action.seat, reach)
            return self._set_direction(1, "default", ahead)
        self.phase = DIRECTION
        self.declined = 0
        self.candidates = (ahead, behind)
        if self.log is not None:
            self.log.append(events.DirectionRace(self.candidates))
        return None

    def _decline_opening(self, action: Action) -> None:
        self.refuse_declined(action.seat)
        self.declined |= 1 << action.seat
        if self.declined == (1 << self.seats) - 1:
            self._nobody_opened()

    def _nobody_opened(self) -> None:
        somebody_could = any(self.playable(seat) for seat in range(self.seats))
        card = None if somebody_could else self.turn_up()
        if card is None:
            return self._set_direction(1, "default", self.starter)
        while card is not None:
            if self.log is not None:
                self.log.append(events.Turned(card, len(self.stock)))
            card = self.turn_up() if 1 << card & JOKERS else None
        return self._begin_opening()

    def _fix_direction(self, action: Action) -> None:
        self.refuse_declined(action.seat)
        candidates = self.refuse_no_candidate(action.seat)
        self.refuse_card(action)
        self.direction = 1 if action.seat == candidates[0] else -1
        if self.log is not None:
            self.log.append(events.DirectionSet(self.direction, "play"))
        self._move_on(action)

    def _decline_direction(self, action: Action) -> None:
        self.refuse_declined(action.seat)
        candidates = self.refuse_no_candidate(action.seat)
        self.declined |= 1 << action.seat
        if all(self.declined >> seat & 1 for seat in candidates):
            self._nobody_fixed_direction()

    def _nobody_fixed_direction(self) -> None:
        if self.tables.throws_decide:
            self._ask_throws(1)
        else:
            self._toss_coin()

    def _toss_coin(self) -> None:
        self._choose_candidate(below(2, words(self.seed, "coin")), "coin")

    def _choose_candidate(self, which: int, by: str) -> None:
        assert self.candidates is not None
        self._set_direction(-1 if which else 1, by, self.candidates[which])

    def _set_direction(self, direction: int, by: str, seat: int) -> None:
        self.direction = direction
        if self.log is not None:
            self.log.append(events.DirectionSet(direction, by))
        self._begin_turn(seat)

    def _ask_throws(self, attempt: int) -> None:
        assert self.candidates is not None
        self.phase = RPS
        self.attempt = attempt
        self.throws = [None, None]
        if self.log is not None:
            self.log.append(events.RpsAsked(self.candidates, attempt))

    def _throw(self, action: Action) -> None:
        candidates = self.refuse_no_candidate(action.seat)
        if not self.throw_awaited(action.seat):
            raise Refused("not_now")
        self.throws[candidates.index(action.seat)] = action.throw
        if None not in self.throws:
            self._settle_throws()

    def _fill_throws(self) -> None:
        assert self.candidates is not None
        for which, seat in enumerate(self.candidates):
            if self.throws[which] is None:
                self.throws[which] = below(3, words(self.seed, f"rps/{seat}/{self.attempt}"))
        self._settle_throws()

    def _settle_throws(self) -> None:
        ahead, behind = self.throws
        assert ahead is not None
        assert behind is not None
        if self.log is not None:
            self.log.append(events.Thrown((ahead, behind)))
        if ahead != behind:
            # Each throw beats the one before it: paper rock, scissors paper, rock scissors.
            self._choose_candidate(0 if (ahead - behind) % 3 == 1 else 1, "rps")
        elif self.attempt == LAST_ATTEMPT:
            self._toss_coin()
        else:
            self._ask_throws(self.attempt + 1)

    # A turn (section 4).

    def _after_first_card(self) -> int:
        """Let the turned-up card act (``first_card: effect``); the seat that has the first turn."""
        top = self.discards[-1]
        bit = 1 << top
        if bit & self.tables.first_reverses:
            self.direction = -1
        elif self.tables.step[top]:
            self.attack_with(top)
            self.find_fit()
        elif bit & self.tables.first_skips:
            return self.skip_to(self.starter - 1, 2)
        return self.starter

    def _begin_turn(self, seat: int) -> None:
        self.phase = TURN
        self.turn += 1
        self.turn_seat = seat
        self.drawn = None
        if self.log is not None:
            attack = None if self.attack_rank is None else events.Attack(self.attack_rank, self.attack_draw)
            self.log.append(events.TurnBegun(self.turn, seat, self.direction, self.suit, attack))

    def _end_turn(self) -> None:
        if self.turn == LAST_TURN or self.idle == self.seats:
            self._finish(Outcome("stalemate", [], []))
        else:
            self._begin_turn((self.turn_seat + self.direction) % self.seats)

    def _play(self, action: Action) -> None:
        if action.seat != self.turn_seat:
            raise Refused("not_your_turn")
        self.refuse_card(action)
        self.drawn = None
        self.idle = 0
        self._move_on(action)

    def _move_on(self, action: Action) -> None:
        """Play a card that has been found legal, with its effect, up to the next thing waited for."""
        seat, card = action.seat, action.card
        assert card is not None
        answers = self.attack_rank is not None
        left = self.put(action)
        if self.turn == LAST_TURN:
            self.window = None
            return self._finish(Outcome("stalemate", [], []))
        if left == 0:
            return self._after_last_card()
        if not answers:
            bit = 1 << card
            if bit & self.tables.reverses:
                self.direction = -self.direction
            elif bit & self.tables.skips:
                return self._begin_turn(self.skip_to(seat, 2))
        return self._begin_turn((seat + self.direction) % self.seats)

    def _draw(self, action: Action) -> None:
        code = self.draw_refusal(action.seat)
        if code is not None:
            raise Refused(code)
        self.window = None
        if self.attack_rank is not None:
            drew = self.draw_cards(action.seat, self.attack_draw, "attack")
            self.attack_rank = None
            self.attack_step = self.attack_draw = 0
            self.find_fit()
            self.idle = 0 if drew else self.idle + 1
            return self._end_turn()
        card = self.draw_cards(action.seat, 1, "choice")[0]
        self.idle = 0
        if self.tables.draw_ends_turn:
            return self._end_turn()
        self.drawn = card
        return None

    def _pass(self, action: Action) -> None:
        code = self.pass_refusal(action.seat)
        if code is not None:
            raise Refused(code)
        self.window = None
        if self.drawn is None:
            self.idle += 1
        if self.log is not None:
            self.log.append(events.Passed(action.seat))
        self._end_turn()

    def _time_out(self) -> None:
        """Do for the seat on turn what the clock does: draw or pass, or where that is forbidden play."""
        seat = self.turn_seat
        if self.log is not None:
            self.log.append(events.TimedOut(seat))
        if self.pass_refusal(seat) is None:
            return self._pass(actions.PASS[seat])
        if self.draw_refusal(seat) is None:
            return self._draw(actions.DRAW[seat])
        card = next(cards_of(self.playable(seat)))
        return self._play(Action(seat, Do.PLAY, card, SUIT_OF[card], call=True))

    # Dobon (sections 6 and 7).

    def _claim(self, action: Action) -> None:
        seat = action.seat
        self.refuse_window(seat)
        if not self.holds(seat):
            if not self.judged():
                raise Refused("not_eligible")
            return self._pay_for_false_claim(seat)
        self._record_claim(seat)
        tables = self.tables
        if tables.gather_claims:
            return self._close_claims() if self.counter_open else self._close_if_nobody_awaited()
        if not tables.chain_claims:
            return self._close_claims() if self.counter_open else self._ask_counter()
        if len(self.claims) == 1:
            assert self.window is not None
            self.counter_open = tables.counter_ask
            if tables.counter_auto and self.holds(self.window):
                self._record_claim(self.window)
        return self._close_if_nobody_awaited()

    def _record_claim(self, seat: int) -> None:
        discarder = self.window
        assert discarder is not None
        counter = seat == discarder
        previous = self.claims and (counter or self.tables.previous_loses)
        against = self.claims[-1] if previous else discarder
        self.claims.append(seat)
        self.phase = CLAIM
        if self.log is not None:
            self.log.append(events.Claimed(seat, self.discard, len(self.claims), against, counter))

    def _pay_for_false_claim(self, seat: int) -> None:
        self.paid |= 1 << seat
        if self.log is not None:
            self.log.append(events.FalseClaim(seat, self.discard))
        self.draw_cards(seat, self.tables.false_dobon, "false")
        if self.phase is CLAIM:
            self._close_if_nobody_awaited()

    def _waive(self, action: Action) -> None:
        self.refuse_window(action.seat)
        self.waived |= 1 << action.seat
        if self.phase is CLAIM:
            self._close_if_nobody_awaited()

    def _after_last_card(self) -> None:
        self.phase = CLAIM
        self._close_if_nobody_awaited()

    def _ask_counter(self) -> None:
        """The other claims are in: the discarder's counter, made at once, asked for or not at all."""
        discarder = self.window
        assert discarder is not None
        self.others_open = False
        if self.tables.counter_auto and self.holds(discarder):
            self._record_claim(discarder)
        self.counter_open = self.tables.counter_ask
        self._close_if_nobody_awaited()

    def _close_if_nobody_awaited(self) -> None:
        if not self.awaited():
            self._close_claims()

    def _close_claims(self) -> None:
        discarder, card = self.window, self.discards[-1]
        assert discarder is not None
        if not self.claims:
            self._finish(Outcome("out", [discarder], [], card, discarder))
        elif self.tables.gather_claims and self.others_open:
            self._ask_counter()
        else:
            self._finish(dobon_outcome(self.tables, card, discarder, self.claims))

    def _not_now(self, action: Action) -> None:
        raise Refused("not_now")

    def _nothing_awaited(self) -> None:
        raise Refused("not_now")

    def _no_window(self, action: Action) -> None:
        raise Refused("window_closed")

    def _finish(self, outcome: Outcome) -> None:
        self.phase = OVER
        self.outcome = outcome
        self.tell_end()


_R = Round
MACHINE: dict[Phase, tuple[Callable[[Round, Action], None], ...]] = {
    #                 PLAY               DRAW         PASS                   DOBON          WAIVE          RPS
    OPENING: (_R._open, _R._not_now, _R._decline_opening, _R._no_window, _R._no_window, _R._not_now),
    DIRECTION: (
        _R._fix_direction, _R._not_now, _R._decline_direction, _R._claim, _R._waive, _R._not_now,
    ),
    RPS: (_R._not_now, _R._not_now, _R._not_now, _R._claim, _R._waive, _R._throw),
    TURN: (_R._play, _R._draw, _R._pass, _R._claim, _R._waive, _R._not_now),
    CLAIM: (_R._not_now, _R._not_now, _R._not_now, _R._claim, _R._waive, _R._not_now),
    OVER: (_R._not_now,) * 6,
}  # fmt: skip
"""What each phase does with each kind of action, in the order of `Do`."""

_MACHINE = tuple(MACHINE[phase] for phase in Phase)  # a Phase hashes in Python code, but indexes in C

EXPIRY: dict[Phase, Callable[[Round], None]] = {
    OPENING: _R._nobody_opened,
    DIRECTION: _R._nobody_fixed_direction,
    RPS: _R._fill_throws,
    TURN: _R._time_out,
    CLAIM: _R._close_claims,
    OVER: _R._nothing_awaited,
}
"""What each phase does when its time runs out."""
