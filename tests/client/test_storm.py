"""Hundreds of clients that lose their server in the same moment: they don't come back in the same moment."""

from __future__ import annotations

import random
from collections import Counter

import trio
from trio.testing import MockClock

from client.dial import LAST_RETRY
from client.session import AGENT, open_session
from protocol.connection import ClientConnection
from protocol.messages import Welcome
from tests.client.fake_server import FakeServer, Peer, Script

CLIENTS = 400
DOWN = 300
"""Seconds for which there is no server."""


class Crowd:
    """Clients of one server, which goes away and comes back; when who dialled, and when who was in again."""

    def __init__(self) -> None:
        self.gone = trio.Event()
        self.dialled: list[float] = []
        self.back: list[float] = []
        self.here = 0
        self.all_here = trio.Event()

    async def come(self, chance: random.Random) -> None:
        """One client, till it is back."""
        async with trio.open_nursery() as nursery:
            server = FakeServer(nursery)

            async def dial() -> trio.abc.Stream:
                now = trio.current_time()
                if server.dialled:
                    self.dialled.append(now - self.began)
                server.scripts = [] if self.is_down(now) else [self._script(bool(server.dialled))]
                return await server.dial()

            connection = ClientConnection("Haru", AGENT)
            async with open_session(dial, connection, jitter=chance.random) as session:
                welcomes = 0
                async for message in session.messages():
                    if isinstance(message, Welcome):
                        welcomes += 1
                        if welcomes == 2:
                            break
                        self._is_here()
            self.back.append(trio.current_time() - self.began - DOWN)
            nursery.cancel_scope.cancel()

    def is_down(self, now: float) -> bool:
        return self.gone.is_set() and now < self.began + DOWN

    def _is_here(self) -> None:
        self.here += 1
        if self.here == CLIENTS:
            self.began = trio.current_time()
            self.gone.set()

    def _script(self, again: bool) -> Script:
        async def script(peer: Peer) -> None:
            await peer.greet(resumed=again)
            await self.gone.wait()
            if again:
                await trio.sleep_forever()

        return script


async def test_hundreds_come_back_spread(autojump_clock: MockClock) -> None:
    crowd, chance = Crowd(), random.Random(11)
    async with trio.open_nursery() as nursery:
        for _ in range(CLIENTS):
            nursery.start_soon(crowd.come, random.Random(chance.random()))
    assert len(crowd.back) == CLIENTS
    assert max(crowd.back) < LAST_RETRY / 1000 + 1
    seconds = Counter(int(when) for when in crowd.dialled)
    # The first seconds are those of the short waits; from then on no second is busier than another.
    later = [seconds[second] for second in range(30, DOWN)]
    mean = sum(later) / len(later)
    assert max(later) < 2 * mean
    assert min(later) > mean / 2
    assert max(seconds.values()) <= 2.5 * CLIENTS, "not even in the first"
    # They fill the time in which they come back, too.
    returns = Counter(int(when) for when in crowd.back)
    assert max(returns.values()) < 3 * CLIENTS / (LAST_RETRY / 1000)
