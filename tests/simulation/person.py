"""Somebody at the tables: plays, chats, comes and goes, over a network that fails, and believes nothing.

What they hear is checked as it comes: frames against the schema, answers against what was asked, seqs for
gaps, views against what the events before them made.
"""

from __future__ import annotations

import random
from typing import Any

import trio

from client.advance import advance, settled
from client.knowledge import can_dobon, names_suit
from protocol.frame import SERVER_DEPTH, SERVER_LIMIT, FrameReader, decode_payload, encode_frame
from protocol.messages import Error, Ok, Ping, Unknown, View, Welcome, parse_server
from server.memory import WINDOW, Client, Network

from .chronicle import Data, demand
from .folly import folly
from .plan import Plan

SECOND = 1_000_000_000
UNTOLD = ("at", "claim", "playable", "may", "act_on")
"""Of a view: what an answer to the viewer's own request may have changed without an event."""


class Person:
    """One session after the other under one name."""

    def __init__(self, name: str, plan: Plan, network: Network) -> None:
        self.name = name
        self.view: View | None = None
        self.table: int | None = None
        self.invited: int | None = None
        """Where everybody goes."""
        self.heard: list[tuple[int, int | None, Data]] = []
        """Every event with its table and the seat it was heard in."""
        self.views: dict[tuple[int, int], list[View]] = {}
        self.chats: dict[str, bool] = {}
        """What was said, and whether it was answered with ok."""
        self.problems = True
        """The network still fails, and moods still change."""
        self.still = False
        """Nothing more is to be asked for."""
        self.gone = False
        """It is time to go home."""
        self.welcomed = trio.Event()
        self.seated = trio.Event()
        self.counts = dict.fromkeys(("cut", "resumed", "acted", "refused", "claimed"), 0)
        self._plan = plan
        self._network = network
        self._chance = random.Random(f"{name} {plan.seed}")
        self._client: Client
        self._reader = FrameReader(SERVER_LIMIT)
        self._token: str | None = None
        self._id = 0
        self._asked: dict[int, Data] = {}
        """Requests without an answer."""
        self._answers: dict[int, Data] = {}
        self._sent: dict[int, int] = {}
        """How often each was sent on this connection, and once if it was on an earlier one."""
        self._open = False
        self._behind = True
        """A view may come that leaves events out."""
        self._done: set[object] = set()
        self._born = 0

    # The connection

    async def live(self) -> None:
        """Come back until it is time to go home."""
        while not self.gone:
            self._client = self._network.connect()
            self._reader = FrameReader(SERVER_LIMIT)
            self._open, self._behind = False, True
            self._sent = dict.fromkeys(self._asked, 1)
            hello: Data = {"t": "hello", "versions": [1], "name": self.name, "agent": "simulated"}
            if self._token is not None:
                hello["token"] = self._token
            self._put(encode_frame(hello))
            await self._converse()
            if self.problems:
                await trio.sleep(self._chance.choice([0, 0.01, 1, 8, 30]))
            else:
                await trio.sleep(0.2)

    async def _converse(self) -> None:
        think = self._think()
        while not self.gone:
            with trio.move_on_at(think):
                data = await self._client.receive()
                if not data:
                    return
                self._reader.feed(data)
                for payload in self._reader.frames():
                    self._hear(decode_payload(payload, SERVER_DEPTH))
                continue
            think = self._think()
            if not self._open or self.still or self._mishap():
                continue
            await self._act()
        self._client.close()

    def _think(self) -> float:
        slow = self._chance.random() < 0.1 and self.problems
        return trio.current_time() + self._chance.choice([0.001, 0.02, 0.2, 0.7] + [3, 9] * slow)

    def _mishap(self) -> bool:
        """Something may befall the connection."""
        if not self.problems or self._chance.random() > self._plan.cut:
            return False
        self.counts["cut"] += 1
        match self._chance.randrange(4):
            case 0:
                self._client.reset()
            case 1:
                self._client.close()
            case 2:
                self._client.window = 0 if self._client.window else WINDOW
                self._network.stir()
            case _:
                self._client.send(self._chance.randbytes(self._chance.randrange(1, 30)))
        return True

    def _put(self, data: bytes) -> None:
        """Send bytes as a bad network does: in pieces, late, or not to their end."""
        plan, chance = self._plan, self._chance
        if not self.problems:
            self._client.window = WINDOW
            self._network.stir()
            self._client.send(data)
            return
        at = self._network.now()
        if chance.random() < plan.split:
            while len(data) > 1:
                size = chance.choice([1, chance.randrange(1, len(data)), len(data) - 1])
                self._client.send(data[:size], at, at + chance.choice([0, 50_000]), chance.random() < 0.1)
                data = data[size:]
                at += chance.choice([0, 1, 1000, SECOND // 50, SECOND // 2 * (chance.random() < 0.1)])
        if chance.random() < plan.cut:
            self.counts["cut"] += 1
            self._client.send(data[: chance.randrange(len(data))], at)
            self._client.reset(at)
        else:
            self._client.send(data, at)

    def _request(self, t: str, **fields: Any) -> int:
        self._id += 1
        request = {"t": t, "id": self._id, **fields}
        if "table" in request and request["table"] is None:
            request["table"] = self.table or self.invited or 1
        self._asked[self._id] = request
        self._send(request)
        return self._id

    def _send(self, request: Data) -> None:
        times = 2 if self.problems and self._chance.random() < self._plan.twice else 1
        self._sent[request["id"]] = self._sent.get(request["id"], 0) + times
        self._put(encode_frame(request) * times)

    # What is heard

    def _hear(self, data: Data) -> None:
        asked = self._asked.get(data["re"]) if data["t"] == "ok" else None
        message = parse_server(data, None if asked is None else asked["t"])
        match message:
            case Welcome():
                self._welcome(message)
            case Ok() | Error() if message.re is not None:
                self._answer(message.re, data)
            case Error():
                self._told(message)
            case Ping():
                self._put(encode_frame({"t": "pong", "n": message.n}))
            case View():
                self._see(message)
            case None | Unknown():
                demand(False, "unheard of:", data)
            case _:
                self._happen(message, data)

    def _welcome(self, welcome: Welcome) -> None:
        self.welcomed.set()
        demand(welcome.resumed == (self._token is not None), "no resume", welcome)
        if not welcome.resumed:
            self._asked, self._answers, self._id, self._done = {}, {}, 0, set()
            self.view = self.table = None
        self.counts["resumed"] += welcome.resumed
        demand(welcome.last_id <= self._id, "a request arrived that was never sent:", welcome)
        self._token, self._open = welcome.token, True
        for request in list(self._asked.values()):
            self._send(request)

    def _answer(self, number: int, data: Data) -> None:
        left = self._sent.get(number, 0)
        demand(left > 0, "answered more often than asked:", data)
        self._sent[number] = left - 1
        code = data.get("code")
        request = self._asked.pop(number, None)
        if code == "duplicate" or (code == "server_full" and request and request["t"] != "create"):
            again = self._plan.twice or self.counts["resumed"]
            demand(again or code != "duplicate", "a duplicate of what was sent once:", data)
            return
        earlier = self._answers.setdefault(number, data)
        demand(earlier == data, "answered in two ways:", earlier, data)
        demand(code != "internal", "a fault:", request, data)
        if request is None:
            return
        self.counts["refused" if code else "acted"] += 1
        if code is None:
            self._agreed(request, data)

    def _agreed(self, request: Data, data: Data) -> None:
        match request["t"]:
            case "create":
                self.invited = data["table"]
                self.seated.set()
            case "join" | "watch":
                self.table = request["table"]
            case "chat":
                if request["text"] in self.chats:
                    self.chats[request["text"]] = True
            case "dobon":
                self.counts["claimed"] += 1
            case "leave":
                self.view = self.table = None

    def _told(self, error: Error) -> None:
        match error.code:
            case "token_unknown":
                self._token = None
            case "kicked":
                if error.table == self.table:
                    self.view = self.table = None
            case "bad_frame" | "frame_too_large" | "bad_request" | "slow" | "rate":
                demand(self.problems, "an error out of nothing:", error)
            case "name_taken":
                self._born += 1
                self.name = f"{self.name[0]}{self._born}"
            case code:
                demand(code in ("shutdown", "replaced", "server_full"), "told:", error)

    def _see(self, view: View) -> None:
        known, fresh = self.view, settled(view)
        self.table = view.table
        if self.invited is None:
            # The table was made, and the answer was lost.
            self.invited = view.table
            self.seated.set()
        self.views.setdefault((view.table, view.seq), []).append(view)
        if known is not None and known.table == view.table and not self._behind and known.you == view.you:
            may_miss = view.you is None and self.problems
            demand(view.seq == known.seq or may_miss, "events are missing before", view)
            if view.seq == known.seq:
                _same(known, fresh)
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
        self.heard.append((event.table, view.you, data))
        if data["ev"] == "closed":
            self.view = self.table = self.invited = None
        else:
            self.view = advance(view, event)

    # What is done

    async def _act(self) -> None:
        chance, view = self._chance, self.view
        if self.problems and self._plan.glutton and self.name == "B" and chance.random() < 0.05:
            await self._gorge()
            return
        if self.problems and chance.random() < self._plan.folly:
            t, fields = folly(chance, self.view, self.table)
            self._request(t, **fields)
            return
        if self.problems and chance.random() < self._plan.whim:
            await self._have_a_whim()
            return
        if view is None:
            if self.invited is not None and not self._asked and chance.random() < 0.3:
                self._request("join" if chance.random() < 0.9 else "watch", table=self.invited)
            return
        if view.you is None:
            if view.phase in ("open", "over") and not self._asked and not _full(view):
                self._request("join", table=self.table)
            self._lead(view)
            return
        self._play(view, view.you)
        self._lead(view)

    def _lead(self, view: View) -> None:
        """The host starts what can be started, once in a while."""
        host = view.host is not None and view.host.name == self.name
        if not host or self._asked or self.gone:
            return
        if view.paused:
            self._request("pause", table=self.table, on=False)
        elif view.phase == "open" and self._chance.random() < (0.2 if _full(view) else 0.01):
            self._request("start", table=self.table, fill="easy")
        elif view.phase == "over" and self.problems and self._chance.random() < 0.03:
            self._request("start", table=self.table, fill="normal")

    def _once(self, key: object, t: str, **fields: Any) -> bool:
        """Ask for it unless it was asked for before."""
        if key in self._done:
            return False
        self._done.add(key)
        self._request(t, table=self.table, **fields)
        return True

    def _play(self, view: View, you: int) -> None:
        chance, on = self._chance, view.act_on
        if view.ready_on is not None and not view.seats[you].ready:
            nonce = chance.choice([None, b"", chance.randbytes(16), bytes(32)])
            self._once(("ready", view.ready_on), "ready", on=view.ready_on, nonce=nonce)
        if view.claim_on is not None:
            claim = ("claim", view.claim_on, len(view.claims or ()) if view.claim == "open" else 0)
            if can_dobon(view) and chance.random() < 0.9 and self._once(claim, "dobon", on=view.claim_on):
                return
            if (
                view.phase == "claim"
                and chance.random() < 0.5
                and self._once(claim, "waive", on=view.claim_on)
            ):
                return
        if view.phase == "rps" and you in (view.candidates or ()):
            throw = chance.choice(["rock", "paper", "scissors"])
            self._once(("rps", on), "rps", on=on, throw=throw)
        elif view.may and on is not None:
            key = ("act", on, len(view.hand or ()), chance.randrange(4))
            if "play" in view.may and view.playable and (chance.random() < 0.8 or view.may == ["play"]):
                card = chance.choice(view.playable)
                suit = chance.choice("SHDC") if names_suit(view, card) else None
                self._once(key, "play", on=on, card=card, suit=suit, call=chance.random() < 0.8)
            else:
                self._once(key, chance.choice([do for do in view.may if do != "play"] or ["draw"]), on=on)

    async def _gorge(self) -> None:
        """Ask for views as fast as is allowed, and read none of them for a while."""
        self._client.window = 0
        for _ in range(600):
            self._request("sync", table=self.table)
            await trio.sleep(0.05)
        self._client.window = WINDOW
        self._network.stir()

    async def _have_a_whim(self) -> None:
        chance = self._chance
        match chance.randrange(9):
            case 0 | 1:
                text = f"{self.name} says {self._born} {self._id}"
                self.chats.setdefault(text, False)
                self._request("chat", table=self.table, text=text)
            case 2:
                self._request("sync", table=self.table)
            case 3:
                self._request("leave", table=self.table)
            case 4:
                self._request("watch", table=self.table)
            case 5:
                self._request("join", table=self.table, seat=chance.choice([None, 0, 1, 7]))
            case 6:
                self._request("pause", table=self.table, on=chance.random() < 0.5)
            case 7:
                self._request("tables")
            case _:
                await trio.sleep(chance.choice([1, 11, 40]))


def _full(view: View) -> bool:
    return all(seat.kind != "empty" for seat in view.seats)


def _same(known: View, fresh: View) -> None:
    """The events made of the last view what this one is."""
    for name in known.__struct_fields__:
        ours, theirs = getattr(known, name), getattr(fresh, name)
        if name == "spectators":
            ours, theirs = sorted(ours), sorted(theirs)
        # With `claims: all` the discarder's time begins without an event.
        untold = name == "deadline" and fresh.phase == "claim" and fresh.rules["claims"] == "all"
        if name not in UNTOLD and not untold:
            demand(ours == theirs, "the events lead to another view:", name, ours, theirs, known, fresh)
