"""Views agree: with the events before them, and with what others were shown at the same seq."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from protocol.messages import View

from .chronicle import demand

if TYPE_CHECKING:
    from .person import Person

UNTOLD = ("at", "claim", "playable", "may", "act_on")
"""Of a view: what an answer to the viewer's own request may have changed without an event."""
_OWN = ("at", "you", "hand", "drawn", "playable", "may", "claim", "act_on")


def judge_views(people: Iterable[Person], stood_still: bool) -> None:
    """What all may see is the same in all views of one seq."""
    # After it stood still a table has other times, and no event tells them.
    own = (*_OWN, "deadline", "until") if stood_still else _OWN
    views: dict[tuple[int, int], Any] = {}
    for person in people:
        for key, seen in person.memory.views.items():
            for view in seen:
                # With `claims: all` the discarder's time begins without an event.
                untold = view.phase == "claim" and view.rules["claims"] == "all"
                hidden = (*own, "deadline") if untold else own
                public = {name: getattr(view, name) for name in view.__struct_fields__ if name not in hidden}
                demand(views.setdefault(key, public) == public, "two views of", key, public, views[key])


def same_view(known: View, fresh: View, moved: Sequence[str]) -> None:
    """The events made of the last view what this one is, but for what has ``moved``."""
    for name in known.__struct_fields__:
        ours, theirs = getattr(known, name), getattr(fresh, name)
        if name == "spectators":
            ours, theirs = sorted(ours), sorted(theirs)
        # With `claims: all` the discarder's time begins without an event.
        untold = name == "deadline" and fresh.phase == "claim" and fresh.rules["claims"] == "all"
        if name not in (*UNTOLD, *moved) and not untold:
            demand(ours == theirs, "the events lead to another view:", name, ours, theirs, known, fresh)
