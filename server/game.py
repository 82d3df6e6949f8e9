"""One match at a table: who is waited for between rounds, the deals and their proofs, round after round."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from engine.deal import commit_of, seed_of
from engine.events import Event, RoundOver, event_data
from engine.match import Match
from engine.round import Round
from engine.rules import Rules
from engine.state import Phase

from .bot_seat import BotSeats, Thinker
from .broadcast import Broadcast
from .chance import Chance
from .live_round import Answering, Asked, LiveRound
from .record import MatchBegun, MatchOver, RoundDealt, RoundEnded, SecretDrawn
from .revival import Revival
from .seats import Seat
from .settings import MS, Settings

if TYPE_CHECKING:
    from .standing import RoundKept

NOBODY_WAITS = 5_000
"""Ms between rounds where no human is seated."""


class Game:
    """A match from `match` to `match_over`. Moments are ns of the server's clock."""

    def __init__(
        self,
        number: int,
        broadcast: Broadcast,
        seats: list[Seat],
        rules: Rules,
        settings: Settings,
        chance: Chance,
        thinker: Thinker,
        clock: Callable[[], int],
        changed: Callable[[], None],
    ) -> None:
        self.number = number
        self.match = Match(rules, len(seats))
        self.live: LiveRound | None = None
        self.bots: BotSeats | None = None
        self.between = True
        self.over = False
        self.tallied = False
        """The table has entered its result."""
        self.paused = False
        self.deadline: int | None = None
        """Between rounds, when the next begins at the latest."""
        self.ready_on: int | None = None
        self.last_round: dict[str, Any] | None = None
        self.ranking: list[dict[str, Any]] | None = None
        self.commit = b""
        self._secret = b""
        self._broadcast = broadcast
        self._seats = seats
        self._settings = settings
        self._chance = chance
        self._thinker = thinker
        self._clock = clock
        self._changed = changed
        self._awaits_all = False
        """Everybody's `ready` is waited for, also that of who is not connected."""
        self._windows: dict[int, int | None] = {}
        self._nonces: list[bytes | None] = []

    def begin(self) -> None:
        """Announce the match; its first round waits for those who play."""
        seats = [
            {"name": seat.name, "kind": seat.kind, **({"level": seat.level} if seat.level else {})}
            for seat in self._seats
        ]
        rules, settings = self.match.rules.to_data(), self._settings.to_data()
        note = self._broadcast.gate.note
        note(MatchBegun(self._broadcast.table, self.number, rules, settings, seats))
        self._draw_secret()
        self._await_ready()
        self.ready_on = self._broadcast.emit(
            "match",
            {
                "match": self.number,
                "rules": rules,
                "settings": settings,
                "seats": seats,
                "commit": self.commit,
                "deadline": self.deadline_ms(),
            },
        )

    def ready(self, index: int, on: int, nonce: bytes | None) -> str | None:
        """A seat waits no longer. The code of a refusal, or None; `tell_ready` is to follow then."""
        if on != self.ready_on:
            return "stale"
        seat = self._seats[index]
        if not self.between or self.over or seat.ready:
            return "not_now"
        seat.ready, seat.nonce = True, nonce
        return None

    def tell_ready(self, index: int) -> None:
        self._broadcast.emit("ready", {"seat": index})

    def act(self, index: int, asked: Asked) -> None:
        """A seat's play or claim."""
        if self.live is None:
            return asked.answer("stale")
        if self.bots is not None:
            rank = self.live.rank(index)
            while (bot := self.bots.before(asked.arrival, rank)) is not None and bot != index:
                self.bots.act(bot)
                self.review()
        return self.live.act(asked)

    def review(self) -> None:
        """Begin the round that nobody is waited for any more; ask the bots what is to be asked."""
        if self.between and not self.over and not self.paused and self._may_begin():
            self._begin_round()
        if self.bots is not None and not self.between:
            self.bots.review(self._broadcast.now)

    def next(self) -> int | None:
        """The earliest moment at which time, or a bot, decides something."""
        if self.between:
            return None if self.paused or self.over else self.deadline
        assert self.live is not None
        moments = [self.live.next(), None if self.bots is None else self._bots_next()]
        return min((moment for moment in moments if moment is not None), default=None)

    def decide(self, moment: int) -> bool:
        """Let one thing that is due at or before ``moment`` decide; False if there is none."""
        due = self.next()
        if due is None or due > moment:
            return False
        if self.between:
            self._begin_round()
            return True
        assert self.live is not None
        timed = self.live.next()
        if timed is not None and timed <= due:
            self.live.decide()
            return True
        assert self.bots is not None
        bot = self.bots.before(moment, -1)
        if bot is None:
            return False
        self.bots.act(bot)
        return True

    def race_open(self) -> bool:
        return not self.between and self.live is not None and self.live.open_to_order()

    def _bots_next(self) -> int | None:
        # One later than the bot's moment: an equal arrival may have to come before it.
        assert self.bots is not None
        moment = self.bots.next()
        return None if moment is None else moment + 1

    # Between rounds

    def _await_ready(self) -> None:
        for seat in self._seats:
            seat.ready, seat.nonce = False, None
        if any(seat.seated for seat in self._seats):
            wait = self._settings.ready_time
        else:
            wait = NOBODY_WAITS if self._settings.bot_pace else 0
        self.between, self._awaits_all = True, False
        self.deadline = self._broadcast.now + wait * MS

    def _may_begin(self) -> bool:
        if self.deadline is not None and self._broadcast.now >= self.deadline:
            return True
        seated = [seat for seat in self._seats if seat.seated]
        awaited = [seat for seat in seated if seat.status == "online" or self._awaits_all]
        # With nobody there to be ready it takes the deadline: a short cut deals no round.
        return bool(awaited) and all(seat.ready for seat in awaited)

    def _draw_secret(self) -> None:
        number = self.match.finished + 1
        self._secret = self._chance.secret(f"round/{self.number}/{number}")
        self.commit = commit_of(self._secret)
        note = self._broadcast.gate.note
        note(SecretDrawn(self._broadcast.table, self.number, number, self._secret, self.commit))

    def _begin_round(self) -> None:
        self.between = False
        self.deadline = None
        self._nonces = [seat.nonce for seat in self._seats]
        seed = seed_of(self._secret, self._nonces)
        log: list[Event] = []
        round = self.match.deal(seed, log)
        table, number = self._broadcast.table, round.number
        self._broadcast.gate.note(RoundDealt(table, self.number, number, seed, self._nonces))
        self._let_live(round, log).begin()

    def _let_live(self, round: Round, log: list[Event]) -> LiveRound:
        self.live = LiveRound(
            round, log, self._broadcast, self._settings, self.number, self._windows, self._end_round
        )
        pace = self._chance.secret(f"pace/{self.number}/{round.number}")
        self.bots = BotSeats(
            self.live, self._seats, self._settings, self._thinker, pace, self._clock, self._changed
        )
        return self.live

    def _end_round(self, event: RoundOver) -> None:
        assert self.live is not None
        round, lags = self.live.round, self.live.teller.lags
        fields = event_data(event)
        fields["claims"] = [{**claim, "lag": lag} for claim, lag in zip(fields["claims"], lags, strict=True)]
        fields |= {"seed": round.seed, "secret": self._secret, "nonces": self._nonces}
        self.match.finish(round)
        self.bots = None
        if self.match.over:
            self.between, self.deadline, self.over = True, None, True
        else:
            self._draw_secret()
            self._await_ready()
            fields["commit"] = self.commit
        fields["deadline"] = self.deadline_ms()
        self.ready_on = self._broadcast.emit("round_over", fields)
        self.last_round = {key: value for key, value in fields.items() if key != "ev"}
        note = self._broadcast.gate.note
        note(RoundEnded(self._broadcast.table, self.number, round.number, self.last_round))
        if self.match.over:
            self.ranking = self.match.ranking()
            note(MatchOver(self._broadcast.table, self.number, self.ranking))

    def deadline_ms(self) -> int | None:
        """The deadline between rounds as the wire has it."""
        return None if self.deadline is None else self._broadcast.ms(self.deadline)

    # For the record

    def to_data(self) -> dict[str, Any]:
        """What can't be had from the match's inputs; moments in ns since the table was made."""
        return {
            "between": self.between,
            "tallied": self.tallied,
            "paused": self.paused,
            "deadline": self._broadcast.since(self.deadline),
            "ready_on": self.ready_on,
            "secret": self._secret,
            "live": None if self.live is None else self.live.to_data(),
        }

    def take_up(
        self,
        data: dict[str, Any],
        rounds: Sequence[RoundKept],
        windows: Mapping[int, int | None],
        revival: Revival,
        answering: Answering,
    ) -> None:
        """Stand where `to_data` was made, by playing ``rounds`` again; ``windows``: when each was closed."""
        self._secret, self.tallied, self.paused = data["secret"], data["tallied"], data["paused"]
        self.commit = commit_of(self._secret)
        self.ready_on, self.between = data["ready_on"], data["between"]
        self.deadline = revival.deadline(data["deadline"])
        self._windows.update((seq, revival.moment(closed)) for seq, closed in windows.items())
        self._awaits_all = True
        for kept in rounds:
            self._play_again(kept, last=kept is rounds[-1], revival=revival, data=data, answering=answering)
        self.over = self.match.over
        if self.over:
            self.ranking = self.match.ranking()

    def go_on(self, revival: Revival) -> None:
        """Time stood still: move what is waited for."""
        since = self._broadcast.since
        self.deadline = revival.deadline(since(self.deadline))
        if self.live is not None and not self.between:
            self.live.go_on(revival)

    def _play_again(
        self,
        kept: RoundKept,
        last: bool,
        revival: Revival,
        data: dict[str, Any],
        answering: Answering,
    ) -> None:
        events: list[Event] = []
        round = self.match.deal(kept.seed, events)
        for action in kept.taken:
            if action is None:
                round.expire()
            else:
                round.apply(action)
        if last:
            log: list[Event] = []
            round.log = log
            self._nonces = kept.nonces
            self._let_live(round, log).take_up(data["live"], events, revival, answering)
        if not last or self.between:
            if round.phase is not Phase.OVER:
                raise ValueError(f"round {round.number} was not over")
            self.match.finish(round)
            self.last_round = kept.result
            self.bots = None
