"""What a session says beside the server's own messages, and the union of all that a front end gets.

A front end is fed one stream of `Message`s, each with the local time in ms at which it came; a recorded
stream shows the same game again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from protocol.connection import Answer
from protocol.messages import Error, Event, Request, View, Welcome

Why: TypeAlias = Literal["closed", "silent", "unreachable", "slow", "shutdown", "server_full"]
"""Why a connection is gone: the end of the stream, no sign of life, no answer to the dial, or a code."""


@dataclass(frozen=True, slots=True)
class Away:
    """There is no connection; the next attempt, the `attempt`-th since then, is in `retry` ms."""

    why: Why
    attempt: int
    retry: int


@dataclass(frozen=True, slots=True)
class Ended:
    """The session is over and is not taken up again; the last message of the stream.

    `error` is what the server said (`replaced`, `kicked`, a refused hello); else `broken` says in English how
    the server broke the protocol; both None after `close`.
    """

    error: Error | None = None
    broken: str | None = None


@dataclass(frozen=True, slots=True)
class Sent:
    """A request was handed to the connection; its `Answer` follows some time."""

    request: Request


Fault: TypeAlias = Literal[
    "commit", "seed", "nonce", "given", "deal", "starter", "coin", "drawn", "played", "hands"
]
"""What does not agree: the secret with its commit, the seed with secret and nonces, our nonce with the one
we sent, the nonces with who was ready to give one, the cards dealt, the starter, the coin, a card drawn, a
card played, the hands at the end."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What came of checking the deal of a round against its secret (protocol, section 4).

    `fault` None: everything that was seen agrees. `whole` tells whether the round was seen from its deal on;
    if not, only commit, seed and nonce could be checked.
    """

    table: int
    round: int | None
    whole: bool
    fault: Fault | None = None


Message: TypeAlias = Welcome | Answer | Error | View | Event | Away | Ended | Sent | Checked
