"""A recorded match that can be gone through forwards and backwards: what is to be shown at each place."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import replace

from .model import Entry, Model, Table, update
from .retold import Moment

Retell = Callable[[int | None, bool], tuple[Moment, ...]]
"""All moments as a seat (or None) got them, the second argument with all cards shown."""


class Film:
    """The moments of a match and the place in them. `place` counts from 0; there is at least one moment."""

    def __init__(self, retell: Retell, viewer: int | None, *, is_open: bool = False) -> None:
        """Raises what `retell` raises."""
        self._retell = retell
        self.viewer, self.is_open = viewer, is_open
        self.place = 0
        self._take(retell(viewer, is_open))

    def _take(self, moments: tuple[Moment, ...]) -> None:
        self.moments = moments
        self._models: list[Model] = []
        """After each moment, as far as they were asked for: a model is shared in all that did not change."""

    @property
    def moment(self) -> Moment:
        return self.moments[self.place]

    @property
    def model(self) -> Model:
        """All that the viewer knows at this place."""
        while len(self._models) <= self.place:
            model = self._models[-1] if self._models else replace(Model(), link="online")
            moment = self.moments[len(self._models)]
            for message in moment.messages:
                model = update(model, message, moment.at)
            self._models.append(model)
        return self._models[self.place]

    @property
    def table(self) -> Table:
        table = self.model.table
        assert table is not None, "the first moment has a view"
        return table

    @property
    def news(self) -> tuple[Entry, ...]:
        """What the present moment added to the log."""
        log = self.table.log
        if self.place == 0:
            return log
        before = self._models[self.place - 1].table
        known = before.log[-1] if before is not None and before.log else None
        return log[next((at for at in range(len(log), 0, -1) if log[at - 1] is known), 0) :]

    @property
    def at_end(self) -> bool:
        return self.place == len(self.moments) - 1

    def go(self, place: int) -> bool:
        """To a place, or as near as there is one; whether that is another one."""
        before = self.place
        self.place = max(0, min(len(self.moments) - 1, place))
        return self.place != before

    def go_to_round(self, number: int) -> bool:
        """To the deal of a round, or as near as there is one."""
        deals = [place for place, each in enumerate(self.moments) if each.round >= number]
        return self.go(deals[0] if deals else len(self.moments) - 1)

    def go_to_claim(self, step: int) -> bool:
        """To the next claim, with a `step` of -1 to the one before; stays where there is none."""
        places = range(self.place + step, len(self.moments) if step > 0 else -1, step)
        found = next((place for place in places if self.moments[place].claims), None)
        return found is not None and self.go(found)

    def see(self, viewer: int | None, *, is_open: bool) -> None:
        """The same moment through other eyes."""
        if (viewer, is_open) == (self.viewer, self.is_open):
            return
        # Before anything is kept of it: a record that can't be told to everybody leaves all as it is.
        moments = self._retell(viewer, is_open)
        here, behind = self.moment, self.place - self._first_at(self.moment.at)
        self.viewer, self.is_open = viewer, is_open
        self._take(moments)
        self.go(min(self._first_at(here.at) + behind, self._last_at(here.at)))

    def _first_at(self, at: int) -> int:
        return next((place for place, each in enumerate(self.moments) if each.at >= at), 0)

    def _last_at(self, at: int) -> int:
        return max(0, bisect_right(self.moments, at, key=lambda each: each.at) - 1)
