"""The commands of the plain client: what a typed line asks for, given what is known. Pure.

`interpret` turns a line into what is to be done.
"""

from __future__ import annotations

import shlex
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from engine.cards import CARDS
from engine.rules import BadRules, Rules, parse_rule
from protocol.messages import (
    Bot,
    Chat,
    Create,
    Dobon,
    Draw,
    Join,
    Kick,
    Leave,
    Pass,
    Pause,
    Play,
    Request,
    Rps,
    SetRules,
    Start,
    Sync,
    Tables,
    Waive,
    Watch,
)
from protocol.text import BadText, clean_chat

from .i18n import Translate, mark
from .knowledge import is_played_for, names_suit, sorted_hand
from .model import Model, Table
from .problems import text_problem
from .refusals import SENTENCES
from .rules_fields import LEVELS, SETTINGS, refusal


@dataclass(frozen=True, slots=True)
class Ask:
    """A request; `alone`: nothing is to be sent behind it before its answer."""

    request: Request
    alone: bool = False


@dataclass(frozen=True, slots=True)
class BeReady:
    """A `ready`, whose nonce the session makes."""

    table: int
    on: int


@dataclass(frozen=True, slots=True)
class Show:
    """Something to be shown from what is known."""

    what: Literal["help", "hand", "look", "rules"]


@dataclass(frozen=True, slots=True)
class Mute:
    name: str
    on: bool


@dataclass(frozen=True, slots=True)
class Quit:
    pass


Command: TypeAlias = Ask | BeReady | Show | Mute | Quit


class BadCommand(Exception):
    """A line that asks for nothing; `str()` is one sentence for the player."""


def interpret(
    line: str, model: Model, _: Translate, sort: str = "suit", offered: int | None = None
) -> Command | None:
    """What a line asks for; None for an empty one where nothing waits for it. Raises BadCommand.

    `sort` is how the hand is shown, which the numbers of cards go by. `offered` is the card (its `on`) that
    the player was last told they can claim: a Dobon means that one, whatever was played while it was typed.
    """
    return _Interpreter(model, _, sort, offered).line(line)


