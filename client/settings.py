"""The player's settings: command-line flag, else DOBON_* variable, else the TOML file, else the default.

A file that can't be used is reported in one sentence, ignored as a whole, and never overwritten.
"""

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final

from protocol.trouble import system_reason

from .i18n import Translate, mark


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What a player can set; the fields are the keys of the file.

    `language` is `en`, `ja` or empty for the locale's; `name` empty for the user's own; `animation` is the
    speed in percent, 0 for none; `muted` holds names whose chat is not shown.
    """

    name: str = ""
    language: str = ""
    glyphs: str = "auto"
    four_colour: bool = False
    sort: str = "suit"
    bell: bool = True
    mouse: bool = False
    animation: int = 100
    auto_pass: bool = False
    auto_counter: bool = False
    muted: tuple[str, ...] = ()


DEFAULTS: Final = Settings()
FIELDS: Final = tuple(field.name for field in fields(Settings))
CHOICES: Final[dict[str, tuple[str, ...]]] = {
    "language": ("", "en", "ja"),
    "glyphs": ("auto", "unicode", "ascii"),
    "sort": ("suit", "rank", "dealt"),
}
ANIMATION: Final = (0, 300)
# The language's variable is DOBON_LANG, read with the locale's own; a list doesn't fit in a variable.
VARIABLES: Final = {field: "DOBON_" + field.upper() for field in FIELDS if field not in {"language", "muted"}}
_SWITCHES: Final = {"1": True, "true": True, "yes": True, "on": True} | {
    "0": False,
    "false": False,
    "no": False,
    "off": False,
}


class BadSettings(ValueError):
    """A file or variable that can't be used. `field` is None where the file as a whole is bad: `expected` is
    then the reason, to be translated, and `value` what its reader says of it, if anything."""

    def __init__(self, where: str, field: str | None, value: object, expected: str) -> None:
        self.where, self.field, self.value, self.expected = where, field, value, expected
        super().__init__(self.sentence(lambda text: text))

    def sentence(self, _: Translate) -> str:
        """One sentence for the player, in the language of `_`."""
        if self.field is None:
            reason = _(self.expected) + ("" if self.value is None else f" ({self.value})")
            return _("{where} is ignored: {reason}.").format(where=self.where, reason=reason)
        if not self.expected:
            return _("{where} is ignored: there is no setting “{field}”.").format(
                where=self.where, field=self.field
            )
        return _("{where} is ignored: {field} can't be {value}, only {expected}.").format(
            where=self.where, field=self.field, value=repr(self.value), expected=self.expected
        )


@dataclass(frozen=True, slots=True)
class Loaded:
    """Settings in force, and what could not be used on the way to them."""

    settings: Settings
    problems: tuple[BadSettings, ...] = ()


def config_path() -> Path:
    """Where the file is, whether it exists or not."""
    from platformdirs import user_config_path

    return user_config_path("dobon", appauthor=False) / "settings.toml"


def load(
    flags: Mapping[str, Any] | None = None,
    environ: Mapping[str, str] | None = None,
    path: Path | None = None,
) -> Loaded:
    """The settings in force. `flags` are those of the command line; None means not given. Never raises
    for what is in the file or the environment."""
    environ = os.environ if environ is None else environ
    problems: list[BadSettings] = []
    values: dict[str, Any] = {}
    try:
        values = read(path or config_path())
    except BadSettings as problem:
        problems.append(problem)
    for field, variable in VARIABLES.items():
        if text := environ.get(variable):
            try:
                values[field] = _checked(variable, field, _parsed(field, text))
            except BadSettings as problem:
                problems.append(problem)
    values |= {field: value for field, value in (flags or {}).items() if value is not None}
    return Loaded(Settings(**values), tuple(problems))


def read(path: Path) -> dict[str, Any]:
    """The fields that the file sets; none if there is no file. Raises BadSettings."""
    import tomllib

    try:
        data = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise BadSettings(str(path), None, None, system_reason(error)) from None
    except ValueError as error:  # or not even UTF-8
        raise BadSettings(str(path), None, error, mark("it is no TOML")) from None
    return {field: _checked(str(path), field, value) for field, value in data.items()}


def save(changes: Mapping[str, Any], path: Path | None = None) -> None:
    """Writes the changed fields to the file, all else in it, comments too, staying as it was.

    Raises BadSettings, and writes nothing, where the file or a value is bad; OSError where the disk says no.
    """
    import tempfile

    path = path or config_path()
    wanted = read(path) | {field: _checked(str(path), field, value) for field, value in changes.items()}
    text = path.read_text("utf-8") if path.exists() else ""
    for field in changes:
        line = f"{field} = {_toml(wanted[field])}"
        if found := re.search(rf"(?m)^[ \t]*{field}[ \t]*=.*$", text):
            text = text[: found.start()] + line + text[found.end() :]
        else:
            text = text.rstrip("\n") + "\n" * bool(text) + line + "\n"
    if not _says(text, wanted):  # a value over several lines, say
        text = "".join(f"{field} = {_toml(value)}\n" for field, value in wanted.items())
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=path.parent, delete=False) as file:
        file.write(text)
    os.replace(file.name, path)


def _says(text: str, wanted: Mapping[str, Any]) -> bool:
    import tomllib

    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return False
    return data == {field: list(v) if isinstance(v, tuple) else v for field, v in wanted.items()}


def _toml(value: Any) -> str:
    if isinstance(value, tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _parsed(field: str, text: str) -> Any:
    default = getattr(DEFAULTS, field)
    if isinstance(default, bool):
        return _SWITCHES.get(text.strip().lower(), text)
    if isinstance(default, int):
        return int(text) if re.fullmatch("[0-9]{1,9}", text) else text
    return text


def _checked(where: str, field: str, value: Any) -> Any:
    """The value as Settings holds it. Raises BadSettings with what would do, in no language."""
    expected = ""
    match getattr(DEFAULTS, field) if field in FIELDS else None:
        case bool():
            if isinstance(value, bool):
                return value
            expected = "true, false"
        case int():
            if (
                isinstance(value, int)
                and not isinstance(value, bool)
                and ANIMATION[0] <= value <= ANIMATION[1]
            ):
                return value
            expected = f"{ANIMATION[0]} … {ANIMATION[1]}"
        case str() if field in CHOICES:
            if value in CHOICES[field]:
                return value
            expected = ", ".join(choice or '""' for choice in CHOICES[field])
        case str():
            if _is_text(value):
                return value
            expected = '"…"'
        case tuple():
            if isinstance(value, (list, tuple)) and all(map(_is_text, value)):
                return tuple(value)
            expected = '["…", "…"]'
    raise BadSettings(where, field, value, expected)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and not any("\ud800" <= character <= "\udfff" for character in value)
