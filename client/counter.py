"""Finds out when the player's Dobon return is asked for.

With `claims: all` the discarder is asked once the claims of the others are in: when their time is over, or
before that, once all of them have waived (rules, section 7). No event tells, so that nobody learns who waived
when; only a fresh view shows it. Every front end asks for views meanwhile, a few in a second.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Final

import trio

from protocol.messages import Sync

from .knowledge import counter_to_come
from .model import Table
from .session import NotConnected, Over, Session

LOOK: Final = 0.3
"""Seconds from one view to the next: few beside the shortest claim time, a second."""


class CounterWatch:
    """Of one session; its looks are tasks of the nursery."""

    def __init__(self, session: Session, nursery: trio.Nursery) -> None:
        self._session = session
        self._nursery = nursery
        self._table: Table | None = None
        self._looking = False

    def follow(self, table: Table | None) -> None:
        """To be told after every message which table is shown, and how it stands."""
        self._table = table
        if not self._looking and table is not None and counter_to_come(table.view):
            self._looking = True
            self._nursery.start_soon(self._look)

    async def _look(self) -> None:
        """Ask for one view; with what comes of that `follow` is called again."""
        await trio.sleep(LOOK)
        self._looking = False
        table = self._table
        if table is not None and counter_to_come(table.view):
            with suppress(NotConnected, Over):
                self._session.post(Sync(table=table.id))
