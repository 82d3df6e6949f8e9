"""When things happened at a table that never stood still: rules, section 9, and protocol, section 6."""

from __future__ import annotations

from collections.abc import Iterable

from .chronicle import Data, demand

FLOOR = 300
"""Ms after a card before which no bot claims, with a human seated."""


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

    def follow(self, events: Iterable[Data]) -> None:
        """Raise `Broken` at the first that came too soon, too late, or with another deadline than it has."""
        for event in events:
            self._take(event, event["at"])

    def _take(self, event: Data, at: int) -> None:
        match event["ev"]:
            case "match":
                self._settings = event["settings"]
                for seat, who in enumerate(event["seats"]):
                    self._kinds[seat] = who["kind"]
                    self._overdue[seat] = 0
            case "round":
                self._until = 0
            case "seat":
                self._seat(event, at)
            case "played":
                self._moved(event, at)
                demand(event["until"] == at + self._settings["grace"], "the grace is another:", event)
                self._until, self._played = event["until"], at
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
                demand(self._deadline <= at <= self._deadline + 1, "ran out at", at, "not", self._deadline)
                self._overdue[event["seat"]] = self._overdue.get(event["seat"], 0) + 1
            case "claimed" if self._kinds.get(event["seat"]) == "bot" and not event["counter"]:
                if "human" in self._kinds.values():
                    demand(at >= self._played + FLOOR, "a bot claims after", at - self._played, "ms")

    def _moved(self, event: Data, at: int) -> None:
        demand(at >= self._until, "a move within the grace that ends at", self._until, event)

    def _due(self, event: Data, deadline: int) -> None:
        demand(event["deadline"] == deadline, "a deadline that should be", deadline, event)
        self._deadline = deadline

    def _seat(self, event: Data, at: int) -> None:
        seat, status = event["seat"], event["status"]
        self._kinds[seat] = event["kind"] if status != "left" else "gone"
        if status == "away":
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
