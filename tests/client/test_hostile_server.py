"""A hostile server ends our clients with one sentence, an exit code and a terminal as it was."""

from __future__ import annotations

import os
import random
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import trio

from client.model import Model, update
from protocol.codes import FrameError
from protocol.connection import ClientConnection
from protocol.events import EVENT_TYPES
from protocol.frame import encode_frame
from protocol.messages import Pong
from tests.client.fake_server import VIEW, WELCOME
from tests.client.hostile_server import BORNE, FIRST, LATER, Said, lying, raw
from tests.client.pty_session import Pty, dobon, restored
from tests.end_to_end.evening import environment
from tests.fuzz.frames import anything, event, flipped
from tests.patience import soon

PROTOCOL = 76


async def plain(address: str, home: Path, typed: bytes = b"") -> tuple[int, str]:
    """How a plain client that joins there ends, and what it says last. The input stays open: its end would be
    the client's, too."""
    source, target = os.pipe()
    os.write(target, typed)
    try:
        with soon("the end of a client"):
            done = await trio.run_process(
                [sys.executable, "-m", "client.command", "join", address, "--name", "Haru", "--plain"],
                stdin=source,
                capture_stdout=True,
                capture_stderr=True,
                check=False,
                env=environment(home),
            )
    finally:
        os.close(source)
        os.close(target)
    return done.returncode, done.stderr.decode() or done.stdout.decode()


def one_sentence(said: str) -> None:
    lines = said.strip().splitlines()
    assert len(lines) == 1, said
    assert lines[0].endswith("."), said
    assert "Traceback" not in said
    assert all(character.isprintable() for character in lines[0]), said


@pytest.mark.parametrize("lie", FIRST)
async def test_instead_of_a_welcome(lie: str, tmp_path: Path) -> None:
    async with lying(FIRST[lie]) as address:
        code, said = await plain(address, tmp_path)
    assert code == PROTOCOL
    one_sentence(said)


@pytest.mark.parametrize("lie", LATER)
async def test_once_it_is_in(lie: str, tmp_path: Path) -> None:
    async with lying(WELCOME, *LATER[lie]) as address:
        code, said = await plain(address, tmp_path)
    assert code == PROTOCOL
    one_sentence(said.splitlines()[-1] if said else said)


@pytest.mark.parametrize("lie", BORNE)
async def test_what_is_borne(lie: str, tmp_path: Path) -> None:
    async with lying(WELCOME, *BORNE[lie]) as address:
        code, said = await plain(address, tmp_path, b"quit\n")
    assert code == 0
    assert "\x1b" not in said


AT_ONCE = ("a web server", "an endless length", "a depth of thousands", "a welcome without a token")
IN_TIME = ("an endless length", "a card that is none", "a key twice")
NEWER = raw({"t": "error", "code": "version", "message": "too old", "versions": [2, 3]})


@pytest.mark.parametrize(
    "said",
    [*([FIRST[lie]] for lie in AT_ONCE), *([WELCOME, *LATER[lie]] for lie in IN_TIME), [NEWER]],
    ids=[*AT_ONCE, *(f"{lie} later" for lie in IN_TIME), "a newer server"],
)
async def test_the_terminal_is_as_it_was(said: list[Said], tmp_path: Path) -> None:
    async with lying(*said) as address:
        await trio.to_thread.run_sync(_in_a_terminal, address, tmp_path)


async def test_a_newer_server_is_told_apart(tmp_path: Path) -> None:
    async with lying(NEWER) as address:
        code, said = await plain(address, tmp_path)
    assert code == PROTOCOL
    one_sentence(said)
    assert "(2, 3)" in said


def _in_a_terminal(address: str, home: Path) -> None:
    with Pty(dobon("join", address, "--name", "Haru"), home) as pty:
        assert pty.ended() == PROTOCOL
        restored(pty)
        text = re.sub(r"\s+", " ", " ".join(pty.last_lines()))
        assert text.endswith(".")
        assert "Traceback" not in text


def _spoilt(chance: random.Random, said: Said) -> bytes:
    """What a server might say, with something wrong in it."""
    if isinstance(said, Mapping) and chance.random() < 0.7:
        changed: dict[str, Any] = dict(said)
        for _ in range(chance.randint(0, 2)):
            changed[chance.choice(list(changed))] = anything(chance)
        return raw(changed)
    data = said if isinstance(said, bytes) else raw(said)
    return data[:4] + (flipped(chance, data[4:]) if data[4:] else b"")


def test_whatever_it_says_the_session_ends_with_a_word_of_the_protocol() -> None:
    """Twenty thousand messages, each at a client that stands at a table."""
    chance = random.Random(5)
    stories = [[WELCOME, *said] for said in LATER.values()] + [[WELCOME, VIEW]]
    stories += [[WELCOME, VIEW, event(chance, ev)] for ev in EVENT_TYPES]
    ended = lived = 0
    for _ in range(20_000):
        *before, last = chance.choice(stories)
        connection = ClientConnection("Haru", "test")
        connection.connect()
        connection.data_to_send()
        model = Model()
        try:
            for said in [*before, _spoilt(chance, last)]:
                data = said if isinstance(said, bytes) else encode_frame(said)
                for received in connection.receive(data):
                    if not isinstance(received, Pong):
                        model = update(model, received, 0)
            lived += 1
        except FrameError:
            ended += 1
    assert ended > 5000
    assert lived > 500
