"""Frames: cutting a stream, refusing hostile bytes, and saying what was meant."""

import itertools
import struct
import sys
import tracemalloc
from typing import Any

import msgpack  # type: ignore[import-untyped]
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.codes import FrameError
from protocol.frame import (
    CLIENT_LIMIT,
    INT_LIMIT,
    SERVER_LIMIT,
    FrameReader,
    decode_payload,
    encode_frame,
    pad_frame,
)

scalars = (
    st.none()
    | st.booleans()
    | st.integers(-INT_LIMIT, INT_LIMIT)
    | st.text(max_size=20)
    | st.binary(max_size=40)
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
messages = st.dictionaries(st.text(max_size=8), values, max_size=20)


def key(value: bytes) -> bytes:
    """A map `{x: value}`, the value given as bytes."""
    return b"\x81\xa1x" + value


def nested(levels: int, kind: str) -> bytes:
    """A map whose key `x` holds so many levels in all, the map itself counted."""
    steps = {"array": [b"\x91"], "map": [b"\x81\xa1y"], "mixed": [b"\x91", b"\x81\xa1y"]}[kind]
    if levels == 1:
        return b"\x81\xa1x\xc0"
    return key(b"".join(itertools.islice(itertools.cycle(steps), levels - 2)) + b"\x90")


HOSTILE = {
    "str32 of 4 GiB": b"\xdb\xff\xff\xff\xff",
    "str32 of 4 GiB in a map": key(b"\xdb\xff\xff\xff\xff"),
    "bin32 of 4 GiB": key(b"\xc6\xff\xff\xff\xff"),
    "array32 of 2 Gi": b"\xdd\x7f\xff\xff\xff",
    "array32 of 2 Gi in a map": key(b"\xdd\x7f\xff\xff\xff"),
    "map32 of 4 Gi": b"\xdf\xff\xff\xff\xff",
    "map16 of 65535": b"\xde\xff\xff",
    "array16 inside array16, each claiming all": key(b"\xdc\x0f\xff" * 1300),
    "nine bytes of nested claims": b"\xdd\xff\xff\xff\xff\xdd\xff\xff\xff",
    "4,000 nested arrays": b"\x91" * 4000,
    "4,000 nested arrays in a map": key(b"\x91" * 4000),
    "1,300 nested maps": b"\x81\xa1x" * 1300,
    "int key": b"\x81\x01\x01",
    "nil key": b"\x81\xc0\x01",
    "bool key": b"\x81\xc3\x01",
    "array key": b"\x81\x90\x01",
    "map key": b"\x81\x80\x01",
    "bin key": b"\x81\xc4\x01x\x01",
    "text key and bin key alike": b"\x82\xa1t\x01\xc4\x01t\x02",
    "same key twice": b"\x82\xa1t\x01\xa1t\x02",
    "same key twice, one in wide form": b"\x82\xa1t\x01\xd9\x01t\x02",
    "same key twice, deep inside": key(b"\x91\x82\xa1t\x01\xa1t\x02"),
    "float 1.0": key(b"\xcb\x3f\xf0" + bytes(6)),
    "float32": key(b"\xca\x3f\x80\x00\x00"),
    "NaN": key(b"\xcb\x7f\xf8" + bytes(6)),
    "-0.0": key(b"\xcb\x80" + bytes(7)),
    "2**64 - 1": key(b"\xcf" + b"\xff" * 8),
    "2**53 + 1": key(b"\xcf" + (INT_LIMIT + 1).to_bytes(8, "big")),
    "-2**63": key(b"\xd3\x80" + bytes(7)),
    "-2**53 - 1": key(b"\xd3" + (-INT_LIMIT - 1).to_bytes(8, "big", signed=True)),
    "timestamp 32": key(b"\xd6\xff" + bytes(4)),
    "timestamp 64": key(b"\xd7\xff" + bytes(8)),
    "timestamp 96": key(b"\xc7\x0c\xff" + bytes(12)),
    "timestamp of 3 bytes": key(b"\xc7\x03\xff" + bytes(3)),
    "unknown fixext 1": key(b"\xd4\x05\x00"),
    "unknown ext 8": key(b"\xc7\x01\x05\x00"),
    "ext 32 of 4 GiB": key(b"\xc9\xff\xff\xff\xff\x05"),
    "unused header": key(b"\xc1"),
    "text c3 28": key(b"\xa2\xc3\x28"),
    "text with a surrogate": key(b"\xa3\xed\xa0\x80"),
    "text in overlong form": key(b"\xa2\xc0\xaf"),
    "text cut in a character": key(b"\xa2\xe3\x81"),
    "key that is not UTF-8": b"\x81\xa2\xc3\x28\x01",
    "not a map: nil": b"\xc0",
    "not a map: array": b"\x90",
    "not a map: text": b"\xa1t",
    "two maps": b"\x80\x80",
    "map and a byte": b"\x81\xa1x\x01\x00",
    "cut: map": b"\x82\xa1x\x01",
    "cut: key": b"\x81\xa5he",
    "cut: int": key(b"\xcf\x00\x00"),
    "cut: int without a byte": key(b"\xd3"),
    "cut: length": key(b"\xda\x00"),
    "cut: array length": key(b"\xdc\x00"),
    "cut: fixext": key(b"\xd8\x05"),
    "empty": b"",
}


@pytest.mark.parametrize("payload", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_payload(payload: bytes) -> None:
    with pytest.raises(FrameError) as caught:
        decode_payload(payload)
    assert caught.value.code == "bad_frame"


ALLOWED: dict[str, tuple[bytes, object]] = {
    "int in wide form": (b"\xd3" + bytes(7) + b"\x07", 7),
    "int in u64 form": (b"\xcf" + bytes(7) + b"\x07", 7),
    "2**53": (b"\xcf" + INT_LIMIT.to_bytes(8, "big"), INT_LIMIT),
    "-2**53": (b"\xd3" + (-INT_LIMIT).to_bytes(8, "big", signed=True), -INT_LIMIT),
    "text in wide form": (b"\xdb\x00\x00\x00\x01a", "a"),
    "array in wide form": (b"\xdd\x00\x00\x00\x01\xc3", [True]),
    "map in wide form": (b"\xdf\x00\x00\x00\x01\xa1a\xc0", {"a": None}),
    "bin": (b"\xc4\x02ab", b"ab"),
    "text with NUL": (b"\xa1\x00", "\0"),
    "2,000 values": (b"\xdc\x07\xd0" + b"\xc0" * 2000, [None] * 2000),
}


@pytest.mark.parametrize(("value", "meaning"), ALLOWED.values(), ids=ALLOWED.keys())
def test_every_form_of_a_value_is_the_value(value: bytes, meaning: object) -> None:
    found = decode_payload(key(value))["x"]
    assert (found, type(found)) == (meaning, type(meaning))


@pytest.mark.parametrize("kind", ["array", "map", "mixed"])
def test_eight_levels_and_no_more(kind: str) -> None:
    for levels in range(1, 9):
        decode_payload(nested(levels, kind))
    with pytest.raises(FrameError):
        decode_payload(nested(9, kind))
    assert decode_payload(nested(9, kind), depth=32)


def test_hostile_payloads_cost_no_memory() -> None:
    tracemalloc.start()
    try:
        for payload in HOSTILE.values():
            before = tracemalloc.get_traced_memory()[0]
            tracemalloc.reset_peak()
            with pytest.raises(FrameError):
                decode_payload(payload)
            assert tracemalloc.get_traced_memory()[1] - before < 64 * 1024
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("prefix", "code"),
    [
        (b"\x00\x00\x00\x00", "bad_frame"),
        (struct.pack(">I", CLIENT_LIMIT + 1), "frame_too_large"),
        (b"\x80\x00\x00\x00", "frame_too_large"),
        (b"\xff\xff\xff\xff", "frame_too_large"),
    ],
)
def test_bad_length_is_refused_before_the_body(prefix: bytes, code: str) -> None:
    reader = FrameReader(CLIENT_LIMIT)
    reader.feed(encode_frame({"t": "a"}) + prefix)
    frames = reader.frames()
    assert decode_payload(next(frames)) == {"t": "a"}
    for again in (frames, reader.frames()):
        with pytest.raises(FrameError) as caught:
            next(again)
        assert caught.value.code == code
    reader.feed(encode_frame({"t": "b"}))
    with pytest.raises(FrameError):
        list(reader.frames())
    assert not reader.partial


@pytest.mark.parametrize("length", [CLIENT_LIMIT - 1, CLIENT_LIMIT])
def test_largest_frame_passes(length: int) -> None:
    payload = key(b"\xc5" + struct.pack(">H", length - 6) + bytes(length - 6))
    assert len(payload) == length
    reader = FrameReader(CLIENT_LIMIT)
    reader.feed(struct.pack(">I", length) + payload)
    (found,) = reader.frames()
    assert decode_payload(found) == {"x": bytes(length - 6)}


def test_three_bytes_of_a_prefix_wait() -> None:
    reader = FrameReader(CLIENT_LIMIT)
    reader.feed(b"\x00\x00\x00")
    assert list(reader.frames()) == []
    assert reader.partial
    reader.feed(b"\x01\x80")
    assert list(reader.frames()) == [b"\x80"]
    assert not reader.partial


def test_reader_left_in_the_middle_goes_on_there() -> None:
    reader = FrameReader(CLIENT_LIMIT)
    reader.feed(b"".join(encode_frame({"n": n}) for n in range(3)))
    assert decode_payload(next(reader.frames())) == {"n": 0}
    reader.feed(encode_frame({"n": 3}))
    assert [decode_payload(payload)["n"] for payload in reader.frames()] == [1, 2, 3]


@given(st.lists(messages, max_size=5), st.data())
def test_any_cut_of_a_stream_gives_the_same_messages(sent: list[dict[str, Any]], data: st.DataObject) -> None:
    stream = b"".join(encode_frame(message) for message in sent)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=8)))
    reader = FrameReader(SERVER_LIMIT)
    found = []
    for start, stop in itertools.pairwise([0, *cuts, len(stream)]):
        reader.feed(stream[start:stop])
        found += [decode_payload(payload, 32) for payload in reader.frames()]
    assert found == sent


