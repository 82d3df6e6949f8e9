"""Which characters are chosen for which terminal, and how a card is printed with them."""

from __future__ import annotations

import pytest

from client.glyphs import ASCII, UNICODE, WIDE_ASCII, Glyphs, again, chosen

UTF8 = {"LANG": "ja_JP.UTF-8"}


@pytest.mark.parametrize(
    ("wish", "columns", "environ", "found"),
    [
        ("auto", 1, UTF8, UNICODE),
        ("auto", 2, UTF8, WIDE_ASCII),
        ("auto", None, UTF8, UNICODE),
        ("ascii", 1, UTF8, ASCII),
        ("ascii", 2, UTF8, WIDE_ASCII),
        ("unicode", 2, UTF8, UNICODE),
        ("auto", 1, {"LANG": "C"}, WIDE_ASCII),
        ("auto", 1, {"LC_ALL": "POSIX", "LANG": "ja_JP.UTF-8"}, WIDE_ASCII),
        ("auto", 1, {"LC_ALL": "", "LANG": "en_US.utf8"}, UNICODE),
        ("auto", 1, {"LANG": "de_DE.ISO-8859-1"}, WIDE_ASCII),
        ("auto", 1, {}, WIDE_ASCII),
    ],
)
def test_chosen(wish: str, columns: int | None, environ: dict[str, str], found: Glyphs) -> None:
    assert chosen(wish, lambda: columns, environ) == found


def test_another_wish_does_not_forget_what_the_terminal_said() -> None:
    assert again("ascii", WIDE_ASCII) == WIDE_ASCII
    assert again("ascii", UNICODE) == ASCII
    assert again("unicode", ASCII) == UNICODE
    assert again("auto", WIDE_ASCII) == WIDE_ASCII


def test_cards() -> None:
    assert [UNICODE.card(card) for card in ("7H", "TS", "X1")] == ["7♥", "10♠", "JK"]
    assert [ASCII.card(card) for card in ("7H", "TS", "X2")] == ["7H", "10S", "JK"]


def test_every_glyph_is_one_column_for_each_character() -> None:
    from protocol.text import columns

    for glyphs in (UNICODE, ASCII):
        for text in (
            *glyphs.suits.values(),
            glyphs.box,
            glyphs.bold_box,
            glyphs.bar,
            glyphs.back,
            glyphs.turn,
        ):
            assert columns(text) == len(text)
