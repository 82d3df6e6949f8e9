"""When to ask an idle peer whether it is there, and when to give it up (section 6)."""

from enum import Enum, auto
from typing import Final

UNANSWERED: Final = 3
"""So many pings without a sign of life, and half an interval after the last of them, end a connection."""


class Beat(Enum):
    """What is due."""

    NOTHING = auto()
    PING = auto()
    DROP = auto()


class Heartbeat:
    """The heartbeat of one connection; all times in one unit of one monotonic clock.

    A step that comes late moves all later ones: a stall of our own drops nobody.
    """

    __slots__ = ("due", "interval", "unanswered")

    def __init__(self, interval: int, now: int) -> None:
        self.interval = interval
        self.heard(now)

    def heard(self, now: int) -> None:
        """Something arrived, whatever it is."""
        self.unanswered = 0
        self.due = now + self.interval

    def step(self, now: int) -> Beat:
        """What to do at `now`; it is to be asked again at `due`."""
        if now < self.due:
            return Beat.NOTHING
        if self.unanswered == UNANSWERED:
            return Beat.DROP
        self.unanswered += 1
        self.due = now + (self.interval if self.unanswered < UNANSWERED else self.interval // 2)
        return Beat.PING
