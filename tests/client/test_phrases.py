"""Every event is one sentence in each language, and what people wrote is harmless in it."""

import gettext
import random
from typing import Any

import pytest
from msgspec.structs import replace

from client.glyphs import ASCII, UNICODE
from client.i18n import catalogue
from client.model import Entry, Model, update
from client.notices import Away, Checked, Ended
from client.phrases import CLOSED, FAULTS, SETTLED_BY, THROWS, Speaker
from client.refusals import AWAY, SENTENCES, away, ended, failure, last_word, refusal
from client.rules_fields import LEVELS
from client.session import Refused
from engine.rules import Rules
from protocol import events as e
from protocol.codes import CODES
from protocol.fields import Attack, MatchSeat, Standing
from protocol.messages import EVENT_TYPES, Error, View
from tests.client.streams import TABLE, Stream

ENGLISH = Speaker(gettext.NullTranslations().gettext, ASCII)
JAPANESE = Speaker(catalogue("ja").gettext, UNICODE)


def view(**changes: Any) -> View:
    stream = Stream(Rules.preset("dobon"), 3, random.Random(1))
    for told in (stream.begin(), stream.deal()):
        list(told)
    return replace(stream.view(0), top="7S", candidates=[1, 2], **changes)


def said(what: Any, speak: Speaker = ENGLISH, **changes: Any) -> str:
    return speak.sentence(Entry(9, what, view(**changes)))


HEAD: dict[str, Any] = {"table": TABLE, "seq": 9, "at": 9000}
TURN: dict[str, Any] = {**HEAD, "turn": 4, "direction": 1, "playable": None, "may": None, "deadline": None}
DREW: dict[str, Any] = {**HEAD, "seat": 1, "stock": 5, "left": 6, "playable": None, "may": None}
PLAYED: dict[str, Any] = {**HEAD, "seat": 1, "discard": 3, "until": None, "deadline": None}
CLAIM: dict[str, Any] = {**HEAD, "seat": 1, "discard": 3, "deadline": None}
SEAT: dict[str, Any] = {**HEAD, "seat": 1, "kind": "human", "name": "P1", "status": "online"}
OVER: dict[str, Any] = {
    **HEAD,
    "losers": [],
    "claims": [],
    "hands": [],
    "points": [],
    "totals": [],
    "deadline": None,
    "seed": bytes(32),
    "secret": bytes(32),
    "nonces": [],
}

