"""Which certificate a server showed the first time: pinned then, and demanded ever after.

A server on a LAN has made its certificate itself and nobody vouches for it. Whoever is in the middle at the
very first time is not noticed; afterwards nobody can come between. The file has a line for each server, its
address and the fingerprint; of several for one address the first counts. People remove lines themselves.
"""

from __future__ import annotations

import contextlib
import os
import re
from pathlib import Path
from typing import Final

from protocol.joincode import Address

from .tokens import state_path

FILE: Final = "servers"
_LINE: Final = re.compile(r"(\S+) ([0-9a-f]{64})")


class Doubt(Exception):
    """The server is not who it was. `shown` is None where it does not encrypt any more."""

    def __init__(self, address: Address, known: str, shown: str | None, file: Path) -> None:
        super().__init__(str(address))
        self.address, self.known, self.shown, self.file = address, known, shown, file


class Pins:
    """The fingerprints of servers, SHA-256 in hex, by address. What the disk does is no reason to fail."""

    def __init__(self, folder: Path | None = None, told: str | None = None) -> None:
        """`told` is the fingerprint that the network announces: as good as none, but better than nothing."""
        self.file = (folder or state_path()) / FILE
        self._told = told
        self._kept: dict[str, str] = {}
        self.new: str | None = None
        """The fingerprint that was seen, and pinned, for the first time."""

    def known(self, address: Address) -> str | None:
        """The fingerprint that this server has to show; None if any will do."""
        return self._pinned().get(str(address), self._told)

    def check(self, address: Address, shown: str | None) -> None:
        """Take what a server shows, None for no encryption, and remember the first. Raises Doubt."""
        known = self.known(address)
        if known is not None and known != shown:
            raise Doubt(address, known, shown, self.file)
        if shown is not None and str(address) not in self._pinned():
            self._kept[str(address)] = self.new = shown
            with contextlib.suppress(OSError):
                self._append(f"{address} {shown}\n")

    def _pinned(self) -> dict[str, str]:
        pinned: dict[str, str] = {}
        with contextlib.suppress(OSError, UnicodeDecodeError):
            for line in self.file.read_text("utf-8").splitlines():
                if (found := _LINE.fullmatch(line.strip())) is not None:
                    pinned.setdefault(found[1], found[2])
        return self._kept | pinned

    def _append(self, line: str) -> None:
        self.file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        # One write at the end of the file: another client that pins at the same time loses nothing.
        descriptor = os.open(self.file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(descriptor, line.encode("utf-8"))
        finally:
            os.close(descriptor)
