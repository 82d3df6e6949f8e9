"""How often claims are handed on in the wrong order: `python -m bench.arrival [--contests N]`.

Clients in another process claim 0.02 to 2 ms apart while the server's loop is stalled for 0, 5 or 20 ms. The
server here is the harvester with a core that only keeps the order. What is right is told by the senders' own
monotonic clock: a claim whose `send` had returned before another's was called is the earlier one. There are N
contests with every gap at least 0.1 ms, and half as many with smaller ones. In a `chat` contest one claimant
chatters right up to its claim; a `draw` contest is one claim 1 ms before the next player's draw.
"""

import argparse
import multiprocessing
import random
import socket
import time
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Final, NamedTuple

import trio

from protocol.frame import decode_payload, encode_frame
from server.arrivals import Frame
from server.harvest import Harvester
from server.peer import Peer
from server.transport import Clock, SocketTransport

SEATS: Final = 8
MS: Final = 1_000_000
SURE: Final = MS // 10
"""From this gap on (ns) every order has to be right."""
CLOSE: Final = MS // 50
WIDE: Final = 2 * MS
STALLS: Final = (0, 5 * MS, 20 * MS)
CHATTER: Final = 100_000
"""Between two frames of a chatterer, ns."""
KINDS: Final = ("claims", "claims", "claims", "chat", "draw")


class Contest(NamedTuple):
    """Who claims, in which order; `gaps` are the ns before each claim, the first being the lead."""

    kind: str
    seats: list[int]
    gaps: list[int]
    stall: int


class Claim(NamedTuple):
    """A claim on its sender's monotonic clock: `send` was called at `before` and had returned at `after`."""

    seat: int
    before: int
    after: int


@dataclass
class Count:
    """How many there were, and how many of them in the wrong order."""

    all: int = 0
    wrong: int = 0

    def add(self, wrong: bool) -> None:
        self.all += 1
        self.wrong += wrong

    def __str__(self) -> str:
        return f"{self.wrong:5} wrong of {self.all:6} ({self.wrong / max(1, self.all):.2%})"


@dataclass
class Result:
    """`sure`: gaps of at least SURE; `close`: smaller ones. Pairs are any two claims of one contest."""

    clock: str
    sure_pairs: Count = field(default_factory=Count)
    close_pairs: Count = field(default_factory=Count)
    close_contests: Count = field(default_factory=Count)
    sure_contests: dict[str, Count] = field(default_factory=dict)


class Keeper:
    """A core of one table whose race is always open: keeps who claimed, contest by contest, as handed on."""

    def __init__(self) -> None:
        self.orders: list[list[int]] = []

    def connected(self, peer: Peer) -> None: ...

    def table_of(self, frame: Frame) -> Hashable | None:
        return "table"

    def race_open(self, table: Hashable, arrival: int) -> bool:
        return True

    def rank(self, frame: Frame) -> int:
        return int(frame.peer.session or 0)

    def decide_until(self, moment: int, table: Hashable | None) -> None: ...

    def frame(self, frame: Frame) -> None:
        assert isinstance(frame.payload, bytes)
        message = decode_payload(frame.payload)
        if "chat" in message:
            return
        frame.peer.send(b".")
        if "seat" in message:
            frame.peer.session = message["seat"]
        elif "claim" in message:
            self.orders[-1].append(message["claim"])
        else:
            self.orders.append([])
            spin(time.monotonic_ns() + message["stall"])

    def broken(self, peer: Peer, code: str) -> None:
        raise AssertionError(code)

    def closed(self, peer: Peer, why: str) -> None: ...

    def drained(self, peer: Peer) -> None: ...

    def next_deadline(self) -> int | None:
        return None


def spin(until: int) -> None:
    """Keep the processor until then; sleeping is too coarse."""
    while time.monotonic_ns() < until:
        pass


