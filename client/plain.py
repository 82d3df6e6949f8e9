"""The plain client: a line for each event, appended; short commands, typed or piped. No cursor is moved and
no colour used, so it works in a pipe, with TERM=dumb and with a screen reader.

Only where both ends are terminals is there a prompt, with completion and history.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Final

import trio

from protocol import events as e
from protocol.connection import Answer
from protocol.messages import (
    Dobon,
    Draw,
    Error,
    Join,
    Ok,
    OkCreate,
    OkTables,
    Pass,
    Play,
    Request,
    Rps,
    Start,
    Tables,
    View,
    Waive,
    Watch,
)
from protocol.text import name_key

from .command import Exit, end_echo
from .counter import CounterWatch
from .enter import entered
from .fault import own_fault
from .glyphs import ASCII, UNICODE, WIDE_ASCII, Glyphs
from .goal import Goal
from .i18n import Translate
from .knowledge import can_dobon
from .model import Model, update
from .notices import Ended, Message
from .options import terminal
from .outlet import PATIENCE, Outlet
from .phrases import Speaker
from .plain_commands import Ask, BadCommand, BeReady, Command, Mute, Quit, Show, interpret
from .plain_input import Lines, piped_lines
from .plain_lines import help_lines, look, news, rules_lines, status, status_key
from .refusals import code_of, last_word, new_server
from .session import NotConnected, Over, Session, SessionFailed, Unsayable
from .settings import Settings

UNREAD: Final = 1 << 20
"""Bytes of lines that nobody has read yet: with more of them, no more is read from the server."""

SIGNALLED: Final = 128
"""The exit code for a signal, but for its number."""

PLAYS: Final = (Play, Draw, Pass, Dobon, Waive, Rps)
"""Requests that may be held for the grace: the next command does not wait for their answer."""


def run(goal: Goal, settings: Settings, _: Translate) -> int:
    """Play or watch from here; returns the exit code."""
    outlet, complaint = Outlet(sys.stdout), ""
    speak = Speaker(_, plain_glyphs(settings.glyphs, outlet.encoding, os.environ))
    try:
        code = trio.run(_main, goal, settings, speak, outlet)
    except SessionFailed as problem:
        complaint, code = last_word(problem, goal.where, _)
    except Exception as fault:
        if _is_gone(fault):
            raise BrokenPipeError from None
        complaint, code = own_fault(fault, _), Exit.FAILURE
    _settle(outlet, in_a_hurry=code > SIGNALLED)
    if code == Exit.INTERRUPTED and not terminal():  # the prompt lets no `^C` be shown
        end_echo()
    if complaint:
        sys.stderr.write(complaint + "\n")
    return code


def _is_gone(fault: BaseException) -> bool:
    """Whether it is that nobody can read any more: the pager has ended, or the terminal was closed."""
    if isinstance(fault, BaseExceptionGroup):
        return all(map(_is_gone, fault.exceptions))
    return isinstance(fault, OSError) and fault.errno in (errno.EPIPE, errno.EIO)


def _settle(outlet: Outlet, in_a_hurry: bool) -> None:
    """All that was said is to be read, if there is time."""
    try:
        outlet.settle(PATIENCE if in_a_hurry else None)
    except KeyboardInterrupt:
        _settle(outlet, True)
        raise
    except OSError:
        if not in_a_hurry:
            raise BrokenPipeError from None


def plain_glyphs(wish: str, encoding: str, environ: Mapping[str, str]) -> Glyphs:
    """Suits as symbols only where both the output and the locale speak Unicode; no terminal is asked."""
    if wish == "unicode":
        return UNICODE
    if not encoding.lower().replace("-", "").startswith("utf"):
        return WIDE_ASCII
    locale = next((value for name in ("LC_ALL", "LC_CTYPE", "LANG") if (value := environ.get(name))), "")
    if wish == "ascii" or not ("utf" in locale.lower() or sys.platform == "win32"):
        return ASCII
    return UNICODE


async def _main(goal: Goal, settings: Settings, speak: Speaker, outlet: Outlet) -> int:
    async with entered(goal) as (session, name, fingerprint):
        lines = piped_lines()
        out: Callable[[Iterable[str]], None] = partial(_print, outlet)
        if terminal():
            from .prompt import Prompt

            prompt = Prompt(outlet)
            lines, out = prompt.lines(), prompt.print
        if fingerprint is not None:
            out([new_server(fingerprint, speak.translate)])
        settings = replace(settings, name=name)
        return await Plain(session, goal, settings, speak, lines, out, partial(_room, outlet)).run()


def _print(outlet: Outlet, lines: Iterable[str]) -> None:
    outlet.write("".join(f"{line}\n" for line in lines))


async def _room(outlet: Outlet) -> None:
    """Waits while far more was said than is read."""
    token, read = trio.lowlevel.current_trio_token(), trio.Event()
    if outlet.is_behind(lambda: token.run_sync_soon(read.set), beyond=UNREAD):
        await read.wait()


def _refused_play(message: Message) -> bool:
    """Whether it says that the player's move was not made: then what they can do is told again."""
    if not isinstance(message, Answer):
        return False
    return isinstance(message.reply, Error) and isinstance(message.request, PLAYS)


