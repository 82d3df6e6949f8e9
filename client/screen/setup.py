"""A table before its match: the seats, and every field of its rules explained in a line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from engine.rules import FIELDS, PRESETS, Flag, Number, Word
from protocol.replies import ViewSeat

from ..i18n import Translate
from ..rules_fields import LEVELS, NAMES, SETTINGS, explain, setting_text, value_text
from .form import Row, RowKind
from .scene import Scene
from .seats import kind

STEPS: Final[Mapping[str, tuple[int, ...]]] = {
    "turn_time": (10_000, 20_000, 30_000, 60_000, 120_000, 600_000),
    "grace": (0, 1_000, 2_000, 3_000, 5_000),
    "claim_time": (2_000, 4_000, 6_000, 10_000, 20_000),
    "opening_time": (5_000, 10_000, 20_000, 30_000),
    "ready_time": (5_000, 15_000, 30_000, 60_000, 120_000),
    "away_time": (10_000, 20_000, 60_000, 180_000),
    "bot_pace": (0, 25, 50, 100, 150, 200, 300),
}
"""What is offered of each setting, times in ms, the pace in percent."""


def setup_rows(scene: Scene) -> tuple[Row, ...]:
    """The lines of the set-up; the host's can be changed, the others' only read."""
    _, table = scene.translate, scene.table
    assert table is not None
    host = scene.model.is_host
    rows = [
        Row("begin", _("Begin"), note=_("Empty seats are taken by bots."))
        if host
        else Row("", _("The host begins when all are there."), kind="plain"),
        Row("", _("Seats"), kind="heading"),
    ]
    for seat in table.view.seats:
        who = scene.name(seat.seat) if seat.kind != "empty" else _("empty")
        tail = kind(scene, seat) or (_("you") if seat.seat == table.you else "")
        value = who + (f" ({tail})" if tail else "")
        label = _("Seat {number}").format(number=seat.seat + 1)
        rows.append(
            Row(f"seat:{seat.seat}", label, value, _deeds(scene, seat), "choice" if host else "action")
        )
    rows.append(Row("", _("Rules"), kind="heading"))
    rows.append(_rule(scene, "preset", preset_of(table.view.rules)))
    rows += [
        _rule(scene, field, table.view.rules.get(field)) for field in FIELDS if field in table.view.rules
    ]
    rows.append(Row("", _("Times and bots"), kind="heading"))
    rows += _settings(scene, table.view.settings)
    rows += [
        Row("", "", kind="plain"),
        Row("menu", _("Menu"), note=_("Chat, people, settings, leaving.")),
        Row("leave", _("Leave the table")),
    ]
    return tuple(rows)


def _deeds(scene: Scene, seat: ViewSeat) -> str:
    """What can be done at a seat."""
    _, table, host = scene.translate, scene.table, scene.model.is_host
    assert table is not None
    if seat.kind == "empty":
        return _("Left and right: a bot and its level. Enter: sit here.") if host else _("Enter: sit here.")
    if not host or seat.seat == table.you:
        return ""
    if seat.kind == "bot":
        return _("Left and right: the level of the bot, or an empty seat.")
    return _("k: remove whoever sits there.")


def _rule(scene: Scene, field: str, value: object) -> Row:
    _ = scene.translate
    kind_of_row: RowKind = "choice" if scene.model.is_host else "action"
    if field == "preset":
        note = _("The two games that Dobon comes from; choosing one sets all rules.")
        return Row("rule:preset", _("Game"), str(value or _("own rules")), note, kind_of_row)
    if field == "effects":
        kind_of_row = "text" if scene.model.is_host else "action"
    try:
        text = value_text(field, value, _)
    except (KeyError, TypeError):  # a value that a newer server knows
        text = scene.safe(str(value))
    return Row(f"rule:{field}", _(NAMES[field]), text, _note(field, _), kind_of_row)


def _settings(scene: Scene, settings: Mapping[str, Any]) -> list[Row]:
    _, host = scene.translate, scene.model.is_host
    return [
        Row(
            f"setting:{field}",
            _(setting.name),
            setting_text(field, settings[field], _),
            _note(field, _),
            "choice" if host else "action",
        )
        for field, setting in SETTINGS.items()
        if isinstance(settings.get(field), int)
    ]


def _note(field: str, _: Translate) -> str:
    """What a field decides, and how it is called where it has to be typed."""
    return _("{explanation} ({field})").format(explanation=explain(field, _), field=field)


def preset_of(rules: Mapping[str, Any]) -> str | None:
    """The preset that these rules are, None if they are nobody's."""
    for name, preset in PRESETS.items():
        if preset.to_data() == {key: value for key, value in rules.items() if key != "preset"}:
            return name
    return None


def rule_step(field: str, value: object, step: int) -> object:
    """The value beside this one, going round; None if the field is not stepped through."""
    match FIELDS.get(field):
        case Number(low, high) if isinstance(value, int):
            return low + (value - low + step) % (high - low + 1)
        case Word(words) if value in words:
            return words[(words.index(str(value)) + step) % len(words)]
        case Flag():
            return not value
        case _:
            return None


def setting_step(setting: str, value: int, step: int) -> int:
    """The next larger or smaller value that is offered."""
    steps = STEPS[setting]
    if step > 0:
        return next((each for each in steps if each > value), steps[-1])
    return next((each for each in reversed(steps) if each < value), steps[0])


def level_step(level: str | None, step: int) -> str | None:
    """The next kind of bot for a seat; None is an empty one."""
    kinds = (None, *LEVELS)
    place = kinds.index(level) if level in kinds else 0
    return kinds[(place + step) % len(kinds)]
