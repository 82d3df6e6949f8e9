"""Text that people send: what a name, a table's name or a line of chat may be, and what is safe to show.

The server cleans with `clean_name`, `clean_table_name` and `clean_chat`; a client passes whatever it
receives through `harmless` before it reaches the terminal, for the server need not be ours. Widths are
terminal columns, counted one character at a time as prompt-toolkit counts them: sequences that terminals
join into one cell (emoji joiners, variation selectors, flags) are taken apart, so that everybody's count
agrees.
"""

import unicodedata
from typing import Final

from wcwidth import wcwidth

NAME_COLUMNS: Final = 16
TABLE_NAME_COLUMNS: Final = 32
CHAT_CHARACTERS: Final = 200
ANNOUNCER: Final = "(server)"  # whose the host's announcements are; no player is called that
MARKS: Final = 3  # combining marks on one base: Thai and pointed Hebrew need that many

# Invisible, but letters, marks or symbols by their Unicode category: fillers, joiners, blank braille.
_INVISIBLE: Final = frozenset(
    [
        *(0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0, 0xFFFC, 0x16FE4, 0x1D159),
        *range(0x180B, 0x1810),
        *range(0xFE00, 0xFE10),
        *range(0xE0100, 0xE01F0),
    ]
)
# Jamo that combine into syllables change their width with what stands beside them; NFC has composed the
# modern ones.
_JAMO: Final = ((0x1100, 0x11FF), (0xA960, 0xA97F), (0xD7B0, 0xD7FF))
_FORBIDDEN: Final = frozenset(["Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"])
_NAME_CATEGORIES: Final = frozenset(["Nd", "Nl"])

# Flags become their two letters; joiners, emoji styles and skin tones are dropped in chat.
_FLAG_LETTERS: Final = {0x1F1E6 + i: chr(ord("A") + i) for i in range(26)}
_EMOJI_PARTS: Final = frozenset([0x200C, 0x200D, 0xFE0E, 0xFE0F, *range(0x1F3FB, 0x1F400)])
_PLAIN_EMOJI: Final[dict[int, str]] = _FLAG_LETTERS | dict.fromkeys(_EMOJI_PARTS, "")


