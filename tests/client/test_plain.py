"""The plain client from typed lines to printed ones, against a fake server."""

import gettext
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from client.command import Exit
from client.glyphs import ASCII
from client.goal import Goal
from client.phrases import Speaker
from client.plain import Plain, plain_glyphs
from client.session import AGENT, open_session
from client.settings import Settings
from engine.rules import Rules
from protocol.connection import ClientConnection
from protocol.joincode import Address
from protocol.messages import Create
from tests.client.fake_server import VIEW, FakeServer, Peer, Script, event

SPEAK = Speaker(gettext.NullTranslations().gettext, ASCII)
GOAL = Goal((Address("127.0.0.1", 1),), "here", "Haru")


@dataclass
class Paper:
    """What was printed, and a way to wait for it."""

    lines: list[str] = field(default_factory=list)
    changed: trio.Event = field(default_factory=trio.Event)

    def print(self, lines: Iterable[str]) -> None:
        self.lines += lines
        self.changed.set()
        self.changed = trio.Event()

    async def shows(self, line: str) -> None:
        while line not in self.lines:
            await self.changed.wait()


class Desk:
    """A plain client at a fake server: `type` lines, look at `paper`; `code` once it has ended."""

    def __init__(self) -> None:
        self.paper = Paper()
        self.code: int | None = None
        self.ended = trio.Event()
        self.room = trio.Event()
        """Whether there is room for more lines."""
        self.room.set()
        self._keys, self._typed = trio.open_memory_channel[str](100)

    def type(self, *lines: str) -> None:
        for line in lines:
            self._keys.send_nowait(line)

    def end_of_input(self) -> None:
        self._keys.close()

    async def sit(self, server: FakeServer, goal: Goal) -> None:
        connection = ClientConnection("Haru", AGENT)
        async with open_session(server.dial, connection, jitter=lambda: 1.0) as session:
            settings, out = Settings(name="Haru"), self.paper.print
            plain = Plain(session, goal, settings, SPEAK, self._lines(), out, lambda: self.room.wait())
            self.code = await plain.run()
        self.ended.set()

    @asynccontextmanager
    async def _lines(self) -> AsyncIterator[AsyncIterator[str]]:
        yield self._typed.__aiter__()


@asynccontextmanager
async def desk(*scripts: Script, goal: Goal = GOAL) -> AsyncIterator[Desk]:
    """The desk; after the block the client has ended, or is ended."""
    async with trio.open_nursery() as nursery:
        with trio.fail_after(100):
            server = FakeServer(nursery, *scripts)
            made = Desk()
            nursery.start_soon(made.sit, server, goal)
            yield made
            await made.ended.wait()
        nursery.cancel_scope.cancel()


def ok(asked: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"t": "ok", "re": asked["id"], **fields}


async def lobby(peer: Peer) -> None:
    """Welcome and an empty lobby."""
    await peer.greet()
    asked = await peer.hear()
    assert asked["t"] == "tables"
    await peer.say(ok(asked, tables=[]))


async def seated(peer: Peer) -> None:
    """In the lobby, then at a table that was made."""
    await lobby(peer)
    await peer.say(ok(await peer.hear(), table=3, seat=0), VIEW)


async def test_a_start_waits_for_the_table_before_it(autojump_clock: MockClock) -> None:
    async def script(peer: Peer) -> None:
        await lobby(peer)
        create = await peer.hear()
        assert create["t"] == "create"
        assert create["rules"] == {"preset": "pageone", "hand": 6}
        assert create["settings"] == {"turn_time": 20_000}
        with trio.move_on_after(5) as nothing_more:
            await peer.hear()
        assert nothing_more.cancelled_caught
        await peer.say(ok(create, table=3, seat=0), VIEW)
        start = await peer.hear()
        assert start == {"t": "start", "id": 3, "table": 3, "fill": "easy"}
        await peer.say(ok(start))
        await trio.sleep_forever()

    async with desk(script) as here:
        here.type("create preset=pageone hand=6 turn_time=20s", "start easy", "q")
    assert "Table 3 is made." in here.paper.lines
    assert here.code == Exit.OK


async def test_a_table_of_ones_own_begins_at_once(autojump_clock: MockClock) -> None:
    async def script(peer: Peer) -> None:
        await peer.greet()
        create = await peer.hear()
        assert (create["t"], create["bots"]) == ("create", ["hard"])
        await peer.say(ok(create, table=3, seat=0), VIEW)
        start = await peer.hear()
        assert start["t"] == "start"
        await peer.say(ok(start))
        await trio.sleep_forever()

    goal = Goal(GOAL.addresses, "here", "Haru", create=Create(bots=["hard"]))
    async with desk(script, goal=goal) as here:
        await here.paper.shows("Table 3 is made.")
        here.end_of_input()


