"""Hands the keys of the terminal over: to the table of keys, or, while a text is typed, to its field."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from prompt_toolkit.filters import Condition
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys

from .control import LIMIT, Screenful
from .keys import KEYS

ALWAYS: Final = ("c-c", "<sigint>", "c-z", "c-\\")
"""What works while a text is typed, too."""


def bindings(
    press: Callable[[str], None],
    screenful: Screenful,
    typed: Callable[[], None],
    end_typing: Callable[[], None],
) -> KeyBindings:
    """The bindings of the whole application. A key that is bound to nothing is pressed as \"\": it takes
    back what was asked. What is pasted is text for the field, or nothing, but never keys."""
    found = KeyBindings()
    typing = Condition(lambda: screenful.is_typing)
    for name in sorted({key for place in KEYS.values() for key in place}):

        def pressed(event: KeyPressEvent, name: str = name) -> None:
            press(name)

        found.add(name, filter=True if name in ALWAYS else ~typing, eager=True)(pressed)

    @found.add(Keys.Any, filter=~typing)
    def _other(event: KeyPressEvent) -> None:
        press("")

    @found.add("enter", filter=typing, eager=True)
    def _enter(event: KeyPressEvent) -> None:
        typed()

    @found.add("escape", filter=typing, eager=True)
    def _escape(event: KeyPressEvent) -> None:
        end_typing()

    @found.add(Keys.BracketedPaste, eager=True)
    def _paste(event: KeyPressEvent) -> None:
        if screenful.is_typing:
            text = event.data[: 2 * LIMIT]
            screenful.buffer.insert_text(text.replace("\r", " ").replace("\n", " "))

    return found
