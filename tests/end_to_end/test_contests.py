"""Contests of up to five claims, decided over real sockets with chain, lag and points as the rules say."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
import trio

from tests.patience import soon
from tests.server.world import arrange

from .inprocess import listening
from .robots import Frames, frame

Message = dict[str, Any]

HANDS = ("7H 3S 4S", "3D 4D", "3C 4C", "2D 5D", "2C 5C", "AD 6D")
NAMES = ("Aki", "Ben", "Chie", "Dan", "Emi", "Fuyu")
GAP = 0.002


class Player:
    """A connection that does what the test says."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self._stream = stream
        self._frames = Frames()
        self._waiting: list[Message] = []
        self._id = 0

    async def send(self, **message: Any) -> None:
        await self._stream.send_all(frame(message))

    async def request(self, t: str, **fields: Any) -> int:
        self._id += 1
        await self.send(t=t, id=self._id, **fields)
        return self._id

    async def next(self, **wanted: Any) -> Message:
        with soon(f"{wanted}"):
            while True:
                while self._waiting:
                    message = self._waiting.pop(0)
                    if all(message.get(key) == value for key, value in wanted.items()):
                        return message
                data = await self._stream.receive_some(65536)
                assert data, f"the connection ends before {wanted}"
                self._waiting += self._frames.feed(bytes(data))

    async def ask(self, t: str, **fields: Any) -> Message:
        return await self.next(re=await self.request(t, **fields))


async def contest(
    address: tuple[str, int], seats: int, order: list[int], rules: Message
) -> tuple[list[Player], int]:
    """Seat 0 plays the seven, and the seats in ``order`` claim it, one after the other; `played`'s seq."""
    players = []
    for name in NAMES[:seats]:
        player = Player(await trio.open_tcp_stream(*address))
        await player.send(t="hello", versions=[1], name=name, agent="test")
        await player.next(t="welcome")
        players.append(player)
    made = await players[0].ask("create", seats=seats, rules={"rounds": 1, **rules}, settings={"grace": 500})
    table = made["table"]
    for player in players[1:]:
        await player.ask("join", table=table)
    await players[0].ask("start", table=table)
    for player in players:
        match = await player.next(ev="match")
        await player.ask("ready", table=table, on=match["seq"])
    turn = await players[0].next(ev="turn")
    await players[0].ask("play", table=table, on=turn["seq"], card="7H")
    for player in players:
        played = await player.next(ev="played")
    for seat in order:
        await players[seat].request("dobon", table=table, on=played["seq"])
        await trio.sleep(GAP)
    return players, played["seq"]


@pytest.mark.parametrize("claimants", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("counter", ["auto", "ask"])
@pytest.mark.parametrize("claims", ["first", "last", "all"])
async def test_a_contest(claims: str, counter: str, claimants: int, monkeypatch: pytest.MonkeyPatch) -> None:
    arrange(monkeypatch, HANDS[: claimants + 1], "3H")
    order = [3, 1, 5, 2, 4]
    order = [seat for seat in order if seat <= claimants]
    rules = {"claims": claims, "counter": counter, "scoring": "chain", "chain_loser": "previous"}
    async with listening() as address:
        players, on = await contest(address, claimants + 1, order, rules)
        discarder, table = players[0], 1
        winning = 1 if claims == "first" else claimants
        if counter == "ask":
            for _ in range(winning):
                await discarder.next(ev="claimed")
            answer = await discarder.ask("dobon", table=table, on=on)
            assert answer["t"] == "ok"
        ends = [await player.next(ev="round_over") for player in players]
    assert all(end == ends[0] for end in ends)
    end = ends[0]
    made = [(claim["seat"], claim["order"], claim["counter"]) for claim in end["claims"]]
    seats = order[:winning]
    # With `last` the automatic counter follows the first claim at once, and the others still come after it.
    place = 1 if counter == "auto" and claims != "all" else winning
    chain = [*seats[:place], 0, *seats[place:]]
    assert made == [(seat, number, seat == 0) for number, seat in enumerate(chain, 1)]
    lags = [claim["lag"] for claim in end["claims"]]
    assert lags == sorted(lags)
    spread = [lag for lag, seat in zip(lags, chain, strict=True) if seat]
    assert all(later - sooner >= GAP * 1e6 / 2 for sooner, later in pairwise(spread))
    _points(claims, chain, end)


def _points(claims: str, chain: list[int], end: Message) -> None:
    length = len(chain)
    points = [0] * len(end["points"])
    losers = [seat for seat in chain if seat] if claims == "all" else [chain[-2]]
    for seat in losers:
        points[seat] = -length
    points[chain[-1]] = length
    assert (end["winners"], end["losers"]) == ([chain[-1]], sorted(losers))
    assert end["points"] == points
