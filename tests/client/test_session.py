"""The session against a server that says what a test wants, over memory streams and a virtual clock."""

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from client.dial import NO_ANSWER, NO_NAMES, NO_SUCH_HOST, reason
from client.i18n import catalogue
from client.notices import Away, Checked, Ended, Message, Sent
from client.session import (
    AGENT,
    Broken,
    NotConnected,
    Over,
    Refused,
    RequestLost,
    Session,
    Unreachable,
    Unsayable,
    open_session,
)
from protocol.connection import Answer, ClientConnection
from protocol.messages import Chat, Dobon, Error, Ok, Ready, Sync, Tables, View, Welcome
from tests.client.fake_server import VIEW, WELCOME, FakeServer, Peer, Script, event


@asynccontextmanager
async def playing(*scripts: Script | None, **given: Any) -> AsyncIterator[tuple[Session, FakeServer]]:
    async with trio.open_nursery() as nursery:
        server = FakeServer(nursery, *scripts)
        given = {"urandom": lambda n: bytes(n), "jitter": lambda: 1.0} | given
        token = given.pop("token", None)
        try:
            async with open_session(server.dial, ClientConnection("Haru", AGENT, token), **given) as session:
                yield session, server
        finally:
            nursery.cancel_scope.cancel()


async def take(session: Session, number: int) -> list[Message]:
    taken: list[Message] = []
    messages = session.messages()
    while len(taken) < number:
        taken.append(await anext(messages))
    return taken


async def wait_for_ever(peer: Peer) -> None:
    await peer.greet()
    await trio.sleep_forever()


async def fails(*scripts: Script | None) -> BaseException:
    """The exception with which a session does not come about."""
    try:
        async with playing(*scripts):
            pass
    except BaseExceptionGroup as group:
        error: BaseException = group
        while isinstance(error, BaseExceptionGroup):
            (error,) = error.exceptions
        return error
    raise AssertionError("it did")


async def test_hello_welcome_and_everything_in_order(autojump_clock: MockClock) -> None:
    async def script(peer: Peer) -> None:
        hello = await peer.greet()
        assert hello == {"t": "hello", "versions": [1], "name": "Haru", "agent": AGENT}
        await peer.say(VIEW, *(event(seq) for seq in range(6, 56)))
        await trio.sleep_forever()

    async with playing(script) as (session, _):
        welcome, view, *events = await take(session, 52)
        assert isinstance(welcome, Welcome)
        assert isinstance(view, View)
        assert [getattr(each, "seq", None) for each in events] == list(range(6, 56))


async def test_a_request_is_answered(autojump_clock: MockClock) -> None:
    async def script(peer: Peer) -> None:
        await peer.greet()
        assert await peer.hear() == {"t": "tables", "id": 1}
        assert await peer.hear() == {"t": "chat", "id": 2, "table": 3, "text": "hi"}
        await peer.say({"t": "error", "re": 2, "code": "no_table", "message": "none"})
        await peer.say({"t": "ok", "re": 1, "tables": []})
        await trio.sleep_forever()

    async with playing(script) as (session, _):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(session.request, Tables())
            await wait_all_tasks_blocked()
            refused = await session.request(Chat(table=3, text="hi"))
        assert isinstance(refused, Error)
        assert refused.code == "no_table"
        messages = await take(session, 5)
        assert [type(each) for each in messages] == [Welcome, Sent, Sent, Answer, Answer]


async def test_silent_from_a_claim_to_its_answer(autojump_clock: MockClock) -> None:
    async def script(peer: Peer) -> None:
        await peer.greet()
        assert (await peer.hear())["t"] == "dobon"
        await peer.say({"t": "ping", "n": 9})
        with trio.move_on_after(5) as silence:
            await peer.hear()
        assert silence.cancelled_caught
        await peer.say({"t": "ok", "re": 1})
        assert (await peer.hear())["t"] == "chat"
        assert await peer.hear() == {"t": "pong", "n": 9}
        await peer.say({"t": "ok", "re": 2})
        await trio.sleep_forever()

    async with playing(script) as (session, _):
        session.post(Dobon(table=3, on=7))
        assert isinstance(await session.request(Chat(table=3, text="did it count?")), Ok)