class _Interpreter:
    def __init__(self, model: Model, translate: Translate, sort: str, offered: int | None) -> None:
        self.model, self.translate, self.sort, self.offered = model, translate, sort, offered

    def line(self, line: str) -> Command | None:
        verb, _space, rest = line.strip().partition(" ")
        # what an input method made full-width is meant as ASCII
        verb = unicodedata.normalize("NFKC", verb).lower()
        if not verb:
            return self._enter()
        if verb in ("chat", "c", "say"):
            return self._chat(rest)
        words = _split(unicodedata.normalize("NFKC", rest))
        if verb == "play" or verb == "p":
            return self._play(verb, words)
        if verb[0].isdigit() or _card(verb):
            return self._play("play", [verb, *words])
        work = _VERBS.get(verb)
        if work is None:
            raise self._bad(mark("There is no command “{word}”; “help” lists them all."), word=verb)
        return work(self, words)

    def _bad(self, source: str, **values: Any) -> BadCommand:
        return BadCommand(self.translate(source).format(**values))

    @property
    def table(self) -> Table:
        table = self.model.table
        if table is None or table.closed is not None:
            raise self._bad(mark("You are at no table: see “tables”, then “join”, “watch” or “create”."))
        return table

    def _enter(self) -> Command | None:
        table = self.model.table
        if table is None or table.view.ready_on is None or table.you is None:
            return None
        own = table.seat(table.you)
        return None if own is None or own.ready else self.ready([])

    # At the table.

    def _play(self, verb: str, words: list[str]) -> Command:
        table = self.table
        view = table.view
        if not words and verb == "p" and "pass" in (view.may or ()):
            return self.pass_(words)
        if not words:
            raise self._bad(mark("Which card? Give its number in your hand, or the card, such as 7S."))
        card = self._card(words[0], sorted_hand(view, self.sort))
        suit, call = None, False
        for word in words[1:]:
            if word.lower() in ("call", "!"):
                call = True
            elif (suit := _SUITS.get(word.lower())) is None:
                raise self._bad(mark("“{word}” is no suit; there are S, H, D and C."), word=word)
        if suit is None and len(view.hand or ()) > 1 and names_suit(view, card):
            raise self._bad(SENTENCES["suit_needed"])
        play = Play(table=table.id, on=self._act_on(), card=card, suit=suit, call=call or None)  # type: ignore[arg-type]
        return Ask(play, alone=view.phase in ("opening", "direction"))

    def _card(self, word: str, hand: list[str]) -> str:
        if word.isdigit() and 1 <= int(word) <= len(hand):
            return hand[int(word) - 1]
        card = _card(word)
        if card is None:
            raise self._bad(mark("“{word}” is neither a number in your hand nor a card."), word=word)
        # jokers are printed alike and do the same
        return next((held for held in hand if held[0] == "X"), card) if card[0] == "X" else card

    def _act_on(self) -> int:
        """What an action answers."""
        view = self.table.view
        if view.act_on is not None:
            return view.act_on
        if is_played_for(view):
            said = mark("The server plays for you. “{example}”: play on yourself.")
            raise self._bad(said, example=f"join {view.table}")
        source = SENTENCES["not_your_turn" if view.phase == "turn" else "not_now"]
        raise self._bad(source)

    def _claim_on(self) -> int:
        """The card that a claim or a waiver is about."""
        on = self.table.view.claim_on
        if on is None:
            raise self._bad(mark("There is no card to claim now."))
        return on

    def draw(self, words: list[str]) -> Command:
        return Ask(Draw(table=self.table.id, on=self._act_on()))

    def pass_(self, words: list[str]) -> Command:
        return Ask(Pass(table=self.table.id, on=self._act_on()))

    def dobon(self, words: list[str]) -> Command:
        return Ask(Dobon(table=self.table.id, on=self.offered or self._claim_on()))

    def waive(self, words: list[str]) -> Command:
        return Ask(Waive(table=self.table.id, on=self._claim_on()))

    def throw(self, what: Literal["rock", "paper", "scissors"]) -> Command:
        return Ask(Rps(table=self.table.id, on=self._act_on(), throw=what))

    def ready(self, words: list[str]) -> Command:
        if self.table.view.ready_on is None:
            raise self._bad(SENTENCES["not_now"])
        return BeReady(self.table.id, self.table.view.ready_on)

    def _chat(self, text: str) -> Command:
        table = self.table.id
        try:
            return Ask(Chat(table=table, text=clean_chat(text)))
        except BadText as error:
            raise BadCommand(text_problem(error, self.translate)) from None

    # Who sits where, and by which rules.

    def join(self, words: list[str]) -> Command:
        words, password = _password(words)
        if not words:
            raise self._bad(mark("Which table? “tables” lists them."))
        seat = self._seat(words[1]) if len(words) > 1 else None
        return Ask(Join(table=self._number(words[0]), seat=seat, password=password))

    def watch(self, words: list[str]) -> Command:
        words, password = _password(words)
        if not words:
            raise self._bad(mark("Which table? “tables” lists them."))
        return Ask(Watch(table=self._number(words[0]), password=password))

    def bot(self, words: list[str]) -> Command:
        if len(words) != 2 or words[1] not in (*LEVELS, "none"):
            raise self._bad(mark("It goes like this: {example}"), example="bot 3 hard")
        level: Any = None if words[1] == "none" else words[1]
        return Ask(Bot(table=self.table.id, seat=self._seat(words[0]), level=level))

    def kick(self, words: list[str]) -> Command:
        if len(words) != 1:
            raise self._bad(mark("It goes like this: {example}"), example="kick 3")
        return Ask(Kick(table=self.table.id, seat=self._seat(words[0])))

    def start(self, words: list[str]) -> Command:
        level: Any = words[0] if words else None
        if level is not None and level not in LEVELS:
            raise self._bad(mark("It goes like this: {example}"), example="start normal")
        empty = any(seat.kind == "empty" for seat in self.table.view.seats)
        if level is None and empty and self.model.is_host:
            said = mark("There are empty seats: “{example}” puts bots in them; or wait for others to join.")
            raise self._bad(said, example="start normal")
        return Ask(Start(table=self.table.id, fill=level))

    def set_(self, words: list[str]) -> Command:
        fields = self._fields(words)
        rules, settings = self._rules(fields), self._settings(fields)
        if fields or not words:
            raise self._bad(mark("There is no field “{word}”; see “help”."), word=next(iter(fields), ""))
        return Ask(SetRules(table=self.table.id, rules=rules or None, settings=settings or None))

    def create(self, words: list[str]) -> Command:
        fields = self._fields(words)
        rules, settings = self._rules(fields), self._settings(fields)
        seats = self._number(fields.pop("seats")) if "seats" in fields else None
        bots: Any = [bot for bot in fields.pop("bots", "").split(",") if bot]
        if any(bot not in LEVELS for bot in bots):
            raise self._bad(mark("It goes like this: {example}"), example="create bots=easy,hard")
        asked = Create(
            name=fields.pop("name", None),
            rules=rules or None,
            settings=settings or None,
            seats=seats,
            bots=bots or None,
            password=fields.pop("password", None),
            sit=False if fields.pop("sit", "yes") in ("no", "false") else None,
        )
        if fields:
            raise self._bad(mark("There is no field “{word}”; see “help”."), word=next(iter(fields)))
        return Ask(asked)

    def _fields(self, words: list[str]) -> dict[str, str]:
        fields = {}
        for word in words:
            field, equals, value = word.partition("=")
            if not equals:
                raise self._bad(mark("“{word}” is not of the form FIELD=VALUE."), word=word)
            fields[field] = value
        return fields

    def _rules(self, fields: dict[str, str]) -> dict[str, Any]:
        """Takes the rules out of the fields. What is no value of its field is refused here, in the player's
        language; what does not go together is left to the server, who knows the table."""
        known = ("preset", *Rules.__dataclass_fields__)
        try:
            rules = dict(parse_rule(f"{field}={fields.pop(field)}") for field in known if field in fields)
            Rules.from_data({"opening": "turn", **rules} if "first_card" in rules else rules)
        except BadRules as error:
            raise BadCommand(refusal(error, self.translate)) from None
        return rules

    def _settings(self, fields: dict[str, str]) -> dict[str, Any]:
        return {field: self._amount(fields.pop(field)) for field in SETTINGS if field in fields}

    def _amount(self, text: str) -> int:
        """A number, a time in ms or, as `20s`, in seconds."""
        for unit, factor in (("ms", 1), ("s", 1000), ("%", 1), ("", 1)):
            if text.endswith(unit):
                return factor * self._number(text.removesuffix(unit))
        raise AssertionError("every text ends with nothing")

    def _number(self, text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) < 10):
            raise self._bad(mark("“{word}” is no number."), word=text)
        return int(text)

    def _seat(self, text: str) -> int:
        """A seat as people count, from 1, as the wire does, from 0."""
        number = self._number(text) - 1
        if not 0 <= number <= 7:
            raise self._bad(mark("Seats are numbered from 1 to 8."))
        return number