SAID: list[tuple[Any, str]] = [
    (e.Seat(**{**SEAT, "name": "Haru"}), "Haru sits down in seat 2."),
    (e.Seat(**{**SEAT, "status": "away"}), "P1 is away."),
    (e.Seat(**{**SEAT, "status": "autopilot"}), "The server plays for P1."),
    (e.Seat(**{**SEAT, "status": "left"}), "P1 has left; the server plays on in seat 2."),
    (e.Seat(**SEAT), "P1 is back."),
    (e.Seat(**{**SEAT, "kind": "empty", "name": None}), "P1 leaves seat 2."),
    (
        e.Seat(**{**SEAT, "kind": "bot", "name": "Sora", "level": "hard", "reaction": [450, 1200]}),
        "Sora (bot, hard) sits in seat 2 and claims within 450 – 1200 ms.",
    ),
    (e.Spectator(**HEAD, name="Aki", here=True), "Aki is watching."),
    (e.Spectator(**HEAD, name="Aki", here=False), "Aki is no longer watching."),
    (e.Host(**HEAD, seat=None, name="Aki"), "Aki is the host now."),
    (
        e.RulesSet(**HEAD, rules={"hand": 6}, settings={"turn_time": 500}),
        "Rules changed: cards dealt to each player: 6; time for a turn: 0.5 s.",
    ),
    (e.Chatted(**HEAD, name="Aki", seat=None, text="hi"), "<Aki> hi"),
    (e.Chatted(**HEAD, name="(server)", seat=None, text="Tea"), "Announcement of the server: Tea"),
    (e.Paused(**HEAD, on=True), "Pause: the next round waits for the host."),
    (e.Paused(**HEAD, on=False), "The pause is over."),
    (
        e.MatchBegun(
            **HEAD,
            match=1,
            rules={},
            settings={},
            seats=[MatchSeat(name="Aki", kind="human"), MatchSeat(name="Sora", kind="bot")],
            commit=bytes(32),
            deadline=None,
        ),
        "A match begins: Aki, Sora.",
    ),
    (e.SeatReady(**HEAD, seat=2), "P2 is ready."),
    (
        e.RoundBegun(**HEAD, round=2, starter=1, top="TH", under=["X1"], hands=[], counts=[], stock=9),
        "Round 2 of 5. Top card: JK 10H. P1 starts.",
    ),
    (e.Opening(**HEAD, playable=None, may=None, deadline=None), "Opening race: the first card on 7S opens."),
    (e.Turned(**HEAD, top="9C", stock=3), "Nobody could open: 9C is turned up."),
    (
        e.DirectionRace(**HEAD, candidates=[1, 2], playable=None, may=None, deadline=None),
        "Direction race: the first card of P1, P2 settles it.",
    ),
    (
        e.RpsAsked(**HEAD, seats=[1, 2], attempt=2, deadline=None),
        "Rock, paper, scissors: P1, P2 (try 2).",
    ),
    (e.Thrown(**HEAD, throws=["rock", "paper"]), "Thrown: P1 rock, P2 paper."),
    (e.DirectionSet(**HEAD, direction=-1, by="play"), "The direction is counterclockwise: P2 was first."),
    (e.DirectionSet(**HEAD, direction=1, by="coin"), "The direction is clockwise, by the coin."),
    (e.TurnBegun(**TURN, seat=1, suit="H", attack=None), "P1's turn; H to follow."),
    (
        e.TurnBegun(**TURN, seat=1, suit="H", attack=Attack(rank="T", draw=4)),
        "P1's turn: answer with 10 or draw 4.",
    ),
    (e.Played(**PLAYED, card="7S", suit="S", left=3), "P1 plays 7S; 3 cards left."),
    (e.Played(**PLAYED, card="8S", suit="H", left=1), "P1 plays 8S and names H: one card left!"),
    (e.Played(**PLAYED, card="7S", suit="S", left=0), "P1 plays 7S: no cards left!"),
    (e.Drew(**DREW, count=1, cards=None, why="choice"), "P1 draws a card."),
    (e.Drew(**DREW, count=1, cards=["7H"], why="choice"), "P1 draws 7H."),
    (e.Drew(**DREW, count=4, cards=None, why="attack"), "P1 takes the attack and draws 4 cards."),
    (e.Drew(**DREW, count=2, cards=None, why="false"), "P1 draws 2 cards for the false Dobon."),
    (e.Drew(**DREW, count=2, cards=None, why="call"), "P1 has not called and draws 2 cards."),
    (e.Passed(**HEAD, seat=1), "P1 passes."),
    (e.Skipped(**HEAD, seat=1), "P1 is skipped."),
    (e.TimedOut(**HEAD, seat=1), "P1's time is up."),
    (e.Reshuffled(**HEAD, stock=30), "The discards are shuffled: 30 cards in the stock."),
    (
        e.Claimed(**CLAIM, order=2, against=0, counter=False, lag=37_240),
        "DOBON! P1 against P0, on 7S (no. 2, +37.2 ms).",
    ),
    (
        e.Claimed(**CLAIM, order=1, against=0, counter=True, lag=0),
        "DOBON RETURN! P1 against P0, on 7S (the first).",
    ),
    (e.FalseClaim(**HEAD, seat=1, discard=3), "P1 calls Dobon on 7S, but it does not hold."),
    (e.RoundOver(**OVER, why="stalemate", winners=[], card=None), "The round is over: stalemate."),
    (e.RoundOver(**OVER, why="out", winners=[1], card="7S"), "The round is over: P1 goes out with 7S."),
    (
        e.RoundOver(**{**OVER, "losers": [0]}, why="dobon", winners=[1, 2], card="7S"),
        "The round is over: Dobon on 7S, won by P1, P2, lost by P0.",
    ),
    (
        e.MatchOver(
            **HEAD,
            ranking=[Standing(seat=2, rank=1, total=3), Standing(seat=0, rank=2, total=40)],
            series=[],
        ),
        "The match is over. 1. P2 (3), 2. P0 (40)",
    ),
    (e.Closed(**HEAD, why="host"), "The table is closed: the host has left."),
]


