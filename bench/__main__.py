"""All figures, one measurement after the other: `python -m bench [NAME …]`. A quarter of an hour.

Each is a module of this package with more to say for itself: `python -m bench.NAME --help`. They measure
processor time where they can, but nothing else should run meanwhile. Not among them is what takes hours
(`bench.bots` with all its tables) or needs root (`bench.out_of_order`).
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time

MEASURES = {
    "engine": [],
    "server": [],
    "client": [],
    "arrival": [],
    "thinking": ["--seconds", "20"],
    "bots": ["--speed"],
}


def main() -> int:
    """1 if any of them failed."""
    parser = argparse.ArgumentParser(prog="python -m bench", description="All figures, one after the other.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(MEASURES)} (default: all)")
    names = parser.parse_args().names or list(MEASURES)
    if unknown := [name for name in names if name not in MEASURES]:
        parser.error(f"there is no {', '.join(unknown)}")
    failed = []
    for name in names:
        words = [f"bench.{name}", *MEASURES[name]]
        print(f"\n== python -m {' '.join(words)}", flush=True)
        start = time.monotonic()
        if subprocess.run([sys.executable, "-m", *words], check=False).returncode:
            failed.append(name)
        print(f"== {time.monotonic() - start:.0f} s", flush=True)
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