def _card(word: str) -> str | None:
    """The card that a word names: as on the wire, as printed, or with a ten for T."""
    text = word.upper().replace("JK", "X1").replace("10", "T")
    for symbol, letter in zip("♠♥♦♣", "SHDC", strict=True):
        text = text.replace(symbol, letter)
    return text if text in CARDS else None


def _split(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:  # a lone quote
        return text.split()


def _password(words: list[str]) -> tuple[list[str], str | None]:
    given = [word.removeprefix("password=") for word in words if word.startswith("password=")]
    return [word for word in words if not word.startswith("password=")], next(iter(given), None)


_SUITS: Final = {
    **{letter.lower(): letter for letter in "SHDC"},
    **dict(zip("♠♥♦♣", "SHDC", strict=True)),
    "spades": "S",
    "hearts": "H",
    "diamonds": "D",
    "clubs": "C",
}

_I = _Interpreter
_VERBS: Final[dict[str, Callable[[_Interpreter, list[str]], Command]]] = {
    **dict.fromkeys(("help", "?"), lambda _i, _w: Show("help")),
    **dict.fromkeys(("tables", "t"), lambda _i, _w: Ask(Tables())),
    **dict.fromkeys(("hand", "h"), lambda _i, _w: Show("hand")),
    **dict.fromkeys(("look", "l"), lambda _i, _w: Show("look")),
    **dict.fromkeys(("quit", "q", "exit"), lambda _i, _w: Quit()),
    **dict.fromkeys(("draw", "d"), _I.draw),
    **dict.fromkeys(("pass", "n"), _I.pass_),
    **dict.fromkeys(("dobon", "!"), _I.dobon),
    **dict.fromkeys(("waive", "w"), _I.waive),
    **dict.fromkeys(("ready", "r"), _I.ready),
    **dict.fromkeys(("join", "j"), _I.join),
    "rules": lambda _i, _w: Show("rules"),
    "rock": lambda i, _w: i.throw("rock"),
    "paper": lambda i, _w: i.throw("paper"),
    "scissors": lambda i, _w: i.throw("scissors"),
    "watch": _I.watch,
    "leave": lambda i, _w: Ask(Leave(table=i.table.id)),
    "sync": lambda i, _w: Ask(Sync(table=i.table.id)),
    "bot": _I.bot,
    "kick": _I.kick,
    "start": _I.start,
    "set": _I.set_,
    "create": _I.create,
    "pause": lambda i, _w: Ask(Pause(table=i.table.id, on=True)),
    "resume": lambda i, _w: Ask(Pause(table=i.table.id, on=False)),
    "mute": lambda _i, words: Mute(" ".join(words), True),
    "unmute": lambda _i, words: Mute(" ".join(words), False),
}
"""By what is typed; a play, chat and an empty line are told apart before."""