async def test_text_that_is_none_is_not_sent(autojump_clock: MockClock) -> None:
    async with playing(wait_for_ever) as (session, _):
        with pytest.raises(Unsayable):
            session.post(Chat(table=3, text="\udce3"))
        with pytest.raises(Unsayable):
            session.post(Chat(table=3, text="x" * 5000))
        (only,) = await take(session, 1)
        assert isinstance(only, Welcome)


async def test_a_cut_connection_is_taken_up_again(autojump_clock: MockClock) -> None:
    async def cut(peer: Peer) -> None:
        await peer.greet()
        await peer.hear()

    async def resumed(peer: Peer) -> None:
        hello = await peer.greet(resumed=True, last_id=1)
        assert hello["token"] == "secret"
        assert await peer.hear() == {"t": "sync", "id": 1, "table": 3}
        await peer.say({"t": "ok", "re": 1}, VIEW)
        await trio.sleep_forever()

    async with playing(cut, None, None, resumed) as (session, server):
        assert isinstance(await session.request(Sync(table=3)), Ok)
        messages = await take(session, 7)
        assert [type(each) for each in messages] == [Welcome, Sent, Away, Away, Away, Welcome, Answer]
        assert messages[2:5] == [
            Away("closed", 1, 500),
            Away("unreachable", 2, 1000),
            Away("unreachable", 3, 2000),
        ]
        assert server.dialled == [0, 0.5, 1.5, 3.5]


async def test_a_server_that_can_not_take_the_session_up_yet_is_asked_again(
    autojump_clock: MockClock,
) -> None:
    async def cut(peer: Peer) -> None:
        await peer.greet()

    async def full(peer: Peer) -> None:
        await peer.hear()
        await peer.say({"t": "error", "code": "server_full", "message": "the disk is full"})

    async def resumed(peer: Peer) -> None:
        assert (await peer.greet(resumed=True))["token"] == WELCOME["token"]
        await trio.sleep_forever()

    async with playing(cut, full, full, resumed) as (session, server):
        messages = await take(session, 7)
        away = [message for message in messages if isinstance(message, Away)]
        assert [each.why for each in away] == ["closed", "server_full", "server_full"]
        assert isinstance(messages[-1], Welcome)
        assert len(server.dialled) == 4


async def test_nothing_asked_while_away_is_sent(autojump_clock: MockClock) -> None:
    async def cut(peer: Peer) -> None:
        await peer.greet()

    async def resumed(peer: Peer) -> None:
        await peer.greet(resumed=True)
        assert await peer.hear() == {"t": "tables", "id": 1}
        await peer.say({"t": "ok", "re": 1, "tables": []})
        await trio.sleep_forever()

    async with playing(cut, resumed) as (session, _):
        await take(session, 2)
        with pytest.raises(NotConnected):
            session.post(Dobon(table=3, on=7))
        await take(session, 1)
        await session.request(Tables())


async def test_jitter_is_drawn_after_the_cap(autojump_clock: MockClock) -> None:
    async def cut(peer: Peer) -> None:
        await peer.greet()

    scripts = [cut, *[None] * 12, wait_for_ever]
    async with playing(*scripts, jitter=lambda: 0.5) as (session, _):
        await take(session, 1)
        waits = [each.retry for each in await take(session, 13) if isinstance(each, Away)]
        assert waits == [250, 500, 1000, 2000, 4000, *[7500] * 8]


@pytest.mark.parametrize("code", ["replaced", "bad_frame"])
async def test_who_is_sent_away_stays_away(code: str, autojump_clock: MockClock) -> None:
    async def script(peer: Peer) -> None:
        await peer.greet()
        await peer.say({"t": "error", "code": code, "message": "elsewhere"})

    async with playing(script, wait_for_ever) as (session, server):
        messages = [message async for message in session.messages()]
        assert isinstance(messages[-1], Ended)
        assert messages[-1].error is not None
        assert messages[-1].error.code == code
        await trio.sleep(600)
        assert len(server.dialled) == 1
        with pytest.raises(Over):
            session.post(Tables())


