"""A player's session: dials, says hello, asks, listens, and takes itself up again when the network fails.

The one piece that every front end shares: everything that happens comes in order out of `messages()`;
requests go in through `post`, which never waits, or `request`, which waits for the answer.
"""

from __future__ import annotations

import os
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

import trio
from msgspec.structs import replace

from protocol.connection import Answer, ClientConnection, Received, State
from protocol.heartbeat import Beat, Heartbeat
from protocol.messages import Closed, Error, FrameError, Leave, Ok, Pong, Ready, Request, View, Welcome

from .dial import CUT, NO_ANSWER, PATIENCE, Dial, reason, retry_after
from .fairness import Witness
from .notices import Away, Ended, Message, Sent, Why
from .pins import Doubt

AGENT: Final = "dobon/0.1"
NONCE_BYTES: Final = 16
HEARTBEATS: Final = (1_000, 60_000)
"""The shortest and the longest heartbeat that is believed, in ms."""
BACKLOG: Final = 10_000
"""Messages that a front end may leave unread before no more are read for it."""
_CHUNK: Final = 1 << 16


class SessionFailed(Exception):
    """There is no session to be had, or no longer; the subclasses say why."""


class Unreachable(SessionFailed):
    """No server answers; `str()` is what the system says of it."""


class Refused(SessionFailed):
    """The server does not take the hello."""

    def __init__(self, error: Error) -> None:
        super().__init__(error.code)
        self.error = error


class Broken(SessionFailed):
    """What answers there does not speak the protocol; `str()` says in English what it did."""


class Untrusted(SessionFailed):
    """The server is not who it was the first time; `doubt` has both."""

    def __init__(self, doubt: Doubt) -> None:
        super().__init__(str(doubt))
        self.doubt = doubt


class Over(SessionFailed):
    """The session is over: nothing can be asked any more."""


class NotConnected(Exception):
    """There is no connection just now; what was to be asked is not asked later."""


class Unsayable(Exception):
    """The request holds text that is no Unicode, or more than a frame can."""


class RequestLost(Exception):
    """The server has forgotten the session, and nobody knows what became of the request."""


@asynccontextmanager
async def open_session(
    dial: Dial,
    connection: ClientConnection,
    *,
    kept: Callable[[str | None], None] = lambda _token: None,
    urandom: Callable[[int], bytes] = os.urandom,
    jitter: Callable[[], float] = random.random,
) -> AsyncIterator[Session]:
    """A session that is open; it ends with the block.

    `kept` is told every new token, and None when the server no longer knows it. `jitter` gives numbers from 0
    to 1. Raises SessionFailed if the first connection comes to nothing.
    """
    session = Session(dial, connection, kept, urandom, jitter)
    try:
        async with trio.open_nursery() as nursery:
            await nursery.start(session.run)
            yield session
            nursery.cancel_scope.cancel()
    except BaseExceptionGroup as group:
        # What the block raised, as it raised it.
        if len(group.exceptions) == 1:
            raise group.exceptions[0] from None
        raise


