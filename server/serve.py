"""`dobon serve`: the server as a process."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from ipaddress import ip_address
from typing import NamedTuple

import structlog
import trio

from protocol.joincode import BadCode, encode
from protocol.messages import VERSIONS
from protocol.text import BadText
from protocol.trouble import Translate, system_reason

from .admin import Admin
from .bans import BadBans, Bans
from .certificate import Identity, NoCertificate, identity
from .config import SERVER, Config
from .core import Core
from .discovery import Advert, Announcer, local_addresses
from .folder import kept_at
from .harvest import Harvester
from .journal_schema import BadJournal
from .keeping import Keeping, open_store, sentence
from .limits import open_files
from .logs import configure, written_aside
from .metrics import Metrics, NoMetrics
from .notify import notify
from .options import BadStart, add_arguments, config_of
from .thinker import WorkerThinker
from .transport import SocketListener, SocketTransport

__all__ = ["add_arguments", "run", "serve"]

ANNOUNCE_EVERY = 5
"""Seconds between two looks at how many are connected, for the announcement."""

_log = structlog.get_logger("serve")


class Beside(NamedTuple):
    """What a server has beside the game."""

    secured: Identity | None
    metrics: Metrics | None
    bans: Bans
    keeping: Keeping


def run(args: argparse.Namespace, _: Translate) -> int:
    """Serve until SIGTERM or SIGINT. 1 where the port or a file can't be had, 2 for a name that won't do."""
    configure()
    try:
        config = _fitted(config_of(args, _))
        secured = identity(kept_at(config.data), _) if config.require_tls else None
        transport = SocketTransport("read" if config.arrival == "read" else None)
        listeners = _listen(transport, config.host, config.port, _)
        metrics = None if config.metrics is None else Metrics(*config.metrics, _)
        bans = Bans(kept_at(config.data))
        keeping = Keeping(open_store(config, transport.offset, _), not config.alone, _)
        beside = Beside(secured, metrics, bans, keeping)
        _warn(config, listeners, _)
        with written_aside():
            trio.run(serve, config, transport, listeners, partial(_announce_lines, secured, _), beside)
    except (BadStart, NoCertificate, NoMetrics) as bad:
        sys.stderr.write(f"{bad}\n")
        return 1
    except BadJournal as bad:
        sys.stderr.write(sentence(bad, _) + "\n")
        return 1
    except BadBans as bad:
        said = _("{path} is no list of bans: mend it, or remove it.")
        sys.stderr.write(said.format(path=bad.path) + "\n")
        return 1
    except BadText as bad:
        sys.stderr.write(_("The server can't be called that: {reason}.").format(reason=bad) + "\n")
        return 2
    return 0


async def serve(
    config: Config,
    transport: SocketTransport,
    listeners: list[SocketListener],
    ready: Callable[[list[SocketListener]], None],
    beside: Beside,
) -> None:
    """Serve on these listeners; ``ready`` is called once connections are accepted."""
    harvester: Harvester
    thinker = WorkerThinker()
    keeping = beside.keeping
    core = Core(config, keeping.journal, thinker, transport.now, transport.clock, lambda: harvester.wake())
    core.visitors.bans = beside.bans
    secured, most = beside.secured, config.limits.connections + config.limits.lingering
    harvester = Harvester(transport, core, None if secured is None else secured.context, most)
    keeping.resume(core, transport.now())
    for listener in listeners:
        harvester.listen(listener)
    announcer = _announcer(config, listeners, secured)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(keeping.run, core)
        stop = partial(_stop, core, harvester, keeping)
        await nursery.start(_await_signals, stop, nursery.cancel_scope)
        if config.lifeline:
            nursery.start_soon(_await_lifeline)
        nursery.start_soon(thinker.run)
        if config.admin:
            await nursery.start(Admin(core, harvester, config.name).serve, kept_at(config.data))
        if beside.metrics is not None:
            await nursery.start(beside.metrics.serve, core, harvester)
        ready(listeners)
        notify("READY=1")
        if announcer is not None:
            announcer.start()
            nursery.start_soon(_tell_players, announcer, core)
        await harvester.run()
        await keeping.finish()
        nursery.cancel_scope.cancel()
    if announcer is not None:
        await trio.to_thread.run_sync(announcer.close, abandon_on_cancel=True)
    transport.close()
    keeping.close()
    _log.info("stopped")


async def _await_lifeline() -> None:
    """End as by SIGTERM when whoever holds the other end of standard input is gone."""
    while await trio.to_thread.run_sync(os.read, sys.stdin.fileno(), 1024, abandon_on_cancel=True):
        pass
    signal.raise_signal(signal.SIGTERM)


async def _await_signals(
    stop: Callable[[], Awaitable[None]],
    all_of_it: trio.CancelScope,
    task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
) -> None:
    """At the first signal the server ends in good order, at the second it ends at once."""
    with trio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        task_status.started()
        number = await anext(signals)
        notify("STOPPING=1")
        _log.info("stopping", signal=signal.Signals(number).name)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(stop)
            await anext(signals)
            _log.warning("stopping at once")
            all_of_it.cancel()


async def _stop(core: Core, harvester: Harvester, keeping: Keeping) -> None:
    harvester.close_doors()
    await keeping.say_goodbye(core)
    harvester.finish()


def _fitted(config: Config) -> Config:
    """As many connections as the system has files for."""
    files = open_files()
    if files is None:
        return config
    limits = config.limits.fitted(files)
    if limits != config.limits:
        _log.warning("few_files", files=files, connections=limits.connections)
    return replace(config, limits=limits)


def _listen(transport: SocketTransport, host: str | None, port: int, _: Translate) -> list[SocketListener]:
    try:
        return transport.listen(host, port)
    except OSError as error:
        raise BadStart(
            _("Port {port} can't be had: {reason}.").format(port=port, reason=system_reason(error, _))
        ) from None


def _warn(config: Config, listeners: list[SocketListener], _: Translate) -> None:
    """Say what the one who starts it should know."""
    if config.seed is not None:
        sys.stderr.write(_("EVERY SECRET FOLLOWS FROM --seed: anybody can foresee all cards.") + "\n")
    within = all(ip_address(listener.host.partition("%")[0]).is_loopback for listener in listeners)
    if not config.require_tls and not within:
        sys.stderr.write(_("Without --tls whoever listens on the network can read all hands.") + "\n")
    sys.stderr.flush()


def _announcer(config: Config, listeners: list[SocketListener], secured: Identity | None) -> Announcer | None:
    if not config.discovery:
        return None
    hosts = tuple(listener.host for listener in listeners)
    fingerprint = None if secured is None else secured.fingerprint
    advert = Advert(config.name, listeners[0].port, hosts, VERSIONS[0], SERVER, fingerprint)
    return Announcer(advert, lambda event, problem: _log.warning(event, problem=problem))


async def _tell_players(announcer: Announcer, core: Core) -> None:
    told = 0
    while True:
        await trio.sleep(ANNOUNCE_EVERY)
        if core.visitors.players() != told:
            told = core.visitors.players()
            announcer.players(told)


def _announce_lines(secured: Identity | None, _: Translate, listeners: list[SocketListener]) -> None:
    """Print where the server can be reached, the likeliest address first, and its certificate."""
    port = listeners[0].port
    listening = tuple(listener.host for listener in listeners)
    hosts = local_addresses(listening) or ["127.0.0.1"]
    for host in hosts:
        sys.stdout.write(f"listening on {_address(host, port)}{_code(host, port)}\n")
    if secured is not None:
        sys.stdout.write(f"fingerprint {secured.fingerprint}\n")
    sys.stdout.flush()
    if sys.stderr.isatty():
        where = _code(hosts[0], port).removeprefix(" code ") or _address(hosts[0], port)
        said = _(
            "Everybody joins with “dobon join {where}”, you too, in another window. Ctrl-C ends the server."
        )
        sys.stderr.write(said.format(where=where) + "\n")


def _address(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _code(host: str, port: int) -> str:
    try:
        return f" code {encode(host, port)}"
    except BadCode:
        return ""
