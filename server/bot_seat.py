"""Bots at a table: when each of them acts, and what is done where one fails.

A bot is asked as soon as its seat has something to answer, and acts at the later of a moment drawn from its
level's reaction time and the moment its answer is there. The moment is drawn without a look at the hand, and
is the same whether the bot claims, waives, plays or declines.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from random import Random
from typing import Protocol

import structlog

from engine.actions import Action, Do
from engine.bots import LEVELS, REACTIONS
from engine.events import Event
from engine.state import Phase
from engine.view import View, claim_standing, view

from .live_round import CLAIMS, Asked, LiveRound
from .seats import FLOOR_MS, Seat
from .settings import MS, SECOND, Settings

PATIENCE = 2 * SECOND
"""How long after its drawn moment a bot's answer is waited for."""

_log = structlog.get_logger("bots")

Key = tuple[int | None, int, int | None, int]


@dataclass(frozen=True, slots=True)
class Question:
    """What a bot is asked: the whole of what it may decide from."""

    level: str
    view: View
    seen: Sequence[Event]
    seed: bytes
    """For its generator."""
    asked: bool
    """Whether a play, draw, pass, decline or throw is asked for, and not a claim alone."""
    wanted: Callable[[], bool] = lambda: True
    """Whether anybody still waits for the answer."""


class Thinker(Protocol):
    """What decides for the bots: at once, or later from another process."""

    def think(self, question: Question, deliver: Callable[[Action | None], None]) -> None:
        """Call ``deliver`` once, from the harvester's task; with None if nothing good can be said.

        May raise: the bot then acts safely.
        """


class InlineThinker:
    """Asks a bot that answers at once."""

    def think(self, question: Question, deliver: Callable[[Action | None], None]) -> None:
        level = LEVELS.get(question.level) or LEVELS["normal"]
        rng = Random(question.seed)
        claim = (
            level.claim_or_waive(question.view, question.seen, rng) if question.view.claim == "open" else None
        )
        if question.asked and (claim is None or claim.do is not Do.DOBON):
            deliver(level.choose(question.view, question.seen, rng))
        else:
            deliver(claim)


@dataclass(slots=True, eq=False)
class Plan:
    """What one seat is going to do. ``moment`` is when; ``action`` is there once ``ready``."""

    key: Key
    moment: int
    action: Action | None = None
    ready: bool = False
    cancelled: bool = False

    def due(self) -> int:
        return self.moment if self.ready else self.moment + PATIENCE


