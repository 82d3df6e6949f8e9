"""Every state that the screen can show."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from client.i18n import catalogue
from client.model import Model, update
from client.notices import Away, Checked, Sent
from client.screen.scene import Found, Scene, Typing, Ui
from client.settings import Settings
from engine.rules import Rules
from protocol.messages import Play
from tests.client.screens import (
    NAMES,
    NOW,
    asked_for_counter,
    attacked,
    claims,
    event,
    idle,
    lobby,
    log,
    many_cards,
    model,
    over,
    race,
    scene,
    seats,
    view,
)  # fmt: skip

State = Callable[[], Scene]

STATES: dict[str, State] = {
    "start": lambda: scene(
        Model(name="Haru"),
        Ui(
            row=2,
            servers=(Found("Haru's 机", "192.168.1.20:5213", "K7Q2", 3), Found("b", "10.0.0.2:1", "", None)),
        ),
        connected=False,
    ),
    "start, searching, typing": lambda: scene(
        Model(name="Haru"), Ui(row=3, searching=True, typing=Typing("address")), connected=False
    ),
    "connecting": lambda: scene(Model(name="Haru"), Ui()),
    "lobby": lambda: scene(lobby(), Ui(row=2)),
    "create": lambda: scene(lobby(), Ui().opened("create", row=1)),
    "setup, host": lambda: scene(
        model(idle("open", seats=seats(seat3={"kind": "empty", "name": None}))), Ui(row=3)
    ),
    "setup, guest": lambda: scene(model(idle("open", host={"seat": 1, "name": "Sora"}), *log()), Ui(row=2)),
    "turn": lambda: scene(model(view(), *log())),
    "turn, eight": lambda: scene(model(view(seats=seats(8)), *log())),
    "turn, two": lambda: scene(model(view(seats=seats(2), discard_by=1))),
    "turn of another, on autopilot": lambda: scene(
        model(
            view(
                turn_seat=2,
                playable=None,
                may=None,
                act_on=None,
                seats=seats(seat0={"status": "autopilot"}),
            )
        )
    ),
    "turn of another": lambda: scene(
        model(view(turn_seat=2, playable=None, may=None, act_on=None, seats=seats(seat2={"status": "away"})))
    ),
    "turn, drawn": lambda: scene(
        model(view(drawn="8D", playable=["8D"], may=["play", "pass"], claim_on=None, discard_by=None)),
        Ui(card="8D"),
    ),
    "turn, buttons": lambda: scene(model(view()), Ui(card="3H", on_buttons=True, button="draw")),
    "turn, many cards": lambda: scene(model(many_cards()), Ui(card="5H")),
    "turn, anticlockwise, named": lambda: scene(
        model(view(direction=-1, top="8S", suit="D", discards=["8S"], seats=seats(seat1={"count": 1})))
    ),
    "attack": lambda: scene(model(attacked()), Ui(card="2C")),
    "attack, must draw": lambda: scene(
        model(attacked(hand=["TS"], playable=[], may=["draw"])), Ui(card="TS")
    ),
    "dobon possible": lambda: scene(
        model(view(hand=["3H", "4D"], playable=[], may=None, act_on=None, turn_seat=1)), Ui(card="3H")
    ),
    "held": lambda: scene(held()),
    "suit": lambda: scene(model(view()), Ui(card="8D").opened("suit", "8D", 2)),
    "call": lambda: scene(
        model(
            view(
                hand=["7C", "3H"],
                playable=["7C", "3H"],
                rules={**Rules.preset("dobon").to_data(), "last_call": 2},
            )
        ),
        Ui(card="7C", call=True),
    ),
    "opening": lambda: scene(model(race("opening"))),
    "opening, declined": lambda: scene(model(race("opening", may=None, playable=None, act_on=None))),
    "direction race": lambda: scene(model(race("direction", candidates=[0, 2], seats=seats(5)))),
    "throw": lambda: scene(
        model(race("rps", candidates=[0, 2], may=None, playable=None, **{"try": 1})),
        Ui(card="3H").opened("throw", row=1),
    ),
    "claims": lambda: scene(
        model(
            view(
                phase="claim",
                claim="claimed",
                claims=claims(0, 37_200),
                deadline=NOW + 2500,
                preset="pageone",
            )
        )
    ),
    "claims, late": lambda: scene(late()),
    "counter asked": lambda: scene(model(asked_for_counter()), Ui(card="3H")),
    "counter asked of another": lambda: scene(asked_of_another()),
    "last card": lambda: scene(
        model(
            view(
                phase="claim",
                claims=[],
                deadline=NOW + 3000,
                seats=seats(seat3={"count": 0}),
                hand=["3H", "2D"],
            )
        )
    ),
    "round over": lambda: scene(finished()),
    "round over, dealt wrongly": lambda: scene(finished(fault="deal")),
    "round over, stalemate": lambda: scene(
        model(
            idle("between", last_round=over("stalemate", winners=[], losers=[], card=None, claims=[])),
            Checked(3, 2, False),
        )
    ),
    "paused": lambda: scene(model(idle("between", last_round=over(), paused=True))),
    "match over": lambda: scene(match_over()),
    "match over, somebody left": lambda: scene(
        update(match_over(), event("seat", 53, seat=2, name=None, kind="empty"), NOW)
    ),
    "spectator": lambda: scene(
        model(view(you=None, hand=None, playable=None, may=None, claim=None, act_on=None), *log()), Ui()
    ),
    "away": lambda: scene(update(model(view()), Away("closed", 3, 4000), NOW)),
    "closed": lambda: scene(model(view(), event("closed", why="host"))),
    "chat": lambda: scene(model(view(), *log()), Ui(card="3H", typing=Typing("chat"))),
    "told": lambda: scene(model(view()), Ui(card="TS", told=catalogue("en").gettext("Nothing fits."))),
    "leaving by Ctrl-C": lambda: scene(model(view()), Ui(asks_to_leave=True)),
    "leave": lambda: scene(model(view()), Ui().opened("leave")),
    "menu": lambda: scene(model(view()), Ui().opened("menu", row=2)),
    "people": lambda: scene(
        model(view()), Ui().opened("people", row=3), settings=Settings(muted=("Looker",))
    ),
    "settings": lambda: scene(model(view()), Ui().opened("settings", row=2)),
    "log": lambda: scene(model(view(), *log()), Ui().opened("log")),
    "rules": lambda: scene(model(view()), Ui().opened("rules")),
    "help": lambda: scene(model(view()), Ui().opened("help")),
}


def held() -> Model:
    play = Play(id=5, table=3, on=50, card="3H")
    return model(view(turn_seat=1, may=None, playable=None, act_on=None), Sent(play))


def late() -> Model:
    found = model(view(phase="claim", claim=None, claims=claims(0), deadline=NOW + 2500))
    table = found.table
    assert table is not None
    return replace(found, tables={3: replace(table, late=3140)})


def asked_of_another(**changes: Any) -> Model:
    """The time for claims is over, and Ken is asked for a Dobon return: no event told so."""
    rules = Rules.preset("dobon").changed({"claims": "all", "counter": "ask"}).to_data()
    fields = {"claims": claims(0), "deadline": NOW - 300, "turn_seat": None, "rules": rules}
    return model(view(phase="claim", **{**fields, **changes}))


def finished(fault: Any = None) -> Model:
    return model(
        view(phase="claim", claims=claims(0, 37_200, 80_411), seq=50),
        event("round_over", **over()),
        Checked(3, 2, True, fault),
    )


def match_over() -> Model:
    ranking = [
        {"seat": seat, "rank": rank, "total": (44, 0, 33, 7)[seat]}
        for rank, seat in enumerate((1, 3, 2, 0), 1)
    ]
    series = [{"name": name, "matches": 2, "firsts": 1, "total_rank": 4} for name in NAMES[:4]]
    return model(
        view(phase="claim", claims=claims(0, 37_200, 80_411), seq=50),
        event("round_over", **over(commit=None, deadline=None)),
        Checked(3, 2, True),
        event("match_over", 52, ranking=ranking, series=series),
    )
