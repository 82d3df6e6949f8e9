"""How well the bots play against each other: the tables of docs/bots.md, measured.

    python -m bench.bots [TABLE ...] [--matches 400] [--seed 00] [--playouts 1200] [--list] [--json]
    python -m bench.bots --speed

In each table one bot plays among others of one kind, each a seat further on from match to match. The ratio is
of its points to the mean of the others' (`penalty`, less is better), the difference is of points a match;
both with their 95 % intervals.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from random import Random
from typing import Any, NamedTuple

from engine.actions import Action
from engine.bots import LEVELS, Level, hard, hard_level
from engine.bots.series import Bot, play_series
from engine.bots.worth import worth_of
from engine.events import Event
from engine.rules import Rules
from engine.state import Phase
from engine.view import View

from .plain_search import plain_search
from .simple_strategies import STRATEGIES

LOCAL: dict[str, dict[str, Any]] = {
    "jokers and pairs": {"jokers": 2, "dobon_math": "pair", "counter": "ask", "hand": 6},
    "chains": {"preset": "pageone", "scoring": "chain", "opening": "turn", "last_call": 2, "must_play": True},
    "only Dobon wins": {"out": False, "claims": "all", "false_dobon": 2, "answer": "must", "drawn": "end"},
}
"""Three sets of local rules."""

RULES = {
    "dobon": Rules.preset("dobon"),
    "pageone": Rules.preset("pageone"),
    **{name: Rules.from_data(data, seats=4) for name, data in LOCAL.items()},
}


class Table(NamedTuple):
    """One bot among others: which rules, who, among whom, in how many seats."""

    rules: str
    one: str
    others: str
    seats: int = 4


PLAIN, PLAIN_IN_TIME = "plain search, equal playouts", "plain search, equal time"

TABLES = [
    Table("dobon", "normal", "easy"),
    Table("dobon", "hard", "normal"),
    Table("dobon", "hard", "easy"),
    Table("dobon", "hard", "normal", seats=2),
    *(Table(rules, *pair) for rules in list(RULES)[1:] for pair in (("normal", "easy"), ("hard", "normal"))),
    Table("dobon", "hard", PLAIN),
    Table("dobon", "hard", PLAIN_IN_TIME),
    *(Table("dobon", "normal", strategy) for strategy in STRATEGIES),
]


def level_named(name: str, playouts: int) -> Level:
    """A level, a strategy or a search; what searches does so with so many playouts."""
    if name == "hard":
        return hard_level(playouts)
    if name == PLAIN:
        return plain_search(playouts)
    if name == PLAIN_IN_TIME:
        return plain_search(int(playouts * TIME_OF_PLAYOUT))
    return LEVELS[name] if name in LEVELS else STRATEGIES[name]


TIME_OF_PLAYOUT = 0.4
"""How many plain playouts take the time that `hard` needs for one of its own, stopping early."""


def measure(table: Table, matches: int, seed: bytes, playouts: int) -> dict[str, Any]:
    """Play one table; what its first bot did, and how long it took in s."""
    names = [table.one, *[table.others] * (table.seats - 1)]
    bots = [Bot(name, level_named(name, playouts)) for name in names]
    began = time.monotonic()
    rules = RULES[table.rules]
    result = play_series(rules, bots, matches, seed)[0]
    return {
        **table._asdict(),
        "rounds": matches * rules.rounds,
        "result": result,
        "s": time.monotonic() - began,
    }


def line(measured: dict[str, Any]) -> str:
    """One line of a table in Markdown."""
    result = measured["result"]
    ratio = shown(result["ratio"], 3) if "ratio" in result else ""
    cells = [
        measured["rules"],
        f"{measured['one']} among {measured['seats'] - 1} × {measured['others']}",
        f"{measured['rounds']:,}",
        ratio,
        shown(result["difference"], 2),
        shown(result["first"], 3),
    ]
    return "| " + " | ".join(cells) + " |"


def shown(value: dict[str, float | None], digits: int) -> str:
    """A mean and its interval, which a single round of seats does not give."""
    if value["low"] is None:
        return f"{value['mean']:.{digits}f}"
    return f"{value['mean']:.{digits}f} ({value['low']:.{digits}f} to {value['high']:.{digits}f})"


class Collector:
    """A level that remembers where it was asked for a move and had a choice."""

    def __init__(self) -> None:
        self.asked: list[tuple[View, list[Event]]] = []

    def level(self) -> Level:
        normal = LEVELS["normal"]

        def choose(view: View, seen: Sequence[Event], rng: Random) -> Action:
            if view.phase is not Phase.RPS and len(hard.choices_of(view)) > 1:
                self.asked.append((view, list(seen)))
            return normal.choose(view, seen, rng)

        return normal._replace(choose=choose)


def speed(playouts: int, decisions: int = 400) -> None:
    """Print how long each level's decisions take, those with a choice, in processor time."""
    collector = Collector()
    while len(collector.asked) < decisions:
        play_series(
            RULES["dobon"], [Bot("normal", collector.level())] * 4, 1, bytes([len(collector.asked) % 251])
        )
    worth_of(RULES["dobon"], 4)  # learnt once, not for each decision
    for name in LEVELS:
        choose, rng, times = level_named(name, playouts).choose, Random(1), []
        for view, seen in collector.asked[:decisions]:
            began = time.process_time()
            choose(view, seen, rng)
            times.append(1000 * (time.process_time() - began))
        times.sort()
        middle, late = times[len(times) // 2], times[len(times) * 99 // 100]
        rate = 1000 * len(times) / sum(times)
        print(f"{name}: {rate:.0f} decisions/s, median {middle:.2f} ms, 99 % within {late:.2f} ms")


def main() -> int:
    """Measure the tables asked for, all of them by default."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("tables", nargs="*", type=int, help="numbers of tables, from 0")
    parser.add_argument("--matches", type=int, default=400)
    parser.add_argument("--seed", type=bytes.fromhex, default=b"\0")
    parser.add_argument("--playouts", type=int, default=hard.BUDGET)
    parser.add_argument("--list", action="store_true", help="say which tables there are")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--speed", action="store_true", help="how long decisions take instead")
    args = parser.parse_args()
    if args.speed:
        speed(args.playouts)
        return 0
    if args.list:
        print("\n".join(f"{number:3} {' '.join(map(str, table))}" for number, table in enumerate(TABLES)))
        return 0
    if not args.json:
        print("| rules | who | rounds | ratio | difference | first places |\n|---|---|---|---|---|---|")
    for number in args.tables or range(len(TABLES)):
        measured = measure(TABLES[number], args.matches, args.seed, args.playouts)
        print(json.dumps(measured) if args.json else line(measured), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
