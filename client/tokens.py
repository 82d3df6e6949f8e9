"""Session tokens, kept so that a client that is started again gets its seat back (protocol, section 2).

One file for each server and name, readable by its owner alone and locked while a client uses it: a second
client of the same player must not take over the session of the first.
"""

import contextlib
import hashlib
import os
import sys
from pathlib import Path
from types import TracebackType
from typing import Self

from protocol.text import name_key

if sys.platform != "win32":
    import fcntl


def state_path() -> Path:
    """The folder for what the client remembers by itself."""
    from platformdirs import user_state_path

    return user_state_path("dobon", appauthor=False)


class KeptToken:
    """The token of one name on one server (`host:port`); a context manager, or `close` it.

    `token` is None if there is none, if another client on this machine uses it, or if the folder can't be
    written: nothing here ever raises for the state of the disk.
    """

    def __init__(self, server: str, name: str, folder: Path | None = None) -> None:
        self.token: str | None = None
        self._file: int | None = None
        label = f"{server}\0{name_key(name)}".encode("utf-8", "replace")
        self._path = (folder or state_path() / "sessions") / hashlib.sha256(label).hexdigest()[:32]
        with contextlib.suppress(OSError):
            self._open()

    def _open(self) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            if sys.platform != "win32":
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                os.fchmod(file, 0o600)
            self.token = os.pread(file, 1000, 0).decode("ascii", "ignore").strip() or None
        except OSError:
            os.close(file)
            raise
        self._file = file

    def keep(self, token: str) -> None:
        """Remembers the token the server gave."""
        self.token = token
        self._write(token.encode("ascii", "ignore") + b"\n")

    def forget(self) -> None:
        """After `token_unknown`, or when the player left for good."""
        self.token = None
        self._write(b"")

    def _write(self, content: bytes) -> None:
        if self._file is not None:
            with contextlib.suppress(OSError):
                os.ftruncate(self._file, 0)
                os.pwrite(self._file, content, 0)

    def close(self) -> None:
        """Lets another client use the token."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
