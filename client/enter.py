"""From a goal to an open session, the same for every front end: names, kept tokens, the dial."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager
from typing import NamedTuple

import trio

from protocol.connection import ClientConnection, Received
from protocol.text import BadName, clean_name

from .dial import Dialler
from .goal import Goal
from .pins import Pins
from .records import Recorder
from .session import AGENT, Refused, Session, open_session
from .tokens import KeptToken

NAMES = 9
"""How many names are tried for a player who chose none: `haru`, `haru 2`, `haru 3` …"""


class Entered(NamedTuple):
    """A session, and the name it was asked for with."""

    session: Session
    name: str
    fingerprint: str | None
    """Of the server's certificate, where it was seen for the first time."""


@asynccontextmanager
async def entered(goal: Goal) -> AsyncIterator[Entered]:
    """The session that a goal wants. Raises SessionFailed."""
    names = [goal.name] if goal.named else [_numbered(goal.name, number) for number in range(1, NAMES + 1)]
    pins = Pins(told=goal.fingerprint) if goal.keep else None
    taken: Refused | None = None
    for name in names:
        opened = False
        try:
            async with _as(goal, name, pins) as session:
                opened = True
                yield Entered(session, name, None if pins is None else pins.new)
                return
        except Refused as refused:
            if opened or refused.error.code != "name_taken":
                raise
            taken = refused
    assert taken is not None
    raise taken


@asynccontextmanager
async def _as(goal: Goal, name: str, pins: Pins | None) -> AsyncIterator[Session]:
    dialler = Dialler(goal.addresses, pins)
    kept: KeptToken | None = None
    with ExitStack() as held:
        connection = _Recorded(name, AGENT, password=goal.password)
        connection.recorder = held.enter_context(Recorder(name)) if goal.keep else None

        async def dial() -> trio.abc.Stream:
            nonlocal kept
            stream = await dialler()
            connection.padded = isinstance(stream, trio.SSLStream)
            if goal.keep and kept is None:
                # Not sooner: of several addresses it is the one that answered whose token may be told.
                kept = held.enter_context(KeptToken(str(dialler.addresses[0]), name))
                connection.token = kept.token
            return stream

        def keep(token: str | None) -> None:
            if kept is not None and token is None:
                kept.forget()
            elif kept is not None and token is not None:
                kept.keep(token)

        async with open_session(dial, connection, kept=keep) as session:
            yield session


def _numbered(name: str, number: int) -> str:
    if number == 1:
        return name
    for end in range(len(name), 0, -1):
        try:
            return clean_name(f"{name[:end].rstrip()} {number}")
        except BadName:
            continue
    return name


class _Recorded(ClientConnection):
    """A connection whose messages are written down."""

    recorder: Recorder | None = None

    def receive(self, data: bytes) -> Iterator[Received]:
        for received in super().receive(data):
            if self.recorder is not None:
                self.recorder.take(received)
            yield received
