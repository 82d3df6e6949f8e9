"""TLS from the first start to a contest: certificates, pins, padding, the kernel's stamps."""

from __future__ import annotations

import os
import shutil
import signal
import ssl
import stat
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest
import trio
import trio.testing

from client.dial import Dialler
from client.discovery import server_of
from client.i18n import catalogue
from client.notices import Message
from client.pins import Pins
from client.refusals import failure
from client.session import AGENT, Session, Untrusted, open_session
from protocol.connection import Answer, ClientConnection
from protocol.events import MatchBegun, Opening
from protocol.frame import encode_frame
from protocol.joincode import Address
from protocol.messages import Create, Error, Join, Leave, Ok, OkCreate, Play, Start, Welcome
from server.certificate import CERTIFICATE, KEY, NoCertificate, fingerprint_of, identity
from server.config import Config
from server.discovery import Advert, Announcer
from server.limits import Limits
from tests.end_to_end.processes import Served, served
from tests.patience import soon

from .encrypted import EncryptedClient, dial_encrypted, hello_encrypted, trusting
from .test_contests import HANDS
from .world import arrange, begin, world

MS = 1_000_000
Clock = trio.testing.MockClock
T = TypeVar("T")


def english(text: str) -> str:
    return text


# The certificate


def test_a_certificate_is_made_once_and_its_key_is_the_owners(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    first, second = identity(folder, english), identity(folder, english)
    assert first.fingerprint == second.fingerprint
    assert len(first.fingerprint) == 64
    assert stat.S_IMODE((folder / KEY).stat().st_mode) == 0o600
    assert sorted(path.name for path in folder.iterdir()) == [CERTIFICATE, KEY]
    assert first.context.minimum_version is ssl.TLSVersion.TLSv1_3
    assert identity(tmp_path / "other", english).fingerprint != first.fingerprint


def test_the_program_openssl_will_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cryptography", None)
    if shutil.which("openssl") is None:
        with pytest.raises(NoCertificate):
            identity(tmp_path, english)
        return
    made = identity(tmp_path, english)
    assert made.fingerprint == fingerprint_of((tmp_path / CERTIFICATE).read_text())
    assert stat.S_IMODE((tmp_path / KEY).stat().st_mode) == 0o600


def test_without_either_there_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cryptography", None)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NoCertificate, match=r"^TLS needs .*\.$"):
        identity(tmp_path, english)
    with pytest.raises(NoCertificate, match=r"openssl コマンドが必要です。$"):
        identity(tmp_path, catalogue("ja").gettext)


@pytest.mark.parametrize("damage", [CERTIFICATE, KEY])
def test_a_damaged_file_is_named_and_kept(tmp_path: Path, damage: str) -> None:
    identity(tmp_path, english)
    (tmp_path / damage).write_text("nonsense")
    with pytest.raises(NoCertificate, match="put them back, or remove both"):
        identity(tmp_path, english)
    assert (tmp_path / damage).read_text() == "nonsense"


def test_half_a_pair_is_made_anew(tmp_path: Path) -> None:
    before = identity(tmp_path, english)
    (tmp_path / CERTIFICATE).unlink()
    assert identity(tmp_path, english).fingerprint != before.fingerprint


# In memory: what is said to whom


async def test_a_plain_hello_is_told_to_use_tls(tmp_path: Path, autojump_clock: Clock) -> None:
    secured = identity(tmp_path, english)
    async with world(Config(require_tls=True), context=secured.context) as server:
        plain = server.dial()
        plain.send(t="hello", versions=[1], name="Haru", agent="test", password="secret")
        assert (await plain.next())["code"] == "tls_required"
        await plain.end()
        assert (await hello_encrypted(server, "Haru")).token


async def test_older_tls_is_not_spoken(tmp_path: Path, autojump_clock: Clock) -> None:
    secured = identity(tmp_path, english)
    async with world(Config(require_tls=True), context=secured.context) as server:
        client = EncryptedClient(server.network.connect())
        context = trusting()
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        client.tls = context.wrap_bio(client._incoming, client._outgoing)
        with pytest.raises(ssl.SSLError):
            await client.shake()


async def test_frames_to_players_are_multiples_of_256_bytes(
    tmp_path: Path, autojump_clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that the length of a record does not tell how many cards somebody may play."""
    arrange(monkeypatch, ("7H 2C", "3D KD"), "3H")
    secured = identity(tmp_path, english)
    async with world(Config(require_tls=True), context=secured.context) as server:
        host = await hello_encrypted(server, "Host")
        host.table = (await host.ask("create", seats=2))["table"]
        guest, watcher = await hello_encrypted(server, "Guest"), await hello_encrypted(server, "Watcher")
        guest.table = watcher.table = host.table
        await guest.ask("join")
        await watcher.ask("watch")
        await begin([host, guest])
        turns = [await caller.event("turn") for caller in (host, guest, watcher)]
        assert [turn["playable"] for turn in turns] == [["7H"], None, None]
        assert len({len(encode_frame(turn)) for turn in turns}) == 1
        for caller in (host, guest, watcher):
            client: Any = caller.client
            assert client.sizes
            assert all(size % 256 == 0 for size in client.sizes)


@pytest.mark.parametrize("first", [1, 2])
async def test_of_two_claims_over_tls_the_earlier_arrival_is_first(
    first: int, tmp_path: Path, autojump_clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both are read in one go, 20 ms late; what counts is when each had arrived."""
    arrange(monkeypatch, HANDS[:3], "3H")
    secured = identity(tmp_path, english)
    rules = {"claims": "first", "counter": "off"}
    async with world(Config(require_tls=True), context=secured.context) as server:
        callers = [await hello_encrypted(server, name) for name in "ABC"]
        callers[0].table = (await callers[0].ask("create", seats=3, rules=rules))["table"]
        for caller in callers[1:]:
            caller.table = callers[0].table
            await caller.ask("join")
        await begin(callers)
        turn = await callers[0].event("turn")
        await callers[0].ask("play", on=turn["seq"], card="7H")
        on = (await callers[0].event("played"))["seq"]
        now = server.network.now()
        for seat in (1, 2):
            arrival = now + (5 if seat == first else 6) * MS
            message = {"t": "dobon", "id": 9, "table": callers[0].table, "on": on}
            callers[seat].client.send(encode_frame(message), arrival, now + 20 * MS)
        end = await callers[0].event("round_over")
        assert end["winners"] == [first]
        late = await callers[3 - first].next(re=9)
        assert (late["code"], late["by"]) == ("too_late", 1000)


async def test_who_is_turned_away_hears_nothing_in_the_open(tmp_path: Path, autojump_clock: Clock) -> None:
    """A client that knows the certificate would take it for somebody in between."""
    secured = identity(tmp_path, english)
    config = Config(require_tls=True, limits=Limits(connections=1))
    async with world(config, context=secured.context) as server:
        assert (await hello_encrypted(server, "Haru")).token
        late = server.network.connect()
        assert await late.receive() == b""


async def test_who_has_not_spoken_yet_hears_nothing_in_the_open(
    tmp_path: Path, autojump_clock: Clock
) -> None:
    secured = identity(tmp_path, english)
    async with world(Config(require_tls=True), context=secured.context) as server:
        caller = await hello_encrypted(server, "Haru")
        silent = server.network.connect()
        server.core.stand_still()
        assert (await caller.next(t="error"))["code"] == "server_full"
        await trio.sleep(6)
        for client in (silent, server.network.connect()):
            await trio.sleep(0.1)
            server.core.visitors.shut_down(resume=True)
            await trio.sleep(0.1)
            assert client.take() == b""
        assert (await caller.next(t="error"))["code"] == "shutdown"


async def test_a_handshake_that_never_ends_is_cut(tmp_path: Path, autojump_clock: Clock) -> None:
    secured = identity(tmp_path, english)
    async with world(Config(require_tls=True), context=secured.context) as server:
        client = EncryptedClient(server.network.connect())
        with pytest.raises(ssl.SSLWantReadError):
            client.tls.do_handshake()
        hello = client._outgoing.read()
        client.client.send(hello[: len(hello) // 2])
        began = trio.current_time()
        assert await client.client.receive() == b""
        assert trio.current_time() - began == pytest.approx(5, abs=0.1)
        assert (await dial_encrypted(server)).closed is False


# Over sockets, with our client


class Player:
    """A session of our client, and all that it was told."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.told: list[Message] = []
        self._stirred = trio.Event()

    async def listen(self) -> None:
        async for message in self.session.messages():
            self.told.append(message)
            self._stirred.set()
            self._stirred = trio.Event()

    async def one(self, kind: type[T], fits: Callable[[T], bool] = lambda message: True) -> T:
        """The last message of this kind, once there is one that fits."""
        with soon(f"a {kind.__name__}"):
            while True:
                for message in reversed(self.told):
                    if isinstance(message, kind) and fits(message):
                        return message
                await self._stirred.wait()


@asynccontextmanager
async def player(address: Address, name: str, folder: Path, told: str | None = None) -> AsyncIterator[Player]:
    dial = Dialler([address], Pins(folder, told))
    async with open_session(dial, ClientConnection(name, AGENT)) as session, trio.open_nursery() as nursery:
        made = Player(session)
        nursery.start_soon(made.listen)
        yield made
        nursery.cancel_scope.cancel()


async def fingerprint(server: Served) -> str:
    """What the server's second line says."""
    assert server.process.stdout is not None
    line = b""
    with soon("a fingerprint"):
        while not line.endswith(b"\n"):
            line += await server.process.stdout.receive_some(1) or b"none\n"
    word, text = line.decode().split()
    assert word == "fingerprint"
    return text


def flags(data: Path) -> tuple[str, ...]:
    return "--data", str(data), "--no-admin"


async def test_the_first_certificate_is_pinned_and_another_refused(tmp_path: Path) -> None:
    state = tmp_path / "state"
    async with served("--tls", *flags(tmp_path / "one")) as server:
        address, shown = Address(server.host, server.port), await fingerprint(server)
        async with player(address, "Haru", state) as haru:
            welcome = await haru.one(Welcome)
            assert welcome.clock == "kernel"
        assert (state / "servers").read_text() == f"{address} {shown}\n"
        async with player(address, "Aki", state) as aki:
            await aki.one(Welcome)
    assert (state / "servers").read_text().count("\n") == 1
    async with served("--tls", *flags(tmp_path / "two"), "--port", str(address.port)) as server:
        other = await fingerprint(server)
        with pytest.raises(Untrusted) as caught:
            async with player(address, "Haru", state):
                pass
        said, code = failure(caught.value, str(address), english)
        assert code == 77
        assert shown in said
        assert other in said
        assert str(state / "servers") in said
    async with served(*flags(tmp_path / "two"), "--port", str(address.port)):
        with pytest.raises(Untrusted) as caught:
            async with player(address, "Haru", state):
                pass
        said, code = failure(caught.value, str(address), english)
        assert code == 77
        assert "not any more" in said


async def test_the_command_refuses_another_certificate_in_one_sentence(tmp_path: Path) -> None:
    async with served("--tls", *flags(tmp_path / "data")) as server:
        address, shown = f"{server.host}:{server.port}", await fingerprint(server)
        state = tmp_path / "state" / "dobon"
        state.mkdir(parents=True)
        (state / "servers").write_text(f"{address} {'0' * 64}\n")
        command = [sys.executable, "-m", "client.command", "join", address, "--plain", "--name", "Haru"]
        environment = {
            **os.environ,
            "XDG_STATE_HOME": str(tmp_path / "state"),
            "LANG": "C",
            "DOBON_LANG": "en",
        }
        done = await trio.run_process(
            command, env=environment, capture_stdout=True, capture_stderr=True, check=False
        )
        assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (77, b"", 1)
        assert shown in done.stderr.decode()
        assert "0" * 64 in done.stderr.decode()


def test_the_network_is_told_the_fingerprint() -> None:
    advert = Advert("Kitchen", 5213, ("127.0.0.1",), 1, "x", "ab" * 32)
    info = Announcer(advert, lambda event, problem: None)._info("Kitchen", "x.local.", ["127.0.0.1"], 0)
    found = server_of("Kitchen", info.port, ["127.0.0.1"], info.properties)
    assert found is not None
    assert found.fingerprint == "ab" * 32


async def test_what_the_network_announces_is_demanded(tmp_path: Path) -> None:
    async with served("--tls", *flags(tmp_path)) as server:
        address, shown = Address(server.host, server.port), await fingerprint(server)
        with pytest.raises(Untrusted):
            async with player(address, "Haru", tmp_path / "a", told="0" * 64):
                pass
        async with player(address, "Haru", tmp_path / "b", told=shown) as haru:
            await haru.one(Welcome)


async def test_a_plain_server_is_found_out_and_nothing_pinned(tmp_path: Path) -> None:
    async with served(*flags(tmp_path)) as server:
        async with player(Address(server.host, server.port), "Haru", tmp_path / "state") as haru:
            await haru.one(Welcome)
        assert not (tmp_path / "state").exists()


def test_the_pins_survive_odd_lines_and_folders_that_can_not_be_written(tmp_path: Path) -> None:
    one, two = Address("192.168.1.5", 5213), Address("fe80::1", 5213)
    (tmp_path / "servers").write_text(f"# mine\n\n{one} nonsense\n{one} {'a' * 64}\n{one} {'b' * 64}\n")
    pins = Pins(tmp_path)
    assert (pins.known(one), pins.known(two)) == ("a" * 64, None)
    pins.check(two, "c" * 64)
    assert Pins(tmp_path).known(two) == "c" * 64
    (tmp_path / "file").write_text("")
    unwritable = Pins(tmp_path / "file")
    unwritable.check(one, "d" * 64)
    assert unwritable.known(one) == "d" * 64


async def test_a_contest_of_our_clients_over_tls(tmp_path: Path) -> None:
    """The server stands still while both open; it has to find out from the stamps who was first.

    Read in one go, without stamps, both would have arrived at once, and the order would be that of seats.
    """
    async with served("--tls", *flags(tmp_path / "data")) as server:
        address = Address(server.host, server.port)
        decided = [0, 0]
        async with player(address, "A", tmp_path / "a") as a, player(address, "B", tmp_path / "b") as b:
            while min(decided) < 4:
                first = int(decided[0] > decided[1])
                if await _contest(server, [a, b], first):
                    decided[first] += 1
                await trio.sleep(0.3)  # as fast as requests may follow each other


async def _contest(server: Served, players: list[Player], first: int) -> bool:
    """Deal; if both can open, have `first` open and then the other, and say whether that was so."""
    made = await players[0].session.request(Create(seats=2, rules={"preset": "pageone", "rounds": 1}))
    assert isinstance(made, OkCreate)
    assert isinstance(await players[1].session.request(Join(table=made.table)), Ok)
    started = await players[0].session.request(Start(table=made.table))
    assert isinstance(started, Ok), started
    for each in players:
        match = await each.one(MatchBegun, lambda ev: ev.table == made.table)
        each.session.ready(made.table, match.seq)
    openings = [await each.one(Opening, lambda ev: ev.table == made.table) for each in players]
    plays = [
        Play(table=made.table, on=opening.seq, card=opening.playable[0], suit="S")
        for opening in openings
        if opening.playable
    ]
    if len(plays) == 2:
        os.kill(server.process.pid, signal.SIGSTOP)
        await _stopped(server.process.pid)
        asked = [0, 0]
        for index in (first, 1 - first):
            asked[index] = players[index].session.post(plays[index])
            await trio.testing.wait_all_tasks_blocked(0.002)
        os.kill(server.process.pid, signal.SIGCONT)
        replies = [await _reply(each, asked[index]) for index, each in enumerate(players)]
        assert isinstance(replies[first], Ok), replies
        assert isinstance(replies[1 - first], Error), replies
    for each in players:
        await each.session.request(Leave(table=made.table))
    return len(plays) == 2


async def _stopped(pid: int) -> None:
    stat_file = trio.Path(f"/proc/{pid}/stat")
    while (await stat_file.read_text()).rpartition(")")[2].split()[0] != "T":
        await trio.lowlevel.checkpoint()


async def _reply(player: Player, number: int) -> Ok | Error | None:
    return (await player.one(Answer, lambda answer: answer.request.id == number)).reply
