"""Announcing and browsing over loopback, with real multicast; and what happens where there is none."""

import math
import uuid

import pytest
import trio
import zeroconf

from client.discovery import DiscoveryError, FoundServer, browse
from protocol.joincode import Address
from server.discovery import Advert, Announcer, local_addresses
from tests.patience import soon


def advert(name: str) -> Advert:
    return Advert(name, 40123, ("127.0.0.1",), version=1, agent="dobon/0.1", fingerprint="0f" * 32)


async def until(name: str, **fields: object) -> FoundServer:
    """Browses until a server of that name says those things of itself."""
    seen: list[FoundServer] = []
    with soon(f"{name} with {fields}"), trio.CancelScope() as scope:

        def report(servers: tuple[FoundServer, ...]) -> None:
            for server in servers:
                if server.name == name and all(
                    getattr(server, key) == value for key, value in fields.items()
                ):
                    seen.append(server)
                    scope.cancel()

        await browse(math.inf, report)
    return seen[0]


async def test_a_server_is_found_and_its_players_are_counted() -> None:
    name = f"ハルの卓. {uuid.uuid4().hex[:8]}"
    failures: list[tuple[str, str]] = []
    announcer = Announcer(advert(name), lambda event, why: failures.append((event, why)))
    announcer.start()
    try:
        found = await until(name, players=0)
        assert found == FoundServer(name, (Address("127.0.0.1", 40123),), 1, 0, "0f" * 32)
        assert found.code is not None
        announcer.players(1)
        announcer.players(3)
        await until(name, players=3)
    finally:
        await trio.to_thread.run_sync(announcer.close)
    assert failures == []


async def test_where_nothing_can_be_announced_it_is_logged(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **options: object) -> None:
        raise OSError(19, "No such device")

    monkeypatch.setattr(zeroconf, "Zeroconf", refuse)
    failures: list[tuple[str, str]] = []
    announcer = Announcer(advert("x"), lambda event, why: failures.append((event, why)))
    announcer.start()
    announcer.players(2)
    await trio.to_thread.run_sync(announcer.close)
    assert failures == [("discovery_failed", "OSError: [Errno 19] No such device")]
    with pytest.raises(DiscoveryError, match="no such device"):
        await browse(1)


def test_an_announcer_that_never_started_can_be_closed() -> None:
    Announcer(advert("x"), lambda event, why: None).close()


def test_wildcards_stand_for_addresses_that_others_can_use() -> None:
    assert local_addresses(("::1", "127.0.0.1")) == ["127.0.0.1", "::1"]
    everywhere = local_addresses(("0.0.0.0", "::"))
    assert "127.0.0.1" not in everywhere
    assert not any(address.startswith(("::", "fe80", "0.")) for address in everywhere)
