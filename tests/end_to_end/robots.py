"""Scripted players who know the published protocol and the rules, and nothing of the code under test.

A robot decides from what it was sent alone, the same in the same situation, so that a game can be played
again under other circumstances: every request sent twice, connections cut anywhere.
"""

from __future__ import annotations

import hashlib
import random
import struct
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, Protocol

import msgpack  # type: ignore[import-untyped]
import trio

from tests.patience import PATIENCE, soon

Message = dict[str, Any]
VALUES = {rank: value for value, rank in enumerate("A23456789TJQK", 1)} | {"X": 0}
PRIVATE = ("hands", "cards", "playable", "may")


class Wire(Protocol):
    """One connection's bytes."""

    async def send(self, data: bytes) -> None: ...

    async def receive(self) -> bytes:
        """At least one byte; none at the end."""

    def cut(self) -> None:
        """Be gone without a word."""


Dial = Callable[[], Awaitable[Wire]]


class SocketWire:
    """A TCP connection."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self._stream = stream
        self._lock = trio.Lock()

    async def send(self, data: bytes) -> None:
        async with self._lock:
            with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
                await self._stream.send_all(data)

    async def receive(self) -> bytes:
        try:
            return bytes(await self._stream.receive_some(65536))
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            return b""

    def cut(self) -> None:
        linger = struct.pack("ii", 1, 0)
        self._stream.setsockopt(1, 13, linger)  # SOL_SOCKET, SO_LINGER: a reset
        self._stream.socket.close()


def dial_tcp(host: str, port: int) -> Dial:
    async def dial() -> Wire:
        return SocketWire(await trio.open_tcp_stream(host, port))

    return dial


def frame(message: Message) -> bytes:
    payload: bytes = msgpack.packb(message)
    return struct.pack(">I", len(payload)) + payload


class Frames:
    """Messages out of bytes."""

    def __init__(self) -> None:
        self._buffer = b""

    def feed(self, data: bytes) -> list[Message]:
        self._buffer += data
        found = []
        while len(self._buffer) >= 4:
            size = int.from_bytes(self._buffer[:4], "big")
            if len(self._buffer) < 4 + size:
                break
            found.append(msgpack.unpackb(self._buffer[4 : 4 + size]))
            self._buffer = self._buffer[4 + size :]
        return found


class Robot:
    """A player or, without a seat, somebody who looks on.

    `twice` sends every request twice, to a server that never stands still; `cuts` is the chance that a
    connection is cut while a request is sent, `pause` how long it thinks, in s.

    While the server can write nothing down it waits: what is refused then it asks for again.
    """

    def __init__(
        self, name: str, dial: Dial, *, twice: bool = False, cuts: float = 0, pause: float = 0.2
    ) -> None:
        self.name = name
        self.seat: int | None = None
        self.table = 0
        self.events: list[Message] = []
        self.views: list[Message] = []
        self.answers: dict[int, Message] = {}
        self.rounds: list[Message] = []
        self.hand: list[str] = []
        self.over = trio.Event()
        self.problems: list[str] = []
        self.resumed = 0
        self.stood = 0
        self._dial = dial
        self._twice = twice
        self._cuts = cuts
        self._pause = pause
        self._chance = random.Random(name)
        self._wire: Wire | None = None
        self._token: str | None = None
        self._id = 0
        self._unanswered: dict[int, Message] = {}
        self._again: dict[int, int] = {}
        self._answered = trio.Event()
        self._done: set[Any] = set()
        self._nursery: trio.Nursery | None = None
        self._rules: Message = {}
        self._round = 0
        self._turn: Any = None
        self._discard: Message | None = None
        self._commit: bytes | None = None

    # The connection

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Stay connected until the match is over and this task is cancelled."""
        async with trio.open_nursery() as nursery:
            self._nursery = nursery
            while True:
                self._wire = await self._dial()
                hello: Message = {"t": "hello", "versions": [1], "name": self.name, "agent": "robot"}
                if self._token is not None:
                    hello["token"] = self._token
                await self._wire.send(frame(hello))
                refused = self.stood
                reader = Frames()
                while data := await self._wire.receive():
                    for message in reader.feed(data):
                        first = message["t"] == "welcome" and self._token is None
                        await self._hear(message)
                        if first:
                            task_status.started()
                if self.stood > refused:
                    await trio.sleep(self._pause)

    async def ask(self, t: str, **fields: Any) -> Message:
        """Send a request and wait for its answer."""
        number = await self.request(t, **fields)
        with soon(f"the answer to {self.name}'s {t} {fields}"):
            while number not in self.answers:
                await self._answered.wait()
                number = self._again.get(number, number)
        return self.answers[number]

    async def finish(self, seconds: float = PATIENCE) -> None:
        """Wait for the end of the match."""
        with soon(f"the end of the match for {self.name}", seconds):
            await self.over.wait()

    async def request(self, t: str, **fields: Any) -> int:
        """Send a request; its id."""
        self._id += 1
        number = self._id
        if self.table:
            fields.setdefault("table", self.table)
        self._unanswered[number] = {"t": t, "id": number, **fields}
        await self._say(frame(self._unanswered[number]))
        return number

    async def _ask_again(self, request: Message) -> None:
        """Ask once more for what was not taken, later: with a new id, as a later one may have been taken."""
        await trio.sleep(self._pause)
        fields = {key: value for key, value in request.items() if key not in ("t", "id")}
        self._again[request["id"]] = await self.request(request["t"], **fields)
        self._stir()

    def _stir(self) -> None:
        self._answered.set()
        self._answered = trio.Event()

    async def _say(self, data: bytes) -> None:
        wire = self._wire
        assert wire is not None
        if self._chance.random() < self._cuts:
            await wire.send(data[: self._chance.randrange(len(data) + 1)])
            wire.cut()
            return
        await wire.send(data * 2 if self._twice else data)

    # What is heard

    async def _hear(self, message: Message) -> None:
        match message["t"]:
            case "welcome":
                self._token = message["token"]
                self.resumed += message["resumed"]
                for request in list(self._unanswered.values()):
                    assert self._wire is not None
                    await self._wire.send(frame(request))
            case "ok" | "error" if message.get("re"):
                self._answer(message)
            case "error" if message["code"] == "server_full":
                self.stood += 1
            case "error":
                self.problems.append(str(message))
            case "ping":
                assert self._wire is not None
                await self._wire.send(frame({"t": "pong", "n": message["n"]}))
            case "view":
                self.views.append(message)
                self._see(message)
            case "event":
                self.events.append(message)
                self._happen(message)

    def _answer(self, message: Message) -> None:
        number = message["re"]
        if message.get("code") == "server_full" and number in self._unanswered:
            assert self._nursery is not None
            self._nursery.start_soon(self._ask_again, self._unanswered.pop(number))
            return
        duplicate = message.get("code") == "duplicate"
        if number in self.answers and not duplicate and message != self.answers[number]:
            self.problems.append(f"{number} was answered {self.answers[number]}, then {message}")
        if duplicate and not self._twice and not self._cuts:
            self.problems.append(f"{message} for a request sent once")
        self._unanswered.pop(number, None)
        self.answers.setdefault(number, message)
        self._stir()

    def _see(self, view: Message) -> None:
        self.seat, self._rules = view["you"], view["rules"]
        if view["phase"] in ("open", "over"):
            return
        self._round, self._commit = view["round"] or 0, view["commit"]
        self.hand = list(view["hand"] or [])
        if view["ready_on"]:
            self._ready(view["ready_on"])
        if view["claim_on"] and view["claim"] == "open":
            claimed = bool(view["claims"])
            self._discard = {"seq": view["claim_on"], "card": view["top"], "discard": view["discard"]}
            self._discard["seat"] = view["discard_by"]
            self._claim(waits=view["phase"] == "claim", claimed=claimed)
        if view["act_on"]:
            self._turn = (view["phase"], view["turn"], view["discard"], view["try"], view["top"])
            if view["phase"] == "rps":
                self._throw(view["act_on"], view["candidates"], view["try"])
            self._act(view["act_on"], view["playable"], view["may"], view["drawn"])

    def _happen(self, event: Message) -> None:
        me = self.seat
        match event["ev"]:
            case "match":
                self._rules, self._commit = event["rules"], event["commit"]
                self._ready(event["seq"])
            case "round":
                self._round = event["round"]
                self.hand = list(event["hands"][me]) if me is not None else []
            case "opening" | "direction_race" | "turn":
                self._turn = (event["ev"], event.get("turn"), len(self.rounds), event["deadline"] is None)
                self._act(event["seq"], event["playable"], event["may"], None)
            case "rps":
                self._throw(event["seq"], event["seats"], event["try"])
            case "drew":
                if event["seat"] == me:
                    self.hand += event["cards"]
                    act_on = self._last("turn", "opening", "direction_race")
                    self._act(act_on, event["playable"], event["may"], "".join(event["cards"]))
            case "played":
                self._discard = event
                if event["seat"] == me:
                    self.hand.remove(event["card"])
                else:
                    self._claim(waits=event["deadline"] is not None, claimed=False)
            case "claimed":
                if event["seat"] != me and event["deadline"] is not None:
                    self._claim(waits=True, claimed=True)
            case "round_over":
                self._check(event)
                self.rounds.append(event)
                if event["deadline"] is not None:
                    self._ready(event["seq"])
            case "match_over":
                self.over.set()

    def _last(self, *names: str) -> int:
        seqs: list[int] = [event["seq"] for event in self.events if event["ev"] in names]
        seqs += [view["act_on"] for view in self.views if view["act_on"]]
        return max(seqs)

    def _check(self, event: Message) -> None:
        """What anybody can check of a deal (protocol, section 4), and one's own hand."""
        if self.seat is not None and sorted(self.hand) != sorted(event["hands"][self.seat]):
            self.problems.append(f"held {self.hand}, shown {event['hands'][self.seat]}")
        hashed = hashlib.sha256(b"dobon seed" + event["secret"])
        for nonce in event["nonces"]:
            hashed.update(bytes([len(nonce or b"")]) + (nonce or b""))
        if hashed.digest() != event["seed"]:
            self.problems.append("the seed does not follow from secret and nonces")
        if self._commit not in (None, hashlib.sha256(b"dobon commit" + event["secret"]).digest()):
            self.problems.append("the secret is not the one that was committed to")
        self._commit = event.get("commit")

    # What is decided

    def _later(self, key: Any, t: str, **fields: Any) -> None:
        """Send a request after thinking, once for each situation."""
        if key in self._done or self.seat is None or self._nursery is None:
            return
        self._done.add(key)

        async def think() -> None:
            assert self.seat is not None
            # Different for each seat, and sooner for a claim: what comes first must not be chance.
            await trio.sleep(self._pause * (1 + self.seat / 10) / (2 if key[0] == "claim" else 1))
            await self.request(t, **fields)

        self._nursery.start_soon(think)

    def _dice(self, *situation: Any) -> random.Random:
        return random.Random(repr((self.name, self._round, *situation)))

    def _ready(self, on: int) -> None:
        nonce = self._dice("nonce", len(self.rounds)).randbytes(16)
        self._later(("ready", on), "ready", on=on, nonce=nonce)

    def _throw(self, on: int, seats: list[int], attempt: int) -> None:
        if self.seat in seats:
            throw = self._dice("rps", attempt).choice(["rock", "paper", "scissors"])
            self._later(("rps", on), "rps", on=on, throw=throw)

    def _act(self, on: int, playable: list[str] | None, may: list[str] | None, drawn: str | None) -> None:
        if not may:
            return
        dice = self._dice("act", sorted(self.hand), playable, may)
        key = ("act", on, "drawn" if drawn else None)
        if playable and (may == ["play"] or dice.random() < 0.9):
            card = dice.choice(sorted(playable))
            suit = dice.choice("SHDC")
            self._later(key, "play", on=on, card=card, suit=suit, call=len(self.hand) == 2)
        else:
            self._later(key, dice.choice([do for do in may if do != "play"]), on=on)

    def _claim(self, waits: bool, claimed: bool) -> None:
        discard = self._discard
        assert discard is not None
        mine = discard["seat"] == self.seat
        if mine and (not claimed or self._rules["counter"] != "ask"):
            return
        least = self._rules["counter_min" if mine else "dobon_min"]
        value = VALUES[discard["card"][0]]
        held = sum(VALUES[card[0]] for card in self.hand)
        key = ("claim", discard["seq"])
        if value and held == value and len(self.hand) >= least:
            self._later(key, "dobon", on=discard["seq"])
        elif waits:
            self._later(key, "waive", on=discard["seq"])


def public(event: Message) -> Message:
    """An event without what differs by receiver."""
    return {key: value for key, value in event.items() if key not in PRIVATE or event["ev"] == "round_over"}
