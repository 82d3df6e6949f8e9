"""Frames in process: whatever comes, it costs little and ends in a message or an error of the protocol."""

from __future__ import annotations

import random
import time
import tracemalloc
from contextlib import suppress

import msgpack  # type: ignore[import-untyped]
import pytest

from protocol.codes import FrameError, RequestError
from protocol.connection import ServerConnection, State
from protocol.frame import CLIENT_LIMIT, FrameReader, decode_payload

from .frames import frame

MOST_TIME = 1_000_000
"""Ns of the processor for one frame."""
MOST_MEMORY = 64 * 1024
"""Bytes more than before, at the most, while one frame is read."""


def read(data: bytes) -> str:
    """What comes of the bytes of one frame, at a connection that has said hello."""
    connection = ServerConnection()
    connection.state = State.OPEN
    reader = FrameReader(CLIENT_LIMIT)
    reader.feed(data)
    came = "nothing"
    try:
        for payload in reader.frames():
            came = type(connection.receive(payload)).__name__
    except (FrameError, RequestError) as error:
        came = error.code
    return came


def cost(data: bytes) -> int:
    """Ns of the processor; the least of a few, as others take the processor away."""
    costs = []
    for _ in range(5):
        began = time.thread_time_ns()
        read(data)
        costs.append(time.thread_time_ns() - began)
        if costs[-1] <= MOST_TIME:
            break
    return min(costs)


def same_elsewhere(data: bytes) -> None:
    """What is taken is what another decoder makes of it."""
    reader = FrameReader(CLIENT_LIMIT)
    reader.feed(data)
    with suppress(FrameError):
        for payload in reader.frames():
            ours = decode_payload(payload)
            assert repr(ours) == repr(msgpack.unpackb(payload)), data


def fuzz(seed: int, count: int) -> dict[str, int]:
    """Read frames; how often each thing came of them."""
    chance = random.Random(seed)
    came: dict[str, int] = {}
    tracemalloc.start()
    try:
        for _ in range(count):
            data = frame(chance)
            tracemalloc.reset_peak()
            before = tracemalloc.get_traced_memory()[0]
            began = time.thread_time_ns()
            what = read(data)
            took = time.thread_time_ns() - began
            peak = tracemalloc.get_traced_memory()[1]
            came[what] = came.get(what, 0) + 1
            same_elsewhere(data)
            assert peak - before <= MOST_MEMORY, data
            if took > MOST_TIME:
                assert cost(data) <= MOST_TIME, data
    finally:
        tracemalloc.stop()
    return came


def test_frames() -> None:
    came = fuzz(0, 20_000)
    # All of it was tried: whole messages of every kind, and each of the errors.
    kinds = {
        "bad_frame",
        "frame_too_large",
        "unknown_type",
        "bad_request",
        "nothing",
        "Play",
        "Create",
        "Ready",
    }
    assert kinds <= came.keys()
    assert sum(count for what, count in came.items() if what[0].isupper()) > 2000


@pytest.mark.nightly
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", range(1, 11))
def test_a_million_frames(seed: int) -> None:
    fuzz(seed, 100_000)
