"""The engine against the hand-tuned loop of bench.limit, and against public packages where installed.

    python -m bench.engine [--samples 7] [--json]

Random play of whole rounds by four seats through the public interface: whoever is on turn takes one of its
legal moves, and a Dobon is claimed wherever one holds, as in the loop. Actions and expiries are counted. All
sides take turns in one run, ratios are of medians; time is processor time.
"""

import argparse
import importlib.util
import json
import sys
import time
from collections.abc import Callable
from statistics import median
from typing import Any

from engine.actions import DOBON
from engine.events import Event
from engine.round import Round
from engine.rules import PRESETS, Rules
from engine.state import OVER, TURN

from . import limit

SEATS = 4
Side = Callable[[int], tuple[int, int]]
"""Plays for one sample, from a seed; returns (actions, rounds)."""

ENGINE = [f"{preset} {how} events" for preset in PRESETS for how in ("without", "with")]

RATIOS = [
    *((name, "limit", 0.25, 0.45) if "without" in name else (name, "limit", 0.12, 0.3) for name in ENGINE),
    (ENGINE[0], "OpenSpiel crazy_eights", 0.8, 1.2),
    (ENGINE[0], "RLCard UNO", 3.5, 6.0),
]
"""Which side is measured against which: by how much it must be, and by how much it should be."""


def play_round(round: Round, x: int, log: list[Event] | None) -> tuple[int, int]:
    """Play one random round from the generator's state; returns (actions, next state)."""
    actions = 0
    while True:
        if round.window is not None and (claimants := round.claimants()):
            round.apply(DOBON[claimants.bit_length() - 1])
        elif (phase := round.phase) is TURN:
            moves = round.legal_moves(round.turn_seat)
            x = x * 16807 % 2147483647
            round.apply(moves[x % len(moves)])
        elif phase is OVER:
            return actions, x
        elif moves := round.legal_moves(x % SEATS):  # the opening race
            x = x * 16807 % 2147483647
            round.apply(moves[x % len(moves)])
        else:
            round.expire()
        actions += 1
        if log is not None:
            log.clear()


def engine_side(preset: str, with_events: bool, rounds: int) -> Side:
    """Random play by a preset; events are built and thrown away, or not built."""
    rules = Rules.preset(preset)

    def play(seed: int) -> tuple[int, int]:
        x, actions = seed, 0
        for _ in range(rounds):
            log: list[Event] | None = [] if with_events else None
            round = Round.deal(rules, SEATS, x.to_bytes(32, "big"), log=log)
            more, x = play_round(round, x, log)
            actions += more
        return actions, rounds

    return play


def limit_side(seed: int) -> tuple[int, int]:
    rounds = 2000
    return limit.play(rounds, seed)[0], rounds


def open_spiel_side(seed: int) -> tuple[int, int]:
    """OpenSpiel's crazy_eights in C++, driven from here; players' actions alone are counted."""
    pyspiel: Any = importlib.import_module("pyspiel")
    game = pyspiel.load_game("crazy_eights", {"players": SEATS})
    x, actions, rounds = seed, 0, 1000
    for _ in range(rounds):
        state = game.new_initial_state()
        while not state.is_terminal():
            x = x * 16807 % 2147483647
            if state.is_chance_node():  # a card dealt or drawn; each is as likely
                outcomes = state.chance_outcomes()
                state.apply_action(outcomes[x % len(outcomes)][0])
            else:
                legal = state.legal_actions()
                state.apply_action(legal[x % len(legal)])
                actions += 1
    return actions, rounds


def rlcard_side(seed: int) -> tuple[int, int]:
    """RLCard's UNO by its raw interface."""
    uno: Any = importlib.import_module("rlcard.games.uno")
    x, actions, rounds = seed, 0, 50
    for _ in range(rounds):
        game = uno.Game(num_players=SEATS)
        game.init_game()
        while not game.is_over():
            legal = game.get_legal_actions()
            x = x * 16807 % 2147483647
            game.step(legal[x % len(legal)])
            actions += 1
    return actions, rounds


def sides() -> dict[str, Side]:
    """What can be measured here, by name."""
    found: dict[str, Side] = {"limit": limit_side}
    for name in ENGINE:
        preset, how, _ = name.split()
        found[name] = engine_side(preset, with_events=how == "with", rounds=800)
    if importlib.util.find_spec("pyspiel"):
        found["OpenSpiel crazy_eights"] = open_spiel_side
    if importlib.util.find_spec("rlcard"):
        found["RLCard UNO"] = rlcard_side
    return found


def measure(samples: int) -> dict[str, tuple[float, float]]:
    """Medians of (actions, rounds) a second for each side."""
    rates: dict[str, list[tuple[float, float]]] = {name: [] for name in sides()}
    for sample in range(samples + 1):
        for name, side in sides().items():
            start = time.process_time()
            actions, rounds = side(sample * 7919 + 1)
            seconds = time.process_time() - start
            if sample:  # the first warms up
                rates[name].append((actions / seconds, rounds / seconds))
    return {
        name: (median(each[0] for each in of_side), median(each[1] for each in of_side))
        for name, of_side in rates.items()
    }


def main() -> int:
    """Measure and print; 1 if a ratio that must hold does not."""
    parser = argparse.ArgumentParser(prog="python -m bench.engine")
    parser.add_argument("--samples", type=int, default=7, help="at least 5")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    rates = measure(max(5, args.samples))
    ratios: list[dict[str, Any]] = [
        {"side": side, "against": other, "ratio": rates[side][0] / rates[other][0], "must": must, "aim": aim}
        for side, other, must, aim in RATIOS
        if other in rates
    ]
    if args.json:
        print(json.dumps({"actions and rounds a second": rates, "ratios": ratios}, indent=2))
    else:
        for name, (actions, rounds) in rates.items():
            print(f"{name:24}{actions:12,.0f} actions/s{rounds:9,.0f} rounds/s")
        for row in ratios:
            print("{side:24} against {against:24}{ratio:6.2f}  (must {must}, aim {aim})".format(**row))
    return int(any(row["ratio"] < row["must"] for row in ratios))


if __name__ == "__main__":
    sys.exit(main())