CLAIMED: dict[str, Any] = {
    **VIEW,
    "rules": Rules.preset("dobon").changed({"claims": "all", "counter": "ask"}).to_data(),
    "seats": [{"seat": seat, "name": f"P{seat}", "kind": "human", "count": 2} for seat in range(3)],
    "phase": "claim",
    "round": 1,
    "top": "7H",
    "discards": ["7H"],
    "suit": "H",
    "stock": 30,
    "direction": 1,
    "turn": 2,
    "discard": 1,
    "discard_by": 0,
    "claim_on": 4,
    "hand": ["3S", "4S"],
    "deadline": 5000,
    "claims": [{"seat": 1, "order": 1, "counter": False, "lag": 0}],
}


async def test_a_return_that_no_event_asks_for_is_asked_for_all_the_same(autojump_clock: MockClock) -> None:
    """With `claims: all` (rules, section 7): the player must neither miss it nor try too early."""

    async def script(peer: Peer) -> None:
        await lobby(peer)
        await peer.say(ok(await peer.hear(), table=3, seat=0), CLAIMED)
        for view in (CLAIMED, {**CLAIMED, "claim": "open", "deadline": 9000}):
            sync = await peer.hear()
            assert sync["t"] == "sync"
            await peer.say(ok(sync), view)
        dobon = await peer.hear()
        assert (dobon["t"], dobon["on"]) == ("dobon", 4)
        claimed.set()
        await trio.sleep_forever()

    claimed = trio.Event()
    async with desk(script) as here:
        here.type("create")
        await here.paper.shows("> You can make a Dobon return!")
        here.type("dobon")
        await claimed.wait()
        here.type("q")
    later = "> The others may still claim; then you are asked for a Dobon return."
    said = [line for line in here.paper.lines if line.startswith((">", "Table 3 “"))]
    hand = "> Your hand: 1) 3S  2) 4S  = 7 (Dobon on 7)"
    assert said == ["Table 3 “Kitchen”", hand, later, hand, "> You can make a Dobon return!"]


ASKED: dict[str, Any] = {
    **CLAIMED,
    "phase": "turn",
    "claims": None,
    "discard_by": 1,
    "claim": "open",
    "turn_seat": 0,
    "hand": ["3H", "4S", "9S"],
    "playable": ["3H"],
    "may": ["play", "draw"],
    "act_on": 5,
}


async def test_who_was_slower_is_told_by_how_much_although_the_round_is_over(
    autojump_clock: MockClock,
) -> None:
    async def script(peer: Peer) -> None:
        await lobby(peer)
        held = {"hand": ["3H", "4S"], "seq": 5}
        over = {**dict.fromkeys(("seed", "secret"), bytes(32)), "nonces": [None] * 3, "deadline": None}
        points = {"hands": [["3H", "4S"], [], ["9C"]], "points": [0] * 3, "totals": [0] * 3}
        ended = {"why": "dobon", "winners": [2], "losers": [1], "card": "7H", "claims": [], **points, **over}
        await peer.say(ok(await peer.hear(), table=3, seat=0), {**ASKED, **held})
        await told.wait()
        await peer.say(event(6, "round_over", **ended))
        dobon = await peer.hear()
        assert (dobon["t"], dobon["on"]) == ("dobon", 4)
        await peer.say({"t": "error", "re": dobon["id"], "code": "too_late", "message": "", "by": 1_234_500})
        await trio.sleep_forever()

    told = trio.Event()
    async with desk(script) as here:
        here.type("create")
        await here.paper.shows("> You can DOBON! Your turn: play 3H, or draw.")
        told.set()
        await here.paper.shows("The round is over: Dobon on 7H, won by P2, lost by P1.")
        here.type("dobon")
        await here.paper.shows("Too late by 1234.5 ms.")
        here.type("q")


@pytest.mark.parametrize(("line", "kind"), [("3H", "play"), ("dobon", "dobon"), ("waive", "waive")])
@pytest.mark.parametrize("last", ["quit", None])
async def test_what_was_asked_for_is_done_before_the_end(
    line: str, kind: str, last: str | None, autojump_clock: MockClock
) -> None:
    """A play is held for the grace, and nobody takes it back by leaving."""

    async def script(peer: Peer) -> None:
        await lobby(peer)
        await peer.say(ok(await peer.hear(), table=3, seat=0), ASKED)
        asked = await peer.hear()
        heard.append(asked.get("t", ""))
        await trio.sleep(1)
        ended.append(here.ended.is_set())
        await peer.say(ok(asked))
        await trio.sleep_forever()

    heard: list[str] = []
    ended: list[bool] = []
    async with desk(script) as here:
        here.type("create", line, *([last] if last else []))
        if last is None:
            here.end_of_input()
    assert (heard, ended, here.code) == ([kind], [False], Exit.OK)


