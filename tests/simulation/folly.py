"""Requests that make no sense, or no longer."""

from __future__ import annotations

import random
from typing import Any

from engine.cards import CARDS
from protocol.messages import View

Wish = tuple[str, dict[str, Any]]


def folly(chance: random.Random, view: View | None, table: int | None) -> Wish:
    """What somebody at a table, who sees it so, should not ask for."""
    seq = 1 if view is None else max(1, view.seq - chance.randrange(12) + 1)
    on = chance.choice([seq, seq, (view and view.act_on) or seq, (view and view.claim_on) or seq])
    match chance.randrange(9):
        case 0:
            suit = chance.choice([None, *"SHDC"])
            return "play", {"table": table, "on": on, "card": chance.choice(CARDS), "suit": suit}
        case 1:
            return chance.choice(["draw", "pass", "dobon", "waive"]), {"table": table, "on": on}
        case 2:
            return "rps", {"table": table, "on": on, "throw": "rock"}
        case 3:
            return "ready", {"table": table, "on": on, "nonce": b"again"}
        case 4:
            level = chance.choice([None, "easy", "normal"])
            return "bot", {"table": table, "seat": chance.randrange(8), "level": level}
        case 5:
            return "kick", {"table": table, "seat": chance.randrange(8)}
        case 6:
            rules, settings = {"hand": chance.randrange(9)}, {"grace": chance.choice([0, -1, 500])}
            return "rules", {"table": table, "rules": rules, "settings": settings}
        case 7:
            return "start", {"table": table}
        case _:
            return "chat", {"table": chance.choice([None, 99]), "text": "x" * chance.choice([1, 201])}