def test_a_reader_keeps_no_more_than_what_is_to_come() -> None:
    reader = FrameReader(CLIENT_LIMIT)
    frame = encode_frame({"t": "a", "x": bytes(CLIENT_LIMIT - 10)})
    reader.feed(frame * 16 + frame[:-1])
    assert len(list(reader.frames())) == 16
    assert sys.getsizeof(reader._buffer) < 2 * CLIENT_LIMIT
    reader.feed(frame[-1:])
    assert len(list(reader.frames())) == 1


@given(st.lists(st.binary(max_size=30)))
def test_garbage_is_cut_or_refused_alike_however_it_comes(pieces: list[bytes]) -> None:
    def outcome(parts: list[bytes]) -> tuple[list[bytes], str | None]:
        reader, found = FrameReader(64), list[bytes]()
        for part in parts:
            reader.feed(part)
            try:
                found += reader.frames()
            except FrameError as error:
                return found, error.code
        return found, None

    whole = b"".join(pieces)
    single = outcome([bytes((byte,)) for byte in whole])
    assert outcome(pieces)[1] == single[1]
    assert outcome([whole])[1] == single[1]


@given(st.binary(max_size=200))
def test_arbitrary_bytes_decode_or_are_refused(payload: bytes) -> None:
    try:
        message = decode_payload(payload)
    except FrameError:
        return
    # Another decoder reads the same in it.
    assert msgpack.unpackb(payload) == message
    assert decode_payload(encode_frame(message)[4:]) == message


