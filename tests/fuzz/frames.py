"""Frames made by the messages' own types, and then spoilt in one way or another."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable
from typing import Any

import msgpack  # type: ignore[import-untyped]
import msgspec.inspect as kinds

from engine.cards import CARDS
from protocol.messages import EVENT_TYPES, Hello, Ping, Pong
from protocol.requests import REQUEST_TYPES

Data = dict[str, Any]

TYPES: tuple[kinds.StructType, ...] = tuple(
    info
    for kind in (Hello, Ping, Pong, *REQUEST_TYPES.values())
    if isinstance(info := kinds.type_info(kind), kinds.StructType)
)
TEXTS = ("", "x", "Haru", "\0", "\x1b[2J", "\u202e", "a\u0301", "\U0001f469\u200d\U0001f680", "x" * 300, "AS")
INTS = (0, 1, -1, 7, 8, 127, 128, 255, 256, 65535, 65536, 2**31, 2**32, 2**53, -(2**53))
BEYOND = (2**53 + 1, 2**63, 2**64 - 1, -(2**63))
RULES = ("preset", "hand", "rounds", "jokers", "effects", "claims", "opening", "no_such")
SETTINGS = ("grace", "turn_time", "claim_time", "bot_pace", "no_such")


def message(chance: random.Random, kind: str | None = None) -> Data:
    """A message that fits its type, of any kind or of the one named."""
    info = chance.choice(TYPES) if kind is None else next(each for each in TYPES if each.tag == kind)
    data: Data = {"t": info.tag}
    for field in info.fields:
        if field.required or chance.random() < 0.5:
            data[field.encode_name] = _value(chance, field.type, field.name)
    return data


def event(chance: random.Random, ev: str) -> Data:
    """An event of this kind that fits its type, as a server might say it."""
    info = kinds.type_info(EVENT_TYPES[ev])
    assert isinstance(info, kinds.StructType)
    fields = {each.encode_name: _value(chance, each.type, each.name) for each in info.fields}
    return {**fields, "t": "event", "ev": ev, "table": 3, "seq": 6, "at": 1001}


def _value(chance: random.Random, info: kinds.Type, name: str) -> Any:
    match info:
        case kinds.UnionType():
            return _value(chance, chance.choice(info.types), name)
        case kinds.ListType():
            least = info.min_length or 0
            most = least + 3 if info.max_length is None else info.max_length
            return [_value(chance, info.item_type, name) for _ in range(chance.randint(least, most))]
        case kinds.DictType():
            keys = RULES if name == "rules" else SETTINGS
            return {chance.choice(keys): anything(chance, 1) for _ in range(chance.randrange(4))}
        case kinds.NoneType():
            return None
        case kinds.BoolType():
            return chance.random() < 0.5
        case kinds.IntType():
            least = -(2**53) if info.ge is None else info.ge
            if info.le is not None:
                return chance.randint(least, info.le)
            return max(least, min(chance.choice(INTS), 2**53))
        case kinds.StrType():
            return chance.choice(TEXTS) if info.pattern is None else chance.choice(CARDS)
        case kinds.BytesType():
            return chance.randbytes(chance.randint(info.min_length or 0, info.max_length or 32))
        case kinds.LiteralType():
            return chance.choice(info.values)
        case kinds.StructType():
            return {each.encode_name: _value(chance, each.type, each.name) for each in info.fields}
        case kinds.AnyType():
            return anything(chance)
        case _:
            raise AssertionError(info)


def anything(chance: random.Random, depth: int = 3) -> Any:
    """Any value that a frame may hold, and some that it may not."""
    kind = chance.randrange(9 if depth else 6)
    match kind:
        case 0:
            return chance.choice((None, True, False))
        case 1:
            return chance.choice(INTS)
        case 2:
            return chance.choice(BEYOND)
        case 3:
            return chance.choice(TEXTS)
        case 4:
            return chance.randbytes(chance.randrange(40))
        case 5:
            return chance.choice((0.0, -0.0, 1.5, float("nan"), float("inf"), msgpack.Timestamp(1, 2)))
        case 6:
            return [anything(chance, depth - 1) for _ in range(chance.randrange(5))]
        case 7:
            return {chance.choice(TEXTS): anything(chance, depth - 1) for _ in range(chance.randrange(4))}
        case _:
            keys = (1, None, b"t", True, "t")
            return {chance.choice(keys): anything(chance, depth - 1) for _ in range(chance.randrange(4))}


def spoilt(chance: random.Random, data: Data) -> Data:
    """The message with one to three of its fields wrong, missing, or too many."""
    for _ in range(chance.randint(1, 3)):
        match chance.randrange(4):
            case 0:
                data.pop(chance.choice(list(data)))
                data = data or {"t": anything(chance)}
            case 1:
                data[chance.choice(list(data))] = anything(chance)
            case 2:
                data[chance.choice(TEXTS)] = anything(chance)
            case _:
                other = message(chance)
                data |= {key: other[key] for key in list(other)[: chance.randrange(3)]}
    return data


def flipped(chance: random.Random, payload: bytes) -> bytes:
    """Some of its bytes are others."""
    changed = bytearray(payload)
    for _ in range(chance.randint(1, 4)):
        changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed)


def _cut(chance: random.Random, payload: bytes) -> bytes:
    return payload[: chance.randrange(len(payload))] + chance.randbytes(chance.randrange(3))


def _twice(chance: random.Random, payload: bytes) -> bytes:
    """The first key once more: the map's header grows by one."""
    if not 0x80 < payload[0] < 0x8F:
        return payload
    return bytes([payload[0] + 1]) + b"\xa1t" + chance.choice((b"\xa4ping", b"\x01", b"\xc0")) + payload[1:]


