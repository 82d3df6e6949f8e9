"""A server in this process on real sockets, for tests that arrange the cards."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import trio

from server.bot_seat import InlineThinker
from server.config import Config
from server.core import Core
from server.harvest import Harvester
from server.record import NoRecord
from server.transport import SocketTransport


@asynccontextmanager
async def listening(
    config: Config | None = None, context: ssl.SSLContext | None = None
) -> AsyncIterator[tuple[str, int]]:
    """Serve on a free port of the loopback; where."""
    transport = SocketTransport()
    harvester: Harvester
    core = Core(
        config or Config(),
        NoRecord(),
        InlineThinker(),
        transport.now,
        transport.clock,
        lambda: harvester.wake(),
    )
    harvester = Harvester(transport, core, context)
    (listener,) = transport.listen("127.0.0.1", 0)
    harvester.listen(listener)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(harvester.run)
        yield listener.host, listener.port
        nursery.cancel_scope.cancel()
    transport.close()
