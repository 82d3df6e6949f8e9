"""What runs down: the window of a card, the time for a turn, the wait for the next round."""

from __future__ import annotations

from typing import NamedTuple

from ..knowledge import others_counter_to_come
from .scene import Scene

STEP = 80
"""Fewest ms between two pictures of a moving bar."""


class Clock(NamedTuple):
    """`left` of `total` ms."""

    left: int
    total: int

    @property
    def share(self) -> float:
        return self.left / self.total if self.total else 0.0

    @property
    def seconds(self) -> int:
        return (self.left + 999) // 1000


def awaits_return(scene: Scene) -> bool:
    """Whether somebody else's Dobon return is all that the table waits for: the time for claims is over."""
    table = scene.table
    if table is None or table.view.phase != "claim" or not others_counter_to_come(table.view):
        return False
    return table.left(table.view.deadline, scene.now) == 0


def window_clock(scene: Scene) -> Clock | None:
    """The grace after a card, or the time for further claims; None when nothing runs."""
    table = scene.table
    if table is None or table.view.claim_on is None or awaits_return(scene):
        return None
    view = table.view
    if view.phase == "claim":
        return _clock(table.left(view.deadline, scene.now), _setting(scene, "claim_time", 4000))
    return _clock(table.left(view.until, scene.now), _setting(scene, "grace", 1000))


def turn_clock(scene: Scene) -> Clock | None:
    """The time for what the table waits for, apart from claims."""
    table = scene.table
    if table is None:
        return None
    name, default = {
        "turn": ("turn_time", 30_000),
        "opening": ("opening_time", 10_000),
        "direction": ("opening_time", 10_000),
        "rps": ("opening_time", 10_000),
        "between": ("ready_time", 15_000),
    }.get(table.view.phase, ("", 0))
    return (
        _clock(table.left(table.view.deadline, scene.now), _setting(scene, name, default)) if name else None
    )


def until_next(scene: Scene, clock: Clock, cells: int) -> int | None:
    """In how many ms a bar of `cells` steps, or its seconds, show something else."""
    if clock.left <= 0:
        return None
    second = clock.left % 1000 or 1000
    if scene.settings.animation == 0 or not cells:
        return second
    step = max(STEP, clock.total // cells)
    return min(second, clock.left % step or step)


def _clock(left: int | None, total: int) -> Clock | None:
    return None if left is None else Clock(left, max(total, left))


def _setting(scene: Scene, name: str, default: int) -> int:
    table = scene.table
    value = None if table is None else table.view.settings.get(name)
    return value if isinstance(value, int) and value > 0 else default
