"""Whatever the interleaving: what is handed on stands in order of arrival, and all of it is handed on."""

from collections import defaultdict
from dataclasses import dataclass

import hypothesis.strategies as st
import trio
from hypothesis import given, settings
from trio.testing import MockClock

from server.harvest import MARGIN
from server.memory import Client, Network
from tests.server.recording import Recorder, Scene, say

US = 1_000


@dataclass(frozen=True)
class Sent:
    """One frame: `gap` after the one before it, on which connection, for which table, how it is cut."""

    gap: int
    client: int
    table: int
    cut: int
    late: int
    stall: int


SENT = st.builds(
    Sent,
    gap=st.integers(1, 400 * US),
    client=st.integers(0, 4),
    table=st.integers(1, 2),
    cut=st.integers(0, 12),
    late=st.integers(0, MARGIN - 1),
    stall=st.sampled_from([0, 0, 0, 3_000 * US, 20_000 * US]),
)


def schedule(clients: list[Client], script: list[Sent], start: int) -> list[tuple[str, int, int, int]]:
    """Send it all; returns (text, client, table, arrival) in order of arrival."""
    at = start
    plan = []
    for number, sent in enumerate(script):
        at += sent.gap
        text = f"{number:04d}"
        frame = say(text, sent.table)
        head, tail = frame[: sent.cut], frame[sent.cut :]
        clients[sent.client].send(head, arrival=at, readable=at + sent.late)
        clients[sent.client].send(tail, arrival=at, readable=at + sent.late)
        plan.append((text, sent.client, sent.table, at))
    return plan


def play(script: list[Sent], wall: int = 0) -> tuple[Recorder, list[tuple[str, int, int, int]]]:
    """Run one script to its end on a fresh network."""
    clock = MockClock(autojump_threshold=0)
    stalls = {f"{number:04d}": sent.stall for number, sent in enumerate(script)}

    async def run() -> tuple[Recorder, list[tuple[str, int, int, int]]]:
        here = Scene(Network())
        here.core.racing = {1, 2}
        here.core.step = lambda frame, text: clock.jump(stalls[text] / 1e9)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(here.harvester.run)
            clients = await here.clients(5)
            start = here.network.now()
            plan = schedule(clients, script, start)
            await trio.sleep(0.001)
            here.network.set_wall_clock(wall)
            await trio.sleep(10)
            for client in clients:
                client.close()
            await trio.sleep(1)
            here.harvester.finish()
        return here.core, plan

    return trio.run(run, clock=clock)


@given(st.lists(SENT, max_size=40))
@settings(deadline=None)
def test_each_table_gets_them_in_order_of_arrival(script: list[Sent]) -> None:
    core, plan = play(script)
    table_of = {text: table for text, _, table, _ in plan}
    handed = [(str(what), arrival) for kind, arrival, what in core.log if kind == "frame"]
    assert sorted(text for text, _ in handed) == [text for text, _, _, _ in plan]
    for table in (1, 2):
        arrivals = [arrival for text, arrival in handed if table_of[text] == table]
        assert arrivals == sorted(arrivals)


@given(st.lists(SENT, max_size=40))
@settings(deadline=None)
def test_who_is_read_alone_gets_the_true_order(script: list[Sent]) -> None:
    # One frame for each connection: nothing can be merged with what was sent behind it.
    script = list({sent.client: sent for sent in script}.values())
    core, plan = play(script)
    handed = [(what, arrival) for kind, arrival, what in core.log if kind == "frame"]
    for table in (1, 2):
        mine = {text for text, _, of, _ in plan if of == table}
        assert [item for item in handed if item[0] in mine] == [
            (text, at) for text, _, of, at in plan if of == table
        ]


@given(st.lists(SENT, max_size=40))
@settings(deadline=None)
def test_connections_keep_their_order_and_end_last(script: list[Sent]) -> None:
    core, plan = play(script)
    owner = {text: client for text, client, _, _ in plan}
    by_client: dict[int, list[str]] = defaultdict(list)
    for text in core.texts():
        by_client[owner[str(text)]].append(str(text))
    for texts in by_client.values():
        assert texts == sorted(texts)
    assert [what for kind, _, what in core.log if kind == "closed"] == ["closed"] * 5
    last = max((at for at, entry in enumerate(core.log) if entry[0] == "frame"), default=-1)
    assert last < min(at for at, entry in enumerate(core.log) if entry[0] == "closed")


@given(st.lists(SENT, max_size=20), st.sampled_from([-86_400, -3_600, -60, 60, 3_600, 86_400]))
@settings(deadline=None)
def test_a_step_of_the_wall_clock_moves_nothing(script: list[Sent], seconds: int) -> None:
    assert play(script)[0].log == play(script, wall=seconds * 1_000_000_000)[0].log


def test_any_cut_of_the_stream_gives_the_same_frames() -> None:
    stream = say("one") + say("two", 2) + say("three")

    async def run(cut: int, other: int) -> list[object]:
        here = Scene(Network())
        async with trio.open_nursery() as nursery:
            nursery.start_soon(here.harvester.run)
            (client,) = await here.clients(1)
            for part in (stream[:cut], stream[cut:other], stream[other:]):
                client.send(part)
                await trio.sleep(0.001)
            nursery.cancel_scope.cancel()
        return here.core.texts()

    for cut in range(len(stream)):
        for other in {cut, (cut + len(stream)) // 2, len(stream)}:
            handed = trio.run(run, cut, other, clock=MockClock(autojump_threshold=0))
            assert handed == ["one", "two", "three"]
