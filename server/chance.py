"""Where the server's secrets come from: the system, or for tests and shows a seed that is given."""

from __future__ import annotations

import os
from base64 import urlsafe_b64encode
from hashlib import sha256

SECRET_BYTES = 32


class Chance:
    """A source of secrets. With a ``seed`` each follows from it and its label, which clients are told."""

    def __init__(self, seed: bytes | None = None) -> None:
        self._seed = seed

    @property
    def seeded(self) -> bool:
        return self._seed is not None

    def secret(self, label: str) -> bytes:
        """32 bytes that nobody can guess; with a seed the same for the same label."""
        if self._seed is None:
            return os.urandom(SECRET_BYTES)
        return sha256(b"dobon server " + self._seed + label.encode()).digest()

    def token(self, label: str) -> str:
        """A session's token: 256 bits of a secret as text."""
        return urlsafe_b64encode(self.secret(label)).decode().rstrip("=")
