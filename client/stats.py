"""`dobon stats`: what became of the people and bots who played on this server or machine."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from typing import Any

from .command import Exit, server_part
from .i18n import Translate
from .screen.statistics import statistics_lines


def add_arguments(parser: argparse.ArgumentParser, _: Translate) -> None:
    parser.add_argument(
        "--data",
        default=os.environ.get("DOBON_DATA"),
        metavar=_("FOLDER"),
        help=_("where matches are kept"),
    )
    parser.add_argument("--json", action="store_true", help=_("print JSON, for programs"))


def run(args: argparse.Namespace, _: Translate) -> int:
    """Print the statistics; with nothing played yet they are empty."""
    data = collected(args.data)
    if args.json:
        json.dump(data, sys.stdout, ensure_ascii=False, indent=2)
        sys.stdout.write("\n")
        return Exit.OK
    width = shutil.get_terminal_size((100, 24)).columns
    sys.stdout.writelines(f"{line.rstrip()}\n" for _style, line in statistics_lines(data, _, width))
    return Exit.OK


def collected(folder: str | None = None) -> Any:
    """The statistics of a data folder, if None the one that matches are kept in by default, as plain data.
    Reads all of it: may take a second."""
    kept = server_part("folder").kept_at(folder or os.environ.get("DOBON_DATA"))
    return server_part("statistics").collect(kept)
