"""`python -m server` with another patience for its disk, and perhaps with a slower disk.

The first argument is how long a write may take till the game waits: the disk of the machine that runs the
tests may stand still for seconds, and what a server then says is part of a test only where the test wants it.
The second is how long each seventh write takes. Both are in seconds.
"""

import sys
import time
from collections.abc import Iterable
from itertools import count

import server.journal
from server.__main__ import main
from server.journal import Store
from server.journal_rows import Row

EVERY = 7


def slow_down(stall: float) -> None:
    """Let each seventh write take so long."""
    write, numbers = Store.write, count(1)

    def slowly(store: Store, rows: Iterable[Row]) -> None:
        if next(numbers) % EVERY == 0:
            time.sleep(stall)
        write(store, rows)

    setattr(Store, "write", slowly)  # noqa: B010 - as a method is assigned


if __name__ == "__main__":
    patience, stall = float(sys.argv.pop(1)), float(sys.argv.pop(1))
    setattr(server.journal, "SLOW", patience)  # noqa: B010 - it is final for everybody else
    if stall:
        slow_down(stall)
    sys.exit(main())
