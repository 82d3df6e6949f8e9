"""Nobody gets more than their part: connections, sessions, tables, spectators, guesses, outboxes."""

from __future__ import annotations

import resource
from typing import Any

import pytest
import trio

from engine.cards import CARDS
from protocol.frame import SERVER_LIMIT, encode_frame, pad_frame
from protocol.text import NAME_COLUMNS, TABLE_NAME_COLUMNS, clean_name, clean_table_name
from server import table_requests
from server.bot_seat import InlineThinker
from server.config import Config
from server.core import Core
from server.harvest import Harvester
from server.limits import (
    GUESS_EVERY,
    GUESSES,
    LOCK_EVERY,
    LOCKS,
    MOST_SPECTATORS,
    MOST_TABLES,
    OTHER_FILES,
    Allowance,
    Doors,
    Limits,
    host_of,
    is_near,
    key_of,
    open_files,
)
from server.memory import Network
from server.record import NoRecord
from server.series import MOST_NAMES, Series
from server.settings import SECOND

from .world import Caller, World, world

FAR = "8.8.8.8"
Clock = trio.testing.MockClock


def dial_from(server: World, address: str) -> Caller:
    caller = Caller(server.network.connect(address))
    server.nursery.start_soon(caller.listen)
    return caller


async def hello_from(server: World, address: str, name: str, **fields: Any) -> dict[str, Any]:
    """The first thing that a hello from there is answered with."""
    caller = dial_from(server, address)
    caller.send(t="hello", versions=[1], name=name, agent="test", **fields)
    return await caller.next()


@pytest.mark.parametrize(
    ("address", "host", "key", "near"),
    [
        ("127.0.0.1:40000", "127.0.0.1", "127.0.0.1", True),
        ("192.168.3.4:1", "192.168.3.4", "192.168.3.4", True),
        ("10.1.2.3:1", "10.1.2.3", "10.1.2.3", True),
        ("8.8.8.8:1", "8.8.8.8", "8.8.8.8", False),
        ("[::1]:1", "::1", "::1", True),
        ("[fe80::1%eth0]:1", "fe80::1", "fe80::1", True),
        ("[fd00::1]:1", "fd00::1", "fd00::1", True),
        ("[2600:1:2:3:4:5:6:7]:1", "2600:1:2:3:4:5:6:7", "2600:1:2:3::", False),
        ("[2600:1:2:3:ffff::]:9", "2600:1:2:3:ffff::", "2600:1:2:3::", False),
        ("memory:7", "memory", "memory", True),
    ],
)
def test_an_address_is_one_household(address: str, host: str, key: str, near: bool) -> None:
    assert (host_of(address), key_of(address), is_near(key_of(address))) == (host, key, near)


def test_doors_count_by_address_and_in_all() -> None:
    doors = Doors(Limits(connections=10, far=3))
    assert [doors.enter(f"8.8.8.8:{port}") for port in range(4)] == [True, True, True, False]
    doors.leave("8.8.8.8:3")
    assert [doors.enter(f"127.0.0.1:{port}") for port in range(8)] == [True] * 7 + [False]
    doors.leave("127.0.0.1:7")
    doors.leave("8.8.8.8:0")
    assert doors.connections == 9
    assert doors.enter("8.8.4.4:1")
    assert not doors.enter("8.8.4.4:2")


def test_no_near_address_takes_the_last_places() -> None:
    limits = Limits(connections=100)
    doors = Doors(limits)
    assert all(doors.enter(f"192.168.0.2:{port}") for port in range(limits.near))
    assert not doors.enter("192.168.0.2:9999")
    doors.leave("192.168.0.2:9999")
    assert doors.enter("192.168.0.3:1")


def test_sessions_are_counted_where_they_began() -> None:
    doors = Doors(Limits(far=1, sessions=100))
    for player in range(4):
        assert doors.may_begin("8.8.8.8:1", player)
        doors.begin("8.8.8.8:1", player)
    assert not doors.may_begin("8.8.8.8:1", 4)
    assert doors.may_begin("8.8.4.4:1", 4)
    doors.end(2)
    doors.end(99)
    assert doors.may_begin("8.8.8.8:1", 3)
    assert not doors.may_begin("8.8.4.4:1", 100)


