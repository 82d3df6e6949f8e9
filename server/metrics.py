"""`/metrics` for Prometheus and `/healthz`, on a listener of their own.

What is told are numbers and the words of this program: no name, no address, no id is ever a label.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import structlog
import trio

from protocol.text import clip, harmless
from protocol.trouble import Translate

from .config import SERVER
from .counts import DELAYS
from .turn import in_turn

if TYPE_CHECKING:
    from prometheus_client.registry import CollectorRegistry

    from .core import Core
    from .harvest import Harvester

HEAD: Final = 8192
"""Most bytes of a request's head."""
PATIENCE: Final = 5
"""Seconds for a request to come and its answer to be taken."""
HEALTHY: Final = 2
"""Seconds within which a healthy harvester finds a turn for us."""
AT_ONCE: Final = 8
"""Most requests at a time; more wait."""
WAITING: Final = 16
"""So many more; beyond them connections are closed. The files that they hold are those of the game."""

_log = structlog.get_logger("metrics")


class NoMetrics(Exception):
    """There are no metrics to be had; the text is one sentence for people."""


class Metrics:
    """The second listener. Raises NoMetrics where prometheus-client is missing."""

    def __init__(self, host: str, port: int, _: Translate) -> None:
        try:
            import prometheus_client  # noqa: F401
        except ImportError:
            raise NoMetrics(
                _("--metrics-port needs Python's prometheus-client (pip install 'dobon[metrics]').")
            ) from None
        self._host = host
        self._port = port
        self._limiter = trio.CapacityLimiter(AT_ONCE)

    async def serve(
        self,
        core: Core,
        harvester: Harvester,
        task_status: trio.TaskStatus[int | None] = trio.TASK_STATUS_IGNORED,
    ) -> None:
        """Answer until cancelled; started with the port. Where it can't be had, say so in the log."""
        converse = partial(self.converse, core=core, harvester=harvester, registry=_registry(core))
        try:
            listeners = await trio.open_tcp_listeners(self._port, host=self._host)
        except OSError as error:
            _log.warning("no_metrics", port=self._port, why=error.strerror or str(error))
            task_status.started(None)
            return
        port = listeners[0].socket.getsockname()[1]
        _log.info("metrics", host=self._host, port=port)
        task_status.started(port)
        await trio.serve_listeners(converse, listeners)

    async def converse(
        self, stream: trio.abc.Stream, core: Core, harvester: Harvester, registry: CollectorRegistry
    ) -> None:
        """Answer one request when it is its turn, or close the connection where too many wait."""
        if self._limiter.statistics().tasks_waiting >= WAITING:
            return await trio.aclose_forcefully(stream)
        async with self._limiter:
            return await _converse(stream, core, harvester, registry)


async def _converse(
    stream: trio.abc.Stream, core: Core, harvester: Harvester, registry: CollectorRegistry
) -> None:
    with trio.move_on_after(PATIENCE):
        try:
            async with stream:
                status, kind, body = await _answer(await _path(stream), core, harvester, registry)
                head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n"
                await stream.send_all(head.encode() + b"Connection: close\r\n\r\n" + body)
        except trio.BrokenResourceError:
            pass


async def _path(stream: trio.abc.ReceiveStream) -> str | None:
    """The path that is asked for; None for what is no GET."""
    head = bytearray()
    while b"\r\n\r\n" not in head and len(head) < HEAD:
        data = await stream.receive_some(HEAD)
        if not data:
            break
        head += data
    words = bytes(head).partition(b"\r\n")[0].split(b" ")
    if len(words) != 3 or words[0] != b"GET":
        return None
    return words[1].partition(b"?")[0].decode("ascii", "replace")


async def _answer(
    path: str | None, core: Core, harvester: Harvester, registry: CollectorRegistry
) -> tuple[str, str, bytes]:
    plain = "text/plain; charset=utf-8"
    match path:
        case "/healthz":
            with trio.move_on_after(HEALTHY):
                if await in_turn(core, harvester, lambda: True):
                    return "200 OK", plain, b"ok\n"
            return "503 Service Unavailable", plain, b"no turn was found\n"
        case "/metrics":
            from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

            return "200 OK", CONTENT_TYPE_LATEST, generate_latest(registry)
        case None:
            return "405 Method Not Allowed", plain, b"only GET\n"
        case _:
            return "404 Not Found", plain, b"there are /metrics and /healthz\n"


def _registry(core: Core) -> CollectorRegistry:
    from prometheus_client import CollectorRegistry, PlatformCollector, ProcessCollector

    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    PlatformCollector(registry=registry)
    registry.register(_Collector(core))
    return registry


class _Collector:
    """The server's own numbers, read when they are asked for."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def collect(self) -> Iterator[Any]:
        from prometheus_client.core import GaugeMetricFamily, InfoMetricFamily

        visitors, tables = self._core.visitors, self._core.lobby.tables.values()
        info = {"version": clip(harmless(SERVER), 32)}
        yield InfoMetricFamily("dobon", "What runs here", value=info)
        yield GaugeMetricFamily("dobon_connections", "Open connections", visitors.connections())
        yield GaugeMetricFamily("dobon_sessions", "Sessions, connected or not", len(visitors.sessions))
        yield GaugeMetricFamily("dobon_players", "Sessions that are connected", visitors.players())
        yield GaugeMetricFamily("dobon_unsent_bytes", "Bytes that wait for clients", visitors.unsent())
        phases = Counter(table.phase for table in tables)
        by_phase = GaugeMetricFamily("dobon_tables", "Tables by phase", labels=["phase"])
        for phase in ("open", "playing", "over"):
            by_phase.add_metric([phase], phases[phase])
        yield by_phase
        kinds = Counter(seat.kind for table in tables for seat in table.seats)
        by_kind = GaugeMetricFamily("dobon_seats", "Seats by who sits there", labels=["kind"])
        for kind in ("human", "bot", "empty"):
            by_kind.add_metric([kind], kinds[kind])
        yield by_kind
        watching = sum(len(table.spectator_names()) for table in tables)
        yield GaugeMetricFamily("dobon_spectators", "People who look on", watching)
        yield from self._counted()

    def _counted(self) -> Iterator[Any]:
        from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily

        counts = self._core.visitors.counts
        yield CounterMetricFamily("dobon_connections_accepted", "Connections accepted", counts.connections)
        requests = CounterMetricFamily("dobon_requests", "Requests by kind", labels=["kind"])
        for kind, number in sorted(counts.requests.items()):
            requests.add_metric([kind], number)
        yield requests
        refusals = CounterMetricFamily("dobon_cut", "Connections ended by the server", labels=["code"])
        for code, number in sorted(counts.refusals.items()):
            refusals.add_metric([code], number)
        yield refusals
        total, buckets = 0, []
        for bound, number in zip((*DELAYS, None), counts.delays, strict=True):
            total += number
            buckets.append(("+Inf" if bound is None else str(bound / 1e9), total))
        yield HistogramMetricFamily(
            "dobon_delay_seconds",
            "From the arrival of a frame until it was taken",
            buckets=buckets,
            sum_value=counts.delay / 1e9,
        )
