"""A table before its match: the seats, and every field of its rules explained in a line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from engine.rules import FIELDS, PRESETS, Flag, Number, Word
from protocol.replies import ViewSeat

from ..i18n import mark
from ..rules_fields import explain, value_text
from .form import Row, RowKind
from .scene import Scene
from .seats import kind

TIMES: Final[Mapping[str, tuple[str, tuple[int, ...]]]] = {
    "turn_time": (mark("time for a turn"), (10, 20, 30, 60, 120, 600)),
    "grace": (mark("grace in which a Dobon comes before the next card"), (0, 1, 2, 3, 5)),
    "claim_time": (mark("time for further claims"), (2, 4, 6, 10, 20)),
    "opening_time": (mark("time for each stage of the opening race"), (5, 10, 20, 30)),
    "ready_time": (mark("wait between rounds"), (5, 15, 30, 60, 120)),
    "away_time": (mark("until the server plays for who dropped"), (10, 20, 60, 180)),
}
"""The settings in seconds and the steps offered for each."""
PACES: Final = (0, 25, 50, 100, 150, 200, 300)
LEVELS: Final = (None, "easy", "normal", "hard")


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
    rows.append(Row("", _("Times"), kind="heading"))
    rows += _times(scene, table.view.settings)
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
    return _("k: remove who sits there.")


def _rule(scene: Scene, field: str, value: object) -> Row:
    _ = scene.translate
    kind_of_row: RowKind = "choice" if scene.model.is_host else "action"
    if field == "preset":
        note = _("The two games that Dobon comes from; choosing one sets all rules.")
        return Row("rule:preset", _("game"), str(value or _("own rules")), note, kind_of_row)
    if field == "effects":
        kind_of_row = "text" if scene.model.is_host else "action"
    try:
        text = value_text(field, value, _)
    except (KeyError, TypeError):  # a value that a newer server knows
        text = scene.safe(str(value))
    return Row(f"rule:{field}", field, text, explain(field, _), kind_of_row)


def _times(scene: Scene, settings: Mapping[str, Any]) -> list[Row]:
    _, host = scene.translate, scene.model.is_host
    rows = []
    for name, (label, _steps) in TIMES.items():
        value = settings.get(name)
        if isinstance(value, int):
            text = _("{seconds} s").format(seconds=f"{value / 1000:g}")
            rows.append(Row(f"time:{name}", name, text, _(label), "choice" if host else "action"))
    pace = settings.get("bot_pace")
    if isinstance(pace, int):
        note = _("how long bots take to think; 0: no time at all")
        rows.append(Row("time:bot_pace", "bot_pace", f"{pace} %", note, "choice" if host else "action"))
    return rows


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


def time_step(name: str, value: int, step: int) -> int:
    """The next larger or smaller setting that is offered, in ms, the pace in percent."""
    steps = PACES if name == "bot_pace" else tuple(1000 * each for each in TIMES[name][1])
    if step > 0:
        return next((each for each in steps if each > value), steps[-1])
    return next((each for each in reversed(steps) if each < value), steps[0])


def level_step(level: str | None, step: int) -> str | None:
    """The next kind of bot for a seat; None is an empty one."""
    place = LEVELS.index(level) if level in LEVELS else 0
    return LEVELS[(place + step) % len(LEVELS)]
