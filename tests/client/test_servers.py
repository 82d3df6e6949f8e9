import argparse
import json
from collections.abc import Callable
from ipaddress import ip_interface

import pytest

from client import servers
from client.discovery import DiscoveryError, FoundServer, merged, server_of
from protocol.joincode import Address

NETWORKS = [ip_interface("192.168.1.2/24"), ip_interface("172.17.0.1/16"), ip_interface("fd00::2/64")]


def found(name: str, *hosts: str, port: int = 5213, players: int | None = 2) -> FoundServer:
    return FoundServer(name, tuple(Address(host, port) for host in hosts), 1, players, None)


def text(message: str) -> str:
    return message


def test_the_likeliest_address_comes_first() -> None:
    (server,) = merged([found("a", "172.17.0.1", "fd00::7", "10.0.0.1", "192.168.1.7")], NETWORKS)
    assert [address.host for address in server.addresses] == [
        "192.168.1.7",
        "fd00::7",
        "10.0.0.1",
        "172.17.0.1",
    ]


def test_an_old_advert_of_the_same_server_is_dropped() -> None:
    old, new = found("a", "192.168.1.7"), found("a (2)", "192.168.1.7", "fd00::7")
    other = found("b", "192.168.1.7", port=5214)
    assert [server.name for server in merged([old, other, new], NETWORKS)] == ["a (2)", "b"]


def test_what_strangers_announce_is_made_harmless() -> None:
    properties: dict[bytes, bytes | None] = {
        b"name": b"\x1b[2J\xff" + b"x" * 99,
        b"players": b"-1",
        b"version": b"9" * 9,
        b"tls": b"zz",
        b"\xff": None,
    }
    server = server_of("label", 5213, ["10.0.0.1", "nonsense", "0.0.0.0"], properties)
    assert server is not None
    assert server.name.startswith("^[[2J\ufffdxx")
    assert len(server.name) <= 33
    assert server == FoundServer(server.name, (Address("10.0.0.1", 5213),), None, None, None)
    assert server_of("label", 0, ["10.0.0.1"], {}) is None
    assert server_of("label", 5213, [], {}) is None
    named = server_of("label", 5213, ["10.0.0.1"], {})
    assert named is not None
    assert named.name == "label"


def run(
    monkeypatch: pytest.MonkeyPatch, browse: Callable[[float], tuple[FoundServer, ...]], *words: str
) -> int:
    async def look(seconds: float) -> tuple[FoundServer, ...]:
        return browse(seconds)

    monkeypatch.setattr(servers, "browse", look)
    parser = argparse.ArgumentParser()
    servers.add_arguments(parser, text)
    return servers.run(parser.parse_args(words), text)


def test_a_line_for_each(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    both = (found("ハル", "192.168.1.7"), found("B", "fe80::1", players=None))
    assert run(monkeypatch, lambda seconds: both, "--seconds", "1") == 0
    assert capsys.readouterr().out == (
        "name  code  address           players\n"
        "ハル  043P  192.168.1.7:5213  2\n"
        "B     -     [fe80::1]:5213    ?\n"
    )


def test_json(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(monkeypatch, lambda seconds: (found("ハル", "192.168.1.7", "fd00::7"),), "--json") == 0
    assert json.loads(capsys.readouterr().out) == [
        {
            "name": "ハル",
            "host": "192.168.1.7",
            "port": 5213,
            "code": "043P",
            "players": 2,
            "version": 1,
            "tls": None,
            "addresses": ["192.168.1.7:5213", "[fd00::7]:5213"],
        }
    ]


def test_nobody_there(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(monkeypatch, lambda seconds: ()) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert "No server answered" in err
    assert run(monkeypatch, lambda seconds: (), "--json") == 0
    assert json.loads(capsys.readouterr().out) == []


def test_no_network(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def fail(seconds: float) -> tuple[FoundServer, ...]:
        raise DiscoveryError("there is no such device")

    assert run(monkeypatch, fail) == 1
    assert capsys.readouterr().err == "This machine can't look for servers (there is no such device).\n"


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf", "x", "61"])
def test_bad_seconds(monkeypatch: pytest.MonkeyPatch, seconds: str) -> None:
    with pytest.raises(SystemExit) as stopped:
        run(monkeypatch, lambda seconds: (), "--seconds", seconds)
    assert stopped.value.code == 2
