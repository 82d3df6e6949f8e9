"""Chance, all of it: what follows from a round's 32-byte seed (rules, section 3; protocol, section 4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import count
from struct import Struct
from typing import TypeVar

T = TypeVar("T")

SEED_BYTES = 32

_WORDS = Struct(">8I")
_WORD_LIMIT = 2**32


def words(seed: bytes, label: str) -> Iterator[int]:
    """The endless stream of 32-bit words that ``seed`` gives for ``label``."""
    prefix = seed + label.encode("ascii")
    for block in count():
        yield from _WORDS.unpack(sha256(prefix + block.to_bytes(4, "big")).digest())


def below(n: int, stream: Iterator[int]) -> int:
    """A number from 0 to ``n - 1``, each equally likely: words that would favour some are passed over."""
    limit = _WORD_LIMIT - n
    for word in stream:
        # nearly always far below: the exact limit is worked out only for the few words near the end
        if word < limit or word < _WORD_LIMIT - _WORD_LIMIT % n:
            return word % n
    raise ValueError("the stream of words has ended")


def shuffle(items: list[T], stream: Iterator[int]) -> None:
    """Shuffle in place, from the last index down to 1."""
    for size in range(len(items), 1, -1):
        other = below(size, stream)
        items[size - 1], items[other] = items[other], items[size - 1]


def commit_of(secret: bytes) -> bytes:
    """What a server publishes of its secret before it sees any nonce."""
    return sha256(b"dobon commit" + secret).digest()


def seed_of(secret: bytes, nonces: Sequence[bytes | None]) -> bytes:
    """The round's seed from the server's secret and each seat's nonce (to 255 bytes; absent is empty)."""
    hashed = sha256(b"dobon seed" + secret)
    for nonce in nonces:
        given = nonce or b""
        hashed.update(bytes([len(given)]) + given)
    return hashed.digest()
