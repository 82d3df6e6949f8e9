"""Models and scenes made by hand from the protocol's own messages."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

from client.glyphs import UNICODE, Glyphs
from client.i18n import catalogue
from client.model import Model, update
from client.notices import Message
from client.screen.scene import Scene, Ui
from client.settings import Settings
from engine.rules import Rules
from protocol.connection import Answer
from protocol.messages import Tables, parse_server

NOW = 100_000
NAMES = ("Haru", "Sora", "花子・アリス", "Ken", "Mio", "Rin", "Yuki", "Aoi")
SECRET = bytes(range(32))

GONE = [
    *("top", "suit", "direction", "stock", "turn", "turn_seat", "discards", "discard", "discard_by", "until"),
    *("hand", "playable", "may", "claim", "act_on", "claim_on"),
]
"""The fields of a view that mean nothing without a round."""


def said(**data: Any) -> Message:
    return cast(Message, parse_server(data))


def seats(count: int = 4, **changes: Any) -> list[dict[str, Any]]:
    """Haru and the others: two bots, the rest people. `changes` are fields by `seatN`."""
    found = []
    for seat in range(count):
        bot = {1: "hard", 3: "easy"}.get(seat)
        found.append(
            {
                "seat": seat,
                "name": NAMES[seat],
                "kind": "bot" if bot else "human",
                "level": bot,
                "status": None if bot else "online",
                "count": 5 - seat % 3,
                "total": (12, 0, 33, 7)[seat % 4],
                "ready": False,
                "reaction": [400, 900] if bot else None,
                **changes.get(f"seat{seat}", {}),
            }
        )
    return found


def view(**changes: Any) -> Message:
    """A turn of Haru's in the middle of a round, changed as told."""
    preset = changes.pop("preset", "dobon")
    fields = {
        "t": "view",
        "table": 3,
        "seq": 50,
        "at": NOW - 200,
        "you": 0,
        "name": "Friday 金曜卓",
        "host": {"seat": 0, "name": "Haru"},
        "rules": Rules.preset(preset).to_data(),
        "paused": False,
        "settings": {
            "turn_time": 30_000,
            "grace": 1000,
            "claim_time": 4000,
            "opening_time": 10_000,
            "ready_time": 15_000,
            "away_time": 20_000,
            "bot_pace": 100,
        },
        "spectators": ["観戦者", "Looker"],
        "seats": seats(),
        "phase": "turn",
        "match": 1,
        "round": 2,
        "starter": 1,
        "commit": SECRET,
        "top": "7H",
        "suit": "H",
        "direction": 1,
        "stock": 28,
        "attack": None,
        "turn": 9,
        "turn_seat": 0,
        "discards": ["9H", "7H"],
        "discard": 4,
        "discard_by": 3,
        "deadline": NOW + 23_000,
        "until": NOW + 600,
        "hand": ["TS", "7C", "3H", "8D", "KC"],
        "playable": ["7C", "3H", "8D"],
        "may": ["play", "draw"],
        "claim": "open",
        "act_on": 50,
        "claim_on": 49,
        **changes,
    }
    return said(**fields)


def model(*messages: Message, name: str = "Haru") -> Model:
    """A model that was fed these, a quarter of a second ago."""
    found = update(Model(name=name), welcome(), NOW - 250)
    for message in messages:
        found = update(found, message, NOW - 200)
    return found


def welcome() -> Message:
    limits = {"frame": 4096, "rate": 20, "burst": 40, "unsent": 262_144, "name": 16, "chat": 200}
    return said(
        t="welcome", version=1, server="dobon/0.1", player=17, token="t" * 22, resumed=False, last_id=0,
        clock="kernel", seeded=False, heartbeat=10_000, limits=limits,
    )  # fmt: skip


def event(ev: str, seq: int = 51, **fields: Any) -> Message:
    return said(t="event", table=3, seq=seq, at=NOW - 100, ev=ev, **fields)


def scene(found: Model, ui: Ui | None = None, **changes: Any) -> Scene:
    base = Scene(
        found,
        ui or Ui(card="3H"),
        Settings(name="Haru"),
        changes.pop("glyphs", UNICODE),
        catalogue("en").gettext,
        NOW,
        ping=3,
        connected=True,
    )
    return replace(base, **changes)


def translated(found: Scene, language: str, glyphs: Glyphs = UNICODE) -> Scene:
    return replace(found, translate=catalogue(language).gettext, glyphs=glyphs)


def claims(*lags: int, counter: bool = False) -> list[dict[str, Any]]:
    """Claims of seats 1, 2, 3 … with these lags; the last a counter of seat 0 where told."""
    found = [
        {"seat": order, "order": order, "counter": False, "lag": lag} for order, lag in enumerate(lags, 1)
    ]
    if counter:
        found[-1] = {**found[-1], "seat": 0, "counter": True}
    return found


def over(why: str = "dobon", **changes: Any) -> dict[str, Any]:
    return {
        "why": why,
        "winners": [1],
        "losers": [0],
        "card": "7H",
        "claims": claims(0, 37_200, 80_411),
        "hands": [["TS", "8D"], ["3H", "4D"], ["QC", "KC", "2S"], ["AS"]],
        "points": [32, 0, 0, 0],
        "totals": [44, 0, 33, 7],
        "seed": SECRET,
        "secret": SECRET,
        "nonces": [None] * 4,
        "deadline": NOW + 12_000,
        "commit": SECRET,
        **changes,
    }


def idle(phase: str, **changes: Any) -> Message:
    gone = dict.fromkeys(GONE)
    return view(phase=phase, **{**gone, "ready_on": 50, **changes})


def lobby() -> Model:
    table = {
        "table": 3,
        "name": "Friday 金曜卓",
        "preset": "dobon",
        "phase": "open",
        "spectators": 2,
        "password": False,
        "seats": [{"seat": 0, "kind": "human", "name": "Haru"}, {"seat": 1, "kind": "empty"}],
    }
    tables = [
        table,
        {**table, "table": 4, "name": "秘密", "phase": "playing", "password": True, "preset": None},
    ]
    ok = parse_server({"t": "ok", "re": 1, "tables": tables}, "tables")
    return model(Answer(Tables(id=1), ok))  # type: ignore[arg-type]


def log() -> list[Message]:
    """Some things that happened, with chat."""
    return [
        event("chat", 51, **{"from": "花子・アリス", "seat": 2, "text": "よろしくお願いします！"}),
        event("chat", 52, **{"from": "観戦者", "seat": None, "text": "good luck"}),
        event("spectator", 53, name="観戦者", here=False),
    ]


def attacked(**changes: Any) -> Message:
    return view(
        top="2D",
        suit="D",
        discards=["9H", "2S", "2H", "2D"],
        attack={"rank": "2", "draw": 6},
        **{"hand": ["TS", "2C", "3H"], "playable": ["2C"], **changes},
    )


def asked_for_counter(**changes: Any) -> Message:
    return view(
        preset="pageone",
        phase="claim",
        discard_by=0,
        claims=claims(0, 37_200),
        turn_seat=None,
        **{
            "hand": ["3H", "4D"],
            "playable": None,
            "may": None,
            "act_on": None,
            "deadline": NOW + 2500,
            **changes,
        },
    )


def race(phase: str, **changes: Any) -> Message:
    return view(
        preset="pageone",
        phase=phase,
        turn_seat=None,
        direction=None,
        turn=None,
        **{"deadline": NOW + 6000, "may": ["play", "pass"], **changes},
    )


def many_cards() -> Message:
    hand = [rank + suit for suit in "SH" for rank in "A23456789TJQK"]
    return view(hand=hand, playable=hand[13:])
