"""The prompt of the plain client, and lines from a pipe."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import pytest
import trio
import trio.testing
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output import DummyOutput

from client.outlet import Outlet
from client.plain_input import piped_lines
from client.prompt import Prompt
from tests.patience import soon


@pytest.fixture
def keys() -> Iterator[PipeInput]:
    with create_pipe_input() as keys, create_app_session(input=keys, output=DummyOutput()):
        yield keys


async def test_lines_are_typed_until_the_end(keys: PipeInput) -> None:
    keys.send_text("look\rhand\r\x04")
    async with Prompt(Outlet(sys.stdout)).lines() as lines:
        assert [line async for line in lines] == ["look", "hand"]


@pytest.mark.parametrize("moments", range(12))
async def test_a_prompt_can_be_cancelled_at_any_moment(moments: int, keys: PipeInput) -> None:
    """Before it has begun, while it begins, while it asks: whoever cancels it waits for it, not for ever."""
    with soon("the end of a prompt"):
        async with trio.open_nursery() as nursery, Prompt(Outlet(sys.stdout)).lines() as lines:
            nursery.start_soon(anext, lines)
            for _ in range(moments):
                await trio.lowlevel.checkpoint()
            nursery.cancel_scope.cancel()


async def test_a_pipe_that_does_not_wait_is_waited_for() -> None:
    """Its other users may have made it so."""
    source, target = os.pipe()
    os.set_blocking(source, False)
    heard: list[str] = []

    async def listen() -> None:
        async with piped_lines(source) as lines:
            heard.extend([line async for line in lines])

    async with trio.open_nursery() as nursery:
        nursery.start_soon(listen)
        await trio.testing.wait_all_tasks_blocked()
        os.write(target, b"look\nha")
        os.write(target, b"nd\n")
        os.close(target)
    os.close(source)
    assert heard == ["look", "hand"]