async def test_the_end_does_not_wait_for_a_lost_connection(autojump_clock: MockClock) -> None:
    async def script(peer: Peer) -> None:
        await lobby(peer)
        await peer.say(ok(await peer.hear(), table=3, seat=0), ASKED)
        await peer.hear()

    async with desk(script) as here:
        here.type("create", "3H", "quit")
    assert here.code == Exit.OK


async def test_only_the_table_that_is_shown_is_told_of(autojump_clock: MockClock) -> None:
    async def script(peer: Peer) -> None:
        await seated(peer)
        await peer.say({**VIEW, "table": 4, "name": "Attic", "you": None})
        for table, text in ((3, "far"), (4, "near")):
            await peer.say({**event(6, "chat", **{"from": "Aki"}, seat=1, text=text), "table": table})
        await trio.sleep_forever()

    async with desk(script) as here:
        here.type("create")
        await here.paper.shows("<Aki> near")
        here.type("q")
    assert not any("far" in line for line in here.paper.lines)


async def test_what_comes_in_one_piece_is_told_in_its_order(autojump_clock: MockClock) -> None:
    async def script(peer: Peer) -> None:
        await seated(peer)
        said = (
            event(6 + number, "chat", **{"from": "Aki"}, seat=1, text=f"call {number}")
            for number in range(50)
        )
        await peer.say(*said)
        await trio.sleep_forever()

    async with desk(script) as here:
        here.type("create")
        await here.paper.shows("<Aki> call 49")
        here.type("q")
    calls = [line for line in here.paper.lines if line.startswith("<Aki>")]
    assert calls == [f"<Aki> call {number}" for number in range(50)]


async def test_nothing_is_told_while_there_is_no_room(autojump_clock: MockClock) -> None:
    """A pager that stands still does not let the lines pile up for ever."""

    async def script(peer: Peer) -> None:
        await seated(peer)
        await trio.sleep(5)
        for number in range(3):
            await peer.say(event(6 + number, "chat", **{"from": "Aki"}, seat=1, text=f"call {number}"))
        await trio.sleep_forever()

    async with desk(script) as here:
        here.type("create")
        await trio.sleep(1)
        here.room = trio.Event()
        await here.paper.shows("<Aki> call 0")
        await trio.sleep(5)
        assert "<Aki> call 1" not in here.paper.lines
        here.room.set()
        await here.paper.shows("<Aki> call 2")
        here.type("q")


async def test_no_match_begins_with_empty_seats_by_mistake(autojump_clock: MockClock) -> None:
    async with desk(seated) as here:
        here.type("create", "start")
        await here.paper.shows(
            "There are empty seats: “start normal” puts bots in them; or wait for others to join."
        )
        here.type("q")


async def test_who_leaves_is_told_so(autojump_clock: MockClock) -> None:
    async def script(peer: Peer) -> None:
        await seated(peer)
        await peer.say(ok(await peer.hear()))
        await trio.sleep_forever()

    async with desk(script) as here:
        here.type("create", "leave")
        await here.paper.shows("You have left the table.")
        here.type("q")


async def test_a_lost_connection_is_told_and_nothing_sent_meanwhile(autojump_clock: MockClock) -> None:
    async def resumed(peer: Peer) -> None:
        assert (await peer.greet(resumed=True))["token"]
        await peer.say(VIEW)
        chat = await peer.hear()
        assert chat["text"] == "now"
        await peer.say(ok(chat))
        await trio.sleep_forever()

    async with desk(seated, resumed) as here:
        here.type("create")
        await here.paper.shows("The connection is lost. Trying again in 0.5 s (attempt 1).")
        here.type("chat never")
        await here.paper.shows("There is no connection: that was not sent.")
        await here.paper.shows("Connected again.")
        here.type("chat now", "q")


async def test_whoever_joined_elsewhere_is_over(autojump_clock: MockClock) -> None:
    async def script(peer: Peer) -> None:
        await seated(peer)
        await peer.say({"t": "error", "code": "replaced", "message": ""})

    async with desk(script) as here:
        here.type("create")
    assert here.code == Exit.NOT_ALLOWED
    assert here.paper.lines[-1] == "You have joined from elsewhere; this connection is over."


async def test_a_server_that_turns_hostile_is_one_sentence(autojump_clock: MockClock) -> None:
    async def script(peer: Peer) -> None:
        await seated(peer)
        await peer.stream.send_all(b"\xff\xff\xff\xff")

    async with desk(script) as here:
        here.type("create")
    assert here.code == Exit.PROTOCOL
    assert here.paper.lines[-1].startswith("That is no Dobon server, or a broken one")


