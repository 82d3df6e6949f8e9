"""A recorded match as the messages that a viewer of it would have got, for `client.model`.

`retold` is pure: it takes a record as `dobon export` and `dobon sim --trace` write it, and gives moment after
moment what a seat, or a spectator, was told. What a record does not hold is left out (chat, who was away), or
worked out from it (deadlines). A record without times has a second for each step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from engine.rules import Rules
from engine.state import Phase
from protocol.connection import Answer
from protocol.events import EVENT_TYPES, Claimed, FalseClaim
from protocol.fields import Misfit, fit
from protocol.messages import REQUEST_TYPES, Error, Event, Ok, Request, View
from protocol.replies import ViewSeat

from .fairness import Witness
from .notices import Message
from .retold_state import Followed

MS: Final = 1_000_000
TABLE: Final = 1
"""The id of the table in what is retold."""
BEFORE: Final = 1000
"""Ms from a deal to the first thing that was done, where the record does not tell."""
STEP: Final = 1000
"""Ms from step to step of a record without times."""
NOBODY_WAITS: Final = 5000
"""Ms between rounds where no human is seated."""
ASKING: Final = ("turn", "opening", "direction_race")
SETTINGS: Final = {"turn_time": 30_000, "grace": 1000, "claim_time": 4000, "opening_time": 10_000}
"""The defaults of rules, section 9, for a record that has no settings."""


class BadRecord(ValueError):
    """The data is no record of a match; the text says what is wrong with it, in English."""


@dataclass(frozen=True, slots=True)
class Moment:
    """What one step of a match did, at `at` ms of the table's clock. `round` is 0 before the first deal."""

    at: int
    round: int
    messages: tuple[Message, ...]
    hands: tuple[tuple[str, ...], ...] = ()
    """All hands by seat as they are after it; empty before the first deal."""
    claims: bool = False
    """Whether somebody claims in it."""


def retold(
    record: Mapping[str, Any],
    viewer: int | None,
    *,
    is_open: bool,
    name: Callable[[int], str],
    title: str = "",
) -> tuple[Moment, ...]:
    """Every moment of a match as `viewer` got it, a seat or None for a spectator.

    With `is_open` events show all cards dealt and drawn. `name` names a seat where the record does not,
    `title` the table. Raises BadRecord.
    """
    try:
        seats = record["seats"]
        if len(record.get("players") or range(seats)) != seats:
            raise BadRecord(f"it has {seats} seats and other players")
        if viewer is not None and not 0 <= viewer < seats:
            raise BadRecord(f"there is no seat {viewer + 1}, it has {seats}")
        return tuple(_Retelling(record, viewer, is_open, name, title).moments())
    except BadRecord:
        raise
    except (Misfit, ValueError, LookupError, TypeError, AttributeError, AssertionError) as problem:
        raise BadRecord(f"it is no record of a match ({problem or type(problem).__name__})") from None


