"""Who loses network or process is back in their seat, with nothing missed (protocol, section 6)."""

from __future__ import annotations

import re
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest
import trio

from tests.end_to_end.cutting import Way, way_to
from tests.end_to_end.evening import Person, Player, kept, running, serving, story

LONG = 400
"""Seconds that a match may take on a machine that does much else."""
# So many rounds that a client that waits long before it dials again comes back before the match is over.
TABLE = "create seats=3 bots=easy rounds=14 turn_time=2s grace=50ms claim_time=1s ready_time=1s bot_pace=0"
LOOK = re.compile(
    r"  (\d\.|Top card|Direction|Attack|The last round|  )|Table |Connected|"
    r"The (connection|server|deal)"
)
"""Lines that only who comes back is shown, or that say something else to them."""

Trouble = Callable[[Way, trio.Process], AbstractAsyncContextManager[None]]


@asynccontextmanager
async def cut(way: Way, process: trio.Process) -> AsyncIterator[None]:
    """Every connection is closed, and none can be made."""
    await way.cut()
    yield
    way.mend()


@asynccontextmanager
async def held_up(way: Way, process: trio.Process) -> AsyncIterator[None]:
    """Nothing comes through, and nobody says so: a pulled cable."""
    way.hold_up()
    yield
    way.mend()


@asynccontextmanager
async def stopped(way: Way, process: trio.Process) -> AsyncIterator[None]:
    """The client itself stands still."""
    process.send_signal(signal.SIGSTOP)
    yield
    process.send_signal(signal.SIGCONT)


@pytest.mark.parametrize("trouble", [cut, held_up, stopped])
async def test_the_server_plays_for_who_is_cut_off_and_gives_the_seat_back(
    trouble: Trouble, tmp_path: Path
) -> None:
    async with (
        serving(tmp_path) as address,
        way_to(address) as way,
        running(_client(address, "Haru"), tmp_path) as first,
        running(_client(way.address, "Aki"), tmp_path) as second,
        trio.open_nursery() as nursery,
    ):
        haru, aki = Person("Haru", first, Player()), Person("Aki", second, Player())
        await _begin(nursery, haru, aki)
        async with trouble(way, second):
            await _played_for(haru)
            place, since = len(aki.lines), len(haru.lines)
        await _comes_back(haru, aki, place, since)
        assert [await person.leave() for person in (haru, aki)] == [0, 0]
        (record,) = await kept(tmp_path)
        assert '"timed_out"' in record


async def test_who_was_killed_and_starts_again_has_the_seat(tmp_path: Path) -> None:
    async with (
        serving(tmp_path) as address,
        running(_client(address, "Haru"), tmp_path) as first,
        trio.open_nursery() as nursery,
    ):
        haru = Person("Haru", first, Player())
        async with running(_client(address, "Aki"), tmp_path) as second:
            aki = Person("Aki", second, Player())
            await _begin(nursery, haru, aki)
            second.kill()
            await _played_for(haru)
            since = len(haru.lines)
        async with running(_client(address, "Aki"), tmp_path) as third:
            aki = Person("Aki", third, Player())
            nursery.start_soon(aki.live)
            await aki.sees(r"3\. Aki \(.*you\)")
            assert aki.lines[0] == "Connected again."
            await _comes_back(haru, aki, 0, since)
            assert [await person.leave() for person in (haru, aki)] == [0, 0]


async def _begin(nursery: trio.Nursery, haru: Person, aki: Person) -> None:
    """A match that has got as far as a play."""
    nursery.start_soon(haru.live)
    nursery.start_soon(aki.live)
    await haru.sees("There are no tables yet")
    await haru.type(TABLE)
    await haru.sees("Table 1 is made")
    await aki.sees("Connected to")
    await aki.type("join 1")
    await haru.sees("Aki sits down")
    await haru.type("start")
    await aki.sees("(plays|draws)")


async def _played_for(haru: Person) -> None:
    """Wait till the server plays for Aki. On a busy machine it may have done so before, for a while."""

    def last(lines: list[str]) -> str | None:
        said = [line for line in lines if re.search("The server plays for Aki|Aki is back", line)]
        return said[-1] if said and "plays" in said[-1] else None

    await haru.finds(last, "The server plays for Aki")


async def _comes_back(haru: Person, aki: Person, place: int, since: int) -> None:
    """The seat is theirs again, after `since` lines for Haru, and what they see from then on, after `place`
    lines, is what others see."""
    await haru.sees("Aki is back", since)
    for person in (haru, aki):
        await person.sees("The match is over", seconds=LONG)
    seen, told = (
        [line for line in story(lines)[1:] if not LOOK.match(line)]
        for lines in (haru.lines, ["A match begins", *aki.lines[place:]])
    )
    assert len(told) > 10
    assert seen[-len(told) :] == told


def _client(address: str, name: str) -> list[str]:
    return ["client.command", "join", address, "--plain", "--name", name, "--lang", "en"]
