"""Every message of the protocol as a type, and the way from a decoded map to it and back.

The key `t` (and `ev` of an event) picks the type from a table. A client's map that does not fit is a
`RequestError`, which is answered; a server's that does not fit is a `FrameError`: the client cannot
go on with such a server.
"""

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from msgspec import Struct

from .codes import CODES, ErrorCode, FrameError, RequestError
from .events import EVENT_TYPES, Closed, Envelope, Event, LastRound, RoundOver
from .fields import Misfit, fit, plain
from .frame import INT_LIMIT
from .replies import OK_TYPES, Error, Ok, OkCreate, OkJoin, OkRules, OkTables, Reply, View, Welcome
from .requests import (
    REQUEST_TYPES,
    Act,
    AtTable,
    Bot,
    Chat,
    ClientMessage,
    Create,
    Dobon,
    Draw,
    Hello,
    Join,
    Kick,
    Leave,
    Pass,
    Pause,
    Ping,
    Play,
    Pong,
    Ready,
    Request,
    Rps,
    SetRules,
    Start,
    Sync,
    Tables,
    Waive,
    Watch,
)

VERSIONS: Final = (1,)
"""The versions of the protocol that this package speaks, best first."""


class _Offer(Struct, frozen=True, kw_only=True):
    """Of a hello what is judged first: one of another version may differ in all the rest."""

    versions: list[int]


class Unknown(Envelope, frozen=True, kw_only=True):
    """An event of a kind that this version does not have: its seq counts, nothing else."""


ServerMessage: TypeAlias = Reply | Event | Unknown | Ping | Pong

_FIRST: Final[dict[str, type[Hello | Ping | Pong]]] = {"hello": Hello, "ping": Ping, "pong": Pong}
_REPLIES: Final[dict[str, type[Welcome | Error | View | Ping | Pong]]] = {
    "welcome": Welcome,
    "error": Error,
    "view": View,
    "ping": Ping,
    "pong": Pong,
}


def request_id(data: Mapping[str, Any]) -> int | None:
    """The `id` of a map from a client if it is a valid one, else None."""
    value = data.get("id")
    return value if type(value) is int and 1 <= value <= INT_LIMIT else None


def parse_request(data: Mapping[str, Any]) -> ClientMessage:
    """A client's map as a hello, ping, pong or request.

    Raises RequestError: `bad_request` with the field, `unknown_type`, or `version` for a hello with
    none of ours. Its `re` is the request's id, if that could be read.
    """
    tag = data.get("t")
    kind = REQUEST_TYPES.get(tag) if type(tag) is str else None
    if kind is None:
        if type(tag) is str and tag in _FIRST:
            return _parse_first(data, _FIRST[tag])
        re = request_id(data)
        if type(tag) is not str:
            raise RequestError("bad_request", "t is no text", "t", re)
        raise RequestError("unknown_type", "no such request", "t", re)
    re = request_id(data)
    if re is None:
        raise RequestError("bad_request", "id is no positive int", "id")
    try:
        return fit(data, kind)
    except Misfit as misfit:
        raise RequestError("bad_request", misfit.message, misfit.field, re) from None


def _parse_first(data: Mapping[str, Any], kind: type[Hello | Ping | Pong]) -> Hello | Ping | Pong:
    try:
        if kind is Hello and choose_version(fit(data, _Offer).versions) is None:
            raise RequestError("version", "none of these versions is spoken here", "versions")
        return fit(data, kind)
    except Misfit as misfit:
        code: ErrorCode = "version" if misfit.field == "versions" else "bad_request"
        raise RequestError(code, misfit.message, misfit.field) from None


def parse_server(data: Mapping[str, Any], asked: str | None = None) -> ServerMessage | None:
    """A server's map as a message, or None for a `t` that this version does not have.

    `asked` is the `t` of the request that an `ok` answers; it says which fields the `ok` has.
    Raises FrameError `bad_frame` for a map that does not fit its type.
    """
    tag = data.get("t")
    if type(tag) is not str:
        raise FrameError("bad_frame", "t is no text")
    try:
        kind: type[Any] | None
        if tag == "event":
            kind = EVENT_TYPES.get(_ev(data), Unknown)
        elif tag == "ok":
            kind = OK_TYPES.get(asked or "", Ok)
        else:
            kind = _REPLIES.get(tag)
        message: ServerMessage | None = None if kind is None else fit(data, kind)
        return message
    except Misfit as misfit:
        raise FrameError("bad_frame", f"{tag}: {misfit.message}") from None


def _ev(data: Mapping[str, Any]) -> str:
    ev = data.get("ev")
    if type(ev) is not str:
        raise Misfit("ev", "ev is no text")
    return ev


def to_data(message: Struct) -> dict[str, Any]:
    """A message as the map that goes into `encode_frame`, with its `t`."""
    data = plain(message)
    return {"t": "event", **data} if "ev" in data else data


def choose_version(offered: list[int]) -> int | None:
    """The best version that both sides speak, or None."""
    return next((version for version in VERSIONS if version in offered), None)


__all__ = [
    "CODES",
    "EVENT_TYPES",
    "OK_TYPES",
    "REQUEST_TYPES",
    "VERSIONS",
    "Act",
    "AtTable",
    "Bot",
    "Chat",
    "ClientMessage",
    "Closed",
    "Create",
    "Dobon",
    "Draw",
    "Envelope",
    "Error",
    "ErrorCode",
    "Event",
    "FrameError",
    "Hello",
    "Join",
    "Kick",
    "LastRound",
    "Leave",
    "Ok",
    "OkCreate",
    "OkJoin",
    "OkRules",
    "OkTables",
    "Pass",
    "Pause",
    "Ping",
    "Play",
    "Pong",
    "Ready",
    "Request",
    "RequestError",
    "RoundOver",
    "Rps",
    "ServerMessage",
    "SetRules",
    "Start",
    "Sync",
    "Tables",
    "Unknown",
    "View",
    "Waive",
    "Watch",
    "Welcome",
    "choose_version",
    "parse_request",
    "parse_server",
    "request_id",
    "to_data",
]
