"""How tasks beside the harvester have something done: in its turn, between two decisions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

import structlog
import trio

if TYPE_CHECKING:
    from .core import Core
    from .harvest import Harvester

T = TypeVar("T")

_log = structlog.get_logger("turn")


async def in_turn(core: Core, harvester: Harvester, do: Callable[[], T]) -> T | None:
    """What ``do`` returned, called by the harvester; None where it failed, which is logged."""
    done = trio.Event()
    result: T | None = None

    def turn(moment: int) -> None:
        nonlocal result
        try:
            result = do()
        except Exception:
            _log.exception("fault")
        finally:
            done.set()

    core.timers.set(harvester.now(), turn)
    harvester.wake()
    await done.wait()
    return result
