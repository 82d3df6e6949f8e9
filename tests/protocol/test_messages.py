"""Messages: every request and server message there and back, and one fixed answer for every bad field."""

from typing import Any

import pytest
from hypothesis import given

from engine.cards import CARDS
from protocol.codes import FrameError, RequestError
from protocol.events import EVENT_TYPES
from protocol.frame import SERVER_DEPTH, decode_payload, encode_frame
from protocol.messages import (
    OK_TYPES,
    REQUEST_TYPES,
    Error,
    Hello,
    Ok,
    Ping,
    Play,
    Pong,
    Unknown,
    View,
    Welcome,
    choose_version,
    parse_request,
    parse_server,
    request_id,
    to_data,
)
from tests.protocol.strategies import built

REQUESTS: dict[str, dict[str, Any]] = {
    "tables": {},
    "create": {
        "name": "T",
        "rules": {"preset": "dobon", "effects": {"A": "skip"}},
        "settings": {"grace": 0},
        "seats": 4,
        "bots": ["easy", "hard"],
        "password": "p",
        "sit": False,
    },
    "join": {"table": 1, "seat": 0, "password": "p"},
    "watch": {"table": 1, "password": "p"},
    "leave": {"table": 1},
    "bot": {"table": 1, "seat": 7, "level": "normal"},
    "rules": {"table": 1, "rules": {"hand": 6}, "settings": {"turn_time": 2000}},
    "start": {"table": 1, "fill": "easy"},
    "pause": {"table": 1, "on": True},
    "kick": {"table": 1, "seat": 3},
    "chat": {"table": 1, "text": "ドボン！"},
    "sync": {"table": 1},
    "play": {"table": 1, "on": 9, "card": "8H", "suit": "S", "call": True},
    "draw": {"table": 1, "on": 9},
    "pass": {"table": 1, "on": 9},
    "dobon": {"table": 1, "on": 9},
    "waive": {"table": 1, "on": 9},
    "rps": {"table": 1, "on": 9, "throw": "paper"},
    "ready": {"table": 1, "on": 9, "nonce": bytes(32)},
}
OPTIONAL = {
    "create": {"name", "rules", "settings", "seats", "bots", "password", "sit"},
    "join": {"seat", "password"},
    "watch": {"password"},
    "rules": {"rules", "settings"},
    "start": {"fill"},
    "play": {"suit", "call"},
    "ready": {"nonce"},
}
NULLABLE = {("bot", "level")}
ODD_INTS = [True, False, "1", b"1", None, [], {}, 0, -1, -(2**53)]


def request(tag: str, **changes: Any) -> dict[str, Any]:
    return {"t": tag, "id": 5, **REQUESTS[tag], **changes}


def refusal(data: dict[str, Any]) -> RequestError:
    with pytest.raises(RequestError) as caught:
        parse_request(data)
    return caught.value


def test_there_is_an_example_of_every_request() -> None:
    assert REQUESTS.keys() == REQUEST_TYPES.keys()


@pytest.mark.parametrize("tag", REQUESTS)
def test_request_there_and_back(tag: str) -> None:
    data = request(tag)
    message = parse_request(decode_payload(encode_frame({**data, "later": [1], "pad": bytes(9)})[4:]))
    assert type(message) is REQUEST_TYPES[tag]
    assert to_data(message) == data


@pytest.mark.parametrize("tag", REQUESTS)
def test_optional_fields_may_be_left_out_or_nil_and_no_others(tag: str) -> None:
    optional = OPTIONAL.get(tag, set())
    for name in REQUESTS[tag]:
        without = request(tag)
        del without[name]
        if name in optional:
            assert getattr(parse_request(without), name) is None
            assert parse_request(request(tag, **{name: None})) == parse_request(without)
            continue
        error = refusal(without)
        assert (error.code, error.field, error.re) == ("bad_request", name, 5)
        if (tag, name) not in NULLABLE:
            assert refusal(request(tag, **{name: None})).field == name


INT_FIELDS = [
    (tag, name)
    for tag, example in REQUESTS.items()
    for name, value in example.items()
    if type(value) is int and name != "seats"
]


