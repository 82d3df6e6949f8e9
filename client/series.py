"""The standings over the matches of a table, in lines: for the screen and for the plain client."""

from __future__ import annotations

from collections.abc import Iterable

from protocol.fields import Series

from .phrases import Speaker


def mean_place(each: Series) -> float:
    """The place that somebody reached on average."""
    return each.total_rank / max(1, each.matches)


def standings(series: Iterable[Series], speak: Speaker) -> list[str]:
    """A line for each player, the best on average first; none after the first match, when they would say no
    more than its ranking."""
    _ = speak.translate
    known = sorted(series, key=lambda each: (mean_place(each), -each.matches))
    if not any(each.matches > 1 for each in known):
        return []
    return [
        _("{name}: matches {matches}, first {firsts}, place {place} on average").format(
            name=speak.text(each.name),
            matches=each.matches,
            firsts=each.firsts,
            place=f"{mean_place(each):.1f}",
        )
        for each in known
    ]
