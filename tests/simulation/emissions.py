"""Everything that tables said, in full, beside what each person then heard of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from server.broadcast import Broadcast

from .chronicle import ASKING, ORDINARY, Asked, Course, Data, demand

PRIVATE = ("hands", "cards", "playable", "may")
"""The fields of events that differ by receiver (protocol, section 4)."""
ADDED = {
    "round_over": {"seed", "secret", "nonces", "commit", "deadline"},
    "claimed": {"deadline"},
    "played": {"until", "deadline"},
    "turn": {"playable", "may", "deadline"},
    "drew": {"playable", "may"},
    "opening": {"playable", "may", "deadline"},
    "direction_race": {"playable", "may", "deadline"},
    "rps": {"deadline"},
}
"""What a table adds to the engine's fields."""


class Emissions:
    """By table, what it said by seq."""

    def __init__(self) -> None:
        self.said: dict[int, dict[int, Data]] = {}
        self.count = 0
        self._last: dict[int, int] = {}
        self._agreed: dict[int, int] = {}
        """By table, the seq up to which `agree` found nothing wrong and forgot what was done."""

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Note what any table says meanwhile."""
        emit = Broadcast.emit

        def noted(
            broadcast: Broadcast,
            ev: str,
            fields: Mapping[str, Any],
            own: Mapping[int, Mapping[str, Any]] | None = None,
        ) -> int:
            seq = emit(broadcast, ev, fields, own)
            said = self.said.setdefault(broadcast.table, {})
            self.count += 1
            demand(seq not in said, "a seq is used twice:", seq)
            last = self._last.get(broadcast.table, 0)
            demand(seq == last + 1, "a seq is left out: after", last, "came", seq)
            self._last[broadcast.table] = seq
            at = broadcast.ms(broadcast.now)
            earlier = said.get(seq - 1)
            demand(earlier is None or earlier["at"] <= at, "a table's time went back:", earlier, at)
            said[seq] = {"at": at, "ev": ev, **fields, "own": dict(own or {})}
            return seq

        with patch.object(Broadcast, "emit", noted):
            yield

    def forget(self, standing: Mapping[int, int]) -> None:
        """The server died: what tables that still stand said from these on was not safe, and nobody may
        have been told. Tables that do not stand are either closed, or nobody knew of them."""
        for table, since in standing.items():
            said = self.said.setdefault(table, {})
            for seq in [seq for seq in said if seq >= since]:
                del said[seq]
            self._last[table] = since
        for table, said in list(self.said.items()):
            if table not in standing and not any(event["ev"] == "closed" for event in said.values()):
                del self.said[table], self._last[table]

    def agree(self, table: int, course: Course, complete: bool) -> None:
        """Everything the engine did was said, in its order and to whom it may be. Raises `Broken`."""
        said = self.said.get(table, {})
        place = 0
        for seq in sorted(said):
            event = said[seq]
            if event["ev"] in ORDINARY or seq <= self._agreed.get(table, 0):
                continue
            demand(place < len(course.events), "said and never done:", event)
            _compare(event, course.events[place])
            if event["ev"] in ASKING:
                _compare_asked(event, course.asked.get(place, {}))
            place += 1
        if complete:
            demand(place == len(course.events), "done and never said:", course.events[place:])

    def forget_agreed(self, table: int, course: Course, kept: int) -> None:
        """Forget what was done till now, which must agree, and all but the last ``kept`` events said."""
        self.agree(table, course, complete=True)
        course.events.clear()
        course.asked.clear()
        said = self.said.get(table, {})
        if said:
            self._agreed[table] = last = max(said)
            for seq in [seq for seq in said if seq <= last - kept]:
                del said[seq]


def _compare(said: Data, done: Data) -> None:
    ev = said["ev"]
    demand(ev == done["ev"], "said:", said, "done:", done)
    added = ADDED.get(ev, set())
    demand(set(said) - {"at", "own"} - added == set(done), "fields of", said, "are not those of", done)
    for key, value in done.items():
        if key in PRIVATE and ev != "round_over":
            continue
        if key == "claims":
            plain = [{k: v for k, v in claim.items() if k != "lag"} for claim in said[key]]
            demand(plain == value, "claims", said[key], value)
        else:
            demand(said[key] == value, ev, key, "said:", said[key], "done:", value)
    if ev == "round":
        demand(said["hands"] == [None] * len(done["hands"]), "hands are shown to everybody:", said)
        for seat, hand in enumerate(done["hands"]):
            mine = [hand if place == seat else None for place in range(len(done["hands"]))]
            demand(said["own"][seat] == {"hands": mine}, "other hands for", seat, said)
    elif ev == "drew":
        demand(said["cards"] is None, "cards drawn are shown to everybody:", said)
        others = [own for seat, own in said["own"].items() if seat != done["seat"]]
        demand(not any("cards" in own for own in others), "cards drawn are shown to another:", said)
        demand(said["own"][done["seat"]]["cards"] == done["cards"], "other cards drawn:", said)
    demand(said.get("playable") is None and said.get("may") is None, "everybody is asked:", said)


def _compare_asked(said: Data, asked: Asked) -> None:
    """Who is told what they may do, is, and may."""
    told = {seat: own for seat, own in said["own"].items() if "may" in own}
    demand(set(told) == set(asked), "another is asked than", set(asked), said)
    for seat, own in told.items():
        for key in ("playable", "may"):
            demand(own[key] == asked[seat][key], key, "of seat", seat, own[key], "is", asked[seat][key])


def heard_of(said: Data, seat: int | None, table: int, seq: int) -> Data:
    """The message that somebody in this seat gets."""
    message = {"t": "event", "table": table, "seq": seq, **said}
    own = message.pop("own")
    return {**message, **own.get(seat, {})}
