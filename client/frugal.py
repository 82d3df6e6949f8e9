"""prompt-toolkit's terminal output without the bytes that change nothing: a slow line counts every one."""

from __future__ import annotations

import os
from typing import TextIO, cast

from prompt_toolkit.output import ColorDepth, Output
from prompt_toolkit.output.vt100 import Vt100_Output
from prompt_toolkit.styles import Attrs

from .outlet import Outlet

RESET = "\x1b[0m"
LINE = "\r\n"
FEW = 3
"""Up to so many rows down, line ends are as short as the command for it."""


class FrugalOutput(Vt100_Output):
    """Sets attributes only where something is written with them, and goes down many rows at once. Only for a
    full screen, where nothing scrolls. The modes of the terminal are left in the opposite order of their
    being entered: some terminals keep them with the screen."""

    _wanted = RESET
    _worn = ""
    """The attributes that the terminal has; empty where they are not known."""
    _has_mouse = False
    _has_paste = False

    @classmethod
    def on(cls, outlet: Outlet) -> Output:
        """The output of this terminal."""
        stdout, depth = cast(TextIO, outlet), ColorDepth.from_env()
        return cls.from_pty(stdout, term=os.environ.get("TERM"), default_color_depth=depth)

    def reset_attributes(self) -> None:
        self._wanted = RESET

    def set_attributes(self, attrs: Attrs, color_depth: ColorDepth) -> None:
        self._wanted = self._escape_code_caches[color_depth][attrs]

    def _dress(self) -> None:
        if self._wanted != self._worn:
            is_plain, self._worn = self._worn == RESET, self._wanted
            self.write_raw(self._wanted.replace("[0;", "[") if is_plain else self._wanted)

    def erase_end_of_line(self) -> None:
        self._dress()
        super().erase_end_of_line()

    def erase_down(self) -> None:
        self._dress()
        super().erase_down()

    def erase_screen(self) -> None:
        self._dress()
        super().erase_screen()

    def flush(self) -> None:
        self._dress()  # nothing that others write is to be coloured
        super().flush()

    def enter_alternate_screen(self) -> None:
        self._worn = ""  # whatever the shell left
        super().enter_alternate_screen()

    def quit_alternate_screen(self) -> None:
        self._worn = ""  # what was to reset them may have been left out
        self.reset_attributes()
        self._dress()
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
        if data != LINE * rows:
            self._dress()
            super().write(data)
        elif rows > FEW:
            self.write_raw(f"\r\x1b[{rows}B")
        else:
            self.write_raw(data)
