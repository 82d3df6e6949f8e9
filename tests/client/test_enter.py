"""From a goal to a session: to whom a token and a password are told."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio

from client import tokens
from client.enter import entered
from client.goal import Goal
from client.tokens import KeptToken
from protocol.frame import encode_frame
from protocol.joincode import Address
from server.certificate import identity
from tests.client.fake_server import WELCOME, Peer


@asynccontextmanager
async def listening() -> AsyncIterator[tuple[Address, list[dict[str, Any]]]]:
    """A server without TLS that lets everybody in, its address, and the hellos that it was told."""
    hellos: list[dict[str, Any]] = []

    async def serve(stream: trio.SocketStream) -> None:
        peer = Peer(stream)
        if await peer.speaks():
            hellos.append(await peer.hear())
            await stream.send_all(encode_frame({**WELCOME, "token": "of the liar"}))
            await trio.sleep_forever()

    async with trio.open_nursery() as nursery:
        (listener,) = await nursery.start(partial(trio.serve_tcp, serve, 0, host="127.0.0.1"))
        yield Address("127.0.0.1", listener.socket.getsockname()[1]), hellos
        nursery.cancel_scope.cancel()


async def test_over_tls_even_the_hello_is_padded(state: Path, tmp_path: Path) -> None:
    """Else its length would tell that of a password."""
    context = identity(tmp_path, str).context
    lengths: list[int] = []

    async def serve(stream: trio.SocketStream) -> None:
        encrypted = trio.SSLStream(stream, context, server_side=True)
        lengths.append(len(await encrypted.receive_some(65536)))
        await encrypted.send_all(encode_frame(WELCOME))
        await trio.sleep_forever()

    async with trio.open_nursery() as nursery:
        (listener,) = await nursery.start(partial(trio.serve_tcp, serve, 0, host="127.0.0.1"))
        here = Address("127.0.0.1", listener.socket.getsockname()[1])
        for password in ("", "x" * 50):
            async with entered(Goal((here,), "Kitchen", "Haru", password=password)) as (session, _name, _pin):
                assert session.online
        nursery.cancel_scope.cancel()
    assert lengths == [256, 256]


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tokens.state_path() / "sessions"


async def test_a_token_is_not_told_to_another_address_of_the_same_goal(state: Path) -> None:
    """The first address was the server's; it is down, and somebody waits at the second."""
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        home = Address(*closed.getsockname())
        with KeptToken(str(home), "Haru", state) as kept:
            kept.keep("of the server")
        async with listening() as (other, hellos):
            async with entered(Goal((home, other), "Kitchen", "Haru")) as (session, _name, _fingerprint):
                assert session.online
            async with entered(Goal((other,), "Kitchen", "Haru")) as (session, _name, _fingerprint):
                assert session.online
    assert [hello.get("token") for hello in hellos] == [None, "of the liar"]
    assert KeptToken(str(home), "Haru", state).token == "of the server"