@pytest.mark.parametrize(("tag", "name"), INT_FIELDS)
@pytest.mark.parametrize("value", ODD_INTS, ids=repr)
def test_int_fields_are_exact(tag: str, name: str, value: object) -> None:
    if name == "seat" and value == 0 and type(value) is int:
        assert parse_request(request(tag, seat=0))
    elif name in ("table", "on") and type(value) is int:
        # The server knows no such table or event: `no_table`, `stale`.
        assert getattr(parse_request(request(tag, **{name: value})), name) == value
    elif name in OPTIONAL.get(tag, set()) and value is None:
        assert parse_request(request(tag, **{name: None}))
    else:
        error = refusal(request(tag, **{name: value}))
        assert (error.code, error.field, error.re) == ("bad_request", name, 5)


@pytest.mark.parametrize("value", [*ODD_INTS, 2**53 + 1], ids=repr)
@pytest.mark.parametrize("tag", ["tables", "play"])
def test_id_is_a_positive_int(tag: str, value: object) -> None:
    error = refusal(request(tag, id=value))
    assert (error.code, error.field, error.re) == ("bad_request", "id", None)
    assert request_id({"id": value}) is None


def test_id_missing() -> None:
    data = request("play")
    del data["id"]
    assert (refusal(data).code, refusal(data).field) == ("bad_request", "id")


BAD_VALUES: list[tuple[str, str, Any]] = [
    ("create", "name", 3),
    ("create", "name", b"x"),
    ("create", "rules", []),
    ("create", "settings", "fast"),
    ("create", "seats", True),
    ("create", "seats", "4"),
    ("create", "bots", "easy"),
    ("create", "bots", ["godlike"]),
    ("create", "bots", [None]),
    ("create", "bots", {"easy": 1}),
    ("create", "password", 1),
    ("create", "sit", 1),
    ("create", "sit", "yes"),
    ("join", "seat", 8),
    ("kick", "seat", 255),
    ("bot", "level", "Easy"),
    ("bot", "level", 1),
    ("start", "fill", ""),
    ("pause", "on", 1),
    ("pause", "on", "true"),
    ("chat", "text", 1),
    ("chat", "text", b"hello"),
    ("play", "card", "1H"),
    ("play", "card", "10H"),
    ("play", "card", "7h"),
    ("play", "card", "7H\n"),
    ("play", "card", "H7"),
    ("play", "card", "X3"),
    ("play", "card", "XS"),
    ("play", "card", "X"),
    ("play", "card", ""),
    ("play", "card", "♥7"),
    ("play", "card", 7),
    ("play", "card", b"7H"),
    ("play", "card", ["7H"]),
    ("play", "suit", "s"),
    ("play", "suit", "X"),
    ("play", "suit", ""),
    ("play", "suit", 0),
    ("play", "call", 1),
    ("rps", "throw", "ROCK"),
    ("rps", "throw", "lizard"),
    ("rps", "throw", 0),
    ("ready", "nonce", bytes(33)),
    ("ready", "nonce", "AAAA"),
    ("ready", "nonce", [0]),
]


@pytest.mark.parametrize(("tag", "name", "value"), BAD_VALUES)
def test_bad_value_names_its_field(tag: str, name: str, value: object) -> None:
    error = refusal(request(tag, **{name: value}))
    assert (error.code, error.field, error.re) == ("bad_request", name, 5)


@pytest.mark.parametrize("tag", ["", "Play", "welcome", "event", "ok", "view", "no such"])
def test_unknown_type(tag: str) -> None:
    assert (refusal({"t": tag, "id": 9}).code, refusal({"t": tag, "id": 9}).re) == ("unknown_type", 9)
    assert refusal({"t": tag}).re is None


@pytest.mark.parametrize("tag", [None, 1, True, b"play", ["play"], {"t": "play"}], ids=repr)
def test_tag_that_is_no_text(tag: object) -> None:
    error = refusal({"t": tag, "id": 9})
    assert (error.code, error.field, error.re) == ("bad_request", "t", 9)
    assert refusal({}).field == "t"


def test_cards_are_the_engines_cards() -> None:
    for text in CARDS:
        assert isinstance(parse_request(request("play", card=text)), Play)
    with pytest.raises(RequestError):
        parse_request(request("play", card="TX"))


