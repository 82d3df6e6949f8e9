"""The published specification says what the code does: its example frames, fields, codes and vector."""

import json
import re
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from engine.deal import commit_of, seed_of
from protocol.codes import CODES
from protocol.events import EVENT_TYPES
from protocol.frame import SERVER_DEPTH, SERVER_LIMIT, FrameReader, decode_payload, encode_frame
from protocol.messages import REQUEST_TYPES, View, Welcome, parse_request, parse_server
from protocol.requests import Act, Hello

PAGE = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text(encoding="utf-8")


class Example(NamedTuple):
    """One example frame: its title, what it is said to mean, and its bytes."""

    title: str
    message: dict[str, Any]
    frame: bytes


def examples() -> list[Example]:
    found = re.findall(r"\*\*(.+?)\*\*\n\n```json\n(.+?)\n```\n\n```hex\n(.+?)\n```", PAGE, re.DOTALL)
    return [Example(title, _bins(json.loads(text)), bytes.fromhex(dump)) for title, text, dump in found]


def _bins(value: Any) -> Any:
    match value:
        case str() if value.startswith("0x"):
            return bytes.fromhex(value[2:])
        case list():
            return [_bins(each) for each in value]
        case dict():
            return {name: _bins(each) for name, each in value.items()}
        case _:
            return value


def section(number: str) -> str:
    return PAGE.split(f"\n## {number}.")[1].split("\n## ")[0]


def row(text: str, name: str) -> str:
    """The table row whose first cell names `name`."""
    (found,) = re.findall(rf"^\|[^|\n]*`{name}\??`[^|\n]*\|.*$", text, re.MULTILINE)
    return str(found)


def fields_of(kind: Any) -> set[str]:
    return {each.encode_name for each in msgspec.structs.fields(kind)}


@pytest.mark.parametrize("example", examples(), ids=[each.title for each in examples()])
def test_example_frame(example: Example) -> None:
    reader = FrameReader(SERVER_LIMIT)
    reader.feed(example.frame)
    (payload,) = reader.frames()
    assert decode_payload(payload, SERVER_DEPTH) == example.message
    assert encode_frame(example.message) == example.frame
    tag = example.message["t"]
    if tag == "hello" or tag in REQUEST_TYPES:
        assert parse_request(example.message)
    else:
        assert parse_server(example.message, "create" if tag == "ok" else None)


def test_examples_show_every_kind() -> None:
    tags = {each.message["t"] for each in examples()}
    assert tags >= {"hello", "welcome", "play", "dobon", "ok", "error", "event", "view", "ping"}
    assert len(examples()) == PAGE.count("```hex")


@pytest.mark.parametrize("tag", REQUEST_TYPES)
def test_request_fields_are_on_the_page(tag: str) -> None:
    told, kind = row(section("3").split("### Lobby")[1], tag), REQUEST_TYPES[tag]
    given = {"id", "table", "on"} if issubclass(kind, Act) else {"id"}
    for name in fields_of(kind) - given:
        assert re.search(rf"`{name}\??`", told), name


@pytest.mark.parametrize("ev", EVENT_TYPES)
def test_event_fields_are_on_the_page(ev: str) -> None:
    told = row(section("4").split("### The view")[0], ev).split("|")[2]
    assert set(re.findall(r"`([a-z_]+)[*?]?`", told)) >= fields_of(EVENT_TYPES[ev]) - {"table", "seq", "at"}


def test_fields_of_hello_and_welcome_are_on_the_page() -> None:
    for kind, text in zip((Hello, Welcome), section("2").split("| `welcome` | |"), strict=True):
        for name in fields_of(kind):
            assert row(text, name)


def test_fields_of_a_view_are_on_the_page() -> None:
    for name in fields_of(View) - {"table", "seq", "at"}:
        assert row(section("4").split("### The view")[1], name)


def test_codes_are_on_the_page() -> None:
    assert set(re.findall(r"^\| `(\w+)`", section("7"), re.MULTILINE)) == CODES


def test_vector_of_commit_and_seed() -> None:
    found = dict(re.findall(r"^(commit|seed) +([0-9a-f]{64})$", PAGE, re.MULTILINE))
    secret = bytes(range(32))
    assert bytes.fromhex(found["commit"]) == commit_of(secret)
    assert bytes.fromhex(found["seed"]) == seed_of(secret, [b"\xaa\xbb", None, b"", None])
