"""Plant a fault in a copy of the sources and see whether any net catches it.

python -m tests.planted            all of them, and how many were found
python -m tests.planted WORDS …    those whose names contain these words
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from .faults import FAULTS, Fault

HERE = Path(__file__).resolve().parents[2]
PACKAGES = ("engine", "protocol", "server", "client", "tests")
PYTEST = ("-m", "pytest", "-q", "-x", "-p", "no:cacheprovider")
NETS = {
    "conformance": ("-m", "tests.conformance", "tests/cases"),
    "simulation": ("-m", "tests.simulation", "--first", "0-99"),
    "properties": (*PYTEST, "tests/engine/test_properties.py"),
    "arrival": (*PYTEST, "tests/server/test_harvest_property.py"),
    "secrecy": (*PYTEST, "tests/server/test_secrecy.py"),
}
"""What has to catch faults, the fastest first."""
LONGEST = 600
"""Seconds after which a net is believed to hang, which is found too."""


class CannotBePlanted(Exception):
    """The source no longer reads so."""


def mutated(fault: Fault, source: str) -> str:
    """The source with the fault in it. Raises `CannotBePlanted`."""
    if source.count(fault.old) != 1:
        raise CannotBePlanted(f"{fault.name}: {fault.file} has its text {source.count(fault.old)} times")
    return source.replace(fault.old, fault.new)


def plant(fault: Fault | None, folder: Path) -> None:
    """Copy the sources to a folder, with the fault if there is one."""
    for package in PACKAGES:
        skipped = shutil.ignore_patterns("__pycache__", "*.svg", "__snapshots__")
        shutil.copytree(HERE / package, folder / package, ignore=skipped)
    shutil.copy(HERE / "pyproject.toml", folder)
    if fault is None:
        return
    path = folder / fault.file
    path.write_text(mutated(fault, path.read_text("utf-8")), "utf-8")


def caught_by(fault: Fault | None) -> str | None:
    """The first net that catches the fault, or None; without a fault none may."""
    with tempfile.TemporaryDirectory(prefix="dobon") as name:
        folder = Path(name)
        plant(fault, folder)
        for net, arguments in NETS.items():
            if not passes(folder, arguments):
                return net
    return None


def passes(folder: Path, arguments: tuple[str, ...]) -> bool:
    """Run a net on the sources in a folder."""
    # The folder comes before wherever the packages are installed.
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=folder,
            env=environment,
            capture_output=True,
            timeout=LONGEST,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def main(arguments: list[str]) -> int:
    """Print what caught each fault; 1 unless 19 of 20 were found."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.planted", description="Plant faults and find them."
    )
    parser.add_argument("words", nargs="*", help="only faults whose names contain one of them")
    words = parser.parse_args(arguments).words
    broken = caught_by(None)
    if broken is not None:
        print(f"{broken} fails without any fault")
        return 1
    chosen = [fault for fault in FAULTS if not words or any(word in fault.name for word in words)]
    found = 0
    for fault in chosen:
        net = caught_by(fault)
        found += net is not None
        print(f"{net or 'NOT FOUND':12} {fault.name}", flush=True)
    print(f"{found} of {len(chosen)} found")
    return int(found * 20 < len(chosen) * 19)
