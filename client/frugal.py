"""prompt-toolkit's terminal output without the bytes that change nothing: a slow line counts every one."""

from __future__ import annotations

import os
import sys

from prompt_toolkit.output import ColorDepth, Output
from prompt_toolkit.output.vt100 import Vt100_Output
from prompt_toolkit.styles import Attrs

LINE = "\r\n"
FEW = 3
"""Up to so many rows down, line ends are as short as the command for it."""


class FrugalOutput(Vt100_Output):
    """Resets no attributes that are reset, and goes down many rows at once. Only for a full screen, where
    nothing scrolls."""

    _is_reset = False

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

    def write(self, data: str) -> None:
        rows = len(data) // 2
        if rows > FEW and data == LINE * rows:
            self.write_raw(f"\r\x1b[{rows}B")
        else:
            super().write(data)


def terminal_output() -> Output | None:
    """The output of this terminal; None where prompt-toolkit is to choose one."""
    if sys.platform == "win32" or not sys.stdout.isatty():
        return None
    return FrugalOutput.from_pty(
        sys.stdout, term=os.environ.get("TERM"), default_color_depth=ColorDepth.from_env()
    )
