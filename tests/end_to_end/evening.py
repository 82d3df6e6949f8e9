"""Real processes for tests: a server, and plain clients that are driven through their pipes."""

import os
import re
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import trio

from tests.patience import PATIENCE, soon

from .processes import PATIENT, WORDS, exit_code

ROOT = Path(__file__).resolve().parents[2]


def environment(home: Path) -> dict[str, str]:
    """Nothing of whoever runs the tests: neither settings nor tokens nor language."""
    kept = {
        name: value for name, value in os.environ.items() if name in ("PATH", "SYSTEMROOT", "VIRTUAL_ENV")
    }
    folders = dict.fromkeys(("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"), str(home))
    return {**kept, **folders, "LC_ALL": "C.UTF-8", "PYTHONPATH": str(ROOT)}


@asynccontextmanager
async def running(words: list[str], home: Path) -> AsyncIterator[trio.Process]:
    """A process of ours; killed at the end of the block if it is still there."""
    process = await trio.lowlevel.open_process(
        [sys.executable, "-m", *words],
        stdin=-1,
        stdout=-1,
        stderr=(home / f"{words[0]}-{words[1]}.err").open("ab"),
        env=environment(home),
        cwd=ROOT,
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        with trio.CancelScope(shield=True):
            await process.wait()


@asynccontextmanager
async def serving(home: Path, *options: str) -> AsyncIterator[str]:
    """A server on a free port; its address."""
    words = [*PATIENT, *WORDS, *options]
    async with running(words, home) as process:
        assert process.stdout is not None
        first = b""
        with soon("the server's first line"):
            while b"\n" not in first:
                said = await process.stdout.receive_some()
                assert said, "the server does not start"
                first += said
        yield first.decode().split()[2]


class Person:
    """Somebody at a plain client: reads every line, and does what `react` says to it."""

    def __init__(self, name: str, process: trio.Process, react: Callable[[str], str | None]) -> None:
        self.name = name
        self.lines: list[str] = []
        self.over = False
        self._process = process
        self._react = react
        self._changed = trio.Event()

    async def live(self) -> None:
        """Until the client ends."""
        assert self._process.stdout is not None
        held = b""
        while data := await self._process.stdout.receive_some():
            *lines, held = (held + data).split(b"\n")
            for line in map(bytes.decode, lines):
                self.lines.append(line)
                answer = self._react(line)
                if answer is not None:
                    await self.type(answer)
            self._tell()
        self.over = True
        self._tell()

    def _tell(self) -> None:
        self._changed.set()
        self._changed = trio.Event()

    async def type(self, line: str) -> None:
        assert self._process.stdin is not None
        await self._process.stdin.send_all(line.encode() + b"\n")

    async def sees(self, pattern: str, since: int = 0, seconds: float = PATIENCE) -> str:
        """Wait for a line that matches, from line number `since` on."""

        def found(lines: list[str]) -> str | None:
            return next((line for line in lines[since:] if re.search(pattern, line)), None)

        return await self.finds(found, pattern, seconds)

    async def finds(
        self, look: Callable[[list[str]], str | None], what: str, seconds: float = PATIENCE
    ) -> str:
        """Wait till there is a line that `look` finds."""
        with soon(f"{what!r}, which {self.name} waits for", seconds):
            while (found := look(self.lines)) is None:
                assert not self.over, f"{self.name} has gone: {self.lines[-5:]}"
                await self._changed.wait()
        return found

    async def leave(self) -> int:
        await self.type("quit")
        return await exit_code(self._process)


class Player:
    """A player who claims whatever can be claimed and plays what could be claimed back, else the first card
    that fits, else draws."""

    def __init__(self) -> None:
        self.hand: list[str] = []

    def __call__(self, line: str) -> str | None:
        if found := re.match(r"> Your hand: (.*) +=", line):
            self.hand = re.findall(r"\d+\) ([^ *]+)", found[1])
        if "You can DOBON!" in line or "You can make a Dobon return!" in line:
            return "dobon"
        if found := re.search(r"(?:Your turn|Race): .*?play ([^,.]+)", line):
            fitting = found[1].split()
            return f"{next(filter(self._could_return, fitting), fitting[0])} s call"
        for pattern, answer in _ANSWERS:
            if pattern in line:
                return answer
        return None

    def _could_return(self, card: str) -> bool:
        """Whether the hand that this card leaves would make a Dobon return on it, two cards by any sum."""
        left = [_value(held) for held in self.hand if held != card]
        counts = {sum(left)}
        if len(left) == 2:
            one, other = sorted(left)
            counts |= {other - one, one * other, *([other // one] if other % one == 0 else [])}
        return _value(card) in counts


_ANSWERS = (
    ("Your turn: draw", "draw"),
    ("Your turn: pass", "pass"),
    ("Race: nothing", "pass"),
    ("Anybody may still claim", "waive"),
    ("You are asked for a Dobon return", "waive"),
    ("Say ready", "ready"),
    ("Throw rock", "rock"),
)


def _value(card: str) -> int:
    return {"A": 1, "J": 11, "Q": 12, "K": 13}.get(card[:-1]) or int(card[:-1])


def spectator(line: str) -> str | None:
    return None


async def kept(home: Path) -> list[str]:
    """The matches that were played there, as exported; each agrees with itself, and with the rules when it is
    played again."""
    listed = (await _output(home, "client.command", "export")).splitlines()
    records = []
    for match in (line.split()[0] for line in listed):
        record = await _output(home, "client.command", "export", match)
        file = home / f"match-{match}.json"
        file.write_text(record)
        await _output(home, "client.command", "verify", str(file))
        await _output(home, "tests.conformance", str(file))
        records.append(record)
    return records


async def _output(home: Path, module: str, *words: str) -> str:
    """What a process of ours prints, which must end well."""
    done = await trio.run_process(
        [sys.executable, "-m", module, *words], capture_stdout=True, env=environment(home), cwd=ROOT
    )
    return done.stdout.decode()


def story(lines: list[str]) -> list[str]:
    """What a transcript says of the last match, without what only its reader was told."""
    first = max(place for place, line in enumerate(lines) if line.startswith("A match begins"))
    last = next(place for place, line in enumerate(lines) if place > first and "The match is over" in line)
    private = re.compile(r"> |It is not|That c|Too |You |There is no")
    told = [line for line in lines[first : last + 1] if not private.match(line)]
    return [re.sub(r"(draws )([^.]+?)(\.| for)", _counted, line) for line in told]


def _counted(found: re.Match[str]) -> str:
    words = found[2].split()
    if words == ["a", "card"]:
        number = "1"
    elif len(words) == 2 and words[1] == "cards":
        number = words[0]
    else:
        number = str(len(words))
    return f"{found[1]}{number}{found[3]}"
