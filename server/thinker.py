"""Where bots think: what is quick at once, the searches of `hard` one by one in a process of their own.

So the loop that serves everybody never waits for a search. The longer the queue, the fewer playouts each
decision gets; a worker that dies is replaced and asked again.
"""

from __future__ import annotations

import pickle
import sys
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from subprocess import PIPE

import structlog
import trio

from engine.actions import Action
from engine.bots import hard
from engine.bots.reading import holds
from engine.state import Phase

from .bot_seat import InlineThinker, Question
from .worker import LENGTH

LEAST_BUDGET = 60
"""Playouts that a decision gets however many others wait."""
TRIES = 2
"""How often a question is put to a worker that dies of it, before another level answers it."""
LONGEST = 20.0
"""After so many s of thinking a worker is taken for stuck."""
CROWD = 64
"""With so many questions waiting those are let go that nobody waits for any more."""
PAUSE = 1.0
"""Before another try where workers die, in s."""
COMMAND = (sys.executable, "-P", "-m", "server.worker")
"""-P: else Python runs what lies in the current folder under our modules' names, whoever put it there."""

Deliver = Callable[[Action | None], None]

_log = structlog.get_logger("bots")


class WorkerThinker:
    """A `Thinker` with one worker, started with the first question that needs it. `run` has to be running."""

    def __init__(self) -> None:
        self.workers = 0
        """How many have been started."""
        self.process: trio.Process | None = None
        self._inline = InlineThinker()
        self._waiting: deque[tuple[Question, Deliver]] = deque()
        self._stirred = trio.Event()
        self._tries = 0
        self._crowd = CROWD

    def think(self, question: Question, deliver: Deliver) -> None:
        """Call ``deliver`` at once, or where `hard` has to search, when the worker has answered."""
        if question.level != "hard" or not _takes_time(question):
            self._inline.think(question, deliver)
            return
        # A claim is weighed in a millisecond: it goes before the searches that wait, after the one under way.
        if len(self._waiting) >= self._crowd:
            self._let_go()
        place = len(self._waiting) if question.asked else min(1, len(self._waiting))
        self._waiting.insert(place, (question, deliver))
        self._stirred.set()

    def _let_go(self) -> None:
        """Forget the questions that nobody waits for any more, but for the one that is being answered."""
        first, *others = self._waiting
        self._waiting = deque([first, *(each for each in others if each[0].wanted())])
        self._crowd = max(CROWD, 2 * len(self._waiting))

    async def run(self) -> None:
        """Answer what waits, for ever."""
        while True:
            await self._something_waiting()
            try:
                await self._employ()
            except (OSError, trio.BrokenResourceError, trio.TooSlowError, EOFError) as fault:
                _log.warning("bot worker lost", fault=repr(fault))
            self._tries += 1
            if self._tries == TRIES:
                self._answer(None)
                await trio.sleep(PAUSE)

    async def _something_waiting(self) -> None:
        while True:
            while self._waiting and not self._waiting[0][0].wanted():
                self._waiting.popleft()
            if self._waiting:
                return
            self._stirred = trio.Event()
            await self._stirred.wait()

    async def _employ(self) -> None:
        """Start a worker and put every question to it until it is gone, which raises."""
        process = self.process = await trio.lowlevel.open_process(COMMAND, stdin=PIPE, stdout=PIPE)
        self.workers += 1
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            while True:
                await self._something_waiting()
                question, _ = self._waiting[0]
                with trio.fail_after(LONGEST):
                    await process.stdin.send_all(_message(question, budget_for(len(self._waiting))))
                    size = LENGTH.unpack(await _receive(process.stdout, LENGTH.size))[0]
                    answer = pickle.loads(await _receive(process.stdout, size))
                self._answer(answer)
        finally:
            process.kill()
            with trio.CancelScope(shield=True):
                await process.wait()
                await process.stdin.aclose()
                await process.stdout.aclose()

    def _answer(self, action: Action | None) -> None:
        """Deliver the answer to the oldest question; without one, another level's."""
        question, deliver = self._waiting.popleft()
        self._tries = 0
        if action is None:
            self._inline.think(replace(question, level="normal"), deliver)
        else:
            deliver(action)


def budget_for(waiting: int) -> int:
    """The playouts of a decision when so many wait, itself included."""
    return max(LEAST_BUDGET, hard.BUDGET // waiting)


def _takes_time(question: Question) -> bool:
    """Whether `hard` has a Dobon to weigh, or is asked for a move and has a choice."""
    view = question.view
    if view.claim == "open" and holds(view):
        return True
    return question.asked and view.phase is not Phase.RPS and len(hard.choices_of(view)) > 1


def _message(question: Question, budget: int) -> bytes:
    data = pickle.dumps((question.view, question.seen, question.asked, question.seed, budget))
    return LENGTH.pack(len(data)) + data


async def _receive(stream: trio.abc.ReceiveStream, size: int) -> bytes:
    data = b""
    while len(data) < size:
        part = await stream.receive_some(size - len(data))
        if not part:
            raise EOFError("the worker is gone")
        data += part
    return data
