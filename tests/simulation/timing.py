"""When things happened at a table that never stood still: rules, section 9, and protocol, section 6."""

from __future__ import annotations

from collections.abc import Iterable

from .chronicle import Data, demand

FLOOR = 300
"""Ms after a card before which no bot claims, with a human seated."""
NOBODY_WAITS = 5_000
"""Ms between two rounds of bots alone."""
WRITING = 200
"""Ms that the disk may take: where nobody plays, it goes on no faster than it is written down."""


class Clock:
    """Follows a table's events, in full and in order. Times are ms of the table's clock."""

    def __init__(self) -> None:
        self._settings: dict[str, int] = {}
        self._until = 0
        self._played = 0
        self._deadline = 0
        self._kinds: dict[int, str] = {}
        self._away: dict[int, int] = {}
        self._statuses: dict[int, str | None] = {}
        self._overdue: dict[int, int] = {}
        self._rules: Data = {}
        self._playing = False
        self._gathered = 0
        """When the claims on the last card must have come, with `claims: all`."""

    def follow(self, events: Iterable[Data]) -> None:
        """Raise `Broken` at the first that came too soon, too late, or with another deadline than it has."""
        for event in events:
            self._take(event, event["at"])

    def _take(self, event: Data, at: int) -> None:
        if self._playing and event["ev"] != "seat":
            self._nobody_waits_long(at)
        match event["ev"]:
            case "match":
                self._settings, self._rules = event["settings"], event["rules"]
                self._playing = True
                for seat, who in enumerate(event["seats"]):
                    self._kinds[seat] = who["kind"]
                    self._overdue[seat] = 0
                self._due(event, at + self._pause())
            case "round_over":
                if event["deadline"] is not None:
                    self._due(event, at + self._pause())
            case "match_over":
                self._playing = False
            case "round":
                self._until = 0
            case "seat":
                self._seat(event, at)
            case "played":
                self._moved(event, at)
                demand(event["until"] == at + self._settings["grace"], "the grace is another:", event)
                self._until, self._played = event["until"], at
                if event["deadline"] not in (None, event["until"]):
                    self._due(event, at + self._settings["claim_time"])
            case "drew" if event["why"] in ("choice", "attack"):
                self._moved(event, at)
            case "passed":
                self._moved(event, at)
            case "turn":
                self._due(event, max(at, self._until) + self._settings["turn_time"])
            case "opening" | "rps":
                self._due(event, at + self._settings["opening_time"])
            case "direction_race":
                self._due(event, max(at + self._settings["opening_time"], self._until))
            case "timed_out":
                late = 1 if self._attended() else WRITING
                demand(0 <= at - self._deadline <= late, "ran out at", at, "not", self._deadline)
                self._overdue[event["seat"]] = self._overdue.get(event["seat"], 0) + 1
            case "claimed":
                self._claimed(event, at)

    def _claimed(self, event: Data, at: int) -> None:
        bot = self._kinds.get(event["seat"]) == "bot" and not event["counter"]
        if bot and "human" in self._kinds.values():
            demand(at >= self._played + FLOOR, "a bot claims after", at - self._played, "ms")
        if event["deadline"] is None:
            return
        if event["order"] == 1 or self._rules["claims"] != "all":
            self._gathered = at + self._settings["claim_time"]
        # Once all others have claimed or waived, the discarder has a time of its own.
        asked = self._rules["counter"] == "ask" and event["deadline"] == at + self._settings["claim_time"]
        if not asked:
            self._due(event, self._gathered)

    def _attended(self) -> bool:
        """Whether anybody plays, or may come back before they are played for."""
        humans = [seat for seat, kind in self._kinds.items() if kind == "human"]
        return any(self._statuses.get(seat, "online") in ("online", "away") for seat in humans)

    def _pause(self) -> int:
        """How long the next round is waited for."""
        if "human" in self._kinds.values():
            return self._settings["ready_time"]
        return NOBODY_WAITS if self._settings["bot_pace"] else 0

    def _nobody_waits_long(self, at: int) -> None:
        """For who is away: they are played for when their time is over."""
        for seat, since in self._away.items():
            if self._statuses.get(seat) == "away":
                late = at - since - self._settings["away_time"]
                demand(late <= 1, "seat", seat, "is not played for, for ms:", late)

    def _moved(self, event: Data, at: int) -> None:
        demand(at >= self._until, "a move within the grace that ends at", self._until, event)

    def _due(self, event: Data, deadline: int) -> None:
        demand(event["deadline"] == deadline, "a deadline that should be", deadline, event)
        self._deadline = deadline

    def _seat(self, event: Data, at: int) -> None:
        seat, status = event["seat"], event["status"]
        self._kinds[seat] = event["kind"] if status != "left" else "gone"
        if status in ("left", None):
            self._away.pop(seat, None)
        elif status == "away":
            # Who was played for when the match ended has been away for longer, nobody was told since when.
            before = self._settings.get("away_time", 0) if self._statuses.get(seat) == "autopilot" else 0
            self._away.setdefault(seat, at - before)
        elif status == "autopilot":
            absent = at - self._away.get(seat, at) >= self._settings["away_time"]
            demand(absent or self._overdue.get(seat, 0) >= 2, "played for too soon:", event)
        elif status == "online":
            self._overdue[seat] = 0
            self._away.pop(seat, None)
        self._statuses[seat] = status
