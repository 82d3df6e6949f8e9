"""Hello, sessions and connections (protocol, sections 2, 3 and 6)."""

from __future__ import annotations

from typing import Any

import pytest
import trio

from protocol.frame import encode_frame
from server.config import Config

from .world import World, arrange, begin, world

HELLO: dict[str, Any] = {"t": "hello", "versions": [1], "name": "Haru", "agent": "test"}


async def refusal(server: World, **fields: Any) -> dict[str, Any]:
    """What a hello with these fields gets, after which the connection is closed."""
    caller = server.dial()
    caller.send(**{**HELLO, **fields})
    error = await caller.next(t="error")
    await caller.end()
    return error


async def test_a_token_takes_the_place_of_the_servers_password(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async with world(Config(password="open sesame")) as server:
        caller = await server.hello("Aki", password="open sesame")
        assert (await server.resume(caller)).player == caller.player
        # One that nobody has does not, and without the password nothing is said about it.
        assert (await refusal(server, token="x" * 43))["code"] == "password"
        assert (await refusal(server, token="x" * 43, password="open sesame"))["code"] == "token_unknown"


async def test_welcome(autojump_clock: trio.testing.MockClock) -> None:
    async with world() as server:
        caller = server.dial()
        caller.send(**HELLO)
        welcome = await caller.next(t="welcome")
        token = welcome.pop("token")
        assert len(token) >= 22  # 128 bits in base 64
        assert welcome == {
            "t": "welcome",
            "version": 1,
            "server": "dobon/0.1",
            "player": 1,
            "resumed": False,
            "last_id": 0,
            "clock": "kernel",
            "seeded": False,
            "heartbeat": 10000,
            "limits": {"frame": 4096, "rate": 20, "burst": 40, "unsent": 262144, "name": 16, "chat": 200},
        }


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"versions": [2, 3]}, "version"),
        ({"versions": []}, "version"),
        ({"versions": "1"}, "version"),
        ({"name": ""}, "name_invalid"),
        ({"name": "a\x1b[2J"}, "name_invalid"),
        ({"name": "seventeen columns"}, "name_invalid"),
        ({"name": 7}, "bad_request"),
        ({"name": "TAKEN"}, "name_taken"),
        ({"name": "ｔａｋｅｎ"}, "name_taken"),
        ({"token": "1"}, "token_unknown"),
        ({"token": ""}, "token_unknown"),
        ({"t": "tables", "id": 1}, "bad_request"),
        ({"t": "ping", "n": 1}, "bad_request"),
    ],
)
async def test_a_hello_that_is_refused(
    fields: dict[str, Any], code: str, autojump_clock: trio.testing.MockClock
) -> None:
    async with world() as server:
        await server.hello("taken")
        error = await refusal(server, **fields)
        assert (error["code"], "re" in error) == (code, False)
        assert error.get("versions") == ([1] if code == "version" else None)
        assert (await server.hello("Haru")).token


async def test_the_password(autojump_clock: trio.testing.MockClock) -> None:
    async with world(Config(password="open sesame")) as server:
        assert (await refusal(server))["code"] == "password"
        assert (await refusal(server, password="open"))["code"] == "password"
        assert (await server.hello("Haru", password="open sesame")).player == 1


async def test_tls_demanded(autojump_clock: trio.testing.MockClock) -> None:
    async with world(Config(require_tls=True)) as server:
        assert (await refusal(server))["code"] == "tls_required"