async def test_after_a_kick_no_lost_connection_is_taken_up(autojump_clock: MockClock) -> None:
    async def script(peer: Peer) -> None:
        await peer.greet()
        await peer.say({"t": "error", "code": "kicked", "message": "", "table": 3})

    async with playing(script, wait_for_ever) as (session, server):
        messages = [message async for message in session.messages()]
        assert isinstance(messages[-1], Ended)
        assert len(server.dialled) == 1


@pytest.mark.parametrize(("resume", "dials"), [(True, 2), (False, 1)])
async def test_a_server_that_will_be_back_is_waited_for(
    resume: bool, dials: int, autojump_clock: MockClock
) -> None:
    async def script(peer: Peer) -> None:
        await peer.greet()
        await peer.say({"t": "error", "code": "shutdown", "message": "", "resume": resume})

    async with playing(script, wait_for_ever) as (session, server):
        _, told, after = await take(session, 3)
        assert isinstance(told, Error)
        assert isinstance(after, Away if resume else Ended)
        await trio.sleep(20)
        assert len(server.dialled) == dials


async def test_a_forgotten_session_begins_anew(autojump_clock: MockClock) -> None:
    async def cut(peer: Peer) -> None:
        await peer.greet()
        await peer.hear()

    async def forgot(peer: Peer) -> None:
        assert "token" in await peer.hear()
        await peer.say({"t": "error", "code": "token_unknown", "message": ""})

    async def anew(peer: Peer) -> None:
        assert "token" not in await peer.greet(token="other")
        await trio.sleep_forever()

    kept: list[str | None] = []
    async with playing(cut, forgot, anew, kept=kept.append) as (session, _):
        with pytest.raises(RequestLost):
            await session.request(Tables())
        assert kept == ["secret", None, "other"]


async def test_a_kept_token_that_is_forgotten_is_no_obstacle(autojump_clock: MockClock) -> None:
    async def forgot(peer: Peer) -> None:
        assert (await peer.hear())["token"] == "old"
        await peer.say({"t": "error", "code": "token_unknown", "message": ""})

    async with playing(forgot, wait_for_ever, token="old") as (session, _):
        assert session.online


async def test_a_server_that_says_nothing_is_left(autojump_clock: MockClock) -> None:
    async def dead(peer: Peer) -> None:
        await peer.greet()
        for n in (1, 2, 3):
            assert await peer.hear() == {"t": "ping", "n": n}
        assert await peer.hear() == {}

    async with playing(dead, wait_for_ever) as (session, server):
        _, away = await take(session, 2)
        assert isinstance(away, Away)
        assert away.why == "silent"
        assert server.dialled == [0]
        assert trio.current_time() == 35


async def test_a_server_that_pings_is_answered_and_kept(autojump_clock: MockClock) -> None:
    async def script(peer: Peer) -> None:
        await peer.greet()
        for n in range(20):
            await trio.sleep(9)
            await peer.say({"t": "ping", "n": n})
            assert await peer.hear() == {"t": "pong", "n": n}

    async with playing(script, wait_for_ever) as (session, server):
        await take(session, 2)
        assert trio.current_time() == 180
        assert server.dialled == [0]


async def test_each_ready_carries_a_nonce_of_its_own(autojump_clock: MockClock) -> None:
    async def script(peer: Peer) -> None:
        await peer.greet()
        asked = await peer.hear()
        assert (asked["t"], asked["on"], asked["nonce"]) == ("ready", 9, b"r" * 16)
        await trio.sleep_forever()

    async with playing(script, urandom=lambda n: b"r" * n) as (session, _):
        session.ready(3, 9)
        _, sent = await take(session, 2)
        assert isinstance(sent, Sent)
        assert isinstance(sent.request, Ready)
        await wait_all_tasks_blocked()


