"""A match as plain data: what was asked, what came of it, and whether it comes out the same again.

A trace is `{"rules", "seats", "rounds": [{"seed", "events", "steps"}], "ranking"}`: `events` of a round are
those of its deal, a step is an action (`seat`, `do`, and what it needs, or `do: expire`) with the `events` it
caused or the `error` it was refused with. All is in full information. The match was not over if `ranking` is
missing.

    recorder = Recorder(rules, seats)          # write
    recorder.deal(seed, events)
    recorder.step(action, events)
    check(recorder.data)                       # play again: None, or the first Difference
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, NamedTuple, TypeVar

from .actions import Action, action_from_data, action_to_data
from .deal import commit_of, seed_of
from .events import Event, event_data
from .legality import Refused
from .match import Match
from .round import Round
from .rules import BadRules, Rules
from .state import Phase, RoundState

Json = dict[str, Any]
T = TypeVar("T")


class BadTrace(ValueError):
    """The data is no trace; the text says in one sentence what is wrong with it."""


class Difference(NamedTuple):
    """The first place where a trace and the rules part.

    `round` counts from 1, `step` from 1 (0: before the first step). In round 0, step 0 is the ranking and
    step 1 the checksum.
    """

    round: int
    step: int
    expected: object
    got: object


class Recorder:
    """Writes down one match; `data` is the trace so far."""

    def __init__(self, rules: Rules, seats: int) -> None:
        # Every field is written, so the preset named changes nothing; some readers want one.
        self.data: Json = {"rules": {"preset": "dobon", **rules.to_data()}, "seats": seats, "rounds": []}

    def deal(self, seed: bytes, events: Sequence[Event]) -> None:
        """A round was dealt from `seed` (32 bytes) and these are the deal's events."""
        self.data["rounds"].append({"seed": seed.hex(), "events": _plain(events), "steps": []})

    def step(self, action: Action | None, events: Sequence[Event]) -> None:
        """An action was taken, or the time ran out (None)."""
        self._add(action, "events", _plain(events))

    def refused(self, action: Action | None, code: str) -> None:
        """An action was refused."""
        self._add(action, "error", code)

    def close(self, ranking: Sequence[Mapping[str, int]]) -> None:
        """The match is over."""
        self.data["ranking"] = [dict(place) for place in ranking]

    def _add(self, action: Action | None, key: str, value: object) -> None:
        asked = {"do": "expire"} if action is None else action_to_data(action)
        self.data["rounds"][-1]["steps"].append({**asked, key: value})


def compact(data: object) -> str:
    """JSON without spaces: the same data always makes the same text."""
    return json.dumps(data, separators=(",", ":"))


def seal(trace: Json) -> Json:
    """The trace with a checksum of all of it: an arrival within a grace, say, follows from nothing else."""
    bare = {key: value for key, value in trace.items() if key != "sha256"}
    return {**bare, "sha256": sha256(compact(bare).encode()).hexdigest()}


def traces_in(data: object) -> list[Json]:
    """The traces in a file's data, which is one trace or a list of them. Raises BadTrace."""
    found: list[Any] = data if isinstance(data, list) else [data]
    if not found or not all(isinstance(trace, dict) and "rounds" in trace for trace in found):
        raise BadTrace("it holds no match: a trace has rules, seats and rounds")
    return found


def check(trace: Mapping[str, Any]) -> Difference | None:
    """Deal and play a match again.

    Returns the first difference, or None if every deal, event, refusal, point and place is as it was, and so
    is what a server's record adds: commitments, seeds and the order of arrival. Raises BadTrace.
    """
    try:
        rules = Rules.from_data(_get(trace, "rules", dict), seats=_get(trace, "seats", int))
    except BadRules as bad:
        raise BadTrace(f"its rules are refused: {bad}") from None
    match = Match(rules, trace["seats"])
    rounds = _get(trace, "rounds", list)
    for number, data in enumerate(rounds, 1):
        if match.over:
            return Difference(number, 0, "another round", "the match is over")
        seed = _seed(data)
        if broken := _broken_promise(data, seed):
            return Difference(number, 0, *broken)
        log: list[Event] = []
        round = match.deal(seed, log)
        if unlike := compare(_get(data, "events", list), log):
            return Difference(number, 0, *unlike)
        steps = _get(data, "steps", list)
        for index, differs in enumerate(_play(round, steps), 1):
            if differs:
                return Difference(number, index, *differs)
        if round.phase is not Phase.OVER:
            if number == len(rounds) and "ranking" not in trace:
                break
            return Difference(number, len(steps), "the end of the round", "the round goes on")
        match.finish(round)
    if "ranking" in trace and (match.ranking() != trace["ranking"] or not match.over):
        got = match.ranking() if match.over else "the match goes on"
        return Difference(0, 0, trace["ranking"], got)
    if "sha256" in trace and (sealed := seal(dict(trace))["sha256"]) != trace["sha256"]:
        return Difference(0, 1, f"sha256 {trace['sha256']}", f"sha256 {sealed}")
    return None


