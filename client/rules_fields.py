"""The fields of the rules and the settings of a table one by one: what each is called, what it decides, what
its values are called, and why one was refused (rules, sections 2 and 9)."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from engine.rules import FIELDS, MAX_SEATS, MIN_SEATS, PRESETS, BadRules, Flag, Number, Word

from .i18n import Translate, mark

NAMES: Final[dict[str, str]] = {
    "jokers": mark("Jokers"),
    "hand": mark("Cards dealt"),
    "rounds": mark("Rounds"),
    "opening": mark("Opening"),
    "starter": mark("Starter"),
    "first_card": mark("Turned-up card"),
    "effects": mark("Function cards"),
    "answer": mark("Under attack"),
    "drawn": mark("Drawn card"),
    "must_play": mark("Must play"),
    "reverse_two": mark("Reverse with two"),
    "out": mark("Going out"),
    "dobon_min": mark("Cards for Dobon"),
    "dobon_math": mark("Counting for Dobon"),
    "claims": mark("Several Dobons"),
    "chain_loser": mark("Loser of several"),
    "counter": mark("Dobon return"),
    "counter_min": mark("Cards for a return"),
    "false_dobon": mark("False Dobon"),
    "last_call": mark("Last call"),
    "order_by": mark("Direction"),
    "scoring": mark("Points"),
    "double_effect": mark("Doubled points"),
}
"""What each field is called where there is little room."""

EXPLANATIONS: Final[dict[str, str]] = {
    "jokers": mark("jokers in the deck"),
    "hand": mark("cards dealt to each player"),
    "rounds": mark("rounds in a match"),
    "opening": mark("how a round begins"),
    "starter": mark("who starts the next round"),
    "first_card": mark("whether the turned-up card acts on the starter"),
    "effects": mark("the function cards and what each does"),
    "answer": mark("whether whoever can answer an attack must do so"),
    "drawn": mark("whether a drawn card may be played at once"),
    "must_play": mark("whether whoever holds a card that fits must play"),
    "reverse_two": mark("what reverse does with two players"),
    "out": mark("whether emptying the hand wins (else only Dobon does)"),
    "dobon_min": mark("fewest cards in hand for a Dobon"),
    "dobon_math": mark("how a hand is counted for Dobon"),
    "claims": mark("which of several Dobons on one card wins"),
    "chain_loser": mark("who loses when the last of several Dobons wins"),
    "counter": mark("how Dobon return is made"),
    "counter_min": mark("fewest cards in hand for a Dobon return"),
    "false_dobon": mark("cards drawn for a Dobon that does not hold (0: it is just refused)"),
    "last_call": mark("cards drawn for not calling the last card (0: no calling)"),
    "order_by": mark("how the direction is settled if nobody plays for it"),
    "scoring": mark("how points are counted"),
    "double_effect": mark("whether a Dobon on a function card doubles the points"),
}

VALUES: Final[dict[str, dict[str, str]]] = {
    "opening": {"turn": mark("the starter's turn"), "race": mark("a race for the first card")},
    "starter": {
        "rotate": mark("clockwise in turn"),
        "random": mark("drawn by lot"),
        "winner": mark("the last winner"),
        "loser": mark("the last loser"),
    },
    "first_card": {"plain": mark("no effect"), "effect": mark("acts on the starter")},
    "answer": {"may": mark("may answer"), "must": mark("must answer")},
    "drawn": {"play": mark("may be played at once"), "end": mark("the turn ends")},
    "reverse_two": {"skip": mark("the same player again"), "none": mark("nothing")},
    "dobon_math": {"sum": mark("the sum"), "pair": mark("the sum; two cards also by − × ÷")},
    "claims": {"first": mark("the first"), "last": mark("the last"), "all": mark("all of them")},
    "chain_loser": {"previous": mark("the claimant before"), "discarder": mark("who played the card")},
    "counter": {"auto": mark("by itself"), "ask": mark("by hand"), "off": mark("not at all")},
    "order_by": {"coin": mark("by a coin"), "rps": mark("by rock, paper, scissors")},
    "scoring": {
        "penalty": mark("penalty points for cards"),
        "wins": mark("one point for each win"),
        "chain": mark("points for the length of the chain"),
    },
}


class Setting(NamedTuple):
    """Of a table: what it is called, what it decides, and its least and greatest value, a time in ms."""

    name: str
    explanation: str
    least: int
    most: int


SETTINGS: Final[dict[str, Setting]] = {
    "turn_time": Setting(mark("Turn"), mark("time for a turn"), 2_000, 600_000),
    "grace": Setting(mark("Grace"), mark("grace in which a Dobon comes before the next card"), 0, 10_000),
    "claim_time": Setting(mark("Claims"), mark("time for further claims"), 1_000, 30_000),
    "opening_time": Setting(
        mark("Opening race"), mark("time for each stage of the opening race"), 1_000, 60_000
    ),
    "ready_time": Setting(mark("Between rounds"), mark("wait between rounds"), 1_000, 120_000),
    "away_time": Setting(
        mark("Cut off"), mark("until the server plays for whoever was cut off"), 5_000, 600_000
    ),
    "bot_pace": Setting(mark("Bots"), mark("how long bots take to think (0: no time)"), 0, 300),
}
PERCENT: Final = "bot_pace"

LEVELS: Final = {"easy": mark("easy"), "normal": mark("normal"), "hard": mark("hard")}
"""Of bots."""

SUITS: Final = {"S": mark("spades"), "H": mark("hearts"), "D": mark("diamonds"), "C": mark("clubs")}
EFFECTS: Final = {
    "skip": mark("skip"),
    "reverse": mark("reverse"),
    "wild": mark("wild"),
    "suit": mark("name a suit"),
}


def explain(field: str, _: Translate) -> str:
    """What a field or a setting decides, in a line."""
    return _(SETTINGS[field].explanation if field in SETTINGS else EXPLANATIONS[field])


def setting_text(setting: str, value: int, _: Translate) -> str:
    """A setting's value in its unit."""
    return f"{value} %" if setting == PERCENT else _("{seconds} s").format(seconds=f"{value / 1000:g}")


