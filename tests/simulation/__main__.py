"""Play seeds again: `python -m tests.simulation [--first] SEED …`, or `FIRST-LAST`."""

from __future__ import annotations

import sys
import traceback

from .plan import plan_of
from .run import simulate


def main(arguments: list[str]) -> int:
    """Print a line for every seed; 1 if any failed. With ``--first`` nothing follows the first failure."""
    failed = 0
    first_only = "--first" in arguments
    arguments = [argument for argument in arguments if argument != "--first"]
    for argument in arguments:
        first, _, last = argument.partition("-")
        for seed in range(int(first), int(last or first) + 1):
            try:
                report = simulate(seed)
            except Exception as fault:
                failed += 1
                while isinstance(fault, ExceptionGroup):
                    fault = fault.exceptions[0]
                print(f"{seed}: {plan_of(seed)}")
                traceback.print_exception(fault, limit=-6, file=sys.stdout)
                if first_only:
                    return 1
            else:
                print(f"{seed}: {report.events} events, {report.counts}", flush=True)
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
