"""What trio does while the screen shows: gets the session a goal wants, and feeds the app from it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import trio

from protocol.joincode import BadAddress, parse_address
from protocol.messages import Create, Join, OkTables, Start, Tables, Watch, Welcome

from .app import App
from .command import Exit
from .counter import CounterWatch
from .deeds import Wish
from .discovery import DiscoveryError, FoundServer, browse
from .enter import entered
from .goal import Goal
from .notices import Ended
from .options import BadStart
from .own_server import own_server
from .problems import address_problem
from .refusals import code_of, ended, failure, new_server_briefly
from .screen.scene import Found
from .session import NotConnected, Over, RequestLost, Session, SessionFailed

LOBBY = 3
"""Seconds between two looks at the tables of a server."""
PING = 5
"""Seconds between two measurements of the way to the server and back."""


async def to_the_end(app: App, goal: Goal) -> None:
    """For `join`, `watch` and `play`: one goal, and the end of the session is the end of the program."""
    end = await follow(app, goal)
    if end is not None:
        app.farewell = ended(end, app.translate)
        app.quit(Exit.PROTOCOL if end.error is None else code_of(end.error))


async def follow(app: App, goal: Goal) -> Ended | None:
    """Plays one session to its end; None if it just stopped. Raises SessionFailed if there is none to be
    had."""
    async with entered(goal) as (session, name, fingerprint):
        app.begins(session, name)
        async with trio.open_nursery() as nursery:
            watch = CounterWatch(session, nursery)
            nursery.start_soon(_begin, app, session, goal)
            nursery.start_soon(_look_round, app)
            nursery.start_soon(_measure, app, session)
            async for message in session.messages():
                app.feed(message)
                if fingerprint is not None and isinstance(message, Welcome):
                    app.tell(new_server_briefly(fingerprint, app.translate))
                    fingerprint = None
                watch.follow(app.model.table)
                if isinstance(message, Ended):
                    nursery.cancel_scope.cancel()
                    return message
    return None


async def _begin(app: App, session: Session, goal: Goal) -> None:
    """Does what the player came for."""
    try:
        if goal.create is not None:
            await _open_and_start(app, session, goal.create)
        elif goal.table is not None:
            kind = Watch if goal.watching else Join
            session.post(kind(table=goal.table, password=goal.password))
        else:
            reply = await session.request(Tables())
            if goal.watching and isinstance(reply, OkTables) and len(reply.tables) == 1:
                session.post(Watch(table=reply.tables[0].table, password=goal.password))
    except (NotConnected, Over, RequestLost):
        pass  # the screen tells of the connection


async def _open_and_start(app: App, session: Session, create: Create) -> None:
    reply = await session.request(create)
    table = getattr(reply, "table", None)
    if isinstance(table, int):
        session.post(Start(table=table))


async def _look_round(app: App) -> None:
    """Keeps the lobby fresh while it shows."""
    while True:
        await trio.sleep(LOBBY)
        if app.model.table is None and app.model.link == "online":
            app.post(Tables())


async def _measure(app: App, session: Session) -> None:
    while True:
        if (took := await session.ping()) is not None:
            app.pinged(round(took * 1000))
        await trio.sleep(PING)


async def from_the_start(app: App) -> None:
    """For `dobon` alone: the start screen, a server, the start screen again."""
    wishes, wanted = trio.open_memory_channel[Wish](10)

    def want(wish: Wish) -> None:
        with suppress(trio.WouldBlock):
            wishes.send_nowait(wish)

    app.listens(want)
    while True:
        wish = await _chosen(app, wanted)
        try:
            async with _goal(app, wish) as goal:
                await _until_left(app, goal, wanted)
        except BadStart as problem:
            app.starts_over(str(problem))


async def _chosen(app: App, wanted: trio.MemoryReceiveChannel[Wish]) -> Wish:
    """Looks for servers while the player makes up their mind."""
    async with trio.open_nursery() as nursery:
        nursery.start_soon(_browse, app)
        while True:
            wish = await wanted.receive()
            if wish.what != "leave":
                nursery.cancel_scope.cancel()
                return wish
    raise AssertionError("there is always another wish")


async def _browse(app: App) -> None:
    _ = app.translate
    app.change(searching=True)
    try:
        await browse(float("inf"), lambda servers: app.show(app.ui.found(tuple(map(_found, servers)))))
    except DiscoveryError as problem:
        app.change(searching=False)
        app.tell(_("This machine can't look for servers ({reason}).").format(reason=_(str(problem))))


def _found(server: FoundServer) -> Found:
    address = str(server.addresses[0])
    return Found(server.name, address, server.code or "", server.players, server.fingerprint)


@asynccontextmanager
async def _goal(app: App, wish: Wish) -> AsyncIterator[Goal]:
    """The goal of a wish; for a game alone with a server that lives as long. Raises BadStart."""
    _, name = app.translate, app.settings.name
    if wish.what == "alone":
        server = own_server(None, _)
        address = await trio.to_thread.run_sync(server.__enter__)
        try:
            create = Create(rules={"preset": "dobon"}, seats=4, bots=["normal"] * 3)
            yield Goal((address,), str(address), name, named=False, create=create, keep=False)
        finally:
            with trio.CancelScope(shield=True):
                await trio.to_thread.run_sync(server.__exit__, None, None, None)
        return
    try:
        addresses = parse_address(wish.where)
    except BadAddress as problem:
        raise BadStart(address_problem(problem, _)) from None
    password = app.ui.password or None
    yield Goal(addresses, wish.where, name, named=False, password=password, fingerprint=wish.fingerprint)


async def _until_left(app: App, goal: Goal, wanted: trio.MemoryReceiveChannel[Wish]) -> None:
    """A session, until it ends or the player leaves the server."""
    app.connects()
    told = ""
    async with trio.open_nursery() as nursery:

        async def session() -> None:
            nonlocal told
            try:
                if (end := await follow(app, goal)) is not None:
                    told = ended(end, app.translate)
            except SessionFailed as problem:
                told, _code = failure(problem, goal.where, app.translate)
            nursery.cancel_scope.cancel()

        async def leaving() -> None:
            while (await wanted.receive()).what != "leave":
                pass
            nursery.cancel_scope.cancel()

        nursery.start_soon(session)
        nursery.start_soon(leaving)
    app.starts_over(told)
