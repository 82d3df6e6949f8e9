"""The programs in examples/, run as a stranger runs them: processes that know nothing of this repository."""

import ast
import copy
import json
import random
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import trio

from engine.actions import Action, Do
from engine.deal import commit_of, seed_of
from engine.events import Event
from engine.match import Match
from engine.round import Round
from engine.rules import Rules
from engine.trace import Recorder, check
from tests.end_to_end.processes import Served, served
from tests.patience import soon

ROOT = Path(__file__).resolve().parent.parent.parent
EXAMPLES = ROOT / "examples"
SEATS = 8

Json = dict[str, Any]


def run(program: str, *words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run an example somewhere else than here, without anything of ours to import."""
    return subprocess.run(
        [sys.executable, "-I", str(EXAMPLES / program), *words],
        cwd=cwd,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def dobon(*words: str, cwd: Path) -> str:
    """What the command prints."""
    return subprocess.run(
        [sys.executable, "-m", "client.command", *words],
        cwd=cwd,
        env={"PYTHONPATH": str(ROOT), "HOME": str(cwd)},
        stdout=subprocess.PIPE,
        encoding="utf-8",
        check=True,
    ).stdout


def step_of(round: Round, rng: random.Random) -> Action:
    """Any legal action; a claim where several seats have one, a waiver where nothing else is left."""
    actions = [action for seat in range(SEATS) for action in round.legal_actions(seat)]
    claims = [action for action in actions if action.do is Do.DOBON]
    others = [action for action in actions if action.do not in (Do.DOBON, Do.WAIVE)]
    return rng.choice((claims if len(claims) > 1 or round.claims else []) or others or actions)


@pytest.fixture(scope="module")
def record() -> Json:
    """A match as a server records it, with promises, nonces and times."""
    rng = random.Random(10)
    rules = Rules.preset("pageone").changed({"dobon_math": "pair", "hand": 3, "jokers": 2, "rounds": 20})
    match, recorder = Match(rules, SEATS), Recorder(rules, SEATS)
    now = 0
    while not match.over:
        secret, nonces = rng.randbytes(32), [rng.randbytes(16), None, b"", *map(rng.randbytes, range(28, 33))]
        log: list[Event] = []
        round = match.deal(seed_of(secret, nonces), log)
        recorder.deal(round.seed, log)
        of_round = recorder.data["rounds"][-1]
        hexed = [None if nonce is None else nonce.hex() for nonce in nonces]
        of_round |= {"secret": secret.hex(), "nonces": hexed, "commit": commit_of(secret).hex()}
        while round.outcome is None:
            log.clear()
            action = None if rng.random() < 0.05 else step_of(round, rng)
            round.apply(action) if action else round.expire()
            recorder.step(action, log)
            now += 1000
            of_round["steps"][-1] |= {"arrival": now, "effect": now}
        match.finish(round)
    recorder.close(match.ranking())
    data: Json = json.loads(json.dumps(recorder.data))
    assert check(data) is None
    return data


def verdict(record: object, folder: Path) -> tuple[int, str]:
    """Exit status and sentence of check_deal.py."""
    (folder / "record.json").write_text(json.dumps(record))
    done = run("check_deal.py", "record.json", cwd=folder)
    assert done.stderr == ""
    assert done.stdout.count("\n") == 1
    return done.returncode, done.stdout


def events(record: Json, kind: str) -> Iterator[tuple[Json, Json, Json]]:
    """Each event of a kind, after its round and step."""
    for of_round in record["rounds"]:
        for step in of_round["steps"]:
            for event in step["events"]:
                if event["ev"] == kind:
                    yield of_round, step, event


def contest(record: Json) -> tuple[Json, Json]:
    """The steps of the first two claims on a card that has two that were asked for."""
    second = next(
        (of_round, step)
        for of_round, step, event in events(record, "claimed")
        if event["order"] == 2 and step["seat"] == event["seat"]
    )
    steps = second[0]["steps"]
    return steps[steps.index(second[1]) - 1], second[1]


def test_a_sound_record_holds(record: Json, tmp_path: Path) -> None:
    assert {event["order"] for _round, _step, event in events(record, "claimed")} >= {1, 2, 3}
    assert any(events(record, "reshuffled"))
    assert verdict(record, tmp_path) == (
        0,
        "deals, draws and the order of claims are as they should be: 20 rounds\n",
    )
    assert verdict([record, record], tmp_path)[1].endswith(": 40 rounds\n")


def test_a_match_between_bots_holds_too(tmp_path: Path) -> None:
    words = "sim --matches 8 --bots easy,normal --rules pageone --rule hand=3 --seed 07 --trace bots.json"
    dobon(*words.split(), cwd=tmp_path)
    assert '"turned"' in (tmp_path / "bots.json").read_text()
    done = run("check_deal.py", "bots.json", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (
        0,
        "deals, draws and the order of claims are as they should be: 40 rounds\n",
    )


def flip(text: str) -> str:
    """Another string of hex digits, by its first."""
    return f"{int(text[0], 16) ^ 1:x}{text[1:]}"


def change_secret(record: Json) -> None:
    record["rounds"][0]["secret"] = flip(record["rounds"][0]["secret"])


def change_commit(record: Json) -> None:
    record["rounds"][3]["commit"] = flip(record["rounds"][3]["commit"])


def change_nonce(record: Json) -> None:
    record["rounds"][1]["nonces"][0] = flip(record["rounds"][1]["nonces"][0])


def forget_nonce(record: Json) -> None:
    record["rounds"][1]["nonces"].pop()


def change_seed(record: Json) -> None:
    record["rounds"][2]["seed"] = flip(record["rounds"][2]["seed"])


def exchange_cards(record: Json) -> None:
    one, other = record["rounds"][0]["events"][0]["hands"][:2]
    one[0], other[0] = other[0], one[0]


def turn_up_another(record: Json) -> None:
    deal = record["rounds"][0]["events"][0]
    deal["top"] = "KD" if deal["top"] != "KD" else "KS"


def draw_another(record: Json) -> None:
    *_, (_of_round, _step, drew) = events(record, "drew")
    drew["cards"][0] = "KD" if drew["cards"][0] != "KD" else "KS"


def move_a_step(record: Json) -> None:
    steps = record["rounds"][0]["steps"]
    steps[1]["effect"], steps[2]["effect"] = steps[2]["effect"], steps[1]["effect"]


def exchange_arrivals(record: Json) -> None:
    first, second = contest(record)
    first["arrival"], second["arrival"] = second["arrival"], first["arrival"]


def exchange_numbers(record: Json) -> None:
    first, second = contest(record)
    first["events"][0]["order"], second["events"][0]["order"] = 2, 1


def give_away_a_claim(record: Json) -> None:
    claim = contest(record)[0]
    claim["events"][0]["seat"] = (claim["seat"] + 1) % SEATS


def arrive_at_once(record: Json) -> None:
    """Two claims that arrive together, the one that should be second given the first place."""
    first, second = contest(record)
    first["arrival"] = first["effect"] = second["arrival"]
    steps = next(of_round["steps"] for of_round in record["rounds"] if first in of_round["steps"])
    by_card = [step for step in steps[: steps.index(first)] if step["do"] == "play"][-1]["seat"]
    directions = [
        event["direction"]
        for step in steps[: steps.index(first)]
        for event in step["events"]
        if "direction" in event
    ]
    way = directions[-1] if directions else 1
    places = [((step["seat"] - by_card) * way - 1) % SEATS for step in (first, second)]
    if places[0] < places[1]:
        first["seat"], second["seat"] = second["seat"], first["seat"]
        first["events"][0]["seat"], second["events"][0]["seat"] = first["seat"], second["seat"]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (change_secret, "round 1: another secret was promised"),
        (change_commit, "round 4: another secret was promised"),
        (change_nonce, "round 2: secret and nonces make another seed"),
        (forget_nonce, "round 2: secret and nonces make another seed"),
        (change_seed, "round 3: secret and nonces make another seed"),
        (exchange_cards, "round 1: the seed deals other cards"),
        (turn_up_another, "round 1: the seed deals other cards"),
        (draw_another, "round 20: the stock gives other cards"),
        (move_a_step, "round 1: a step stands before one that was to be taken sooner"),
        (exchange_arrivals, "claims out of order"),
        (exchange_numbers, "claims out of order"),
        (give_away_a_claim, "a claim is given to another seat"),
        (arrive_at_once, "claims out of order"),
    ],
)
def test_a_falsified_record_does_not_hold(
    record: Json, change: Callable[[Json], None], sentence: str, tmp_path: Path
) -> None:
    falsified = copy.deepcopy(record)
    change(falsified)
    status, said = verdict(falsified, tmp_path)
    assert status == 1
    assert sentence in said


@pytest.mark.parametrize("data", [[], {}, 3, None, "text", [{"rounds": 3}], {"rounds": [{"seed": "zz"}]}])
def test_what_is_no_record_does_not_hold(data: object, tmp_path: Path) -> None:
    status, said = verdict(data, tmp_path)
    assert status == 1
    assert said.startswith("it ")


def test_the_program_is_as_short_as_it_says() -> None:
    assert len((EXAMPLES / "check_deal.py").read_text().splitlines()) <= 60


QUICK = json.dumps({"bot_pace": 0, "grace": 0, "claim_time": 1000, "opening_time": 1000})


class Seated:
    """A running wire_bot.py that has found its table."""

    def __init__(self, process: trio.Process) -> None:
        self.process = process

    @classmethod
    async def start(cls, server: Served, *words: str) -> "Seated":
        command = [
            sys.executable,
            "-I",
            str(EXAMPLES / "wire_bot.py"),
            f"{server.host}:{server.port}",
            *words,
        ]
        process = await trio.lowlevel.open_process(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert process.stderr is not None
        said = b""
        with soon("a wire bot's table"):
            while not said.endswith(b"\n"):
                said += await process.stderr.receive_some(100) or b" (and nothing more)\n"
        assert said.startswith(b"at table "), said
        return cls(process)

    async def ranking(self) -> list[list[str]]:
        """What it prints at the end of the match, each place as rank, name, total."""
        process = self.process
        assert process.stdout is not None
        assert process.stderr is not None
        with soon("a wire bot's ranking"):
            printed = b"".join([part async for part in process.stdout]).decode()
            said = b"".join([part async for part in process.stderr]).decode()
            assert (await process.wait(), said) == (0, "")
        places = [line.split(" ", 1) for line in printed.splitlines()]
        return [[rank, *rest.rsplit(" ", 1)] for rank, rest in places]


@pytest.mark.parametrize(
    "rules", [{}, {"preset": "pageone", "claims": "all", "jokers": 2, "order_by": "rps"}]
)
async def test_the_wire_bot_plays_a_match_against_bots_that_can_be_checked(
    rules: Json, tmp_path: Path
) -> None:
    async with served("--data", str(tmp_path / "data")) as server:
        words = ["--new", "--bots", "easy,normal", "--rules", json.dumps(rules), "--settings", QUICK]
        bot = await Seated.start(server, "--name", "Stranger", *words)
        ranking = await bot.ranking()
    assert [rank for rank, _name, _total in ranking] == sorted(rank for rank, _name, _total in ranking)
    assert len(ranking) == 3
    assert "Stranger" in {name for _rank, name, _total in ranking}
    totals = [int(total) for _rank, _name, total in ranking]
    assert totals == sorted(totals, reverse=rules.get("preset") == "pageone")

    exported = dobon("export", "1", "--data", "data", cwd=tmp_path)
    for of_round in json.loads(exported)["rounds"]:
        assert {"secret", "nonces", "commit"} <= of_round.keys()
        assert any(of_round["nonces"])  # the wire bot's
    status, said = verdict(json.loads(exported), tmp_path)
    assert status == 0, said


async def test_wire_bots_find_each_other_and_see_the_same_match() -> None:
    """The second joins the table that the first one has opened, under another name."""
    async with served() as server:
        first = await Seated.start(server, "--seats", "3", "--bots", "easy", "--settings", QUICK)
        second = await Seated.start(server)
        rankings: list[list[list[str]]] = []

        async def finish(bot: Seated) -> None:
            rankings.append(await bot.ranking())

        async with trio.open_nursery() as nursery:
            nursery.start_soon(finish, first)
            nursery.start_soon(finish, second)
    assert rankings[0] == rankings[1]
    assert {"Bot", "Bot 2"} <= {name for _rank, name, _total in rankings[0]}


def test_the_wire_bot_says_that_nobody_is_there(tmp_path: Path) -> None:
    done = run("wire_bot.py", "127.0.0.1:1", cwd=tmp_path)
    assert done.returncode == 1
    assert "refused" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(("program", "others"), [("check_deal.py", set()), ("wire_bot.py", {"msgpack"})])
def test_what_strangers_programs_import(program: str, others: set[str]) -> None:
    imported = set()
    for node in ast.walk(ast.parse((EXAMPLES / program).read_text())):
        if isinstance(node, ast.Import):
            imported |= {name.name.split(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add(str(node.module).split(".")[0])
    assert imported - sys.stdlib_module_names == others


def test_ones_own_bot_beats_the_easy_one(tmp_path: Path) -> None:
    done = run("own_bot.py", "100", "3", cwd=tmp_path)
    assert done.stderr == ""
    wins = dict(re.findall(r"(\w+): first in (\d+) of 100 matches", done.stdout))
    assert int(wins["mine"]) > int(wins["easy"])
    assert sum(map(int, wins.values())) >= 100
    assert run("own_bot.py", "100", "3", cwd=tmp_path).stdout == done.stdout
