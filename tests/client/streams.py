"""Rounds played at random by the engine, and what each viewer is sent of them, in the protocol's types."""

import random
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from engine.actions import Action, Do
from engine.deal import commit_of, seed_of
from engine.events import (
    Claimed,
    DirectionRace,
    Drew,
    Opening,
    Played,
    RoundOver,
    RpsAsked,
    TurnBegun,
    event_data,
)
from engine.events import Event as EngineEvent
from engine.legality import Refused
from engine.match import Match
from engine.round import Round
from engine.rules import Rules
from engine.state import Phase
from engine.view import view, view_data
from protocol.messages import Event, View, parse_server

TABLE = 3


@dataclass
class Stream:
    """A match at a table of the engine's, told as a server would: events for a viewer, and views."""

    rules: Rules
    seats: int
    chance: random.Random
    seq: int = 0
    at: int = 0
    act_on: int | None = None
    claim_on: int | None = None
    ready_on: int | None = None
    claims: list[dict[str, Any]] = field(default_factory=list)
    deadline: int | None = None
    until: int | None = None
    phase: str = "open"
    number: int | None = None
    last: dict[str, Any] | None = None
    ranking: list[dict[str, Any]] | None = None
    commit: bytes | None = None

    def __post_init__(self) -> None:
        self.match = Match(self.rules, self.seats)
        self.log: list[EngineEvent] = []
        self.round: Round | None = None
        self.totals = [0] * self.seats
        self.secret = b""
        self.nonces: list[bytes | None] = [None] * self.seats
        self.others_closed = False

    def told(self, ev: str, **fields: Any) -> dict[int | None, Event]:
        """The same event for every viewer."""
        data = {"ev": ev, **fields}
        self.seq += 1
        self.at += self.chance.randrange(400)
        return {viewer: self._event(data) for viewer in self.viewers}

    @property
    def viewers(self) -> list[int | None]:
        return [None, *range(self.seats)]

    def _event(self, data: dict[str, Any]) -> Event:
        message = parse_server({"t": "event", "table": TABLE, "seq": self.seq, "at": self.at, **data})
        assert isinstance(message, Event)
        return message

    def begin(self) -> Iterator[dict[int | None, Event]]:
        """The match begins."""
        self.phase, self.number = "between", 1
        self.commit = self._new_secret()
        seats = [{"name": f"P{seat}", "kind": "human"} for seat in range(self.seats)]
        self.deadline = self.at + 15_000
        yield self.told(
            "match",
            match=self.number,
            rules=self.rules.to_data(),
            settings={"grace": 1000},
            seats=seats,
            commit=self.commit,
            deadline=self.deadline,
        )
        self.ready_on = self.seq

    def _new_secret(self) -> bytes:
        self.secret = self.chance.randbytes(32)
        return commit_of(self.secret)

    def deal(self) -> Iterator[dict[int | None, Event]]:
        """The next round, dealt from the secret whose commit was told."""
        self.nonces = [self.chance.choice([None, self.chance.randbytes(16)]) for _ in range(self.seats)]
        for seat, nonce in enumerate(self.nonces):
            if nonce is not None:
                yield self.told("ready", seat=seat)
        self.log.clear()
        self.round = self.match.deal(seed_of(self.secret, self.nonces), self.log)
        self.claim_on = self.until = None
        self.others_closed = False
        yield from self._drained()

    def step(self) -> Iterator[dict[int | None, Event]]:
        """Somebody does something legal, or dares a false Dobon, or the time runs out."""
        round = self.round
        assert round is not None
        actions = round.legal_actions()
        if round.window is not None and self.chance.random() < 0.1:
            actions.append(Action(self.chance.randrange(self.seats), Do.DOBON))
        dobons = [action for action in actions if action.do is Do.DOBON]
        if dobons and self.chance.random() < 0.8:
            actions = dobons
        if not actions or self.chance.random() < 0.03:
            round.expire()
        else:
            with suppress(Refused):
                round.apply(self.chance.choice(actions))
        self.others_closed |= round.rules.claims == "all" and bool(round.claims) and not round.others_open
        return self._drained()

    def hasten(self) -> Iterator[dict[int | None, Event]]:
        """The time runs out: the way to the end of a round that would go on for long."""
        assert self.round is not None
        self.round.expire()
        return self._drained()

    def _drained(self) -> Iterator[dict[int | None, Event]]:
        events, place = self.log[:], 0
        self.log.clear()
        for place, event in enumerate(events):
            yield self._told(event, place == len(events) - 1)
        if self.phase == "between" and self.match.over:
            yield self._finished()

    def _told(self, event: EngineEvent, last: bool) -> dict[int | None, Event]:
        self.seq += 1
        self.at += self.chance.randrange(400)
        extra = self._extra(event)
        told: dict[int | None, Event] = {}
        for viewer in self.viewers:
            data = {**event_data(event, viewer), **extra}
            if isinstance(event, Opening | DirectionRace | TurnBegun | Drew):
                data |= {"playable": None, "may": None}
                if viewer is not None and self._asked(event, viewer, last):
                    data |= self._asked_data(viewer)
            told[viewer] = self._event(data)
        return told

    def _asked(self, event: EngineEvent, viewer: int, last: bool) -> bool:
        assert self.round is not None
        if isinstance(event, Drew) and not last:
            return False
        return self.round.asked(viewer)

    def _asked_data(self, viewer: int) -> dict[str, Any]:
        assert self.round is not None
        data = view_data(view(self.round, viewer))
        return {"playable": data["playable"], "may": data["may"]}

    def _extra(self, event: EngineEvent) -> dict[str, Any]:
        """What the table adds to an event; what its view needs is noted."""
        match event:
            case Opening() | DirectionRace() | RpsAsked() | TurnBegun():
                self.act_on, self.deadline = self.seq, self.at + 9000
                self.phase = "round"
                return {"deadline": self.deadline}
            case Played():
                self.claim_on, self.until = self.seq, self.at + 1000
                self.claims = []
                self.deadline = None if event.left else self.at + 4000
                return {"until": self.until, "deadline": self.deadline}
            case Claimed():
                claim = {
                    "seat": event.seat,
                    "order": event.order,
                    "counter": event.counter,
                    "lag": event.order * 7,
                }
                self.claims.append(claim)
                self.deadline = self.at + 4000
                return {"lag": claim["lag"], "deadline": self.deadline}
            case RoundOver():
                return self._over(event)
            case _:
                return {}

    def _over(self, event: RoundOver) -> dict[str, Any]:
        assert self.round is not None
        shown = {"seed": self.round.seed, "secret": self.secret, "nonces": self.nonces}
        self.match.finish(self.round)
        self.totals = list(event.totals)
        self.phase = "between"
        self.ready_on = self.seq
        extra: dict[str, Any] = {"claims": self.claims, **shown, "deadline": None}
        if not self.match.over:
            self.commit = extra["commit"] = self._new_secret()
            extra["deadline"] = self.at + 15_000
        self.deadline = extra["deadline"]
        self.last = {**event_data(event, None), **extra}
        del self.last["ev"]
        return extra

    def _finished(self) -> dict[int | None, Event]:
        self.phase = "over"
        self.ranking = self.match.ranking()
        return self.told("match_over", ranking=self.ranking, series=[])

    def view(self, viewer: int | None) -> View:
        """The whole for a viewer, as a server sends it."""
        data: dict[str, Any] = {
            "t": "view",
            "table": TABLE,
            "seq": self.seq,
            "at": self.at,
            "you": viewer,
            "name": "Table",
            "host": {"seat": 0, "name": "P0"},
            "rules": self.rules.to_data(),
            "settings": {"grace": 1000},
            "paused": False,
            "spectators": ["Looker"],
            "phase": self.phase,
            "match": self.number,
            "last_round": self.last,
            "ranking": self.ranking,
            "series": [] if self.ranking else None,
            "commit": self.commit,
            "deadline": self.deadline,
            "ready_on": self.ready_on,
        }
        sizes: list[int | None] = [None] * self.seats
        if self.round is not None and self.phase == "round":
            data |= view_data(view(self.round, viewer))
            data |= {"act_on": self.act_on, "claim_on": self.claim_on, "until": self.until}
            if data["claims"]:
                data["claims"] = self.claims
            sizes = list(self.round.sizes())
        elif self.round is not None:
            data |= {"round": self.round.number, "starter": self.round.starter}
        data["seats"] = [
            {
                "seat": seat,
                "name": f"P{seat}",
                "kind": "human",
                "level": None,
                "reaction": None,
                "status": "online",
                "count": sizes[seat],
                "total": self.totals[seat],
                "ready": False,
            }
            for seat in range(self.seats)
        ]
        message = parse_server(data)
        assert isinstance(message, View)
        return message

    @property
    def playing(self) -> bool:
        return self.round is not None and self.round.phase is not Phase.OVER
