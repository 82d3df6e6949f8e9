"""What typed lines ask for."""

import random
from typing import Any

import pytest
from msgspec.structs import replace as changed

from client.model import Model, update
from client.plain_commands import (
    Ask,
    BadCommand,
    BeReady,
    Mute,
    Quit,
    Show,
    interpret,
)
from client.plain_help import HELP, WORDS
from engine.rules import Rules
from protocol.messages import (
    Bot,
    Chat,
    Create,
    Dobon,
    Draw,
    Join,
    Kick,
    Leave,
    Pass,
    Pause,
    Play,
    Rps,
    SetRules,
    Start,
    Sync,
    Tables,
    Waive,
    Watch,
)
from tests.client.streams import TABLE, Stream

HAND = ["8H", "X1", "3S", "TC"]


def model(**fields: Any) -> Model:
    """At a table, in seat 0, on turn with `HAND`; `fields` of the view changed."""
    stream = Stream(Rules.from_data({"jokers": 2}, 3), 3, random.Random(1))
    for told in (stream.begin(), stream.deal()):
        list(told)
    asked = {"hand": HAND, "phase": "turn", "turn_seat": 0, "may": ["play", "draw"], "playable": HAND}
    window = {"act_on": 40, "claim_on": 39, "discard_by": 1, "claim": "open"}
    view = changed(stream.view(0), **{**asked, **window, **fields})
    return update(Model(), view, 0)


def ask(request: Any, alone: bool = False) -> Ask:
    return Ask(request, alone)


AT: dict[str, Any] = {"table": TABLE}
ACT: dict[str, Any] = {**AT, "on": 40}

LINES: list[tuple[str, Any]] = [
    ("tables", ask(Tables())),
    ("T", ask(Tables())),
    ("ｔａｂｌｅｓ", ask(Tables())),
    ("help", Show("help")),
    ("?", Show("help")),
    ("hand", Show("hand")),
    ("look", Show("look")),
    ("rules", Show("rules")),
    ("q", Quit()),
    ("3", ask(Play(**ACT, card="TC"))),
    ("play 3", ask(Play(**ACT, card="TC"))),
    ("10c", ask(Play(**ACT, card="TC"))),
    ("TC call", ask(Play(**ACT, card="TC", call=True))),
    ("10♣ !", ask(Play(**ACT, card="TC", call=True))),
    ("2 h", ask(Play(**ACT, card="8H", suit="H"))),
    ("8♥ ♦", ask(Play(**ACT, card="8H", suit="D"))),
    ("jk spades", ask(Play(**ACT, card="X1", suit="S"))),
    ("X2 s", ask(Play(**ACT, card="X1", suit="S"))),
    ("d", ask(Draw(**ACT))),
    ("pass", ask(Pass(**ACT))),
    ("dobon", ask(Dobon(**AT, on=39))),
    ("！", ask(Dobon(**AT, on=39))),
    ("w", ask(Waive(**AT, on=39))),
    ("rock", ask(Rps(**ACT, throw="rock"))),
    ("scissors", ask(Rps(**ACT, throw="scissors"))),
    ("chat  don't “quote” {0}", ask(Chat(**AT, text="don't “quote” {0}"))),
    ("c ｗｉｄｅ", ask(Chat(**AT, text="ｗｉｄｅ"))),
    ("join 4", ask(Join(table=4))),
    ("join 4 2 password=s3", ask(Join(table=4, seat=1, password="s3"))),
    ('watch 4 password="two words"', ask(Watch(table=4, password="two words"))),
    ("leave", ask(Leave(**AT))),
    ("sync", ask(Sync(**AT))),
    ("bot 3 hard", ask(Bot(**AT, seat=2, level="hard"))),
    ("bot 3 none", ask(Bot(**AT, seat=2, level=None))),
    ("kick 2", ask(Kick(**AT, seat=1))),
    ("start", ask(Start(**AT))),
    ("start easy", ask(Start(**AT, fill="easy"))),
    ("pause", ask(Pause(**AT, on=True))),
    ("resume", ask(Pause(**AT, on=False))),
    ("set hand=6 grace=500ms", ask(SetRules(**AT, rules={"hand": 6}, settings={"grace": 500}))),
    ("set preset=pageone", ask(SetRules(**AT, rules={"preset": "pageone"}))),
    ("set effects=A:skip,AS:attack5", ask(SetRules(**AT, rules={"effects": {"A": "skip", "AS": "attack5"}}))),
    ("set bot_pace=50%", ask(SetRules(**AT, settings={"bot_pace": 50}))),
    ("create", ask(Create())),
    (
        'create name="a b" seats=3 bots=easy,hard password=x sit=no must_play=yes turn_time=20s',
        ask(
            Create(
                name="a b",
                rules={"must_play": True},
                settings={"turn_time": 20_000},
                seats=3,
                bots=["easy", "hard"],
                password="x",
                sit=False,
            )
        ),
    ),
    ("mute Aki B", Mute("Aki B", True)),
    ("unmute Aki B", Mute("Aki B", False)),
    ("", None),
]