class Session:
    """One session; made by `open_session`."""

    def __init__(
        self,
        dial: Dial,
        connection: ClientConnection,
        kept: Callable[[str | None], None],
        urandom: Callable[[int], bytes],
        jitter: Callable[[], float],
    ) -> None:
        self._dial = dial
        self._connection = connection
        self._kept = kept
        self._urandom = urandom
        self._jitter = jitter
        self._attempt = 0
        self._over = False
        self._silent = False
        self._started: Callable[[], None] | None = None
        self._put, self._get = trio.open_memory_channel[Message](float("inf"))
        self._room = trio.Event()
        self._wake = trio.Event()
        self._welcomed = trio.Event()
        self._waiting: dict[int, _Waiter] = {}
        self._pongs: dict[int, trio.Event] = {}
        self._witnesses: dict[int, Witness] = {}
        self._heartbeat = Heartbeat(HEARTBEATS[1], 0)

    # For front ends.

    @property
    def online(self) -> bool:
        """Whether requests are taken now."""
        return not self._over and self._connection.state is State.OPEN

    async def messages(self) -> AsyncIterator[Message]:
        """All that happens, in order; ends after `Ended`. For one reader."""
        async for message in self._get:
            if self._get.statistics().current_buffer_used < BACKLOG:
                self._room.set()
            yield message

    def post(self, request: Request, alone: bool = False) -> int:
        """Send a request and return its id; its `Answer` comes with the messages.

        With `alone` nothing is sent behind it before its answer, as behind every `Dobon`: for a play in the
        opening race. Raises NotConnected, Over or Unsayable, and then nothing is ever sent of it.
        """
        if self._over:
            raise Over
        if not self.online:
            raise NotConnected
        try:
            number = self._connection.send(request, alone)
        except ValueError as error:
            raise Unsayable(str(error)) from None
        self._put.send_nowait(Sent(replace(request, id=number)))
        self._wake.set()
        return number

    async def request(self, request: Request, alone: bool = False) -> Ok | Error:
        """Send a request and wait for its answer, over a lost connection too. Raises as `post`, and
        RequestLost or Over if there will be none."""
        number = self.post(request, alone)
        waiter = self._waiting[number] = _Waiter()
        try:
            await waiter.done.wait()
        finally:
            del self._waiting[number]
        if waiter.reply is None:
            raise Over if self._over else RequestLost
        return waiter.reply

    def ready(self, table: int, on: int) -> int:
        """Post a `ready` with a nonce of our own, which the coming deal will be checked for."""
        return self.post(Ready(table=table, on=on, nonce=self._urandom(NONCE_BYTES)))

    async def ping(self) -> float | None:
        """The seconds that a ping takes to the server and back; None without a connection, or if the answer
        does not come over it."""
        if not self.online:
            return None
        pong = trio.Event()
        number = self._connection.ping()
        self._pongs[number] = pong
        self._wake.set()
        began = trio.current_time()
        try:
            with trio.move_on_after(PATIENCE):
                await pong.wait()
        finally:
            del self._pongs[number]
        return trio.current_time() - began if pong.is_set() else None

    # The task.

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Keep the session until it is over; started with the first welcome. Raises SessionFailed before."""
        self._started = task_status.started
        try:
            stream = await self._dial()
        except OSError as error:
            raise Unreachable(reason(error)) from None
        except Doubt as doubt:
            raise Untrusted(doubt) from None
        while True:
            broken = await self._converse(stream)
            if broken is not None:
                return self._end(Ended(broken=broken.message))
            if self._forgotten():
                self._attempt = 0
            elif not self._may_return():
                return self._end(Ended(error=self._connection.end))
            elif self._connection.welcome is None:
                raise Unreachable(NO_ANSWER if self._silent else CUT)
            stream = await self._redial()

    def _end(self, ended: Ended) -> None:
        """Say the last word; before the first welcome that is an exception."""
        if self._connection.welcome is None:
            raise Refused(ended.error) if ended.error else Broken(ended.broken or "")
        self._over = True
        self._put.send_nowait(ended)
        self._put.close()
        for waiter in self._waiting.values():
            waiter.done.set()

    def _may_return(self) -> bool:
        """Whether to dial again: not where we are not wanted, nor to a server that won't know us."""
        end = self._connection.end
        if end is not None and end.code == "shutdown" and end.resume is False:
            return False
        return self._connection.may_reconnect

    def _forgotten(self) -> bool:
        """Whether the server no longer knows the token; the next hello goes without."""
        end = self._connection.end
        if end is None or end.code != "token_unknown" or self._connection.token is None:
            return False
        self._connection.token = None
        self._kept(None)
        return True

    async def _redial(self) -> trio.abc.Stream:
        """Wait and dial till there is a connection."""
        why = self._why()
        while True:
            self._attempt += 1
            retry = retry_after(self._attempt, self._jitter())
            self._put.send_nowait(Away(why, self._attempt, retry))
            await trio.sleep(retry / 1000)
            try:
                return await self._dial()
            except OSError:
                why = "unreachable"
            except Doubt as doubt:
                raise Untrusted(doubt) from None

    def _why(self) -> Why:
        end = self._connection.end
        match end.code if end else None:
            case "slow" | "shutdown" | "server_full" as code:
                return code
            case _:
                return "silent" if self._silent else "closed"

    async def _converse(self, stream: trio.abc.Stream) -> FrameError | None:
        """One connection from its hello to its end; the way in which the server broke the protocol, if so."""
        self._connection.connect()
        self._welcomed, self._silent = trio.Event(), False
        broken = None
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._write, stream)
                nursery.start_soon(self._beat, nursery.cancel_scope)
                broken = await self._read(stream)
                nursery.cancel_scope.cancel()
        finally:
            self._connection.state = State.CLOSED
            await trio.aclose_forcefully(stream)
        return broken

    async def _read(self, stream: trio.abc.Stream) -> FrameError | None:
        connection = self._connection
        while connection.end is None and connection.state is not State.CLOSED:
            try:
                data = await stream.receive_some(_CHUNK)
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                return None
            if not data:
                return None
            self._heartbeat.heard(_now())
            try:
                for received in connection.receive(bytes(data)):
                    self._take(received)
            except FrameError as error:
                return error
            self._wake.set()
            if self._get.statistics().current_buffer_used >= BACKLOG:
                self._room = trio.Event()
                await self._room.wait()
        return None

    async def _write(self, stream: trio.abc.Stream) -> None:
        """Send what may be sent. A failure is left to the reader: what the server said before it counts."""
        while True:
            data = self._connection.data_to_send()
            if not data:
                self._wake = trio.Event()
                await self._wake.wait()
                continue
            try:
                await stream.send_all(data)
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                return

    async def _beat(self, connection: trio.CancelScope) -> None:
        """End a connection on which nothing is heard, asking first."""
        with trio.move_on_after(PATIENCE):
            await self._welcomed.wait()
        while self._welcomed.is_set():
            await trio.sleep_until(self._heartbeat.due / 1000)
            beat = self._heartbeat.step(_now())
            if beat is Beat.DROP:
                break
            if beat is Beat.PING:
                self._connection.ping()
                self._wake.set()
        self._silent = True
        connection.cancel()

    def _take(self, received: Received) -> None:
        """One thing that the server said, to whom it concerns."""
        checked = None
        match received:
            case Welcome():
                self._begin(received)
            case Answer():
                self._answered(received)
            case Pong(n=number):
                if number in self._pongs:
                    self._pongs[number].set()
                return
            case View():
                self._witness(received.table).view(received)
            case Error():
                pass
            case _:
                checked = self._witness(received.table).event(received)
                if isinstance(received, Closed):
                    del self._witnesses[received.table]
        self._put.send_nowait(received)
        if checked is not None:
            self._put.send_nowait(checked)

    def _witness(self, table: int) -> Witness:
        return self._witnesses.setdefault(table, Witness(table))

    def _begin(self, welcome: Welcome) -> None:
        least, most = HEARTBEATS
        self._heartbeat = Heartbeat(max(least, min(welcome.heartbeat, most)), _now())
        self._attempt = 0
        self._welcomed.set()
        self._kept(welcome.token)
        if not welcome.resumed:
            self._witnesses.clear()
        if self._started is not None:
            self._started()
            self._started = None

    def _answered(self, answer: Answer) -> None:
        request, reply = answer
        if isinstance(reply, Ok):
            if isinstance(request, Ready):
                self._witness(request.table).promise(request.nonce)
            elif isinstance(request, Leave):
                self._witnesses.pop(request.table, None)
        if waiter := self._waiting.get(request.id):
            waiter.reply = reply
            waiter.done.set()


class _Waiter:
    """Somebody who waits for the answer to a request."""

    def __init__(self) -> None:
        self.done = trio.Event()
        self.reply: Ok | Error | None = None


def _now() -> int:
    """The monotonic clock in ms."""
    return int(trio.current_time() * 1000)
