"""What was asked for and agreed to was done, and once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .chronicle import Data, demand

DONE = {
    "play": ("played",),
    "draw": ("drew",),
    "pass": ("passed",),
    "dobon": ("claimed", "false_claim"),
    "ready": ("ready",),
}
"""By request, what is told of it. A decline, a waiver and a throw are never told by themselves."""
OVER = {
    "play": ("turn", "direction_race", "round_over"),
    "draw": ("turn", "round_over"),
    "pass": ("turn", "round_over"),
    "dobon": ("played", "round_over"),
    "ready": ("round", "match"),
}
"""By request, after what nothing of it can still be told."""


def done_once(said: Mapping[int, Data], seat: int, request: Data) -> None:
    """Raise `Broken` unless ``said``, a table's events by seq, has what this seat's request led to."""
    t = request["t"]
    if t not in DONE or (t == "pass" and said[request["on"]]["ev"] != "turn"):
        return
    span = list(_span(said, request["on"], OVER[t]))
    done = [event for event in span if event["ev"] in DONE[t]]
    mine = [event for event in done if event["seat"] == seat and event.get("why") not in ("false", "call")]
    # Who has left and comes back is ready once more.
    left = [event for event in span if event.get("status") == "left" and event["seat"] == seat]
    most = 1 + (t == "ready" and len(left))
    demand(1 <= len(mine) <= most, "agreed to, and done so often:", len(mine), request)
    if t == "play":
        demand(mine[0]["card"] == request["card"], "another card was played than", request, mine)
        demand(len(done) == 1, "two cards were played in one turn:", done)


def _span(said: Mapping[int, Data], on: int, over: tuple[str, ...]) -> Iterator[Data]:
    """The events behind the one numbered ``on``, up to one of these."""
    last = max(said)
    for seq in range(on + 1, last + 1):
        event = said.get(seq)
        if event is None:
            continue
        yield event
        if event["ev"] in over:
            return
