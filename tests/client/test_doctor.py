"""What `dobon doctor` makes of a terminal, a network and a data folder."""

from __future__ import annotations

import shutil
import socket
from pathlib import Path
from typing import Any

import pytest

from client import doctor
from client.doctor import Terminal, of_terminal
from client.settings import Settings
from server import checkup
from server.journal import Store
from tests.end_to_end.processes import reserved_port

FINE = Terminal(True, 120, 40, 8, 1, "utf-8", {"LANG": "ja_JP.UTF-8"})


def found(terminal: Terminal, **settings: Any) -> dict[str, tuple[bool, str]]:
    looked_at = of_terminal(terminal, Settings(**settings), None, str)
    return {what: (is_fine, said) for what, is_fine, said in looked_at}


def test_a_good_terminal() -> None:
    said = found(FINE)
    assert set(said) == {"size", "colours", "glyphs", "locale"}
    assert all(is_fine for is_fine, _said in said.values())
    assert said["colours"][1] == "256 colours."
    assert "日本語" in said["locale"][1]


@pytest.mark.parametrize(
    ("changes", "what", "is_fine", "word"),
    [
        ({"width": 59}, "size", False, "60×16"),
        ({"height": 20}, "size", True, "80×24"),
        ({"bits": 1}, "colours", True, "No colours"),
        ({"environ": {"LANG": "C.UTF-8", "NO_COLOR": "1"}}, "colours", True, "No colours"),
        ({"suit": 2}, "glyphs", True, "2 columns"),
        ({"suit": None}, "glyphs", True, "does not say"),
        ({"environ": {"LANG": "C"}, "suit": None}, "glyphs", True, "S H D C, for the locale"),
        ({"encoding": "latin-1"}, "locale", False, "LANG"),
    ],
)
def test_what_is_wrong_with_a_terminal(changes: dict[str, Any], what: str, is_fine: bool, word: str) -> None:
    fine, said = found(FINE._replace(**changes))[what]
    assert fine is is_fine
    assert word in said


def test_glyphs_that_were_asked_for() -> None:
    assert found(FINE._replace(suit=2), glyphs="unicode")["glyphs"][0] is False
    assert "S H D C" in found(FINE, glyphs="ascii")["glyphs"][1]


def test_no_terminal_is_no_fault() -> None:
    said = found(FINE._replace(is_there=False))
    assert set(said) == {"screen", "locale"}
    assert said["screen"][0]


def test_settings_that_can_not_be_used(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text("name = 3")
    from client.settings import load

    (what, is_fine, said), *_ = doctor.of_settings(load({}, {}, path), str)
    assert (what, is_fine) == ("settings", False)
    assert "settings.toml" in said


def test_a_port_in_use() -> None:
    with reserved_port() as port:
        with socket.socket() as other:
            other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            other.bind(("", port))
            other.listen()
            said = {each.what: each for each in checkup.network(str, port)}
            assert not said["port"].is_fine
            assert "--port" in said["port"].said
        said = {each.what: each for each in checkup.network(str, port)}
        assert said["port"].is_fine
        assert {"addresses", "port", "multicast"} == set(said)


def test_multicast_that_does_not_come_through(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not checkup.comes_round("127.0.0.1", 0.01)  # no group at all
    monkeypatch.setattr(checkup, "comes_round", lambda group: False)
    said = {each.what: each for each in checkup.network(str, 0)}
    assert not said["multicast"].is_fine
    assert "code or address" in said["multicast"].said


def test_a_sound_folder(tmp_path: Path) -> None:
    assert [each.is_fine for each in checkup.data(tmp_path / "none" / "yet", str)] == [True] * 3
    Store(tmp_path, lambda: 0).close()
    said = {each.what: each for each in checkup.data(tmp_path, str)}
    assert all(each.is_fine for each in said.values())
    assert "sound (matches: 0)" in said["journal"].said


def test_a_damaged_journal_and_a_folder_that_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "journal.sqlite").write_bytes(b"no database at all, but a good many bytes" * 100)
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage._replace(free=1000))
    said = {each.what: each for each in checkup.data(tmp_path, str)}
    assert not said["journal"].is_fine
    assert "damaged" in said["journal"].said
    assert not said["space"].is_fine


def test_a_folder_that_is_none(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("")
    (only,) = checkup.data(path, str)
    assert not only.is_fine
    assert "--data" in only.said


def test_a_line_for_each_finding() -> None:
    lines = list(doctor.shown([("size", True, "Good."), ("port", False, "Bad.")], str))
    assert lines == [("  ok     size: Good.", True), ("  look!  port: Bad.", False)]
