"""Who may not come in: names and addresses, kept in a file of the data folder."""

from __future__ import annotations

import json
import os
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from pathlib import Path
from typing import Final

from protocol.text import name_key

from .limits import host_of

FILE: Final = "bans.json"

Network = IPv4Network | IPv6Network


class BadBans(Exception):
    """The file can't be read as a list of bans; `path` is it."""

    def __init__(self, path: Path) -> None:
        super().__init__(str(path))
        self.path = path


class Bans:
    """A set of names, compared as the server compares names, and of networks."""

    def __init__(self, folder: Path | None = None) -> None:
        """Those kept in this folder; with None nothing is kept. Raises BadBans."""
        self._path = None if folder is None else folder / FILE
        self._names: dict[str, str] = {}
        self._networks: set[Network] = set()
        if self._path is not None and self._path.exists():
            self._read(self._path)

    def names(self, name: str) -> bool:
        """Whether this name is banned."""
        return name_key(name) in self._names

    def holds(self, address: str) -> bool:
        """Whether a peer's address is banned."""
        if not self._networks:
            return False
        try:
            ip = ip_address(host_of(address))
        except ValueError:
            return False
        return any(ip in network for network in self._networks)

    def add(self, who: str) -> None:
        """Ban an address or a network if it is one, else a name. Raises OSError if it can't be kept."""
        network = _network(who)
        if network is None:
            self._names[name_key(who)] = who
        else:
            self._networks.add(network)
        self._write()

    def remove(self, who: str) -> bool:
        """Lift a ban; False if there is none. Raises OSError if that can't be kept."""
        network = _network(who)
        if network in self._networks:
            self._networks.discard(network)
        elif self._names.pop(name_key(who), None) is None:
            return False
        self._write()
        return True

    def to_data(self) -> dict[str, list[str]]:
        return {"names": sorted(self._names.values()), "addresses": sorted(map(str, self._networks))}

    def _read(self, path: Path) -> None:
        try:
            data = json.loads(path.read_text("utf-8"))
            self._names = {name_key(name): name for name in data["names"]}
            self._networks = {ip_network(text) for text in data["addresses"]}
        except (OSError, ValueError, TypeError, KeyError):
            raise BadBans(path) from None

    def _write(self) -> None:
        if self._path is None:
            return
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        new = self._path.with_suffix(".new")
        new.unlink(missing_ok=True)
        # Names and addresses are nobody else's to read, whatever folder it is.
        with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(json.dumps(self.to_data(), ensure_ascii=False, indent=1) + "\n")
        os.replace(new, self._path)


def _network(text: str) -> Network | None:
    try:
        return ip_network(text.strip(), strict=False)
    except ValueError:
        return None