def test_guesses_come_back_one_by_one() -> None:
    guesses = Allowance()
    for _ in range(GUESSES):
        assert guesses.allows("8.8.8.8:1", 0)
        guesses.use("8.8.8.8:1", 0)
    assert not guesses.allows("8.8.8.8:2", 0)
    assert not guesses.allows("8.8.8.8:2", GUESS_EVERY - 1)
    assert guesses.allows("8.8.8.8:2", GUESS_EVERY)
    assert guesses.allows("8.8.4.4:1", 0)
    guesses.use("8.8.8.8:2", GUESS_EVERY)
    assert not guesses.allows("8.8.8.8:2", GUESS_EVERY)


def test_guessers_by_the_million_are_forgotten() -> None:
    guesses = Allowance()
    for number in range(30_000):
        guesses.use(f"[2600:{number >> 8:x}:{number & 255:x}::1]:1", number)
    assert len(guesses._whole_at) <= 10_000


def test_who_has_all_guesses_again_is_forgotten() -> None:
    guesses = Allowance()
    for number in range(1000):
        guesses.use(f"8.8.{number >> 8}.{number & 255}:1", number * SECOND)
    assert len(guesses._whole_at) <= GUESS_EVERY // SECOND + 1


@pytest.mark.parametrize("descriptors", [1, 64, 100, 256, 1024, 1 << 20])
def test_limits_fit_the_descriptors(descriptors: int) -> None:
    limits = Limits().fitted(descriptors)
    assert 1 <= limits.connections <= Limits().connections
    if descriptors >= 64:
        assert limits.connections + limits.lingering + OTHER_FILES <= descriptors


def test_as_many_files_are_asked_for_as_can_be_had() -> None:
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, before[1]))
        assert open_files() == (None if before[1] == resource.RLIM_INFINITY else before[1])
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


async def test_a_full_server_says_so_and_those_inside_play_on(autojump_clock: Clock) -> None:
    async with world(Config(limits=Limits(connections=12, far=3))) as server:
        inside = [await server.hello(f"P{number}") for number in range(11)]
        late = server.dial()
        late.send(t="hello", versions=[1], name="Late", agent="test")
        assert (await late.next())["code"] == "server_full"
        await late.end()
        assert (await hello_from(server, f"{FAR}:1", "A"))["t"] == "welcome"
        # Now the total, though the address has room.
        assert (await hello_from(server, f"{FAR}:2", "B"))["code"] == "server_full"
        assert [(await caller.ask("tables"))["t"] for caller in inside] == ["ok"] * 11
        inside[0].client.close()
        await trio.sleep(1)
        assert (await hello_from(server, f"{FAR}:4", "C"))["t"] == "welcome"


async def test_one_far_address_has_its_part(autojump_clock: Clock) -> None:
    async with world(Config(limits=Limits(far=3))) as server:
        for number in range(3):
            assert (await hello_from(server, f"8.8.8.8:{number}", f"P{number}"))["t"] == "welcome"
        assert (await hello_from(server, "8.8.8.8:9", "Late"))["code"] == "server_full"
        assert (await hello_from(server, "8.8.4.4:9", "Late"))["t"] == "welcome"


async def test_sessions_left_behind_count_for_their_address(autojump_clock: Clock) -> None:
    async with world(Config(limits=Limits(far=2))) as server:
        for number in range(8):
            caller = dial_from(server, f"8.8.8.8:{number}")
            caller.send(t="hello", versions=[1], name=f"P{number}", agent="test")
            assert (await caller.next())["t"] == "welcome"
            caller.client.close()
            await caller.end()
        assert (await hello_from(server, "8.8.8.8:9", "Ninth"))["code"] == "server_full"
        assert (await hello_from(server, "8.8.4.4:9", "Ninth"))["t"] == "welcome"
        await trio.sleep(700)
        assert (await hello_from(server, "8.8.8.8:9", "Tenth"))["t"] == "welcome"


async def test_a_takeover_gives_the_place_back(autojump_clock: Clock) -> None:
    async with world(Config(limits=Limits(connections=3))) as server:
        caller = await server.hello("Haru")
        for _ in range(10):
            caller = await server.resume(caller)
        assert server.core.visitors._doors.connections == 1


async def test_who_says_nothing_holds_a_place_for_five_seconds(autojump_clock: Clock) -> None:
    async with world(Config(limits=Limits(connections=50, far=40))) as server:
        healthy = await server.hello("Healthy")
        slow = [dial_from(server, f"8.8.8.8:{port}") for port in range(200)]
        for number, caller in enumerate(slow[:40]):
            if number % 2:
                caller.client.send(b"\0")
        began = trio.current_time()
        newcomer = await server.hello("Newcomer")
        assert trio.current_time() - began < 0.01
        assert (await newcomer.ask("tables"))["t"] == (await healthy.ask("tables"))["t"] == "ok"
        for caller in slow:
            await caller.end()
        assert trio.current_time() - began < 7
        assert server.core.visitors._doors.connections == 2


