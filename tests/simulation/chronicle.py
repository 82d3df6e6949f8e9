"""What has been decided, as the record is told it, played again by a second round beside the server's.

Nothing of the server's own state is believed here: rounds are dealt from the secrets noted and moved by the
inputs noted. What the server holds, and what everybody was sent, has to be what comes of that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from engine.actions import Action, Do
from engine.events import Event, cards_data, event_data
from engine.legality import Refused
from engine.match import Match
from engine.round import Round
from engine.rules import Rules
from engine.state import Phase
from engine.view import may, playable
from server.record import (
    Decided,
    Entry,
    MatchBegun,
    MatchOver,
    RoundDealt,
    RoundEnded,
    SecretDrawn,
    SessionEnded,
    SessionKept,
    TableClosed,
    WindowKept,
)
from server.settings import MS

Data = dict[str, Any]
ORDINARY = ("seat", "spectator", "host", "rules", "chat", "paused", "match", "ready", "match_over", "closed")
"""Events that a table tells of itself: all others are the engine's."""
ASKING = ("turn", "drew", "opening", "direction_race")
"""Events that say to some seats what they may do, where nothing follows in the same step."""
Asked = dict[int, Data]
"""By seat, its `playable` and `may`."""


class Broken(AssertionError):
    """Something that must always hold does not."""


def demand(holds: object, *what: object) -> None:
    """Raise `Broken` unless it holds."""
    if not holds:
        raise Broken(" ".join(str(each) for each in what))


@dataclass
class Course:
    """How one table's matches went."""

    events: list[Data] = field(default_factory=list)
    """The engine's, in full information."""
    match: Match | None = None
    number: int = 0
    round: Round | None = None
    asked: dict[int, Asked] = field(default_factory=dict)
    """By the place of an event that asks for something, who may do what."""
    log: list[Event] = field(default_factory=list)
    secret: bytes = b""
    commit: bytes = b""
    results: int = 0
    """Rounds of this match that have ended."""
    latest: tuple[int, int] = (-1, -1)
    claim_time: int = 0
    claims_until: int = 0
    """Ns; until when at least claims on the last card are waited for, if not all have waived."""
    first_claim: int = 0
    """When the first claim on the last card arrived."""
    over: bool = False
    closed: bool = False
    """The table is; nothing more may come of it."""


