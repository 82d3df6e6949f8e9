"""The rules of a table as one flat value (rules, section 2).

>>> Rules.preset("dobon").hand
5
>>> Rules.from_data({"preset": "pageone", "jokers": 1}, seats=4).jokers
1
>>> Rules.from_data({"jokers": 3})
Traceback (most recent call last):
engine.rules.BadRules: jokers: 3 will not do; expected a whole number from 0 to 2
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Protocol

from .cards import CARDS, RANKS

MIN_SEATS, MAX_SEATS = 2, 8


class BadRules(ValueError):
    """Rules that can't be played: which ``field``, the ``value`` it was given, and what was ``expected``."""

    def __init__(self, field: str, value: object, expected: str) -> None:
        super().__init__(f"{field}: {value!r} will not do; expected {expected}")
        self.field = field
        self.value = value
        self.expected = expected


class Kind(Protocol):
    """What the values of a field may be."""

    @property
    def expected(self) -> str:
        """What would do, in words."""

    def accepts(self, value: object) -> bool:
        """Whether plain data is such a value."""

    def parse(self, text: str) -> object:
        """Plain data from what was typed; what can't be read comes back as it is, for `accepts` to refuse."""


@dataclass(frozen=True)
class Number:
    low: int
    high: int

    @property
    def expected(self) -> str:
        return f"a whole number from {self.low} to {self.high}"

    def accepts(self, value: object) -> bool:
        return type(value) is int and self.low <= value <= self.high

    def parse(self, text: str) -> object:
        return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else text


@dataclass(frozen=True)
class Word:
    words: tuple[str, ...]

    @property
    def expected(self) -> str:
        return "one of " + ", ".join(self.words)

    def accepts(self, value: object) -> bool:
        return isinstance(value, str) and value in self.words

    def parse(self, text: str) -> object:
        return text


@dataclass(frozen=True)
class Flag:
    expected: str = "true or false"

    def accepts(self, value: object) -> bool:
        return type(value) is bool

    def parse(self, text: str) -> object:
        return {"yes": True, "true": True, "no": False, "false": False}.get(text, text)


EFFECTS = ("skip", "reverse", "wild", "suit", *(f"attack{n}" for n in range(1, 10)))
"""The words for what a function card does (rules, section 4)."""


@dataclass(frozen=True)
class Effects:
    expected: str = (
        "a map from a rank or a card (no joker) to skip, reverse, wild, suit or attack1 to attack9"
    )

    def accepts(self, value: object) -> bool:
        keys = {*RANKS, *CARDS[:52]}
        return isinstance(value, Mapping) and all(
            isinstance(key, str) and key in keys and isinstance(effect, str) and effect in EFFECTS
            for key, effect in value.items()
        )

    def parse(self, text: str) -> object:
        """``A:skip,AS:attack5``; nothing at all for no function cards."""
        entries = [entry.split(":") for entry in text.split(",") if text]
        if any(len(entry) != 2 for entry in entries) or len({entry[0] for entry in entries}) < len(entries):
            return text
        return {key.strip(): effect.strip() for key, effect in entries}


FIELDS: dict[str, Kind] = {
    "jokers": Number(0, 2),
    "hand": Number(3, 7),
    "rounds": Number(1, 20),
    "opening": Word(("turn", "race")),
    "starter": Word(("rotate", "random", "winner", "loser")),
    "first_card": Word(("plain", "effect")),
    "effects": Effects(),
    "answer": Word(("may", "must")),
    "drawn": Word(("play", "end")),
    "must_play": Flag(),
    "reverse_two": Word(("skip", "none")),
    "out": Flag(),
    "dobon_min": Number(1, 7),
    "dobon_math": Word(("sum", "pair")),
    "claims": Word(("first", "last", "all")),
    "chain_loser": Word(("previous", "discarder")),
    "counter": Word(("auto", "ask", "off")),
    "counter_min": Number(1, 7),
    "false_dobon": Number(0, 5),
    "last_call": Number(0, 5),
    "order_by": Word(("coin", "rps")),
    "scoring": Word(("penalty", "wins", "chain")),
    "double_effect": Flag(),
}
"""Every field and what it may be, in the order people read them."""


