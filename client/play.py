"""`dobon play`: alone against bots, on a server of one's own that lives as long as the game."""

from __future__ import annotations

import argparse
import contextlib
import queue
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator

from engine.rules import PRESETS, BadRules, Rules, parse_rule
from protocol.joincode import Address
from protocol.messages import Create

from .command import Exit
from .front import BadStart, add_player_arguments, player, refuse, start
from .goal import Goal
from .plain_help import LEVELS
from .rules_fields import refusal

Translate = Callable[[str], str]

HOST = "127.0.0.1"
PATIENCE = 20
"""Seconds that the server has to begin, and then to end."""


def add_arguments(parser: argparse.ArgumentParser, _: Translate) -> None:
    parser.add_argument("--seats", type=int, default=4, metavar="N", help=_("you and the bots (default: 4)"))
    parser.add_argument(
        "--level", choices=LEVELS, default="normal", help=_("how well the bots play (default: normal)")
    )
    parser.add_argument(
        "--rules", choices=tuple(PRESETS), default="dobon", help=_("which game (default: dobon)")
    )
    parser.add_argument(
        "--rule",
        action="append",
        default=[],
        metavar="FIELD=VALUE",
        help=_("with this field changed; can be given several times"),
    )
    parser.add_argument(
        "--seed",
        metavar="HEX",
        help=_("for tests: every secret follows from this, anybody can foresee all cards"),
    )
    add_player_arguments(parser, _)


def run(args: argparse.Namespace, _: Translate) -> int:
    """2 for a command line that won't do, 1 where no server can be started; else the front end's code."""
    try:
        name, _named, settings = player(args, _)
        create = _table(args, _)
    except BadStart as problem:
        return refuse(problem)
    try:
        with own_server(args.seed, _) as address:
            goal = Goal((address,), str(address), name, create=create, keep=False)
            return start(goal, args, settings, _)
    except BadStart as problem:
        sys.stderr.write(f"{problem}\n")
        return Exit.FAILURE


def _table(args: argparse.Namespace, _: Translate) -> Create:
    try:
        rules = {"preset": args.rules, **dict(map(parse_rule, args.rule))}
        Rules.from_data(rules, seats=args.seats)
    except BadRules as problem:
        raise BadStart(refusal(problem, _)) from None
    return Create(rules=rules, seats=args.seats, bots=[args.level] * (args.seats - 1))


@contextlib.contextmanager
def own_server(seed: str | None, _: Translate) -> Iterator[Address]:
    """A server on a free loopback port, for as long as the block runs. Raises BadStart if it won't begin."""
    command = [sys.executable, "-m", "server", "--host", HOST, "--port", "0", "--no-discovery", "--no-admin"]
    command += ["--alone", "--lifeline"]
    with tempfile.TemporaryFile() as complaints:
        process = subprocess.Popen(
            command + ([] if seed is None else ["--seed", seed]),
            # held by us alone: the server ends when we do, even if we are killed
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=complaints,
            # Ctrl-C is for the player, not for the server
            start_new_session=True,
        )
        try:
            line = _first_line(process)
            if not line.startswith("listening on "):
                process.kill()
                process.wait()
                complaints.seek(0)
                said = complaints.read().decode("utf-8", "replace").strip().splitlines() or ["?"]
                raise BadStart(_("The server does not start: {reason}").format(reason=said[-1]))
            host, _colon, port = line.split()[2].rpartition(":")
            yield Address(host, int(port))
        finally:
            _end(process)


def _first_line(process: subprocess.Popen[bytes]) -> str:
    """The server's first line; empty if it ends or says nothing."""
    said: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    assert process.stdout is not None
    threading.Thread(target=lambda: said.put(process.stdout.readline()), daemon=True).start()  # type: ignore[union-attr]
    try:
        return said.get(timeout=PATIENCE).decode("ascii", "replace")
    except queue.Empty:
        return ""


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()
