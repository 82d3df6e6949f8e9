"""`/metrics` and `/healthz`: what they say, and to whom they say nothing."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
import trio
import trio.testing
from prometheus_client.parser import text_string_to_metric_families

from server.config import Config
from server.core import Core
from server.counts import DELAYS, Counts
from server.limits import Limits
from server.metrics import AT_ONCE, WAITING, Metrics, NoMetrics, _answer, _converse, _registry
from server.timers import Timers
from tests.end_to_end.processes import logged, served

from .world import World, arrange, begin, world

Clock = trio.testing.MockClock


async def get(server: World, request: bytes) -> tuple[str, str]:
    """The status line and the body that a request is answered with."""
    ours, theirs = trio.testing.memory_stream_pair()
    registry = _registry(server.core)
    said = b""
    async with trio.open_nursery() as nursery:
        nursery.start_soon(_converse, theirs, server.core, server.harvester, registry)
        await ours.send_all(request)
        while data := await ours.receive_some(65536):
            said += data
    head, _, body = said.partition(b"\r\n\r\n")
    assert f"Content-Length: {len(body)}".encode() in head
    return head.split(b"\r\n")[0].decode(), body.decode()


async def scrape(server: World) -> dict[str, dict[tuple[str, ...], float]]:
    """By sample and its labels' values."""
    status, body = await get(server, b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
    assert status == "HTTP/1.1 200 OK"
    found: dict[str, dict[tuple[str, ...], float]] = {}
    for family in text_string_to_metric_families(body):
        for sample in family.samples:
            found.setdefault(sample.name, {})[tuple(sample.labels.values())] = sample.value
    return found


async def test_the_numbers(autojump_clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    arrange(monkeypatch, ("7H 2C", "3D KD"), "3H")
    async with world(Config(limits=Limits(tables=2))) as server:
        a, b = await server.table(["Aki", "Ben"])
        await server.watcher("Mio", a.table)
        await begin([a, b])
        other = await server.hello("Kai")
        await other.ask("create", bots=["easy"])
        assert (await other.ask("create"))["code"] == "server_full"
        refused = server.dial()
        refused.send(t="hello", versions=[1], name="Aki", agent="test")
        await refused.end()
        other.client.close()
        await other.end()
        found = await scrape(server)
        assert found["dobon_connections"][()] == 3
        assert found["dobon_players"][()] == 3
        assert found["dobon_sessions"][()] == 4
        assert found["dobon_spectators"][()] == 1
        assert found["dobon_unsent_bytes"][()] == 0
        assert found["dobon_tables"] == {("open",): 1, ("playing",): 1, ("over",): 0}
        assert found["dobon_seats"] == {("human",): 3, ("bot",): 1, ("empty",): 2}
        assert found["dobon_connections_accepted_total"][()] == 5
        assert found["dobon_cut_total"] == {("name_taken",): 1}
        assert found["dobon_requests_total"][("create",)] == 3
        assert found["dobon_requests_total"][("ready",)] == 2
        delays = found["dobon_delay_seconds_bucket"]
        assert delays[("+Inf",)] == found["dobon_delay_seconds_count"][()] > 10
        assert found["process_open_fds"][()] > 0


async def test_nothing_personal_is_told(autojump_clock: Clock) -> None:
    async with world() as server:
        (a,) = await server.table(["Zanzibar"], bots=["easy"], name="Quagmire")
        await a.ask("chat", text="xylophone")
        _, body = await get(server, b"GET /metrics HTTP/1.1\r\n\r\n")
        for word in ("Zanzibar", "Quagmire", "xylophone", "memory:", a.token):
            assert word not in body


@pytest.mark.parametrize(
    ("request_line", "status"),
    [
        (b"GET /healthz HTTP/1.1\r\n\r\n", "HTTP/1.1 200 OK"),
        (b"GET /healthz?x=1 HTTP/1.0\r\nA: b\r\n\r\n", "HTTP/1.1 200 OK"),
        (b"GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 404 Not Found"),
        (b"POST /metrics HTTP/1.1\r\n\r\n", "HTTP/1.1 405 Method Not Allowed"),
        (b"nonsense\r\n\r\n", "HTTP/1.1 405 Method Not Allowed"),
        (b"\xff\x00 " * 4000, "HTTP/1.1 405 Method Not Allowed"),
    ],
)
async def test_what_is_asked(request_line: bytes, status: str, autojump_clock: Clock) -> None:
    async with world() as server:
        assert (await get(server, request_line))[0] == status


async def test_a_harvester_that_finds_no_turn_is_not_healthy(autojump_clock: Clock) -> None:
    async with world() as server:
        stuck = cast(Core, SimpleNamespace(timers=Timers()))  # which nobody runs
        status, _, _ = await _answer("/healthz", stuck, server.harvester, _registry(server.core))
        assert status == "503 Service Unavailable"


async def test_who_says_nothing_is_cut(autojump_clock: Clock) -> None:
    async with world() as server:
        ours, theirs = trio.testing.memory_stream_pair()
        server.nursery.start_soon(
            partial(_converse, theirs, server.core, server.harvester, _registry(server.core))
        )
        began = trio.current_time()
        assert await ours.receive_some(1) == b""
        assert trio.current_time() - began == pytest.approx(5, abs=0.1)


async def test_who_waits_takes_no_files_without_number(autojump_clock: Clock) -> None:
    async with world() as server:
        metrics = Metrics("127.0.0.1", 0, str)
        registry = _registry(server.core)
        pairs = [trio.testing.memory_stream_pair() for _ in range(AT_ONCE + WAITING + 30)]
        for _, theirs in pairs:
            server.nursery.start_soon(metrics.converse, theirs, server.core, server.harvester, registry)
        began, closed = trio.current_time(), []

        async def wait(ours: trio.abc.Stream) -> None:
            await ours.receive_some(1)
            closed.append(trio.current_time() - began)

        async with trio.open_nursery() as nursery:
            for ours, _ in pairs:
                nursery.start_soon(wait, ours)
        assert closed.count(0) == 30
        assert max(closed) == pytest.approx(5 * (1 + WAITING // AT_ONCE), abs=0.1)
        # And then it is as before.
        ours, theirs = trio.testing.memory_stream_pair()
        server.nursery.start_soon(metrics.converse, theirs, server.core, server.harvester, registry)
        await ours.send_all(b"GET /healthz HTTP/1.1\r\n\r\n")
        assert (await ours.receive_some(4096)).startswith(b"HTTP/1.1 200 OK")


def test_delays_are_counted_by_their_bounds() -> None:
    counts = Counts()
    for delay in (0, DELAYS[0], DELAYS[0] + 1, DELAYS[-1] + 1):
        counts.took(delay)
    assert counts.delays == [2, 1, 0, 0, 0, 1]
    assert counts.delay == 2 * DELAYS[0] + DELAYS[-1] + 2


def test_without_prometheus_client_there_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "prometheus_client", None)
    with pytest.raises(NoMetrics, match=r"^--metrics-port needs .*\.$"):
        Metrics("127.0.0.1", 0, str)


async def test_over_sockets(tmp_path: Path) -> None:
    with (tmp_path / "log").open("w+b") as stderr:
        async with served("--metrics-port", "0", stderr=stderr):
            port = (await logged(tmp_path / "log", "metrics"))["port"]
            for path, word in (("/healthz", b"ok"), ("/metrics", b"dobon_connections 0.0")):
                stream = await trio.open_tcp_stream("127.0.0.1", port)
                await stream.send_all(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
                said = b""
                while data := await stream.receive_some(65536):
                    said += data
                assert word in said
