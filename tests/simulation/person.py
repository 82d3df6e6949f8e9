"""Somebody at the tables: plays, chats, comes and goes, over a network that fails, and believes nothing.

What they hear is checked as it comes: frames against the schema, answers against what was asked, seqs for
gaps, views against what the events before them made. What they do is in `habits`.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

import trio

from client.advance import advance, settled
from protocol.frame import PAD_BLOCK, SERVER_DEPTH, SERVER_LIMIT, FrameReader, decode_payload, encode_frame
from protocol.messages import Error, Ok, Ping, Unknown, View, Welcome, parse_server
from server.connection import BURST, RATE
from server.memory import Network

from .chronicle import Data, demand
from .habits import act
from .line import Line
from .plan import Plan, Weather
from .views import same_view

KINDS = (
    *("cut", "resumed", "acted", "refused", "claimed"),
    *("encrypted", "locked out", "full", "put out", "closed", "shut down"),
)
CLOSING = {"server_full": "full", "shutdown": "shut down"}


@dataclass
class Memory:
    """What somebody keeps of what they asked and heard, to be judged at the end."""

    heard: list[tuple[int, int | None, Data]] = field(default_factory=list)
    """Every event with its table and the seat it was heard in."""
    views: dict[tuple[int, int], list[View]] = field(default_factory=dict)
    chats: dict[str, bool] = field(default_factory=dict)
    """What was said, and whether it was answered with ok."""
    agreed: list[tuple[int, Data]] = field(default_factory=list)
    """What was asked from a seat and answered with ok."""
    creates: int = 0
    """How many tables were asked for."""
    wrong: int = 0
    """How many wrong passwords were looked at."""


class Person:
    """One session after the other under one name."""

    def __init__(self, name: str, weather: Weather, network: Network, pace: int = 1) -> None:
        """``pace``: by how much they are slower than others."""
        self.name = name
        self.weather = weather
        self.plan: Plan = weather.plan
        self.network = network
        self.chance = random.Random(f"{name} {self.plan.seed}")
        self.view: View | None = None
        self.table: int | None = None
        self.memory = Memory()
        self.still = False
        """Nothing more is to be asked for."""
        self.gone = False
        """It is time to go home."""
        self.open = False
        """There is a session, and the connection is its."""
        self.line: Line
        self.counts = dict.fromkeys(KINDS, 0)
        self.address = f"10.0.0.{1 + ord(name[0]) - ord('A')}"
        self.burgles = False
        self.born = 0
        self.said = 0
        """How often they have chatted, in whatever session."""
        self.last_id = 0
        self.asked: dict[int, Data] = {}
        """Requests without an answer."""
        self._seats: dict[int, int] = {}
        """From which seat each of them was asked for."""
        self._pace = pace
        self._reader = FrameReader(SERVER_LIMIT)
        self._token: str | None = None
        self._answers: dict[int, Data] = {}
        self._sent: dict[int, int] = {}
        """How often each was sent on this connection, and once if it was on an earlier one."""
        self._behind = True
        """A view may come that leaves events out."""
        self._stood = False
        """The tables stood still: a view will have other times."""
        self._knows: set[int] = set()
        """The tables that this session has been let in to."""
        self._done: set[object] = set()
        self._dialled = 0
        self._since = 0.0
        self._done_for = 0
        """How many requests were looked at on this connection, and since when it is there."""
        self._before = 0
        """The last id of earlier connections."""

    # The connection

    async def live(self) -> None:
        """Come back until it is time to go home."""
        while not self.gone:
            self._dial()
            await self._converse()
            self.open = False
            self.counts["cut"] += self.line.cuts
            if self.weather.bad:
                await trio.sleep(self.chance.choice([0, 0.01, 1, 8, 30]))
            else:
                await trio.sleep(3)

    def _dial(self) -> None:
        self._dialled += 1
        self._since, self._done_for, self._before = trio.current_time(), 0, self.last_id
        encrypted = self.plan.tls and self.chance.random() < 0.5
        self.counts["encrypted"] += encrypted
        address = f"{self.address}:{self._dialled}"
        self.line = Line(self.network, self.weather, self.chance, address, encrypted)
        self._reader = FrameReader(SERVER_LIMIT)
        self._behind = True
        self._sent = dict.fromkeys(self.asked, 1)
        if self.weather.bad and self.plan.narrow and self.chance.random() < 0.2:
            # Another device, that has no token.
            self._rename()
            self._token = None
        hello: Data = {"t": "hello", "versions": [1], "name": self.name, "agent": "simulated"}
        if self._token is not None:
            hello["token"] = self._token
        if self.plan.password is not None:
            hello["password"] = self.password()
        self.line.put(encode_frame(hello))

    def _rename(self) -> None:
        self.born += 1
        self.name = f"{self.name[0]}{self.born}"

    def password(self) -> str:
        """The password, or what somebody takes for it."""
        wrong = self.weather.bad and self.chance.random() < 0.05
        return "sesame" if wrong or self.plan.password is None else self.plan.password

    async def _converse(self) -> None:
        think = self._think()
        while not self.gone:
            with trio.move_on_at(think):
                data = await self.line.receive()
                if not data:
                    return
                self._reader.feed(data)
                for payload in self._reader.frames():
                    whole = (4 + len(payload)) % PAD_BLOCK == 0
                    demand(whole or not self.line.encrypted, "a length tells something:", payload)
                    message = decode_payload(payload, SERVER_DEPTH)
                    message.pop("pad", None)
                    self._hear(message)
                continue
            think = self._think()
            if not self.open or self.still:
                continue
            if self.weather.bad and self.chance.random() < self.plan.cut:
                self.line.mishap()
                continue
            before = trio.current_time()
            await act(self)
            if trio.current_time() > before:
                self.line.stalled = True
        self.line.client.close()

    def _think(self) -> float:
        if self.burgles:
            return trio.current_time() + 0.03
        slow = self.chance.random() < 0.1 and self.weather.bad
        return trio.current_time() + self._pace * self.chance.choice([0.001, 0.02, 0.2, 0.7] + [3, 9] * slow)

    def forget(self) -> None:
        """Keep nothing of what was judged, and of the rest only what is still waited for."""
        chats = {
            text: False
            for text in self.memory.chats
            if any(text == r.get("text") for r in self.asked.values())
        }
        self.memory = Memory(chats=chats)
        self._answers = {
            number: answer for number, answer in self._answers.items() if number > self.last_id - 50
        }
        self._seats = {number: seat for number, seat in self._seats.items() if number in self.asked}
        self._sent = {number: left for number, left in self._sent.items() if number > self.last_id - 50}
        self._done.clear()

    # What is asked

    def request(self, t: str, **fields: Any) -> int:
        """Ask for something, at the own table where none is named."""
        self.last_id += 1
        request = {"t": t, "id": self.last_id, **fields}
        if "table" in request and request["table"] is None:
            request["table"] = self.table or self.weather.table or 1
        self.asked[self.last_id] = request
        if self.view is not None and self.view.you is not None:
            self._seats[self.last_id] = self.view.you
        self._send(request)
        return self.last_id

    def once(self, key: object, t: str, **fields: Any) -> bool:
        """Ask for it at the own table unless it was asked for before."""
        if key in self._done:
            return False
        self._done.add(key)
        self.request(t, table=self.table, **fields)
        return True

    def _send(self, request: Data) -> None:
        times = 2 if self.weather.bad and self.chance.random() < self.plan.twice else 1
        self._sent[request["id"]] = self._sent.get(request["id"], 0) + times
        self.line.put(encode_frame(request) * times)

    # What is heard

    def _hear(self, data: Data) -> None:
        asked = self.asked.get(data["re"]) if data["t"] == "ok" else None
        message = parse_server(data, None if asked is None else asked["t"])
        match message:
            case Welcome():
                self._welcome(message)
            case Ok() | Error() if message.re is not None:
                self._answer(message.re, data)
            case Error():
                self._told(message)
            case Ping():
                self.line.put(encode_frame({"t": "pong", "n": message.n}))
            case View():
                self._see(message)
            case None | Unknown():
                demand(False, "unheard of:", data)
            case _:
                self._happen(message, data)

    def _welcome(self, welcome: Welcome) -> None:
        demand(welcome.resumed == (self._token is not None), "no resume", welcome)
        demand((welcome.clock == "kernel") == self.plan.stamps, "another clock", welcome)
        if not welcome.resumed:
            self.asked, self._answers, self.last_id, self._done = {}, {}, 0, set()
            self._knows = set()
            self.table = None
        # There will be a view for every table where one still is.
        self.view = None
        self.counts["resumed"] += welcome.resumed
        demand(welcome.last_id <= self.last_id, "a request arrived that was never sent:", welcome)
        self._token, self.open = welcome.token, True
        # Who came while the tables stood still was not told so.
        self._stood = self.plan.full_disk
        for request in list(self.asked.values()):
            self._send(request)

    def _answer(self, number: int, data: Data) -> None:
        left = self._sent.get(number, 0)
        demand(left > 0, "answered more often than asked:", data)
        self._sent[number] = left - 1
        code = data.get("code")
        request = self.asked.pop(number, None)
        stands_still = code == "server_full" and request is not None and request["t"] != "create"
        if code == "duplicate" or stands_still:
            again = self.plan.twice or self.counts["resumed"]
            demand(again or code != "duplicate", "a duplicate of what was sent once:", data)
            return
        if code != "rate" and number not in self._answers:
            self._done_for += 1
            most = BURST + RATE * (trio.current_time() - self._since) + 1
            demand(self._done_for <= most, "too much is done for one connection:", self._done_for)
        earlier = self._answers.setdefault(number, data)
        demand(earlier == data, "answered in two ways:", earlier, data)
        demand(code != "internal", "a fault:", request, data)
        if request is None:
            return
        self.counts["refused" if code else "acted"] += 1
        if code is None:
            self._agreed(request, data)
        elif code == "no_table" and request.get("table") == self.weather.table:
            self.weather.table = None
        elif code in ("password", "rate") and "password" in request:
            self.memory.wrong += code == "password"
            self.counts["locked out"] += 1

    def _agreed(self, request: Data, data: Data) -> None:
        seat = self._seats.get(request["id"])
        if seat is not None:
            self.memory.agreed.append((seat, request))
        match request["t"]:
            case "create":
                self.weather.table = data["table"]
                self._enter(data["table"])
            case "join" | "watch":
                right = request.get("password") == self.plan.password
                # Who is there, or left in a match and comes back, is asked for none.
                known = request["table"] in self._knows
                demand(known or right, "let in with another password:", request)
                self._enter(request["table"])
            case "tables":
                if request["id"] > self._before:
                    self._find(data["tables"])
            case "chat":
                if request["text"] in self.memory.chats:
                    self.memory.chats[request["text"]] = True
            case "dobon":
                self.counts["claimed"] += 1
            case "leave":
                self.view = self.table = None

    def _find(self, tables: list[Data]) -> None:
        """The own table is in the list, as one sees it."""
        view = self.view
        if view is None or (view.you is None and self.line.stalled):
            return
        listed = next((table for table in tables if table["table"] == view.table), None)
        phase = view.phase if view.phase in ("open", "over") else "playing"
        mine = (phase, len(view.spectators), [(seat.name or None, seat.kind) for seat in view.seats])
        demand(listed is not None, "the own table is not in the list:", view.table)
        assert listed is not None
        seats = [(seat["name"], seat["kind"]) for seat in listed["seats"]]
        demand((listed["phase"], listed["spectators"], seats) == mine, "listed:", listed, "is:", mine)

    def _enter(self, table: int) -> None:
        self.table = table
        self._knows.add(table)

    def _told(self, error: Error) -> None:
        if error.code in CLOSING:
            self.counts[CLOSING[error.code]] += 1
        self._stood = self._stood or error.code == "server_full"
        match error.code:
            case "token_unknown":
                self._token = None
            case "kicked":
                if error.table is None:
                    self._token = None
                    self.counts["put out"] += 1
                if error.table in (None, self.table):
                    self.view = self.table = None
            case "bad_frame" | "frame_too_large" | "bad_request":
                demand(self.weather.bad, "an error out of nothing:", error)
            case "slow":
                demand(self.line.stalled, "an error out of nothing:", error)
            case "password":
                demand(self.plan.password is not None, "a password for nothing:", error)
                self.memory.wrong += 1
            case "name_taken":
                self._rename()
            case "rate":
                demand(self.weather.bad or not self.open, "too much of nothing:", error)
            case code:
                demand(code in ("shutdown", "replaced", "server_full"), "told:", error)

    def _see(self, view: View) -> None:
        known, fresh = self.view, settled(view)
        self._enter(view.table)
        if self.weather.table is None:
            # The table was made, and the answer was lost.
            self.weather.table = view.table
        self.memory.views.setdefault((view.table, view.seq), []).append(view)
        if known is not None and known.table == view.table and not self._behind and known.you == view.you:
            may_miss = view.you is None and self.line.stalled
            demand(view.seq == known.seq or may_miss, "events are missing before", view)
            if view.seq == known.seq:
                moved = ("deadline", "until") if self._stood else ()
                same_view(known, fresh, moved)
                self._stood = self._stood and known.deadline == fresh.deadline
        self.view = fresh
        self._behind = False
        if view.claim != "open":
            self._done.add(("claim", view.claim_on))

    def _happen(self, event: Any, data: Data) -> None:
        view = self.view
        if view is None or view.table != event.table:
            # Said before a leave, a kick or a new session was heard of.
            return
        demand(event.seq == view.seq + 1, "a gap after", view.seq, data)
        self.memory.heard.append((event.table, view.you, data))
        if data["ev"] == "closed":
            self.counts["closed"] += 1
            if self.weather.table == view.table:
                self.weather.table = None
            self.view = self.table = None
        else:
            self.view = advance(view, event)
