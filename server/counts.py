"""What the server counts of itself, without names: plain numbers that only ever grow."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from typing import Final

DELAYS: Final = (1_000_000, 5_000_000, 20_000_000, 100_000_000, 500_000_000)
"""Upper bounds in ns of the delays that are counted apart."""


class Counts:
    """Since the process began."""

    __slots__ = ("connections", "delay", "delays", "refusals", "requests")

    def __init__(self) -> None:
        self.connections = 0
        self.requests: Counter[str] = Counter()
        """By the word of the request, of those that are known."""
        self.refusals: Counter[str] = Counter()
        """Connections ended by the server, by code."""
        self.delays = [0] * (len(DELAYS) + 1)
        """Frames by how long after their arrival they were taken."""
        self.delay = 0
        """The sum of those times, ns."""

    def took(self, delay: int) -> None:
        """A frame was taken so many ns after it had arrived."""
        self.delay += delay
        self.delays[bisect_left(DELAYS, delay)] += 1
