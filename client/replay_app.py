"""The full-screen replay: keys that move through a recorded match, and the clock while it plays."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from itertools import pairwise
from types import MappingProxyType
from typing import Final

from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys

from .application import FullScreen
from .control import Screenful
from .film import Film
from .glyphs import Glyphs
from .i18n import Translate, mark
from .retold import BadRecord
from .screen.canvas import Frame
from .screen.draw import text_lines
from .screen.replay import Course, draw_replay
from .screen.scene import Scene, Size, Ui
from .settings import Settings

SPEEDS: Final = (25, 50, 100, 200, 400, 800, 1600)
"""In percent of what it took at the table."""
LONGEST: Final = 4000
"""Ms of the table's clock from one moment to the next: of a longer wait only the end is seen."""

HELP: Final = (
    (mark("Space"), mark("Play in time, or stop.")),
    (mark("left, right"), mark("A step back, a step on.")),
    (mark("page up, page down"), mark("The round before, the next round.")),
    ("Home, End", mark("The beginning, the end.")),
    ("c, C", mark("The next claim, the claim before.")),
    ("+, -", mark("Faster, slower.")),
    ("1 – 8", mark("See it as this seat saw it.")),
    ("0", mark("See it as a spectator.")),
    ("o", mark("Open all hands, or close them.")),
    ("l", mark("What happened, up to here.")),
    ("r", mark("The rules of this match.")),
    ("h, ?", mark("This page.")),
    ("q, Esc", mark("Close the page; else leave.")),
)
"""Every key of a replay and what it does."""


