"""How the plain client ends, as a process: its exit code, one sentence, nothing else."""

import signal
import sys
from pathlib import Path

import pytest
import trio

from tests.end_to_end.evening import ROOT, Person, environment, running, serving, spectator
from tests.end_to_end.processes import exit_code
from tests.patience import soon


def client(*words: str) -> list[str]:
    return ["client.command", *words, "--lang", "en"]


async def outcome(words: list[str], home: Path, typed: bytes = b"") -> tuple[int | None, str, str]:
    """Exit code, stdout and stderr of a client with this input."""
    done = await trio.run_process(
        [sys.executable, "-m", *words],
        stdin=typed,
        capture_stdout=True,
        capture_stderr=True,
        check=False,
        env=environment(home),
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


async def test_the_end_of_the_input(tmp_path: Path) -> None:
    async with serving(tmp_path) as address:
        code, said, complaints = await outcome(client("join", address, "--name", "Haru", "--plain"), tmp_path)
    assert (code, complaints) == (0, "")
    assert said.splitlines()[0] == "Connected to dobon/0.1."
    assert "\x1b" not in said


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
async def test_a_signal(number: signal.Signals, code: int, tmp_path: Path) -> None:
    async with (
        serving(tmp_path) as address,
        running(client("join", address, "--name", "Haru", "--plain"), tmp_path) as process,
        trio.open_nursery() as nursery,
    ):
        person = Person("Haru", process, spectator)
        nursery.start_soon(person.live)
        await person.sees("There are no tables")
        process.send_signal(number)
        assert await exit_code(process) == code
    assert (tmp_path / "client.command-join.err").read_text() == ""


async def test_a_signal_that_was_switched_off(tmp_path: Path) -> None:
    """By `nohup`, for one who looks on into a file and goes home."""
    command = ["nohup", sys.executable, "-m", *client("watch"), "--plain", "--name", "Haru"]
    async with serving(tmp_path) as address, trio.open_nursery() as nursery:
        command.insert(5, address)
        process = await trio.lowlevel.open_process(
            command, stdin=-1, stdout=-1, env=environment(tmp_path), cwd=ROOT
        )
        person = Person("Haru", process, spectator)
        nursery.start_soon(person.live)
        await person.sees("There are no tables")
        process.send_signal(signal.SIGHUP)
        await person.type("help")
        await person.sees("chat TEXT")
        process.send_signal(signal.SIGTERM)
        assert await exit_code(process) == 143


async def test_playing_alone_ends_its_server(tmp_path: Path) -> None:
    words = client("play", "--plain", "--name", "Haru", "--rule", "rounds=1")
    code, said, complaints = await outcome(words, tmp_path, b"look\n")
    assert (code, complaints) == (0, "")
    assert "A match begins: Haru, " in said


async def test_files_that_lie_about_are_not_run(tmp_path: Path) -> None:
    """Somebody else's, in the folder in which the game is started, and called like our modules."""
    folder = tmp_path / "downloads"
    folder.mkdir()
    for name in ("server", "engine", "protocol", "trio", "pickle"):
        (folder / f"{name}.py").write_text("open('was_run', 'w').close()")
    words = client("play", "--plain", "--name", "Haru", "--level", "hard", "--rule", "rounds=1")
    done = await trio.run_process(
        [sys.executable, "-P", "-m", *words],
        capture_stdout=True,
        env=environment(tmp_path),
        cwd=folder,
    )
    assert b"A match begins: Haru, " in done.stdout
    assert not (folder / "was_run").exists()


OWN_SERVER = """
import signal
from client.own_server import own_server
with own_server(None, str) as address:
    print(address, flush=True)
    signal.pause()
"""


async def test_a_player_who_is_killed_leaves_no_server_behind(tmp_path: Path) -> None:
    player = await trio.lowlevel.open_process(
        [sys.executable, "-c", OWN_SERVER], stdout=-1, env=environment(tmp_path), cwd=ROOT
    )
    assert player.stdout is not None
    with soon("an address"):
        host, port = (await player.stdout.receive_some()).decode().strip().split(":")
    await (await trio.open_tcp_stream(host, int(port))).aclose()
    player.kill()
    await player.wait()
    with soon("the end of the server"):
        await _gone(host, int(port))


async def _gone(host: str, port: int) -> None:
    """Wait till nobody listens there."""
    while True:
        try:
            stream = await trio.open_tcp_stream(host, port)
        except OSError:
            return
        await stream.aclose()
        await trio.sleep(0.05)


async def test_a_certificate_is_shown_the_first_time(tmp_path: Path) -> None:
    async with serving(tmp_path, "--tls") as address:
        words = client("join", address, "--plain")
        first, again = [
            (await outcome([*words, "--name", name], tmp_path))[1].splitlines() for name in ("Haru", "Aki")
        ]
    pinned = (tmp_path / "dobon" / "servers").read_text().split()[1]
    assert [pinned in line for line in first[:2]] == [True, False]
    assert again == first[1:]


async def test_no_server(tmp_path: Path) -> None:
    code, said, complaints = await outcome(client("join", "127.0.0.1:1", "--plain"), tmp_path)
    assert (code, said) == (69, "")
    assert complaints.startswith("No server answers at 127.0.0.1:1: ")
    assert len(complaints.splitlines()) == 1


async def test_a_wrong_password(tmp_path: Path) -> None:
    password = tmp_path / "password"
    password.write_text("right\n")
    async with serving(tmp_path, "--password-file", str(password)) as address:
        words = client("join", address, "--plain", "--name", "Haru")
        assert (await outcome(words, tmp_path))[0] == 77
        code, said, complaints = await outcome(words, tmp_path)
        assert (code, said, complaints.count("\n")) == (77, "", 1)
        assert complaints.startswith("The password is missing or wrong")
        right = await outcome([*words, "--password-file", str(password)], tmp_path)
        assert right[0] == 0


async def test_something_else_at_that_port(tmp_path: Path) -> None:
    async def other(stream: trio.SocketStream) -> None:
        await stream.send_all(b"SSH-2.0-OpenSSH_9.6\r\n")
        await stream.receive_some()

    async with trio.open_nursery() as nursery:
        listeners = await nursery.start(trio.serve_tcp, other, 0)
        port = listeners[0].socket.getsockname()[1]
        code, said, complaints = await outcome(client("join", f"127.0.0.1:{port}", "--plain"), tmp_path)
        nursery.cancel_scope.cancel()
    assert (code, said) == (76, "")
    assert complaints.startswith("That is no Dobon server, or a broken one: ")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["join", "no/address"], "That is neither an address nor a join code."),
        (["join", "localhost", "--name", "\u200b"], "You can't be called that: "),
        (["join", "localhost", "--password-file", "/nowhere"], "/nowhere can't be read: "),
        (["play", "--rule", "hand=9"], "hand can't be 9; what would do: 3 – 7."),
        (["play", "--seats", "9"], "A table has 2 to 8 seats."),
    ],
)
async def test_a_command_line_that_will_not_do(words: list[str], said: str, tmp_path: Path) -> None:
    code, out, complaints = await outcome(client(*words, "--plain"), tmp_path)
    assert (code, out) == (2, "")
    assert complaints.startswith(said)
    assert len(complaints.splitlines()) == 1


async def test_two_players_of_one_machine_need_no_names(tmp_path: Path) -> None:
    async with (
        serving(tmp_path) as address,
        running(client("join", address, "--plain"), tmp_path) as process,
        trio.open_nursery() as nursery,
    ):
        first = Person("first", process, spectator)
        nursery.start_soon(first.live)
        await first.sees("There are no tables")
        code, _said, complaints = await outcome(client("join", address, "--plain"), tmp_path)
        assert (code, complaints) == (0, "")
        assert await first.leave() == 0
