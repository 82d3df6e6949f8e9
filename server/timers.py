"""What is to be done when: a heap of moments. Whoever is called finds out whether it still applies."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heappop, heappush


class Timers:
    """Callbacks by moment, ns. A callback gets the moment it was set for."""

    def __init__(self) -> None:
        self._heap: list[tuple[int, int, Callable[[int], None]]] = []
        self._count = 0

    def set(self, moment: int, do: Callable[[int], None]) -> None:
        self._count += 1
        heappush(self._heap, (moment, self._count, do))

    def next(self) -> int | None:
        return self._heap[0][0] if self._heap else None

    def run(self, until: int, enough: Callable[[], bool]) -> None:
        """Call what is set for ``until`` or before, in order, until it is ``enough``: at least one thing."""
        heap = self._heap
        while heap and heap[0][0] <= until:
            moment, _, do = heappop(heap)
            do(moment)
            if enough():
                break
