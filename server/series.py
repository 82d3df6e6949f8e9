"""Standings over the matches of a table, until it closes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

MOST_NAMES: Final = 256
"""So many names are remembered: all of them are told with every view."""


class Series:
    """By name, how many matches somebody played here, won, and the sum of their ranks."""

    def __init__(self) -> None:
        self._standings: dict[str, dict[str, int]] = {}

    def enter(self, ranking: Sequence[dict[str, Any]], names: Sequence[str]) -> None:
        """Add a match's ranking; ``names`` are by seat."""
        for standing in ranking:
            known = self._standings.setdefault(
                names[standing["seat"]], {"matches": 0, "firsts": 0, "total_rank": 0}
            )
            known["matches"] += 1
            known["firsts"] += standing["rank"] == 1
            known["total_rank"] += standing["rank"]
        # Who came first is forgotten first, but nobody who has just played.
        first = [name for name in self._standings if name not in names]
        for name in first[: max(0, len(self._standings) - MOST_NAMES)]:
            del self._standings[name]

    @classmethod
    def from_data(cls, data: Sequence[dict[str, Any]]) -> Series:
        """What `to_data` wrote."""
        made = cls()
        for standing in data:
            fields = {key: value for key, value in standing.items() if key != "name"}
            made._standings[standing["name"]] = fields
        return made

    def to_data(self) -> list[dict[str, Any]]:
        """As `match_over` shows it."""
        return [{"name": name, **standing} for name, standing in self._standings.items()]
