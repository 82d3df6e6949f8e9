"""A client keeps what it was shown of a match, and it is held against the export of the server."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import trio

from tests.patience import PATIENCE, soon

from .evening import ROOT, environment, running, serving
from .processes import exit_code

COMMANDS = b"create sit=no seats=3 bots=easy,easy,easy rounds=2 bot_pace=0 grace=0ms claim_time=1s\nstart\n"


async def look_on(home: Path, data: Path) -> None:
    """Bots play a match; somebody looks on till it is over."""
    async with serving(home, "--data", str(data)) as address:
        words = ["client.command", "watch", address, "--plain", "--name", "Haru"]
        async with running(words, home) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            await process.stdin.send_all(COMMANDS)
            said = b""
            with soon("the end of the match"):
                while b"The match is over." not in said:
                    more = await process.stdout.receive_some()
                    assert more, said[-500:]
                    said += more
            await process.stdin.send_all(b"quit\n")
            await exit_code(process)


def dobon(home: Path, *words: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", "client.command", *words],
        capture_output=True,
        text=True,
        env=environment(home),
        cwd=ROOT,
        timeout=PATIENCE,
    )
    return done.returncode, done.stdout + done.stderr


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("own")
    trio.run(look_on, folder, folder / "data")
    return folder


def test_what_was_kept_agrees_with_the_export(home: Path) -> None:
    (record,) = (home / "dobon" / "records").glob("*.jsonl")
    export = home / "match.json"
    code, said = dobon(home, "export", "1", "--data", str(home / "data"))
    assert code == 0
    export.write_text(said)
    code, said = dobon(home, "verify", str(export), "--against", str(record))
    assert (code, "all that a spectator was shown is in the export (rounds 1 to 2" in said) == (0, True)
    lines = record.read_text("ascii").splitlines(keepends=True)
    place = next(place for place, line in enumerate(lines) if '"ev":"round_over"' in line)
    shown = json.loads(lines[place])
    shown["points"][0] += 1
    lines[place] = json.dumps(shown) + "\n"
    forged = home / "forged.jsonl"
    forged.write_text("".join(lines))
    code, said = dobon(home, "verify", str(export), "--against", str(forged))
    assert (code, f"line {place + 1}: shown was" in said) == (1, True)


def test_it_is_replayed_like_the_export(home: Path) -> None:
    """What the client saw and what the export tells a spectator is the same, in words."""
    (record,) = (home / "dobon" / "records").glob("*.jsonl")
    words = ("--plain", "--data", str(home / "data"))
    (code, own), (other, exported) = (dobon(home, "replay", each, *words) for each in (str(record), "1"))
    assert (code, other) == (0, 0)

    def game(text: str) -> list[str]:
        return [
            line for line in text.splitlines() if line.split(" ")[0] in ("Round", "DOBON!", "The", "Hina")
        ]

    assert len(game(own)) > 10
    assert game(own)[-20:] == game(exported)[-20:]


def test_its_statistics_are_shown(home: Path) -> None:
    code, said = dobon(home, "stats", "--data", str(home / "data"), "--json")
    assert code == 0
    (bots,) = json.loads(said)["players"]
    assert (bots["level"], bots["matches"]) == ("easy", 3)
