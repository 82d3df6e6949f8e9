"""What holds for all tests."""

from __future__ import annotations

import os


def pytest_xdist_auto_num_workers() -> int:
    """Two for each processor: tests with real processes and terminals mostly wait for them."""
    return 2 * (os.cpu_count() or 1)
