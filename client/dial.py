"""How a session gets its connections: the network, or in tests whatever gives a stream."""

from __future__ import annotations

import ssl
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, TypeAlias

import trio

from protocol.joincode import Address

Dial: TypeAlias = Callable[[], Awaitable[trio.abc.Stream]]
"""Opens a connection; raises OSError where there is none to be had."""

PATIENCE: Final = 10
"""Seconds for a connection, and for the answer to a hello, to come about."""


class Dialler:
    """Dials the first of several meanings of an address that answers, and from then on that one alone."""

    def __init__(self, addresses: Sequence[Address], tls: ssl.SSLContext | None = None) -> None:
        self.addresses = tuple(addresses)
        self._tls = tls

    async def __call__(self) -> trio.abc.Stream:
        """Raises OSError for the likeliest meaning if none answers."""
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
                stream = await trio.open_tcp_stream(address.host, address.port)
        except trio.TooSlowError:
            raise TimeoutError("no answer") from None
        except UnicodeError as error:  # a name that no domain can have
            raise OSError(str(error)) from None
        if self._tls is None:
            return stream
        return trio.SSLStream(stream, self._tls, server_hostname=address.host)