def contests(count: int, seed: int) -> Iterator[Contest]:
    """`count` contests with gaps from SURE on, with half as many closer ones strewn in."""
    rng = random.Random(seed)
    for number in range(count + count // 2):
        close = number % 3 == 2
        low, high = (CLOSE, SURE) if close else (SURE, WIDE)
        kind = "claims" if close else rng.choice(KINDS)
        stall = rng.choice(STALLS)
        size = 2 if kind == "draw" else rng.randint(2, SEATS)
        gaps = [rng.randint(0, stall or MS)]
        gaps += [MS if kind == "draw" else rng.randint(low, high) for _ in range(size - 1)]
        yield Contest(kind, rng.sample(range(SEATS), size), gaps, stall)


def send_claims(pipe: Connection, port: int, count: int, seed: int) -> None:
    """The process of the clients: plays all contests, then says through the pipe who sent when."""
    sockets = [socket.create_connection(("127.0.0.1", port)) for _ in range(SEATS + 1)]
    control = sockets[SEATS]
    for seat, sock in enumerate(sockets):
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.sendall(encode_frame({"seat": seat}))
        sock.recv(1)
    sent = []
    for contest in contests(count, seed):
        control.sendall(encode_frame({"stall": contest.stall}))
        control.recv(1)
        sent.append(one_contest(contest, sockets))
        for seat in contest.seats:
            sockets[seat].recv(1)
    pipe.send(sent)
    for sock in sockets:
        sock.close()


def one_contest(contest: Contest, sockets: list[socket.socket]) -> list[Claim]:
    """Send the claims of one contest at their moments."""
    chatterer = contest.seats[-1] if contest.kind == "chat" else None
    last = time.monotonic_ns()
    claims = []
    for seat, gap in zip(contest.seats, contest.gaps, strict=True):
        due = last + gap
        while chatterer is not None and time.monotonic_ns() < due - CHATTER:
            sockets[chatterer].sendall(encode_frame({"chat": 1}))
            spin(min(due, time.monotonic_ns() + CHATTER))
        spin(due)
        frame = encode_frame({"claim": seat})
        before = time.monotonic_ns()
        sockets[seat].sendall(frame)
        last = time.monotonic_ns()
        claims.append(Claim(seat, before, last))
    return claims


def judge(clock: str, played: list[Contest], sent: list[list[Claim]], orders: list[list[int]]) -> Result:
    """Compare what was handed on with what the senders know."""
    result = Result(clock, sure_contests={kind: Count() for kind in dict.fromkeys(KINDS)})
    for contest, claims, order in zip(played, sent, orders, strict=True):
        assert sorted(order) == sorted(contest.seats), "a claim was lost"
        place = {seat: at for at, seat in enumerate(order)}
        for at, earlier in enumerate(claims):
            for later in claims[at + 1 :]:
                sure = later.before - earlier.after >= SURE
                (result.sure_pairs if sure else result.close_pairs).add(
                    place[earlier.seat] > place[later.seat]
                )
        whole = all(gap >= SURE for gap in contest.gaps[1:])
        count = result.sure_contests[contest.kind] if whole else result.close_contests
        count.add(order != contest.seats)
    return result


async def measure(arrival: Clock, count: int, seed: int) -> Result:
    """Play `count` contests (and the closer ones) by the arrival clock given."""
    transport, keeper = SocketTransport(arrival), Keeper()
    harvester = Harvester(transport, keeper)
    (listener,) = transport.listen("127.0.0.1", 0)
    harvester.listen(listener)
    spawn = multiprocessing.get_context("spawn")
    near, far = spawn.Pipe(duplex=False)
    process = spawn.Process(target=send_claims, args=(far, listener.port, count, seed), daemon=True)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(harvester.run)
        process.start()
        far.close()
        sent = await trio.to_thread.run_sync(near.recv)
        await trio.to_thread.run_sync(process.join)
        harvester.finish()
    transport.close()
    return judge(transport.clock, list(contests(count, seed)), sent, keeper.orders)


def report(result: Result) -> None:
    """Print one result."""
    print(f"arrival by {result.clock}")
    for kind, count in result.sure_contests.items():
        print(f"  contests, gaps of 0.1 ms and more, {kind:8} {count}")
    print(f"  contests, gaps under 0.1 ms                 {result.close_contests}")
    print(f"  pairs 0.1 ms and more apart                 {result.sure_pairs}")
    print(f"  pairs less than 0.1 ms apart                {result.close_pairs}")


def main() -> None:
    parser = argparse.ArgumentParser(description="Count claims handed on in the wrong order.")
    parser.add_argument("--contests", type=int, default=2000)
    parser.add_argument("--arrival", choices=("kernel", "read"), help="only this clock")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    for arrival in (args.arrival,) if args.arrival else ("kernel", "read"):
        report(trio.run(measure, arrival, args.contests, args.seed))


if __name__ == "__main__":
    main()
