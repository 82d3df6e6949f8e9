"""What `dobon serve` can be told, what it refuses in one sentence, and what it says at the start."""

from __future__ import annotations

import argparse
import contextlib
import errno
import fcntl
import json
import os
import socket
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import structlog
import trio

from client.i18n import catalogue
from client.options import BadStart as BadJoin
from client.options import password as join_password
from protocol.frame import encode_frame
from server.config import Config
from server.journal import Store
from server.journal_schema import connect
from server.limits import Limits
from server.logs import configure
from server.notify import notify
from server.options import BadStart, add_arguments, config_of
from tests.end_to_end.processes import served
from tests.patience import soon


def parsed(*words: str) -> Config:
    parser = argparse.ArgumentParser(exit_on_error=False)
    add_arguments(parser, str)
    return config_of(parser.parse_args(words), str)


def test_the_defaults_are_those_of_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("DOBON_")]:
        monkeypatch.delenv(name)
    assert parsed() == Config(host=None, name="Dobon", limits=Limits())


def test_flags_and_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOBON_TABLES", "7")
    monkeypatch.setenv("DOBON_TLS", "yes")
    monkeypatch.setenv("DOBON_SPECTATORS", "3")
    config = parsed(
        "--connections", "10", "--per-address", "2", "--spectators", "0", "--metrics-port", "9100"
    )
    assert config.limits == Limits(connections=10, far=2, tables=7, spectators=0)
    assert (config.require_tls, config.metrics, config.admin) == (True, ("127.0.0.1", 9100), True)


@pytest.mark.parametrize(
    "words",
    [
        ("--tables", "351"),
        ("--tables", "0"),
        ("--connections", "-1"),
        ("--connections", "٣"),
        ("--port", "65536"),
        ("--metrics-port", "x"),
        ("--per-address", "9" * 5000),
    ],
)
def test_what_can_not_be(words: tuple[str, ...]) -> None:
    with pytest.raises(argparse.ArgumentError):
        parsed(*words)


BAD_FILES: list[Any] = [
    (None, "there is no such file or folder"),
    (b"", "There is no password in"),
    (b"\nsecond line\n", "There is no password in"),
    (b"\xff\xfe\x00", "it is no text"),
]


@pytest.mark.parametrize(("content", "said"), BAD_FILES)
def test_a_bad_password_file_gets_one_sentence(content: bytes | None, said: str, tmp_path: Path) -> None:
    path = tmp_path / "password"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(BadStart) as serving:
        parsed("--password-file", str(path))
    with pytest.raises(BadJoin) as joining:
        join_password(str(path), str)
    for sentence in (str(serving.value), str(joining.value)):
        assert said in sentence
        assert str(path) in sentence
        assert sentence.endswith(".")
        assert "\n" not in sentence


def test_a_folder_is_no_password_file(tmp_path: Path) -> None:
    with pytest.raises(BadStart, match="can't be read"):
        parsed("--password-file", str(tmp_path))


def test_the_first_line_is_the_password_on_both_sides(tmp_path: Path) -> None:
    path = tmp_path / "password"
    path.write_text("小さな 森\nanother line\n", "utf-8")
    assert parsed("--password-file", str(path)).password == join_password(str(path), str) == "小さな 森"


def server(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "server", "--no-discovery", *words],
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_start_that_fails_says_one_sentence(tmp_path: Path) -> None:
    done = server("--data", str(tmp_path), "--password-file", str(tmp_path / "none"))
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    (tmp_path / "tls-key.pem").write_text("x")
    (tmp_path / "tls-certificate.pem").write_text("x")
    done = server("--data", str(tmp_path), "--port", "0", "--tls")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    done = server("--tables", "many")
    assert done.returncode == 2
    store = Store(tmp_path, lambda: 0)
    store.close()
    with closing(connect(store.path)) as look:
        (root,) = look.execute("SELECT rootpage FROM sqlite_master WHERE name = 'session'").fetchone()
    with store.path.open("r+b") as file:
        file.seek(4096 * (root - 1))
        file.write(bytes(4096))
    done = server("--data", str(tmp_path), "--port", "0", "--host", "127.0.0.1")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert "damaged" in done.stderr


@pytest.mark.parametrize(
    ("words", "warned"),
    [
        (("--host", "0.0.0.0"), True),
        (("--host", "0.0.0.0", "--tls"), False),
        (("--host", "127.0.0.1"), False),
    ],
)
async def test_without_tls_it_says_who_can_read_hands(
    words: tuple[str, ...], warned: bool, tmp_path: Path
) -> None:
    with (tmp_path / "stderr").open("wb") as stderr:
        async with served("--data", str(tmp_path / "data"), *words, stderr=stderr):
            said = await trio.Path(tmp_path / "stderr").read_text()
    assert ("Without --tls whoever listens on the network can read all hands." in said) is warned


async def test_systemd_is_told_when_it_is_ready_and_when_it_stops(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        manager.settimeout(10)
        environment = {**os.environ, "NOTIFY_SOCKET": str(tmp_path / "notify")}
        async with served(env=environment):
            assert await trio.to_thread.run_sync(manager.recv, 100) == b"READY=1"
        assert await trio.to_thread.run_sync(manager.recv, 100) == b"STOPPING=1"


@pytest.mark.parametrize("path", ["", "nowhere", "/no/such/socket", "@dobon-nobody"])
def test_a_service_manager_that_is_not_there_is_no_fault(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOTIFY_SOCKET", path)
    notify("READY=1")


def test_a_log_line_can_not_be_forged(capsys: pytest.CaptureFixture[str]) -> None:
    configure()
    hostile = 'x\n{"event": "admin", "level": "info"}\r\x1b[2J\u202e\u2028"'
    structlog.get_logger().info("welcome", name=hostile)
    (line,) = capsys.readouterr().err.splitlines()
    assert line.isascii()
    assert line.isprintable()
    assert json.loads(line)["name"] == hostile
    assert json.loads(line)["event"] == "welcome"


async def test_a_log_that_nobody_reads_is_not_waited_for(tmp_path: Path) -> None:
    """A terminal stands still after Ctrl-S, a pager till somebody turns the page."""
    source, target = os.pipe()
    fcntl.fcntl(target, fcntl.F_SETPIPE_SZ, 4096)
    os.set_blocking(target, False)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(target, bytes(100))
    os.set_blocking(target, True)
    with soon("a server that logs into what nobody reads"):
        async with served(stderr=target) as server:
            for number in range(20):
                caller = await trio.open_tcp_stream(server.host, server.port)
                hello = {"t": "hello", "versions": [1], "name": f"P{number}", "agent": "test"}
                await caller.send_all(encode_frame(hello))
                assert b"welcome" in await caller.receive_some(4096)
                await caller.aclose()
    os.close(source)
    os.close(target)


def test_a_log_that_can_not_be_written_ends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    configure()
    with tempfile.TemporaryFile("w") as closed:
        monkeypatch.setattr(sys, "stderr", closed)
    structlog.get_logger().info("welcome")
    monkeypatch.setattr(sys, "stderr", Full())
    structlog.get_logger().info("welcome")


class Full:
    """A disk that has no room."""

    def write(self, text: str) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    def flush(self) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")


def test_the_sentences_are_in_japanese_too() -> None:
    translate = catalogue("ja").gettext
    parser = argparse.ArgumentParser()
    add_arguments(parser, translate)
    text = parser.format_help()
    for action in parser._actions:
        if action.help not in (None, argparse.SUPPRESS) and action.dest != "help":
            assert not str(action.help).isascii(), action.dest
    assert "暗号化" in text
