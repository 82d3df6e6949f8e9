"""One round: the state machine of the rules, and the only module that changes a phase.

A whole round, everybody doing the first thing they may:

>>> from engine.rules import Rules
>>> round = Round.deal(Rules.preset("dobon"), seats=4, seed=bytes(32), log=[])
>>> while round.phase is not Phase.OVER:
...     actions = round.legal_actions()
...     round.apply(actions[0]) if actions else round.expire()
>>> round.outcome.why, round.log[-1].ev
('out', 'round_over')

`MACHINE` below is the table of what each phase does with each kind of action. An action that breaks a rule
raises `Refused` and changes nothing; which code is given first is said in section 11 of the rules.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from . import actions
from .actions import Action, Do
from .cards import JOKERS, RANK_OF, SUIT_OF, VALUE, Card, cards_of
from .deal import below, words
from .events import (
    Attack,
    Claimed,
    ClaimMade,
    DirectionRace,
    DirectionSet,
    Event,
    FalseClaim,
    Opening,
    Passed,
    Played,
    RoundBegun,
    RoundOver,
    RpsAsked,
    Skipped,
    Thrown,
    TimedOut,
    TurnBegun,
    Turned,
)
from .points import Outcome, dobon_outcome, points_of
from .rules import Rules
from .state import Phase, RoundState, deal_hands, random_starter
from .tables import PAIR_COUNTS

LAST_TURN: Final = 1000
LAST_ATTEMPT: Final = 5


class Refused(Exception):
    """An action breaks a rule; ``code`` is the protocol's error code."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class Round(RoundState):
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
        top = discards[-1]
        if log is not None:
            dealt = tuple(tuple(hand) for hand in hands)
            sizes = tuple(len(hand) for hand in hands)
            log.append(RoundBegun(number, starter, top, tuple(discards[:-1]), dealt, sizes, len(stock)))
        if round.tables.race:
            round._begin_opening()
        else:
            round._begin_turn(round._after_first_card(top) if round.tables.first_acts else starter)
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
        if phase is Phase.OPENING:
            round._begin_opening()
        else:
            round._begin_turn(turn)
        round.log = log
        return round

    def apply(self, action: Action) -> None:
        """Do what a seat wants to do. Raises `Refused`, and then nothing has changed."""
        MACHINE[self.phase][action.do](self, action)

    def expire(self) -> None:
        """Let the time run out for whatever is waited for (rules, section 9)."""
        EXPIRY[self.phase](self)

    # The opening race (section 5).

    def _begin_opening(self) -> None:
        self.phase = Phase.OPENING
        self.declined = 0
        self.find_fit()
        if self.log is not None:
            self.log.append(Opening())

    def _open(self, action: Action) -> None:
        self._refuse_declined(action.seat)
        self._refuse_card(action)
        left = self._put(action)
        if left == 0:
            return self._after_last_card()
        # A reverse has no effect here, not even as the skip of two players: there is no direction yet.
        reach = 2 if 1 << self.discards[-1] & self.tables.first_skips else 1
        ahead = (action.seat + reach) % self.seats
        behind = (action.seat - reach) % self.seats
        if ahead == behind:
            self._skip_to(action.seat, reach)
            return self._set_direction(1, "default", ahead)
        self.phase = Phase.DIRECTION
        self.declined = 0
        self.candidates = (ahead, behind)
        if self.log is not None:
            self.log.append(DirectionRace(self.candidates))
        return None

    def _decline_opening(self, action: Action) -> None:
        self._refuse_declined(action.seat)
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
                self.log.append(Turned(card, len(self.stock)))
            card = self.turn_up() if 1 << card & JOKERS else None
        return self._begin_opening()

    def _fix_direction(self, action: Action) -> None:
        self._refuse_declined(action.seat)
        candidates = self._refuse_no_candidate(action.seat)
        self._refuse_card(action)
        self.direction = 1 if action.seat == candidates[0] else -1
        if self.log is not None:
            self.log.append(DirectionSet(self.direction, "play"))
        self._move_on(action)

    def _decline_direction(self, action: Action) -> None:
        self._refuse_declined(action.seat)
        candidates = self._refuse_no_candidate(action.seat)
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
            self.log.append(DirectionSet(direction, by))
        self._begin_turn(seat)

    def _ask_throws(self, attempt: int) -> None:
        assert self.candidates is not None
        self.phase = Phase.RPS
        self.attempt = attempt
        self.throws = [None, None]
        if self.log is not None:
            self.log.append(RpsAsked(self.candidates, attempt))

    def _throw(self, action: Action) -> None:
        candidates = self._refuse_no_candidate(action.seat)
        if not self._throw_awaited(action.seat):
            raise Refused("not_now")
        self.throws[candidates.index(action.seat)] = action.throw
        if None not in self.throws:
            self._settle_throws()

    def _throw_awaited(self, seat: int) -> bool:
        candidates = self.candidates
        assert candidates is not None
        return seat in candidates and self.throws[candidates.index(seat)] is None

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
            self.log.append(Thrown((ahead, behind)))
        if ahead != behind:
            # Each throw beats the one before it: paper rock, scissors paper, rock scissors.
            self._choose_candidate(0 if (ahead - behind) % 3 == 1 else 1, "rps")
        elif self.attempt == LAST_ATTEMPT:
            self._toss_coin()
        else:
            self._ask_throws(self.attempt + 1)

    # A turn (section 4).

    def _after_first_card(self, top: Card) -> int:
        """Let the turned-up card act (``first_card: effect``); the seat that has the first turn."""
        bit = 1 << top
        if bit & self.tables.first_reverses:
            self.direction = -1
        elif self.tables.step[top]:
            self._attack_with(top)
            self.find_fit()
        elif bit & self.tables.first_skips:
            return self._skip_to(self.starter - 1, 2)
        return self.starter

    def _begin_turn(self, seat: int) -> None:
        self.phase = Phase.TURN
        self.turn += 1
        self.turn_seat = seat
        self.drawn = None
        if self.log is not None:
            attack = None if self.attack_rank is None else Attack(self.attack_rank, self.attack_draw)
            self.log.append(TurnBegun(self.turn, seat, self.direction, self.suit, attack))

    def _end_turn(self) -> None:
        if self.turn == LAST_TURN or self.idle == self.seats:
            self._finish(Outcome("stalemate", [], []))
        else:
            self._begin_turn((self.turn_seat + self.direction) % self.seats)

    def _play(self, action: Action) -> None:
        self._refuse_off_turn(action.seat)
        self._refuse_card(action)
        self.drawn = None
        self.idle = 0
        self._move_on(action)

    def _move_on(self, action: Action) -> None:
        """Play a card that has been found legal, with its effect, up to the next thing waited for."""
        seat, card = action.seat, action.card
        assert card is not None
        answers = self.attack_rank is not None
        left = self._put(action)
        if self.turn == LAST_TURN:
            self.window = None
            return self._finish(Outcome("stalemate", [], []))
        if left == 0:
            return self._after_last_card()
        reach = 1
        if not answers:
            bit = 1 << card
            if bit & self.tables.reverses:
                self.direction = -self.direction
            elif bit & self.tables.skips:
                reach = 2
        return self._begin_turn(self._skip_to(seat, reach))

    def _put(self, action: Action) -> int:
        """Lay the card on the pile, open its window, raise or begin its attack; the cards left in hand."""
        seat, _, card, named, call, _ = action
        assert card is not None
        tables = self.tables
        bit = 1 << card
        self.hands[seat] ^= bit
        self.counts[seat] -= VALUE[card]
        self.discards.append(card)
        answers = self.attack_rank is not None
        naming = tables.jokers if answers else tables.naming
        self.suit = named if named is not None and bit & naming else SUIT_OF[card]
        self.discard += 1
        self.window = seat
        self.others_open = True
        self.counter_open = False
        self.waived = self.paid = 0
        left = self.hands[seat].bit_count()
        if self.log is not None:
            self.log.append(Played(seat, card, self.suit, self.discard, left))
        if answers:
            self.attack_draw += self.attack_step
        elif left and tables.step[card]:
            self._attack_with(card)
        self.find_fit()
        if left == 1 and tables.last_call and not call:
            left += len(self.draw_cards(seat, tables.last_call, "call"))
        return left

    def _attack_with(self, card: Card) -> None:
        self.attack_rank = RANK_OF[card]
        self.attack_step = self.attack_draw = self.tables.step[card]

    def _skip_to(self, seat: int, reach: int) -> int:
        """The seat ``reach`` places on, where a reach of two skips one."""
        if reach == 2 and self.log is not None:
            self.log.append(Skipped((seat + self.direction) % self.seats))
        return (seat + self.direction * reach) % self.seats

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
            self.log.append(Passed(action.seat))
        self._end_turn()

    def _time_out(self) -> None:
        """Do for the seat on turn what the clock does: draw or pass, or where that is forbidden play."""
        seat = self.turn_seat
        if self.log is not None:
            self.log.append(TimedOut(seat))
        if self.pass_refusal(seat) is None:
            return self._pass(actions.PASS[seat])
        if self.draw_refusal(seat) is None:
            return self._draw(actions.DRAW[seat])
        card = next(cards_of(self.playable(seat)))
        return self._play(Action(seat, Do.PLAY, card, SUIT_OF[card], call=True))

    # Dobon (sections 6 and 7).

    def _claim(self, action: Action) -> None:
        seat = action.seat
        self._refuse_window(seat)
        if not self.holds(seat):
            if not self._judged():
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
        self.phase = Phase.CLAIM
        if self.log is not None:
            self.log.append(Claimed(seat, self.discard, len(self.claims), against, counter))

    def _pay_for_false_claim(self, seat: int) -> None:
        self.paid |= 1 << seat
        if self.log is not None:
            self.log.append(FalseClaim(seat, self.discard))
        self.draw_cards(seat, self.tables.false_dobon, "false")
        if self.phase is Phase.CLAIM:
            self._close_if_nobody_awaited()

    def _waive(self, action: Action) -> None:
        self._refuse_window(action.seat)
        self.waived |= 1 << action.seat
        if self.phase is Phase.CLAIM:
            self._close_if_nobody_awaited()

    def _after_last_card(self) -> None:
        self.phase = Phase.CLAIM
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

    def awaited(self) -> int:
        """The seats that a claim window waits for, by what all can see (section 7)."""
        awaited = 0
        for seat in range(self.seats):
            if (self.waived | self.paid) >> seat & 1 or seat in self.claims:
                continue
            if seat == self.window:
                waited_for, least = self.counter_open, self.tables.counter_min
            else:
                waited_for, least = self.others_open, self.tables.dobon_min
            if waited_for and self.hands[seat].bit_count() >= least:
                awaited |= 1 << seat
        return awaited

    def holds(self, seat: int) -> bool:
        """Whether a claim of ``seat`` on the top card is right: cards enough, and they count its value."""
        hand = self.hands[seat]
        size = hand.bit_count()
        if size < (self.tables.counter_min if seat == self.window else self.tables.dobon_min):
            return False
        value = VALUE[self.discards[-1]]
        if not value:
            return False  # nobody can claim a joker, not even with another one
        if self.tables.pair_math and size == 2:
            one, other = cards_of(hand)
            return bool(PAIR_COUNTS[VALUE[one]][VALUE[other]] >> value & 1)
        return self.counts[seat] == value

    def _judged(self) -> bool:
        """Whether a claim that does not hold is a false Dobon, to be paid for, and not just refused."""
        return bool(self.tables.false_dobon and VALUE[self.discards[-1]])

    def claimants(self) -> int:
        """The seats whose claim would hold now: for who plays all hands, nobody at a table may know."""
        window, found = self.window, 0
        if window is None or self.phase is Phase.OVER:
            return 0
        for seat in range(self.seats):
            if (self.waived | self.paid) >> seat & 1 or seat in self.claims:
                continue
            if (self.counter_open if seat == window else self.others_open) and self.holds(seat):
                found |= 1 << seat
        return found

    # Refusals (section 11): the first that applies.

    def _not_now(self, action: Action) -> None:
        raise Refused("not_now")

    def _nothing_awaited(self) -> None:
        raise Refused("not_now")

    def _no_window(self, action: Action) -> None:
        raise Refused("window_closed")

    def _refuse_off_turn(self, seat: int) -> None:
        if seat != self.turn_seat:
            raise Refused("not_your_turn")

    def _refuse_declined(self, seat: int) -> None:
        if self.declined >> seat & 1:
            raise Refused("not_now")

    def _refuse_no_candidate(self, seat: int) -> tuple[int, int]:
        assert self.candidates is not None
        if seat not in self.candidates:
            raise Refused("not_your_turn")
        return self.candidates

    def _refuse_card(self, action: Action) -> None:
        card = action.card
        assert card is not None
        bit = 1 << card
        hand = self.hands[action.seat]
        if not hand & bit:
            raise Refused("not_in_hand")
        if not self.playable(action.seat) & bit:
            raise Refused("does_not_fit")
        if action.suit is None and bit & self._naming() and hand != bit:
            raise Refused("suit_needed")

    def _naming(self) -> int:
        """The cards that name a suit if played now."""
        return self.tables.naming if self.attack_rank is None else self.tables.jokers

    def draw_refusal(self, seat: int) -> str | None:
        """The code that a draw of ``seat`` in an ordinary turn would get."""
        if seat != self.turn_seat:
            return "not_your_turn"
        if self.drawn is not None:
            return "cannot_draw"
        if self.attack_rank is not None:
            return "must_answer" if self.tables.must_answer and self.playable(seat) else None
        if self.tables.must_play and self.playable(seat):
            return "must_play"
        return None if self.drawable() else "cannot_draw"

    def pass_refusal(self, seat: int) -> str | None:
        """The code that a pass of ``seat`` in an ordinary turn would get."""
        if seat != self.turn_seat:
            return "not_your_turn"
        if self.attack_rank is not None or (self.drawn is None and self.drawable()):
            return "cannot_pass"
        return "must_play" if self.tables.must_play and self.playable(seat) else None

    def window_refusal(self, seat: int) -> str | None:
        """The code that a claim or waiver of ``seat`` would get whatever it holds."""
        window = self.window
        if window is None:
            return "window_closed"
        if seat in self.claims or self.paid >> seat & 1:
            return "already_claimed"
        if self.waived >> seat & 1 or (seat != window and not self.others_open):
            return "window_closed"
        if seat == window and not self.counter_open:
            return "not_eligible"
        return None

    def _refuse_window(self, seat: int) -> None:
        code = self.window_refusal(seat)
        if code is not None:
            raise Refused(code)

    # What may be done, and the end.

    def legal_actions(self, seat: int | None = None) -> list[Action]:
        """Every action that `apply` would take, of one seat or of all; a needless suit or call left out."""
        if seat is None:
            return [action for each in range(self.seats) for action in self.legal_actions(each)]
        found: list[Action] = []
        phase = self.phase
        if phase is Phase.OVER:
            return found
        if self.asked(seat):
            self._list_plays(seat, found)
            if phase is not Phase.TURN or self.pass_refusal(seat) is None:
                found.append(actions.PASS[seat])
            if phase is Phase.TURN and self.draw_refusal(seat) is None:
                found.append(actions.DRAW[seat])
        elif phase is Phase.RPS and self._throw_awaited(seat):
            found += actions.THROW[seat]
        if self.window is not None and self.window_refusal(seat) is None:
            if self._judged() or self.holds(seat):
                found.append(actions.DOBON[seat])
            found.append(actions.WAIVE[seat])
        return found

    def _list_plays(self, seat: int, found: list[Action]) -> None:
        first = len(found)
        plays = self.playable(seat)
        if not plays:
            return
        naming = self._naming()
        plain, named = actions.PLAY[seat], actions.PLAY_NAMING[seat]
        only = self.hands[seat] == plays & -plays
        while plays:
            bit = plays & -plays
            plays ^= bit
            card = bit.bit_length() - 1
            if bit & naming:
                found += named[card]
                if only:
                    found.append(plain[card])
            else:
                found.append(plain[card])
        if self.tables.last_call and self.hands[seat].bit_count() == 2:
            found += [play._replace(call=True) for play in found[first:]]

    def _finish(self, outcome: Outcome) -> None:
        self.phase = Phase.OVER
        self.outcome = outcome
        if self.log is None:
            return
        points = self.points()
        order = enumerate(outcome.claims, 1)
        self.log.append(
            RoundOver(
                outcome.why,
                tuple(outcome.winners),
                tuple(outcome.losers),
                outcome.card,
                tuple(ClaimMade(seat, place, seat == outcome.discarder) for place, seat in order),
                tuple(self.hand_cards(seat) for seat in range(self.seats)),
                tuple(points),
                tuple(total + gained for total, gained in zip(self.totals, points, strict=True)),
            )
        )

    def points(self) -> list[int]:
        """Each seat's points for this round, once it is over."""
        assert self.outcome is not None, "the round is not over"
        return points_of(self.rules, self.outcome, self.counts)