class _Retelling:
    """One viewer's messages. Times are ns of the table's clock."""

    def __init__(
        self,
        record: Mapping[str, Any],
        viewer: int | None,
        is_open: bool,
        name: Callable[[int], str],
        title: str,
    ) -> None:
        self._title = title
        self._record, self._viewer, self._is_open = record, viewer, is_open
        self._rules = Rules.from_data(record["rules"], seats=record["seats"])
        self._settings: dict[str, int] = record.get("settings") or SETTINGS
        self._players: list[Mapping[str, Any]] = record.get("players") or [
            {"name": name(seat), "kind": "human"} for seat in range(record["seats"])
        ]
        self._witness = Witness(TABLE, hears_ready=False) if _proves(record) else None
        self._round: Followed | None = None
        self._number = 0
        self._seq = self._act_on = self._claim_on = 0
        self._now = 0
        self._until = 0
        self._deadline: int | None = None
        self._first_claim = 0
        self._lags: list[int] = []
        self._closed: int | None = None
        """When the last card's window was closed."""

    def moments(self) -> Iterator[Moment]:
        rounds: Sequence[Mapping[str, Any]] = self._record["rounds"]
        self._now = max(0, self._dealt_at(rounds[0]) - BEFORE * MS) if rounds else 0
        view = self._first_view()
        if self._witness is not None:
            self._witness.view(view)
        yield self._moment([view, *self._told(self._match_begun())])
        for number, data in enumerate(rounds, 1):
            self._number = number
            self._now = max(self._now, self._dealt_at(data))
            self._round = Followed(self._rules, data["events"][0])
            yield self._moment(self._events(data["events"], data))
            for step in data["steps"]:
                yield from self._step(step, data)
        if "ranking" in self._record:
            over = {"ev": "match_over", "ranking": self._record["ranking"], "series": []}
            yield self._moment(self._told(over))

    def _moment(self, messages: Sequence[Message]) -> Moment:
        hands = () if self._round is None else tuple(map(tuple, self._round.hands))
        claims = any(isinstance(each, Claimed | FalseClaim) for each in messages)
        return Moment(self._now // MS, self._number, tuple(messages), hands, claims)

    def _first_view(self) -> View:
        seats = [
            ViewSeat(
                seat=seat,
                name=player["name"],
                kind=player["kind"],
                level=player.get("level"),
                status="online" if player["kind"] == "human" else None,
            )
            for seat, player in enumerate(self._players)
        ]
        return View(
            table=TABLE,
            seq=0,
            at=self._now // MS,
            you=self._viewer,
            name=self._title,
            host=None,
            rules=self._rules.to_data(),
            settings=dict(self._settings),
            paused=False,
            spectators=[],
            seats=seats,
            phase="open",
        )

    def _match_begun(self) -> dict[str, Any]:
        rounds = self._record["rounds"]
        return {
            "ev": "match",
            "match": self._record.get("match", 1),
            "rules": self._rules.to_data(),
            "settings": dict(self._settings),
            "seats": [
                {key: player[key] for key in ("name", "kind", "level") if player.get(key) is not None}
                for player in self._players
            ],
            "commit": _proof(rounds[0], "commit") if rounds else bytes(32),
            "deadline": None,
        }

    def _dealt_at(self, data: Mapping[str, Any]) -> int:
        """When a round was dealt, as near as its first step tells."""
        if not data["steps"] or "effect" not in data["steps"][0]:
            return self._now + STEP * MS
        first, last = data["steps"][0], data["events"][-1]["ev"]
        if first["do"] == "expire":
            times = {"turn": "turn_time", "rps": "opening_time"}
            return int(first["effect"]) - self._settings[times.get(last, "opening_time")] * MS
        return int(first["arrival"]) - BEFORE * MS

    def _step(self, step: Mapping[str, Any], data: Mapping[str, Any]) -> Iterator[Moment]:
        assert self._round is not None
        arrival, effect = step.get("arrival"), step.get("effect", self._now + STEP * MS)
        if "error" in step:
            # A claim that came late stands in the record where it was decided.
            self._now = max(self._now, effect)
            if step.get("seat") == self._viewer is not None:
                yield self._moment([self._refused(step)])
            return
        self._now = effect
        events: list[Mapping[str, Any]] = step["events"]
        answers: list[Message] = []
        declines = step["do"] == "pass" and self._round.phase in (Phase.OPENING, Phase.DIRECTION)
        if declines:
            self._round.decline(step["seat"])
        if (declines or step["do"] == "waive") and step["seat"] == self._viewer:
            answers.append(Answer(self._request(step), Ok(re=1)))
        over = events[-1] if events and events[-1]["ev"] == "round_over" else None
        if over is None or (len(events) == 1 and not (over["why"] == "out" and effect < self._until)):
            yield self._moment([*answers, *self._events(events, data, arrival)])
            return
        # What it came of is seen by itself.
        if len(events) > 1:
            yield self._moment([*answers, *self._events(events[:-1], data, arrival, ends=True)])
        if over["why"] == "out":
            self._now = max(self._now, self._until)
        yield self._moment(self._events([over], data))

    # Requests of the viewer's

    def _request(self, step: Mapping[str, Any]) -> Request:
        kind = REQUEST_TYPES[step["do"]]
        on = self._claim_on if step["do"] in ("dobon", "waive") else self._act_on
        asked = {key: step[key] for key in ("card", "suit", "call", "throw") if step.get(key) is not None}
        return fit({"id": 1, "table": TABLE, "on": max(1, on), **asked}, kind)

    def _refused(self, step: Mapping[str, Any]) -> Answer:
        code, by = step["error"], None
        late = step["do"] in ("dobon", "waive") and code in ("window_closed", "not_now")
        if late and self._closed is not None:
            code, by = "too_late", max(0, step.get("arrival", 0) - self._closed) // 1000
        return Answer(self._request(step), Error(code=code, by=by, re=1))

    # Events

    def _events(
        self,
        events: Sequence[Mapping[str, Any]],
        data: Mapping[str, Any],
        arrival: int | None = None,
        *,
        ends: bool = False,
    ) -> list[Message]:
        """The messages of a step's events; with `ends` the end of the round follows them later."""
        assert self._round is not None
        found: list[Message] = []
        over = ends or any(event["ev"] == "round_over" for event in events)
        for place, event in enumerate(events, 1):
            self._round.follow(event)
            fields = dict(event)
            match event["ev"]:
                case "round" if not self._is_open:
                    hands = event["hands"]
                    fields["hands"] = [h if seat == self._viewer else None for seat, h in enumerate(hands)]
                case "opening" | "direction_race" | "turn" | "rps":
                    self._ask(fields)
                case "played":
                    self._played(fields, over)
                case "drew":
                    self._drew(fields, last=place == len(events))
                case "passed":
                    self._close()
                case "claimed":
                    self._claimed(fields, arrival, over)
                case "round_over":
                    self._over(fields, data)
                case _:
                    pass
            found += self._told(fields)
            if event["ev"] in (*ASKING, "rps"):
                self._act_on = self._seq
            elif event["ev"] == "played":
                self._claim_on = self._seq
        return found

    def _told(self, fields: Mapping[str, Any]) -> list[Message]:
        """The event as a message, and what came of checking a deal behind it."""
        self._seq += 1
        kind = EVENT_TYPES[fields["ev"]]
        event: Event = fit({**fields, "table": TABLE, "seq": self._seq, "at": self._now // MS}, kind)
        checked = None if self._witness is None else self._witness.event(event)
        return [event] if checked is None else [event, checked]

    def _wait(self, setting: str, begins: int) -> int:
        self._deadline = begins + self._settings[setting] * MS
        return self._deadline // MS

    def _ask(self, fields: dict[str, Any]) -> None:
        begins = self._now if fields["ev"] in ("opening", "rps") else max(self._now, self._until)
        if fields["ev"] == "turn":
            fields["deadline"] = self._wait("turn_time", begins)
        else:
            self._wait("opening_time", self._now)
            assert self._deadline is not None
            self._deadline = max(self._deadline, begins)
            fields["deadline"] = self._deadline // MS
        if fields["ev"] in ASKING:
            fields |= self._asked()

    def _asked(self) -> dict[str, Any]:
        assert self._round is not None
        nothing = {"playable": None, "may": None}
        return nothing if self._viewer is None else self._round.asked(self._viewer) or nothing

    def _played(self, fields: dict[str, Any], over: bool) -> None:
        self._until = self._now + self._settings["grace"] * MS
        self._lags, self._closed = [], None
        fields["until"], fields["deadline"] = self._until // MS, None
        if not fields["left"]:
            fields["deadline"] = fields["until"] if over else self._wait("claim_time", self._now)

    def _drew(self, fields: dict[str, Any], last: bool) -> None:
        if fields["why"] in ("choice", "attack"):
            self._close()
        if not self._is_open and fields["seat"] != self._viewer:
            fields["cards"] = None
        fields |= self._asked() if last else {"playable": None, "may": None}

    def _claimed(self, fields: dict[str, Any], arrival: int | None, over: bool) -> None:
        arrived = self._now if arrival is None else arrival
        if fields["order"] == 1:
            self._first_claim = arrived
        self._lags.append((arrived - self._first_claim) // 1000)
        fields["lag"] = self._lags[-1]
        if self._rules.claims == "first":
            self._close()
        if over:
            fields["deadline"] = None
        elif self._rules.claims != "all" or fields["order"] == 1 or self._deadline is None:
            fields["deadline"] = self._wait("claim_time", self._now)
        else:
            fields["deadline"] = self._deadline // MS

    def _over(self, fields: dict[str, Any], data: Mapping[str, Any]) -> None:
        self._close()
        rounds = self._record["rounds"]
        last = "ranking" in self._record and self._number == len(rounds)
        nobody = not any(player["kind"] == "human" for player in self._players)
        wait = NOBODY_WAITS if nobody else self._settings.get("ready_time", 15_000)
        claims = zip(fields["claims"], self._lags, strict=True) if fields["claims"] else ()
        fields |= {
            "claims": [{**claim, "lag": lag} for claim, lag in claims],
            "seed": bytes.fromhex(data["seed"]),
            "secret": _proof(data, "secret"),
            "nonces": [
                None if nonce is None else bytes.fromhex(nonce)
                for nonce in data.get("nonces", [None] * len(self._players))
            ],
            "deadline": None if last else self._now // MS + wait,
        }
        if self._number < len(rounds):
            fields["commit"] = _proof(rounds[self._number], "commit")

    def _close(self) -> None:
        if self._closed is None:
            self._closed = self._now


def _proves(record: Mapping[str, Any]) -> bool:
    return all("secret" in data for data in record["rounds"])


def _proof(data: Mapping[str, Any], key: str) -> bytes:
    """A round's secret or commit; zeros where the record has none."""
    return bytes.fromhex(data[key]) if key in data else bytes(32)