async def test_tables_and_spectators(autojump_clock: Clock) -> None:
    async with world(Config(limits=Limits(tables=2, spectators=2))) as server:
        a, b = await server.hello("A"), await server.hello("B")
        made = await a.ask("create")
        assert (await b.ask("create"))["t"] == "ok"
        assert (await b.ask("create"))["code"] == "server_full"
        watchers = [await server.hello(f"W{number}") for number in range(3)]
        codes = [(await caller.ask("watch", table=made["table"])).get("code") for caller in watchers]
        assert codes == [None, None, "table_full"]
        await watchers[0].ask("leave", table=made["table"])
        assert (await watchers[2].ask("watch", table=made["table"]))["t"] == "ok"
        await b.ask("leave", table=made["table"] + 1)
        assert (await b.ask("create"))["t"] == "ok"


async def test_no_address_takes_all_tables(autojump_clock: Clock) -> None:
    async with world(Config(limits=Limits(tables=20, far=8))) as server:
        made: dict[str, list[str | None]] = {}
        for address in ("8.8.8.8", "8.8.4.4", "192.168.1.2", "192.168.1.3"):
            for port in (1, 2):
                caller = dial_from(server, f"{address}:{port}")
                caller.send(t="hello", versions=[1], name=f"{address} {port}", agent="test")
                await caller.next(t="welcome")
                for _ in range(10):
                    made.setdefault(address, []).append((await caller.ask("create")).get("code"))
        # A far address gets half as many as it may have connections, a near one all but the last tenth.
        assert {address: codes.count(None) for address, codes in made.items()} == {
            "8.8.8.8": 4,
            "8.8.4.4": 4,
            "192.168.1.2": 12,
            "192.168.1.3": 0,
        }
        assert made["8.8.8.8"][4:] == ["server_full"] * 16
    assert [Limits(tables=20).tables_from(key) for key in ("127.0.0.1", "8.8.8.8")] == [18, 18]
    assert [Limits().tables_from(key) for key in ("127.0.0.1", "8.8.8.8")] == [270, 50]
    assert [Limits(tables=1, far=1).tables_from(key) for key in ("127.0.0.1", "8.8.8.8")] == [1, 1]


async def test_guessing_the_servers_password(autojump_clock: Clock) -> None:
    async with world(Config(password="open sesame")) as server:
        assert (await hello_from(server, "8.8.8.8:1", "A", password=None))["code"] == "password"
        for number in range(GUESSES):
            error = await hello_from(server, "8.8.8.8:1", "A", password=str(number))
            assert error["code"] == "password"
        right = {"name": "A", "password": "open sesame"}
        # Not even the right one: else the answer would tell.
        assert (await hello_from(server, "8.8.8.8:1", **right))["code"] == "rate"
        assert (await hello_from(server, "8.8.4.4:1", **right))["t"] == "welcome"
        await trio.sleep(GUESS_EVERY / SECOND)
        assert (await hello_from(server, "8.8.8.8:1", "B", password="open sesame"))["t"] == "welcome"


async def test_guessing_a_tables_password(autojump_clock: Clock) -> None:
    async with world() as server:
        host = await server.hello("Host")
        table = (await host.ask("create", password="小さな森"))["table"]
        guest = await server.hello("Guest")
        assert (await guest.ask("join", table=table))["code"] == "password"
        for number in range(GUESSES):
            await trio.sleep(0.1)
            assert (await guest.ask("watch", table=table, password=str(number)))["code"] == "password"
        assert (await guest.ask("join", table=table, password="小さな森"))["code"] == "rate"
        await trio.sleep(GUESS_EVERY / SECOND)
        assert (await guest.ask("join", table=table, password="小さな森"))["t"] == "ok"


async def test_locking_tables_again_and_again(autojump_clock: Clock) -> None:
    """To hash their passwords would take all of the server's time."""
    async with world() as server:
        host = await server.hello("Host")
        for _ in range(LOCKS):
            table = (await host.ask("create", password="x"))["table"]
            await host.ask("leave", table=table)
            await trio.sleep(0.1)
        await trio.sleep(0.1)
        while (made := await host.ask("create", password="x"))["t"] == "ok":
            await host.ask("leave", table=made["table"])
            await trio.sleep(0.1)
        assert made["code"] == "rate"
        assert (await host.ask("create"))["t"] == "ok"
        await trio.sleep(LOCK_EVERY / SECOND)
        assert (await host.ask("create", password="x"))["t"] == "ok"


