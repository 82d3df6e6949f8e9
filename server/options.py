"""What `dobon serve` can be told, and what becomes of it: flags, else `DOBON_*` variables, else defaults."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

from protocol.joincode import DEFAULT_PORT
from protocol.text import clean_table_name
from protocol.trouble import Translate, system_reason

from .config import Config
from .limits import MOST_SPECTATORS, MOST_TABLES, Limits

_LIMITS: Final = Limits()
_YES: Final = ("1", "true", "yes", "on")


class BadStart(Exception):
    """The server can't be started so; the text is one sentence for people."""


def add_arguments(parser: argparse.ArgumentParser, _: Translate) -> None:
    """The options of `dobon serve`."""
    environ = os.environ
    parser.add_argument(
        "--host",
        default=environ.get("DOBON_HOST"),
        metavar="H",
        help=_("the address to listen on; all of this machine's if left out"),
    )
    parser.add_argument(
        "--port",
        type=_number(0, 65535, _),
        default=environ.get("DOBON_PORT", str(DEFAULT_PORT)),
        metavar="N",
        help=_("the port; 0 takes a free one (default 5213)"),
    )
    parser.add_argument(
        "--name",
        default=environ.get("DOBON_SERVER_NAME", "Dobon"),
        help=_("how the server is called on the network"),
    )
    parser.add_argument(
        "--data",
        default=environ.get("DOBON_DATA"),
        metavar=_("FOLDER"),
        help=_("where matches are kept"),
    )
    parser.add_argument(
        "--no-discovery", action="store_true", help=_("don't announce the server on the network")
    )
    parser.add_argument(
        "--seed",
        type=seed_type(_),
        metavar="HEX",
        help=_("for tests: every secret follows from this, anybody can foresee all cards"),
    )
    parser.add_argument(
        "--arrival",
        choices=("kernel", "read"),
        default="kernel",
        help=_("whether the kernel says when something arrived, or the moment it was read"),
    )
    # The server of `dobon play`: it keeps what is played, but no table outlives it.
    parser.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)
    # For who starts a server and holds the other end of its standard input: however they end, it ends too.
    parser.add_argument("--lifeline", action="store_true", help=argparse.SUPPRESS)
    _add_safety(parser, _)
    _add_limits(parser, _)


def _add_safety(parser: argparse.ArgumentParser, _: Translate) -> None:
    environ = os.environ
    parser.add_argument(
        "--password-file",
        default=environ.get("DOBON_PASSWORD_FILE"),
        metavar=_("FILE"),
        help=_("a file whose first line everybody who joins must know"),
    )
    parser.add_argument(
        "--tls",
        action="store_true",
        default=environ.get("DOBON_TLS", "").lower() in _YES,
        help=_("encrypt every connection, with a certificate that is made on the first start"),
    )
    parser.add_argument("--no-admin", action="store_true", help=_("no door for dobon admin"))
    parser.add_argument(
        "--metrics-port",
        type=_number(0, 65535, _),
        default=environ.get("DOBON_METRICS_PORT"),
        metavar="N",
        help=_("serve /metrics and /healthz on this port of the loopback address"),
    )
    parser.add_argument(
        "--metrics-host",
        default=environ.get("DOBON_METRICS_HOST", "127.0.0.1"),
        metavar="H",
        help=_("serve them on another address"),
    )


def _add_limits(parser: argparse.ArgumentParser, _: Translate) -> None:
    environ = os.environ
    parser.add_argument(
        "--connections",
        type=_number(1, 100_000, _),
        default=environ.get("DOBON_CONNECTIONS", str(_LIMITS.connections)),
        metavar="N",
        help=_("the most connections (default 5000)"),
    )
    parser.add_argument(
        "--per-address",
        type=_number(1, 100_000, _),
        default=environ.get("DOBON_PER_ADDRESS", str(_LIMITS.far)),
        metavar="N",
        help=_("the most connections from one address outside the local network (default 100)"),
    )
    parser.add_argument(
        "--tables",
        type=_number(1, MOST_TABLES, _),
        default=environ.get("DOBON_TABLES", str(_LIMITS.tables)),
        metavar="N",
        help=_("the most tables (default 300)"),
    )
    parser.add_argument(
        "--spectators",
        type=_number(0, MOST_SPECTATORS, _),
        default=environ.get("DOBON_SPECTATORS", str(_LIMITS.spectators)),
        metavar="N",
        help=_("the most spectators at a table (default 1000)"),
    )


def config_of(args: argparse.Namespace, _: Translate) -> Config:
    """What the command line says. Raises BadStart, and BadText for a name that won't do."""
    limits = Limits(
        connections=args.connections, far=args.per_address, tables=args.tables, spectators=args.spectators
    )
    return Config(
        host=args.host,
        port=args.port,
        name=clean_table_name(args.name),
        password=None if args.password_file is None else _password(args.password_file, _),
        seed=args.seed,
        arrival=args.arrival,
        data=args.data,
        discovery=not args.no_discovery,
        alone=args.alone,
        lifeline=args.lifeline,
        require_tls=args.tls,
        limits=limits,
        admin=not args.no_admin,
        metrics=None if args.metrics_port is None else (args.metrics_host, args.metrics_port),
    )


def _password(path: str, _: Translate) -> str:
    try:
        lines = Path(path).read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = system_reason(error, _) if isinstance(error, OSError) else _("it is no text")
        raise BadStart(_("{path} can't be read: {reason}.").format(path=path, reason=reason)) from None
    if not lines or not lines[0]:
        raise BadStart(_("There is no password in {path}.").format(path=path))
    return lines[0]


def _number(least: int, most: int, _: Translate) -> Callable[[str], int]:
    def parse(text: str) -> int:
        if not (text.isascii() and text.isdigit() and least <= int(text) <= most):
            said = _("a whole number from {least} to {most} is expected")
            raise argparse.ArgumentTypeError(said.format(least=least, most=most))
        return int(text)

    return parse


def seed_type(_: Translate) -> Callable[[str], bytes]:
    """For argparse: hex as bytes."""

    def parse(text: str) -> bytes:
        try:
            return bytes.fromhex(text)
        except ValueError:
            raise argparse.ArgumentTypeError(_("a seed is hex digits, two for each byte")) from None

    return parse