async def test_hello_twice_ends_the_connection_not_the_session(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async with world() as server:
        caller = await server.hello("Haru")
        caller.send(**HELLO)
        assert (await caller.next(t="error"))["code"] == "bad_request"
        assert (await server.resume(caller)).player == caller.player


async def test_who_says_nothing_is_cut_after_five_seconds(autojump_clock: trio.testing.MockClock) -> None:
    async with world() as server:
        caller = server.dial()
        began = trio.current_time()
        assert (await caller.next(t="error"))["code"] == "bad_request"
        assert trio.current_time() - began == pytest.approx(5, abs=0.01)


async def test_a_resume_takes_over(autojump_clock: trio.testing.MockClock) -> None:
    async with world() as server:
        a, b = await server.table(["A", "B"])
        again = await server.resume(a)
        assert (await a.next(t="error"))["code"] == "replaced"
        await a.end()
        view = await again.next(t="view")
        assert view["you"] == 0
        assert (await again.ask("chat", text="hi"))["t"] == "ok"
        chat = await b.event("chat")
        assert (chat["from"], chat["seat"]) == ("A", 0)
        # Nobody else saw a gap: nothing happened at the table.
        assert all(event["ev"] == "chat" for event in b.events())


async def test_requests_are_done_once(autojump_clock: trio.testing.MockClock) -> None:
    async with world() as server:
        (a,) = await server.table(["A"], bots=["easy"])
        a.send(t="chat", id=5, table=a.table, text="one")
        assert await a.next(re=5) == {"t": "ok", "re": 5}
        a.send(t="chat", id=5, table=a.table, text="one")
        assert await a.next(re=5) == {"t": "ok", "re": 5}
        a.send(t="chat", id=3, table=a.table, text="two")
        assert (await a.next(re=3))["code"] == "duplicate"
        again = await server.resume(a)
        assert again.heard[0]["last_id"] == 5
        again.send(t="chat", id=5, table=a.table, text="one")
        assert await again.next(re=5) == {"t": "ok", "re": 5}
        again.send(t="no such thing", id=6)
        assert (await again.next(re=6))["code"] == "unknown_type"
        again.send(t="chat", id=7, table=a.table)
        error = await again.next(re=7)
        assert (error["code"], error["field"]) == ("bad_request", "text")
        again.send(t="chat", id=7, table=a.table, text="now")
        assert (await again.next(re=7))["code"] == "bad_request"
        again.send(t="chat", table=a.table, text="no id")
        assert (await again.next(t="error"))["field"] == "id"
        assert [event["text"] for event in a.events() + again.events()] == ["one"]


async def test_the_rate(autojump_clock: trio.testing.MockClock) -> None:
    async with world() as server:
        caller = await server.hello("Haru")
        for _ in range(60):
            caller.request("tables")
        codes = [(await caller.next(re=number)).get("code") for number in range(1, 61)]
        assert codes == [None] * 40 + ["rate"] * 20
        await trio.sleep(1)
        for n in range(25):
            caller.send(t="ping", n=n)
        replies = [await caller.next() for _ in range(25)]
        assert [reply["t"] for reply in replies].count("pong") in (20, 21)
        assert (await server.hello("Other")).token


async def test_two_hundred_refused_in_a_row_close(autojump_clock: trio.testing.MockClock) -> None:
    async with world() as server:
        caller = await server.hello("Haru")
        for _ in range(300):
            caller.request("tables")
        await caller.end()
        assert sum(message.get("code") == "rate" for message in caller.heard) == 200
        assert (await server.resume(caller)).player == caller.player


async def test_idle_connections_are_asked_and_dropped(autojump_clock: trio.testing.MockClock) -> None:
    async with world() as server:
        caller = await server.hello("Haru")
        caller.answers_pings = False
        began = trio.current_time()
        await caller.next(t="ping")
        assert trio.current_time() - began == pytest.approx(10, abs=0.01)
        caller.send(t="pong", n=1)
        await caller.end()
        assert trio.current_time() - began == pytest.approx(45, abs=0.1)
        assert sum(message["t"] == "ping" for message in caller.heard) == 4


async def test_garbage_gets_one_error_and_the_end(autojump_clock: trio.testing.MockClock) -> None:
    async with world() as server:
        good = await server.hello("Good")
        for data, code in [
            (b"\0\0\0\0", "bad_frame"),
            (b"\0\1\0\0", "frame_too_large"),
            (b"\xff\xff\xff\xff", "frame_too_large"),
            (b"\0\0\0\1\xc1", "bad_frame"),
            (encode_frame({"t": "hello"})[:-1] + b"\xff", "bad_frame"),
        ]:
            caller = server.dial()
            caller.client.send(data)
            await caller.end()
            assert [(m["t"], m["code"]) for m in caller.heard] == [("error", code)]
        assert (await good.ask("tables"))["tables"] == []


async def test_a_session_is_kept_ten_minutes(autojump_clock: trio.testing.MockClock) -> None:
    async with world() as server:
        caller = await server.hello("Haru")
        caller.client.reset()
        await trio.sleep(599)
        assert (await refusal(server))["code"] == "name_taken"
        caller = await server.resume(caller)
        caller.client.reset()
        await trio.sleep(601)
        assert (await refusal(server, token=caller.token))["code"] == "token_unknown"
        assert (await server.hello("Haru")).token != caller.token


async def test_a_session_is_kept_while_its_table_plays(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrange(monkeypatch, ("7H 2C", "3D KD"), "3H")
    async with world() as server:
        a, b = await server.table(["A", "B"], rules={"rounds": 20}, settings={"turn_time": 600_000})
        await begin([a, b])
        for caller in (a, b):
            caller.client.reset()
        await trio.sleep(900)
        assert (await server.resume(a)).player == a.player


async def test_a_table_with_match_after_match_keeps_nobody_who_looked_on(
    autojump_clock: trio.testing.MockClock,
) -> None:
    settings = {"bot_pace": 0, "grace": 0, "ready_time": 1000, "turn_time": 2000}
    async with world() as server:
        (a,) = await server.table(["A"], bots=["easy"], rules={"rounds": 1}, settings=settings)
        watcher = await server.watcher("W", a.table)
        await a.ask("start")
        watcher.client.reset()
        gone_at = trio.current_time()
        matches = 0
        while trio.current_time() < gone_at + 700:
            await a.event("match_over")
            matches += 1
            await trio.sleep(0.01)
            await a.ask("start")
        assert matches > 3
        assert len(server.core.visitors.sessions) == 1


async def test_tokens_and_secrets_follow_from_a_seed() -> None:
    from server.chance import Chance

    one, two, other = Chance(b"a"), Chance(b"a"), Chance(b"b")
    assert one.seeded
    assert one.secret("x") == two.secret("x") != one.secret("y")
    assert one.secret("x") != other.secret("x")
    assert not Chance().seeded
    assert Chance().token("x") != Chance().token("x")
