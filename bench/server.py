"""The server against its limits: `python -m bench.server [--runs 5] [--requests 20000]`.

Four ratios, both sides of each measured one after the other in every run, medians at the end:

- throughput: messages in and out a second of the server's CPU, from the validated request to the events at
  all seats, with 1,000 connections at 250 tables, over those of a bare trio echo with the same codec and as
  many connections (more is better); beside it requests over echoes, though one request is told to four;
- the same with the kernel's stamps over without (the price of a stamp, less is better);
- broadcast: CPU of one event to one of 500 spectators over a `send` in a loop of C (less is better);
- memory: of an idle spectator over a trio stream with a task that reads (less is better).

CPU is that of the serving process alone, as the kernel counts it: who plays the players runs beside it.
"""

from __future__ import annotations

import argparse
import contextlib
import resource
import select
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Final, NamedTuple

from protocol.frame import SERVER_DEPTH, SERVER_LIMIT, FrameReader, decode_payload, encode_frame
from server.bot_seat import InlineThinker
from server.broadcast import Broadcast, Member
from server.config import Config
from server.connection import Connection
from server.core import Core
from server.harvest import Harvester
from server.peer import Peer
from server.record import NoRecord
from server.session import Session
from server.transport import SocketLink, SocketTransport

SEATS: Final = 4
TABLES: Final = 250
SPECTATORS: Final = 500
IDLE: Final = 800
HOST: Final = "127.0.0.1"
RULES: Final = {"rounds": 20, "drawn": "end", "counter": "off"}
SETTINGS: Final = {"grace": 0, "turn_time": 600_000, "ready_time": 120_000}

Message = dict[str, Any]


