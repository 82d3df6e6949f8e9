"""The bare application that the client's screen is compared with: five plain windows of prompt-toolkit."""

from __future__ import annotations

from collections.abc import Callable

from prompt_toolkit.layout import HSplit, Layout, VSplit, Window
from prompt_toolkit.layout.controls import FormattedTextControl


def five_windows(text: Callable[[], str]) -> Layout:
    """A header, two panels side by side, a line and a footer; the first panel shows what changes, the others
    stay as they are. All are full of text, as a table is."""

    def lines(count: int, first: Callable[[], str] | None = None) -> FormattedTextControl:
        rest = "\n".join("the quick brown fox jumps over the lazy dog " * 3 for _ in range(count))
        return FormattedTextControl(lambda: [("", (first() if first else "still") + "\n"), ("bold", rest)])

    return Layout(
        HSplit(
            [
                Window(lines(1), height=1),
                VSplit([Window(lines(40, text)), Window(lines(40))]),
                Window(lines(1), height=1),
                Window(lines(1), height=1),
            ]
        )
    )
