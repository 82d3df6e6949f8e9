"""Where connections come in: the listeners, and when they are left alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import structlog

from .readiness import READ
from .transport import Link, Listener, NoRoom, Transport

_AT_ONCE: Final = 128
"""Most that are admitted at a time: who connects without end must not keep the others from being read."""
_PAUSE: Final = 250_000_000
_LOG_EVERY: Final = 1_000_000_000

_log = structlog.get_logger("harvest")


class Entrance:
    """The listening sockets of a harvester. Moments are int ns.

    With `most` connections open, those being closed among them, the others are left in the system's queue:
    files and sockets that are no player's need descriptors too.
    """

    def __init__(self, transport: Transport, most: int | None) -> None:
        self.again: int | None = None
        """When connections are accepted again, where there was no room for them."""
        self._transport = transport
        self._most = most
        self._listeners: list[Listener] = []
        self._logged: int | None = None

    def listen(self, listener: Listener) -> None:
        """Accept what comes in there."""
        self._listeners.append(listener)
        self._transport.add(listener)

    def close(self) -> None:
        """Accept nobody any more."""
        for listener in self._listeners:
            self._transport.drop(listener)
        self._listeners.clear()
        self.again = None

    def admit(self, source: Link | Listener, inside: int, moment: int) -> Iterator[Link]:
        """Those who wait at `source`, if it is a listener, while there is room beside the `inside`."""
        listener = next((known for known in self._listeners if known is source), None)
        if listener is None:
            return None
        for _ in range(_AT_ONCE):
            if self._most is not None and inside >= self._most:
                return self._pause("as many connections as are wanted", inside, moment)
            try:
                link = listener.accept()
            except BlockingIOError:
                return None
            except NoRoom as error:
                return self._pause(str(error), inside, moment)
            inside += 1
            yield link
        return None

    def reopen(self, moment: int) -> None:
        """Accept again if it is time."""
        if self.again is not None and self.again <= moment:
            self.again = None
            for listener in self._listeners:
                self._transport.watch(listener, READ)

    def _pause(self, why: str, inside: int, moment: int) -> None:
        """Serve who is there, and leave the queue alone for a while: it would be ready at every look."""
        for listener in self._listeners:
            self._transport.watch(listener, 0)
        self.again = moment + _PAUSE
        if self._logged is None or moment - self._logged >= _LOG_EVERY:
            self._logged = moment
            _log.warning("accept_paused", why=why, connections=inside)
