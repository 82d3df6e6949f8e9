"""An evening from end to end: a server, two people with bots, somebody who watches, all real processes."""

from pathlib import Path

import pytest
import trio

from tests.end_to_end.evening import Person, Player, kept, running, serving, spectator, story

FAST = "grace=50ms claim_time=1s opening_time=1s bot_pace=0"
EVERYTHING = {"DOBON!", "DOBON RETURN!", "goes out with"}
"""What must be seen before the evening is over."""
ROUNDS = 6
LONG = 600
"""Seconds that a match may take on a machine that does much else."""


# How many matches it takes till everything was seen is chance; this only ends what would never end.
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("preset", ["dobon", "pageone", "dobon claims=all counter=ask"])
async def test_two_people_and_two_bots_finish_matches_and_a_third_watches(
    preset: str, tmp_path: Path
) -> None:
    async with (
        serving(tmp_path) as address,
        running(_client("join", address, "Haru"), tmp_path) as first,
        running(_client("join", address, "Aki"), tmp_path) as second,
        trio.open_nursery() as nursery,
    ):
        haru, aki = Person("Haru", first, Player()), Person("Aki", second, Player())
        nursery.start_soon(haru.live)
        nursery.start_soon(aki.live)
        await haru.sees("There are no tables yet")
        await haru.type(f"create preset={preset} hand=3 rounds={ROUNDS} bots=easy,hard {FAST}")
        await haru.sees("Table 1 is made")
        await aki.sees("Connected to")
        await aki.type("join 1")
        await haru.sees("Aki sits down")
        async with running(_client("watch", address, "Umi"), tmp_path) as third:
            umi = Person("Umi", third, spectator)
            nursery.start_soon(umi.live)
            await haru.sees("Umi is watching")
            await _evening(haru, aki, umi)
            assert [await person.leave() for person in (haru, aki, umi)] == [0, 0, 0]
            matches = sum("A match begins" in line for line in haru.lines)
            assert len(await kept(tmp_path)) == matches


async def _evening(haru: Person, aki: Person, umi: Person) -> None:
    """One match after the other until everything has been seen; each transcript tells the same of it."""
    seen: set[str] = set()
    while seen != EVERYTHING:
        people = {person: len(person.lines) for person in (haru, aki, umi)}
        await haru.type("start")
        for person, since in people.items():
            await person.sees("The match is over", since, LONG)
        # Changed rules are told with an invitation, too, perhaps only after `since`.
        begun = haru.lines.index(await haru.sees("A match begins", people[haru]), people[haru])
        invited = haru.lines.index(await haru.sees("begins another match", begun), begun)
        assert any("The match is over" in line for line in haru.lines[begun:invited])
        told = [story(person.lines) for person in people]
        assert told[0] == told[1] == told[2]
        assert sum("every card follows" in line for line in told[0]) == ROUNDS
        seen |= {what for what in EVERYTHING if any(what in line for line in told[0])}
        # from the second match on with more ways to a Dobon, or the evening would be long
        await haru.type("set dobon_math=pair" + (" out=no" if "goes out with" in seen else ""))


def _client(command: str, address: str, name: str) -> list[str]:
    return ["client.command", command, address, "--plain", "--name", name, "--lang", "en"]
