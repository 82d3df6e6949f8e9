"""Play seeds again: `python -m tests.simulation [--first] SEED …`, or `FIRST-LAST`."""

from __future__ import annotations

import argparse
import sys
import traceback
from itertools import chain

from .plan import plan_of
from .run import simulate


def seeds(text: str) -> range:
    """What an argument stands for: one seed, or those from the first to the last. Raises ValueError."""
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def main(arguments: list[str]) -> int:
    """Print a line for every seed; 1 if any failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description="Play seeds again.")
    parser.add_argument("--first", action="store_true", help="let nothing follow the first failure")
    parser.add_argument("seeds", nargs="+", type=seeds, metavar="SEED", help="one of them, or FIRST-LAST")
    asked = parser.parse_args(arguments)
    failed = 0
    for seed in chain.from_iterable(asked.seeds):
        try:
            report = simulate(seed)
        except Exception as fault:
            failed += 1
            while isinstance(fault, ExceptionGroup):
                fault = fault.exceptions[0]
            print(f"{seed}: {plan_of(seed)}")
            traceback.print_exception(fault, limit=-6, file=sys.stdout)
            if asked.first:
                return 1
        else:
            print(f"{seed}: {report.events} events, {report.counts}", flush=True)
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
