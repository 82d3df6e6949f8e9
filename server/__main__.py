"""`python -m server`: the same as `dobon serve`."""

import argparse
import sys

from .serve import add_arguments, run


def _english(text: str) -> str:
    return text


def main() -> int:
    """Parse the command line and serve."""
    parser = argparse.ArgumentParser(prog="python -m server")
    add_arguments(parser, _english)
    return run(parser.parse_args(), _english)


if __name__ == "__main__":
    sys.exit(main())
