"""What each seat may do in a round as it stands, and the code of what it may not (rules, section 11).

Nothing here changes a round. Where several codes fit, the first that applies is given.
"""

from __future__ import annotations

from . import actions
from .actions import Action
from .cards import VALUE, CardSet, cards_of
from .state import Phase, RoundState
from .tables import PAIR_COUNTS


class Refused(Exception):
    """An action breaks a rule; ``code`` is the protocol's error code."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class Legality(RoundState):
    """A round's state with the questions that the rules answer about it."""

    __slots__ = ()

    def playable(self, seat: int) -> CardSet:
        """The cards of ``seat`` that fit and could be played now, were it asked to."""
        hand = self.hands[seat]
        if self.drawn is not None:
            hand &= 1 << self.drawn
        playable = hand & self.fit
        held = self.hands[seat]
        if playable & self.tables.never_last and held & (held - 1) == 0:
            return 0
        return playable

    def asked(self, seat: int) -> bool:
        """Whether ``seat`` may now play, draw, pass or decline, by the public state alone."""
        if self.phase is Phase.TURN:
            return seat == self.turn_seat
        if self.phase is Phase.OPENING:
            return not self.declined >> seat & 1
        if self.phase is Phase.DIRECTION:
            assert self.candidates is not None
            return seat in self.candidates and not self.declined >> seat & 1
        return False

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

    def judged(self) -> bool:
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

    def naming(self) -> int:
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
        elif phase is Phase.RPS and self.throw_awaited(seat):
            found += actions.THROW[seat]
        if self.window is not None and self.window_refusal(seat) is None:
            if self.judged() or self.holds(seat):
                found.append(actions.DOBON[seat])
            found.append(actions.WAIVE[seat])
        return found

    def _list_plays(self, seat: int, found: list[Action]) -> None:
        first = len(found)
        plays = self.playable(seat)
        if not plays:
            return
        naming = self.naming()
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

    def throw_awaited(self, seat: int) -> bool:
        candidates = self.candidates
        assert candidates is not None
        return seat in candidates and self.throws[candidates.index(seat)] is None

    # Refusals.

    def refuse_off_turn(self, seat: int) -> None:
        if seat != self.turn_seat:
            raise Refused("not_your_turn")

    def refuse_declined(self, seat: int) -> None:
        if self.declined >> seat & 1:
            raise Refused("not_now")

    def refuse_no_candidate(self, seat: int) -> tuple[int, int]:
        assert self.candidates is not None
        if seat not in self.candidates:
            raise Refused("not_your_turn")
        return self.candidates

    def refuse_card(self, action: Action) -> None:
        card = action.card
        assert card is not None
        bit = 1 << card
        hand = self.hands[action.seat]
        if not hand & bit:
            raise Refused("not_in_hand")
        if not self.playable(action.seat) & bit:
            raise Refused("does_not_fit")
        if action.suit is None and bit & self.naming() and hand != bit:
            raise Refused("suit_needed")

    def refuse_window(self, seat: int) -> None:
        code = self.window_refusal(seat)
        if code is not None:
            raise Refused(code)
