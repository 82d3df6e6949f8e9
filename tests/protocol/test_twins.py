"""Names that look alike are the same; names that do not are not."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.text import BadName, clean_name, name_key
from protocol.twins import looks, looks_like_word


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("H\u0430ru", "Haru"),
        ("\u0397ARU", "haru"),
        ("\ua4e7\ua4ee\ua4e3\ua4f4", "Haru"),
        ("\u029cᴀʀᴜ", "Haru"),
        ("\u0412\u041e\u0412", "BOB"),
        ("llya", "Ilya"),
        ("J0e", "Joe"),
        ("カオル", "力才ル"),
        ("ハル一", "ハルー"),
        ("ﾊﾙ", "八ル"),
        ("リン", "りン"),
        ("o\u2019Brien", "o'Brien"),
        ("a\u2010b", "a-b"),
    ],
)
def test_twins_look_alike(one: str, other: str) -> None:
    assert name_key(clean_name(one)) != name_key(clean_name(other)) or one == other
    assert looks(clean_name(one)) == looks(clean_name(other))


def test_names_that_can_be_told_apart_stay_apart() -> None:
    names = [
        *("Ai", "Al", "Haru", "Hana", "Hiro", "Ken", "Kana", "Nao", "Rin", "Ren", "Riku", "haru 2", "haru 3"),
        *(
            "ハル",
            "ハナ",
            "はる",
            "春",
            "太郎",
            "Саша",
            "Маша",
            "Νίκος",
            "Αννα",
            "Öz",
            "Oz",
            "a.b",
            "a-b",
            "a b",
        ),
    ]
    for one, other in combinations(names, 2):
        assert looks(clean_name(one)) != looks(clean_name(other)), (one, other)


@given(st.text(max_size=16))
def test_who_has_the_same_name_looks_the_same(text: str) -> None:
    try:
        name = clean_name(text)
    except BadName:
        return
    assert looks(name) == looks(looks(name))


@pytest.mark.parametrize(
    "name", ["(server)", "（ＳＥＲＶＥＲ）", "(s\u0435rver)", "Server", "[server]:", "ser-ver"]
)
def test_nobody_looks_like_the_server(name: str) -> None:
    assert looks_like_word(clean_name(name), "server")


@pytest.mark.parametrize("name", ["observer", "servers", "Severin", "サーバー"])
def test_other_words_are_free(name: str) -> None:
    assert not looks_like_word(clean_name(name), "server")