async def test_a_class_that_knows_the_password_is_not_held_up(autojump_clock: Clock) -> None:
    async with world(Config(password="x")) as server:
        for number in range(60):
            assert (await hello_from(server, f"8.8.8.8:{number}", f"P{number}", password="x"))[
                "t"
            ] == "welcome"


async def test_who_asks_and_does_not_read_is_cut(autojump_clock: Clock) -> None:
    async with world() as server:
        hosts = [await server.hello(f"Host{number}") for number in range(16)]
        for host in hosts:
            for _ in range(16):
                assert (await host.ask("create"))["t"] == "ok"
        client = server.network.connect("8.8.8.8:1")
        client.window = 1000
        client.send(encode_frame({"t": "hello", "versions": [1], "name": "Deaf", "agent": "test"}))
        await trio.sleep(0.1)
        (peer,) = [peer for peer in server.core.visitors._connections if peer.address == "8.8.8.8:1"]
        unsent = 0
        for number in range(1, 400):
            client.send(encode_frame({"t": "tables", "id": number}))
            await trio.sleep(0.1)
            unsent = max(unsent, peer.unsent)
        assert 512 * 1024 < unsent + 65536 < 1 << 20
        assert len(server.core.visitors._connections) == 16


def test_the_longest_list_of_tables_fits_in_a_frame() -> None:
    """A letter of four bytes with as many marks as a name may have, in every column."""
    letter = "\U00010428" + "\U0001e2ec" * 3
    name = clean_name(letter * NAME_COLUMNS)
    table = {
        "table": 1 << 53,
        "name": clean_table_name(letter * TABLE_NAME_COLUMNS),
        "preset": "pageone",
        "phase": "playing",
        "seats": [{"seat": seat, "name": name, "kind": "human", "level": "normal"} for seat in range(8)],
        "spectators": 1000,
        "password": False,
    }
    assert len(encode_frame({"t": "ok", "re": 1 << 53, "tables": [table] * MOST_TABLES})) <= SERVER_LIMIT


async def test_the_longest_view_fits_in_a_frame(autojump_clock: Clock) -> None:
    name = clean_name(("\U00010428" + "\U0001e2ec" * 3) * NAME_COLUMNS)
    series = Series()
    for number in range(2 * MOST_NAMES):
        series.enter([{"seat": 0, "rank": 1}], [f"{number} {name}"])
    async with world() as server:
        (a,) = await server.table(["A"], bots=["easy"] * 7, rules={"rounds": 2, "claims": "all"})
        await a.ask("start")
        await a.event("match_over")
        await a.ask("sync")
        view = await a.next(t="view")
    view |= {"spectators": [name] * MOST_SPECTATORS, "series": series.to_data()}
    view |= {"seats": [{**seat, "name": name} for seat in view["seats"]]}
    view |= {key: list(CARDS) for key in ("discards", "hand", "playable")}
    assert len(view["series"]) == MOST_NAMES
    assert len(pad_frame(encode_frame(view))) <= SERVER_LIMIT


async def test_spectators_who_are_away_are_not_without_number(
    autojump_clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of them may come back at once."""
    monkeypatch.setattr(table_requests, "MOST_SPECTATORS", 5)
    async with world(Config(limits=Limits(spectators=2))) as server:
        table = (await (await server.hello("A")).ask("create"))["table"]
        codes: list[str | None] = []
        for number in range(7):
            caller = await server.hello(f"W{number}")
            codes.append((await caller.ask("watch", table=table)).get("code"))
            caller.client.close()
            await caller.end()
        assert codes == [None] * 5 + ["table_full"] * 2


async def test_no_more_sockets_than_wanted_are_held(autojump_clock: Clock) -> None:
    network = Network()
    harvester: Harvester
    core = Core(Config(), NoRecord(), InlineThinker(), network.now, network.clock, lambda: harvester.wake())
    harvester = Harvester(network, core, most=10)
    harvester.listen(network.listener)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(harvester.run)
        clients = [network.connect() for _ in range(30)]
        await trio.sleep(1)
        assert network.open() == 10
        for client in clients[:10]:
            client.close()
        await trio.sleep(0.3)
        assert network.open() == 10
        nursery.cancel_scope.cancel()