class BotSeats:
    """The seats of one table that the server plays for, in one round."""

    def __init__(
        self,
        live: LiveRound,
        seats: list[Seat],
        settings: Settings,
        thinker: Thinker,
        secret: bytes,
        clock: Callable[[], int],
        changed: Callable[[], None],
    ) -> None:
        """``changed`` is called when an answer has come in later than it was asked for."""
        self._live = live
        self._seats = seats
        self._settings = settings
        self._thinker = thinker
        self._secret = secret
        self._clock = clock
        self._changed = changed
        self._plans: dict[int, Plan] = {}
        self._decided: dict[int, tuple[int | None, int]] = {}
        """By seat, the claim it has already made up its mind about."""
        self._asking = False

    def review(self, now: int) -> None:
        """Ask the bots whose seats are asked something new; forget what is asked no longer."""
        for seat in self._seats:
            key = self._key(seat.index) if seat.automatic else None
            plan = self._plans.get(seat.index)
            if plan is not None and plan.key != key:
                plan.cancelled = True
                del self._plans[seat.index]
                plan = None
            if plan is None and key is not None:
                self._ask(seat, key, now)

    def next(self) -> int | None:
        """The earliest moment at which a bot acts."""
        return min((plan.due() for plan in self._plans.values()), default=None)

    def before(self, moment: int, rank: int) -> int | None:
        """The seat of the next bot that acts before ``moment``, or at it with a lower rank (section 5.3)."""
        due = [(plan.due(), self._live.rank(index), index) for index, plan in self._plans.items()]
        first = min(due, default=None)
        return first[2] if first is not None and first[:2] < (moment, rank) else None

    def act(self, index: int) -> None:
        """Let the bot in this seat do what it has decided, or something safe."""
        plan = self._plans.pop(index)
        plan.cancelled = True
        moment = plan.due()
        if not plan.ready:
            _log.warning("bot late", seat=index, level=self._seats[index].bot_level)
        action = plan.action or self._safe(index)
        if action is not None:
            self._put(index, plan, action, moment)

    def _put(self, index: int, plan: Plan, action: Action, moment: int) -> None:
        self._decided[index] = plan.key[2:]
        live = self._live
        on = live.teller.claim_on if action.do in CLAIMS else live.teller.act_on

        def answer(code: str | None, by: int | None = None) -> None:
            if code is None or code in ("too_late", "stale"):
                return
            asked = self._key(index)
            if code == "not_now" and (asked is None or asked[0] is None or asked[0] != plan.key[0]):
                # Somebody's claim came before it.
                return
            _log.warning("bot refused", seat=index, level=self._seats[index].bot_level, code=code)
            safe = self._safe(index)
            if safe is not None and safe != action:
                self._put(index, plan, safe, moment)

        live.act(Asked(action, on or 0, moment, answer))

    def _key(self, index: int) -> Key | None:
        """What the seat is asked now: which event to answer, with how many cards, and which claim."""
        live = self._live
        round = live.round
        asked = (
            round.asked(index) or (round.phase is Phase.RPS and round.throw_awaited(index))
        ) and not live.holds_move(index)
        act_on = live.teller.act_on if asked else None
        held = round.hands[index].bit_count() if asked else 0
        claim: tuple[int | None, int] = (None, 0)
        if claim_standing(round, index) == "open":
            claim = (live.teller.claim_on, len(round.claims))
            if self._decided.get(index) == claim or any(held.action.seat == index for held in live.held):
                claim = (None, 0)
        return None if act_on is None and claim[0] is None else (act_on, held, *claim)

    def _ask(self, seat: Seat, key: Key, now: int) -> None:
        index = seat.index
        seed = sha256(self._secret + repr((index, key)).encode()).digest()
        plan = self._plans[index] = Plan(key, now + self._reaction(seat, seed))
        floor = self._live.teller.played_at + FLOOR_MS * MS if any(s.seated for s in self._seats) else 0

        def deliver(action: Action | None) -> None:
            if plan.cancelled:
                return
            plan.action, plan.ready = action, True
            plan.moment = max(plan.moment, self._clock())
            if key[0] is None or (action is not None and action.do in CLAIMS):
                plan.moment = max(plan.moment, floor)
            if not self._asking:
                self._changed()

        round = self._live.round
        self._asking = True
        try:
            self._thinker.think(
                Question(
                    seat.bot_level,
                    view(round, index),
                    self._live.teller.seen_by(index),
                    seed,
                    asked=key[0] is not None,
                    wanted=lambda: not plan.cancelled,
                ),
                deliver,
            )
        except Exception:
            # A bot's own fault must not reach the table it plays at.
            _log.exception("bot failed", seat=index, level=seat.bot_level)
            deliver(None)
        finally:
            self._asking = False

    def _reaction(self, seat: Seat, seed: bytes) -> int:
        """A time drawn from the level's spread, ns."""
        drawn = REACTIONS[seat.bot_level].draw(Random(seed))
        return drawn * MS * self._settings.bot_pace // 100

    def _safe(self, index: int) -> Action | None:
        """What hurts least and is always allowed: what `expire` would do, and no claim."""
        order = (Do.DRAW, Do.PASS, Do.PLAY, Do.RPS, Do.WAIVE)
        actions = self._live.round.legal_actions(index)
        if self._live.holds_move(index):
            actions = [action for action in actions if action.do in CLAIMS]
        for do in order:
            for action in actions:
                if action.do is do:
                    return action
        return None