def take(round: Round, step: Mapping[str, Any]) -> tuple[object, object] | None:
    """Do one step of a trace or of a case; returns (expected, got) where they differ.

    Without `events` and `error` the step has only to be accepted. Raises BadTrace if it can't be read.
    """
    action = read_action(step, round.seats)
    log: list[Event] = []
    round.log = log
    before = round.copy() if "error" in step else None
    code = None
    try:
        if action is None:
            round.expire()
        else:
            round.apply(action)
    except Refused as refused:
        code = refused.code
    if before is not None:
        if code != step["error"]:
            return step["error"], code or "accepted"
        changed = state_changes(before, round)
        return ("nothing changed", changed or _plain(log)) if changed or log else None
    if code is not None:
        return step.get("events", "accepted"), code
    return compare(_get(step, "events", list), log) if "events" in step else None


def read_action(step: Mapping[str, Any], seats: int) -> Action | None:
    """The action of a step, None for `expire`. Raises BadTrace."""
    if _get(step, "do", str) == "expire":
        return None
    try:
        action = action_from_data(step)
    except ValueError as error:
        raise BadTrace(str(error)) from None
    if not 0 <= action.seat < seats:
        raise BadTrace(f"a step names seat {action.seat}, the seats are 0 to {seats - 1}")
    return action


def compare(expected: Sequence[Mapping[str, Any]], events: Sequence[Event]) -> tuple[object, object] | None:
    """Compare a whole list of expected events; returns (expected, got) of the first that differs."""
    got = _plain(events)
    for want, have in zip(expected, got, strict=False):
        if not meets(want, have):
            return want, have
    if len(expected) > len(got):
        return expected[len(got)], "nothing more"
    if len(got) > len(expected):
        return "nothing more", got[len(expected)]
    return None


def meets(expected: object, got: object) -> bool:
    """A map is met if every key it names has that value, more keys may be there; all else must be equal."""
    if isinstance(expected, dict) and isinstance(got, dict):
        return all(key in got and meets(value, got[key]) for key, value in expected.items())
    if isinstance(expected, list) and isinstance(got, list):
        return len(expected) == len(got) and all(map(meets, expected, got))
    # The types too: true is not 1 in a trace.
    return expected == got and type(expected) is type(got)


def state_changes(before: Round, after: Round) -> list[str]:
    """The names of what differs between two rounds, the log aside."""
    names = [name for name in RoundState.__slots__ if name != "log"]
    return [name for name in names if getattr(before, name) != getattr(after, name)]


def _plain(events: Sequence[Event]) -> list[Json]:
    return [event_data(event) for event in events]


def _get(data: object, key: str, kind: type[T]) -> T:
    value = data.get(key) if isinstance(data, Mapping) else None
    if not isinstance(value, kind) or isinstance(value, bool):
        raise BadTrace(f"`{key}` is missing or not what it should be")
    return value


def _seed(data: object) -> bytes:
    return _hex(_get(data, "seed", str), "seed")


def _hex(text: Any, key: str, sizes: tuple[int, int] = (32, 32)) -> bytes:
    try:
        value = bytes.fromhex(text)
    except (TypeError, ValueError):
        raise BadTrace(f"`{key}` is not hex digits") from None
    if not sizes[0] <= len(value) <= sizes[1]:
        raise BadTrace(f"`{key}` has {len(value)} bytes")
    return value


def _broken_promise(data: Mapping[str, Any], seed: bytes) -> tuple[object, object] | None:
    """(expected, got) where a server's round breaks its commitment (protocol, section 4)."""
    if "secret" not in data:
        return None
    secret = _hex(_get(data, "secret", str), "secret")
    nonces = [
        None if nonce is None else _hex(nonce, "nonces", (0, 255)) for nonce in _get(data, "nonces", list)
    ]
    if commit_of(secret).hex() != data.get("commit"):
        return f"commit {data.get('commit')}", f"commit {commit_of(secret).hex()}"
    if seed_of(secret, nonces) != seed:
        return f"seed {seed.hex()}", f"seed {seed_of(secret, nonces).hex()}"
    return None


def _play(round: Round, steps: Sequence[Any]) -> Iterator[tuple[object, object] | None]:
    """Take the steps one after another; where the record has times, they must stand in order of arrival."""
    last: tuple[int, int, int] = (-1, -1, -1)
    base, direction = 0, 1
    discarder: int | None = None
    for step in steps:
        if isinstance(step, Mapping) and "effect" in step:
            effect, arrival = _get(step, "effect", int), _get(step, "arrival", int)
            if (effect, arrival) != last[:2]:
                base, direction = _first_among_equals(round, discarder)
            rank = -1  # what arrives with a deadline is too late for it
            if step.get("do") != "expire":
                rank = (_get(step, "seat", int) - base) * direction % round.seats
            # A claim is not held for the grace: it counts when it arrives.
            if arrival > effect or (step.get("do") == "dobon" and arrival != effect):
                yield f"a step done when it arrived at {arrival}", f"one done at {effect}"
            if (effect, arrival, rank) < last:
                yield f"nothing that arrived before {last[1]}", f"a step that arrived at {arrival}"
            last = (effect, arrival, rank)
        yield take(round, step)
        if round.window is not None:
            discarder = round.window


def _first_among_equals(round: Round, discarder: int | None) -> tuple[int, int]:
    """The seat that comes first of equal arrivals, and the direction they go in (protocol, section 5)."""
    if round.phase is Phase.OPENING:
        return round.starter, 1
    if discarder is None:
        return round.turn_seat, round.direction
    return (discarder + round.direction) % round.seats, round.direction
