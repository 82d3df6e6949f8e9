"""Each end of a conversation: what may come when, answers matched, what is sent again, seq without gaps."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from protocol.codes import FrameError, RequestError
from protocol.connection import Answer, ClientConnection, Received, ServerConnection, State
from protocol.events import Passed
from protocol.frame import SERVER_LIMIT, FrameReader, decode_payload, encode_frame
from protocol.messages import (
    Chat,
    Create,
    Dobon,
    Draw,
    Error,
    Hello,
    Leave,
    OkCreate,
    OkTables,
    Ping,
    Play,
    Pong,
    Rps,
    Sync,
    Tables,
    View,
    Welcome,
)

HELLO = {"t": "hello", "versions": [1], "name": "Haru", "agent": "test/1"}
LIMITS = {"frame": 4096, "rate": 20, "burst": 40, "unsent": 262144, "name": 16, "chat": 200}


def payload(data: Mapping[str, Any]) -> bytes:
    return encode_frame(data)[4:]


def welcome(**changes: Any) -> bytes:
    return encode_frame(
        {
            "t": "welcome",
            "version": 1,
            "server": "dobon/0.1",
            "player": 17,
            "token": "secret",
            "resumed": False,
            "last_id": 0,
            "clock": "kernel",
            "seeded": False,
            "heartbeat": 10_000,
            "limits": LIMITS,
            **changes,
        }
    )


def view(table: int, seq: int) -> bytes:
    return encode_frame(
        {
            "t": "view",
            "table": table,
            "seq": seq,
            "at": 0,
            "you": None,
            "name": "T",
            "host": None,
            "rules": {},
            "settings": {},
            "paused": False,
            "spectators": [],
            "seats": [],
            "phase": "open",
        }
    )


def event(table: int, seq: int, ev: str = "passed", **more: Any) -> bytes:
    return encode_frame({"t": "event", "ev": ev, "table": table, "seq": seq, "at": 0, "seat": 1, **more})


def ok(re: int, **more: Any) -> bytes:
    return encode_frame({"t": "ok", "re": re, **more})


def error(code: str, **more: Any) -> bytes:
    return encode_frame({"t": "error", "code": code, "message": "…", **more})


def said(client: ClientConnection) -> list[dict[str, Any]]:
    """What the client sends now."""
    reader = FrameReader(SERVER_LIMIT)
    reader.feed(client.data_to_send())
    return [decode_payload(each) for each in reader.frames()]


def heard(client: ClientConnection, *frames: bytes) -> list[Received]:
    return list(client.receive(b"".join(frames)))


@pytest.fixture
def client() -> ClientConnection:
    """A client that has been welcomed."""
    made = ClientConnection("Haru", "test/1")
    made.connect()
    assert said(made) == [HELLO]
    assert isinstance(heard(made, welcome())[0], Welcome)
    return made


def test_server_takes_hello_then_requests() -> None:
    server = ServerConnection()
    assert isinstance(server.receive(payload(HELLO)), Hello)
    assert server.receive(payload({"t": "ping", "n": 1})) == Ping(n=1)
    assert server.receive(payload({"t": "pong", "n": 1})) == Pong(n=1)
    assert server.receive(payload({"t": "tables", "id": 1})) == Tables(id=1)
    for bad in ({"t": "nope", "id": 2}, {"t": "draw", "id": 3}, {"t": "draw"}, {}):
        with pytest.raises(RequestError):
            server.receive(payload(bad))
    assert server.state is State.OPEN


@pytest.mark.parametrize("first", [{"t": "ping", "n": 1}, {"t": "tables", "id": 1}, {"t": "nope"}, {}])
def test_server_wants_hello_first(first: dict[str, Any]) -> None:
    server = ServerConnection()
    with pytest.raises(RequestError) as caught:
        server.receive(payload(first))
    assert caught.value.code == "bad_request"
    assert server.state is State.CLOSED
    with pytest.raises(FrameError):
        server.receive(payload(HELLO))


@pytest.mark.parametrize("second", [HELLO, {"t": "hello"}, {**HELLO, "versions": [9]}])
def test_server_takes_one_hello(second: dict[str, Any]) -> None:
    server = ServerConnection()
    server.receive(payload(HELLO))
    with pytest.raises(RequestError) as caught:
        server.receive(payload(second))
    assert caught.value.code == "bad_request"
    assert server.state is State.CLOSED


@pytest.mark.parametrize(
    ("hello", "code"),
    [({**HELLO, "versions": [9]}, "version"), ({"t": "hello", "versions": [1]}, "bad_request")],
)
def test_server_closes_on_a_bad_hello(hello: dict[str, Any], code: str) -> None:
    server = ServerConnection()
    with pytest.raises(RequestError) as caught:
        server.receive(payload(hello))
    assert (caught.value.code, server.state) == (code, State.CLOSED)


def test_server_closes_on_a_bad_frame() -> None:
    server = ServerConnection()
    server.receive(payload(HELLO))
    with pytest.raises(FrameError):
        server.receive(b"\xc1")
    assert server.state is State.CLOSED


def test_client_numbers_requests_and_matches_answers(client: ClientConnection) -> None:
    assert [client.send(Tables()), client.send(Create()), client.send(Draw(table=1, on=3))] == [1, 2, 3]
    assert [(each["t"], each["id"]) for each in said(client)] == [("tables", 1), ("create", 2), ("draw", 3)]
    received = heard(client, ok(2, table=4, seat=None), error("stale", re=3), ok(1, tables=[]), ok(9))
    answers = [each for each in received if isinstance(each, Answer)]
    assert [(each.request.id, type(each.reply)) for each in answers] == [
        (2, OkCreate),
        (3, Error),
        (1, OkTables),
    ]
    assert len(received) == 3
    assert client.unanswered == []


def test_client_answers_pings_and_hands_on_pongs(client: ClientConnection) -> None:
    assert client.ping() == 1
    assert heard(client, encode_frame({"t": "ping", "n": 8}), encode_frame({"t": "pong", "n": 1})) == [
        Pong(n=1)
    ]
    assert said(client) == [{"t": "ping", "n": 1}, {"t": "pong", "n": 8}]


def test_client_is_silent_behind_a_dobon(client: ClientConnection) -> None:
    client.send(Play(table=1, on=5, card="7H"))
    claim = client.send(Dobon(table=1, on=4))
    client.send(Chat(table=1, text="!"))
    assert [each["t"] for each in said(client)] == ["play", "dobon"]
    heard(client, encode_frame({"t": "ping", "n": 1}), ok(1))
    assert said(client) == []
    heard(client, ok(claim))
    assert [each["t"] for each in said(client)] == ["chat", "pong"]
    opening = client.send(Play(table=1, on=6, card="7S"), alone=True)
    client.send(Tables())
    assert [each["t"] for each in said(client)] == ["play"]
    heard(client, error("not_now", re=opening))
    assert [each["t"] for each in said(client)] == ["tables"]


def test_client_resends_what_is_unanswered_after_a_resume(client: ClientConnection) -> None:
    client.send(Tables())
    client.send(Dobon(table=1, on=4))
    client.send(Chat(table=1, text="!"))
    said(client)
    heard(client, ok(1, tables=[]), ok(3))
    client.send(Draw(table=1, on=9))
    client.connect()
    client.send(Sync(table=1))
    (hello,) = said(client)
    assert hello == {**HELLO, "token": "secret"}
    assert [type(each) for each in heard(client, welcome(resumed=True, last_id=3))] == [Welcome]
    assert [(each["t"], each["id"]) for each in said(client)] == [("dobon", 2)]
    heard(client, error("duplicate", re=2))
    assert [(each["t"], each["id"]) for each in said(client)] == [("draw", 4), ("sync", 5)]


def test_client_goes_on_from_the_servers_last_id() -> None:
    client = ClientConnection("Haru", "test/1", token="kept")
    client.connect()
    assert said(client) == [{**HELLO, "token": "kept"}]
    heard(client, welcome(resumed=True, last_id=40))
    assert client.send(Tables()) == 41


def test_client_loses_what_its_session_lost(client: ClientConnection) -> None:
    client.send(Draw(table=1, on=9))
    client.connect()
    first, lost = heard(client, welcome())
    assert isinstance(first, Welcome)
    assert lost == Answer(Draw(id=1, table=1, on=9), None)
    assert client.send(Tables()) == 1


def test_client_wants_every_seq(client: ClientConnection) -> None:
    assert heard(client, event(1, 4)) == []
    received = heard(client, view(1, 4), event(1, 4), event(1, 5), event(2, 1))
    assert [type(each) for each in received] == [View, Passed]
    assert len(heard(client, event(1, 6, "juggled"), event(1, 7))) == 1
    assert heard(client, event(1, 9), event(1, 10)) == []
    (sync,) = said(client)
    assert (sync["t"], sync["table"]) == ("sync", 1)
    received = heard(client, ok(sync["id"]), view(1, 10), event(1, 11))
    assert [type(each) for each in received] == [View, Passed]


def test_client_asks_again_if_sync_is_refused_for_now(client: ClientConnection) -> None:
    heard(client, view(1, 4), event(1, 6))
    (sync,) = said(client)
    assert heard(client, error("rate", re=sync["id"])) == []
    assert said(client) == []
    heard(client, event(1, 7))
    (again,) = said(client)
    (gone,) = heard(client, error("not_at_table", re=again["id"]), event(1, 8))
    assert isinstance(gone, Answer)
    assert said(client) == []


def test_client_forgets_a_table_it_left(client: ClientConnection) -> None:
    heard(client, view(1, 4), view(2, 1), view(3, 1))
    leave = client.send(Leave(table=1))
    heard(client, ok(leave), error("kicked", table=2))
    assert len(heard(client, event(3, 2, "closed", why="empty"))) == 1
    said(client)
    assert heard(client, event(1, 9), event(2, 9), event(3, 9)) == []
    assert said(client) == []


def test_client_keeps_tables_over_a_resume_until_their_views(client: ClientConnection) -> None:
    heard(client, view(1, 4))
    client.connect()
    assert len(heard(client, welcome(resumed=True), event(1, 5), view(1, 90), event(1, 91))) == 3
    assert [each["t"] for each in said(client)] == ["hello"]


def test_client_asks_after_a_table_whose_view_does_not_come(client: ClientConnection) -> None:
    heard(client, view(1, 4), view(2, 1), view(3, 1))
    client.connect()
    heard(client, welcome(resumed=True), view(2, 1))
    assert [each["t"] for each in said(client)] == ["hello"]
    # Of 3 something comes before its view: it is there.
    assert heard(client, event(3, 2)) == []
    (sync,) = said(client)
    assert (sync["t"], sync["table"]) == ("sync", 1)
    received = heard(client, view(3, 2), error("no_table", re=sync["id"]), event(2, 2), event(1, 5))
    assert [type(each) for each in received] == [View, Answer, Passed]
    assert said(client) == []


@pytest.mark.parametrize(
    ("frame", "again"),
    [
        (error("replaced"), False),
        (error("kicked", table=1), False),
        (error("bad_frame"), False),
        (error("slow"), True),
        (error("shutdown", resume=True), True),
        (error("shutdown", resume=False), False),
        (error("rate"), True),
    ],
)
def test_client_knows_when_not_to_come_back(client: ClientConnection, frame: bytes, again: bool) -> None:
    assert client.may_reconnect
    (told,) = heard(client, frame)
    assert isinstance(told, Error)
    assert client.may_reconnect is again


def test_kick_is_forgotten_at_the_next_table(client: ClientConnection) -> None:
    heard(client, error("kicked", table=1), ok(client.send(Create()), table=2, seat=0))
    assert client.may_reconnect


def test_a_kick_from_the_server_ends_the_session(client: ClientConnection) -> None:
    (told,) = heard(client, error("kicked"))
    assert (client.end, client.may_reconnect) == (told, False)


def test_a_session_outlives_a_server_that_can_not_take_it_up_now(client: ClientConnection) -> None:
    """It is full, or can write nothing down; so it says to who resumes too."""
    client.connect()
    (told,) = heard(client, error("server_full"))
    assert (client.end, client.state, client.may_reconnect) == (told, State.CLOSED, True)
    client.connect()
    (resumed,) = heard(client, welcome(resumed=True))
    assert isinstance(resumed, Welcome)


@pytest.mark.parametrize(
    "code", ["name_taken", "token_unknown", "tls_required", "version", "kicked", "rate", "server_full"]
)
def test_client_ends_on_a_refused_hello(code: str) -> None:
    client = ClientConnection("Haru", "test/1")
    client.connect()
    (told,) = heard(client, error(code, versions=[2]), event(1, 1))
    assert isinstance(told, Error)
    assert (client.end, client.state, client.may_reconnect) == (told, State.CLOSED, False)


@pytest.mark.parametrize(
    "frame",
    [
        b"\x00\x00\x00\x00",
        b"\xff\xff\xff\xff",
        b"\x00\x00\x00\x05\xdb\xff\xff\xff\xff",
        welcome(),
        encode_frame({"t": "view", "table": 1}),
        encode_frame({"t": "ok", "re": 1, "tables": 3}),
    ],
)
def test_client_stops_at_a_server_that_breaks_the_protocol(client: ClientConnection, frame: bytes) -> None:
    client.send(Tables())
    with pytest.raises(FrameError):
        heard(client, frame)
    assert client.state is State.CLOSED
    assert not client.may_reconnect


@pytest.mark.parametrize(
    "flood",
    [
        lambda number: encode_frame({"t": "ping", "n": number}),
        lambda number: view(number + 1, 1),
        lambda number: view(1, 3 * number) + event(1, 3 * number + 2),
    ],
    ids=["pings", "tables", "gaps"],
)
def test_nothing_piles_up_for_a_server_that_does_not_listen(
    client: ClientConnection, flood: Callable[[int], bytes]
) -> None:
    said = b"".join(map(flood, range(2000)))
    with pytest.raises(FrameError):
        list(client.receive(said))
    assert not client.may_reconnect


def test_over_tls_the_length_of_a_frame_tells_nothing(client: ClientConnection) -> None:
    client.padded = True
    lengths = set()
    for throw in ("rock", "paper", "scissors"):
        client.send(Rps(table=3, on=5, throw=throw))
        lengths.add(len(client.data_to_send()))
    assert lengths == {256}
    client.send(Play(table=3, on=5, card="8H", suit="S"))
    assert len(client.data_to_send()) == 256
    client.send(Chat(table=3, text="x" * 4000))
    assert len(client.data_to_send()) < 4100
    client.connect()
    assert len(client.data_to_send()) == 256


def test_client_wants_welcome_first() -> None:
    client = ClientConnection("Haru", "test/1")
    client.connect()
    with pytest.raises(FrameError):
        heard(client, view(1, 1))


def test_client_refuses_what_it_cannot_say(client: ClientConnection) -> None:
    for text in ("\udc80", "x" * 5000):
        with pytest.raises(ValueError, match=r"surrogates|limit"):
            client.send(Chat(table=1, text=text))
    assert client.send(Tables()) == 1
    with pytest.raises(ValueError, match="session"):
        ClientConnection("Haru", "test/1").send(Tables())
