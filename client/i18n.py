"""The language a person reads: gettext catalogues of the domain `dobon` under client/locale.

Source strings are English and stand in the code, `_("{name} draws").format(name=…)`; placeholders are
named, in braces, never f-strings. A string that is translated later than it is written down, in a table
say, is marked with `mark`. After a change of strings: `python -m client.locale.update`.
"""

import gettext
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, TypeAlias

Translate: TypeAlias = Callable[[str], str]
"""A catalogue's `gettext`, called `_` wherever strings are taken out for it."""

DOMAIN: Final = "dobon"
LOCALE: Final = Path(__file__).parent / "locale"
LANGUAGES: Final = ("en", "ja")


def mark(text: str) -> str:
    """Marks a source string for extraction; it is translated where it is shown."""
    return text


ARGPARSE: Final = (
    mark("usage: "),
    mark("positional arguments"),
    mark("options"),
    mark("show this help message and exit"),
    mark("%(prog)s: error: %(message)s\n"),
    mark("argument %(argument_name)s: %(message)s"),
    mark("the following arguments are required: %s"),
    mark("unrecognized arguments: %s"),
    mark("expected one argument"),
    mark("ignored explicit argument %r"),
    mark("invalid %(type)s value: %(value)r"),
    mark("invalid choice: %(value)r (choose from %(choices)s)"),
    mark("ambiguous option: %(option)s could match %(matches)s"),
)
"""What argparse says of itself; it looks these up where `speak` lets it."""


def speak(chosen: str) -> None:
    """Have what the standard library says of itself said in this language too."""
    gettext.bindtextdomain(DOMAIN, str(LOCALE))
    gettext.textdomain(DOMAIN)
    os.environ["LANGUAGE"] = chosen


def language(flag: str | None, environ: Mapping[str, str], configured: Callable[[], str]) -> str:
    """`en` or `ja`: the flag, else DOBON_LANG, else the config file, else the locale, else English.

    What names no language we have is passed over; the locale's first variable that is set decides.
    """
    for wish in (flag, environ.get("DOBON_LANG")):
        if wish and (known := _known(wish)):
            return known
    if (wish := configured()) and (known := _known(wish)):
        return known
    for variable in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if value := environ.get(variable):
            return _known(value) or "en"
    return "en"


def wished(flag: str | None) -> str:
    """This person's language."""
    return language(flag, os.environ, _configured)


def catalogue(chosen: str) -> gettext.NullTranslations:
    """The catalogue of `en` or `ja`, whose `.gettext` is the `_` that the commands are given; without a file
    for it, the source strings."""
    if chosen == "en":
        return gettext.NullTranslations()
    return gettext.translation(DOMAIN, LOCALE, [chosen], fallback=True)


def _configured() -> str:
    from . import settings  # only for who has not said it otherwise: `--help` is in a hurry

    return settings.load().settings.language


def _known(wish: str) -> str | None:
    start = wish.replace("-", "_").split(".")[0].split("_")[0].lower()
    return start if start in LANGUAGES else None
