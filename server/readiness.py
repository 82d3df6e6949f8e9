"""Which sockets are ready, asked without waiting; and, where the system allows, one descriptor to wait on."""

import select
import selectors
import socket
from typing import Any, Final, Protocol

READ: Final = 1
WRITE: Final = 2


class Readiness(Protocol):
    """`descriptor` becomes readable when anything watched is ready; None where there is no such thing."""

    descriptor: int | None

    def watch(self, sock: socket.socket, key: Any, events: int) -> None:
        """Watch for READ, WRITE or both, under the name `key`; 0 forgets the socket."""

    def look(self) -> list[tuple[Any, int]]:
        """Every key that is ready, and for what. What stays unread is told again at the next look."""

    def close(self) -> None:
        """Give back what the system lent."""


class EpollReadiness:
    """Linux."""

    def __init__(self) -> None:
        self._epoll = select.epoll()
        self._watched: dict[int, tuple[Any, int]] = {}
        self.descriptor: int | None = self._epoll.fileno()

    def watch(self, sock: socket.socket, key: Any, events: int) -> None:
        descriptor = sock.fileno()
        known = descriptor in self._watched
        mask = (select.EPOLLIN if events & READ else 0) | (select.EPOLLOUT if events & WRITE else 0)
        if not events:
            if known:
                self._epoll.unregister(descriptor)
                del self._watched[descriptor]
            return
        if known:
            self._epoll.modify(descriptor, mask)
        else:
            self._epoll.register(descriptor, mask)
        self._watched[descriptor] = (key, events)

    def look(self) -> list[tuple[Any, int]]:
        watched = self._watched
        ready = []
        # Left alone, poll tells of 1,023 events at most, and the rest would be read too late.
        for descriptor, mask in self._epoll.poll(0, max(1, len(watched))):
            key, events = watched[descriptor]
            if mask & (select.EPOLLHUP | select.EPOLLERR):
                ready.append((key, events))
            else:
                ready.append((key, (mask & select.EPOLLIN and READ) | (mask & select.EPOLLOUT and WRITE)))
        return ready

    def close(self) -> None:
        self._epoll.close()


class SelectorReadiness:
    """Any other system: what its best selector can do (kqueue on macOS and BSD, select on Windows)."""

    def __init__(self, selector: selectors.BaseSelector | None = None) -> None:
        self._selector = selector or selectors.DefaultSelector()
        self.descriptor: int | None = self._selector.fileno() if hasattr(self._selector, "fileno") else None

    def watch(self, sock: socket.socket, key: Any, events: int) -> None:
        mask = (selectors.EVENT_READ if events & READ else 0) | (
            selectors.EVENT_WRITE if events & WRITE else 0
        )
        known = sock.fileno() in self._selector.get_map()
        if not events:
            if known:
                self._selector.unregister(sock)
        elif known:
            self._selector.modify(sock, mask, key)
        else:
            self._selector.register(sock, mask, key)

    def look(self) -> list[tuple[Any, int]]:
        ready = []
        for key, mask in self._selector.select(0) if self._selector.get_map() else ():
            events = (READ if mask & selectors.EVENT_READ else 0) | (
                WRITE if mask & selectors.EVENT_WRITE else 0
            )
            ready.append((key.data, events))
        return ready

    def close(self) -> None:
        self._selector.close()


def open_readiness() -> Readiness:
    """The best that this system has."""
    return EpollReadiness() if hasattr(select, "epoll") else SelectorReadiness()
