"""Every state of the screen, in both languages and three sizes, as a terminal shows it."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from client.glyphs import ASCII, UNICODE
from client.keys import help_keys
from client.model import update
from client.screen.draw import draw
from client.screen.log import lines_of, page
from client.screen.scene import Scene, Size
from engine.rules import Rules
from tests.client.screens import NAMES, NOW, claims, event, model, scene, seats, translated, view
from tests.client.states import STATES, asked_of_another
from tests.client.terminals import Terminal, text_of

SIZES = (Size(80, 24), Size(60, 16), Size(120, 40))


def states(language: str, name: str) -> Scene:
    scene = translated(STATES[name](), language)
    return replace(scene, keys=tuple(help_keys(scene.translate)))


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("name", STATES)
def test_state(name: str, language: str, snapshot: SnapshotAssertion) -> None:
    scene = states(language, name)
    shown = [
        f"{size.width}x{size.height}\n" + "\n".join(Terminal(size).show(draw(scene, size))) for size in SIZES
    ]
    assert "\n".join(shown) == snapshot


@pytest.mark.parametrize("name", ["turn, two", "attack", "round over", "setup, host"])
def test_state_in_ascii(name: str, snapshot: SnapshotAssertion) -> None:
    """Suits are letters, and every line that holds no name of a person is ASCII."""
    scene = translated(STATES[name](), "en", ASCII)
    rows = text_of(draw(scene, SIZES[0]))
    assert "\n".join(rows) == snapshot
    foreign = {"花", "子", "・", "ア", "リ", "ス", "金", "曜", "卓"}
    assert {c for row in rows for c in row if not c.isascii()} <= foreign


@pytest.mark.parametrize(
    "size", [Size(20, 5), Size(1, 1), Size(2, 3), Size(59, 16), Size(60, 15), Size(0, 0)]
)
@pytest.mark.parametrize("name", ["turn", "dobon possible", "start", "help", "suit"])
def test_too_small_says_so_and_does_not_fail(name: str, size: Size) -> None:
    frame = draw(states("en", name), size)
    assert len(frame.lines) == size.height
    if size.width >= 20:
        assert "Dobon needs 60" in " ".join(text_of(frame)).replace("  ", " ") or size.width < 25


@pytest.mark.parametrize("rows", range(1, 9))
def test_the_log_shows_whole_sentences_or_the_beginning_of_the_last(rows: int) -> None:
    found = states("en", "round over")
    table = found.table
    assert table is not None
    sentences = [[text for _, text in lines_of(found, entry, 30)] for entry in table.log]
    shown = [text for _, text in page(found, 30, rows)]
    last = [lines for lines in sentences if lines][-1]
    assert shown == last[:rows] or any(
        shown == [*chain.from_iterable(sentences[at:])] for at in range(len(sentences))
    )


@pytest.mark.parametrize("rows", [3, 4, 8, 20])
def test_the_log_moves_up_seldom_and_keeps_what_was_said_before_the_newest_line(rows: int) -> None:
    found, moved, before = states("en", "turn"), 0, [""]
    model = found.model
    for number in range(100):
        seat = number % 4
        model = update(model, event("passed", 51 + 2 * number, seat=seat), NOW)
        model = update(model, event("ready", 52 + 2 * number, seat=seat), NOW)
        shown = [text for _, text in page(replace(found, model=model), 30, rows)]
        assert shown[-1] == f"{NAMES[seat]} passes."
        assert number == 0 or shown[-2] == f"{NAMES[seat - 1 if seat else 3]} passes."
        moved += shown[: len(before)] != before
        before = shown
    assert moved < 67, "of a hundred"


def test_what_stands_out_does_so_without_colour() -> None:
    """A playable card is a row higher and marked; the Dobon key has stars when it is time."""
    rows = text_of(draw(states("en", "turn"), SIZES[0]))
    assert any(UNICODE.raised in row for row in rows)
    assert not any(UNICODE.raised in row for row in text_of(draw(states("en", "turn of another"), SIZES[0])))
    assert (
        f"{UNICODE.star} DOBON Tab {UNICODE.star}"
        in text_of(draw(states("en", "dobon possible"), SIZES[0]))[-1]
    )


def on_screen(**changes: Any) -> str:
    return "\n".join(text_of(draw(scene(asked_of_another(**changes)), SIZES[0])))


@pytest.mark.parametrize("changes", [{}, {"claim": "claimed"}, {"you": None, "hand": None, "claim": None}])
def test_a_return_of_another_is_waited_for_without_a_clock(changes: dict[str, Any]) -> None:
    shown = on_screen(**changes)
    assert "Waiting for Ken's Dobon return." in shown
    assert "0.0 s" not in shown
    assert "still open" not in shown


@pytest.mark.parametrize(
    "changes",
    [
        {"deadline": NOW + 900},
        {"seats": seats(seat3={"count": 0})},
        {"rules": Rules.preset("dobon").changed({"claims": "last", "counter": "ask"}).to_data()},
        {"rules": Rules.preset("dobon").changed({"claims": "all", "counter": "auto"}).to_data()},
        {"claims": []},
        {"you": 3, "claim": None, "hand": ["3H", "4D"]},
    ],
)
def test_it_is_not_waited_for_before_nor_where_nobody_is_asked(changes: dict[str, Any]) -> None:
    assert "Dobon return." not in on_screen(**changes)


@pytest.mark.parametrize("language", ["en", "ja"])
@pytest.mark.parametrize("size", [Size(80, 24), Size(60, 16), Size(200, 60)])
def test_the_dobon_key_is_always_at_one_place(language: str, size: Size) -> None:
    names = [
        name for name in STATES if name.startswith(("turn", "attack", "claims", "round", "dobon", "away"))
    ]
    lefts = set()
    for name in names:
        frame = draw(states(language, name), size)
        lefts |= {(each.y, each.left) for each in frame.targets if each.name == "button:dobon"}
    assert lefts == {(size.height - 1, 1)}


def test_a_dobon_that_is_no_sum_names_what_the_hand_counts_for_it() -> None:
    """K and 7 on a six: thirteen less seven."""
    rules = Rules.preset("dobon").changed({"dobon_math": "pair"}).to_data()
    found = model(
        view(rules=rules, hand=["KS", "7D"], top="6S", discards=["9H", "6S"], playable=[], may=None)
    )
    shown = "\n".join(text_of(draw(scene(found), SIZES[0])))
    assert "Hand: 2 cards, count 20. Dobon on 6." in shown
    assert "Dobon! Your hand counts 6: press Tab." in shown


def test_who_may_claim_is_told_when_the_last_claim_wins() -> None:
    said = "Sora claims Dobon; the last to claim wins. Claim with Tab, or waive with w."
    for preset, is_last in (("pageone", True), ("dobon", False)):
        table = view(preset=preset, phase="claim", claims=claims(0), deadline=NOW + 2500)
        shown = "\n".join(text_of(draw(scene(model(table)), SIZES[0])))
        assert (said in shown) == is_last


def test_one_card_is_one_card_and_sentences_stand_as_their_language_has_them() -> None:
    found = scene(model(view(hand=["5H"], playable=[])))
    assert any("Hand: 1 card, count 5. Dobon on 5." in line for line in text_of(draw(found, SIZES[0])))
    japanese = text_of(draw(translated(found, "ja"), SIZES[0]))
    assert any("手札1枚、合計5。待ちは5です。" in line for line in japanese)
