import pytest

from client import i18n
from client.problems import address_problem, text_problem
from protocol.joincode import BadAddress, parse_address
from protocol.text import BadText, clean_chat, clean_name

JAPANESE = i18n.catalogue("ja").gettext


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("", "nothing to be seen"),
        ("x" * 17, "at most 16 columns"),
        ("x\x1b", "can't be used"),
        ("x\u0301\u0301\u0301\u0301", "too many marks"),
    ],
)
def test_names(name: str, said: str) -> None:
    with pytest.raises(BadText) as bad:
        clean_name(name)
    assert said in text_problem(bad.value, str)
    assert text_problem(bad.value, JAPANESE) != text_problem(bad.value, str)


def test_chat_that_is_too_long() -> None:
    with pytest.raises(BadText) as bad:
        clean_chat("x" * 201)
    assert "200 characters" in text_problem(bad.value, str)


@pytest.mark.parametrize(
    ("typed", "said"),
    [("", "is needed"), ("host:0", "from 1 to 65535"), ("a/b", "neither"), ("04 3Q", "mistake")],
)
def test_addresses(typed: str, said: str) -> None:
    with pytest.raises(BadAddress) as bad:
        parse_address(typed)
    assert said in address_problem(bad.value, str)
    assert address_problem(bad.value, JAPANESE) != address_problem(bad.value, str)
