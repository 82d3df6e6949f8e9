"""What is written to an outlet is taken at once, and leaves as fast as somebody reads."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator

import pytest

from client.outlet import Outlet
from tests.patience import PATIENCE

MUCH = "m" * 300_000
"""More than a pipe holds."""


@pytest.fixture
def ends() -> Iterator[tuple[Outlet, int]]:
    """An outlet into a pipe, and where that is read."""
    source, target = os.pipe()
    with open(target, "w", encoding="ascii") as stream:
        yield Outlet(stream), source


def read(source: int, count: int) -> bytes:
    data = b""
    while len(data) < count:
        data += os.read(source, count - len(data))
    return data


def test_whoever_writes_does_not_wait(ends: tuple[Outlet, int]) -> None:
    outlet, source = ends
    outlet.write(MUCH)
    outlet.write("é!")
    taken = threading.Event()
    assert outlet.is_behind(taken.set)
    assert not outlet.is_behind(taken.clear, beyond=2 * len(MUCH))
    assert not taken.is_set()
    assert read(source, len(MUCH) + 2) == MUCH.encode() + b"?!"
    assert taken.wait(PATIENCE)
    outlet.settle(None)
    assert not outlet.is_behind(taken.clear)


def test_last_words_are_not_left_out(ends: tuple[Outlet, int]) -> None:
    outlet, source = ends
    outlet.write(MUCH)
    outlet.mark()
    outlet.write("last words")
    outlet.settle(0)
    said = b""
    while not said.endswith(b"last words"):
        said += os.read(source, 65536)
    assert len(said) < len(MUCH)


def test_that_nobody_can_read_is_said(ends: tuple[Outlet, int]) -> None:
    outlet, source = ends
    os.close(source)
    outlet.write("first")
    with pytest.raises(BrokenPipeError):
        outlet.settle(None)
    with pytest.raises(BrokenPipeError):
        outlet.write("second")
