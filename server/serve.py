"""`dobon serve`: the server as a process."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import structlog
import trio

from protocol.joincode import DEFAULT_PORT, BadCode, encode
from protocol.messages import VERSIONS
from protocol.text import BadText, clean_table_name

from .bot_seat import InlineThinker
from .config import SERVER, Config
from .core import Core
from .discovery import Advert, Announcer, local_addresses
from .harvest import Harvester
from .logs import configure
from .record import NoRecord
from .transport import SocketListener, SocketTransport

Translate = Callable[[str], str]

ANNOUNCE_EVERY = 5
"""Seconds between two looks at how many are connected, for the announcement."""

_log = structlog.get_logger("serve")


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
        type=_port(_),
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
        "--password-file",
        default=environ.get("DOBON_PASSWORD_FILE"),
        metavar=_("FILE"),
        help=_("a file whose first line everybody who joins must know"),
    )
    parser.add_argument(
        "--no-discovery", action="store_true", help=_("don't announce the server on the network")
    )
    parser.add_argument(
        "--seed",
        type=_seed(_),
        metavar="HEX",
        help=_("for tests: every secret follows from this, anybody can foresee all cards"),
    )
    parser.add_argument(
        "--arrival",
        choices=("kernel", "read"),
        default="kernel",
        help=_("whether the kernel says when something arrived, or the moment it was read"),
    )


def run(args: argparse.Namespace, _: Translate) -> int:
    """Serve until SIGTERM or SIGINT. 1 where the port or a file can't be had, 2 for a name that won't do."""
    configure()
    try:
        config = _config(args, _)
        transport = SocketTransport("read" if config.arrival == "read" else None)
        try:
            listeners = transport.listen(config.host, config.port)
        except OSError as error:
            raise BadStart(
                _("Port {port} can't be had: {reason}.").format(
                    port=config.port, reason=error.strerror or error
                )
            ) from None
    except BadStart as bad:
        sys.stderr.write(f"{bad}\n")
        return 1
    except BadText as bad:
        sys.stderr.write(_("The server can't be called that: {reason}.").format(reason=bad) + "\n")
        return 2
    if config.seed is not None:
        sys.stderr.write(_("EVERY SECRET FOLLOWS FROM --seed: anybody can foresee all cards.") + "\n")
    trio.run(serve, config, transport, listeners, _announce_lines)
    return 0


async def serve(
    config: Config,
    transport: SocketTransport,
    listeners: list[SocketListener],
    ready: Callable[[list[SocketListener]], None],
) -> None:
    """Serve on these listeners; ``ready`` is called once connections are accepted."""
    harvester: Harvester
    core = Core(config, NoRecord(), InlineThinker(), transport.now, transport.clock, lambda: harvester.wake())
    harvester = Harvester(transport, core)
    for listener in listeners:
        harvester.listen(listener)
    announcer = _announcer(config, listeners)
    async with trio.open_nursery() as nursery:
        await nursery.start(_await_signal, core, harvester)
        ready(listeners)
        if announcer is not None:
            announcer.start()
            nursery.start_soon(_tell_players, announcer, core)
        await harvester.run()
        nursery.cancel_scope.cancel()
    if announcer is not None:
        await trio.to_thread.run_sync(announcer.close, abandon_on_cancel=True)
    transport.close()
    _log.info("stopped")


async def _await_signal(
    core: Core, harvester: Harvester, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED
) -> None:
    with trio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        task_status.started()
        async for number in signals:
            _log.info("stopping", signal=signal.Signals(number).name)
            core.visitors.shut_down(resume=False)
            harvester.finish()
            return


def _announcer(config: Config, listeners: list[SocketListener]) -> Announcer | None:
    if not config.discovery:
        return None
    hosts = tuple(listener.host for listener in listeners)
    advert = Advert(config.name, listeners[0].port, hosts, VERSIONS[0], SERVER)
    return Announcer(advert, lambda event, problem: _log.warning(event, problem=problem))


async def _tell_players(announcer: Announcer, core: Core) -> None:
    told = 0
    while True:
        await trio.sleep(ANNOUNCE_EVERY)
        if core.visitors.players() != told:
            told = core.visitors.players()
            announcer.players(told)


def _announce_lines(listeners: list[SocketListener]) -> None:
    """Print where the server can be reached, the likeliest address first."""
    port = listeners[0].port
    hosts = tuple(listener.host for listener in listeners)
    for host in local_addresses(hosts) or ["127.0.0.1"]:
        sys.stdout.write(f"listening on {_address(host, port)}{_code(host, port)}\n")
    sys.stdout.flush()


def _address(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _code(host: str, port: int) -> str:
    try:
        return f" code {encode(host, port)}"
    except BadCode:
        return ""


def _config(args: argparse.Namespace, _: Translate) -> Config:
    return Config(
        host=args.host,
        port=args.port,
        name=clean_table_name(args.name),
        password=None if args.password_file is None else _password(args.password_file, _),
        seed=args.seed,
        arrival=args.arrival,
        data=args.data,
        discovery=not args.no_discovery,
    )


def _password(path: str, _: Translate) -> str:
    try:
        lines = Path(path).read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else _("it is no text")
        raise BadStart(_("{path} can't be read: {reason}.").format(path=path, reason=reason)) from None
    if not lines or not lines[0]:
        raise BadStart(_("There is no password in {path}.").format(path=path))
    return lines[0]


def _port(_: Translate) -> Callable[[str], int]:
    def parse(text: str) -> int:
        if not (text.isascii() and text.isdigit() and int(text) <= 65535):
            raise argparse.ArgumentTypeError(_("a port is a number from 0 to 65535"))
        return int(text)

    return parse


def _seed(_: Translate) -> Callable[[str], bytes]:
    def parse(text: str) -> bytes:
        try:
            return bytes.fromhex(text)
        except ValueError:
            raise argparse.ArgumentTypeError(_("a seed is hex digits, two for each byte")) from None

    return parse
