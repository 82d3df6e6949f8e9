"""Which file a server keeps its records in, and what it says where it can't."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from shutil import rmtree

import pytest

from server.config import Config
from server.journal import Store
from server.journal_schema import VERSION
from server.keeping import open_store
from server.options import BadStart
from server.record import StepKept, TableKept

from .test_journal import session, write


def opened(config: Config) -> Store:
    return open_store(config, lambda: 0, str)


@pytest.fixture
def at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where data is kept if nothing else is said."""
    monkeypatch.setattr("platformdirs.user_data_path", lambda name: tmp_path / name)
    return tmp_path / "dobon"


def refused(config: Config) -> str:
    with pytest.raises(BadStart) as caught:
        opened(config)
    said = str(caught.value)
    assert "\n" not in said
    assert said.endswith(".")
    return said


def test_a_folder_that_was_named_is_for_one_server(tmp_path: Path) -> None:
    config = Config(data=str(tmp_path))
    store = opened(config)
    assert "Another server" in refused(config)
    store.close()
    opened(config).close()


def test_servers_that_were_not_told_where_keep_out_of_each_others_way(at_home: Path) -> None:
    stores = [opened(Config()) for _ in range(3)]
    assert [store.path.name for store in stores] == ["journal.sqlite", "journal-2.sqlite", "journal-3.sqlite"]
    assert {store.path.parent for store in stores} == {at_home}
    stores[1].close()
    again = opened(Config())
    assert again.path.name == "journal-2.sqlite"
    for store in (again, stores[0], stores[2]):
        store.close()


def test_who_plays_alone_keeps_matches_but_no_table(at_home: Path) -> None:
    store = opened(Config(alone=True))
    assert store.path.name == "play.sqlite"
    write(store, session(1), TableKept(1, 0, {"form": 1}), StepKept(1, 0, b"\x80"))
    assert store.open_tables() == [1]
    store.close()
    store = opened(Config(alone=True))
    assert (store.open_tables(), list(store.sessions())) == ([], [])
    assert store.next_ids() == (2, 1, 2)
    store.close()


def test_who_plays_alone_plays_even_where_nothing_can_be_kept(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("in the way")
    store = opened(Config(data=str(tmp_path / "data"), alone=True))
    assert tmp_path not in store.path.parents
    store.close()
    rmtree(store.path.parent)


def test_who_plays_alone_plays_even_on_a_full_disk(at_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def write(self: Store, rows: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(Store, "write", write)
    store = opened(Config(alone=True))
    assert at_home not in store.path.parents
    store.close()
    rmtree(store.path.parent)


def test_what_is_wrong_is_said_in_one_sentence(tmp_path: Path) -> None:
    config = Config(data=str(tmp_path / "data"))
    (tmp_path / "data").write_text("in the way")
    assert "--data" in refused(config)
    (tmp_path / "data").unlink()
    store = opened(config)
    store.close()
    with closing(sqlite3.connect(store.path)) as look:
        look.execute(f"PRAGMA user_version = {VERSION + 1}")
    assert "newer version" in refused(config)
    store.path.write_bytes(b"x" * 10_000)
    assert "damaged" in refused(config)
