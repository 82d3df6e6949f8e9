"""A server for tests of the session: says and hears what it is told to, through protocol/."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import trio
from trio.testing import memory_stream_pair

from protocol.frame import CLIENT_LIMIT, FrameReader, decode_payload, encode_frame

WELCOME: dict[str, Any] = {
    "t": "welcome",
    "version": 1,
    "server": "fake/1",
    "player": 17,
    "token": "secret",
    "resumed": False,
    "last_id": 0,
    "clock": "read",
    "seeded": False,
    "heartbeat": 10_000,
    "limits": {"frame": 4096, "rate": 20, "burst": 40, "unsent": 262144, "name": 16, "chat": 200},
}
VIEW: dict[str, Any] = {
    "t": "view",
    "table": 3,
    "seq": 5,
    "at": 1000,
    "you": 0,
    "name": "Kitchen",
    "host": {"seat": 0, "name": "Haru"},
    "rules": {},
    "settings": {"turn_time": 30_000},
    "paused": False,
    "spectators": [],
    "seats": [{"seat": 0, "name": "Haru", "kind": "human"}, {"seat": 1, "name": None, "kind": "empty"}],
    "phase": "open",
}


class Peer:
    """The server's end of one connection."""

    def __init__(self, stream: trio.abc.Stream) -> None:
        self.stream = stream
        self._reader = FrameReader(CLIENT_LIMIT)
        self._heard: list[dict[str, Any]] = []

    async def speaks(self) -> bool:
        """Whether the other end begins with the protocol, and not with TLS."""
        first = await self.stream.receive_some(1)
        self._reader.feed(bytes(first))
        return first == b"\x00"

    async def hear(self) -> dict[str, Any]:
        """The next message, pings and pongs too; an empty map at the end."""
        while not self._heard:
            data = await self.stream.receive_some(65536)
            if not data:
                return {}
            self._reader.feed(bytes(data))
            self._heard += map(decode_payload, self._reader.frames())
        return self._heard.pop(0)

    async def say(self, *messages: Mapping[str, Any]) -> None:
        """Messages in one piece."""
        await self.stream.send_all(b"".join(map(encode_frame, messages)))

    async def greet(self, **changes: Any) -> dict[str, Any]:
        """Hear the hello, and welcome whoever says it."""
        hello = await self.hear()
        await self.say({**WELCOME, **changes})
        return hello


def event(seq: int, ev: str = "paused", **fields: Any) -> dict[str, Any]:
    return {"t": "event", "table": 3, "seq": seq, "at": 1000 + seq, "ev": ev, **({"on": True} | fields)}


Script = Callable[[Peer], Awaitable[None]]


@asynccontextmanager
async def listening(script: Script) -> AsyncIterator[str]:
    """A server for processes: it plays the script to everybody. Its address."""

    async def serve(stream: trio.SocketStream) -> None:
        peer = Peer(stream)
        try:
            if await peer.speaks():  # who is offered TLS comes again without
                await script(peer)
        except trio.BrokenResourceError:
            pass

    async with trio.open_nursery() as nursery:
        (listener,) = await nursery.start(partial(trio.serve_tcp, serve, host="127.0.0.1"), 0)
        yield f"127.0.0.1:{listener.socket.getsockname()[1]}"
        nursery.cancel_scope.cancel()


class FakeServer:
    """Plays one script for each connection, in order; `dial` is what the session is given.

    A script's end closes the connection. None stands for a server that can't be reached.
    """

    def __init__(self, nursery: trio.Nursery, *scripts: Script | None) -> None:
        self.scripts = list(scripts)
        self.dialled: list[float] = []
        self._nursery = nursery

    async def dial(self) -> trio.abc.Stream:
        self.dialled.append(trio.current_time())
        script = self.scripts.pop(0) if self.scripts else None
        if script is None:
            raise OSError("refused")
        client, server = memory_stream_pair()
        self._nursery.start_soon(self._play, script, server)
        return client

    async def _play(self, script: Script, stream: trio.abc.Stream) -> None:
        try:
            await script(Peer(stream))
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            return
        finally:
            await trio.aclose_forcefully(stream)
