"""A client's end of TLS over the in-memory network, with the same calls as a plain one."""

from __future__ import annotations

import ssl
from typing import cast

import trio

from server.memory import Client

from .world import Caller, World


def trusting() -> ssl.SSLContext:
    """A client's context that takes any certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


class EncryptedClient:
    """`sizes` are those of the pieces of plain bytes that came in one read."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.sizes: list[int] = []
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = trusting().wrap_bio(self._incoming, self._outgoing)

    async def shake(self) -> None:
        while True:
            try:
                self.tls.do_handshake()
                break
            except ssl.SSLWantReadError:
                self.client.send(self._outgoing.read())
                self._incoming.write(await self.client.receive())
        self.client.send(self._outgoing.read())

    def send(self, data: bytes, arrival: int | None = None, readable: int | None = None) -> None:
        self.tls.write(data)
        self.client.send(self._outgoing.read(), arrival, readable)

    async def receive(self) -> bytes:
        """Plain bytes, none at the end."""
        while True:
            try:
                data = self.tls.read(65536)
            except ssl.SSLWantReadError:
                pass
            except ssl.SSLError:
                return b""
            else:
                self.sizes.append(len(data))
                return data
            data = await self.client.receive()
            if not data:
                return b""
            self._incoming.write(data)

    def close(self) -> None:
        self.client.close()


async def dial_encrypted(server: World) -> Caller:
    """A caller over TLS."""
    client = EncryptedClient(server.network.connect())
    await client.shake()
    caller = Caller(cast(Client, client))
    server.nursery.start_soon(caller.listen)
    return caller


async def hello_encrypted(server: World, name: str) -> Caller:
    caller = await dial_encrypted(server)
    caller.send(t="hello", versions=[1], name=name, agent="test")
    with trio.fail_after(3600):
        welcome = await caller.next(t="welcome")
    caller.player, caller.token = welcome["player"], welcome["token"]
    return caller