@given(messages)
def test_padding_changes_nothing_but_the_length(message: dict[str, Any]) -> None:
    message.pop("pad", None)
    padded = pad_frame(encode_frame(message))
    assert len(padded) % 256 == 0
    reader = FrameReader(SERVER_LIMIT)
    reader.feed(padded)
    (payload,) = reader.frames()
    found = decode_payload(payload, 32)
    assert not any(found.pop("pad"))
    assert found == message


@pytest.mark.parametrize("fields", [0, 1, 14, 15, 16, 70])
def test_padding_at_every_size_of_map_and_body(fields: int) -> None:
    for filling in range(0, 520, 7):
        message = {f"k{n}": n for n in range(fields)} | {"fill": "x" * filling}
        padded = pad_frame(encode_frame(message))
        assert len(padded) % 256 == 0
        assert decode_payload(padded[4:]) == message | {"pad": decode_payload(padded[4:])["pad"]}


def test_what_cannot_be_said_is_our_fault() -> None:
    with pytest.raises(ValueError, match="surrogates"):
        encode_frame({"text": "\udc80"})
    with pytest.raises(ValueError, match="limit"):
        encode_frame({"text": "x" * 5000}, CLIENT_LIMIT)
    with pytest.raises(ValueError, match="limit"):
        pad_frame(encode_frame({"text": "x" * (SERVER_LIMIT - 20)}))


@pytest.mark.parametrize("size", [3, 30, 300])
def test_keys_that_nobody_knows_are_let_go(size: int) -> None:
    """A key that is interned stays for ever where Python is 3.12."""
    key = "unheard of" * size
    message = decode_payload(encode_frame({"t": "ping", "n": 1, key: 1})[4:])
    (decoded,) = (each for each in message if each == key)
    fresh = "".join(key)  # a text of its own
    assert sys.intern(fresh) is not decoded
