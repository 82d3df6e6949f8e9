"""The harvester over real sockets: stamps, direct sends, ends, descriptors, and the systems without epoll."""

import errno
import resource
import select
import selectors
import socket
import struct
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
import trio

from server.arrivals import Frame
from server.harvest import Harvester
from server.peer import Peer
from server.readiness import READ, WRITE, EpollReadiness, Readiness, SelectorReadiness
from server.stamps import read_stamped, stamps_work
from server.transport import Clock, SocketTransport
from tests.server.recording import Recorder, say

READINESS: list[Callable[[], Readiness]] = [
    EpollReadiness,
    SelectorReadiness,
    lambda: SelectorReadiness(selectors.PollSelector()),
    lambda: SelectorReadiness(selectors.SelectSelector()),
]


class Server:
    """A harvester on a loopback port."""

    def __init__(self, arrival: Clock | None = None, readiness: Readiness | None = None) -> None:
        self.core = Recorder()
        self.transport = SocketTransport(arrival, readiness)
        self.harvester = Harvester(self.transport, self.core)
        (listener,) = self.transport.listen("127.0.0.1", 0)
        self.port = listener.port
        self.harvester.listen(listener)

    async def connect(self) -> tuple[trio.SocketStream, Peer]:
        """A client and the server's end of it."""
        known = len(self.core.peers)
        stream = await trio.open_tcp_stream("127.0.0.1", self.port)
        await until(lambda: len(self.core.peers) > known)
        return stream, self.core.peers[-1]


@asynccontextmanager
async def serving(arrival: Clock | None = None, readiness: Readiness | None = None) -> AsyncIterator[Server]:
    """Run a server; at the end all is closed."""
    server = Server(arrival, readiness)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(server.harvester.run)
        yield server
        nursery.cancel_scope.cancel()
    server.transport.close()


async def until(condition: Callable[[], bool]) -> None:
    """Wait for it; the test's time limit is the only one."""
    while not condition():  # noqa: ASYNC110 - what it waits for is another thread of control's doing
        await trio.sleep(0.001)


def reset(stream: trio.SocketStream) -> None:
    """Close so that the other end sees a reset."""
    stream.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    stream.socket.close()


@pytest.mark.parametrize("readiness", READINESS)
async def test_frames_come_and_answers_go(readiness: Callable[[], Readiness]) -> None:
    async with serving(readiness=readiness()) as server:
        server.core.step = lambda frame, text: frame.peer.send(text.encode())
        stream, peer = await server.connect()
        await stream.send_all(say("one"))
        assert await stream.receive_some() == b"one"
        assert peer.address == f"127.0.0.1:{stream.socket.getsockname()[1]}"
        await stream.aclose()
        await until(lambda: server.core.log[-1][0] == "closed")


async def test_stamps_are_of_the_arrival_and_not_of_the_read() -> None:
    assert stamps_work()
    async with serving() as server:
        stream, _ = await server.connect()
        assert server.harvester.clock == "kernel"
        before = time.monotonic_ns()
        sent = stream.socket.send(say("late"))
        assert await sent == len(say("late"))
        after = time.monotonic_ns()
        while time.monotonic_ns() < after + 20_000_000:
            pass
        await until(lambda: bool(server.core.texts()))
        _, arrival, _ = server.core.log[-1]
        # 1 ms for the two clocks' reading, far from the 20 ms of the stall.
        assert before - 1_000_000 < arrival < after + 20_000_000


async def test_by_read_there_are_no_stamps() -> None:
    async with serving("read") as server:
        stream, _ = await server.connect()
        assert server.harvester.clock == "read"
        before = time.monotonic_ns()
        await stream.send_all(say("now"))
        await until(lambda: bool(server.core.texts()))
        assert before < server.core.log[-1][1] <= time.monotonic_ns()


def test_who_did_not_ask_gets_no_stamp() -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        with socket.create_connection(listener.getsockname()) as near:
            far, _ = listener.accept()
            with far:
                near.sendall(b"x")
                data, stamp, out_of_order = read_stamped(far, 10)
                assert (data, stamp, out_of_order) == (b"x", None, 0)


async def test_what_the_kernel_does_not_take_is_sent_when_it_does() -> None:
    async with serving() as server:
        stream, peer = await server.connect()
        block = bytes(range(256)) * 256
        sent = 0
        while not peer.unsent or sent < 4 << 20:
            peer.send(block)
            sent += len(block)
        assert peer.unsent > 0
        got = 0
        while got < sent:
            data = await stream.receive_some(65521)
            assert data == (block * 3)[got % 65536 :][: len(data)]
            got += len(data)
        await until(lambda: server.core.log[-1][0] == "drained")
        assert peer.unsent == 0


