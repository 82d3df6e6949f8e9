"""Finds the servers of the LAN by DNS-SD (`_dobon._tcp.local.`).

Everything found was said by strangers: names are made harmless here, numbers are checked, and what makes no
sense is left out.
"""

import logging
import queue
import re
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from ipaddress import IPv4Interface, IPv6Interface, ip_address, ip_interface
from typing import TYPE_CHECKING, Final

import trio

from protocol.joincode import Address, BadCode, encode
from protocol.text import clip, harmless
from protocol.trouble import system_reason

if TYPE_CHECKING:
    from zeroconf import ServiceStateChange, Zeroconf

SERVICE: Final = "_dobon._tcp.local."
NAME_COLUMNS: Final = 32
MOST: Final = 200  # servers shown; somebody who announces thousands fills no memory and no screen


class DiscoveryError(Exception):
    """This machine can't browse: no network, no multicast socket. `str()` is the reason, to be translated."""


@dataclass(frozen=True, slots=True)
class FoundServer:
    """A server of the LAN. `addresses` has the one to try first first; what was not told is None."""

    name: str
    addresses: tuple[Address, ...]
    version: int | None
    players: int | None
    fingerprint: str | None
    """SHA-256 of the certificate in hex, where the server speaks TLS."""

    @property
    def code(self) -> str | None:
        """The join code of the first address that has one."""
        for address in self.addresses:
            try:
                return encode(*address)
            except BadCode:
                continue
        return None


async def browse(
    seconds: float, report: Callable[[tuple[FoundServer, ...]], None] | None = None
) -> tuple[FoundServer, ...]:
    """The servers that answer within `seconds` (`math.inf`: till cancelled), by name.

    `report` is called in trio's thread with the list so far whenever it changes. Raises DiscoveryError.
    """
    search = _Search()
    try:
        await trio.to_thread.run_sync(search.run, seconds, report, abandon_on_cancel=True)
    finally:
        search.stop()
    return search.servers()


class _Search:
    """One look round: services by their name, filled by zeroconf's threads."""

    def __init__(self) -> None:
        self._services: dict[str, FoundServer] = {}
        self._changes: queue.SimpleQueue[bool] = queue.SimpleQueue()  # False: stop

    def stop(self) -> None:
        self._changes.put(False)

    def servers(self) -> tuple[FoundServer, ...]:
        return merged(self._services.copy().values(), own_networks())

    def run(self, seconds: float, report: Callable[[tuple[FoundServer, ...]], None] | None) -> None:
        """Browses; a thread's work. The sockets are closed when it returns."""
        try:
            zeroconf = _open()
        except OSError as error:
            raise DiscoveryError(system_reason(error)) from error
        except Exception as error:
            raise DiscoveryError(f"{type(error).__name__}: {error}") from error
        try:
            from zeroconf import ServiceBrowser

            ServiceBrowser(zeroconf, SERVICE, handlers=[self._changed])
            end = time.monotonic() + seconds
            while (left := end - time.monotonic()) > 0:
                try:
                    if not self._changes.get(timeout=min(left, threading.TIMEOUT_MAX)):
                        return
                except queue.Empty:
                    return
                if report is not None:
                    trio.from_thread.run_sync(report, self.servers())
        finally:
            zeroconf.close()

    def _changed(
        self, zeroconf: "Zeroconf", service_type: str, name: str, state_change: "ServiceStateChange"
    ) -> None:
        from zeroconf import ServiceStateChange

        if state_change is ServiceStateChange.Removed:
            self._services.pop(name, None)
        elif name in self._services or len(self._services) < MOST:
            info = zeroconf.get_service_info(service_type, name, timeout=1000)
            if info is None:
                return
            label = info.name.removesuffix("." + SERVICE)
            server = server_of(label, info.port, info.parsed_scoped_addresses(), info.properties)
            if server is None:
                return
            self._services[name] = server
        self._changes.put(True)


def server_of(
    label: str, port: int | None, hosts: Iterable[str], properties: Mapping[bytes, bytes | None]
) -> FoundServer | None:
    """A server from its records, or None if nobody could connect to it."""
    told = {
        key.decode("utf-8", "replace"): (value or b"").decode("utf-8", "replace")
        for key, value in properties.items()
    }
    addresses = tuple(Address(host, port) for host in hosts if port and _is_host(host))
    if not addresses:
        return None
    fingerprint = told.get("tls", "").lower()
    return FoundServer(
        name=clip(harmless(told.get("name") or label), NAME_COLUMNS),
        addresses=addresses,
        version=_number(told.get("version")),
        players=_number(told.get("players")),
        fingerprint=fingerprint if re.fullmatch("[0-9a-f]{64}", fingerprint) else None,
    )


def merged(
    servers: Iterable[FoundServer], networks: Iterable[IPv4Interface | IPv6Interface]
) -> tuple[FoundServer, ...]:
    """Each server once, by name, its addresses in the order to try them. Services that share an address and
    a port are one server, started again, say, while its old advert is still about: the last one counts."""
    order = _Order(networks)
    found: list[FoundServer] = []
    taken: set[Address] = set()
    for server in reversed(tuple(servers)):
        if taken.isdisjoint(server.addresses):
            found.append(replace(server, addresses=tuple(sorted(server.addresses, key=order.rank))))
        taken.update(server.addresses)
    return tuple(sorted(found, key=lambda server: (server.name.casefold(), server.addresses)))


class _Order:
    """Which address of a server is the likeliest to lead to it, seen from this machine."""

    def __init__(self, networks: Iterable[IPv4Interface | IPv6Interface]) -> None:
        self._networks = tuple(networks)

    def rank(self, address: Address) -> tuple[int, bool]:
        """A neighbour's first; one that is also ours last: it may well be a bridge that every machine has."""
        host = ip_address(address.host)
        if any(host == network.ip for network in self._networks):
            place = 2
        elif any(host in network.network for network in self._networks):
            place = 0
        else:
            place = 1
        return place, host.version == 6


def own_networks() -> list[IPv4Interface | IPv6Interface]:
    """The addresses of this machine, with their networks."""
    import ifaddr

    networks: list[IPv4Interface | IPv6Interface] = []
    for adapter in ifaddr.get_adapters():
        for ip in adapter.ips:
            host = ip.ip if isinstance(ip.ip, str) else ip.ip[0]
            networks.append(ip_interface(f"{host}/{ip.network_prefix}"))
    return networks


def _open() -> "Zeroconf":
    from zeroconf import IPVersion, Zeroconf

    # where nobody has set up logging, zeroconf's warnings would land on the screen
    logging.getLogger("zeroconf").addHandler(logging.NullHandler())
    try:
        return Zeroconf(ip_version=IPVersion.All, use_asyncio=False)
    except (OSError, RuntimeError):  # no IPv6 here
        return Zeroconf(ip_version=IPVersion.V4Only, use_asyncio=False)


def _is_host(text: str) -> bool:
    try:
        return not ip_address(text).is_unspecified
    except ValueError:
        return False


def _number(text: str | None) -> int | None:
    return int(text) if text and re.fullmatch("[0-9]{1,6}", text) else None