_R = Round
MACHINE: dict[Phase, tuple[Callable[[Round, Action], None], ...]] = {
    #                 PLAY               DRAW         PASS                   DOBON          WAIVE          RPS
    Phase.OPENING: (_R._open, _R._not_now, _R._decline_opening, _R._no_window, _R._no_window, _R._not_now),
    Phase.DIRECTION: (
        _R._fix_direction, _R._not_now, _R._decline_direction, _R._claim, _R._waive, _R._not_now,
    ),
    Phase.RPS: (_R._not_now, _R._not_now, _R._not_now, _R._claim, _R._waive, _R._throw),
    Phase.TURN: (_R._play, _R._draw, _R._pass, _R._claim, _R._waive, _R._not_now),
    Phase.CLAIM: (_R._not_now, _R._not_now, _R._not_now, _R._claim, _R._waive, _R._not_now),
    Phase.OVER: (_R._not_now,) * 6,
}  # fmt: skip
"""What each phase does with each kind of action, in the order of `Do`."""

EXPIRY: dict[Phase, Callable[[Round], None]] = {
    Phase.OPENING: _R._nobody_opened,
    Phase.DIRECTION: _R._nobody_fixed_direction,
    Phase.RPS: _R._fill_throws,
    Phase.TURN: _R._time_out,
    Phase.CLAIM: _R._close_claims,
    Phase.OVER: _R._nothing_awaited,
}
"""What each phase does when its time runs out."""