@pytest.mark.parametrize(("what", "sentence"), SAID, ids=lambda each: type(each).__name__)
def test_every_event_is_one_sentence(what: Any, sentence: str) -> None:
    assert said(what) == sentence
    japanese = said(what, JAPANESE)
    assert "\n" not in japanese
    if not isinstance(what, e.Chatted):
        assert any("\u3000" <= character <= "\u9fff" for character in japanese)


def test_no_kind_of_event_is_forgotten() -> None:
    assert {type(what) for what, _ in SAID} == set(EVENT_TYPES.values())


HOSTILE = "\x1b[2J\u202e<b>{0}%s\x9b"


def test_names_and_chat_are_harmless_and_no_format() -> None:
    texts = [
        said(e.Chatted(**HEAD, name=HOSTILE, seat=None, text=HOSTILE)),
        said(e.Spectator(**HEAD, name=HOSTILE, here=True)),
        said(e.Host(**HEAD, seat=None, name=HOSTILE)),
        said(e.Seat(**{**SEAT, "name": HOSTILE})),
        said(e.RulesSet(**HEAD, rules={}, settings={HOSTILE: HOSTILE})),
        said(e.Passed(**HEAD, seat=0), seats=[replace(view().seats[0], name=HOSTILE)]),
        refusal(Error(code="bad_rules", message=HOSTILE, field=HOSTILE), str),
        refusal(Error(code=HOSTILE, message=HOSTILE), str),
        ended(Ended(broken=HOSTILE), str),
    ]
    for text in texts:
        assert "^[[2J?<b>{0}%s?" in text
        assert text.isprintable()


def test_only_the_server_announces() -> None:
    alike = "(s\u0435rver)"
    assert said(e.Chatted(**HEAD, name="(server)", seat=None, text="Tea")).startswith("Announcement")
    assert said(e.Chatted(**HEAD, name=alike, seat=None, text="Tea")) == f"<{alike}> Tea"


def test_what_is_said_of_a_deal() -> None:
    assert "every card" in ENGLISH.checked(Checked(1, 1, whole=True))
    assert "as far as" in ENGLISH.checked(Checked(1, 1, whole=False))
    assert "NOT HONEST: the seed" in ENGLISH.checked(Checked(1, 1, whole=True, fault="seed"))


def test_every_word_has_a_translation() -> None:
    translate = catalogue("ja").gettext
    for table in (CLOSED, FAULTS, LEVELS, SETTLED_BY, THROWS, SENTENCES, AWAY):
        for source in table.values():
            assert translate(source) != source


def test_every_code_has_a_sentence() -> None:
    assert SENTENCES.keys() == CODES
    for code in CODES:
        assert "{" not in refusal(Error(code=code), str)


def test_a_late_dobon_is_told_by_how_much() -> None:
    assert refusal(Error(code="too_late", by=1234), str) == "Too late by 1.2 ms."


def test_at_the_shell_it_is_said_where_a_password_goes() -> None:
    password, full = Refused(Error(code="password")), Refused(Error(code="server_full"))
    assert "--password-file" not in failure(password, "here", str)[0]
    assert "--password-file" in last_word(password, "here", str)[0]
    assert last_word(full, "here", str) == failure(full, "here", str)


def test_that_it_is_tried_again() -> None:
    assert away(Away("closed", 2, 1500), str) == (
        "The connection is lost. Trying again in 1.5 s (attempt 2)."
    )


@pytest.mark.parametrize("seed", range(3))
def test_whole_matches_can_be_told(seed: int) -> None:
    stream = Stream(
        Rules.from_data({"preset": "pageone", "jokers": 2, "order_by": "rps"}), 4, random.Random(seed)
    )
    model = update(Model(), stream.view(1), 0)

    def tell(told: Any) -> None:
        nonlocal model
        for events in told:
            model = update(model, events[1], 0)
            table = model.table
            assert table is not None
            for speak in (ENGLISH, JAPANESE):
                assert speak.sentence(table.log[-1])
                assert speak.results(table.view) is not None

    tell(stream.begin())
    while not stream.match.over:
        tell(stream.deal())
        while stream.playing:
            tell(stream.step())
