"""How long each level takes, as a person would: not at once, mostly soon, now and then late.

One spread for whatever a bot decides, so that its timing tells nothing: it takes as long to waive as to
claim, and as long to decline as to play.
"""

from __future__ import annotations

from random import Random
from typing import Final, NamedTuple


class Spread(NamedTuple):
    """The shortest and the longest time in ms, both at a pace of 100 %."""

    least: int
    most: int

    def draw(self, rng: Random) -> int:
        """A time in ms; two thirds are in the lower half of the spread."""
        return self.least + round((self.most - self.least) * rng.betavariate(2, 3))


REACTIONS: Final[dict[str, Spread]] = {
    "easy": Spread(1200, 3000),
    "normal": Spread(700, 2000),
    "hard": Spread(450, 1200),
}
"""By level."""
