"""A core that keeps what it is handed, and the harvester over the in-memory network around it."""

import ssl
from collections.abc import AsyncIterator, Callable, Hashable
from contextlib import asynccontextmanager

import trio

from protocol.frame import encode_frame
from server.arrivals import Frame
from server.harvest import Harvester
from server.memory import Client, Network
from server.peer import Peer

Entry = tuple[str, int, object]


def say(text: str, table: int = 1) -> bytes:
    """A frame that `Recorder` knows by its text."""
    return encode_frame({"say": text, "table": table})


def text_of(payload: bytes | object) -> str:
    """What `say` said."""
    assert isinstance(payload, bytes)
    return payload[6 : 6 + (payload[5] & 0x1F)].decode()


class Recorder:
    """`log` holds (kind, arrival or moment, what) in the order of the calls.

    A race is open at the tables in `racing`; `deadlines` decide, each once; `step` is called for each frame.
    """

    def __init__(self) -> None:
        self.log: list[Entry] = []
        self.peers: list[Peer] = []
        self.racing: set[int] = set()
        self.deadlines: list[tuple[int, int]] = []
        self.ranks: dict[str, int] = {}
        self.step: Callable[[Frame, str], None] = lambda frame, text: None

    def connected(self, peer: Peer) -> None:
        self.peers.append(peer)
        self.log.append(("connected", 0, peer.address))

    def table_of(self, frame: Frame) -> Hashable | None:
        assert isinstance(frame.payload, bytes)
        return frame.payload[-1] or None

    def race_open(self, table: Hashable, arrival: int) -> bool:
        return table in self.racing or any(at <= arrival and of == table for at, of in self.deadlines)

    def rank(self, frame: Frame) -> int:
        return self.ranks.get(frame.peer.address, 0)

    def decide_until(self, moment: int, table: Hashable | None) -> None:
        due = [item for item in sorted(self.deadlines) if item[0] <= moment and table in (None, item[1])]
        for item in due:
            self.deadlines.remove(item)
            self.log.append(("deadline", item[0], item[1]))

    def frame(self, frame: Frame) -> None:
        text = text_of(frame.payload)
        self.log.append(("frame", frame.arrival, text))
        self.step(frame, text)

    def broken(self, peer: Peer, code: str) -> None:
        self.log.append(("broken", 0, code))
        peer.send(code.encode())
        peer.close()

    def closed(self, peer: Peer, why: str) -> None:
        self.log.append(("closed", 0, why))

    def drained(self, peer: Peer) -> None:
        self.log.append(("drained", 0, peer.address))

    def next_deadline(self) -> int | None:
        return min((at for at, _ in self.deadlines), default=None)

    def texts(self) -> list[object]:
        """The frames' texts, in the order handed on."""
        return [what for kind, _, what in self.log if kind == "frame"]

    def seen(self) -> list[Entry]:
        """All but the connects."""
        return [entry for entry in self.log if entry[0] != "connected"]


class Scene:
    """The network, the harvester that runs on it, and what it hands on."""

    def __init__(self, network: Network, context: ssl.SSLContext | None = None) -> None:
        self.network = network
        self.core = Recorder()
        self.harvester = Harvester(network, self.core, context)
        self.harvester.listen(network.listener)

    async def clients(self, count: int) -> list[Client]:
        """So many accepted clients, with the addresses memory:1 and on."""
        clients = [self.network.connect() for _ in range(count)]
        await trio.sleep(0.001)
        return clients


@asynccontextmanager
async def scene(
    network: Network | None = None, context: ssl.SSLContext | None = None
) -> AsyncIterator[Scene]:
    """Run a harvester; time starts at 0."""
    made = Scene(network or Network(), context)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(made.harvester.run)
        yield made
        nursery.cancel_scope.cancel()