class BadText(ValueError):
    """A text that can't be taken. `reason` is `empty`, `too_long`, `character` or `marks`."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class BadName(BadText):
    """A player's name that can't be taken."""


def clean_name(text: str) -> str:
    """The name as it is kept and shown (protocol, section 2): NFC, 1 to 16 columns, outer spaces gone and
    inner ones single. Raises BadName."""
    try:
        name = _spaced(unicodedata.normalize("NFC", text))
        for character in name:
            if not _in_name(character):
                raise _refused_character(character)
        _check(name, NAME_COLUMNS, columns(name))
    except BadText as error:
        raise BadName(error.reason, str(error)) from None
    return name


def name_key(name: str) -> str:
    """What makes a clean name unique on a server: its NFKC-casefolded form (protocol, section 2)."""
    key = unicodedata.normalize("NFKC", name)
    while (folded := unicodedata.normalize("NFKC", key.casefold())) != key:
        key = folded
    return key


def clean_table_name(text: str) -> str:
    """A table's or server's name: the characters of chat, 1 to 32 columns. Raises BadText."""
    name = _clean(text)
    _check(name, TABLE_NAME_COLUMNS, columns(name))
    return name


def clean_chat(text: str) -> str:
    """A line of chat: 1 to 200 characters after cleaning, symbols and emoji too. Raises BadText."""
    line = _clean(text)
    _check(line, CHAT_CHARACTERS, len(line))
    return line


def harmless(text: str, *, ambiguous_wide: bool = False) -> str:
    """Text that moves no cursor and hides nothing, whoever sent it; never raises.

    Controls show as `^[`, other characters that are invisible, unassigned or change the direction as `?`.
    With `ambiguous_wide`, for terminals that draw ambiguous-width characters two columns wide, those too
    are replaced: by the ASCII letter they decompose to, or `?`.
    """
    shown: list[str] = []
    marks = MARKS  # a mark needs a base in this very text, or it would sit on our border
    for character in unicodedata.normalize("NFC", text):
        safe = _harmless_character(character)
        if ambiguous_wide and safe == character and unicodedata.east_asian_width(character) == "A":
            base = unicodedata.normalize("NFKD", character)[0]
            safe = base if base.isascii() else "?"
        if _is_mark(safe):
            marks += 1
            if marks > MARKS:
                continue
        else:
            marks = MARKS if safe == " " else 0
        shown.append(safe)
    return "".join(shown)


def columns(text: str) -> int:
    """The width in terminal columns. Controls count as 0: pass foreign text through `harmless` first."""
    if text.isascii() and text.isprintable():
        return len(text)
    return sum(max(0, wcwidth(character)) for character in text)


def clip(text: str, width: int) -> str:
    """`text` cut to at most `width` columns; the last of them is `~` if anything was cut."""
    if columns(text) <= width:
        return text
    if width <= 0:
        return ""
    used = 0
    for index, character in enumerate(text):
        used += max(0, wcwidth(character))
        if used > width - 1:
            return text[:index] + "~"
    return text


def pad(text: str, width: int, *, right: bool = False) -> str:
    """`text` clipped to `width` columns and filled up with spaces, on the left if `right`-aligned."""
    text = clip(text, width)
    fill = " " * (width - columns(text))
    return fill + text if right else text + fill


def _clean(text: str) -> str:
    line = _spaced(unicodedata.normalize("NFC", text.translate(_PLAIN_EMOJI)))
    for character in line:
        if _is_forbidden(character):
            raise _refused_character(character)
    return line


def _spaced(text: str) -> str:
    """Every kind of space as one ASCII space, none at the ends. Line ends and tabs are no spaces."""
    spaced = "".join(" " if unicodedata.category(c) == "Zs" else c for c in text)
    return " ".join(part for part in spaced.split(" ") if part)


def _check(text: str, limit: int, length: int) -> None:
    if not text:
        raise BadText("empty", "there is nothing to be seen in it")
    if length > limit:
        raise BadText("too_long", f"it is {length} long, at most {limit} will do")
    marks = MARKS
    for character in text:
        if not _is_mark(character):
            marks = MARKS if character == " " else 0
            continue
        marks += 1
        if marks > MARKS:
            raise BadText("marks", "it has combining marks without a letter, or too many on one")


def _refused_character(character: str) -> BadText:
    return BadText("character", f"U+{ord(character):04X} can't be used in it")


def _is_forbidden(character: str) -> bool:
    code = ord(character)
    return (
        unicodedata.category(character) in _FORBIDDEN
        or code in _INVISIBLE
        or any(first <= code <= last for first, last in _JAMO)
    )


def _in_name(character: str) -> bool:
    """Letters, digits, marks, punctuation, the space; ASCII's symbols count as punctuation, as in C's
    `ispunct`, and so do their wide twins."""
    if _is_forbidden(character):
        return False
    category = unicodedata.category(character)
    if category[0] in "LMP" or category in _NAME_CATEGORIES:
        return True
    plain = unicodedata.normalize("NFKC", character)
    return plain.isascii() and plain.isprintable()


def _is_mark(text: str) -> bool:
    return len(text) == 1 and unicodedata.category(text)[0] == "M"


def _harmless_character(character: str) -> str:
    code = ord(character)
    if code < 0x20 or code == 0x7F:
        return "^" + chr(code ^ 0x40)
    if code in _FLAG_LETTERS:
        return _FLAG_LETTERS[code]
    if code in _EMOJI_PARTS or _is_forbidden(character):
        return "?"
    return " " if unicodedata.category(character) == "Zs" else character