class ReplayApp:
    """One replay on one screen."""

    def __init__(self, film: Film, settings: Settings, glyphs: Glyphs, translate: Translate) -> None:
        self.film, self.settings, self.glyphs, self.translate = film, settings, glyphs, translate
        self.ui = Ui()
        self.speed = 100
        self.playing = False
        self._clock = film.moment.at
        """The table's time at `_since`, while it plays; the time that is shown, while it does not."""
        self._since = 0.0
        self._due: asyncio.TimerHandle | None = None
        self._wake: asyncio.TimerHandle | None = None
        self._screenful = Screenful(self._picture, lambda name: None, lambda: False)
        self.application = self._application()

    # What is shown.

    def scene(self) -> Scene:
        film, _ = self.film, self.translate
        hands = film.moment.hands if film.is_open and film.table.view.top is not None else ()
        keys = tuple((_(key) if " " in key or key == "Space" else key, _(text)) for key, text in HELP)
        return Scene(
            film.model,
            self.ui,
            self.settings,
            self.glyphs,
            _,
            self.now(),
            connected=True,
            keys=keys,
            hands=hands,
            is_replay=True,
        )

    def now(self) -> int:
        """The table's time, in ms."""
        if not self.playing:
            return self._clock
        passed = (time.monotonic() - self._since) * 10 * self.speed
        return min(self._clock + int(passed), self._next_at())

    def _next_at(self) -> int:
        film = self.film
        return film.moment.at if film.at_end else film.moments[film.place + 1].at

    def frame(self, size: Size) -> Frame:
        film = self.film
        course = Course(
            film.place, len(film.moments), self.speed if self.playing else 0, len(film.news), film.is_open
        )
        return draw_replay(self.scene(), size, course)

    def _picture(self, size: Size) -> Frame:
        frame, loop = self.frame(size), self.application.loop
        if self._wake is not None:
            self._wake.cancel()
            self._wake = None
        if frame.wake is not None and loop is not None:
            wait = frame.wake / 10 / self.speed
            self._wake = loop.call_later(max(0.03, wait), self.application.invalidate)
        return frame

    # Moving.

    def moved(self, is_other: bool) -> None:
        """The place may have changed: show it, and go on from there if it plays."""
        if is_other:
            self._clock = self.film.moment.at
            self._highlight()
        if self.playing:
            self._schedule()
        self.application.invalidate()

    def _highlight(self) -> None:
        """A direction that has just turned is shown like at the table."""
        changes = [entry.view.direction for entry in self.film.news] + [self.film.table.view.direction]
        turned = any(a is not None and b is not None and a != b for a, b in pairwise(changes))
        started = {"direction": self._clock} if turned else {}
        self.ui = replace(self.ui, started=MappingProxyType(started))

    def play(self) -> None:
        """Play on, or stop."""
        if self.playing:
            self._clock, self.playing = self.now(), False
            self._stop_waiting()
        elif self.film.at_end:
            self.moved(self.film.go(0))
            self.playing = True
            self._schedule()
        else:
            self.playing = True
            self._schedule()
        self.application.invalidate()

    def _stop_waiting(self) -> None:
        if self._due is not None:
            self._due.cancel()
            self._due = None

    def _schedule(self) -> None:
        self._stop_waiting()
        loop = self.application.loop
        if self.film.at_end:
            self.playing = False
        elif loop is not None:
            self._clock = max(self._clock, self._next_at() - LONGEST)
            self._since = time.monotonic()
            wait = max(0, self._next_at() - self._clock)
            self._due = loop.call_later(wait / 10 / self.speed, self._advance)

    def _advance(self) -> None:
        self.moved(self.film.go(self.film.place + 1))

    def faster(self, step: int) -> None:
        self._clock = self.now()
        place = SPEEDS.index(self.speed) + step
        self.speed = SPEEDS[max(0, min(len(SPEEDS) - 1, place))]
        self.moved(False)

    def see(self, viewer: int | None, *, is_open: bool) -> None:
        _ = self.translate
        try:
            self.film.see(viewer, is_open=is_open)
        except BadRecord:
            self.ui = replace(self.ui, told=_("The record does not show that."))
        self.application.invalidate()

    # Keys.

    def press(self, key: str) -> None:
        """A key, named as prompt-toolkit names it."""
        self.ui = replace(self.ui, told="")
        if key in ("c-c", "<sigint>"):
            self.quit(130)
        elif key == "c-l":
            self.application.repaint()
        elif key == "c-z":
            self.application.suspend()
        elif self.ui.page is not None:
            self._on_page(key)
        else:
            self._on_table(key)

    def _on_table(self, key: str) -> None:
        film = self.film
        match key:
            case " " | "enter":
                self.play()
            case "left" | "right":
                self.moved(film.go(film.place + (1 if key == "right" else -1)))
            case "home" | "end":
                self.moved(film.go(0 if key == "home" else len(film.moments) - 1))
            case "pageup" | "pagedown":
                self.moved(self._turn_over(1 if key == "pagedown" else -1))
            case "c" | "C":
                if not film.go_to_claim(1 if key == "c" else -1):
                    self.ui = replace(self.ui, told=self.translate("There is no further claim."))
                self.moved(True)
            case "+" | "-":
                self.faster(1 if key == "+" else -1)
            case "o":
                self.see(film.viewer, is_open=not film.is_open)
            case _ if key.isdecimal():
                self.see(int(key) - 1 if key != "0" else None, is_open=film.is_open)
            case "l" | "r" | "h" | "?":
                page = {"l": "log", "r": "rules"}.get(key, "help")
                self.ui = self.ui.opened(page)  # type: ignore[arg-type]
                self.application.invalidate()
            case "q" | "escape":
                self.quit(0)
            case _:
                self.application.invalidate()

    def _turn_over(self, step: int) -> bool:
        film = self.film
        here = film.moment.round
        if step < 0 and film.place > 0 and film.moments[film.place - 1].round == here:
            return film.go_to_round(here)
        return film.go_to_round(max(0, here + step))

    def _on_page(self, key: str) -> None:
        page = self.ui.page
        assert page is not None
        size = self.application.output.get_size()
        rows = max(1, size.rows - 5)
        steps = {"up": -1, "down": 1, "pageup": -rows, "pagedown": rows, "home": -(10**6), "end": 10**6}
        if key in steps:
            lines = len(text_lines(self.scene(), page, min(size.columns - 4, 100)))
            step = -steps[key] if page.page == "log" else steps[key]
            self.ui = self.ui.at(page.row, max(0, min(lines - rows - 1, page.top + step)))
        else:
            self.ui = self.ui.closed()
        self.application.invalidate()

    def quit(self, code: int) -> None:
        self._stop_waiting()
        future = self.application.future
        if future is not None and not future.done():
            self.application.exit(result=code)

    def _application(self) -> FullScreen:
        bindings = KeyBindings()

        @bindings.add(Keys.Any)
        def _other(event: KeyPressEvent) -> None:
            self.press(event.data)

        for name in KEYS:

            def pressed(event: KeyPressEvent, name: str = name) -> None:
                self.press(name)

            bindings.add(name, eager=True)(pressed)
        return FullScreen(self._screenful.layout, bindings, lambda: False)


KEYS: Final = (
    *(" ", "enter", "left", "right", "up", "down", "home", "end", "pageup", "pagedown", "escape"),
    *("c-c", "<sigint>", "c-l", "c-z"),
)
"""Keys that are no characters of their own, or that must not wait for a longer sequence."""
