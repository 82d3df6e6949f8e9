"""What a server does with its journal from its start to its end."""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import count
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING

import structlog
import trio

from protocol.trouble import Translate

from .folder import kept_at
from .journal import Journal, Resumption, Store
from .journal_schema import JOURNAL, PLAY, SUFFIX, BadJournal
from .options import BadStart
from .restore import restore

if TYPE_CHECKING:
    from .config import Config
    from .core import Core


_log = structlog.get_logger("keeping")

PATIENCE = 1.5
"""Seconds at the end for writing down what is still to be told, and as many for the rest."""


def open_store(config: Config, offset: Callable[[], int], _: Translate) -> Store:
    """The journal of a data folder; its file is made if need be. Raises `BadStart`.

    Several servers may share a folder that none of them was given: each has a file of its own.
    """
    folder, stem = kept_at(config.data), PLAY if config.alone else JOURNAL
    shared = config.alone or config.data is None
    try:
        for number in count(1):
            try:
                store = Store(folder, offset, stem + (f"-{number}" if number > 1 else "") + SUFFIX)
                if config.alone:
                    store.forget()
            except BadJournal as bad:
                if bad.why == "unwritable" and config.alone:
                    # Better a game that nobody will find again than none.
                    _log.warning("not kept", folder=str(folder), reason=bad.detail)
                    return Store(Path(mkdtemp(prefix="dobon-")), offset)
                if bad.why != "locked" or not shared:
                    raise
            else:
                break
    except BadJournal as bad:
        raise BadStart(sentence(bad, _)) from None
    return store


def sentence(bad: BadJournal, _: Translate) -> str:
    """What is wrong with a journal, for people."""
    texts = {
        "damaged": _("{path} is damaged ({detail}): move it away to begin a new one."),
        "newer": _("{path} was written by a newer version of Dobon ({detail})."),
        "locked": _("Another server is using {path}."),
        "missing": _("Nothing is kept in {path} yet."),
        "unwritable": _("{path} can't be written to ({detail}): choose another folder with --data."),
    }
    return texts[bad.why].format(path=bad.path, detail=_(bad.detail))


class Keeping:
    """A journal at work."""

    def __init__(self, store: Store, resumes: bool, _: Translate) -> None:
        """``resumes``: there will be a server again that goes on with it."""
        self.store = store
        self._resumes = resumes
        self._translate = _
        self.journal = Journal(store)

    def resume(self, core: Core, now: int) -> None:
        """Let everything stand where it stood; say which table can't."""
        _ = self._translate
        for number, reason in restore(core, Resumption(self.store, now)).items():
            said = _("Table {table} can't go on, its record is kept: {reason}.")
            sys.stderr.write(said.format(table=number, reason=reason) + "\n")
        sys.stderr.flush()

    async def run(self, core: Core) -> None:
        """Write until cancelled."""
        await self.journal.run(core.written, core.stand_still, core.go_on)

    async def say_goodbye(self, core: Core) -> None:
        """Tell everybody that the server ends, after all that they have to be told before."""
        core.visitors.shut_down(resume=self._resumes)
        with trio.move_on_after(PATIENCE):
            while core.gate.waiting and not core.gate.stuck:
                await self.journal.progress()

    async def finish(self) -> None:
        """Write down what is left and let go of the file."""
        with trio.move_on_after(PATIENCE):
            while self.journal.behind and not self.journal.stuck:
                await self.journal.progress()

    def close(self) -> None:
        self.store.close()
