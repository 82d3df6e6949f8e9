"""What a full-screen program is to prompt-toolkit: pictures, as fast as the terminal takes them."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from typing import Final

from prompt_toolkit.application import Application, run_in_terminal
from prompt_toolkit.filters import Condition
from prompt_toolkit.key_binding import KeyBindings
from prompt_toolkit.layout import Layout

from .frugal import FrugalOutput
from .keyboard import keyboard
from .outlet import PATIENCE, Outlet
from .styles import style_for

REDRAW: Final = 0.012
"""Fewest seconds between two pictures: a burst of events makes one."""


class FullScreen(Application[int]):
    """Draws nothing while the terminal has not taken the picture before: the next one shows all that came
    meanwhile, and nothing queues up."""

    def __init__(self, layout: Layout, bindings: KeyBindings, mouse: Callable[[], bool]) -> None:
        is_terminal = sys.platform != "win32" and sys.stdout.isatty()
        self._outlet = Outlet(sys.stdout) if is_terminal else None
        self._is_stale = False
        """Whether what the terminal shows is no longer what was drawn."""
        self._is_over = False
        super().__init__(
            layout=layout,
            key_bindings=bindings,
            full_screen=True,
            mouse_support=Condition(mouse),
            min_redraw_interval=REDRAW,
            input=keyboard(),
            output=None if self._outlet is None else FrugalOutput.on(self._outlet),
        )
        self.style = style_for(self.color_depth)
        self.ttimeoutlen = self.timeoutlen = 0.05
        self.terminal_size_polling_interval = None

    def _redraw(self, render_as_done: bool = False) -> None:
        if render_as_done:
            self.restore()
        elif self._outlet is None or not self._outlet.is_behind(self.invalidate):
            if self._is_stale and self.renderer.last_rendered_screen is not None:
                self.output.erase_screen()
                self.output.cursor_goto(0, 0)
                self.renderer.reset(leave_alternate_screen=False)
            self._is_stale = False
            super()._redraw()

    def _on_resize(self) -> None:
        """A window that is dragged changes a hundred times a second, and is drawn as often as it can be."""
        self.repaint()

    def repaint(self) -> None:
        """Draws all of it again."""
        self._is_stale = True
        self.invalidate()

    def restore(self) -> None:
        """Leaves the terminal as it was before, whatever was left on; the first time is the end."""
        if self._outlet is not None and not self._is_over:
            self._outlet.mark()
        self._is_over = True
        with contextlib.suppress(OSError, ValueError):  # the terminal may be gone
            if self.renderer.last_rendered_screen is not None:
                self.renderer.erase()
            self.renderer.reset()
            self.output.enable_autowrap()
            self.output.flush()

    def settle(self) -> None:
        """Waits till the terminal has taken all that it must."""
        if self._outlet is not None:
            with contextlib.suppress(OSError):
                self._outlet.settle(PATIENCE)

    def suspend(self) -> None:
        """Ctrl-Z."""
        if self._outlet is not None:
            self._outlet.mark()
            run_in_terminal(self._outlet.suspend)
