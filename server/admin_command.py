"""`dobon admin`: the host looks after a running server, from the machine that it runs on."""

from __future__ import annotations

import argparse
import json
import os
import socket
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from protocol.text import columns, harmless, pad
from protocol.trouble import Translate

from .folder import ADMIN_SOCKET, kept_at

Answer = dict[str, Any]

PATIENCE: Final = 10
"""Seconds for the server to answer."""
FAILURE: Final = 1
UNREACHABLE: Final = 69
NOT_ALLOWED: Final = 77


def add_arguments(parser: argparse.ArgumentParser, _: Translate) -> None:
    _add_common(parser, _, os.environ.get("DOBON_DATA"), False)
    # also behind the deed; suppressed, as a default there would overwrite what was said before it
    common = argparse.ArgumentParser(add_help=False)
    _add_common(common, _, argparse.SUPPRESS, argparse.SUPPRESS)
    deeds = parser.add_subparsers(dest="do", metavar=_("COMMAND"), title=_("commands"), required=True)
    add = partial(deeds.add_parser, parents=[common])
    add("list", help=_("who is here, and the tables"))
    who = _("a name, or # and the number from list")
    add("kick", help=_("send somebody away")).add_argument("who", metavar=_("WHO"), help=who)
    for name, summary in (
        ("ban", _("send somebody away for good, by name or address")),
        ("unban", _("lift a ban")),
    ):
        banned = _("a name, an address, or a network such as 192.0.2.0/24")
        add(name, help=summary).add_argument("who", metavar=_("WHO"), help=banned)
    add("bans", help=_("list the bans"))
    close = add("close", help=_("close a table"))
    close.add_argument("table", type=int, metavar="N", help=_("its number"))
    announce = add("announce", help=_("say something at every table"))
    announce.add_argument("text", metavar=_("TEXT"), help=_("what is said"))
    shutdown = add("shutdown", help=_("end the server, at once or in some minutes"))
    shutdown.add_argument(
        "minutes", type=_minutes(_), nargs="?", default=0, metavar="N", help=_("in how many")
    )
    shutdown.add_argument("--cancel", action="store_true", help=_("not after all"))


def _add_common(parser: argparse.ArgumentParser, _: Translate, data: str | None, as_json: bool | str) -> None:
    parser.add_argument(
        "--data", default=data, metavar=_("FOLDER"), help=_("where the server keeps its matches")
    )
    parser.add_argument("--json", action="store_true", default=as_json, help=_("print JSON, for programs"))


def run(args: argparse.Namespace, _: Translate) -> int:
    """0, or 1 where it can't be done, 69 where no server runs, 77 where it is not ours to do."""
    path = kept_at(args.data) / ADMIN_SOCKET
    try:
        answer = _ask(str(path), _request(args, _))
    except PermissionError:
        sys.stderr.write(_("Only whoever started the server may do that.") + "\n")
        return NOT_ALLOWED
    except (OSError, ValueError):
        sys.stderr.write(_("No server answers at {path}.").format(path=path) + "\n")
        return UNREACHABLE
    if "error" in answer:
        said = _refusal(args.do, str(answer["error"]), str(answer.get("message", "")), _)
        sys.stderr.write(harmless(said) + "\n")
        return FAILURE
    if args.json:
        sys.stdout.write(json.dumps(answer["ok"], ensure_ascii=False, indent=2) + "\n")
    else:
        sys.stdout.writelines(line + "\n" for line in _lines(args.do, answer["ok"], _))
    return 0


def _request(args: argparse.Namespace, _: Translate) -> Answer:
    match args.do:
        case "kick" | "ban" | "unban":
            return {"do": args.do, "who": args.who}
        case "close":
            return {"do": "close", "table": args.table}
        case "announce":
            return {"do": "announce", "text": args.text}
        case "shutdown" if args.cancel:
            return {"do": "shutdown", "minutes": None}
        case "shutdown":
            text = _("The server shuts down in {minutes} min.").format(minutes=args.minutes)
            last = _("The server shuts down in {minutes} min.").format(minutes=1)
            return {"do": "shutdown", "minutes": args.minutes, "text": text, "last": last}
        case _:
            return {"do": args.do}


def _ask(path: str, request: Answer) -> Answer:
    """The server's answer. Raises OSError, or ValueError for what is no answer."""
    if not hasattr(socket, "AF_UNIX"):
        raise OSError("this system has no local sockets")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as sock:
        sock.settimeout(PATIENCE)
        sock.connect(path)
        sock.sendall(json.dumps(request).encode() + b"\n")
        said = bytearray()
        while data := sock.recv(65536):
            said += data
    answer = json.loads(said)
    if not isinstance(answer, dict) or not ("ok" in answer or "error" in answer):
        raise ValueError("that is no answer")
    return answer


def _refusal(do: str, code: str, message: str, _: Translate) -> str:
    match code:
        case "unknown" if do == "close":
            return _("There is no such table.")
        case "unknown":
            return _("There is nothing and nobody of that name.")
        case "text":
            return _("That can't be said: {reason}.").format(reason=message)
        case "unkept":
            return _("The list of bans can't be written: {reason}.").format(reason=_(message))
        case _:
            return _("The server could not do it: {reason}.").format(reason=message)


def _lines(do: str, answer: Any, _: Translate) -> list[str]:
    match do:
        case "list":
            return _listing(answer, _)
        case "bans" | "unban":
            return [harmless(who) for who in (*answer["names"], *answer["addresses"])]
        case "kick" | "ban":
            return [_("{name} was sent away.").format(name=harmless(name)) for name in answer["kicked"]]
        case "shutdown" if not answer:
            return [_("The server goes on.")]
        case "shutdown":
            return [_("The server shuts down in {minutes} min.").format(minutes=answer["minutes"])]
        case _:
            return []


def _listing(answer: Answer, _: Translate) -> list[str]:
    people = [("#", _("name"), _("address"), _("tables"))]
    for player in answer["players"]:
        tables = " ".join(map(str, player["tables"]))
        people.append((f"#{player['player']}", player["name"], player["address"] or "-", tables or "-"))
    rows = [(_("table"), _("name"), _("state"), _("seats"), _("spectators"))]
    words = {"open": _("open"), "playing": _("playing"), "over": _("over")}
    for table in answer["tables"]:
        seats = ", ".join(seat["name"] or "-" for seat in table["seats"])
        phase = words.get(table["phase"], table["phase"])
        rows.append((str(table["table"]), table["name"], phase, seats, str(table["spectators"])))
    return [*_columns(people), "", *_columns(rows)]


def _columns(rows: Sequence[Sequence[str]]) -> list[str]:
    shown = [tuple(map(harmless, row)) for row in rows]
    widths = [max(map(columns, column)) for column in zip(*shown, strict=True)]
    return ["  ".join(map(pad, row, widths)).rstrip() for row in shown]


def _minutes(_: Translate) -> Callable[[str], int]:
    def parse(text: str) -> int:
        if not (text.isascii() and text.isdigit()):
            raise argparse.ArgumentTypeError(_("minutes are a whole number"))
        return int(text)

    return parse
