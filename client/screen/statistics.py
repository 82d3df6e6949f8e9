"""What became of everybody who played on this machine: a page of the screen, and what `dobon stats` says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from protocol.text import clip, columns, harmless, pad

from ..i18n import Translate
from ..rules_fields import LEVELS
from .form import wrapped

Line = tuple[str, str]

NAME: Final = 16
LEAST: Final = 10
"""Columns that names have, and have at least."""


def statistics_lines(data: Mapping[str, Any], _: Translate, width: int) -> list[Line]:
    """All (style, text) lines of statistics as the server's part collects them, for `width` columns."""
    found: list[Line] = []
    if data["damaged"]:
        found += _text(
            _("Damaged, and not counted: {count}.").format(count=data["damaged"]), width, "class:warn"
        )
    if not data["players"]:
        return [*found, *_text(_("No match has been played to its end here."), width)]
    title = _("All games (matches: {count})").format(count=data["matches"])
    found.append(("class:heading", clip(title, width)))
    found += _table(data["players"], _, width, rated=data["rated"], scored=False)
    presets = sorted({preset for player in data["players"] for preset in player["presets"]})
    for preset in presets:
        players = [
            {**each, **each["presets"][preset]} for each in data["players"] if preset in each["presets"]
        ]
        players.sort(key=lambda each: each["mean_place"])
        title = _("Rules: {preset}").format(preset=preset)
        found += [("", ""), ("class:heading", clip(title, width))]
        found += _table(players, _, width, rated=False, scored=True)
    found.append(("", ""))
    for sentence in _notes(data, _):
        found += _text(sentence, width)
    return found


def _notes(data: Mapping[str, Any], _: Translate) -> Iterator[str]:
    yield _("Times are in ms from a card to the claim on it: the median, and the best.")
    yield _("Lag is how far a claim was behind the first one on the same card, in ms: the median.")
    if data["rated"]:
        yield _("A rating is an estimate from all places, by openskill; ± is how unsure it is.")
    else:
        yield _("There are no ratings: install dobon[ratings] to have them.")


def _text(text: str, width: int, style: str = "class:calm") -> list[Line]:
    return [(style, line) for line in wrapped(text, width)]


class _Column(NamedTuple):
    head: str
    cells: list[str]
    need: int
    """How much it is needed where there is no room for all, from 1."""

    @property
    def width(self) -> int:
        """With the gap before it."""
        return max(map(columns, (self.head, *self.cells))) + 1


def _table(
    players: Sequence[Mapping[str, Any]], _: Translate, width: int, *, rated: bool, scored: bool
) -> Iterator[Line]:
    found = [
        _Column(_("games"), [str(each["matches"]) for each in players], 9),
        _Column(_("first"), [str(each["places"].get("1", 0)) for each in players], 8),
        _Column(_("place"), [f"{each['mean_place']:.2f}" for each in players], 3),
    ]
    if scored:
        found.append(_Column(_("points"), [str(each["points"]) for each in players], 10))
    for head, key, need in (
        (_("Dobons"), "made", 7),
        (_("suffered"), "suffered", 6),
        (_("returns"), "countered", 4),
    ):
        found.append(_Column(head, [str(each["dobons"][key]) for each in players], need))
    found.append(_Column(_("time"), [_time(each["claim_ms"], "median", 0) for each in players], 5))
    found.append(_Column(_("best"), [_time(each["claim_ms"], "best", 0) for each in players], 2))
    found.append(_Column(_("lag"), [_time(each["lag_ms"], "median", 1) for each in players], 1))
    if rated:
        found.append(_Column(_("rating"), [_rating(each["rating"]) for each in players], 10))
    while len(found) > 1 and LEAST + sum(column.width for column in found) > width:
        found.remove(min(found, key=lambda column: column.need))
    name = min(NAME, max(LEAST, width - sum(column.width for column in found)))
    spare = (width - name - sum(column.width for column in found)) // len(found)
    yield "class:heading", _row(_("player"), found, name, spare, None)
    for place, player in enumerate(players):
        yield "", _row(_who(player, _), found, name, spare, place)


def _row(text: str, found: Sequence[_Column], name: int, spare: int, place: int | None) -> str:
    cells = (
        pad(column.head if place is None else column.cells[place], column.width + min(spare, 3), right=True)
        for column in found
    )
    return pad(clip(text, name), name) + "".join(cells)


def _time(times: Mapping[str, float] | None, key: str, digits: int) -> str:
    return "-" if times is None else f"{times[key]:.{digits}f}"


def _rating(rating: Mapping[str, float] | None) -> str:
    return "-" if rating is None else f"{rating['mu']:.1f}±{rating['sigma']:.0f}"


def _who(player: Mapping[str, Any], _: Translate) -> str:
    if player["name"] is not None:
        return harmless(player["name"])
    level = player["level"]
    return _("bot, {level}").format(level=_(LEVELS[level]) if level in LEVELS else "?")