def test_rules_pass_as_plain_data() -> None:
    rules = {"preset": "nope", "hand": -3, "effects": {"A": None}, "extra": [1, {"a": b"x"}]}
    message = parse_request(request("create", rules=rules))
    assert to_data(message)["rules"] == rules


@pytest.mark.parametrize("versions", [None, "1", 1, [], [0], [-1], [999], ["1"], [True], [None], {"1": 1}])
def test_hello_of_another_version(versions: object) -> None:
    for data in ({"name": "Haru", "agent": "x/1"}, {}):
        assert refusal({"t": "hello", "versions": versions, **data}).code == "version"
    assert refusal({"t": "hello", "name": "Haru"}).code == "version"


def test_hello() -> None:
    hello = parse_request({"t": "hello", "versions": [7, 1], "name": "Haru", "agent": "x/1", "new": 1})
    assert hello == Hello(versions=[7, 1], name="Haru", agent="x/1")
    assert choose_version([7, 1]) == 1
    for name, value in (("name", None), ("name", 3), ("agent", 1), ("token", b"x"), ("password", 4)):
        error = refusal({"t": "hello", "versions": [1], "name": "H", "agent": "x", name: value})
        assert (error.code, error.field, error.re) == ("bad_request", name, None)


@pytest.mark.parametrize("n", [None, "1", True, b"", []], ids=repr)
def test_ping_and_pong_carry_an_int(n: object) -> None:
    for tag in ("ping", "pong"):
        assert refusal({"t": tag, "n": n}).field == "n"
    assert parse_request({"t": "ping", "n": -4}) == Ping(n=-4)


@pytest.mark.parametrize("kind", EVENT_TYPES.values(), ids=EVENT_TYPES.keys())
def test_event_there_and_back(kind: Any) -> None:
    @given(built(kind))
    def check(event: Any) -> None:
        data = to_data(event)
        assert (data["t"], EVENT_TYPES[data["ev"]]) == ("event", kind)
        payload = encode_frame({**data, "later": 1})[4:]
        assert parse_server(decode_payload(payload, SERVER_DEPTH)) == event

    check()


@pytest.mark.parametrize("kind", [Welcome, Error, View, Ping, Pong])
def test_reply_there_and_back(kind: Any) -> None:
    @given(built(kind))
    def check(reply: Any) -> None:
        payload = encode_frame({**to_data(reply), "later": 1})[4:]
        assert parse_server(decode_payload(payload, SERVER_DEPTH)) == reply

    check()


@pytest.mark.parametrize(("asked", "kind"), [*OK_TYPES.items(), ("draw", Ok)])
def test_ok_is_read_by_what_was_asked(asked: str, kind: Any) -> None:
    @given(built(kind))
    def check(reply: Any) -> None:
        found = parse_server(decode_payload(encode_frame(to_data(reply))[4:], SERVER_DEPTH), asked)
        assert (type(found), found) == (kind, reply)

    check()


def test_server_may_say_what_a_client_does_not_know() -> None:
    assert parse_server({"t": "weather", "sun": True}) is None
    event = parse_server({"t": "event", "ev": "juggled", "table": 1, "seq": 4, "at": 0, "balls": 3})
    assert event == Unknown(table=1, seq=4, at=0)
    assert parse_server({"t": "error", "code": "of_tomorrow"}) == Error(code="of_tomorrow")


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"t": 1},
        {"t": "event", "table": 1, "seq": 1, "at": 1},
        {"t": "event", "ev": 3, "table": 1, "seq": 1, "at": 1},
        {"t": "event", "ev": "passed", "table": 1, "seq": 1, "at": 1},
        {"t": "event", "ev": "passed", "table": 1, "seq": 0, "at": 1, "seat": 0},
        {"t": "event", "ev": "juggled", "table": 1, "at": 1},
        {"t": "ok"},
        {"t": "ok", "re": "1"},
        {"t": "welcome"},
        {"t": "view", "table": 1},
    ],
    ids=repr,
)
def test_server_that_breaks_its_schema(data: dict[str, Any]) -> None:
    with pytest.raises(FrameError) as caught:
        parse_server(data)
    assert caught.value.code == "bad_frame"
