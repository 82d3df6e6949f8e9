"""What a player was shown of each match, kept: to hold against the server's own record, or to watch again.

A file for each match, in JSON lines: first `{"t": "record", …}`, then every `view` and event of its table as
it was received, from `match` to `match_over`, bytes in hex digits. Who comes in the middle has it from there.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Final, Self

from protocol import events as e
from protocol.connection import Received
from protocol.messages import Event, FrameError, View, Welcome, parse_server, to_data

from .fairness import Witness
from .notices import Message
from .retold import BadRecord, Moment
from .tokens import state_path

VERSION: Final = 1
SUFFIX: Final = ".jsonl"
KEPT: Final = 200
"""Records that are kept; the oldest go."""
OWN: Final = 50
"""Of these, the most that one session takes room from others for: a server may begin matches without end."""
LARGEST: Final = 16 << 20
"""Bytes of a record, after which nothing more is written of that match. The longest has some 2 MiB."""
_BYTES: Final = ("commit", "seed", "secret")


class Recorder:
    """Writes down what one session is shown; a context manager. Nothing here raises for the state of the
    disk: then nothing more is written of that match."""

    def __init__(self, name: str, folder: Path | None = None) -> None:
        self._name = name
        self._folder = folder or state_path() / "records"
        self._server = ""
        self._views: dict[int, View] = {}
        """The last view of each table that no match was played at then."""
        self._files: dict[int, tuple[int, IO[str] | None]] = {}
        """By table: the match that is written down, and where; None where that failed."""
        self._own: list[Path] = []

    def take(self, message: Received) -> None:
        """Something came from the server."""
        match message:
            case Welcome(server=server):
                self._server = server
            case View():
                self._viewed(message)
            case e.MatchBegun(table=table, match=match):
                self._open(table, match)
                if table in self._views:
                    self._write(table, self._views[table])
                self._write(table, message)
            case e.MatchOver(table=table) | e.Closed(table=table):
                self._write(table, message)
                self._end(table)
            case _ if isinstance(message, Event):
                self._write(message.table, message)
            case _:
                pass

    def _viewed(self, view: View) -> None:
        self._views[view.table] = view
        if view.match is None or view.phase == "over":
            return
        if self._files.get(view.table, (0, None))[0] != view.match:
            self._open(view.table, view.match)
        self._write(view.table, view)

    def _open(self, table: int, match: int) -> None:
        self._end(table)
        begun = time.strftime("%Y%m%d-%H%M%S")
        file: IO[str] | None = None
        with suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._make_room()
            path = self._folder / f"{begun}-match-{match}-{os.getpid()}{SUFFIX}"
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            if path not in self._own:
                self._own.append(path)
            file = os.fdopen(handle, "w", encoding="ascii", buffering=1)
        self._files[table] = match, file
        head = {"t": "record", "version": VERSION, "server": self._server, "name": self._name, "begun": begun}
        self._line(table, head)

    def _make_room(self) -> None:
        if len(self._own) >= OWN:
            self._own.pop(0).unlink(missing_ok=True)
        paths = sorted(self._folder.glob("*" + SUFFIX))
        for path in paths[: max(0, len(paths) + 1 - KEPT)]:
            path.unlink(missing_ok=True)

    def _write(self, table: int, message: Event | View) -> None:
        if table in self._files:
            self._line(table, to_data(message))

    def _line(self, table: int, data: Mapping[str, Any]) -> None:
        match, file = self._files[table]
        if file is None:
            return
        try:
            file.write(json.dumps(data, default=bytes.hex, separators=(",", ":")) + "\n")
            fits = file.tell() < LARGEST
        except OSError:
            fits = False
        if not fits:
            with suppress(OSError):
                file.close()
            self._files[table] = match, None

    def _end(self, table: int) -> None:
        _match, file = self._files.pop(table, (0, None))
        if file is not None:
            with suppress(OSError):
                file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for table in tuple(self._files):
            self._end(table)


def is_record(text: str) -> bool:
    """Whether a file's text is one of ours."""
    return text.startswith('{"t":"record"')


def read(text: str) -> tuple[View | Event, ...]:
    """The messages of a record. Raises BadRecord. A last line that was cut short is left out."""
    found: list[View | Event] = []
    lines = text.splitlines()
    if text and not text.endswith("\n"):
        lines.pop()
    for number, line in enumerate(lines[1:], 2):
        try:
            message = parse_server(_with_bytes(json.loads(line)))
        except (ValueError, RecursionError, FrameError, TypeError, AttributeError) as problem:
            raise BadRecord(f"line {number}: {problem}") from None
        if isinstance(message, View | Event):
            found.append(message)
    if not found or not isinstance(found[0], View | e.MatchBegun):
        raise BadRecord("it has no view")
    return tuple(found)


def moments(messages: Iterable[View | Event]) -> tuple[Moment, ...]:
    """A record as moments to go through: what came at one time is one."""
    found: list[Moment] = []
    witnesses: dict[int, Witness] = {}
    round, last = 0, -1
    for message in messages:
        witness = witnesses.setdefault(message.table, Witness(message.table))
        told: list[Message] = [message]
        if isinstance(message, View):
            witness.view(message)
            round = message.round or round
        else:
            checked = witness.event(message)
            told += [] if checked is None else [checked]
            round = message.round if isinstance(message, e.RoundBegun) else round
        new = isinstance(message, e.RoundBegun | e.RoundOver | e.MatchOver) or message.at != last
        claims = isinstance(message, e.Claimed)
        if new or not found:
            found.append(Moment(message.at, round, tuple(told), (), claims))
        else:
            before = found[-1]
            found[-1] = Moment(before.at, round, (*before.messages, *told), (), before.claims or claims)
        last = message.at
    return tuple(found)


def _with_bytes(data: dict[str, Any]) -> dict[str, Any]:
    """A line with its hex digits as the bytes that they were."""
    data = dict(data)
    for key in _BYTES:
        if isinstance(data.get(key), str):
            data[key] = bytes.fromhex(data[key])
    if isinstance(data.get("nonces"), list):
        data["nonces"] = [None if nonce is None else bytes.fromhex(nonce) for nonce in data["nonces"]]
    if isinstance(data.get("last_round"), dict):
        data["last_round"] = _with_bytes(data["last_round"])
    return data