@dataclass(frozen=True, slots=True)
class Rules:
    """One table's rules; ``effects`` as pairs of (rank or card, effect). Made by the three methods below."""

    jokers: int
    hand: int
    rounds: int
    opening: str
    starter: str
    first_card: str
    effects: tuple[tuple[str, str], ...]
    answer: str
    drawn: str
    must_play: bool
    reverse_two: str
    out: bool
    dobon_min: int
    dobon_math: str
    claims: str
    chain_loser: str
    counter: str
    counter_min: int
    false_dobon: int
    last_call: int
    order_by: str
    scoring: str
    double_effect: bool

    @classmethod
    def preset(cls, name: str) -> Rules:
        """The rules called ``name``; `BadRules` of the field ``preset`` if there are none."""
        found = PRESETS.get(name) if isinstance(name, str) else None
        if found is None:
            raise BadRules("preset", name, "one of " + ", ".join(PRESETS))
        return found

    @classmethod
    def from_data(cls, data: Mapping[str, Any], seats: int | None = None) -> Rules:
        """Rules from a map of fields, those left out as in its ``preset`` (`dobon`); see `changed`."""
        return PRESETS["dobon"].changed(data, seats)

    def changed(self, data: Mapping[str, Any], seats: int | None = None) -> Rules:
        """These rules with the fields of ``data`` instead, after its ``preset`` where it has one.

        With ``seats`` they are also checked for a table of that many. Raises `BadRules`.
        """
        base = Rules.preset(data["preset"]) if "preset" in data else self
        given = {name: value for name, value in data.items() if name != "preset"}
        for name, value in given.items():
            kind = FIELDS.get(name) if isinstance(name, str) else None
            if kind is None:
                raise BadRules(str(name), value, "one of the fields " + ", ".join(FIELDS))
            if not kind.accepts(value):
                raise BadRules(name, value, kind.expected)
        if "effects" in given:
            given["effects"] = tuple(given["effects"].items())
        rules = replace(base, **given)
        if rules.first_card == "effect" and rules.opening == "race":
            raise BadRules("first_card", "effect", "plain where the opening is a race")
        if seats is not None:
            rules.check_seats(seats)
        return rules

    def check_seats(self, seats: int) -> None:
        """Raise `BadRules` if ``seats`` people can't play by these rules."""
        if type(seats) is not int or not MIN_SEATS <= seats <= MAX_SEATS:
            raise BadRules("seats", seats, f"a whole number from {MIN_SEATS} to {MAX_SEATS}")
        if 52 - seats * self.hand - 1 < 2:
            raise BadRules("hand", self.hand, f"at most {(52 - 1 - 2) // seats} cards for {seats} seats")

    def to_data(self) -> dict[str, Any]:
        """Every field as plain data, ``effects`` as a map; `from_data` takes it back."""
        data: dict[str, Any] = {field.name: getattr(self, field.name) for field in fields(self)}
        data["effects"] = dict(self.effects)
        return data


def parse_rule(text: str) -> tuple[str, object]:
    """``("hand", 6)`` from ``hand=6``, for a command line; `Rules.changed` checks the value.

    Raises `BadRules` for an unknown field or where the ``=`` is missing.
    """
    name, equals, value = text.partition("=")
    name, value = name.strip(), value.strip()
    if not equals:
        raise BadRules(name, text, "FIELD=VALUE")
    if name == "preset":
        return name, value
    if name not in FIELDS:
        raise BadRules(name, value, "one of the fields " + ", ".join(FIELDS))
    return name, FIELDS[name].parse(value)


_DOBON = Rules(
    jokers=0,
    hand=5,
    rounds=5,
    opening="turn",
    starter="rotate",
    first_card="plain",
    effects=(("A", "skip"), ("2", "attack2"), ("8", "wild"), ("J", "reverse")),
    answer="may",
    drawn="play",
    must_play=False,
    reverse_two="skip",
    out=True,
    dobon_min=1,
    dobon_math="sum",
    claims="first",
    chain_loser="previous",
    counter="auto",
    counter_min=1,
    false_dobon=0,
    last_call=0,
    order_by="coin",
    scoring="penalty",
    double_effect=False,
)

PRESETS: dict[str, Rules] = {
    "dobon": _DOBON,
    "pageone": replace(
        _DOBON,
        opening="race",
        starter="random",
        effects=(("2", "attack2"), ("3", "skip"), ("8", "suit"), ("J", "reverse"), ("AS", "attack5")),
        answer="must",
        drawn="end",
        reverse_two="none",
        dobon_min=2,
        claims="last",
        counter="ask",
        scoring="wins",
    ),
}
"""The two games the project was founded on."""