class Served:
    """A process that serves, and what it has cost so far."""

    def __init__(self, *command: str) -> None:
        self._data = tempfile.TemporaryDirectory()
        own = ["--data", self._data.name] if command[0] == "server" else []
        self._process = subprocess.Popen(
            [sys.executable, "-m", *command, *own],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self._process.stdout is not None
        line = self._process.stdout.readline().split()
        self.port = int(line[2].rsplit(":", 1)[1] if len(line) > 1 else line[0])

    def cpu(self) -> int:
        """CPU of all its threads so far, ns."""
        threads = Path(f"/proc/{self._process.pid}/task").glob("*/schedstat")
        return sum(int(thread.read_text().split()[0]) for thread in threads)

    def memory(self) -> int:
        """Resident bytes."""
        pages = int(Path(f"/proc/{self._process.pid}/statm").read_text().split()[1])
        return pages * resource.getpagesize()

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait()
        self._data.cleanup()


def serve(arrival: str = "kernel") -> Served:
    where = ["--host", HOST, "--port", "0", "--no-discovery", "--data", mkdtemp(prefix="dobon-bench-")]
    return Served("server", *where, "--arrival", arrival)


class Player:
    """One connection, and who plays over it as fast as it is asked."""

    def __init__(self, port: int, name: str) -> None:
        self.sock = socket.create_connection((HOST, port))
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.seat: int | None = None
        self.table = 0
        self.sent = 0
        self.heard = 0
        self._reader = FrameReader(SERVER_LIMIT)
        self._id = 0
        self._say({"t": "hello", "versions": [1], "name": name, "agent": "bench"})
        self.wait("welcome")

    def request(self, t: str, **fields: Any) -> None:
        self._id += 1
        self.sent += 1
        self._say({"t": t, "id": self._id, "table": self.table, **fields})

    def hear(self) -> list[Message]:
        data = self.sock.recv(65536)
        if not data:
            raise RuntimeError("the server has ended the connection")
        self._reader.feed(data)
        messages = [decode_payload(payload, SERVER_DEPTH) for payload in self._reader.frames()]
        self.heard += len(messages)
        return messages

    def wait(self, t: str) -> Message:
        while True:
            for message in self.hear():
                if message["t"] == t:
                    return message
                if message["t"] == "error":
                    raise RuntimeError(str(message))

    def react(self, message: Message) -> None:
        """Play what fits, else draw; claim nothing."""
        ev = message.get("ev")
        if ev == "turn" and message["may"]:
            if message["playable"]:
                self.request("play", on=message["seq"], card=message["playable"][0], suit="S")
            else:
                self.request(message["may"][0], on=message["seq"])
        elif ev == "played" and message["deadline"] is not None and message["seat"] != self.seat:
            self.request("waive", on=message["seq"])
        elif ev == "match" or (ev == "round_over" and message["deadline"] is not None):
            self.request("ready", on=message["seq"])

    def _say(self, message: Message) -> None:
        self.sock.sendall(encode_frame(message))


def seat_everybody(port: int) -> list[Player]:
    players = [Player(port, f"P{number}") for number in range(TABLES * SEATS)]
    for number in range(TABLES):
        host, *others = players[number * SEATS : (number + 1) * SEATS]
        host.request("create", seats=SEATS, rules=RULES, settings=SETTINGS)
        host.table = host.wait("ok")["table"]
        host.seat = 0
        for other in others:
            other.table = host.table
            other.request("join")
            other.seat = other.wait("ok")["seat"]
    return players


@contextlib.contextmanager
def polled(socks: Sequence[socket.socket]) -> Iterator[Callable[[], list[int]]]:
    """The indices of the sockets that can be read, again and again; all are closed at the end."""
    epoll = select.epoll()
    index = {sock.fileno(): number for number, sock in enumerate(socks)}
    for descriptor in index:
        epoll.register(descriptor, select.EPOLLIN)
    yield lambda: [index[descriptor] for descriptor, _ in epoll.poll(5, len(index))]
    epoll.close()
    for sock in socks:
        sock.close()


class Rate(NamedTuple):
    """A second of CPU."""

    requests: float
    messages: float
    """In and out."""


def server_rate(arrival: str, requests: int) -> Rate:
    """What the server does, with matches at all tables."""
    server = serve(arrival)
    players = seat_everybody(server.port)
    with polled([player.sock for player in players]) as ready:
        for host in players[::SEATS]:
            host.request("start")
        began, before = server.cpu(), sum(player.sent for player in players)
        heard = sum(player.heard for player in players)
        target = before + requests
        while sum(player.sent for player in players) < target:
            for number in ready():
                for message in players[number].hear():
                    if message.get("code") == "rate":
                        raise RuntimeError("faster than the protocol allows")
                    players[number].react(message)
        done = sum(player.sent for player in players) - before
        told = sum(player.heard for player in players) - heard
        spent = server.cpu() - began
    server.stop()
    return Rate(done / spent * 1e9, (done + told) / spent * 1e9)


def echo_rate(messages: int) -> float:
    """Echoes a second of CPU: as many connections, as many of them waiting at a time."""
    server = Served("bench.echo_server")
    count = TABLES * SEATS
    socks = [socket.create_connection((HOST, server.port)) for _ in range(count)]
    for sock in socks:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    frame = encode_frame({"t": "play", "id": 1234, "table": 123, "on": 1234, "card": "7H", "suit": "S"})
    with polled(socks) as ready:
        began = server.cpu()
        for sock in socks[:TABLES]:
            sock.sendall(frame)
        done = 0
        while done < messages:
            for number in ready():
                socks[number].recv(65536)
                done += 1
                socks[(number + TABLES) % count].sendall(frame)
        spent = server.cpu() - began
    server.stop()
    return done / spent * 1e9


DRAIN: Final = """
import select, socket, sys
listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
print(listener.getsockname()[1], flush=True)
poll, known = select.epoll(), {}
poll.register(listener, select.EPOLLIN)
while True:
    for descriptor, _ in poll.poll(-1, 2000):
        if descriptor == listener.fileno():
            sock, _ = listener.accept()
            known[sock.fileno()] = sock
            poll.register(sock, select.EPOLLIN)
        elif not known[descriptor].recv(1 << 20):
            poll.unregister(descriptor)
            del known[descriptor]
"""
"""Takes connections and all that is sent on them."""

EVENT: Final = {"seat": 1, "count": 1, "cards": None, "why": "choice", "stock": 20, "left": 4}


def broadcast_cost(rounds: int) -> tuple[float, float]:
    """CPU of one event to one spectator, ns: of ours, and of the loop in C."""
    drain = subprocess.Popen([sys.executable, "-c", DRAIN], stdout=subprocess.PIPE, text=True)
    assert drain.stdout is not None
    port = int(drain.stdout.readline())
    transport = SocketTransport()
    core = Core(Config(), NoRecord(), InlineThinker(), transport.now, transport.clock, lambda: None)
    harvester = Harvester(transport, core)
    broadcast = Broadcast(1, 0, core.gate, lambda session: None, lambda: None)
    links = []
    for number in range(SPECTATORS):
        sock = socket.create_connection((HOST, port))
        sock.setblocking(False)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        link = SocketLink(sock, "bench", stamped=False)
        transport.add(link)
        links.append(link)
        session = Session(number, f"S{number}", b"")
        session.connection = Connection(Peer(harvester, link), core.gate, 0)
        broadcast.members[number] = Member(session, None, number)
    spent = 0
    for _ in range(rounds):
        before = time.process_time_ns()
        broadcast.emit("drew", EVENT)
        broadcast.flush()
        spent += time.process_time_ns() - before
        time.sleep(0.02)
    size = len(encode_frame({"t": "event", "table": 1, "seq": 1, "at": 1, "ev": "drew", **EVENT}))
    in_c = float(_compiled("send_loop", str(port), str(SPECTATORS), str(size), str(rounds)))
    for link in links:
        transport.drop(link)
    transport.close()
    drain.kill()
    drain.wait()
    return spent / rounds / SPECTATORS, in_c


def _compiled(name: str, *args: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / name
        subprocess.run(["cc", "-O2", "-o", program, Path(__file__).with_name(f"{name}.c")], check=True)
        return subprocess.run([program, *args], check=True, capture_output=True, text=True).stdout


def spectator_memory() -> float:
    """Resident bytes of one idle spectator."""
    server = serve()
    host = Player(server.port, "Host")
    host.request("create", seats=2)
    table = host.wait("ok")["table"]
    warm = [_spectator(server.port, f"W{number}", table) for number in range(IDLE // 10)]
    before = server.memory()
    idle = [_spectator(server.port, f"S{number}", table) for number in range(IDLE)]
    cost = (server.memory() - before) / IDLE
    for player in [*warm, *idle]:
        player.sock.close()
    server.stop()
    return cost


def _spectator(port: int, name: str, table: int) -> Player:
    player = Player(port, name)
    player.table = table
    player.request("watch")
    player.wait("view")
    return player


def stream_memory() -> float:
    """Resident bytes of one trio stream with a task that reads."""
    server = Served("bench.echo_server", "--read")
    warm = [socket.create_connection((HOST, server.port)) for _ in range(IDLE // 10)]
    time.sleep(0.2)
    before = server.memory()
    idle = [socket.create_connection((HOST, server.port)) for _ in range(IDLE)]
    time.sleep(0.5)
    cost = (server.memory() - before) / IDLE
    for sock in [*warm, *idle]:
        sock.close()
    server.stop()
    return cost


def main() -> None:
    parser = argparse.ArgumentParser(description="The server against its limits.")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--requests", type=int, default=20_000)
    args = parser.parse_args()
    figures: dict[str, list[float]] = {}

    def note(name: str, value: float) -> None:
        figures.setdefault(name, []).append(value)

    for _ in range(args.runs):
        echo = echo_rate(args.requests)
        stamped, plain = server_rate("kernel", args.requests), server_rate("read", args.requests)
        ours, in_c = broadcast_cost(100)
        spectator, stream = spectator_memory(), stream_memory()
        note("echo, messages in and out a second of CPU", 2 * echo)
        note("server, messages in and out a second of CPU", stamped.messages)
        note("server, requests a second of CPU", stamped.requests)
        note("server without stamps, requests", plain.requests)
        note("broadcast, ns each", ours)
        note("the same in C", in_c)
        note("idle spectator, bytes", spectator)
        note("trio stream with a reader, bytes", stream)
        note("RATIO throughput, messages (must 0.7, aim 2)", stamped.messages / echo / 2)
        note("      requests over echoes, each told to four", stamped.requests / echo)
        note("RATIO stamps, with / without (at most 1.25, aim 1.15)", plain.requests / stamped.requests)
        note("RATIO broadcast, ours / C (at most 1.8, aim 1.25)", ours / in_c)
        note("RATIO memory, spectator / stream (at most 0.8, aim 0.4)", spectator / stream)
    for name, values in figures.items():
        spread = f"{min(values):.2f} to {max(values):.2f}"
        print(f"{name:58} median {statistics.median(values):10.2f}   {spread}")


if __name__ == "__main__":
    main()
