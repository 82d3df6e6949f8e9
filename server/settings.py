"""A table's settings: its times and the pace of its bots (rules, section 9)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

MS: Final = 1_000_000
"""Nanoseconds in a millisecond."""
SECOND: Final = 1000 * MS


class BadSettings(ValueError):
    """Settings that can't be had; ``field`` names the one to blame."""

    def __init__(self, field: str, expected: str) -> None:
        super().__init__(f"{field}: expected {expected}")
        self.field = field


RANGES: Final = {
    "turn_time": (2_000, 600_000),
    "grace": (0, 10_000),
    "claim_time": (1_000, 30_000),
    "opening_time": (1_000, 60_000),
    "ready_time": (1_000, 120_000),
    "away_time": (5_000, 600_000),
    "bot_pace": (0, 300),
}
"""The least and greatest value of each field."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Times in ms, ``bot_pace`` in percent."""

    turn_time: int = 30_000
    grace: int = 1_000
    claim_time: int = 4_000
    opening_time: int = 10_000
    ready_time: int = 15_000
    away_time: int = 20_000
    bot_pace: int = 100

    def changed(self, data: Mapping[str, Any]) -> Settings:
        """These settings with the fields of ``data`` instead. Raises `BadSettings`."""
        for name, value in data.items():
            limits = RANGES.get(name)
            if limits is None:
                raise BadSettings(str(name), "one of the settings " + ", ".join(RANGES))
            if type(value) is not int or not limits[0] <= value <= limits[1]:
                raise BadSettings(name, f"a whole number from {limits[0]} to {limits[1]}")
        settings = replace(self, **data)
        if settings.claim_time < settings.grace:
            raise BadSettings("claim_time", "no less than grace")
        return settings

    def to_data(self) -> dict[str, int]:
        """Every field, as the protocol shows them."""
        return asdict(self)
