"""A server that means harm: what it says before and after it has let a client in."""

from __future__ import annotations

import struct
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import msgpack  # type: ignore[import-untyped]
import trio

from protocol.frame import CLIENT_LIMIT, FrameReader, decode_payload
from tests.client.fake_server import VIEW, WELCOME

Said = bytes | Mapping[str, Any]


def raw(message: Any) -> bytes:
    """A frame of whatever msgpack can say."""
    body: bytes = msgpack.packb(message)
    return struct.pack(">I", len(body)) + body


def event(ev: str, seq: int = 6, **fields: Any) -> dict[str, Any]:
    return {"t": "event", "table": 3, "seq": seq, "at": 1001, "ev": ev, **fields}


TURN: dict[str, Any] = {
    "turn": 1,
    "seat": 0,
    "direction": 1,
    "suit": "S",
    "attack": None,
    "playable": [],
    "may": ["draw"],
}
PLAYED: dict[str, Any] = {
    "seat": 1,
    "card": "7H",
    "suit": "H",
    "discard": 1,
    "left": 3,
    "until": 2000,
    "deadline": None,
}

FIRST: dict[str, bytes] = {
    "a web server": b"HTTP/1.1 400 Bad Request\r\n\r\n",
    "an endless length": b"\xff\xff\xff\xff",
    "an empty frame": bytes(4),
    "a depth of thousands": struct.pack(">I", 5000) + b"\x91" * 5000,
    "an array of billions": struct.pack(">I", 5) + b"\xdd\xff\xff\xff\xff",
    "text that is none": struct.pack(">I", 8) + b"\x81\xa1t\xa4we\xff\xfe",
    "a float": raw({**WELCOME, "player": 1.5}),
    "no map": raw([1, 2, 3]),
    "a welcome without a token": raw({key: WELCOME[key] for key in WELCOME if key != "token"}),
    "another version than was offered": raw({**WELCOME, "version": 9}),
    "an event before the welcome": raw(event("paused", on=True)),
    "an answer to nothing": raw({"t": "ok", "re": 1}),
}
"""Instead of a welcome."""

LATER: dict[str, list[Said]] = {
    "a second welcome": [WELCOME],
    "an endless length": [b"\x7f\xff\xff\xff"],
    "a seat that is none": [VIEW, event("turn", **{**TURN, "seat": 99})],
    "a card that is none": [VIEW, event("played", **{**PLAYED, "card": "ZZ"})],
    "a time before time": [{**VIEW, "at": -5}],
    "a text for a number": [VIEW, event("played", **{**PLAYED, "left": "many"})],
    "an extension": [b"\x00\x00\x00\x03\xd4\x01\x00"],
    "a key twice": [b"\x00\x00\x00\x0b\x82\xa1t\xa4pong\xa1t\x01"],
    "a number beyond numbers": [raw({"t": "ping", "n": 2**60})],
}
"""Once a client is in."""

BORNE: dict[str, list[Said]] = {
    "an answer to nothing": [{"t": "ok", "re": 999}],
    "an event of no table": [event("paused", on=True)],
    "an event out of order": [VIEW, event("paused", seq=9, on=True)],
    "an event that came before": [VIEW, event("paused", seq=4, on=True)],
    "a message from the future": [{"t": "gift", "what": "socks"}],
    "an event from the future": [VIEW, event("gift", what="socks")],
    "an error from the future": [{"t": "error", "code": "socks", "message": "\x1b[2Jno socks"}],
}
"""What a client has to bear: it goes on."""


@asynccontextmanager
async def lying(*said: Said) -> AsyncIterator[str]:
    """A server that says this to everybody; its address."""
    async with trio.open_nursery() as nursery:
        serve = partial(trio.serve_tcp, host="127.0.0.1")
        (listener,) = await nursery.start(serve, _Liar(said).serve, 0)
        port = listener.socket.getsockname()[1]
        yield f"127.0.0.1:{port}"
        nursery.cancel_scope.cancel()


class _Liar:
    def __init__(self, said: tuple[Said, ...]) -> None:
        self._said = b"".join(each if isinstance(each, bytes) else raw(each) for each in said)

    async def serve(self, stream: trio.SocketStream) -> None:
        """Wait for the hello, say all of it, and list no tables to who asks."""
        try:
            if (await stream.receive_some(4096))[:1] == b"\x16":
                return  # it speaks no TLS
            await stream.send_all(self._said)
            reader = FrameReader(CLIENT_LIMIT)
            while data := await stream.receive_some(65536):
                reader.feed(data)
                for payload in reader.frames():
                    asked = decode_payload(payload)
                    if asked["t"] == "tables":
                        await stream.send_all(raw({"t": "ok", "re": asked["id"], "tables": []}))
        except trio.BrokenResourceError:
            pass
