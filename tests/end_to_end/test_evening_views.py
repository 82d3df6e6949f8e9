"""At a real server, what a client has made of the events is at every moment what the server's view says."""

from pathlib import Path
from typing import Any

import pytest
import trio

from client.dial import Dialler
from client.knowledge import can_dobon, may_claim, names_suit
from client.model import Model, Table, update
from client.session import AGENT, Session, open_session
from protocol.connection import Answer, ClientConnection
from protocol.events import MatchOver
from protocol.joincode import parse_address
from protocol.messages import (
    Create,
    Dobon,
    Draw,
    Event,
    Pass,
    Play,
    Request,
    Rps,
    Start,
    Sync,
    View,
    Waive,
)
from tests.end_to_end.evening import serving

FAST = {"grace": 0, "claim_time": 1000, "opening_time": 1000, "bot_pace": 0}


def move(table: Table) -> Request | None:
    """What the seat does now: claim, play, draw, pass, throw or waive."""
    view, at = table.view, {"table": table.id}
    if can_dobon(view) and view.claim_on is not None:
        return Dobon(**at, on=view.claim_on)
    if view.phase == "claim" and may_claim(view) and view.claim_on is not None:
        return Waive(**at, on=view.claim_on)
    if view.act_on is None:
        return None
    if view.phase == "rps":
        return Rps(**at, on=view.act_on, throw="rock")
    if view.playable:
        card = view.playable[0]
        return Play(**at, on=view.act_on, card=card, suit="H" if names_suit(view, card) else None, call=True)
    return (Draw if "draw" in (view.may or ()) else Pass)(**at, on=view.act_on)


def state(table: Table) -> dict[str, Any]:
    """All of a view but the moment at which it was taken."""
    return {name: getattr(table.view, name) for name in table.view.__struct_fields__ if name != "at"}


async def evening(session: Session, rules: dict[str, Any]) -> int:
    """A match in which every event is followed by a look at the whole; how many looks agreed."""
    model, agreed, table = Model(), 0, 0
    session.post(Create(rules={"rounds": 1, **rules}, settings=FAST, bots=["easy", "hard", "easy"]))
    async for message in session.messages():
        before, model = model.table, update(model, message, 0)
        if model.table is None:
            continue
        if isinstance(message, View):
            if before is None:
                table = message.table
                session.post(Start(table=table))
                continue
            assert state(before) == state(model.table)
            agreed += 1
            if model.table.view.ready_on is not None and not model.table.pending:
                session.ready(table, model.table.view.ready_on)
            elif (request := move(model.table)) is not None and not model.table.pending:
                session.post(request)
        elif isinstance(message, MatchOver):
            return agreed
        elif isinstance(message, Answer) and isinstance(message.request, Sync):
            continue  # its view comes next
        elif isinstance(message, Event | Answer) and not model.table.pending:
            await trio.sleep(0.06)  # no faster than a server lets anybody ask
            session.post(Sync(table=table))
    raise AssertionError("the session ended")


@pytest.mark.parametrize(
    "rules",
    [
        {"preset": "dobon", "false_dobon": 2, "jokers": 2, "last_call": 1},
        {"preset": "pageone", "order_by": "rps", "jokers": 1},
        {"preset": "dobon", "claims": "all", "counter": "auto", "dobon_math": "pair", "hand": 3},
    ],
)
async def test_events_lead_where_the_view_says(rules: dict[str, Any], tmp_path: Path) -> None:
    async with serving(tmp_path) as address:
        connection = ClientConnection("Haru", AGENT)
        async with open_session(Dialler(parse_address(address)), connection) as session:
            assert await evening(session, rules) > 10
