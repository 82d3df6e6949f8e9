"""The journal's file: its tables, its versions, who may write to it, and how a row is sealed.

One file in the data folder holds everything. Columns that other rows are found by stand open; all else of a
row is a sealed blob: CRC-32 over the row's key and the msgpack, then the msgpack.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import Any, Final
from zlib import crc32

from protocol.trouble import system_reason

from .standing import Unreadable, pack, unpack

SUFFIX: Final = ".sqlite"
JOURNAL: Final = "journal"
"""How a server's file is called."""
PLAY: Final = "play"
"""How the file of `dobon play` is called."""
APPLICATION: Final = 0x446F626E
"""Tells that a file is one of ours ("Dobn")."""

SCRIPTS: Final = (
    """
    CREATE TABLE counter (name TEXT PRIMARY KEY, next INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE session (player INTEGER PRIMARY KEY, data BLOB NOT NULL);
    CREATE TABLE place (
        number INTEGER PRIMARY KEY, born INTEGER NOT NULL, data BLOB NOT NULL,
        moment INTEGER NOT NULL DEFAULT 0, standing BLOB, closed TEXT
    );
    CREATE TABLE match (number INTEGER PRIMARY KEY, place INTEGER NOT NULL, data BLOB NOT NULL, ranking BLOB);
    CREATE TABLE round (
        match INTEGER, number INTEGER, secret BLOB NOT NULL, deal BLOB, result BLOB,
        PRIMARY KEY (match, number)
    ) WITHOUT ROWID;
    CREATE TABLE input (
        match INTEGER, round INTEGER, place INTEGER, data BLOB NOT NULL,
        PRIMARY KEY (match, round, place)
    ) WITHOUT ROWID;
    """,
    """
    CREATE TABLE window (match INTEGER, seq INTEGER, closed INTEGER, PRIMARY KEY (match, seq)) WITHOUT ROWID;
    CREATE INDEX match_by_place ON match (place);
    ALTER TABLE match ADD COLUMN begun INTEGER NOT NULL DEFAULT 0;
    """,
)
"""What takes a file from each version to the next; a new file is version 0."""
VERSION: Final = len(SCRIPTS)


class BadJournal(Exception):
    """The file can't be used. ``why``: `damaged`, `newer`, `locked`, `missing` or `unwritable`."""

    def __init__(self, why: str, path: Path, detail: str) -> None:
        super().__init__(f"{path}: {why}: {detail}")
        self.why = why
        self.path = path
        self.detail = detail


def seal(data: object, *key: int | str) -> bytes:
    """A row's blob."""
    packed = pack(data)
    return _check(packed, key) + packed


def unseal(blob: object, *key: int | str) -> Any:
    """What `seal` was given. Raises `Unreadable` if a bit of it, or of the row's key, has changed."""
    if not isinstance(blob, bytes) or _check(blob[4:], key) != blob[:4]:
        raise Unreadable("a row is damaged")
    return unpack(blob[4:])


def _check(packed: bytes, key: tuple[int | str, ...]) -> bytes:
    return crc32(packed, crc32(pack(list(key)))).to_bytes(4, "big")


def lock(folder: Path, name: str) -> sqlite3.Connection:
    """Keep other servers off a journal while the connection returned is open. Raises `BadJournal`."""
    path = folder / f"{name}.lock"
    held: sqlite3.Connection | None = None
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _make(path)
        held = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
        held.execute("BEGIN EXCLUSIVE")
    except (OSError, sqlite3.Error) as error:
        if held is not None:
            held.close()
        busy = isinstance(error, sqlite3.OperationalError) and "locked" in str(error)
        raise BadJournal("locked" if busy else "unwritable", folder, _reason(error)) from None
    return held


def open_to_write(path: Path) -> sqlite3.Connection:
    """A journal's file, made if need be and brought to this version. Raises `BadJournal`."""
    connection: sqlite3.Connection | None = None
    try:
        _make(path)
        connection = connect(path)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        migrate(connection, path)
    except OSError as error:
        raise BadJournal("unwritable", path, _reason(error)) from None
    except sqlite3.Error as error:
        if connection is not None:
            connection.close()
        raise judged(error, path) from None
    except BadJournal:
        assert connection is not None
        connection.close()
        raise
    return connection


def judged(error: sqlite3.Error, path: Path) -> BadJournal:
    """What an error says of the file. One that is no database, or in which pages are broken, is damaged."""
    unwritable = isinstance(error, sqlite3.OperationalError) and "malformed" not in str(error)
    return BadJournal("unwritable" if unwritable else "damaged", path, _reason(error))


def open_to_read(path: Path) -> sqlite3.Connection:
    """A journal's file, also one that a server is writing to. Raises `BadJournal`."""
    if not path.exists():
        raise BadJournal("missing", path, "there is no such file")
    connection: sqlite3.Connection | None = None
    try:
        connection = connect(path, "?mode=ro")
        version = _version(connection, path)
    except sqlite3.Error as error:
        if connection is not None:
            connection.close()
        raise BadJournal("damaged", path, _reason(error)) from None
    if version < VERSION:
        # Written by an older version: what reads it can count on what this one writes.
        connection.close()
        return open_to_write(path)
    return connection


def connect(path: Path, mode: str = "") -> sqlite3.Connection:
    """Transactions are begun and ended by hand; whoever uses it does so from one thread at a time."""
    address = path.absolute().as_uri() + mode
    return sqlite3.connect(address, uri=True, timeout=5, isolation_level=None, check_same_thread=False)


def migrate(connection: sqlite3.Connection, path: Path, until: int = VERSION) -> None:
    """Bring a file to a version, all of it or nothing. Raises `BadJournal` for what is newer or not ours."""
    version = _version(connection, path)
    if version >= until:
        return
    connection.execute("BEGIN EXCLUSIVE")
    try:
        for script in SCRIPTS[version:until]:
            for statement in script.split(";"):
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute(f"PRAGMA user_version = {until}")
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise


def _version(connection: sqlite3.Connection, path: Path) -> int:
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    empty = not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if application != APPLICATION and not empty:
        raise BadJournal("damaged", path, "it is no journal of Dobon")
    if version > VERSION:
        raise BadJournal("newer", path, f"version {version}, this Dobon knows {VERSION}")
    return version


def _make(path: Path) -> None:
    """Secrets and hands are in there: for the owner's eyes alone."""
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    os.chmod(path, 0o600)


def _reason(error: Exception) -> str:
    return system_reason(error) if isinstance(error, OSError) else str(error)
