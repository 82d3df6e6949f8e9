"""What is typed and what is pasted, as it comes from a terminal piece by piece."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from client.keyboard import BEGIN, END, TYPED, Reader

PASTE = "d\r" * TYPED
Line = tuple[Reader, int]


@pytest.fixture
def line() -> Iterator[Line]:
    """A reader, and where its terminal writes."""
    source, target = os.pipe()
    yield Reader(source, "utf-8"), target
    os.close(source)


def read(line: Line, *pieces: str) -> list[str]:
    """What is read of each piece."""
    reader, target = line
    found = []
    for piece in pieces:
        os.write(target, piece.encode())
        found.append(reader.read())
    return found


def test_what_is_typed_stays_as_it_is(line: Line) -> None:
    typed = ["d", "create preset=pageone hand=6\r", "\x1b[A" * TYPED, "♠" * TYPED]
    assert read(line, *typed) == typed


def test_more_than_anybody_types_was_pasted(line: Line) -> None:
    assert read(line, PASTE) == [BEGIN + PASTE + END]


def test_so_was_what_comes_right_behind(line: Line, monkeypatch: pytest.MonkeyPatch) -> None:
    now = iter([100.0, 100.04, 100.08, 100.14]).__next__
    monkeypatch.setattr("client.keyboard.time.monotonic", now)
    assert read(line, PASTE, "d", "p", "d") == [
        BEGIN + PASTE + END,
        BEGIN + "d" + END,
        BEGIN + "p" + END,
        "d",
    ]


def test_a_key_behind_it_is_one(line: Line) -> None:
    assert read(line, PASTE + "\x1b[A\r") == [BEGIN + PASTE + END + "\x1b[A\r"]


def test_a_terminal_that_marks_its_pastes_is_left_to_it(line: Line) -> None:
    pieces = [BEGIN + PASTE, PASTE, PASTE + END, "d", PASTE]
    assert read(line, *pieces) == [*pieces[:4], BEGIN + PASTE + END]


def test_the_end_of_the_terminal(line: Line) -> None:
    reader, target = line
    assert reader.read() == ""
    assert not reader.closed
    os.close(target)
    assert reader.read() == ""
    assert reader.closed
