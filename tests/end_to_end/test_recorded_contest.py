"""A match over real sockets with a contest of three claims: retold, verified, and wrong after any change."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from copy import deepcopy
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio

from client import command
from client.film import Film
from client.retold import retold
from engine.trace import BadTrace, check, seal
from protocol.messages import parse_server

from .processes import served
from .test_contests import Player

Json = dict[str, Any]

SEED = "3a8d"
"""With these nonces seat 4 begins with the king of diamonds in hand, and seats 0, 1 and 2 count thirteen."""
NONCES = {0: b"\x01" * 16, 4: b"\x05" * 16}
CARD, STARTER, ORDER = "KD", 4, (1, 0, 2)
RULES = {"hand": 3, "rounds": 1, "claims": "last", "counter": "ask"}
GAP = 0.003


class Listener(Player):
    """A player who remembers all that came."""

    def __init__(self, stream: trio.SocketStream) -> None:
        super().__init__(stream)
        self.heard: list[Json] = []
        feed = self._frames.feed

        def listen(data: bytes) -> list[Json]:
            messages = feed(data)
            self.heard += messages
            return messages

        self._frames.feed = listen  # type: ignore[method-assign]


async def contest(folder: Path) -> list[Listener]:
    """Play it; every player with all that they heard."""
    players = []
    async with served("--seed", SEED, "--data", str(folder)) as server:
        for name in ("Aki", "Ben", "Chie", "Dan", "Emi"):
            player = Listener(await trio.open_tcp_stream(server.host, server.port))
            await player.send(t="hello", versions=[1], name=name, agent="test")
            await player.next(t="welcome")
            players.append(player)
        times = {"grace": 500, "claim_time": 5000}
        made = await players[0].ask("create", seats=5, rules=RULES, settings=times)
        table = made["table"]
        for player in players[1:]:
            await player.ask("join", table=table)
        await players[0].ask("start", table=table)
        for seat, player in enumerate(players):
            begun = await player.next(ev="match")
            await player.ask("ready", table=table, on=begun["seq"], nonce=NONCES.get(seat))
        turn = await players[STARTER].next(ev="turn")
        await players[STARTER].ask("play", table=table, on=turn["seq"], card=CARD)
        for player in players:
            played = await player.next(ev="played")
        for seat in ORDER:
            await players[seat].request("dobon", table=table, on=played["seq"])
            await trio.sleep(GAP)
        for player in players:
            await player.next(ev="match_over")
    return players


@pytest.fixture(scope="module")
def match(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Listener]]:
    folder = tmp_path_factory.mktemp("contest")
    return folder, trio.run(contest, folder)


def dobon(*words: str) -> tuple[int, str]:
    """The command line; its exit code and what it said."""
    said = io.TextIOWrapper(io.BytesIO(), "utf-8")
    with redirect_stdout(said), redirect_stderr(said):
        code = command.main([*words, "--lang", "en"])
    said.seek(0)
    return code, said.read()


@pytest.fixture(scope="module")
def trace(match: tuple[Path, list[Listener]]) -> Json:
    code, text = dobon("export", "1", "--data", str(match[0]))
    assert code == 0
    found: Json = json.loads(text)
    return found


def test_it_is_verified(match: tuple[Path, list[Listener]], trace: Json) -> None:
    code, said = dobon("verify", "1", "--data", str(match[0]))
    assert (code, "every event agree" in said) == (0, True)
    (round,) = trace["rounds"]
    made = [event for step in round["steps"] for event in step.get("events", []) if event["ev"] == "claimed"]
    assert [(each["seat"], each["order"]) for each in made] == [(1, 1), (0, 2), (2, 3)]
    assert round["nonces"] == [NONCES[0].hex(), None, None, None, NONCES[4].hex()]


def test_it_is_replayed_with_the_lags_that_were_shown(
    match: tuple[Path, list[Listener]], trace: Json
) -> None:
    for seat, player in [*enumerate(match[1]), (None, match[1][0])]:
        shown = [(each["seat"], each["lag"]) for each in player.heard if each.get("ev") == "claimed"]
        assert [who for who, _lag in shown] == list(ORDER)
        tell = partial(retold, trace, name=str)
        film = Film(lambda viewer, is_open, tell=tell: tell(viewer, is_open=is_open), seat)  # type: ignore[misc]
        for number in range(1, 4):
            assert film.go_to_claim(1)
            view = film.table.view
            assert (view.top, view.discard_by) == (CARD, STARTER)
            assert [(claim.seat, claim.lag) for claim in view.claims or ()] == shown[:number]
        assert not film.go_to_claim(1)
        film.go(10**6)
        last = film.table.view.last_round
        over = next(each for each in player.heard if each.get("ev") == "round_over")
        assert last is not None
        assert (last.hands, last.points, last.winners) == (over["hands"], over["points"], [2])
        told = parse_server(next(each for each in player.heard if each.get("ev") == "match_over"))
        assert film.table.view.ranking == told.ranking  # type: ignore[union-attr]
        assert film.table.checked is not None
        assert film.table.checked.fault is None


def test_it_is_printed(match: tuple[Path, list[Listener]]) -> None:
    code, said = dobon("replay", "1", "--data", str(match[0]), "--plain", "--seat", "5", "--glyphs", "ascii")
    assert code == 0
    assert "Emi plays KD; 2 cards left." in said
    assert "DOBON! Ben against Emi, on KD (the first)." in said
    assert "DOBON! Aki against Ben, on KD (no. 2, +" in said
    assert "DOBON! Chie against Aki, on KD (no. 3, +" in said
    assert "every card follows from the secret promised before it" in said
    assert "3. " in said


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(inner, (*path, key))
    else:
        yield path, value


def changed(trace: Json, path: tuple[Any, ...], value: Any) -> Json:
    forged = deepcopy(trace)
    place: Any = forged
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return forged


def other(value: Any) -> list[Any]:
    """What could stand there as well."""
    match value:
        case bool():
            return [not value, None]
        case int():
            return [value + 1, value - 1, value + 10**6, None]
        case str() if len(value) > 16:
            return [("0" if value[0] != "0" else "1") + value[1:], value[:-2], ""]
        case str():
            return ["7H" if value != "7H" else "7D", "", None]
        case _:
            return ["00", 0]


def is_wrong(trace: Json) -> bool:
    try:
        return check(trace) is not None
    except BadTrace:
        return True


def test_no_field_can_be_changed(trace: Json) -> None:
    """Every field in turn, whatever it is: card, arrival, nonce, secret, points, order and all others."""
    assert not is_wrong(trace)
    kinds = set()
    for path, value in leaves(trace):
        for instead in other(value):
            assert is_wrong(changed(trace, path, instead)), (path, value, instead)
        kinds.add(tuple(key for key in path if isinstance(key, str)))
    assert len(kinds) > 70
    steps = trace["rounds"][0]["steps"]
    for at in range(len(steps)):
        forged = deepcopy(trace)
        del forged["rounds"][0]["steps"][at]
        assert is_wrong(forged), at
    for at in range(len(steps) - 1):
        forged = deepcopy(trace)
        forged["rounds"][0]["steps"][at : at + 2] = steps[at + 1], steps[at]
        assert is_wrong(forged), at


def contest_steps(trace: Json) -> list[Json]:
    found: list[Json] = trace["rounds"][0]["steps"]
    return [step for step in found if step["do"] == "dobon"]


FORGERIES: dict[str, Callable[[Json], object]] = {
    "card": lambda trace: trace["rounds"][0]["events"][0]["hands"][3].__setitem__(0, "7H"),
    "played": lambda trace: trace["rounds"][0]["steps"][0].update(card="QD"),
    "arrival": lambda trace: contest_steps(trace)[2].update(arrival=contest_steps(trace)[0]["arrival"] - 1),
    "nonce": lambda trace: trace["rounds"][0]["nonces"].__setitem__(0, "02" * 16),
    "secret": lambda trace: trace["rounds"][0].update(secret="00" * 32),
    "commit": lambda trace: trace["rounds"][0].update(commit="00" * 32),
    "seed": lambda trace: trace["rounds"][0].update(seed="00" * 32),
    "points": lambda trace: trace["rounds"][0]["steps"][-1]["events"][-1]["points"].__setitem__(2, 1),
    "totals": lambda trace: trace["rounds"][0]["steps"][-1]["events"][-1]["totals"].__setitem__(2, 1),
    "ranking": lambda trace: trace["ranking"].reverse(),
    "claimant": lambda trace: contest_steps(trace)[2].update(seat=3),
    "order": lambda trace: contest_steps(trace)[1]["events"][0].update(order=1),
    "lag's order": lambda trace: contest_steps(trace)[0].update(
        arrival=contest_steps(trace)[1]["arrival"] + 1, effect=contest_steps(trace)[1]["effect"] + 1
    ),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_new_checksum_helps_no_forger(forgery: str, trace: Json) -> None:
    """What decides a contest or a deal follows from the rest, whatever the checksum says."""
    forged = deepcopy(trace)
    FORGERIES[forgery](forged)
    assert forged != trace
    assert is_wrong(seal(forged))
