import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from precis_i18n import get_profile
from wcwidth import wcswidth

from protocol.text import (
    BadName,
    BadText,
    clean_chat,
    clean_name,
    clean_table_name,
    clip,
    columns,
    harmless,
    name_key,
    pad,
)

ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=40)

# What other people's servers were sent: each is refused as a name, and shows as harmless text.
HOSTILE = {
    "escape": "\x1b[2Jx",
    "title": "\x1b]0;x\x07",
    "c1 csi": "\x9b31mx",
    "bell": "x\x07",
    "delete": "x\x7f",
    "nul": "admin\x00",
    "newline": "x\n[INFO] admin",
    "carriage return": "x\ry",
    "tab": "x\ty",
    "line separator": "x\u2028y",
    "zero-width space": "a\u200bb",
    "zero-width only": "\u200b",
    "word joiner": "\u2060",
    "byte order mark": "\ufeff",
    "soft hyphen": "a\u00adb",
    "grapheme joiner": "a\u034fb",
    "hangul filler": "\u3164",
    "half-width filler": "\uffa0",
    "jamo filler": "\u115f\u1160",
    "loose jamo": "\u1100\u1100",
    "braille blank": "\u2800",
    "right-to-left override": "\u202etxt",
    "isolate": "\u2066x\u2069",
    "left-to-right mark": "x\u200e",
    "arabic letter mark": "x\u061c",
    "tags": "x\U000e0041",
    "private use": "\ue000",
    "unassigned": "\u0378",
    "noncharacter": "x\ufffe",
    "lone surrogate": "x\ud800",
    "mark without base": "\u0301x",
    "mark after a space": "a \u0301",
    "mark flood": "Z" + "\u0335\u0336\u0337" * 9,
    "family": "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "flag": "\U0001f1ef\U0001f1f5",
    "styled heart": "\u2764\ufe0f",
    "spaces only": " \u3000\u00a0",
    "empty": "",
    "too wide": "ド" * 8 + "a",
    "too long": "a" * 17,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_names_are_refused(text: str) -> None:
    with pytest.raises(BadName) as refused:
        clean_name(text)
    assert refused.value.reason in {"empty", "too_long", "character", "marks"}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_is_shown_harmlessly(text: str) -> None:
    check_harmless(harmless(text))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[2J", "^[[2J"),
        ("\x9b2J", "?2J"),
        ("a\u202eb", "a?b"),
        ("<b>{0}%s", "<b>{0}%s"),
        ("a\u3000b", "a b"),
        ("\U0001f1ef\U0001f1f5", "JP"),
        ("\ud800", "?"),
        ("\u0301x", "x"),
        ("e\u0301", "é"),
        ("ハル♠", "ハル♠"),
    ],
)
def test_harmless_forms(text: str, shown: str) -> None:
    assert harmless(text) == shown


def test_ambiguous_widths_can_be_avoided() -> None:
    assert harmless("é…♠ハル", ambiguous_wide=True) == "e.?ハル"


@pytest.mark.parametrize(
    "name",
    [
        *("Haru", "ハル", "ﾊﾙ", "ａｋｉ", "J・P", "<b>", "{0}", "%s", "o'Brien", "Nguyễn"),
        *("กี่", "ㅋㅋ", "〇〇", "①", "a b", "ドドドドドドドド"),
    ],
)
def test_plain_names_stay_as_they_are(name: str) -> None:
    assert clean_name(name) == name


@pytest.mark.parametrize("text", [" Haru", "Haru ", "\u3000Haru\u00a0", "HARU", "Ｈａｒｕ", "ｈaRU"])
def test_twins_share_a_key(text: str) -> None:
    assert name_key(clean_name(text)) == name_key("Haru")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ﾊﾙ", "ハル"),
        ("ﾊﾞ", "バ"),
        ("か\u3099", "が"),
        ("straße", "STRASSE"),
        ("ΣΑΣ", "σας"),
        ("a  b", "a\u3000b"),
        ("ﬁ", "FI"),
    ],
)
def test_keys_fold_case_and_compatibility(one: str, other: str) -> None:
    assert name_key(clean_name(one)) == name_key(clean_name(other))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("  おつかれ！  \u3000", "おつかれ！"),
        ("\u2764\ufe0f \U0001f1ef\U0001f1f5", "\u2764 JP"),
        ("\U0001f44d\U0001f3fd", "\U0001f44d"),
        ("7 × 2 = 14", "7 × 2 = 14"),
        ("<b>{0} %s", "<b>{0} %s"),
    ],
)
def test_chat_is_cleaned(text: str, line: str) -> None:
    assert clean_chat(text) == line


