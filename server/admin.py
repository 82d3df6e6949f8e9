"""The host's own door: what `dobon admin` asks, over a local socket in the data folder.

Who may open the socket is for the file system to say: it is its owner's alone. A request is one line of JSON,
`{"do": "list"}`, and so is its answer, `{"ok": …}` or `{"error": code, "message": …}`.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import stat
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import structlog
import trio

from protocol.text import ANNOUNCER, BadText, clean_chat, name_key
from protocol.trouble import system_reason

from .folder import ADMIN_SOCKET
from .lobby import listing_of
from .reply import UNKEPT
from .turn import in_turn

if TYPE_CHECKING:
    from .core import Core
    from .harvest import Harvester
    from .session import Session
    from .table import Table

LINE: Final = 4096
"""Most bytes of a request."""
PATIENCE: Final = 10
"""Seconds for a request to come and its answer to be taken."""
GRACE: Final = 0.2
"""Seconds before an end at once, for the answer to get across."""
MOST_MINUTES: Final = 24 * 60
PATIENT: Final = ("list", "bans", "shutdown")
"""What can be had while nothing can be written down, and so no table may be touched."""

_log = structlog.get_logger("admin")

Answer = dict[str, Any]


class _Refused(Exception):
    """What was asked can't be done: a code, and why."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Admin:
    """The door, and what can be asked there."""

    def __init__(self, core: Core, harvester: Harvester, name: str) -> None:
        self._core = core
        self._harvester = harvester
        self._name = name
        self._shutdown = trio.CancelScope()
        self._nursery: trio.Nursery | None = None

    async def serve(
        self, folder: Path, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED
    ) -> None:
        """Answer in this folder. Where that can't be, say so in the log and do without."""
        path = folder / ADMIN_SOCKET
        try:
            listener = _listen(path)
        except OSError as error:
            _log.warning("no_admin", path=str(path), why=error.strerror or str(error))
            task_status.started()
            return
        try:
            async with trio.open_nursery() as self._nursery:
                task_status.started()
                await trio.serve_listeners(self._converse, [listener], handler_nursery=self._nursery)
        finally:
            path.unlink(missing_ok=True)

    async def _converse(self, stream: trio.abc.Stream) -> None:
        with trio.move_on_after(PATIENCE):
            try:
                async with stream:
                    answer = await self._answer(await _line(stream))
                    await stream.send_all(json.dumps(answer).encode() + b"\n")
            except trio.BrokenResourceError:
                pass

    async def _answer(self, line: bytes) -> Answer:
        try:
            asked = json.loads(line)
            word = asked["do"]
            do = self._deeds()[word]
        except (ValueError, TypeError, KeyError, RecursionError):
            return {"error": "unknown", "message": "there is no such request"}
        answer = await in_turn(self._core, self._harvester, partial(self._safely, do, word, asked))
        who = asked.get("who", asked.get("table"))
        _log.info("asked", request=word, about=who, done="ok" in (answer or {}))
        return answer or {"error": "internal", "message": "the server has made a mistake"}

    def _deeds(self) -> dict[str, Callable[[Answer], Any]]:
        return {
            "list": self.list,
            "kick": self.kick,
            "ban": self.ban,
            "unban": self.unban,
            "bans": lambda asked: self._core.visitors.bans.to_data(),
            "close": self.close,
            "announce": self._announce,
            "shutdown": self.shutdown,
        }

    def _safely(self, do: Callable[[Answer], Any], word: str, asked: Answer) -> Answer:
        if self._core.gate.stuck and word not in PATIENT:
            return {"error": "stuck", "message": UNKEPT}
        try:
            return {"ok": do(asked)}
        except _Refused as refused:
            return {"error": refused.code, "message": str(refused)}
        except OSError as error:
            return {"error": "unkept", "message": system_reason(error)}

    # What can be asked. Each is called in the harvester's turn.

    def list(self, asked: Answer) -> Answer:
        """The tables, and everybody with a session."""
        visitors, lobby = self._core.visitors, self._core.lobby
        return {
            "server": self._name,
            "connections": visitors.connections(),
            "tables": [listing_of(table) for table in lobby.tables.values()],
            "players": [
                {
                    "player": session.player,
                    "name": session.name,
                    "address": None if session.connection is None else session.connection.peer.address,
                    "tables": sorted(session.tables),
                }
                for session in visitors.sessions
            ],
        }

    def kick(self, asked: Answer) -> Answer:
        """End the session of somebody, by name or `#` and number."""
        session = self._find(_text(asked, "who"))
        self._core.visitors.expel(session)
        return {"kicked": [session.name]}

    def ban(self, asked: Answer) -> Answer:
        """Keep a name, an address or a network out, and end the sessions that it fits."""
        who = _text(asked, "who")
        visitors = self._core.visitors
        visitors.bans.add(who)
        kicked = [session for session in visitors.sessions if visitors.banned(session)]
        for session in kicked:
            visitors.expel(session)
        visitors.cut_banned()
        return {"kicked": [session.name for session in kicked]}

    def unban(self, asked: Answer) -> Answer:
        who = _text(asked, "who")
        if not self._core.visitors.bans.remove(who):
            raise _Refused("unknown", "there is no such ban")
        return self._core.visitors.bans.to_data()

    def close(self, asked: Answer) -> Answer:
        """Close a table; everybody there is told."""
        number = asked.get("table")
        table = self._core.lobby.tables.get(number) if type(number) is int else None
        if table is None:
            raise _Refused("unknown", "there is no such table")
        self._core.step(table, partial(table.close, "admin"))
        return {"table": table.number}

    def announce(self, text: str) -> Answer:
        """Say something at every table."""
        try:
            line = clean_chat(text)
        except BadText as bad:
            raise _Refused("text", str(bad)) from None
        tables = list(self._core.lobby.tables.values())
        for table in tables:
            self._core.step(table, partial(_say, table, line))
        return {"tables": len(tables)}

    def shutdown(self, asked: Answer) -> Answer:
        """End the server in so many minutes, or with None not after all.

        `text` is said now, `last` a minute before.
        """
        minutes = asked.get("minutes")
        self._shutdown.cancel()
        if minutes is None:
            return {}
        if type(minutes) is not int or not 0 <= minutes <= MOST_MINUTES:
            raise _Refused("minutes", f"minutes are a whole number from 0 to {MOST_MINUTES}")
        if minutes and not self._core.gate.stuck:
            self.announce(_text(asked, "text"))
        assert self._nursery is not None
        self._shutdown = trio.CancelScope()
        last = _text(asked, "last") if minutes > 1 else None
        self._nursery.start_soon(self._end, self._shutdown, 60 * minutes, last)
        return {"minutes": minutes}

    async def _end(self, scope: trio.CancelScope, seconds: int, last: str | None) -> None:
        with scope:
            if last is not None:
                await trio.sleep(seconds - 60)
                say = partial(self._safely, self._announce, "announce", {"text": last})
                await in_turn(self._core, self._harvester, say)
                seconds = 60
            await trio.sleep(max(seconds, GRACE))
            # The same way as every other end.
            os.kill(os.getpid(), signal.SIGTERM)

    def _announce(self, asked: Answer) -> Answer:
        return self.announce(_text(asked, "text"))

    def _find(self, who: str) -> Session:
        for session in self._core.visitors.sessions:
            if who == f"#{session.player}" or name_key(who) == name_key(session.name):
                return session
        raise _Refused("unknown", "nobody is called that")


