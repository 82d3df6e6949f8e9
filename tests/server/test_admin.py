"""The host's door: who may knock, and what can be asked there."""

from __future__ import annotations

import argparse
import json
import os
import socket
import stat
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from client.i18n import catalogue
from server.admin import Admin
from server.admin_command import add_arguments, run
from server.bans import FILE, BadBans, Bans
from server.config import Config
from server.folder import ADMIN_SOCKET
from server.options import add_arguments as add_serve_arguments
from server.record import NoRecord
from server.serve import run as serve
from tests.end_to_end.processes import exit_code, served

from .test_limits import dial_from, hello_from
from .world import World, arrange, begin, world

Clock = trio.testing.MockClock


class Host:
    """What the host asks, over streams in memory."""

    def __init__(self, server: World, nursery: trio.Nursery) -> None:
        self.admin = Admin(server.core, server.harvester, "Kitchen")
        self.admin._nursery = nursery

    async def raw(self, line: bytes) -> Any:
        ours, theirs = trio.testing.memory_stream_pair()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self.admin._converse, theirs)
            await ours.send_all(line)
            await ours.send_eof()
            said = b""
            while data := await ours.receive_some(65536):
                said += data
        return json.loads(said)

    async def ask(self, **asked: Any) -> Any:
        return await self.raw(json.dumps(asked).encode() + b"\n")


@asynccontextmanager
async def hosted(bans: Path | None = None) -> AsyncIterator[tuple[World, Host]]:
    async with world(Config()) as server:
        if bans is not None:
            server.core.visitors.bans = Bans(bans)
        yield server, Host(server, server.nursery)


