"""A server in memory, on trio's clock, and callers who speak to it in plain maps: what most tests need."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest
import trio

from engine.cards import parse_card
from engine.events import Event, RoundBegun
from engine.match import Match
from engine.round import Round
from engine.state import Phase
from protocol.frame import SERVER_DEPTH, SERVER_LIMIT, FrameReader, decode_payload, encode_frame
from server.bot_seat import InlineThinker, Thinker
from server.config import Config
from server.core import Core
from server.harvest import Harvester
from server.memory import Client, Network
from server.record import NoRecord, Record

Message = dict[str, Any]


class Caller:
    """A connection to the server. `heard` has everything that came, in order."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.heard: list[Message] = []
        self.raw: list[tuple[float, bytes]] = []
        """What came, piece by piece, and when."""
        self.closed = False
        self.answers_pings = True
        self.player = 0
        self.token = ""
        self.table = 0
        self._reader = FrameReader(SERVER_LIMIT)
        self._last_id = 0
        self._taken = 0
        self._stirred = trio.Event()

    def send(self, arrival: int | None = None, **message: Any) -> None:
        self.client.send(encode_frame(message), arrival)

    def request(self, t: str, arrival: int | None = None, **fields: Any) -> int:
        """Send a request, about the caller's table where the request is about one, and return its id."""
        self._last_id += 1
        if t not in ("tables", "create"):
            fields = {"table": self.table, **fields}
        self.send(arrival, t=t, id=self._last_id, **fields)
        return self._last_id

    async def listen(self) -> None:
        """Take in what comes, until the server hangs up."""
        while data := await self.client.receive():
            self.raw.append((trio.current_time(), data))
            self._reader.feed(data)
            for payload in self._reader.frames():
                message = decode_payload(payload, SERVER_DEPTH)
                self.heard.append(message)
                if message["t"] == "ping" and self.answers_pings:
                    self.send(t="pong", n=message["n"])
            self._stir()
        self.closed = True
        self._stir()

    async def end(self) -> None:
        """Wait until the server has hung up."""
        while not self.closed:
            await self._stirred.wait()

    def _stir(self) -> None:
        self._stirred.set()
        self._stirred = trio.Event()

    async def next(self, **wanted: Any) -> Message:
        """The next message that has these values; what comes before it is passed over."""
        with trio.move_on_after(3600):
            while True:
                while self._taken < len(self.heard):
                    message = self.heard[self._taken]
                    self._taken += 1
                    if all(message.get(key) == value for key, value in wanted.items()):
                        return message
                if self.closed:
                    break
                await self._stirred.wait()
        raise AssertionError(f"{wanted} never came; the last was {self.heard[-1:]}")

    async def ask(self, t: str, **fields: Any) -> Message:
        """Send a request and wait for its answer."""
        return await self.next(re=self.request(t, **fields))

    async def event(self, ev: str, **wanted: Any) -> Message:
        return await self.next(t="event", ev=ev, **wanted)

    def last(self, ev: str) -> Message:
        """The last such event so far."""
        return next(m for m in reversed(self.heard) if m.get("ev") == ev)

    def events(self) -> list[Message]:
        return [message for message in self.heard if message["t"] == "event"]


class World:
    """The server's parts, and how to knock at it."""

    def __init__(self, network: Network, core: Core, harvester: Harvester, nursery: trio.Nursery) -> None:
        self.network = network
        self.nursery = nursery
        self.core = core
        self.harvester = harvester

    def dial(self) -> Caller:
        caller = Caller(self.network.connect())
        self.nursery.start_soon(caller.listen)
        return caller

    async def hello(self, name: str, **fields: Any) -> Caller:
        """A caller with a session."""
        caller = self.dial()
        caller.send(t="hello", versions=[1], name=name, agent="test", **fields)
        welcome = await caller.next(t="welcome")
        caller.player, caller.token = welcome["player"], welcome["token"]
        return caller

    async def resume(self, caller: Caller) -> Caller:
        """The same session over a new connection."""
        again = await self.hello("x", token=caller.token)
        again.table, again._last_id = caller.table, caller._last_id
        return again

    async def table(self, names: Sequence[str], **fields: Any) -> list[Caller]:
        """Callers seated in this order at a new table that has as many seats."""
        fields = {"seats": len(names) + len(fields.get("bots", [])), **fields}
        callers = [await self.hello(name) for name in names]
        host = callers[0]
        host.table = (await host.ask("create", **fields))["table"]
        for caller in callers[1:]:
            caller.table = host.table
            await caller.ask("join")
        for caller in callers:
            await caller.next(t="view")
        return callers

    async def watcher(self, name: str, table: int) -> Caller:
        caller = await self.hello(name)
        caller.table = table
        await caller.ask("watch")
        await caller.next(t="view")
        return caller


@asynccontextmanager
async def world(
    config: Config | None = None,
    thinker: Thinker | None = None,
    record: Record | None = None,
    clock: Any = "kernel",
    context: ssl.SSLContext | None = None,
) -> AsyncIterator[World]:
    """A running server; it is stopped at the end."""
    network = Network(clock)
    harvester: Harvester
    core = Core(
        config or Config(),
        record or NoRecord(),
        thinker or InlineThinker(),
        network.now,
        network.clock,
        lambda: harvester.wake(),
    )
    harvester = Harvester(network, core, context)
    harvester.listen(network.listener)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(harvester.run)
        yield World(network, core, harvester, nursery)
        nursery.cancel_scope.cancel()


async def begin(callers: Sequence[Caller]) -> None:
    """Start a match and be ready for its first round."""
    await callers[0].ask("start")
    for caller in callers:
        match = await caller.event("match")
        await caller.ask("ready", on=match["seq"])
    for caller in callers:
        await caller.event("round")


def arrange(
    monkeypatch: pytest.MonkeyPatch,
    hands: Sequence[str],
    top: str,
    stock: str = "2S 3S 4S 5S 6S",
    turn: int = 0,
    phase: Phase = Phase.TURN,
    starter: int = 0,
) -> None:
    """Let every round begin in this position; cards are separated by spaces."""

    def deal(self: Match, seed: bytes, log: list[Event] | None = None) -> Round:
        held = [[parse_card(text) for text in hand.split()] for hand in hands]
        pile = [parse_card(text) for text in top.split()]
        rest = [parse_card(text) for text in stock.split()]
        number = self.finished + 1
        events: list[Event] = [] if log is None else log
        round = Round.setup(
            self.rules, held, pile, rest, phase=phase, turn=turn, starter=starter, seed=seed, log=None
        )
        round.number = number
        round.log = events
        begun = tuple(map(tuple, held))
        events.append(RoundBegun(number, starter, pile[-1], (), begun, tuple(map(len, held)), len(rest)))
        if phase is Phase.OPENING:
            round._begin_opening()
        else:
            round.turn = 0
            round._begin_turn(turn)
        return round

    monkeypatch.setattr(Match, "deal", deal)