async def test_a_deal_that_breaks_its_promise_is_told(autojump_clock: MockClock) -> None:
    over: dict[str, Any] = {
        "why": "out",
        "winners": [0],
        "losers": [],
        "card": "AS",
        "claims": [],
        "hands": [[], []],
        "points": [0, 0],
        "totals": [0, 0],
        "seed": bytes(32),
        "secret": bytes(32),
        "nonces": [None, None],
        "deadline": None,
    }
    match = {
        "match": 1,
        "rules": {},
        "settings": {},
        "commit": b"c" * 32,
        "deadline": None,
        "seats": [{"name": "Haru", "kind": "human"}, {"name": "Sora", "kind": "bot", "level": "easy"}],
    }

    async def script(peer: Peer) -> None:
        await peer.greet()
        await peer.say(VIEW, event(6, "match", **match), event(7, "round_over", **over))
        await trio.sleep_forever()

    async with playing(script) as (session, _):
        *_, checked = await take(session, 5)
        assert checked == Checked(3, None, whole=False, fault="commit")


async def test_no_server(autojump_clock: MockClock) -> None:
    assert isinstance(await fails(None), Unreachable)


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (socket.gaierror(-2, "Name or service not known"), NO_SUCH_HOST),
        (socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution"), NO_NAMES),
        (ConnectionRefusedError(111, "Connection refused"), "nothing listens there"),
        (OSError(113, "No route to host"), "that machine can't be reached"),
        (OSError(4711, "Nobody knows"), "Nobody knows (4711)"),
        (TimeoutError(NO_ANSWER), NO_ANSWER),
    ],
)
def test_why_a_dial_failed_is_said_in_words(fault: OSError, said: str) -> None:
    assert reason(fault) == said
    several = OSError("all attempts to connect to 192.0.2.1:5213 failed")
    several.__cause__ = ExceptionGroup("", [fault, OSError(101, "Network is unreachable")])
    assert reason(several) == said
    assert not catalogue("ja").gettext(NO_SUCH_HOST).isascii()


async def test_a_server_that_hangs_up(autojump_clock: MockClock) -> None:
    async def script(peer: Peer) -> None:
        await peer.hear()

    assert isinstance(await fails(script), Unreachable)


async def test_a_server_that_never_answers_the_hello(autojump_clock: MockClock) -> None:
    async def script(peer: Peer) -> None:
        await trio.sleep_forever()

    assert isinstance(await fails(script), Unreachable)
    assert trio.current_time() == 10


async def test_a_hello_refused(autojump_clock: MockClock) -> None:
    async def script(peer: Peer) -> None:
        await peer.hear()
        await peer.say({"t": "error", "code": "version", "message": "", "versions": [2, 3]})

    refused = await fails(script)
    assert isinstance(refused, Refused)
    assert refused.error.versions == [2, 3]


HOSTILE = {
    "another protocol": b"HTTP/1.1 400 Bad Request\r\n\r\n",
    "a huge length": b"\xff\xff\xff\xff",
    "no length": bytes(4),
    "no map": b"\x00\x00\x00\x01\x01",
    "depth": b"\x00\x00\x10\x00" + b"\x91" * 4096,
    "huge headers": b"\x00\x00\x00\x05\xdb\xff\xff\xff\xff",
    "wrong types": b"\x00\x00\x00\x0e\x82\xa1t\xa7welcome\xa1x\xc3",
    "bad text": b"\x00\x00\x00\x07\x81\xa1t\xa3\xed\xa0\x80",
    "out of turn": b"\x00\x00\x00\x0b\x82\xa1t\xa4ping\xa1n\x01",
}


@pytest.mark.parametrize("said", HOSTILE)
async def test_a_hostile_server_is_one_exception(said: str, autojump_clock: MockClock) -> None:
    async def script(peer: Peer) -> None:
        await peer.hear()
        await peer.stream.send_all(HOSTILE[said])
        await trio.sleep_forever()

    assert isinstance(await fails(script), Broken)


@pytest.mark.parametrize("said", sorted(HOSTILE.keys() - {"out of turn"}))
async def test_a_server_that_turns_hostile_ends_the_session(said: str, autojump_clock: MockClock) -> None:
    async def script(peer: Peer) -> None:
        await peer.greet()
        await peer.say(VIEW)
        await peer.stream.send_all(HOSTILE[said])
        await trio.sleep_forever()

    async with playing(script, wait_for_ever) as (session, server):
        *_, ended = [message async for message in session.messages()]
        assert isinstance(ended, Ended)
        assert ended.broken
        assert len(server.dialled) == 1
