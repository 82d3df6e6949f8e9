"""TLS over bytes that somebody else reads and sends, so that a read's stamp stays that of its frames."""

import contextlib
import ssl
from typing import Final

_PLAIN_SIZE: Final = 65536


def prepare(context: ssl.SSLContext) -> None:
    """Make a server's context speak TLS 1.3 without tickets.

    Nothing here resumes a TLS session, and a ticket would be written behind the handshake of a client that
    may be gone already.
    """
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.num_tickets = 0


class TlsStream:
    """The server's end of one TLS connection."""

    __slots__ = ("_incoming", "_object", "_outgoing", "_ready")

    def __init__(self, context: ssl.SSLContext) -> None:
        self._incoming = ssl.MemoryBIO()
        self._outgoing = ssl.MemoryBIO()
        self._object = context.wrap_bio(self._incoming, self._outgoing, server_side=True)
        self._ready = False

    def decrypt(self, data: bytes) -> tuple[bytes, bool]:
        """The plain bytes that come of encrypted ones, and whether the stream is over: closed or broken.

        `outgoing()` has to be sent after each call: parts of the handshake, an alert.
        """
        self._incoming.write(data)
        plain = bytearray()
        try:
            if not self._ready:
                self._object.do_handshake()
                self._ready = True
            # The first frame may have come with the end of the handshake, so go on reading.
            while part := self._object.read(_PLAIN_SIZE):
                plain += part
        except ssl.SSLWantReadError:
            return bytes(plain), False
        except ssl.SSLError:
            pass
        return bytes(plain), True

    def encrypt(self, data: bytes) -> bytes:
        """What to send for plain bytes; nothing where the handshake is not done, as nobody could read it."""
        if not self._ready:
            return b""
        with contextlib.suppress(ssl.SSLError):
            left = memoryview(data)
            while left:
                left = left[self._object.write(left) :]
        return self.outgoing()

    def farewell(self) -> bytes:
        """What to send last."""
        if self._ready:
            with contextlib.suppress(ssl.SSLError):  # it wants the other end's farewell, which nobody awaits
                self._object.unwrap()
        return self.outgoing()

    def outgoing(self) -> bytes:
        """What waits to be sent."""
        return self._outgoing.read()
