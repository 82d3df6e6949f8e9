"""What became of everybody who played on this machine: a page of the screen, and what `dobon stats` says."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from protocol.text import clip, harmless, pad

from .form import wrapped

Translate = Callable[[str], str]
Line = tuple[str, str]

NAME: Final = 16


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


def _table(
    players: Sequence[Mapping[str, Any]], _: Translate, width: int, *, rated: bool, scored: bool
) -> Iterator[Line]:
    heads = [
        *(_("matches"), _("first"), _("place")),
        *((_("points"),) if scored else ()),
        *(_("Dobons"), _("suffered"), _("returns"), _("time"), _("best"), _("lag")),
        *((_("rating"),) if rated else ()),
    ]
    rows = [_cells(player, rated=rated, scored=scored) for player in players]
    yield "class:heading", _row(_("player"), heads, width)
    for player, cells in zip(players, rows, strict=True):
        yield "", _row(_who(player, _), cells, width)


def _row(name: str, cells: Sequence[str], width: int) -> str:
    room = max(6, min(10, (width - NAME) // max(1, len(cells))))
    return clip(
        pad(name, NAME) + "".join(pad(clip(cell, room - 1), room, right=True) for cell in cells), width
    )


def _who(player: Mapping[str, Any], _: Translate) -> str:
    if player["name"] is not None:
        return harmless(player["name"])
    levels = {"easy": _("easy"), "normal": _("normal"), "hard": _("hard")}
    return _("bot, {level}").format(level=levels.get(player["level"], "?"))


def _cells(player: Mapping[str, Any], *, rated: bool, scored: bool) -> list[str]:
    dobons, rating = player["dobons"], player["rating"]
    claim, lag = player["claim_ms"], player["lag_ms"]
    found = [str(player["matches"]), str(player["places"].get("1", 0)), f"{player['mean_place']:.2f}"]
    if scored:
        found.append(str(player["points"]))
    found += [str(dobons[key]) for key in ("made", "suffered", "countered")]
    found += ["-", "-"] if claim is None else [f"{claim['median']:.0f}", f"{claim['best']:.0f}"]
    found.append("-" if lag is None else f"{lag['median']:.1f}")
    if rated:
        found.append("-" if rating is None else f"{rating['mu']:.1f}±{rating['sigma']:.0f}")
    return found
