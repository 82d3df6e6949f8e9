"""Chance is fair: no card favours a place, no number is likelier than another."""

from __future__ import annotations

from hashlib import sha256
from itertools import pairwise, repeat

import pytest

from engine.deal import below, commit_of, seed_of, shuffle, words

SHUFFLES = 20_000
CARDS = 52


def chi_square(counts: list[int], expected: float) -> float:
    return sum((count - expected) ** 2 / expected for count in counts)


def bound(freedom: int) -> float:
    """What chi-square passes once in a thousand times (Wilson and Hilferty)."""
    ninth = 2 / (9 * freedom)
    return float(freedom * (1 - ninth + 3.0902 * ninth**0.5) ** 3)


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("shuffles", [SHUFFLES, pytest.param(1_000_000, marks=pytest.mark.nightly)])
def test_every_card_comes_to_every_place_as_often(shuffles: int) -> None:
    """52 x 52 places, and which card lies on which: a shuffle that swaps with any index fails by far."""
    places = [0] * CARDS * CARDS
    pairs = [0] * CARDS * CARDS
    for number in range(shuffles):
        cards = list(range(CARDS))
        shuffle(cards, words(sha256(number.to_bytes(4, "big")).digest(), "deal"))
        for place, card in enumerate(cards):
            places[place * CARDS + card] += 1
        for lower, upper in pairwise(cards):
            pairs[lower * CARDS + upper] += 1
    assert chi_square(places, shuffles / CARDS) < bound((CARDS - 1) ** 2)
    others = [count for index, count in enumerate(pairs) if index % (CARDS + 1)]
    assert chi_square(others, shuffles * (CARDS - 1) / len(others)) < bound(len(others) - 1)


def test_the_bound_sees_a_biased_shuffle() -> None:
    places = [0] * CARDS * CARDS
    for number in range(SHUFFLES // 4):
        cards = list(range(CARDS))
        stream = words(sha256(number.to_bytes(4, "big")).digest(), "deal")
        for index in range(CARDS):
            other = below(CARDS, stream)
            cards[index], cards[other] = cards[other], cards[index]
        for place, card in enumerate(cards):
            places[place * CARDS + card] += 1
    assert chi_square(places, SHUFFLES / 4 / CARDS) > bound((CARDS - 1) ** 2)


@pytest.mark.parametrize("n", [1, 2, 3, 5, 7, 52, 54, 2**31 + 1])
def test_words_that_would_favour_some_numbers_are_passed_over(n: int) -> None:
    """Of the 2**32 words as many lead to each number: the incomplete last turn is not used."""
    used = 2**32 - 2**32 % n
    assert below(n, iter([used - 1])) == n - 1
    if used < 2**32:
        assert below(n, iter([used, 2**32 - 1, 0])) == 0
        with pytest.raises(ValueError, match="ended"):
            below(n, iter([2**32 - 1]))
    assert below(n, repeat(0)) == 0


def test_every_part_of_a_seed_counts() -> None:
    secret, nonces = bytes(32), [b"a", None, b"", b"bc"]
    seeds = {
        seed_of(secret, nonces),
        seed_of(b"\1" + secret[1:], nonces),
        seed_of(secret, [b"b", None, b"", b"bc"]),
        seed_of(secret, [None, b"a", b"", b"bc"]),
        seed_of(secret, [b"a", None, b"b", b"c"]),
        seed_of(secret, [b"a", None, b"", b"b", b"c"]),
    }
    assert len(seeds) == 6
    assert seed_of(secret, nonces) == seed_of(secret, [b"a", b"", None, b"bc"])
    assert commit_of(secret) not in seeds