async def test_a_fault_of_ours_is_an_answer(autojump_clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails() -> None:
        raise ZeroDivisionError

    async with hosted() as (server, host):
        a, b = await server.table(["Aki", "Ben"])
        monkeypatch.setattr(server.core.visitors.bans, "to_data", fails)
        assert (await host.ask(do="bans"))["error"] == "internal"
        assert (await host.ask(do="list"))["ok"]["connections"] == 2
        await begin([a, b])


async def test_who_is_here(autojump_clock: Clock) -> None:
    async with hosted() as (server, host):
        a, b = await server.table(["Aki", "Ben"])
        await server.watcher("Mio", a.table)
        answer = (await host.ask(do="list"))["ok"]
        assert (answer["server"], answer["connections"]) == ("Kitchen", 3)
        assert [(p["name"], p["tables"]) for p in answer["players"]] == [
            ("Aki", [a.table]),
            ("Ben", [a.table]),
            ("Mio", [a.table]),
        ]
        assert answer["players"][0]["address"].startswith("memory:")
        (table,) = answer["tables"]
        assert ([seat["name"] for seat in table["seats"]], table["spectators"]) == (["Aki", "Ben"], 1)
        assert b.token not in json.dumps(answer)


@pytest.mark.parametrize(
    "line", [b"", b"\n", b"nonsense\n", b"[]\n", b'{"do": "fly"}\n', b'{"do": []}\n', b"[" * 4096, b"\xff\n"]
)
async def test_nonsense_is_refused(line: bytes, autojump_clock: Clock) -> None:
    async with hosted() as (_, host):
        assert (await host.raw(line))["error"] == "unknown"
        assert (await host.ask(do="list"))["ok"]["players"] == []


async def test_a_kick_ends_the_session(autojump_clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    arrange(monkeypatch, ("7H 2C", "3D KD"), "3H")
    async with hosted() as (server, host):
        a, b = await server.table(["Aki", "Ben"])
        await begin([a, b])
        assert (await host.ask(do="kick", who="nobody"))["error"] == "unknown"
        assert (await host.ask(do="kick", who="BEN"))["ok"] == {"kicked": ["Ben"]}
        error = await b.next(code="kicked")
        assert "table" not in error
        await b.end()
        assert (await a.event("seat", seat=1))["status"] == "left"
        assert (await hello_from(server, "memory:9", "Ben", token=b.token))["code"] == "token_unknown"
        assert (await hello_from(server, "memory:9", "Ben"))["t"] == "welcome"
        assert (await host.ask(do="kick", who=f"#{a.player}"))["ok"] == {"kicked": ["Aki"]}
        await trio.sleep(2000)
        assert len(server.core.visitors.sessions) == 1


async def test_a_ban_of_a_name(autojump_clock: Clock, tmp_path: Path) -> None:
    async with hosted(tmp_path) as (server, host):
        caller = await server.hello("Spammer")
        assert (await host.ask(do="ban", who="ＳＰＡＭＭＥＲ"))["ok"] == {"kicked": ["Spammer"]}
        await caller.end()
        assert (await hello_from(server, "memory:9", "spammer"))["code"] == "kicked"
        assert (await hello_from(server, "memory:9", "spammer2"))["t"] == "welcome"
        assert Bans(tmp_path).names("Spammer")
        assert stat.S_IMODE((tmp_path / FILE).stat().st_mode) == 0o600
        assert (await host.ask(do="ban", who="\ud800"))["error"] == "who"
        assert (await host.ask(do="unban", who="spammer"))["ok"] == {"names": [], "addresses": []}
        assert (await host.ask(do="unban", who="spammer"))["error"] == "unknown"
        assert (await hello_from(server, "memory:9", "spammer"))["t"] == "welcome"


async def test_a_ban_of_an_address_or_a_network(autojump_clock: Clock, tmp_path: Path) -> None:
    async with hosted(tmp_path) as (server, host):
        inside = [dial_from(server, f"203.0.113.{number}:1") for number in (4, 5)]
        for number, caller in enumerate(inside):
            caller.send(t="hello", versions=[1], name=f"P{number}", agent="test")
            assert (await caller.next())["t"] == "welcome"
        silent = dial_from(server, "203.0.113.6:1")
        await trio.sleep(0.1)
        assert (await host.ask(do="ban", who="203.0.113.4"))["ok"] == {"kicked": ["P0"]}
        assert (await hello_from(server, "203.0.113.4:9", "P2"))["code"] == "kicked"
        assert (await host.ask(do="ban", who="203.0.113.0/24"))["ok"] == {"kicked": ["P1"]}
        assert (await silent.next())["code"] == "kicked"
        assert (await hello_from(server, "203.0.113.200:9", "P2"))["code"] == "kicked"
        assert (await hello_from(server, "203.0.112.4:9", "P2"))["t"] == "welcome"
        kept = {"names": [], "addresses": ["203.0.113.0/24", "203.0.113.4/32"]}
        assert (await host.ask(do="bans"))["ok"] == kept
        assert Bans(tmp_path).to_data() == kept


async def test_a_banned_session_of_an_earlier_process_does_not_resume(autojump_clock: Clock) -> None:
    async with hosted() as (server, _host):
        caller = await server.hello("Haru")
        server.core.visitors.bans.add("Haru")
        assert (await hello_from(server, "memory:9", "x", token=caller.token))["code"] == "kicked"


async def test_a_list_of_bans_that_can_not_be_written(autojump_clock: Clock, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    async with world() as server:
        host = Host(server, server.nursery)
        server.core.visitors.bans = Bans()
        server.core.visitors.bans._path = tmp_path / "file" / FILE
        assert (await host.ask(do="ban", who="Haru"))["error"] == "unkept"


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"names": 7, "addresses": []}', '{"names": [], "addresses": ["x"]}']
)
def test_a_damaged_list_of_bans_is_named(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / FILE).write_text(text)
    with pytest.raises(BadBans):
        Bans(tmp_path)
    parser = argparse.ArgumentParser()
    add_serve_arguments(parser, catalogue("ja").gettext)
    args = parser.parse_args(
        ["--data", str(tmp_path), "--port", "0", "--host", "127.0.0.1", "--no-discovery"]
    )
    assert serve(args, catalogue("ja").gettext) == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert str(tmp_path / FILE) in said


async def test_a_table_is_closed(autojump_clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    arrange(monkeypatch, ("7H 2C", "3D KD"), "3H")
    async with hosted() as (server, host):
        a, b = await server.table(["Aki", "Ben"])
        await begin([a, b])
        assert (await host.ask(do="close", table=99))["error"] == "unknown"
        assert (await host.ask(do="close", table=True))["error"] == "unknown"
        assert (await host.ask(do="close", table=a.table))["ok"] == {"table": a.table}
        for caller in (a, b):
            assert (await caller.event("closed"))["why"] == "admin"
        assert (await a.ask("tables"))["tables"] == []
        assert (await a.ask("create"))["table"] == a.table + 1


async def test_who_waits_at_a_table_that_is_closed_is_answered(
    autojump_clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrange(monkeypatch, ("7H 2C", "3D KD"), "3H")
    async with hosted() as (server, host):
        a, b = await server.table(["Aki", "Ben"])
        await begin([a, b])
        turn = await a.event("turn")
        await a.ask("play", on=turn["seq"], card="7H")
        held = b.request("draw", on=(await b.event("turn", turn=2))["seq"])
        await trio.sleep(0.1)
        await host.ask(do="close", table=a.table)
        assert (await b.next(re=held))["code"] == "no_table"
        assert (await b.event("closed"))["why"] == "admin"
        session = server.core.visitors.sessions.find(b.token)
        assert session is not None
        assert not session.requests.undecided


async def test_an_announcement_reaches_every_table_and_can_not_be_faked(autojump_clock: Clock) -> None:
    async with hosted() as (server, host):
        a, b = await server.table(["Aki"], bots=["easy"]), await server.table(["Ben"], bots=["easy"])
        assert (await host.ask(do="announce", text="Tea at five"))["ok"] == {"tables": 2}
        for caller in (*a, *b):
            chat = await caller.event("chat")
            assert (chat["from"], chat["seat"], chat["text"]) == ("(server)", None, "Tea at five")
        assert (await host.ask(do="announce", text="\x1b[2J"))["error"] == "text"
        assert (await host.ask(do="announce"))["error"] == "text"
        for name in ("(server)", "（ＳＥＲＶＥＲ）"):
            assert (await hello_from(server, "memory:9", name))["code"] == "name_taken"


async def test_while_nothing_can_be_written_no_table_is_touched(
    autojump_clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[int] = []
    monkeypatch.setattr(os, "kill", lambda pid, number: ended.append(number))
    async with hosted() as (server, host):
        (a,) = await server.table(["Aki"], bots=["easy"])
        monkeypatch.setattr(NoRecord, "stuck", True)
        for asked in (
            {"do": "kick", "who": "Aki"},
            {"do": "close", "table": 1},
            {"do": "announce", "text": "x"},
        ):
            assert (await host.ask(**asked))["error"] == "stuck"
        assert len((await host.ask(do="list"))["ok"]["tables"]) == 1
        assert (await host.ask(do="shutdown", minutes=2, text="x", last="y"))["ok"] == {"minutes": 2}
        await trio.sleep(130)
        assert len(ended) == 1
        assert [event for event in a.events() if event["ev"] in ("chat", "closed")] == []


async def test_a_shutdown_is_told_before(autojump_clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[float] = []
    monkeypatch.setattr(os, "kill", lambda pid, number: ended.append(trio.current_time()))
    async with hosted() as (server, host):
        (a,) = await server.table(["Aki"], bots=["easy"])
        assert (await host.ask(do="shutdown", minutes=-1))["error"] == "minutes"
        assert (await host.ask(do="shutdown", minutes=10_000))["error"] == "minutes"
        began = trio.current_time()
        await host.ask(do="shutdown", minutes=1, text="soon", last="now")
        assert (await host.ask(do="shutdown", minutes=None))["ok"] == {}
        await trio.sleep(100)
        assert ended == []
        began = trio.current_time()
        await host.ask(do="shutdown", minutes=5, text="five", last="one")
        await trio.sleep(400)
        (end,) = ended
        assert end - began == pytest.approx(300, abs=0.1)
        told = [(event["text"], event["at"]) for event in a.events() if event["ev"] == "chat"]
        assert [text for text, _ in told] == ["soon", "five", "one"]
        assert told[2][1] - told[1][1] == pytest.approx(240_000, abs=10)


# Over the real socket, with the real command


def command(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "client.command", *words], capture_output=True, text=True, check=False
    )


async def admin(data: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return await trio.to_thread.run_sync(command, "admin", "--data", str(data), *words)


async def test_the_command_looks_after_a_running_server(tmp_path: Path) -> None:
    async with served("--data", str(tmp_path)) as server:
        assert stat.S_IMODE((tmp_path / ADMIN_SOCKET).stat().st_mode) == 0o600
        for words in (["--json", "list"], ["list", "--json", "--data", str(tmp_path), "--lang", "ja"]):
            listed = await admin(tmp_path, *words)
            assert (listed.returncode, json.loads(listed.stdout)["players"]) == (0, [])
        banned = await admin(tmp_path, "ban", "10.0.0.0/8")
        assert (banned.returncode, banned.stdout) == (0, "")
        assert (await admin(tmp_path, "bans")).stdout == "10.0.0.0/8\n"
        refused = await admin(tmp_path, "close", "7")
        assert (refused.returncode, refused.stdout, refused.stderr.count("\n")) == (1, "", 1)
        ended = await admin(tmp_path, "shutdown")
        assert (ended.returncode, "0 min" in ended.stdout) == (0, True)
        assert await exit_code(server.process) == 0
    assert not (tmp_path / ADMIN_SOCKET).exists()
    gone = await admin(tmp_path, "list")
    assert (gone.returncode, gone.stdout, gone.stderr.count("\n")) == (69, "", 1)


async def test_a_socket_that_a_dead_server_has_left_is_replaced(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as left:
        left.bind(str(tmp_path / ADMIN_SOCKET))
    async with served("--data", str(tmp_path)):
        assert (await admin(tmp_path, "list")).returncode == 0


async def test_a_socket_that_can_not_be_had_stops_no_game(tmp_path: Path) -> None:
    deep = tmp_path / ("x" * 100)
    async with served("--data", str(deep)):
        assert (await admin(deep, "list")).returncode == 69


def test_names_move_no_cursor_in_the_hosts_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answer = {
        "server": "x",
        "connections": 1,
        "tables": [],
        "players": [{"player": 1, "name": "a\x1b[2J\u202e", "address": None, "tables": []}],
    }
    monkeypatch.setattr("server.admin_command._ask", lambda path, request: {"ok": answer})
    parser = argparse.ArgumentParser()
    add_arguments(parser, str)
    assert run(parser.parse_args(["list"]), str) == 0
    said = capsys.readouterr().out
    assert "\x1b" not in said
    assert "\u202e" not in said
