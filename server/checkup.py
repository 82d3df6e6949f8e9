"""What `dobon doctor` finds out of a machine's network and of its data folder."""

from __future__ import annotations

import errno
import os
import shutil
import socket
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final, NamedTuple

from protocol.joincode import DEFAULT_PORT, BadCode, encode
from protocol.trouble import Translate, system_reason

from .discovery import local_addresses
from .journal import RESERVE
from .journal_schema import SUFFIX, BadJournal, open_to_read
from .keeping import sentence
from .statistics import collect

GROUP: Final = "224.0.0.251"
"""Where DNS-SD speaks."""
PATIENCE: Final = 1.0
"""Seconds that a datagram has to come round."""


class Finding(NamedTuple):
    """One thing that was looked at: whether all is well, and one sentence with what to do if not."""

    what: str
    is_fine: bool
    said: str


def network(_: Translate, port: int = DEFAULT_PORT) -> Iterator[Finding]:
    """Addresses with their join codes, the port, multicast."""
    addresses = local_addresses(("0.0.0.0",))
    what = _("addresses")
    if addresses:
        texts = [_with_code(address, port, _) for address in addresses]
        said = _("Others reach a server here at {addresses}.").format(addresses=", ".join(texts))
        yield Finding(what, True, said)
    else:
        yield Finding(what, False, _("This machine has no address but its own: connect it to a network."))
    yield Finding(_("port"), *_port(port, _))
    if comes_round(GROUP):
        yield Finding(_("multicast"), True, _("Servers on this network can be found by themselves."))
    else:
        yield Finding(
            _("multicast"),
            False,
            _("Multicast does not come through: join by code or address, or allow UDP port 5353."),
        )


def _with_code(address: str, port: int, _: Translate) -> str:
    try:
        return _("{address} (code {code})").format(address=address, code=encode(address, port))
    except BadCode:
        return address


def _port(port: int, _: Translate) -> tuple[bool, str]:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as knocker:
        if os.name == "posix":
            knocker.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            knocker.bind(("", port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                said = _("Port {port} is in use, by a server of yours perhaps; another one needs --port.")
                return False, said.format(port=port)
            said = _("Port {port} can't be had ({reason}): give the server another with --port.")
            return False, said.format(port=port, reason=system_reason(error, _))
    return True, _("Port {port} is free for a server.").format(port=port)


def comes_round(group: str, patience: float = PATIENCE) -> bool:
    """Whether a datagram sent to a multicast group comes back to this machine."""
    word = os.urandom(16)
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver:
            receiver.bind(("", 0))
            member = socket.inet_aton(group) + socket.inet_aton("0.0.0.0")
            receiver.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, member)
            receiver.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 1)
            receiver.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_LOOP, 1)
            receiver.settimeout(patience)
            receiver.sendto(word, (group, receiver.getsockname()[1]))
            return receiver.recv(64) == word
    except OSError:
        return False


def data(folder: Path, _: Translate) -> Iterator[Finding]:
    """Whether the folder can be written to, has room, and holds sound journals."""
    what = _("data folder")
    there = next(each for each in (folder, *folder.absolute().parents) if each.exists())
    if not there.is_dir() or not os.access(there, os.W_OK):
        said = _("{path} can't be written to: choose another folder with --data.")
        yield Finding(what, False, said.format(path=folder))
        return
    yield Finding(what, True, _("Matches are kept in {path}.").format(path=folder))
    free = shutil.disk_usage(there).free
    if free < RESERVE:
        said = _("There are {free} MiB left for {path}: make room, or no match is begun.")
    else:
        said = _("There are {free} MiB left for {path}.")
    yield Finding(_("space"), free >= RESERVE, said.format(free=free >> 20, path=folder))
    journals = sorted(folder.glob("*" + SUFFIX))
    if not journals:
        yield Finding(_("journal"), True, _("Nothing is kept yet."))
    for path in journals:
        yield Finding(_("journal"), *_journal(path, _))
    if damaged := collect(folder)["damaged"]:
        said = _("Damaged matches: {count}; the others are not touched by it.")
        yield Finding(_("matches"), False, said.format(count=damaged))


def _journal(path: Path, _: Translate) -> tuple[bool, str]:
    try:
        with closing(open_to_read(path)) as connection:
            (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
            (count,) = connection.execute("SELECT count(*) FROM match").fetchone()
    except BadJournal as bad:
        return False, sentence(bad, _)
    except sqlite3.Error as error:
        return False, sentence(BadJournal("damaged", path, str(error)), _)
    if verdict != "ok":
        return False, sentence(BadJournal("damaged", path, str(verdict).splitlines()[0]), _)
    return True, _("{path} is sound (matches: {count}).").format(path=path, count=count)
