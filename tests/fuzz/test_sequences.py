"""Requests in any order, sensible or not, and broken frames among them, at a server that is watched."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest
import structlog
import trio
from trio._core import _run as scheduler

from protocol.frame import encode_frame
from protocol.requests import REQUEST_TYPES
from server.memory import Network
from tests.server.world import Caller
from tests.simulation.machine import Machine

from .frames import frame, message, spoilt

KINDS = [*REQUEST_TYPES, *("play", "draw", "pass", "dobon", "ready", "start", "join")]
CARD = re.compile(r"\b[A2-9TJQK][SHDC]\b|\bX[12]\b")
QUICK = {"turn_time": 2_000, "grace": 100, "claim_time": 1_000, "opening_time": 1_000, "ready_time": 1_000}


class Fool:
    """One session that asks for anything; `asked` has the ids it may expect an answer for."""

    def __init__(self, name: str, network: Network, nursery: trio.Nursery, chance: random.Random) -> None:
        self.caller: Caller
        self.asked: set[int] = set()
        self.answered: dict[int, dict[str, Any]] = {}
        self.codes: set[str] = set()
        self._name = name
        self._network = network
        self._nursery = nursery
        self._chance = chance
        self._token: str | None = None
        self._id = 0

    async def dial(self) -> None:
        self.caller = Caller(self._network.connect())
        self._nursery.start_soon(self.caller.listen)
        token: dict[str, Any] = {} if self._token is None else {"token": self._token}
        self.caller.send(t="hello", versions=[1], name=self._name, agent="fool", **token)
        welcome = await self.caller.next(t="welcome")
        # A broken frame may have used up ids.
        self._token, self._id = welcome["token"], welcome["last_id"]

    async def step(self) -> None:
        """Ask for something."""
        if self.caller.closed:
            await self.come_back()
        chance = self._chance
        kind = chance.random()
        if kind < 0.05:
            self.caller.client.send(frame(chance))
            await trio.sleep(0.2)
            await self.come_back()
            return
        self._id += 1
        data = message(chance, chance.choice(KINDS))
        heard = self.caller.heard[-30:]
        if "table" in data and chance.random() < 0.95:
            data["table"] = chance.choice((1, 1, 1, 2))
        if "on" in data and chance.random() < 0.9:
            seqs = [each[key] for each in heard for key in ("seq", "act_on", "claim_on") if each.get(key)]
            data["on"] = chance.choice(seqs or [1])
        playable = [each["playable"] for each in heard if each.get("playable")]
        if data["t"] == "play" and playable and chance.random() < 0.8:
            data["card"] = chance.choice(playable[-1])
        if data["t"] in ("create", "rules") and chance.random() < 0.7:
            data["settings"], data["rules"] = dict(QUICK), {"rounds": 1}
        if kind < 0.15:
            data = spoilt(chance, data)
        data["id"] = self._id
        if data.get("t") not in ("ping", "pong"):
            # Spoilt, it may have become what is no request.
            self.asked.add(self._id)
        self.caller.client.send(encode_frame_of(data) * chance.choice((1, 1, 1, 2)))

    async def come_back(self) -> None:
        """Close, and go on over another connection."""
        self.caller.client.close()
        await self.caller.end()
        self.take()
        self.asked.clear()
        self.answered.clear()
        await self.dial()

    def take(self) -> None:
        """What was answered."""
        for said in self.caller.heard:
            if said["t"] in ("ok", "error") and said.get("re"):
                earlier = self.answered.setdefault(said["re"], said)
                assert said == earlier or said.get("code") in ("duplicate", "rate"), (earlier, said)
                assert said.get("code") != "internal", said
                self.codes.add(said.get("code", "ok"))
                if said.get("code") not in ("bad_rules", "bad_request"):  # which name what was asked for
                    assert not CARD.search(said.get("message", "")), said
        del self.caller.heard[:-30]


def encode_frame_of(data: dict[str, Any]) -> bytes:
    """The frame, or one that says nothing where the data can't be said."""
    try:
        return encode_frame(data)
    except (TypeError, ValueError, OverflowError):
        return encode_frame({"t": "tables", "id": data["id"]})


async def sequences(seed: int, count: int) -> set[str]:
    """Let four fools ask so often; the codes they got."""
    chance = random.Random(seed)
    scheduler._r.seed(seed)
    network = Network()
    machine = Machine(seed, network, None)
    fools: list[Fool] = []
    with structlog.testing.capture_logs() as logs, machine.watching():
        async with trio.open_nursery() as nursery:
            await nursery.start(machine.run)
            for name in "ABCD":
                fools.append(Fool(name, network, nursery, chance))
                await fools[-1].dial()
            for _ in range(count):
                await chance.choice(fools).step()
                await trio.sleep(chance.choice((0, 0.02, 0.05, 0.5)))
            await trio.sleep(60)
            for fool in fools:
                fool.take()
                if not fool.caller.closed:
                    assert fool.asked <= fool.answered.keys(), fool.asked - fool.answered.keys()
            nursery.cancel_scope.cancel()
    assert not [entry for entry in logs if entry["log_level"] == "error"]
    for number, course in machine.chronicle.courses.items():
        machine.emissions.agree(number, course, complete=False)
    return set().union(*(fool.codes for fool in fools))


async def test_sequences(autojump_clock: trio.testing.MockClock) -> None:
    codes: set[str] = set()
    for seed in range(3):
        codes |= await sequences(seed, 1500)
    assert {"ok", "stale", "not_now", "not_host", "bad_request", "no_table", "not_at_table"} <= codes
    assert {"bad_rules", "not_your_turn", "duplicate", "seat_taken"} <= codes


@pytest.mark.nightly
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("seed", range(10, 30))
async def test_many_sequences(seed: int, autojump_clock: trio.testing.MockClock) -> None:
    await sequences(seed, 10_000)
