"""A table's seats, and what everybody may know of who sits there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from engine.bots import REACTIONS

from .settings import Settings

Kind = Literal["human", "bot", "empty"]
Status = Literal["online", "away", "autopilot", "left"]
Level = Literal["easy", "normal", "hard"]

FLOOR_MS = 300
"""With a human seated no bot claims sooner after a card."""

BOT_NAMES = ("Sora", "Hina", "Ren", "Mio", "Kai", "Yui", "Nao", "Riku")


@dataclass(slots=True)
class Seat:
    """One seat. ``player`` is the session it belongs to, also after that has left in a match."""

    index: int
    kind: Kind = "empty"
    name: str = ""
    level: Level | None = None
    player: int | None = None
    status: Status = "online"
    automatic: bool = False
    """The server plays for it."""
    since: int = 0
    """Counts who sat down before whom."""
    away_due: int | None = None
    """When an absent player's `away_time` is over, in ns."""
    overdue: int = 0
    """Turns in a row that ran out."""
    overdue_on: int | None = None
    """The last of them, by its event's seq."""
    ready: bool = False
    nonce: bytes | None = None

    @property
    def seated(self) -> bool:
        """A human sits here and has not left."""
        return self.kind == "human" and self.status != "left"

    @property
    def bot_level(self) -> Level:
        """The level at which the server plays for it."""
        return self.level or "normal"

    def clear(self) -> None:
        """Nobody sits here any more."""
        self.kind, self.name, self.level, self.player = "empty", "", None, None
        self.status, self.automatic, self.away_due, self.overdue = "online", False, None, 0
        self.ready, self.nonce = False, None

    def seat_bot(self, level: Level, name: str) -> None:
        self.clear()
        self.kind, self.level, self.name, self.automatic = "bot", level, name, True

    def seat_human(self, player: int, name: str, since: int) -> None:
        self.clear()
        self.kind, self.player, self.name, self.since = "human", player, name, since


def reaction_of(level: Level, settings: Settings, human: bool) -> tuple[int, int]:
    """The least and greatest time of a bot's claims, in ms."""
    least, greatest = (ms * settings.bot_pace // 100 for ms in REACTIONS[level])
    floor = FLOOR_MS if human else 0
    return max(least, floor), max(greatest, floor)


def seat_data(seat: Seat, settings: Settings, human: bool) -> dict[str, Any]:
    """A seat as the `seat` event shows it; ``human``: whether a human is seated at the table."""
    data: dict[str, Any] = {"seat": seat.index, "name": None, "kind": seat.kind, "status": None}
    if seat.kind != "empty":
        data |= {"name": seat.name, "status": seat.status}
    if seat.kind == "bot":
        data["level"] = seat.level
        data["reaction"] = list(reaction_of(seat.bot_level, settings, human))
    return data


def bot_name(seats: list[Seat], index: int) -> str:
    """A name for a bot that nobody at the table has."""
    taken = {seat.name for seat in seats}
    names = BOT_NAMES[index % len(BOT_NAMES) :] + BOT_NAMES
    return next((name for name in names if name not in taken), f"Bot {index + 1}")
