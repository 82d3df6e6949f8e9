"""A bot that plays a match of Dobon over the wire, written from docs/protocol.md and docs/rules.md alone.

    pip install msgpack
    python wire_bot.py 192.168.1.20            # joins a table that waits for players, or opens one with bots
    python wire_bot.py 192.168.1.20:5213 --table 3
    python wire_bot.py localhost --new --bots easy,normal --rules '{"preset": "pageone"}'

It plays the highest card that fits, claims whatever its hand counts, and prints the ranking.
"""

import argparse
import json
import os
import socket
import struct
import sys
import time
from typing import Any

import msgpack  # type: ignore[import-untyped]

Message = dict[str, Any]

GREATEST_FRAME = 1_048_576
VALUES = {rank: number for number, rank in enumerate("A23456789TJQK", 1)}
NOTHING: Message = {}
RATE_PAUSE = 0.1
LOOK_PAUSE = 0.25
FULL = "server_full"  # without `re`: the game waits until the server can write again


class Refused(Exception):
    """The server answered a request, or the hello, with an error; its message says why."""


class Wire:
    """One connection: frames of msgpack, and the ids of requests."""

    def __init__(self, host: str, port: int) -> None:
        self.socket = socket.create_connection((host, port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.arrived = b""
        self.last_id = 0

    def send(self, message: Message) -> None:
        payload = msgpack.packb(message)
        self.socket.sendall(struct.pack(">I", len(payload)) + payload)

    def request(self, kind: str, **fields: Any) -> int:
        self.last_id += 1
        self.send({"t": kind, "id": self.last_id, **fields})
        return self.last_id

    def receive(self, until: float | None = None) -> Message:
        """The next message; an empty one if none is there at the moment `until`."""
        while (frame := self._frame()) is None:
            left = None if until is None else until - time.monotonic()
            if left is not None and left <= 0:
                return NOTHING
            self.socket.settimeout(left)
            try:
                data = self.socket.recv(65536)
            except TimeoutError:
                return NOTHING
            if not data:
                raise Refused("the server closed the connection")
            self.arrived += data
        message: Message = msgpack.unpackb(frame)
        return message

    def _frame(self) -> bytes | None:
        if len(self.arrived) < 4:
            return None
        (length,) = struct.unpack(">I", self.arrived[:4])
        if not 0 < length <= GREATEST_FRAME:
            raise Refused(f"the server sent a frame of {length} bytes")
        if len(self.arrived) < 4 + length:
            return None
        frame, self.arrived = self.arrived[4 : 4 + length], self.arrived[4 + length :]
        return frame


def counts(hand: list[str], math: str) -> set[int]:
    """What a hand counts for a Dobon (rules, section 6)."""
    values = [VALUES.get(card[0], 0) for card in hand]
    found = {sum(values)}
    if math == "pair" and len(values) == 2:
        low, high = sorted(values)
        found |= {high - low, low * high}
        if low and high % low == 0:
            found.add(high // low)
    return found


class Bot:
    """One seat at one table.

    `view` is the table as the last `view` message showed it, kept up to date by the events since: only those
    of its fields that the bot needs. None while a new one has been asked for.
    """

    def __init__(self, wire: Wire) -> None:
        self.wire = wire
        self.table = 0
        self.view: Message | None = None
        self.asked = False  # an action of ours is due and has not been sent
        self.claiming = 0  # the id of the claim that has no answer yet
        self.sent: dict[int, tuple[str, Message]] = {}  # requests without an answer, by id
        self.again: list[tuple[str, Message]] = []  # those that came too fast, or while the game waited
        self.waits = False  # whether we were told that the game waits, and nothing was done since
        self.pong: Message | None = None
        self.wake: float | None = None  # until when nothing is sent
        self.looking = False  # whether we look for the moment when our counter is asked for
        self.started = self.over = False

    def play(self) -> list[str]:
        """Play to the end of the match; returns its ranking, best first."""
        while not self.over:
            self.handle(self.wire.receive(self.wake))
            if self.wake is not None and time.monotonic() >= self.wake:
                self.wake = None
            while self.act():
                pass
        assert self.view is not None
        names = [seat["name"] for seat in self.view["seats"]]
        return [f"{place['rank']} {names[place['seat']]} {place['total']}" for place in self.view["ranking"]]

    def call(self, kind: str, **fields: Any) -> Message:
        """Ask, and wait for the answer; whatever else arrives is handled."""
        while True:
            asked = self.wire.request(kind, **fields)
            while (message := self.wire.receive()).get("re") != asked:
                self.handle(message)
            if message["t"] == "ok":
                self.waits = False
                return message
            if message["code"] != "rate" and not (message["code"] == FULL and self.waits):
                raise Refused(f"{kind}: {message['message']}")
            until = time.monotonic() + RATE_PAUSE
            while time.monotonic() < until:
                self.handle(self.wire.receive(until))

    def ask(self, kind: str, **fields: Any) -> None:
        """Ask, and go on; `answered` hears of the answer."""
        fields["table"] = self.table
        asked = self.wire.request(kind, **fields)
        self.sent[asked] = (kind, fields)
        if kind == "dobon":
            self.claiming = asked

    def sit(self, options: argparse.Namespace) -> None:
        """Take a seat at the table named, at one that waits for players, or at a new one."""
        found = [options.table] if options.table else []
        if not found and not options.new:
            for table in self.call("tables")["tables"]:
                free = any(seat["kind"] == "empty" for seat in table["seats"])
                if free and table["phase"] == "open" and not table["password"]:
                    found.append(table["table"])
        for self.table in found:
            try:
                self.call("join", table=self.table)
                return
            except Refused as refused:
                if options.table:
                    raise
                print(refused, file=sys.stderr)
        bots = [level for level in options.bots.split(",") if level]
        seats = options.seats or 1 + len(bots)
        made = self.call("create", seats=seats, bots=bots, rules=options.rules, settings=options.settings)
        self.table = made["table"]

    def handle(self, message: Message) -> None:
        """Take in one message of the server."""
        kind = message.get("t")
        if kind == "ping":
            self.pong = {"t": "pong", "n": message["n"]}
        elif kind == "ok":
            self.answered(message["re"], "")
        elif kind == "error":
            if "re" in message:
                self.answered(message["re"], message["code"])
            elif message["code"] == FULL:
                self.waits = True
            else:  # shutdown, slow, kicked: the end of this match for us
                raise Refused(message["message"])
        elif kind == "view" and message["table"] == self.table:
            self.view = message
            self.asked = message["may"] is not None or (
                message["phase"] == "rps" and message["you"] in message["candidates"]
            )
            self.over = self.started and message["phase"] == "over"
            if self.looking and message["phase"] == "claim" and message["claim"] is None:
                self.look_again()
            else:
                self.looking = False
        elif kind == "event" and message["table"] == self.table and self.view is not None:
            if message["seq"] != self.view["seq"] + 1:
                self.view = None
                self.ask("sync")
                return
            self.view["seq"] = message["seq"]
            if follow := getattr(self, f"on_{message['ev']}", None):
                follow(self.view, message)

    def answered(self, request: int, code: str) -> None:
        """A request of ours was answered; an empty code is an ok."""
        if request == self.claiming:
            self.claiming = 0
        sent = self.sent.pop(request, None)
        if code in ("rate", FULL) and sent:
            self.again.append(sent)
            self.wake = time.monotonic() + RATE_PAUSE

    # What each event changes.

    def on_seat(self, view: Message, event: Message) -> None:
        view["seats"][event["seat"]] |= {"name": event["name"], "kind": event["kind"]}

    def on_host(self, view: Message, event: Message) -> None:
        view["host"] = {"seat": event["seat"], "name": event["name"]}

    def on_match(self, view: Message, event: Message) -> None:
        view |= {"rules": event["rules"], "ready_on": event["seq"], "phase": "between"}
        self.started = True

    def on_round(self, view: Message, event: Message) -> None:
        view |= {"hand": event["hands"][view["you"]], "top": event["top"], "claims": [], "claim": None}
        view |= {"claim_on": None, "ready_on": None, "act_on": None}

    def on_opening(self, view: Message, event: Message) -> None:
        self.asks(view, event, event["seq"])

    on_direction_race = on_opening
    on_turn = on_opening

    def asks(self, view: Message, event: Message, on: int) -> None:
        """Somebody is asked for an action, perhaps we."""
        view |= {"phase": "turn", "playable": event["playable"], "may": event["may"], "act_on": on}
        self.asked = event["may"] is not None

    def on_rps(self, view: Message, event: Message) -> None:
        view |= {"phase": "rps", "act_on": event["seq"]}
        self.asked = view["you"] in event["seats"]

    def on_turned(self, view: Message, event: Message) -> None:
        view["top"] = event["top"]

    def on_played(self, view: Message, event: Message) -> None:
        own = event["seat"] == view["you"]
        if own:
            view["hand"].remove(event["card"])
        view |= {"top": event["card"], "discard_by": event["seat"], "claims": [], "claim_on": event["seq"]}
        view |= {"claim": None if own else "open", "phase": "claim" if event["deadline"] else "turn"}
        self.asked = False

    def on_drew(self, view: Message, event: Message) -> None:
        if event["why"] in ("choice", "attack"):
            view["claim_on"] = None
        if event["seat"] == view["you"]:
            view["hand"] += event["cards"]
            if event["may"] is not None:  # the turn goes on
                self.asks(view, event, view["act_on"])

    def on_passed(self, view: Message, event: Message) -> None:
        view["claim_on"] = None

    def on_claimed(self, view: Message, event: Message) -> None:
        rules, own = view["rules"], view["discard_by"] == view["you"]
        view["claims"].append(event)
        view["phase"] = "claim"
        self.asked = False
        if own and rules["counter"] == "ask" and event["seat"] != view["you"]:
            if rules["claims"] != "all":
                view["claim"] = "open"
            elif event["order"] == 1:
                self.look_again()
        elif not own and rules["claims"] == "first":
            view["claim"] = None

    def look_again(self) -> None:
        """With `claims: all` no event tells when our counter is asked for, but the view does."""
        self.looking, self.wake = True, time.monotonic() + LOOK_PAUSE

    def on_round_over(self, view: Message, event: Message) -> None:
        view |= {"phase": "between", "claim_on": None, "act_on": None}
        view["ready_on"] = None if event["deadline"] is None else event["seq"]  # none after the last
        self.asked = False

    def on_match_over(self, view: Message, event: Message) -> None:
        view |= {"phase": "over", "ranking": event["ranking"]}
        self.over = True

    def on_closed(self, view: Message, event: Message) -> None:
        raise Refused(f"the table was closed: {event['why']}")

    # What we do.

    def act(self) -> bool:
        """Send one thing that is due, if there is one; returns whether there was.

        Nothing is sent behind a claim before its answer (protocol, section 5, item 9).
        """
        view = self.view
        if self.claiming or self.over:
            return False
        if self.pong is not None:
            self.wire.send(self.pong)
            self.pong = None
        elif self.wake is not None:
            return False
        elif self.again:
            kind, fields = self.again.pop(0)
            self.ask(kind, **fields)
        elif view is None:
            return False
        elif self.looking:
            self.view = None
            self.ask("sync")
        elif claim := self.claim(view):
            view["claim"] = None
            self.ask(claim, on=view["claim_on"])
        elif self.asked and view["act_on"] is not None:
            self.asked = False
            self.move(view)
        elif view["ready_on"] is not None:
            self.ask("ready", on=view["ready_on"], nonce=os.urandom(16))
            view["ready_on"] = None
        elif not self.started and self.can_start(view):
            self.started = True
            self.ask("start")
        else:
            return False
        return True

    def can_start(self, view: Message) -> bool:
        """Whether the table is ours and full."""
        full = all(seat["kind"] != "empty" for seat in view["seats"])
        return full and view["host"] is not None and view["host"]["seat"] == view["you"]

    def claim(self, view: Message) -> str:
        """`dobon` on the top card if our hand counts it, `waive` if others wait for us, or nothing."""
        if view["claim_on"] is None or view["claim"] != "open":
            return ""
        rules, hand, rank = view["rules"], view["hand"], view["top"][0]
        least = rules["counter_min"] if view["discard_by"] == view["you"] else rules["dobon_min"]
        if len(hand) >= least and VALUES.get(rank) in counts(hand, rules["dobon_math"]):
            return "dobon"
        return "waive" if view["phase"] == "claim" else ""

    def move(self, view: Message) -> None:
        """Do what we are asked for."""
        on = view["act_on"]
        if view["phase"] == "rps":
            self.ask("rps", on=on, throw="paper")
        elif view["playable"]:
            card = max(view["playable"], key=lambda card: VALUES.get(card[0], 0))
            rest = [each for each in view["hand"] if each != card]
            suits = [each[1] for each in rest if each[0] in VALUES]
            suit = max("SHDC", key=suits.count)  # it is ignored with a card that names none
            self.ask("play", on=on, card=card, suit=suit, call=len(rest) == 1)
        else:
            self.ask("draw" if "draw" in view["may"] else "pass", on=on)


def connect(host: str, port: int, name: str) -> Wire:
    """Connect and say hello. A name stays with its session for a while: where it is taken, add a number."""
    for called in (name, *(f"{name} {number}" for number in range(2, 100))):
        wire = Wire(host, port)
        wire.send({"t": "hello", "versions": [1], "name": called, "agent": "wire_bot/1"})
        answer = wire.receive()
        if answer["t"] == "welcome":
            return wire
        wire.socket.close()
        if answer["code"] != "name_taken":
            break
    raise Refused(answer["message"])


def main() -> int:
    parser = argparse.ArgumentParser(description="Play a match of Dobon over the wire.")
    parser.add_argument("address", nargs="?", default="localhost", help="HOST or HOST:PORT")
    parser.add_argument("--name", default="Bot")
    parser.add_argument("--table", type=int, help="the table to join")
    parser.add_argument("--new", action="store_true", help="open a table, whoever waits for players")
    parser.add_argument("--bots", default="easy,easy,easy", help="who else sits at a new table")
    parser.add_argument("--seats", type=int, help="of a new table; those left empty wait for players")
    parser.add_argument("--rules", type=json.loads, default={}, help="of a new table, in JSON")
    parser.add_argument("--settings", type=json.loads, default={}, help="of a new table, in JSON")
    options = parser.parse_args()
    host, _, port = options.address.partition(":")
    try:
        bot = Bot(connect(host, int(port or 5213), options.name))
        bot.sit(options)
        print(f"at table {bot.table}", file=sys.stderr, flush=True)
        print(*bot.play(), sep="\n")
        bot.call("leave", table=bot.table)
    except (OSError, Refused) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
