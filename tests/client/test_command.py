"""The command line itself: what is imported when, and which exit code comes out."""

import argparse
import subprocess
import sys
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType

import pytest

from client.command import Command, Exit, build_parser, command_table, main
from client.i18n import Translate

Table = Callable[[Translate], Mapping[str, Command]]

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture
def greet(monkeypatch: pytest.MonkeyPatch) -> Table:
    """A table of two commands: `greet` exists, and importing `absent` would fail."""
    module = ModuleType("greeting")

    def add_arguments(parser: argparse.ArgumentParser, _: Translate) -> None:
        parser.add_argument("name")
        parser.add_argument("--loud", action="store_true", help=_("in capitals"))

    def run(args: argparse.Namespace, _: Translate) -> int:
        if args.name == "nobody":
            raise KeyboardInterrupt
        text = f"{_('hello')} {args.name} ({args.lang})"
        sys.stdout.write(text.upper() if args.loud else text)
        return Exit.UNREACHABLE

    module.__dict__.update(add_arguments=add_arguments, run=run)
    monkeypatch.setitem(sys.modules, "greeting", module)
    return lambda _: {
        "greet": Command("greeting", _("say hello")),
        "absent": Command("nowhere.at.all", _("fail")),
    }


def test_the_version_is_the_one_of_the_project(capsys: pytest.CaptureFixture[str]) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    with pytest.raises(SystemExit) as end:
        main(["--version"])
    assert end.value.code == 0
    assert capsys.readouterr().out == f"dobon {project['version']}\n"


def test_help_is_in_the_language_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--lang", "ja", "--help"])
    assert "バージョンを表示して終わる" in capsys.readouterr().out


def test_help_names_every_command_and_imports_none(greet: Table, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["--help"], greet)
    assert end.value.code == 0
    said = capsys.readouterr().out
    assert "say hello" in said
    assert "absent" in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["greet", "Aki"], "hello Aki (None)"),
        (["greet", "--loud", "Aki"], "HELLO AKI (NONE)"),
        (["--lang", "ja", "greet", "Aki"], "hello Aki (ja)"),
        (["greet", "Aki", "--lang=ja"], "hello Aki (ja)"),
        (["--lang", "ja", "greet", "--lang", "en", "Aki"], "hello Aki (en)"),
    ],
)
def test_a_command_gets_its_arguments_and_says_its_exit_code(
    greet: Table,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    said: str,
) -> None:
    assert main(words, greet) == 69
    assert capsys.readouterr().out == said


@pytest.mark.parametrize(
    "words",
    [
        ["unheard-of"],
        ["--unheard-of"],
        ["greet"],
        ["greet", "Aki", "more"],
        ["--lang", "tlh"],
        ["greet", "Aki", "--lang"],
    ],
)
def test_a_wrong_command_line_is_a_usage_error(
    greet: Table, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        main(words, greet)
    assert end.value.code == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "usage: dobon" in said.err


def test_a_wrong_command_line_is_said_to_be_so_in_japanese(
    greet: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["--lang", "ja", "wave"], greet)
    said = capsys.readouterr().err
    assert "使い方: dobon" in said
    assert "'wave' は選べません" in said


@pytest.mark.parametrize(
    ("words", "usage"),
    [
        (["greet", "Aki", "--quiet"], "greet "),
        (["greet", "Aki", "Ben"], "greet "),
        (["--quiet", "greet", "Aki"], ""),
    ],
)
def test_what_a_command_does_not_know_shows_the_usage_of_that_one(
    words: list[str], usage: str, greet: Table, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        main(words, greet)
    assert end.value.code == 2
    assert f"usage: dobon {usage}[-h]" in capsys.readouterr().err


def test_so_does_what_an_errand_of_admin_does_not_know(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--lang", "ja", "admin", "kick", "Aki", "--hard"])
    said = capsys.readouterr().err
    assert "使い方: dobon admin kick [-h]" in said
    assert "--hard" in said


def test_no_command_shows_what_there_is(greet: Table, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([], greet) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "say hello" in said.err


def test_an_interrupt_has_the_exit_code_shells_expect(
    greet: Table,
) -> None:
    assert main(["greet", "nobody"], greet) == 130


def test_every_command_of_the_table_is_a_module_as_promised(capsys: pytest.CaptureFixture[str]) -> None:
    """Its arguments can be added beside all others', and its help can be printed."""
    commands = command_table(str)
    assert "" not in {command.summary for command in commands.values()}
    for name in commands:
        with pytest.raises(SystemExit) as end:
            main([name, "--help"])
        assert end.value.code == 0
        assert f"usage: dobon {name}" in capsys.readouterr().out


def test_the_parser_says_nothing_of_commands_not_loaded() -> None:
    parser = build_parser(str, {"absent": Command("nowhere.at.all", "fail")}, {})
    assert parser.parse_args(["absent"]).command == "absent"


def test_the_command_line_costs_no_heavy_import() -> None:
    """`dobon --help` is typed often: beside the standard library it loads our own modules alone."""
    script = (
        "import sys; before = set(sys.modules)\n"
        "from client.command import build_parser, command_table\n"
        "build_parser(str, command_table(str), {}).format_help()\n"
        "new = {name.split('.')[0] for name in sys.modules.keys() - before}\n"
        "print(*sorted(new - sys.stdlib_module_names))\n"
        "print(*sorted({'asyncio', 'importlib.metadata', 'ssl'} & sys.modules.keys()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout == "client\n\n"


def test_a_reader_that_leaves_is_no_traceback() -> None:
    """`dobon … | head`: the output ends, quietly."""
    script = (
        "import sys, types; from client.command import Command, main\n"
        "module = types.ModuleType('long')\n"
        "module.add_arguments = lambda parser, _: None\n"
        "module.run = lambda args, _: print('x' * 1_000_000) or 0\n"
        "sys.modules['long'] = module\n"
        "sys.exit(main(['long'], lambda _: {'long': Command('long', 'much output')}))"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 1