def _known(message: Message, model: Model) -> bool:
    """Whether it is a view from the same seat that brings nothing which was not told as an event."""
    if not isinstance(message, View) or (table := model.tables.get(message.table)) is None:
        return False
    return (table.view.seq, table.view.you) == (message.seq, message.you)


class Plain:
    """One player at one session, in lines."""

    def __init__(
        self,
        session: Session,
        goal: Goal,
        settings: Settings,
        speak: Speaker,
        lines: Lines,
        out: Callable[[Iterable[str]], None],
        room: Callable[[], Awaitable[None]] = trio.lowlevel.checkpoint,
    ) -> None:
        self.model = Model(name=settings.name)
        self._session = session
        self._goal = goal
        self._sort = settings.sort
        self._speak = speak
        self._lines = lines
        self._out, self._room = out, room
        self._muted = {name_key(name) for name in settings.muted}
        self._changed = trio.Event()
        self._answers: dict[int, Answer | None] = {}
        """Of the requests that are waited for."""
        self._unanswered: set[int] = set()
        """Of the other requests: those that are still on their way, or held."""
        self._views: Counter[int] = Counter()
        """How many views have come, by table."""
        self._shown: tuple[object, ...] = ()
        self._offered: int | None = None
        """The `on` of the card that the player was last told they can claim, till they do something."""
        self._begun = False
        self._code: int = Exit.OK

    async def run(self) -> int:
        """Until the player, a signal or the server ends it; the exit code."""
        async with trio.open_nursery() as nursery:
            await nursery.start(self._signals, nursery.cancel_scope)
            nursery.start_soon(self._listen, nursery)
            await self._begin()
            self._begun = True
            async with self._lines as lines:
                async for line in lines:
                    if not await self._typed(line):
                        break
                else:
                    if self._goal.watching:  # who only looks on needs no input
                        await trio.sleep_forever()
                await self._finish()
            nursery.cancel_scope.cancel()
        return self._code

    async def _signals(
        self, scope: trio.CancelScope, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED
    ) -> None:
        ends = [signal.SIGINT, signal.SIGTERM, *([] if sys.platform == "win32" else [signal.SIGHUP])]
        # what `nohup`, or a shell for what runs behind it, has switched off stays off
        ends = [number for number in ends if signal.getsignal(number) is not signal.SIG_IGN]
        with trio.open_signal_receiver(*ends) as signals:
            task_status.started()
            async for number in signals:
                self._code = SIGNALLED + number
                scope.cancel()

    async def _listen(self, nursery: trio.Nursery) -> None:
        """Print what happens; ends everything when the session is over."""
        watch = CounterWatch(self._session, nursery)
        async for message in self._session.messages():
            known = _known(message, self.model) or (not self._begun and self._is_back(message))
            self.model = update(self.model, message, int(trio.current_time() * 1000))
            watch.follow(self.model.table)
            if not known:
                self._out(news(message, self.model, self._speak, self._muted))
            if isinstance(message, e.RoundBegun):  # the first question follows at once, and the hand with it
                self._offered = None
            else:
                self._show_status(again=_refused_play(message))
            if isinstance(message, View):
                self._views[message.table] += 1
            elif isinstance(message, Answer):
                self._unanswered.discard(message.request.id)
                if message.request.id in self._answers:
                    self._answers[message.request.id] = message
            self._changed.set()
            self._changed = trio.Event()
            if isinstance(message, Ended):
                self._code = Exit.PROTOCOL if message.error is None else code_of(message.error)
                nursery.cancel_scope.cancel()
            await self._room()

    def _is_back(self, message: Message) -> bool:
        """Whether it lists the tables to somebody who is at one again."""
        lists = isinstance(message, Answer) and isinstance(message.reply, OkTables)
        return lists and self.model.table is not None

    def _show_status(self, again: bool = False) -> None:
        key = status_key(self.model)
        # that nothing is asked any more needs no line of its own
        if again or (key != self._shown and (key[:1] != self._shown[:1] or any(key[1:]))):
            self._out(status(self.model, self._speak, self._sort))
            table = self.model.table
            if table is not None and can_dobon(table.view):
                self._offered = table.view.claim_on
        self._shown = key

    async def _begin(self) -> None:
        """Do what the player came for."""
        goal = self._goal
        if goal.create is not None:
            if await self._ask(goal.create):
                table = self.model.table
                assert table is not None
                await self._ask(Start(table=table.id))
        elif goal.table is not None:
            kind = Watch if goal.watching else Join
            await self._ask(kind(table=goal.table, password=goal.password))
        elif self.model.table is None:
            await self._ask(Tables())
            if goal.watching and self.model.lobby and len(self.model.lobby) == 1:
                await self._ask(Watch(table=self.model.lobby[0].table, password=goal.password))

    async def _typed(self, line: str) -> bool:
        """Do what a line asks for; False to end."""
        try:
            command = interpret(line, self.model, self._speak.translate, self._sort, self._offered)
            return command is None or await self._do(command)
        except BadCommand as problem:
            self._out([str(problem)])
        return True

    async def _do(self, command: Command) -> bool:
        match command:
            case Ask(request=request) if isinstance(request, PLAYS):
                self._offered = None
                self._expect(self._post(lambda: self._session.post(request, command.alone)))
            case Ask(request=request):
                await self._ask(request)
            case BeReady(table=table, on=on):
                self._expect(self._post(lambda: self._session.ready(table, on)))
            case Show(what=what):
                self._show(what)
            case Mute(name=name, on=on):
                key = name_key(name)
                self._muted = self._muted | {key} if on else self._muted - {key}
            case Quit():
                return False
        return True

    def _expect(self, number: int | None) -> None:
        if number is not None:
            self._unanswered.add(number)

    async def _finish(self) -> None:
        """Wait till what was asked for is done or refused; without a connection there is no waiting."""
        while self._unanswered and self._session.online:
            await self._changed.wait()

    def _post(self, post: Callable[[], int]) -> int | None:
        """Send something and return its id; say so where it can't be sent."""
        _ = self._speak.translate
        try:
            return post()
        except NotConnected:
            self._out([_("There is no connection: that was not sent.")])
        except Unsayable:
            self._out([_("That text can't be sent.")])
        except Over:
            pass  # said already, and the end is on its way
        return None

    async def _ask(self, request: Request) -> bool:
        """Send a request and wait till its answer, and the view that follows it, have been printed: a piped
        `create` is over before the `start` behind it is looked at. Whether it was done."""
        before = dict(self._views)
        number = self._post(lambda: self._session.post(request))
        if number is None:
            return False
        self._answers[number] = None
        while (reply := self._answers[number]) is None:
            await self._changed.wait()
        del self._answers[number]
        if not isinstance(reply.reply, Ok):
            return False
        table = getattr(request, "table", 0) if isinstance(request, Join | Watch) else 0
        if isinstance(reply.reply, OkCreate):
            table = reply.reply.table
        while table and self._views[table] == before.get(table, 0):
            await self._changed.wait()
        return True

    def _show(self, what: str) -> None:
        _ = self._speak.translate
        table = self.model.table
        if what == "help":
            self._out(help_lines(self._speak))
        elif what == "rules":
            self._out(rules_lines(table, self._speak))
        elif table is None:
            self._out([_("You are at no table: see “tables”, then “join”, “watch” or “create”.")])
        elif what == "hand":
            self._show_status(again=True)
        else:
            self._out(look(table, self.model, self._speak))
            self._show_status(again=True)
