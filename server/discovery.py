"""Tells the LAN that the server is there: DNS-SD, service type `_dobon._tcp.local.`.

The service's TXT record holds `name`, `version` (the protocol's), `agent`, `players` (how many are connected)
and, where the server speaks TLS, `tls`: the SHA-256 of its certificate in hex. zeroconf is slow to import,
slow to register and may fail in as many ways as there are networks, so all of it happens in a thread of its
own, after the server listens. What fails there is logged and changes nothing else.
"""

import logging
import queue
import threading
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import ip_address
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from zeroconf import ServiceInfo

SERVICE: Final = "_dobon._tcp.local."
LABEL_BYTES: Final = 50  # of the 63 that DNS allows a label; the rest is for ` (2)` and the like

Log = Callable[[str, str], object]  # an event's name and what went wrong


@dataclass(frozen=True, slots=True)
class Advert:
    """What is announced: a clean name, and the numeric addresses that are listened on, wildcards too."""

    name: str
    port: int
    hosts: tuple[str, ...]
    version: int
    agent: str
    fingerprint: str | None = None


class Announcer:
    """Keeps one advert on the network from `start` till `close`. No method raises or waits for the network,
    but `close`, for at most two seconds: call it through `trio.to_thread.run_sync`."""

    def __init__(self, advert: Advert, log: Log) -> None:
        self._advert = advert
        self._log = log
        self._counts: queue.SimpleQueue[int | None] = queue.SimpleQueue()  # None: withdraw
        self._thread = threading.Thread(target=self._run, name="discovery", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def players(self, count: int) -> None:
        """Announces another number of players; of several in short order, the last."""
        self._counts.put(count)

    def close(self) -> None:
        """Withdraws the advert, so that nobody sees a server that has gone."""
        self._counts.put(None)
        if self._thread.is_alive():
            self._thread.join(2)

    def _run(self) -> None:
        try:
            self._announce()
        except Exception as error:  # whatever it is, the game goes on without it
            self._log("discovery_failed", f"{type(error).__name__}: {error}")

    def _announce(self) -> None:
        from zeroconf import IPVersion, NonUniqueNameException, Zeroconf

        # where nobody has set up logging, zeroconf's warnings would land on stderr
        logging.getLogger("zeroconf").addHandler(logging.NullHandler())
        hosts = self._advert.hosts
        local = all(ip_address(host.partition("%")[0]).is_loopback for host in hosts)
        addresses = local_addresses(hosts)
        if local:  # an address that is of no use elsewhere is not told elsewhere
            zeroconf = Zeroconf(interfaces=["127.0.0.1"], use_asyncio=False)
        else:
            try:
                zeroconf = Zeroconf(ip_version=IPVersion.All, use_asyncio=False)
            except (OSError, RuntimeError):  # no IPv6 here
                zeroconf = Zeroconf(ip_version=IPVersion.V4Only, use_asyncio=False)
        try:
            server = f"dobon-{uuid.uuid4().hex[:12]}.local."
            info = self._info(self._advert.name, server, addresses, 0)
            try:
                zeroconf.register_service(info, allow_name_change=True)
            except NonUniqueNameException:  # the library gives up after a few names
                info = self._info(f"{self._advert.name} {server[6:18]}", server, addresses, 0)
                zeroconf.register_service(info)
            label = info.name.removesuffix("." + SERVICE)
            while (count := self._next_count()) is not None:
                zeroconf.update_service(self._info(label, server, addresses, count))
        finally:
            zeroconf.close()  # says goodbye for what is registered

    def _next_count(self) -> int | None:
        count = self._counts.get()
        while count is not None and not self._counts.empty():
            count = self._counts.get()
        return count

    def _info(self, label: str, server: str, addresses: list[str], players: int) -> "ServiceInfo":
        from zeroconf import ServiceInfo

        advert = self._advert
        properties = {
            "name": advert.name,
            "version": str(advert.version),
            "agent": advert.agent,
            "players": str(players),
        }
        if advert.fingerprint:
            properties["tls"] = advert.fingerprint
        label = label.encode()[:LABEL_BYTES].decode("utf-8", "ignore")
        return ServiceInfo(
            SERVICE,
            f"{label}.{SERVICE}",
            port=advert.port,
            parsed_addresses=addresses,
            properties=properties,
            server=server,
        )


def local_addresses(hosts: tuple[str, ...]) -> list[str]:
    """`hosts` with the wildcards `0.0.0.0` and `::` replaced by this machine's own addresses, those that
    other machines can use: no loopback, no IPv6 link-local ones. IPv4 first."""
    found: list[str] = []
    for host in hosts:
        if ip_address(host.partition("%")[0]).is_unspecified:
            found += _own_addresses(6 if ":" in host else 4)
        else:
            found.append(host)
    return sorted(dict.fromkeys(found), key=lambda address: ":" in address)


def _own_addresses(version: int) -> list[str]:
    import ifaddr

    found: list[str] = []
    for adapter in ifaddr.get_adapters():
        for ip in adapter.ips:
            text = ip.ip if isinstance(ip.ip, str) else ip.ip[0]
            address = ip_address(text)
            if address.is_loopback or (address.version == 6 and address.is_link_local):
                continue
            if address.version == version:
                found.append(text)
    return found
