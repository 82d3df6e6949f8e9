"""prompt-toolkit's terminal output without the bytes that change nothing: a slow line counts every one."""

from __future__ import annotations

import os
from typing import TextIO, cast

from prompt_toolkit.output import ColorDepth, Output
from prompt_toolkit.output.vt100 import Vt100_Output
from prompt_toolkit.styles import Attrs

from .outlet import Outlet

LINE = "\r\n"
FEW = 3
"""Up to so many rows down, line ends are as short as the command for it."""


class FrugalOutput(Vt100_Output):
    """Resets no attributes that are reset, and goes down many rows at once. Only for a full screen, where
    nothing scrolls. The modes of the terminal are left in the opposite order of their being entered: some
    terminals keep them with the screen."""

    _is_reset = False
    _has_mouse = False
    _has_paste = False

    @classmethod
    def on(cls, outlet: Outlet) -> Output:
        """The output of this terminal."""
        stdout, depth = cast(TextIO, outlet), ColorDepth.from_env()
        return cls.from_pty(stdout, term=os.environ.get("TERM"), default_color_depth=depth)

    def reset_attributes(self) -> None:
        if not self._is_reset:
            super().reset_attributes()
            self._is_reset = True

    def set_attributes(self, attrs: Attrs, color_depth: ColorDepth) -> None:
        self._is_reset = False
        super().set_attributes(attrs, color_depth)

    def enter_alternate_screen(self) -> None:
        self._is_reset = False  # whatever the shell left
        super().enter_alternate_screen()

    def quit_alternate_screen(self) -> None:
        self._is_reset = False  # what was to reset them may have been left out
        self.reset_attributes()
        self.disable_mouse_support()
        self.disable_bracketed_paste()
        super().quit_alternate_screen()

    def enable_mouse_support(self) -> None:
        self._has_mouse = True
        super().enable_mouse_support()

    def disable_mouse_support(self) -> None:
        if self._has_mouse:
            self._has_mouse = False
            super().disable_mouse_support()

    def enable_bracketed_paste(self) -> None:
        self._has_paste = True
        super().enable_bracketed_paste()

    def disable_bracketed_paste(self) -> None:
        if self._has_paste:
            self._has_paste = False
            super().disable_bracketed_paste()

    def write(self, data: str) -> None:
        rows = len(data) // 2
        if rows > FEW and data == LINE * rows:
            self.write_raw(f"\r\x1b[{rows}B")
        else:
            super().write(data)