def _nested(chance: random.Random, payload: bytes) -> bytes:
    deep = chance.choice((6, 7, 8, 9, 100, 4000))
    return (chance.choice((b"\x91", b"\x81\xa1t", b"\xdc\x00\x01")) * deep + b"\x01")[:4096]


def _huge(chance: random.Random, payload: bytes) -> bytes:
    header = chance.choice((b"\xdd", b"\xdf", b"\xdb", b"\xc6", b"\xc9"))
    return b"\x82\xa1t\xa4ping\xa1n" + header + chance.choice((b"\xff" * 4, b"\x7f" + b"\xff" * 3, bytes(4)))


def _wide(chance: random.Random, payload: bytes) -> bytes:
    """An int in a form wider than it needs."""
    forms = (b"\xcc\x01", b"\xcd\x00\x01", b"\xce\x00\x00\x00\x01", b"\xcf" + bytes(7) + b"\x01", b"\xd0\x01")
    return b"\x82\xa1t\xa4ping\xa1n" + chance.choice(forms)


def _noise(chance: random.Random, payload: bytes) -> bytes:
    return chance.randbytes(chance.choice((1, 3, 20, 200, 4096)))


_SPOILERS: tuple[Callable[[random.Random, bytes], bytes], ...] = (
    *(flipped, flipped, _cut, _twice, _nested, _huge, _wide, _noise),
)


def payload(chance: random.Random) -> bytes:
    """A payload, mostly of a message that almost fits."""
    data = message(chance)
    kind = chance.random()
    if kind < 0.4:
        data = spoilt(chance, data)
    packed: bytes = msgpack.packb(data)
    if 0.4 <= kind < 0.8:
        packed = chance.choice(_SPOILERS)(chance, packed)
    return packed[:4096] or b"\xc0"


def frame(chance: random.Random) -> bytes:
    """A frame, whose length is now and then a lie."""
    body = payload(chance)
    length = len(body)
    if chance.random() < 0.02:
        length = chance.choice((0, 1, length + 1, max(1, length - 1), 4097, 2**31, 2**32 - 1))
    return struct.pack(">I", length) + body
