"""`dobon join` and `dobon watch`: play, or look on, at a server somewhere."""

from __future__ import annotations

import argparse
import sys
from typing import NamedTuple

import trio

from protocol.joincode import Address, BadAddress, parse_address

from .command import Exit
from .discovery import DiscoveryError, FoundServer, browse
from .goal import Goal
from .i18n import Translate
from .options import BadStart, add_player_arguments, password, player, refuse, start
from .problems import address_problem
from .servers import table

SECONDS = 2.0
"""How long servers are looked for when none was named."""


class Where(NamedTuple):
    """A server: its addresses, what people call it, and the certificate it announces."""

    addresses: tuple[Address, ...]
    name: str
    fingerprint: str | None = None


def add_arguments(parser: argparse.ArgumentParser, _: Translate) -> None:
    parser.add_argument(
        "address",
        nargs="?",
        metavar=_("ADDRESS|CODE"),
        help=_("where the server is; left out, the one on the local network"),
    )
    parser.add_argument("--table", type=int, metavar="N", help=_("the table to go to at once"))
    parser.add_argument(
        "--password-file",
        metavar=_("FILE"),
        help=_("a file whose first line is the password of the server, or of the table"),
    )
    add_player_arguments(parser, _)


def run(args: argparse.Namespace, _: Translate) -> int:
    """2 for a command line that won't do, 69 where no server is found; else what the front end returns."""
    try:
        name, named, settings = player(args, _)
        known = password(args.password_file, _)
        where = _find(_) if args.address is None else Where(_typed(args.address, _), args.address)
    except BadStart as problem:
        return refuse(problem)
    if where is None:
        return Exit.UNREACHABLE
    goal = Goal(
        where.addresses,
        where.name,
        name,
        named=named,
        watching=args.command == "watch",
        table=args.table,
        password=known,
        fingerprint=where.fingerprint,
    )
    return start(goal, args, settings, _)


def _typed(text: str, _: Translate) -> tuple[Address, ...]:
    try:
        return parse_address(text)
    except BadAddress as problem:
        raise BadStart(address_problem(problem, _)) from None


def _find(_: Translate) -> Where | None:
    """The one server of the local network; none, with a word to the player, if there is not just one."""
    found: tuple[FoundServer, ...] = ()
    try:
        found = trio.run(browse, SECONDS)
    except DiscoveryError as problem:
        sys.stderr.write(
            _("This machine can't look for servers ({reason}).").format(reason=_(str(problem))) + "\n"
        )
    if len(found) == 1:
        return Where(found[0].addresses, found[0].name, found[0].fingerprint)
    if found:
        sys.stderr.write(table(found, _))
        sys.stderr.write(_("There are several servers: name one by its code or address.") + "\n")
    else:
        sys.stderr.write(
            _("No server answered. If there is one, join it by the code or the address that it shows.") + "\n"
        )
    return None
