"""What a user installs: the wheel, in an environment that holds nothing else."""

import gettext
import json
import os
import subprocess
import sys
import tomllib
import venv
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.plain_round import play_a_round, served

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = {"engine", "protocol", "server", "client"}

# one worker builds and installs for all of them; the first install of a machine waits for the network
pytestmark = [pytest.mark.xdist_group("packaging"), pytest.mark.timeout(600)]


@dataclass(frozen=True)
class Installed:
    """An environment with the wheel in it, as one typing at a shell elsewhere has it."""

    programs: Path
    elsewhere: Path

    def run(self, program: str, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run one of the environment's programs, far from the sources, and give its output and exit code."""
        return subprocess.run(
            [self.programs / program, *words],
            cwd=self.elsewhere,
            env=self.environment() | environment,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )

    def environment(self) -> dict[str, str]:
        """Nothing of the test run's own may lead back to the sources or colour what is said."""
        kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
        return kept | {"HOME": str(self.elsewhere), "PYTHONUTF8": "1"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _build(ROOT, tmp_path_factory.mktemp("wheel"), "--wheel", "--no-isolation")


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    place = tmp_path_factory.mktemp("installed")
    venv.create(place / "env", symlinks=os.name == "posix")
    programs = place / "env" / ("Scripts" if os.name == "nt" else "bin")
    pip = ("-m", "pip", "--python", str(programs / "python"), "install", "--quiet")
    _run(*pip, "--constraint", str(ROOT / "requirements.lock"), f"{wheel}[metrics,tls,ratings]")
    elsewhere = place / "elsewhere"
    elsewhere.mkdir()
    return Installed(programs, elsewhere)


def test_the_wheel_holds_the_four_packages_alone(wheel: Path) -> None:
    info = f"dobon-{_version()}.dist-info"
    assert {name.split("/")[0] for name in _names(wheel)} == PACKAGES | {info}


def test_the_wheel_holds_every_module(wheel: Path) -> None:
    found = [path for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    # what keeps the catalogues is a developer's tool
    sources = {path.relative_to(ROOT).as_posix() for path in found if path.parent.name != "locale"}
    assert {name for name in _names(wheel) if name.endswith(".py")} == sources


def test_every_catalogue_is_in_the_wheel_compiled(wheel: Path) -> None:
    sources = (ROOT / "client" / "locale").rglob("*.po")
    compiled = {path.with_suffix(".mo").relative_to(ROOT).as_posix() for path in sources}
    with zipfile.ZipFile(wheel) as archive:
        assert {name for name in archive.namelist() if "/locale/" in name} == compiled
        for name in compiled:
            with archive.open(name) as file:
                assert gettext.GNUTranslations(file).info()["language"] == name.split("/")[2]


def test_no_other_distribution_owns_our_names(installed: Installed) -> None:
    script = (
        "import importlib.metadata, json\nprint(json.dumps(importlib.metadata.packages_distributions()))\n"
    )
    answer = installed.run("python", "-c", script)
    assert answer.stderr == ""
    owners = json.loads(answer.stdout)
    assert {name: owners[name] for name in PACKAGES} == {name: ["dobon"] for name in PACKAGES}


def test_the_requirements_agree_with_each_other(installed: Installed) -> None:
    answer = _run("-m", "pip", "--python", str(installed.programs / "python"), "check")
    assert answer.strip() == "No broken requirements found."


def test_every_module_can_be_imported_once_installed(installed: Installed) -> None:
    script = (
        "import importlib, pkgutil\n"
        f"for package in {sorted(PACKAGES)}:\n"
        "    place = importlib.import_module(package).__path__\n"
        "    for module in pkgutil.walk_packages(place, package + '.'):\n"
        "        if not module.name.endswith('__main__'):\n"
        "            importlib.import_module(module.name)\n"
    )
    answer = installed.run("python", "-c", script)
    assert (answer.stderr, answer.returncode) == ("", 0)


def test_the_command_says_its_version(installed: Installed) -> None:
    answer = installed.run("dobon", "--version")
    assert (answer.stdout, answer.stderr, answer.returncode) == (f"dobon {_version()}\n", "", 0)


def test_the_command_speaks_japanese(installed: Installed) -> None:
    by_flag = installed.run("dobon", "--lang", "ja", "--help")
    by_locale = installed.run("dobon", "--help", LANG="ja_JP.UTF-8")
    assert (by_flag.stderr, by_flag.returncode) == ("", 0)
    assert "バージョンを表示して終わる" in by_flag.stdout
    assert by_locale.stdout == by_flag.stdout
    rules = installed.run("dobon", "rules", "--lang", "ja")
    assert "全員に5枚ずつ配り、次の1枚を表にして場札とし、残りを山札にします。" in rules.stdout


def test_a_round_is_played_in_plain_lines(installed: Installed) -> None:
    dobon = installed.programs / "dobon"
    with served(dobon, installed.environment()) as (_address, code):
        said = play_a_round([dobon, "join", code, "--plain", "--name", "Haru"], installed.environment())
    assert "A match begins: Haru, Hina." in said


@pytest.mark.nightly
def test_the_sources_as_published_build_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    """By way of the sdist, and with the build's requirements fetched as a stranger's machine does."""
    sdist = _build(ROOT, tmp_path, "--sdist")
    _run("-m", "tarfile", "--extract", str(sdist), str(tmp_path / "unpacked"))
    (unpacked,) = (tmp_path / "unpacked").iterdir()
    again = _build(unpacked, tmp_path / "again", "--wheel")
    assert set(_names(again)) == set(_names(wheel))


def _version() -> str:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    assert isinstance(version, str)
    return version


def _names(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()


def _build(sources: Path, into: Path, *how: str) -> Path:
    _run("-m", "build", "--outdir", str(into), *how, str(sources))
    (built,) = into.glob("dobon-*")
    return built


def _run(*words: str) -> str:
    """Run this Python with `words`; returns stdout, or fails the test with all that was said."""
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.fail(f"{' '.join(words)}\n{done.stdout}{done.stderr}", pytrace=False)
    return done.stdout
