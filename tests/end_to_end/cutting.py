"""A way over TCP that a test can cut, or hold up without a word."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import trio

_CHUNK = 65536


class Way:
    """Takes connections on a port of its own and carries them to a server."""

    def __init__(self, host: str, port: int) -> None:
        self._host, self._port = host, port
        self._pairs: set[tuple[trio.SocketStream, trio.SocketStream]] = set()
        self._passable = trio.Event()
        self._passable.set()
        self._closed = False
        self.address = ""

    async def carry(self, client: trio.SocketStream) -> None:
        """One connection, to the end of both ways."""
        if self._closed:
            await trio.aclose_forcefully(client)
            return
        server = await trio.open_tcp_stream(self._host, self._port)
        pair = client, server
        self._pairs.add(pair)
        async with client, server, trio.open_nursery() as nursery:
            nursery.start_soon(self._pump, client, server, nursery.cancel_scope)
            nursery.start_soon(self._pump, server, client, nursery.cancel_scope)
        self._pairs.discard(pair)

    async def _pump(
        self, source: trio.SocketStream, sink: trio.SocketStream, connection: trio.CancelScope
    ) -> None:
        try:
            while data := await source.receive_some(_CHUNK):
                await self._passable.wait()
                await sink.send_all(data)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            pass
        connection.cancel()

    async def cut(self) -> None:
        """Close every connection, and take no other till `mend`."""
        self._closed = True
        for client, server in tuple(self._pairs):
            await trio.aclose_forcefully(client)
            await trio.aclose_forcefully(server)

    def hold_up(self) -> None:
        """Let nothing through any more, and say nothing of it, till `mend`."""
        self._passable = trio.Event()

    def mend(self) -> None:
        self._closed = False
        self._passable.set()


@asynccontextmanager
async def way_to(address: str) -> AsyncIterator[Way]:
    """A way to a server at `host:port`, open for as long as the block runs."""
    host, port = address.rsplit(":", 1)
    way = Way(host, int(port))
    async with trio.open_nursery() as nursery:
        listeners = await nursery.start(trio.serve_tcp, way.carry, 0)
        way.address = f"127.0.0.1:{listeners[0].socket.getsockname()[1]}"
        yield way
        nursery.cancel_scope.cancel()