def value_text(field: str, value: object, _: Translate) -> str:
    """A field's value in words; `effects` as the map of plain data."""
    if isinstance(value, Mapping):
        entries = (
            _("{card} {effect}").format(card=card_name(card, _), effect=effect_name(effect, _))
            for card, effect in value.items()
        )
        return _(", ").join(entries) or _("none")
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    return _(VALUES[field][value]) if isinstance(value, str) else str(value)


def decided(field: str, value: object, _: Translate) -> str:
    """What a field or a setting decides, and how it does."""
    if field in SETTINGS and isinstance(value, int):
        words = setting_text(field, value, _)
    else:
        words = value_text(field, value, _)
    return _("{explanation}: {value}").format(explanation=explain(field, _), value=words)


def typed(field: str, value: object) -> str:
    """A field or a setting with its value as it is typed, `hand=5` or `turn_time=30s`."""
    match value:
        case Mapping():
            return f"{field}=" + ",".join(f"{card}:{effect}" for card, effect in value.items())
        case bool():
            return f"{field}=" + ("yes" if value else "no")
        case int() if field in SETTINGS and field != PERCENT:
            return f"{field}={value / 1000:g}s"
        case _:
            return f"{field}={value}"


def counted(count: int, _: Translate) -> str:
    """So many cards."""
    return _("1 card") if count == 1 else _("{count} cards").format(count=count)


def card_name(key: str, _: Translate) -> str:
    """A rank, `10`, or one card, `A of spades`."""
    rank = "10" if key[0] == "T" else key[0]
    return _("{rank} of {suit}").format(rank=rank, suit=_(SUITS[key[1]])) if len(key) == 2 else rank


def effect_name(effect: str, _: Translate) -> str:
    if effect.startswith("attack"):
        return _("draw {count}").format(count=effect.removeprefix("attack"))
    return _(EFFECTS[effect])


def refusal(error: BadRules, _: Translate) -> str:
    """The sentence for rules that were refused, in the language of `_`."""
    field, value, kind = error.field, error.value, FIELDS.get(error.field)
    if field == "preset":
        return _("There is no game “{value}”, only {names}.").format(value=value, names=", ".join(PRESETS))
    if field == "seats":
        return _seats(_)
    if error.expected == "FIELD=VALUE":
        return _("A rule is given as FIELD=VALUE, not as “{value}”.").format(value=value)
    if kind is None:
        return _("There is no rule “{field}”, only {names}.").format(field=field, names=", ".join(FIELDS))
    if field == "first_card" and kind.accepts(value):
        return _turned_up(_)
    if field == "hand" and kind.accepts(value):
        return _("There are not enough cards to deal {count} to every seat.").format(count=value)
    return _("{field} can't be {value}; what would do: {expected}.").format(
        field=field, value=value, expected=choices(field)
    )


def choices(field: str) -> str:
    """What may be typed for a field or a setting."""
    if field in SETTINGS:
        least, most = SETTINGS[field].least, SETTINGS[field].most
        return f"{least} – {most}" if field == PERCENT else f"{least // 1000}s – {most // 1000}s"
    match FIELDS[field]:
        case Number(low, high):
            return f"{low} – {high}"
        case Word(words):
            return ", ".join(words)
        case Flag():
            return "yes, no"
        case _:
            return "A:skip,2:attack2,8:wild,9:suit,J:reverse,AS:attack5"


def refused_at_table(field: str, _: Translate) -> str | None:
    """The sentence for what only the server could refuse, for it does not go with the rest of the table; None
    for anything else."""
    if field in SETTINGS:
        setting = SETTINGS[field]
        said = (
            _("{name} ({field}) can be {low} to {high}, and no less than the grace.")
            if field == "claim_time"
            else _("{name} ({field}) can be {low} to {high}.")
        )
        low, high = (setting_text(field, value, _) for value in (setting.least, setting.most))
        return said.format(name=_(setting.name), field=field, low=low, high=high)
    match field:
        case "seats":
            return _seats(_)
        case "first_card":
            return _turned_up(_)
        case "hand":
            return _("There are not enough cards to deal so many to every seat.")
        case _other:
            return None


def _seats(_: Translate) -> str:
    return _("A table has {low} to {high} seats.").format(low=MIN_SEATS, high=MAX_SEATS)


def _turned_up(_: Translate) -> str:
    return _("The turned-up card can't act on the starter where the opening is a race.")