async def test_small_frames_do_not_wait_for_each_other() -> None:
    async with serving() as server:
        _, peer = await server.connect()
        sock = peer.link.sock  # type: ignore[attr-defined]
        assert sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


async def test_a_claim_before_a_reset_counts() -> None:
    async with serving() as server:
        stream, _ = await server.connect()
        await stream.send_all(say("claim"))
        reset(stream)
        await until(lambda: server.core.log[-1][0] == "closed")
        assert [what for _, _, what in server.core.seen()] == ["claim", "reset"]


async def test_sends_to_the_dead_harm_nobody() -> None:
    async with serving() as server:

        def tell_all(frame: Frame, text: str) -> None:
            for peer in server.core.peers:
                peer.send(b"x" * 999)

        server.core.step = tell_all
        listener, _ = await server.connect()
        for number in range(50):
            stream, _ = await server.connect()
            await stream.send_all(say(f"{number}") * (number % 3) + say("part")[: number % 7])
            reset(stream)
        await listener.send_all(say("alive"))
        await until(lambda: "alive" in server.core.texts())
        await until(lambda: sum(kind == "closed" for kind, _, _ in server.core.log) == 50)


async def test_more_than_1023_at_once_are_read_at_once() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8192), hard))
    pairs = []
    readiness = EpollReadiness()
    try:
        for number in range(1500):
            near, far = socket.socketpair()
            pairs += [near, far]
            readiness.watch(far, number, READ)
            near.send(b"x")
        assert sorted(readiness.look()) == [(number, READ) for number in range(1500)]
    finally:
        readiness.close()
        for sock in pairs:
            sock.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.parametrize("make", READINESS)
def test_readiness_tells_what_it_was_asked(make: Callable[[], Readiness]) -> None:
    readiness = make()
    near, far = socket.socketpair()
    with near, far:
        near.send(b"x")
        assert readiness.look() == []
        readiness.watch(far, "key", READ)
        assert readiness.look() == [("key", READ)]
        readiness.watch(far, "key", READ | WRITE)
        assert readiness.look() == [("key", READ | WRITE)]
        assert readiness.look() == [("key", READ | WRITE)]
        readiness.watch(far, "key", 0)
        readiness.watch(far, "key", 0)
        near.close()
        assert readiness.look() == []
        readiness.watch(far, "key", READ)
        assert readiness.look() == [("key", READ)]
        readiness.watch(far, "key", 0)
    readiness.close()


async def test_no_descriptor_left_serves_who_is_there() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    async with serving() as server:
        stream, _ = await server.connect()
        waiting = [socket.socket() for _ in range(5)]
        for sock in waiting:
            sock.setblocking(False)
        resource.setrlimit(resource.RLIMIT_NOFILE, (waiting[-1].fileno() + 1, hard))
        try:
            for sock in waiting:
                assert sock.connect_ex(("127.0.0.1", server.port)) in (0, errno.EINPROGRESS)
            select.select([], waiting, [])
            await stream.send_all(say("served"))
            await until(lambda: "served" in server.core.texts())
            assert len(server.core.peers) == 1
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        await until(lambda: len(server.core.peers) == 6)
        for sock in waiting:
            sock.close()


async def test_finish_closes_the_port_and_lets_run_return() -> None:
    server = Server()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(server.harvester.run)
        stream, peer = await server.connect()
        peer.send(b"bye")
        server.harvester.finish()
        assert await stream.receive_some() == b"bye"
        assert await stream.receive_some() == b""
        await stream.aclose()
    with pytest.raises(OSError, match=r"."):
        await trio.open_tcp_stream("127.0.0.1", server.port)
    server.transport.close()


async def test_with_its_doors_closed_it_serves_who_is_inside() -> None:
    async with serving() as server:
        stream, _ = await server.connect()
        server.harvester.close_doors()
        with pytest.raises(OSError, match=r"."):
            await trio.open_tcp_stream("127.0.0.1", server.port)
        await stream.send_all(say("still here"))
        await until(lambda: server.core.texts() == ["still here"])


def test_all_addresses_share_one_port() -> None:
    transport = SocketTransport("read")
    listeners = transport.listen(None, 0)
    try:
        assert {listener.port for listener in listeners} == {listeners[0].port}
        with pytest.raises(OSError, match=r"."):
            transport.listen("127.0.0.1", listeners[0].port)
    finally:
        for listener in listeners:
            transport.drop(listener)
        transport.close()