class Chronicle:
    """Every entry, in order, and what comes of them. ``entries`` may be cut off: then `again` is due."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.courses: dict[int, Course] = {}

    def take(self, entry: Entry) -> None:
        """Note an entry. Raises `Broken` if it can't follow what came before."""
        self.entries.append(entry)
        self._take(entry)

    def again(self) -> None:
        """Begin anew with the entries that there are."""
        self.courses = {}
        for entry in self.entries:
            self._take(entry)

    def _take(self, entry: Entry) -> None:
        if not isinstance(entry, SessionKept | SessionEnded):
            demand(not self._course(entry.table).closed, "noted of a table that is closed:", entry)
        match entry:
            case TableClosed():
                self._course(entry.table).closed = True
            case WindowKept():
                demand(entry.match == self._course(entry.table).number, "a window of another match", entry)
            case MatchBegun():
                self._begin_match(self._course(entry.table), entry)
            case SecretDrawn():
                self._draw_secret(self._course(entry.table), entry)
            case RoundDealt():
                self._deal(self._course(entry.table), entry)
            case Decided():
                self._decide(self._course(entry.table), entry)
            case RoundEnded():
                self._end_round(self._course(entry.table), entry)
            case MatchOver():
                self._end_match(self._course(entry.table), entry)

    def _course(self, table: int) -> Course:
        return self.courses.setdefault(table, Course())

    def _begin_match(self, course: Course, entry: MatchBegun) -> None:
        demand(course.match is None or course.over, "a match began within another", entry)
        demand(entry.match > course.number, "a match's number is used again", entry)
        rules = Rules.from_data(entry.rules, seats=len(entry.seats))
        course.match, course.number = Match(rules, len(entry.seats)), entry.match
        course.round, course.results, course.over = None, 0, False
        course.claim_time = entry.settings["claim_time"] * MS

    def _draw_secret(self, course: Course, entry: SecretDrawn) -> None:
        commit = sha256(b"dobon commit" + entry.secret).digest()
        demand(entry.commit == commit, "a commit is not that of its secret", entry)
        # The next secret is drawn while a round is ended.
        demand(entry.round == course.results + 1 + (course.round is not None), "a secret for no round", entry)
        course.secret, course.commit = entry.secret, entry.commit

    def _deal(self, course: Course, entry: RoundDealt) -> None:
        demand(course.match is not None and course.round is None, "a round within another", entry)
        assert course.match is not None
        demand(entry.seed == _seed(course.secret, entry.nonces), "a seed without its nonces", entry)
        demand(entry.round == course.results + 1, "a round out of turn", entry)
        course.log = []
        course.round = course.match.deal(entry.seed, course.log)
        self._enter(course)

    def _decide(self, course: Course, entry: Decided) -> None:
        if entry.round != course.results + 1 or entry.match != course.number:
            demand(entry.code is not None, "something was done in a round that is over", entry)
            return
        round = course.round
        demand(round is not None, "something was decided before a deal", entry)
        assert round is not None
        if entry.action is None and round.phase is Phase.CLAIM:
            demand(entry.effect >= course.claims_until, "claims are waited for too short a time", entry)
        claims, asked = len(round.claims), _discarder_asked(round)
        demand(_apply(round, entry.action) == entry.code, "the rules decide otherwise", entry)
        # A refusal has no effect that anything could be ordered by.
        if entry.code is None:
            demand((entry.effect, entry.arrival) >= course.latest, "decided out of order", entry)
            course.latest = (entry.effect, entry.arrival)
            played = entry.action is not None and entry.action.do is Do.PLAY
            claimed = len(round.claims) > claims and (round.rules.claims != "all" or not claims)
            if round.phase is Phase.CLAIM and (played or claimed or _discarder_asked(round) > asked):
                # So long claims are waited for at the least (rules, sections 7 and 9).
                course.claims_until = entry.effect + course.claim_time
        self._enter(course, entry.arrival)

    def _end_round(self, course: Course, entry: RoundEnded) -> None:
        round = course.round
        demand(round is not None and round.phase is Phase.OVER, "a second result", entry)
        assert round is not None
        assert course.match is not None
        demand(entry.round == course.results + 1, "a result of another round", entry)
        told = {key: value for key, value in course.events[-1].items() if key not in ("ev", "claims")}
        demand(told == {key: entry.fields[key] for key in told}, "another result than the rules'", entry)
        course.match.finish(round)
        demand(
            tuple(course.match.totals) == tuple(entry.fields["totals"]), "totals that do not add up", entry
        )
        course.round, course.results = None, course.results + 1

    def _end_match(self, course: Course, entry: MatchOver) -> None:
        assert course.match is not None
        demand(course.match.over and not course.over, "a match ended twice, or too soon", entry)
        demand(course.match.ranking() == entry.ranking, "another ranking", entry)
        course.over = True

    def _enter(self, course: Course, arrival: int = 0) -> None:
        round = course.round
        assert round is not None
        for event in map(event_data, course.log):
            if event["ev"] == "claimed":
                if event["order"] == 1:
                    course.first_claim = arrival
                event["lag"] = (arrival - course.first_claim) // 1000
            course.events.append(event)
        if course.log and course.events[-1]["ev"] in ASKING:
            course.asked[len(course.events) - 1] = asked_of(round)
        course.log.clear()
        one_place_each(round)


def _seed(secret: bytes, nonces: Sequence[bytes | None]) -> bytes:
    """Protocol, section 4, said once more."""
    given = [nonce or b"" for nonce in nonces]
    return sha256(b"dobon seed" + secret + b"".join(bytes([len(each)]) + each for each in given)).digest()


def _discarder_asked(round: Round) -> bool:
    return round.phase is Phase.CLAIM and round.counter_open


def _apply(round: Round, action: Action | None) -> str | None:
    try:
        if action is None:
            round.expire()
        else:
            round.apply(action)
    except Refused as refused:
        return refused.code
    return None


def asked_of(round: Round) -> Asked:
    """What the seats may do that are asked for a play, draw, pass or decline."""
    asked = {}
    for seat in range(round.seats):
        if round.asked(seat):
            cards = playable(round, seat) or []
            asked[seat] = {"playable": cards_data(cards), "may": may(round, seat)}
    return asked


def one_place_each(round: Round) -> None:
    """Every card of the deck exists once."""
    held = round.discards + round.stock
    for seat in range(round.seats):
        held.extend(round.hand_cards(seat))
    demand(sorted(held) == list(range(52 + round.rules.jokers)), "cards are lost or double:", held)