@pytest.mark.parametrize(
    "text", ["", " ", "\u200b", "x\x1b[A", "x\ny", "x\u202e", "\ud83d", "x" * 201, "\u2800"]
)
def test_bad_chat_is_refused(text: str) -> None:
    with pytest.raises(BadText):
        clean_chat(text)


def test_chat_takes_200_characters() -> None:
    assert len(clean_chat("ド" * 200)) == 200


def test_table_names_have_room() -> None:
    assert clean_table_name("♥ ハルの卓 ♥") == "♥ ハルの卓 ♥"
    with pytest.raises(BadText):
        clean_table_name("x" * 33)


@given(ANY_TEXT)
def test_harmless_always_is(text: str) -> None:
    shown = harmless(text)
    check_harmless(shown)
    assert harmless(shown) == shown
    wide = harmless(text, ambiguous_wide=True)
    check_harmless(wide)
    assert all(unicodedata.east_asian_width(c) != "A" or unicodedata.combining(c) for c in wide)


@given(ANY_TEXT)
def test_clean_names_are_stable(text: str) -> None:
    try:
        name = clean_name(text)
    except BadName:
        return
    assert clean_name(name) == name
    assert unicodedata.is_normalized("NFC", name)
    assert 1 <= columns(name) <= 16
    assert harmless(name) == name
    assert name_key(name_key(name)) == name_key(name)
    assert name_key(clean_name(name.upper()) if columns(name.upper()) <= 16 else name) == name_key(name)


@given(st.text(max_size=60))
def test_clean_chat_is_stable(text: str) -> None:
    try:
        line = clean_chat(text)
    except BadText:
        return
    assert clean_chat(line) == line
    assert harmless(line) == line


@given(st.text(max_size=4))
def test_nothing_that_precis_calls_invisible_is_a_name(text: str) -> None:
    try:
        get_profile("NicknameCasePreserved").enforce(text)
    except UnicodeEncodeError as error:
        if error.reason.removeprefix("DISALLOWED/") in {"precis_ignorable_properties", "unassigned", "other"}:
            with pytest.raises(BadName):
                clean_name(text)


@given(ANY_TEXT, st.integers(0, 50))
def test_clip_and_pad_keep_to_their_width(text: str, width: int) -> None:
    shown = harmless(text)
    assert columns(clip(shown, width)) <= width
    assert columns(pad(shown, width)) == width
    assert columns(pad(shown, width, right=True)) == width
    if columns(shown) <= width:
        assert clip(shown, width) == shown


def test_clip_says_that_it_cut() -> None:
    assert clip("ドボン", 5) == "ドボ~"
    assert clip("ドボン", 4) == "ド~"
    assert pad("ドボン", 4) == "ド~ "
    assert clip("abc", 0) == ""


def check_harmless(text: str) -> None:
    for character in text:
        category = unicodedata.category(character)
        assert category[0] != "C"
        assert category not in {"Zl", "Zp"}
        assert character not in "\u3164\uffa0\u115f\u1160\u2800\u034f\ufe0f\u200d"
    assert not text or unicodedata.category(text[0])[0] != "M"
    if all(unicodedata.category(character) != "Mc" for character in text):
        assert wcswidth(text) == columns(text)
