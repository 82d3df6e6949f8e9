"""What ends a test that waits in vain says what it waited for, and leaves the others alone."""

from __future__ import annotations

import gc

import pytest
import trio
from trio.testing import MockClock

from .conftest import pytest_runtest_makereport
from .patience import soon, watched


async def test_what_does_not_come_soon_is_named(autojump_clock: MockClock) -> None:
    with pytest.raises(AssertionError, match=r"^a welcome: not within 5 s$"), soon("a welcome", 5):
        await trio.sleep_forever()
    with soon("nothing", 5):
        await trio.sleep(4)


async def waits_in_vain() -> None:
    async with trio.open_nursery() as nursery:
        nursery.start_soon(for_a_friend)
        await trio.sleep_forever()


async def for_a_friend() -> None:
    await trio.Event().wait()


async def test_a_test_that_hangs_says_where_each_of_its_tasks_is(autojump_clock: MockClock) -> None:
    began = trio.current_time()
    with pytest.raises(AssertionError, match=r"(?s)not over within 100 s.*waits_in_vain.*for_a_friend"):
        await watched(waits_in_vain, 100)()
    assert trio.current_time() - began == 100


async def test_a_test_that_ends_is_left_alone(autojump_clock: MockClock) -> None:
    async def test(number: int) -> None:
        await trio.sleep(number)
        raise ValueError

    with pytest.RaisesGroup(ValueError):
        await watched(test, 100)(99)


def test_no_garbage_is_collected_while_a_failure_is_put_into_words() -> None:
    report = pytest_runtest_makereport()
    next(report)
    assert not gc.isenabled()
    with pytest.raises(StopIteration):
        report.send(None)
    assert gc.isenabled()
