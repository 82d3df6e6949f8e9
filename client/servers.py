"""`dobon servers`: what is on the LAN. A line for each server, or JSON."""

import argparse
import json
import sys

import trio

from protocol.text import columns, pad

from .discovery import DiscoveryError, FoundServer, browse
from .i18n import Translate

SECONDS = (0.1, 60.0)


def add_arguments(parser: argparse.ArgumentParser, _: Translate) -> None:
    parser.add_argument(
        "--seconds",
        type=_seconds,
        default=2.0,
        metavar="N",
        help=_("how long to wait for answers (default: 2)"),
    )
    parser.add_argument("--json", action="store_true", help=_("print JSON, for programs"))


def run(args: argparse.Namespace, _: Translate) -> int:
    try:
        found = trio.run(browse, args.seconds)
    except DiscoveryError as error:
        sys.stderr.write(
            _("This machine can't look for servers ({reason}).").format(reason=_(str(error))) + "\n"
        )
        return 1
    if args.json:
        json.dump([as_data(server) for server in found], sys.stdout, ensure_ascii=False, indent=2)
        sys.stdout.write("\n")
    elif found:
        sys.stdout.write(table(found, _))
    else:
        sys.stderr.write(
            _("No server answered. If there is one, join it by the code or the address that it shows.") + "\n"
        )
    return 0


def as_data(server: FoundServer) -> dict[str, object]:
    """What `--json` prints of a server; `host` and `port` are those to try first."""
    first = server.addresses[0]
    return {
        "name": server.name,
        "host": first.host,
        "port": first.port,
        "code": server.code,
        "players": server.players,
        "version": server.version,
        "tls": server.fingerprint,
        "addresses": [str(address) for address in server.addresses],
    }


def table(servers: tuple[FoundServer, ...], _: Translate) -> str:
    """Lines of name, code, address and number of players, each column as wide as it needs to be."""
    rows = [(_("name"), _("code"), _("address"), _("players"))]
    for server in servers:
        players = "?" if server.players is None else str(server.players)
        rows.append((server.name, server.code or "-", str(server.addresses[0]), players))
    widths = [max(map(columns, column)) for column in zip(*rows, strict=True)]
    lines = ("  ".join(map(pad, row, widths)).rstrip() for row in rows)
    return "\n".join(lines) + "\n"


def _seconds(text: str) -> float:
    value = float(text)
    if not SECONDS[0] <= value <= SECONDS[1]:
        raise argparse.ArgumentTypeError(f"{SECONDS[0]} … {SECONDS[1]}")
    return value
