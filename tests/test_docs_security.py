"""docs/security.md names a test for each claim, and docs/hosting.md flags and variables that there are."""

from __future__ import annotations

import argparse
import configparser
import re
from pathlib import Path

import pytest

from protocol.joincode import DEFAULT_PORT, encode
from server import admin_command, options

ROOT = Path(__file__).resolve().parent.parent
SECURITY = (ROOT / "docs" / "security.md").read_text("utf-8")
HOSTING = (ROOT / "docs" / "hosting.md").read_text("utf-8")
CLAIMS = sorted(set(re.findall(r"`(\w+/test_\w+\.py)::(test_\w+)`", SECURITY)))


def serve_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser()
    options.add_arguments(parser, str)
    return parser


def test_there_are_claims() -> None:
    assert len(CLAIMS) > 50


@pytest.mark.parametrize(("file", "name"), CLAIMS)
def test_the_test_of_a_claim_exists(file: str, name: str) -> None:
    source = (ROOT / "tests" / file).read_text("utf-8")
    assert re.search(rf"^(async )?def {name}\(", source, re.MULTILINE)


def test_every_row_of_claims_has_a_test() -> None:
    rows = [line for line in SECURITY.splitlines() if line.startswith("| ") and not line.startswith("|---")]
    heads = ("| claim | test |", "| can't | test |")
    assert [row for row in rows if row not in heads and "::test_" not in row] == []


def test_the_flags_and_variables_of_hosting_exist() -> None:
    known = {flag for action in serve_parser()._actions for flag in action.option_strings}
    table = HOSTING[HOSTING.index("| flag | variable") : HOSTING.index("**Password.**")]
    assert set(re.findall(r"--[a-z][a-z-]*", table)) <= known
    source = (ROOT / "server" / "options.py").read_text("utf-8")
    for variable in re.findall(r"DOBON_[A-Z_]+", table):
        assert f'"{variable}"' in source


@pytest.mark.parametrize("line", re.findall(r"^dobon admin ([^#\n]+?) *(?:#.*)?$", HOSTING, re.MULTILINE))
def test_the_examples_of_admin_are_taken(line: str) -> None:
    parser = argparse.ArgumentParser()
    admin_command.add_arguments(parser, str)
    words = [word.strip("'") for word in re.findall(r"'[^']*'|\S+", line)]
    assert parser.parse_args(words).do == words[0]


def test_the_code_of_the_example_is_that_of_its_address() -> None:
    match = re.search(r"listening on ([\d.]+):(\d+) code (\w+)", HOSTING)
    assert match is not None
    host, port, code = match.groups()
    assert (encode(host, int(port)), int(port)) == (code, DEFAULT_PORT)


def test_the_unit_and_the_image_start_the_server_as_it_can_be_started() -> None:
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.read(ROOT / "contrib" / "dobon.service")
    words = unit["Service"]["ExecStart"].split()
    assert words[:2] == ["/opt/dobon/bin/dobon", "serve"]
    assert serve_parser().parse_args(words[2:]).tls
    assert unit["Service"]["Type"] == "notify"
    # It would hide /proc/stat, and with it the metrics of the process.
    assert "ProcSubset" not in unit["Service"]
    image = (ROOT / "contrib" / "Dockerfile").read_text("utf-8")
    command = re.search(r"^CMD \[(.*)\]$", image, re.MULTILINE)
    assert command is not None
    assert serve_parser().parse_args(re.findall(r'"([^"]*)"', command[1])).no_discovery
    options_source = (ROOT / "server" / "options.py").read_text("utf-8")
    variables = re.findall(r"(DOBON_\w+)=", image)
    assert "DOBON_TLS" in variables
    assert [name for name in variables if f'"{name}"' not in options_source] == []
    sent = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    copied = re.findall(r"^COPY ([^-].*) \S+$", image, re.MULTILINE)
    assert copied
    for name in " ".join(copied).split():
        assert (ROOT / name).exists()
        assert f"!{name}" in sent
