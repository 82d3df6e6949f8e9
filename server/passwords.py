"""Passwords of tables: kept only as a hash that is slow to try, and compared in constant time."""

from __future__ import annotations

from hashlib import scrypt, sha256
from hmac import compare_digest
from os import urandom
from typing import Final

SALT_BYTES: Final = 16
_COST: Final = {"n": 2**12, "r": 8, "p": 1}
"""4 MiB and some ms: the harvester waits for it."""


class Password:
    """A table's password. Slow is only the first right one after a restart, and every wrong one before it."""

    __slots__ = ("_quick", "salt", "slow")

    def __init__(self, salt: bytes, slow: bytes) -> None:
        """As a record has it."""
        self.salt = salt
        self.slow = slow
        self._quick: bytes | None = None

    @classmethod
    def of(cls, password: str) -> Password:
        """A password as its owner has chosen it."""
        salt = urandom(SALT_BYTES)
        made = cls(salt, _slow(password, salt))
        made._quick = _quick(password)
        return made

    def admits(self, password: str) -> bool:
        """Whether this is it."""
        quick = _quick(password)
        if self._quick is not None:
            return compare_digest(quick, self._quick)
        if not compare_digest(_slow(password, self.salt), self.slow):
            return False
        self._quick = quick
        return True


def _quick(password: str) -> bytes:
    return sha256(password.encode("utf-8", "surrogatepass")).digest()


def _slow(password: str, salt: bytes) -> bytes:
    return scrypt(password.encode("utf-8", "surrogatepass"), salt=salt, **_COST)