@pytest.mark.parametrize(("line", "asked"), LINES)
def test_a_line_asks_for(line: str, asked: Any) -> None:
    assert interpret(line, model(), str) == asked


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("fly", "There is no command “fly”; “help” lists them all."),
        ("9", "“9” is neither a number in your hand nor a card."),
        ("play", "Which card? Give its number in your hand, or the card, such as 7S."),
        ("1 x", "“x” is no suit; there are S, H, D and C."),
        ("8h", "Name a suit with that card: S, H, D or C."),
        ("bot 3", "It goes like this: bot 3 hard"),
        ("bot x hard", "“x” is no number."),
        ("kick 9", "Seats are numbered from 1 to 8."),
        ("join", "Which table? “tables” lists them."),
        ("start genius", "It goes like this: start normal"),
        ("set hand", "“hand” is not of the form FIELD=VALUE."),
        ("set hand=9", "hand can't be 9; what would do: 3 – 7."),
        ("set colour=red", "There is no field “colour”; see “help”."),
        ("create bots=genius", "It goes like this: create bots=easy,hard"),
        ("create turn_time=soon", "“soon” is no number."),
        ("ready", "That can't be done now."),
        ("chat ", "There is nothing to be seen in it."),
        ("chat a\u202eb", "It has a character that can't be used here."),
        (
            f"chat {'x' * 201}",
            "It is too long: 200 characters for chat, 32 columns for a table's name.",
        ),
    ],
)
def test_a_line_that_asks_for_nothing_is_one_sentence(line: str, said: str) -> None:
    with pytest.raises(BadCommand) as problem:
        interpret(line, model(), str)
    assert str(problem.value) == said


def test_what_is_not_asked_for_is_refused_here() -> None:
    waiting = model(act_on=None, may=None, claim_on=None, turn_seat=1)
    for line, said in (
        ("d", "It is not your turn."),
        ("dobon", "There is no card to claim now."),
    ):
        with pytest.raises(BadCommand, match=said):
            interpret(line, waiting, str)
    with pytest.raises(BadCommand, match="at no table"):
        interpret("d", Model(), str)


def test_how_to_take_over_from_the_server_is_said() -> None:
    waiting = model(act_on=None, may=None, claim_on=None, turn_seat=1)
    table = waiting.table
    assert table is not None
    seats = [changed(table.view.seats[0], status="autopilot"), *table.view.seats[1:]]
    played_for = model(act_on=None, may=None, claim_on=None, turn_seat=1, seats=seats)
    with pytest.raises(BadCommand, match="“join 3”"):
        interpret("d", played_for, str)


def test_a_p_alone_passes_where_that_can_be_done() -> None:
    drawn = model(may=["play", "pass"])
    assert interpret("p", drawn, str) == ask(Pass(**ACT))
    assert interpret("p 3", drawn, str) == ask(Play(**ACT, card="TC"))
    for line, at in (("p", model()), ("play", drawn)):
        with pytest.raises(BadCommand, match="Which card"):
            interpret(line, at, str)


def test_a_dobon_means_the_card_that_was_offered() -> None:
    assert interpret("dobon", model(), str, offered=35) == ask(Dobon(**AT, on=35))


def test_the_numbers_are_those_of_the_hand_as_it_is_shown() -> None:
    assert interpret("1", model(), str, sort="suit") == ask(Play(**ACT, card="3S"))
    assert interpret("1 s", model(), str, sort="dealt") == ask(Play(**ACT, card="8H", suit="S"))


def test_in_a_race_a_play_goes_alone() -> None:
    racing = model(phase="opening", turn_seat=None, discard_by=None, claim_on=None)
    assert interpret("tc", racing, str) == ask(Play(**ACT, card="TC"), alone=True)


def test_an_empty_line_goes_on_between_rounds() -> None:
    between = model(phase="between", ready_on=50)
    assert interpret("", between, str) == BeReady(TABLE, 50)
    assert interpret("r", between, str) == BeReady(TABLE, 50)


def test_help_and_completion_know_every_command() -> None:
    listed = {word for usage, _ in HELP for word in usage.replace(",", " ").split()}
    assert set(WORDS) - {"play"} <= listed
