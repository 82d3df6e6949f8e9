"""Those who don't read, and faults of our own: nobody else notices (protocol, section 6)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import structlog
import trio

from engine.match import Match
from server.logs import configure
from server.memory import MemoryLink

from .keeping import kept_world
from .world import Caller, arrange, begin, world

UNSENT = 256 * 1024


async def talk(caller: Caller, deaf: Caller, size: int) -> None:
    """Chat until at least so many bytes have been said; who does not read is alive all the same."""
    said = 0
    while said < size:
        deaf.send(t="pong", n=0)
        answer = await caller.ask("chat", text="あ" * 200)
        assert answer["t"] == "ok"
        said += 600
        await trio.sleep(0.05)


async def test_a_slow_spectator_loses_events_and_gets_a_view(autojump_clock: trio.testing.MockClock) -> None:
    async with world() as server:
        a, b = await server.table(["A", "B"])
        w = await server.watcher("W", a.table)
        w.client.window = 0
        await talk(a, w, UNSENT + 200_000)
        connection = server.core.lobby.tables[a.table].broadcast.members[w.player].session.connection
        assert connection is not None
        assert UNSENT < connection.peer.unsent < UNSENT + 10_000
        w.client.window = 1 << 20
        server.network.stir()
        view = await w.next(t="view")
        before = [event["seq"] for event in w.events()]
        assert before == list(range(before[0], before[0] + len(before)))
        assert view["seq"] > before[-1] + 1
        await a.ask("chat", text="there?")
        assert (await w.next(t="event"))["seq"] == view["seq"] + 1
        assert [event["seq"] for event in b.events()][-1] == view["seq"] + 1


async def test_a_slow_player_is_cut_and_may_resume(autojump_clock: trio.testing.MockClock) -> None:
    async with world() as server:
        a, b = await server.table(["A", "B"])
        b.client.window = 0
        await talk(a, b, UNSENT + 50_000)
        assert a.last("seat")["status"] == "away"
        again = await server.resume(b)
        assert (await again.next(t="view"))["you"] == 1
        assert (await a.event("seat", seat=1))["status"] == "online"


async def test_a_spectator_who_only_asks_is_cut(autojump_clock: trio.testing.MockClock) -> None:
    async with world() as server:
        (a,) = await server.table(["A"], seats=2)
        w = await server.watcher("W", a.table)
        w.client.window = 0
        for _ in range(2000):
            w.request("sync")
            await trio.sleep(0.06)
            if w.closed:
                break
        assert w.closed


async def test_a_fault_ends_one_table(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrange(monkeypatch, ("7H", "3D KD"), "3H")
    async with world() as server:
        a, b = await server.table(["A", "B"], settings={"grace": 0, "claim_time": 1000})
        c, d = await server.table(["C", "D"])
        await begin([a, b])

        def fail(self: Match, round: object) -> None:
            raise ZeroDivisionError("scoring")

        monkeypatch.setattr(Match, "finish", fail)
        turn = await a.event("turn")
        await a.ask("play", on=turn["seq"], card="7H")
        assert (await a.event("closed"))["why"] == "fault"
        assert (await b.event("closed"))["why"] == "fault"
        assert (await a.ask("chat", text="?"))["code"] == "no_table"
        assert (await c.ask("chat", text="all well"))["t"] == "ok"
        assert (await d.event("chat"))["text"] == "all well"
        assert len((await a.ask("tables"))["tables"]) == 1
        made = await a.ask("create", bots=["easy"] * 3)
        assert made["table"] == 3


async def test_a_fault_in_a_request_is_answered(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrange(monkeypatch, ("7H 2C", "3D KD"), "3H")
    async with world() as server:
        a, b = await server.table(["A", "B"])
        await begin([a, b])
        table = server.core.lobby.tables[a.table]
        assert table.game is not None
        monkeypatch.setattr(table.game, "act", None)
        turn = await a.event("turn")
        assert (await a.ask("draw", on=turn["seq"]))["code"] == "internal"
        assert (await b.event("closed"))["why"] == "fault"
        assert (await b.ask("tables"))["tables"] == []


async def test_a_fault_outside_of_all_tables_ends_one_connection(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with world() as server:
        a, b = await server.table(["A", "B"])
        monkeypatch.setattr(server.core.lobby, "take", None)
        a.request("tables")
        assert (await a.next(t="error", re=None))["code"] == "internal"
        await a.end()
        assert (await b.ask("chat", text="all well"))["t"] == "ok"
        monkeypatch.undo()
        assert (await (await server.resume(a)).ask("tables"))["t"] == "ok"


async def test_what_many_say_while_it_is_written_down_goes_out_in_one_piece(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Else each line of a crowd would be a call for each of them, and all answers would wait for it."""
    calls = 0
    send = MemoryLink.send

    def counted(link: MemoryLink, data: bytes) -> int:
        nonlocal calls
        calls += 1
        return send(link, data)

    async def slowly(do: Callable[[], None]) -> None:
        await trio.sleep(0.5)
        do()

    async with kept_world(tmp_path, away=slowly) as server:
        crowd = await server.table(["A", "B", "C", "D", "E", "F"])
        await trio.sleep(5)
        monkeypatch.setattr(MemoryLink, "send", counted)
        for number in range(20):
            for caller in crowd:
                caller.request("chat", text=f"line {number} of {caller.player}")
        await trio.sleep(5)
        monkeypatch.undo()
        for caller in crowd:
            heard = [event["text"] for event in caller.events() if event["ev"] == "chat"]
            assert len(heard) == 20 * len(crowd)
            for other in crowd:
                said = [text for text in heard if text.endswith(f" of {other.player}")]
                assert said == [f"line {number} of {other.player}" for number in range(20)]
        assert calls <= 3 * len(crowd)


@pytest.fixture
def logs(capsys: pytest.CaptureFixture[str]) -> Iterator[pytest.CaptureFixture[str]]:
    configure()
    yield capsys
    structlog.reset_defaults()


async def test_names_and_cards_stay_out_of_the_log(
    autojump_clock: trio.testing.MockClock, logs: pytest.CaptureFixture[str]
) -> None:
    async with world() as server:
        (a,) = await server.table(["A"], bots=["normal"], settings={"bot_pace": 0, "grace": 0})
        caller = server.dial()
        caller.send(t="hello", versions=[1], name='x\n{"event": "admin"}', agent="y")
        await caller.next(code="name_invalid")
        await begin([a])
        await trio.sleep(200)
        token = a.token
    lines = logs.readouterr().err.splitlines()
    assert lines
    assert all(line.startswith("{") and line.endswith("}") for line in lines)
    text = "\n".join(lines)
    assert token not in text
    assert "admin" not in text
    hand = a.last("round")["hands"][0]
    assert not any(f'"{card}"' in text for card in hand)
