"""The arrows between the packages, held by reading every import."""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("engine", "protocol", "server", "client")

# What each package may import of the others; a name of a module allows that module alone.
ARROWS = {
    "engine": set[str](),
    "protocol": {"engine.cards", "engine.rules"},
    "server": {"engine", "protocol"},
    "client": {"engine", "protocol"},
}

# What each package may import that others publish.
PUBLISHED = {
    "engine": set[str](),
    "protocol": {"msgpack", "msgspec", "wcwidth"},
    "server": {
        *("cryptography", "ifaddr", "msgpack", "msgspec", "openskill", "platformdirs", "prometheus_client"),
        *("structlog", "trio", "zeroconf"),
    },
    "client": {
        *("cryptography", "ifaddr", "msgpack", "msgspec", "platformdirs", "prompt_toolkit", "shtab"),
        *("structlog", "trio", "wcwidth", "zeroconf"),
    },
}

# Where the standard library reaches a clock, a file, the network or another process. The engine gets time as
# an argument; the protocol turns bytes into messages, and who moves the bytes is not its matter.
OUTSIDE = {
    *("asyncio", "concurrent", "datetime", "io", "logging", "multiprocessing", "os", "pathlib", "secrets"),
    *("select", "selectors", "shutil", "signal", "socket", "sqlite3", "ssl", "subprocess", "tempfile"),
    *("threading", "time", "uuid"),
}

# A client works on what its viewer may know. A round knows all hands.
ROUNDS = {"engine.round", "engine.match"}

IMPORTERS = ("import_module", "__import__")

# The tool that keeps the catalogues: for developers, with what developers have, and not in the wheel.
CATALOGUE_TOOL = "client/locale/"

# The command line of both halves starts here, by name.
DISPATCHER = "client/command.py"


class Import(NamedTuple):
    """One imported module: `a.b` for `import a.b`, and for `from a import b` both `a` and `a.b`."""

    line: int
    names: tuple[str, ...]
    relative: bool


def imports(source: str, package: str) -> Iterator[Import]:
    """The imports in the text of a module of `package` (dotted), wherever they stand in it.

    A call of `import_module` counts with its argument where that is a literal.
    """
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=aliases):
                for alias in aliases:
                    yield Import(node.lineno, (alias.name,), False)
            case ast.ImportFrom(module=module, names=aliases, level=level):
                parts = package.split(".")
                base = ".".join([*parts[: len(parts) - level + 1], module or ""]) if level else module or ""
                base = base.rstrip(".")
                for alias in aliases:
                    yield Import(node.lineno, (base, f"{base}.{alias.name}"), level > 0)
            case ast.Call(func=ast.Attribute(attr=called) | ast.Name(id=called)) if called in IMPORTERS:
                for argument in node.args[:1]:
                    name = argument.value if isinstance(argument, ast.Constant) else "something computed"
                    yield Import(node.lineno, (str(name),), False)


def faults(path: str, source: str) -> list[str]:
    """What is wrong with the imports of the module at `path` (from the root), a line for each."""
    here, *_ = parts = path.split("/")
    found = []
    for line, names, relative in imports(source, ".".join(parts[:-1])):
        why = _fault(here, path, names, relative)
        if why:
            found.append(f"{path}:{line}: {names[-1]}: {why}")
    return found


def _fault(here: str, path: str, names: tuple[str, ...], relative: bool) -> str | None:
    top = names[0].split(".")[0]
    if top == here:
        return None if relative else "a package imports itself relatively"
    if top in PACKAGES:
        if here == "client" and ROUNDS.intersection(names):
            return "a client has no round"
        if any(name == to or name.startswith(f"{to}.") for name in names for to in ARROWS[here]):
            return None
        if path == DISPATCHER:
            return None
        return f"no arrow leads there from {here}"
    if top in sys.stdlib_module_names:
        if here in ("engine", "protocol") and top in OUTSIDE:
            return f"{here} has no clock and no I/O"
        return None
    if path == DISPATCHER and top == "something computed":
        return None
    return None if top in PUBLISHED[here] else f"not for {here}"


def modules() -> list[str]:
    found = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    names = sorted(path.relative_to(ROOT).as_posix() for path in found)
    return [name for name in names if not name.startswith(CATALOGUE_TOOL)]


@pytest.mark.parametrize("package", PACKAGES)
def test_the_arrows_hold(package: str) -> None:
    mine = [path for path in modules() if path.startswith(f"{package}/")]
    assert mine
    assert [fault for path in mine for fault in faults(path, (ROOT / path).read_text("utf-8"))] == []


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("engine/round.py", "import trio"),
        ("engine/round.py", "from time import monotonic"),
        ("engine/round.py", "from engine.cards import Card"),
        ("engine/bots/hard.py", "import engine.round"),
        ("engine/round.py", "from protocol import frame"),
        ("protocol/frame.py", "from engine.round import Round"),
        ("protocol/frame.py", "from engine import events"),
        ("protocol/frame.py", "import socket"),
        ("protocol/frame.py", "import trio"),
        ("server/table.py", "import client.model"),
        ("server/table.py", "def late():\n    from client import model"),
        ("server/table.py", "import importlib\nimportlib.import_module('client.model')"),
        ("server/table.py", "from importlib import import_module\nimport_module(name)"),
        ("server/table.py", "import prompt_toolkit"),
        ("server/table.py", "import tests.server"),
        ("client/model.py", "from server.table import Table"),
        ("client/model.py", "if TYPE_CHECKING:\n    from server import table"),
        ("client/model.py", "from engine.round import Round"),
        ("client/model.py", "from engine import round"),
        ("client/screen/draw.py", "from client.model import Model"),
    ],
)
def test_a_wrong_import_is_seen(path: str, source: str) -> None:
    assert len(faults(path, source)) == 1


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("engine/round.py", "import enum\nfrom .cards import Card\nfrom . import deal"),
        ("engine/bots/hard.py", "from ..view import View\nfrom .. import cards"),
        ("protocol/frame.py", "import msgpack\nfrom engine.cards import Card\nfrom engine import rules"),
        (
            "server/table.py",
            "import trio\nfrom engine.round import Round\nfrom protocol.frame import FrameReader",
        ),
        ("client/screen/draw.py", "from ..model import Model\nfrom engine.view import View"),
        ("client/command.py", "from server import serve\nimport importlib\nimportlib.import_module(name)"),
    ],
)
def test_a_right_import_passes(path: str, source: str) -> None:
    assert faults(path, source) == []


def test_what_may_be_imported_is_declared() -> None:
    """Every published package allowed above is a requirement of ours, or the wheel would not bring it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    lines = chain(project["dependencies"], *project["optional-dependencies"].values())
    declared = {_canonical(re.split(r"[<>=\[; ]", line)[0]) for line in lines}
    provided = packages_distributions()
    for name in set().union(*PUBLISHED.values()):
        assert declared.intersection(_canonical(owner) for owner in provided[name]), name


def test_every_folder_of_tests_is_a_package() -> None:
    """Without `__init__.py`, pytest puts `tests` itself on the path, and `tests/engine` shadows `engine`."""
    folders = {path.parent for path in (ROOT / "tests").rglob("*.py")}
    assert [folder for folder in sorted(folders) if not (folder / "__init__.py").exists()] == []


def _canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
