"""How much is let in: connections, sessions, tables and spectators, and guesses at passwords.

Everything is refused before it costs anything: over a limit a newcomer is told `server_full`, and those who
are there play on undisturbed. An address counts as one however many ports it calls from; an IPv6 address
counts with the whole of its /64, which one customer has.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass, replace
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Final

from .settings import SECOND

if sys.platform != "win32":
    import resource

MOST_TABLES: Final = 350
"""The most tables a server can be set to: the longest list of them has to fit in one frame."""
MOST_SPECTATORS: Final = 3000
"""The most spectators, connected or not, that a table can have: a view with all their names is one frame."""
OTHER_FILES: Final = 48
"""Descriptors for all that is no player's connection: listeners, logs, data, bots, discovery."""
GUESSES: Final = 20
"""Wrong passwords that an address may send at once."""
GUESS_EVERY: Final = 5 * SECOND
"""After that, one in this time."""
LOCKS: Final = 40
"""Tables with a password that an address may make at once: to hash a password takes some ms."""
LOCK_EVERY: Final = SECOND // 2
"""After that, one in this time."""
_MOST_ADDRESSES: Final = 10_000


@dataclass(frozen=True, slots=True)
class Limits:
    """The most of each. ``far`` is for one address that is neither this machine's nor a private network's:
    enough for a class behind a router of its own."""

    connections: int = 5000
    far: int = 100
    sessions: int = 10_000
    tables: int = 300
    spectators: int = 1000
    """At one table."""

    @property
    def near(self) -> int:
        """For one address of this machine or of a private network: nearly everything, but never the last
        places."""
        return max(1, self.connections - self.connections // 10)

    def sessions_from(self, key: str) -> int:
        """The most sessions that were begun from one address."""
        return self.sessions - self.sessions // 10 if is_near(key) else 4 * self.far

    def tables_from(self, key: str) -> int:
        """The most tables that were made from one address."""
        most = max(1, self.tables - self.tables // 10)
        return most if is_near(key) else min(most, max(1, self.far // 2))

    @property
    def lingering(self) -> int:
        """Connections beside those that are in: told that the server is full, or over, and being closed."""
        return max(4, min(64, self.connections // 4))

    def fitted(self, descriptors: int) -> Limits:
        """These limits where the process may have so many files open."""
        room = max(5, (descriptors - OTHER_FILES) * 4 // 5)
        return replace(self, connections=min(self.connections, room))


def host_of(address: str) -> str:
    """The host of a peer's `address`, which has a port."""
    host, _, _ = address.rpartition(":")
    return host.strip("[]").partition("%")[0]


def key_of(address: str) -> str:
    """What a peer's address counts as: its host, or the /64 of an IPv6 one."""
    host = host_of(address)
    try:
        ip = ip_address(host)
    except ValueError:
        return host
    return host if ip.version == 4 or _close(ip) else str(IPv6Address(int(ip) >> 64 << 64))


def is_near(key: str) -> bool:
    """Whether a key of `key_of` is this machine's or a private network's; what is no address is near."""
    try:
        return _close(ip_address(key))
    except ValueError:
        return True


def _close(ip: IPv4Address | IPv6Address) -> bool:
    return ip.is_loopback or ip.is_private or ip.is_link_local


def open_files() -> int | None:
    """How many files this process may have open, after asking for as many as the system allows; None where
    there is no such limit."""
    if sys.platform == "win32":
        return None
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
            soft = hard
        except (OSError, ValueError):
            pass
    return None if soft == resource.RLIM_INFINITY else soft


class Doors:
    """Who is in, counted by address."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._connections: Counter[str] = Counter()
        self._sessions: Counter[str] = Counter()
        self._began: dict[int, str] = {}

    @property
    def connections(self) -> int:
        return self._connections.total()

    def enter(self, address: str) -> bool:
        """Count a connection; False if there is no room for it. It has to be counted out in either case."""
        key = key_of(address)
        self._connections[key] += 1
        most = self._limits.near if is_near(key) else self._limits.far
        return self._connections[key] <= most and self.connections <= self._limits.connections

    def leave(self, address: str) -> None:
        """Count out a connection."""
        _less(self._connections, key_of(address))

    def may_begin(self, address: str, sessions: int) -> bool:
        """Whether another session may begin there, while the server has so many."""
        key = key_of(address)
        return sessions < self._limits.sessions and self._sessions[key] < self._limits.sessions_from(key)

    def begin(self, address: str, player: int) -> None:
        """Count a session that began there."""
        key = self._began[player] = key_of(address)
        self._sessions[key] += 1

    def end(self, player: int) -> None:
        """Count out a session, if it was counted: one that a record kept was not."""
        key = self._began.pop(player, None)
        if key is not None:
            _less(self._sessions, key)


def _less(counts: Counter[str], key: str) -> None:
    counts[key] -= 1
    if not counts[key]:
        del counts[key]


class Allowance:
    """So many of something at once from each address, then one in a time. Moments are of any steady clock.

    Of wrong passwords it is `GUESSES`; the right ones cost nothing.
    """

    def __init__(self, most: int = GUESSES, every: int = GUESS_EVERY) -> None:
        """``every`` in ns."""
        self._most, self._every = most, every
        self._whole_at: dict[str, int] = {}
        """When an address has all of it again; the least recently used first."""

    def allows(self, address: str, moment: int) -> bool:
        """Whether there is one left."""
        whole_at = self._whole_at.get(key_of(address), moment)
        return whole_at - moment <= (self._most - 1) * self._every

    def use(self, address: str, moment: int) -> None:
        """One was used."""
        key = key_of(address)
        whole_at = max(self._whole_at.pop(key, moment), moment) + self._every
        while self._whole_at:
            first = next(iter(self._whole_at))
            if self._whole_at[first] > moment and len(self._whole_at) < _MOST_ADDRESSES:
                break
            del self._whole_at[first]
        self._whole_at[key] = whole_at
