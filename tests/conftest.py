"""What holds for all tests."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import tempfile
from collections.abc import Generator, Iterable
from inspect import iscoroutinefunction
from pathlib import Path
from typing import Any

import pytest

from .patience import watched

MEMORY = Path("/dev/shm")
"""A file system in memory, where the system has one."""
ROOM = 2**30
"""Bytes that must be free there for tests to have their folders in it."""
MARGIN = 30
"""Seconds before its time limit at which a test is told to end, and says what it waits for."""
VIRTUAL = {"autojump_clock", "mock_clock"}


def pytest_configure(config: pytest.Config) -> None:
    """Put the tests' folders into memory: that a disk stands still for seconds is no fault of ours.

    And let programs that tests start hear every signal, though `nohup`, or a shell that runs the tests in
    the background, has switched some off: what is heard here, and not heeded, they do not inherit.
    """
    for name in ("SIGHUP", "SIGINT", "SIGQUIT"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, lambda number, frame: None)
    if os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free >= ROOM:
        os.environ.setdefault("TMPDIR", str(MEMORY))
        tempfile.tempdir = None


def pytest_xdist_auto_num_workers() -> int:
    """Two for each processor: tests with real processes and terminals mostly wait for them."""
    return 2 * (os.cpu_count() or 1)


def pytest_collection_modifyitems(config: pytest.Config, items: Iterable[pytest.Item]) -> None:
    """On a real clock let no test hang till its time limit."""
    for item in items:
        if not isinstance(item, pytest.Function) or VIRTUAL & set(item.fixturenames):
            continue
        if iscoroutinefunction(item.obj):
            marker = item.get_closest_marker("timeout")
            limit = float(marker.args[0] if marker else config.getini("timeout"))
            item.obj = watched(item.obj, limit - MARGIN)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport() -> Generator[None, Any, Any]:
    """Collect no garbage while a failure is put into words: where a finalizer complains while sources are
    parsed, CPython 3.11 takes that for an error of its own, which ends the whole run."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
