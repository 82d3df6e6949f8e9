"""How a table's clock goes on after it stood still: after a restart, or while nothing could be written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, overload

from .settings import SECOND

LEAST: Final = 10 * SECOND
"""What is waited for is waited for again at least so long: people have to come back first."""


@dataclass(frozen=True, slots=True)
class Revival:
    """``born`` and ``now`` on the server's clock, ``stood``: when it stood still, ns since it was made."""

    born: int
    stood: int
    now: int

    @overload
    def moment(self, since: int) -> int: ...
    @overload
    def moment(self, since: None) -> None: ...
    @overload
    def moment(self, since: int | None) -> int | None: ...

    def moment(self, since: int | None) -> int | None:
        """A moment that is over and stays where it was."""
        return None if since is None else self.born + since

    def deadline(self, since: int | None) -> int | None:
        """A moment that somebody has to act before."""
        return None if since is None else self.now + max(LEAST, since - self.stood)

    def ending(self, since: int | None) -> int | None:
        """A moment that was waited for and has been over, or is still as far away."""
        if since is None or since <= self.stood:
            return self.moment(since)
        return self.now + since - self.stood