def _say(table: Table, text: str) -> None:
    table.broadcast.emit("chat", {"from": ANNOUNCER, "seat": None, "text": text})


def _text(asked: Answer, field: str) -> str:
    text = asked.get(field)
    if not isinstance(text, str) or not text:
        raise _Refused(field, f"{field} is missing")
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise _Refused(field, f"{field} is no Unicode")
    return text


async def _line(stream: trio.abc.ReceiveStream) -> bytes:
    """Up to the end of a line, of the stream, or of what is taken."""
    line = bytearray()
    while b"\n" not in line and len(line) < LINE:
        data = await stream.receive_some(LINE)
        if not data:
            break
        line += data
    return bytes(line)


def _listen(path: Path) -> trio.SocketListener:
    """A socket for the owner alone. One that a dead server has left is replaced. Raises OSError."""
    if not hasattr(socket, "AF_UNIX"):
        raise OSError("this system has no local sockets")
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if path.exists() and stat.S_ISSOCK(path.stat().st_mode) and not _alive(path):
        path.unlink()
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        # Nobody may come in between the making and the change of its mode.
        before = os.umask(0o177)
        try:
            sock.bind(str(path))
        finally:
            os.umask(before)
        sock.listen(8)
        sock.setblocking(False)
    except OSError:
        sock.close()
        raise
    return trio.SocketListener(trio.socket.from_stdlib_socket(sock))


def _alive(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as sock:
        try:
            sock.connect(str(path))
        except OSError:
            return False
    return True
