"""The process in which the level `hard` thinks: questions on standard input, answers on standard output.

Started and spoken to by `server.thinker` alone. Each message is a 4-byte length and a pickle; a question is
`(view, seen, asked, seed, budget)`, an answer an action, or None where deciding failed.
"""

import os
import pickle
import signal
import sys
import traceback
from random import Random
from struct import Struct
from typing import BinaryIO

from engine.actions import Action
from engine.bots import decide, hard_level

LENGTH = Struct(">I")
NICENESS = 5
"""On a machine of one core the server's loop comes first."""


def main() -> None:
    """Answer questions until standard input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C in the server's terminal is the server's to take
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    while (question := _receive(sys.stdin.buffer)) is not None:
        data = pickle.dumps(_answer(question))
        sys.stdout.buffer.write(LENGTH.pack(len(data)) + data)
        sys.stdout.buffer.flush()


def _answer(question: bytes) -> Action | None:
    try:
        view, seen, asked, seed, budget = pickle.loads(question)
        level, rng = hard_level(budget), Random(seed)
        return decide(level, view, seen, rng) if asked else level.claim_or_waive(view, seen, rng)
    except Exception:
        traceback.print_exc()
        return None


def _receive(stream: BinaryIO) -> bytes | None:
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    return stream.read(LENGTH.unpack(head)[0])


if __name__ == "__main__":
    main()
