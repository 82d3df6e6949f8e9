"""What a seed stands for: the rules, who is there, how bad the network and the disk are."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from server.limits import Limits

from .deals import HAND

FIELDS: dict[str, tuple[Any, ...]] = {
    "preset": ("dobon", "pageone"),
    "jokers": (0, 0, 1, 2),
    "hand": (3, 4, 5),
    "rounds": (1, 2),
    "opening": ("turn", "race"),
    "starter": ("rotate", "random", "winner", "loser"),
    "answer": ("may", "must"),
    "drawn": ("play", "end"),
    "must_play": (False, False, True),
    "reverse_two": ("skip", "none"),
    "out": (True, True, True, False),
    "dobon_min": (1, 2),
    "dobon_math": ("sum", "pair"),
    "claims": ("first", "last", "all"),
    "chain_loser": ("previous", "discarder"),
    "counter": ("auto", "ask", "off"),
    "false_dobon": (0, 0, 1, 2),
    "last_call": (0, 0, 1, 2),
    "order_by": ("coin", "rps"),
    "scoring": ("penalty", "wins", "chain"),
    "double_effect": (False, True),
}
SETTINGS: dict[str, tuple[int, ...]] = {
    "turn_time": (2_000, 5_000, 30_000),
    "grace": (0, 100, 1_000),
    "claim_time": (1_000, 4_000),
    "opening_time": (1_000, 10_000),
    "ready_time": (1_000, 15_000),
    "away_time": (5_000, 20_000),
    "bot_pace": (0, 100),
}


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that is settled before the first event. Chances are those of one thing going wrong."""

    seed: int
    seats: int
    people: int
    bots: list[str]
    rules: dict[str, Any]
    settings: dict[str, int]
    cut: float
    """That a connection is lost while something is sent over it."""
    twice: float
    """That something is sent twice."""
    split: float
    """That bytes come in pieces, and late."""
    folly: float
    """That somebody asks for something that makes no sense."""
    whim: float
    """That somebody chats, leaves, looks on, pauses, goes away for a while."""
    glutton: bool
    """One asks for views without end and does not read them."""
    crashes: int
    """How often the server dies and comes back; it keeps a journal then."""
    full_disk: bool
    """The disk is full for a while."""
    trouble: float
    """Seconds until all this ends."""
    clock: int
    """By how many seconds somebody sets the wall clock on, or back, now and then."""
    stamps: bool
    """Whether the kernel says when bytes arrived; else they did when they were read."""
    tls: bool
    """Every second connection is encrypted."""
    password: str | None
    """Of the server and of every table."""
    burglar: bool
    """The last of them tries passwords as fast as that is allowed."""
    narrow: bool
    """There is room for hardly anybody more than there are."""
    tight: bool
    """Little may be left unread, and many look on."""
    pondering: bool
    """Bots take their time, and some never have an answer."""
    contested: bool
    """Hands are such that many cards are claimed, and by several."""
    decrees: int
    """How often the server's host closes a table, puts somebody out or has something to say."""

    @property
    def limits(self) -> Limits:
        """How much the server lets in."""
        if not self.narrow:
            return Limits()
        most = self.people + 3
        return Limits(connections=most, sessions=most, tables=2, spectators=2)

    @property
    def descriptors(self) -> int | None:
        """How many connections the system has descriptors for."""
        return self.people + 4 if self.narrow and self.seed % 2 else None


class Weather:
    """What is the same for everybody, and changes."""

    def __init__(self, plan: Plan) -> None:
        self.bad = True
        """The network still fails, and moods still change."""
        self.table: int | None = None
        """Where everybody goes."""
        self.plan = plan


def plan_of(seed: int) -> Plan:
    """The plan of a seed, the same for the same seed."""
    chance = random.Random(seed)
    seats = chance.choice([2, 3, 3, 4, 5])
    people = chance.randint(2, min(seats, 3)) + chance.randint(0, 1)
    chosen = chance.sample(sorted(FIELDS), chance.randint(2, 14))
    rules = {name: chance.choice(FIELDS[name]) for name in chosen}
    rules["rounds"] = chance.choice([1, 1, 2])
    keeps = chance.random() < 0.5
    # Drawn apart: what else a seed stands for stays what it was.
    more = random.Random(f"more {seed}")
    contested = more.random() < 0.4
    if contested:
        # These rounds are soon over.
        rules |= {"rounds": 4, "hand": HAND, "claims": more.choice(["last", "all", "all", "first"])}
        rules |= {name: more.choice(FIELDS[name]) for name in ("chain_loser", "scoring")}
        rules["counter"] = more.choice(["ask", "ask", "auto", "off"])
    password = more.choice([None, None, "open sesame"])
    return Plan(
        seed=seed,
        seats=seats,
        people=people,
        bots=[chance.choice(["easy", "normal"]) for _ in range(max(0, seats - people))],
        rules=rules,
        settings={name: chance.choice(values) for name, values in SETTINGS.items()},
        cut=chance.choice([0, 0.01, 0.05]),
        twice=chance.choice([0, 0.1, 0.5]),
        split=chance.choice([0, 0.1, 0.5]),
        folly=chance.choice([0, 0.05, 0.2]),
        whim=chance.choice([0, 0.02, 0.1]),
        glutton=chance.random() < 0.05,
        crashes=chance.choice([0, 1, 2, 3]) if keeps else -1,
        full_disk=keeps and chance.random() < 0.3,
        trouble=chance.choice([20, 60, 180]),
        clock=chance.choice([0, 0, 0, 1, -3600, 86400]),
        stamps=more.random() < 0.85,
        tls=more.random() < 0.25,
        password=password,
        burglar=password is not None and more.random() < 0.3,
        narrow=more.random() < 0.2,
        tight=more.random() < 0.15,
        pondering=more.random() < 0.3,
        contested=contested,
        decrees=more.choice([0, 0, 0, 1, 3]),
    )
