"""What each seat may do in a round as it stands, and the code of what it may not (rules, section 11).

Nothing here changes a round. Where several codes fit, the first that applies is given.
"""

from __future__ import annotations

from . import actions
from .actions import Action
from .cards import VALUE, CardSet, cards_of
from .state import DIRECTION, OPENING, OVER, RPS, TURN, RoundState
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
        playable = hand & self.fit
        if self.drawn is not None:
            playable &= 1 << self.drawn
        if playable == hand and playable & self.tables.never_last and not hand & (hand - 1):
            return 0
        return playable

    def asked(self, seat: int) -> bool:
        """Whether ``seat`` may now play, draw, pass or decline, by the public state alone."""
        if self.phase is TURN:
            return seat == self.turn_seat
        if self.phase is OPENING:
            return not self.declined >> seat & 1
        if self.phase is DIRECTION:
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
        window = self.window
        if window is None or self.phase is OVER:
            return 0
        if VALUE[self.discards[-1]] not in self.counts and not self.tables.pair_math:
            return 0
        found = 0
        for seat in range(self.seats):
            if self.window_refusal(seat) is None and self.holds(seat):
                found |= 1 << seat
        return found

    def draw_refusal(self, seat: int) -> str | None:
        """The code that a draw of ``seat`` in an ordinary turn would get."""
        if seat != self.turn_seat:
            return "not_your_turn"
        if self.drawn is not None:
            return "cannot_draw"
        tables = self.tables
        if self.attack_rank is not None:
            return "must_answer" if tables.must_answer and self.playable(seat) else None
        if tables.must_play and self.playable(seat):
            return "must_play"
        return None if self.stock or self.drawable() else "cannot_draw"

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
        return self.legal_moves(seat) + self.legal_calls(seat)

    def legal_moves(self, seat: int) -> list[Action]:
        """What ``seat`` may do when it is asked to play, decline or throw."""
        if not self.asked(seat):
            return actions.THROW[seat][:] if self.phase is RPS and self.throw_awaited(seat) else []
        plays = self.playable(seat)
        found = self._plays_of(seat, plays) if plays else []
        if self.phase is not TURN:
            found.append(actions.PASS[seat])
        elif self.draw_refusal(seat) is None:
            found.append(actions.DRAW[seat])
        elif self.pass_refusal(seat) is None:
            found.append(actions.PASS[seat])
        return found

    def legal_calls(self, seat: int) -> list[Action]:
        """Whether ``seat`` may claim the card in the window, and waive it."""
        if self.phase is OVER or self.window_refusal(seat) is not None:
            return []
        if self.judged() or self.holds(seat):
            return [actions.DOBON[seat], actions.WAIVE[seat]]
        return [actions.WAIVE[seat]]

    def _plays_of(self, seat: int, plays: CardSet) -> list[Action]:
        hand = self.hands[seat]
        named = plays & self.naming
        if named != hand or hand & (hand - 1):
            plays ^= named  # only the last card need not name a suit
        found: list[Action] = []
        while named:
            bit = named & -named
            found += actions.PLAY_NAMING[seat][bit]
            named ^= bit
        plain = actions.PLAY[seat]
        while plays:
            bit = plays & -plays
            found.append(plain[bit])
            plays ^= bit
        if self.tables.last_call and hand.bit_count() == 2:
            found += [play._replace(call=True) for play in found]
        return found

    def throw_awaited(self, seat: int) -> bool:
        candidates = self.candidates
        assert candidates is not None
        return seat in candidates and self.throws[candidates.index(seat)] is None

    # Refusals.

    def refuse_declined(self, seat: int) -> None:
        if self.declined >> seat & 1:
            raise Refused("not_now")

    def refuse_no_candidate(self, seat: int) -> tuple[int, int]:
        assert self.candidates is not None
        if seat not in self.candidates:
            raise Refused("not_your_turn")
        return self.candidates

    def refuse_card(self, action: Action) -> None:
        seat, _, card, suit, _, _ = action
        assert card is not None
        bit = 1 << card
        if not self.playable(seat) & bit:
            raise Refused("does_not_fit" if self.hands[seat] & bit else "not_in_hand")
        if suit is None and bit & self.naming and self.hands[seat] != bit:
            raise Refused("suit_needed")

    def refuse_window(self, seat: int) -> None:
        code = self.window_refusal(seat)
        if code is not None:
            raise Refused(code)
