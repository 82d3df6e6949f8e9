"""Runs cases and traces, which are data, against the engine: `python -m tests.conformance FILE_OR_FOLDER …`.

A case sets up a position, takes steps and says what must come of them; a trace is a whole match, as in
engine.trace. Prints a line for every failure, then `N passed, N failed`; exit status 1 if any failed or
nothing was found.
"""

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from engine.cards import CARDS, RANKS, SUITS, cards_of, parse_card, rank_text
from engine.deal import SEED_BYTES
from engine.round import Round
from engine.rules import BadRules, Rules
from engine.state import Phase
from engine.trace import BadTrace, check, take

Failure = tuple[str, object, object]
"""Where in the case, what was expected, what came."""


def main(arguments: list[str]) -> int:
    """Run the files and folders named; returns the exit status."""
    passed = failed = 0
    for path in _files(arguments):
        for name, failure in run_file(path):
            if failure is None:
                passed += 1
            else:
                failed += 1
                where, expected, got = failure
                print(f"{path}: {name}: {where}: expected {_text(expected)}, got {_text(got)}")
    print(f"{passed} passed, {failed} failed")
    return 0 if passed and not failed else 1


def run_file(path: Path) -> Iterator[tuple[str, Failure | None]]:
    """Each case or trace in a file by its name, with how it failed."""
    try:
        data = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        yield "file", ("reading", "cases or traces in JSON", str(error))
        return
    for number, item in enumerate(data if isinstance(data, list) else [data], 1):
        name = str(item.get("name", f"number {number}")) if isinstance(item, dict) else f"number {number}"
        yield name, run(item)


def run(item: object) -> Failure | None:
    """One case or trace; None if all is as it says."""
    try:
        if isinstance(item, dict) and "rounds" in item:
            return _run_trace(item)
        if isinstance(item, dict) and "bad_rules" in item:
            return _run_bad_rules(item)
        if isinstance(item, dict) and "setup" in item:
            return _run_case(item)
    except BadTrace as bad:
        return "reading", "a trace", str(bad)
    except Exception as fault:  # one broken case must not hide the others
        return "running", "no fault", f"{type(fault).__name__}: {fault}"
    return "reading", "a case or a trace", item


def _run_trace(trace: Mapping[str, Any]) -> Failure | None:
    differs = check(trace)
    if differs is None:
        return None
    return f"round {differs.round}, step {differs.step}", differs.expected, differs.got


def _run_bad_rules(case: Mapping[str, Any]) -> Failure | None:
    field = case["bad_rules"]
    try:
        Rules.from_data(case["rules"], seats=case["seats"])
    except BadRules as bad:
        return None if bad.field == field else ("rules", f"{field} refused", f"{bad.field} refused")
    return "rules", f"{field} refused", "accepted"


def _run_case(case: Mapping[str, Any]) -> Failure | None:
    setup = case["setup"]
    round = _set_up(Rules.from_data(case["rules"], seats=len(setup["hands"])), setup)
    for number, step in enumerate(case["steps"], 1):
        differs = take(round, step)
        if differs:
            return f"step {number}", *differs
    return _unlike("after", case.get("after", {}), _after(round)) or _unlike(
        "result", case.get("result", {}), _result(round)
    )


def _set_up(rules: Rules, setup: Mapping[str, Any]) -> Round:
    attack = setup.get("attack")
    return Round.setup(
        rules,
        hands=[[parse_card(card) for card in hand] for hand in setup["hands"]],
        discards=[parse_card(card) for card in setup["discard"]],
        stock=[parse_card(card) for card in setup["stock"]],
        turn=setup.get("turn", 0),
        direction=setup.get("direction", 1),
        suit=SUITS.index(setup["suit"]) if "suit" in setup else None,
        attack=(f"{RANKS}X".index(attack["rank"]), attack["step"], attack["draw"]) if attack else None,
        phase=Phase[setup.get("phase", "turn").upper()],
        starter=setup.get("starter", 0),
        seed=bytes.fromhex(setup["seed"]) if "seed" in setup else bytes(SEED_BYTES),
    )


def _after(round: Round) -> dict[str, object]:
    rank = round.attack_rank
    return {
        "hands": [sorted(CARDS[card] for card in cards_of(hand)) for hand in round.hands],
        "stock": len(round.stock),
        "top": CARDS[round.discards[-1]],
        "suit": SUITS[round.suit],
        "turn": round.turn_seat,
        "direction": round.direction,
        "attack": None if rank is None else {"rank": rank_text(rank), "draw": round.attack_draw},
    }


def _result(round: Round) -> dict[str, object]:
    outcome = round.outcome
    if outcome is None:
        return {"why": "the round goes on"}
    return {
        "why": outcome.why,
        "winners": list(outcome.winners),
        "losers": list(outcome.losers),
        "points": round.points(),
    }


def _unlike(where: str, expected: Mapping[str, Any], got: Mapping[str, object]) -> Failure | None:
    for key, value in expected.items():
        want = [sorted(hand) for hand in value] if key == "hands" else value
        if key not in got or got[key] != want:
            return f"{where} {key}", want, got.get(key, "nothing of that name")
    return None


def _files(arguments: list[str]) -> Iterator[Path]:
    seen = set()
    for argument in arguments:
        path = Path(argument)
        for file in sorted(path.rglob("*.json")) if path.is_dir() else [path]:
            if file.resolve() not in seen:
                seen.add(file.resolve())
                yield file


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, default=str)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