async def test_text_that_is_none_is_refused_here(autojump_clock: MockClock) -> None:
    async def script(peer: Peer) -> None:
        await seated(peer)
        assert await peer.hear() == {}

    async with desk(script) as here:
        here.type("create", "chat \udce3", "create name=\udce3", "q")
    assert here.paper.lines[-2:] == [
        "It has a character that can't be used here.",
        "That text can't be sent.",
    ]


async def test_who_is_muted_is_not_shown(autojump_clock: MockClock) -> None:
    async def script(peer: Peer) -> None:
        await seated(peer)
        await peer.say(ok(await peer.hear()))
        said = {"seat": None, "text": "you there"}
        await peer.say(
            event(6, "chat", **{"from": "LOUD"}, **said), event(7, "chat", **{"from": "Aki"}, **said)
        )
        await trio.sleep_forever()

    async with desk(script) as here:
        here.type("create", "mute loud", "chat hello")
        await here.paper.shows("<Aki> you there")
        here.type("q")
    assert "<LOUD> you there" not in here.paper.lines


async def test_who_watches_needs_no_input(autojump_clock: MockClock) -> None:
    async def script(peer: Peer) -> None:
        await peer.greet()
        watch = await peer.hear()
        assert watch == {"t": "watch", "id": 1, "table": 3}
        await peer.say(ok(watch), {**VIEW, "you": None})
        await trio.sleep(5)
        await peer.say(event(6, "closed", why="host"), {"t": "error", "code": "shutdown", "resume": False})

    async with desk(script, goal=Goal(GOAL.addresses, "here", "Haru", watching=True, table=3)) as here:
        here.end_of_input()
    assert here.paper.lines[-2:] == ["The table is closed: the host has left.", "The server shuts down."]
    assert here.code == Exit.FAILURE


async def test_the_hand_is_told_once_when_it_is_dealt(autojump_clock: MockClock) -> None:
    async def script(peer: Peer) -> None:
        await seated(peer)
        dealt = {"round": 1, "starter": 0, "top": "9C", "under": [], "counts": [2, 2], "stock": 47}
        turn = {"turn": 1, "seat": 0, "direction": 1, "suit": "C", "attack": None, "deadline": 9000}
        await peer.say(
            event(6, "round", **dealt, hands=[["2C", "KD"], None]),
            event(7, "turn", **turn, playable=["2C"], may=["play", "draw"]),
        )
        await trio.sleep_forever()

    async with desk(script) as here:
        here.type("create")
        await trio.sleep(1)
        here.type("q")
    told = [line for line in here.paper.lines if "2C" in line]
    assert told == ["> Your hand: 1) KD  2) 2C*  = 15", "> Your turn: play 2C, or draw."]


async def test_what_is_shown_on_request(autojump_clock: MockClock) -> None:
    async def script(peer: Peer) -> None:
        await seated(peer)
        await trio.sleep_forever()

    async with desk(script) as here:
        here.type("look", "create", "help", "hand", "look", "rules", "nonsense", "q")
    lines = here.paper.lines
    assert lines.count("You are at no table: see “tables”, then “join”, “watch” or “create”.") == 1
    assert sum(line.startswith("> “start normal” begins the match") for line in lines) == 3
    assert lines.count("Table 3 “Kitchen”") == 2
    assert any(line.startswith("  dobon, !") for line in lines)
    assert "- A match has 5 rounds." in lines
    assert "- hand=5 [3 – 7]: cards dealt to each player" in lines
    assert "- turn_time=30s [2s – 600s]: time for a turn" in lines
    assert lines[-1] == "There is no command “nonsense”; “help” lists them all."


def test_suits_are_letters_where_symbols_cannot_be_trusted() -> None:
    symbols, letters = "7♥", "7H"
    for wish, encoding, environ, shown in (
        ("auto", "utf-8", {"LANG": "ja_JP.UTF-8"}, symbols),
        ("auto", "utf-8", {"LANG": "C"}, letters),
        ("auto", "utf-8", {"LC_ALL": "POSIX", "LANG": "ja_JP.UTF-8"}, letters),
        ("auto", "utf-8", {}, letters),
        ("auto", "iso8859-1", {"LANG": "de_DE.ISO-8859-1"}, letters),
        ("ascii", "utf-8", {"LANG": "ja_JP.UTF-8"}, letters),
        ("unicode", "utf-8", {"LANG": "C"}, symbols),
    ):
        assert plain_glyphs(wish, encoding, environ).card("7H") == shown
