"""How a session gets its connections: the network, or in tests whatever gives a stream."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Awaitable, Callable, Sequence
from hashlib import sha256
from typing import Final, TypeAlias

import trio

from protocol.joincode import Address
from protocol.trouble import system_reason

from .i18n import mark
from .pins import Doubt, Pins

Dial: TypeAlias = Callable[[], Awaitable[trio.abc.Stream]]
"""Opens a connection; raises OSError where there is none to be had."""

PATIENCE: Final = 10
"""Seconds for a connection, and for the answer to a hello, to come about."""

FIRST_RETRY: Final = 500
"""The longest wait before the first attempt to reconnect, in ms; it doubles up to `LAST_RETRY`."""
LAST_RETRY: Final = 15_000


NO_ANSWER: Final = mark("no answer")
CUT: Final = mark("connection closed")
NO_SUCH_HOST: Final = mark("there is no machine of that name, and no such join code")
NO_NAMES: Final = mark("that name can't be looked up just now, and it is no join code")


def reason(error: OSError) -> str:
    """Why a dial failed, to be translated."""
    cause: BaseException = error
    while inner := cause.exceptions[0] if isinstance(cause, BaseExceptionGroup) else cause.__cause__:
        cause = inner
    match cause:
        case socket.gaierror(errno=socket.EAI_AGAIN):
            return NO_NAMES
        case socket.gaierror():
            return NO_SUCH_HOST
        case OSError():
            return system_reason(cause)
        case _:
            return str(error)


def retry_after(attempt: int, jitter: float) -> int:
    """The ms to wait before an attempt, counted from 1; `jitter` is drawn from 0 to 1.

    The wait is drawn from 0 to the full time after that is capped, so that a thousand clients come back
    spread and do not meet at the cap.
    """
    return int(jitter * min(LAST_RETRY, FIRST_RETRY << min(attempt - 1, 16)))


class Dialler:
    """Dials the first of several meanings of an address that answers, and from then on that one alone.

    With `pins` TLS is tried first, so that nothing is said in the open to a server that can do without; one
    that does not know it is dialled again. Without, as to a server of one's own, nothing is encrypted.
    """

    def __init__(self, addresses: Sequence[Address], pins: Pins | None = None) -> None:
        self.addresses = tuple(addresses)
        self._pins = pins
        self._plain = pins is None

    async def __call__(self) -> trio.abc.Stream:
        """Raises OSError for the likeliest meaning if none answers, Doubt if it is not who it was."""
        problem: OSError | None = None
        for address in self.addresses:
            try:
                stream = await self._open(address)
            except OSError as error:
                problem = problem or error
                continue
            self.addresses = (address,)
            return stream
        assert problem is not None, "an address has at least one meaning"
        raise problem

    async def _open(self, address: Address) -> trio.abc.Stream:
        try:
            with trio.fail_after(PATIENCE):
                if not self._plain:
                    stream = await self._encrypted(address)
                    if stream is not None:
                        return stream
                return await trio.open_tcp_stream(address.host, address.port)
        except trio.TooSlowError:
            raise TimeoutError(NO_ANSWER) from None
        except UnicodeError as error:  # a name that no domain can have
            raise OSError(str(error)) from None

    async def _encrypted(self, address: Address) -> trio.abc.Stream | None:
        """None if the server does not speak TLS."""
        assert self._pins is not None
        stream = trio.SSLStream(await trio.open_tcp_stream(address.host, address.port), _context())
        try:
            await stream.do_handshake()
        except trio.BrokenResourceError as error:
            await trio.aclose_forcefully(stream)
            if self._pins.known(address) is not None and not _speaks(error):
                raise ConnectionResetError(CUT) from None
            self._pins.check(address, None)
            self._plain = True
            return None
        except BaseException:
            await trio.aclose_forcefully(stream)
            raise
        try:
            self._pins.check(address, sha256(stream.getpeercert(binary_form=True)).hexdigest())
        except Doubt:
            await trio.aclose_forcefully(stream)
            raise
        return stream


def _context() -> ssl.SSLContext:
    """Any certificate will do here: it is its fingerprint that counts."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    return context


def _speaks(error: trio.BrokenResourceError) -> bool:
    """Whether the handshake failed over what the other end said, and not because it was cut off."""
    cause = error.__cause__
    return isinstance(cause, ssl.SSLError) and not isinstance(cause, ssl.SSLEOFError)
