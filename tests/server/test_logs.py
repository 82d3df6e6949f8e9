"""The log: a host can read the names in it, and nobody's name does anything else there."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator

import pytest
import structlog

from server.logs import configure, readable, written_aside

HOSTILE = (
    'x\n{"event": "admin"}',
    "\x1b]0;title\x07\x1b[2J",
    "del\x7f, next line\x85, C1 \x9b2J",
    "lines\u2028and\u2029paragraphs",
    "\u202edesrever\u2066",
    "nothing\u200b\u200d\ufeff\u00ad",
    "\U000e0041 tags",
    "lone \ud800",
)


@pytest.mark.parametrize("name", ["花子・アリス", "Zoë", "ที่นี่", "민수", "😀"])
def test_a_name_can_be_read(name: str) -> None:
    assert readable({"name": name}) == f'{{"name": "{name}"}}'


@pytest.mark.parametrize("name", HOSTILE)
def test_what_prints_nothing_is_escaped_and_nothing_is_lost(name: str) -> None:
    line = readable({"name": name, "other": "花子"})
    assert line.isprintable()
    assert "花子" in line
    assert json.loads(line)["name"] == name


def test_what_the_encoding_lacks_is_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", io.TextIOWrapper(io.BytesIO(), encoding="latin-1"))
    line = readable({"name": "Zoë 花😀"})
    assert line == '{"name": "Zoë \\u82b1\\ud83d\\ude00"}'
    assert json.loads(line)["name"] == "Zoë 花😀"


@pytest.fixture
def log() -> Iterator[structlog.stdlib.BoundLogger]:
    configure()
    yield structlog.get_logger()
    structlog.reset_defaults()


@pytest.mark.parametrize("aside", [False, True])
def test_each_event_is_one_line_of_json(
    aside: bool, log: structlog.stdlib.BoundLogger, capfd: pytest.CaptureFixture[str]
) -> None:
    if aside:
        with written_aside():
            for name in ("花子", *HOSTILE):
                log.info("welcome", name=name)
    else:
        for name in ("花子", *HOSTILE):
            log.info("welcome", name=name)
    lines = capfd.readouterr().err.split("\n")
    assert lines.pop() == ""
    assert [json.loads(line)["name"] for line in lines] == ["花子", *HOSTILE]
    assert "花子" in lines[0]
    assert all(line.isprintable() for line in lines)
