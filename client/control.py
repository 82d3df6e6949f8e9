"""The prompt-toolkit side of the screen: one window that shows a frame as it is, and a text field over it.

The frame goes straight into prompt-toolkit's screen, a row at a time; a row that has not changed since the
last frame is the same object and costs nothing to make.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from prompt_toolkit.buffer import Buffer
from prompt_toolkit.data_structures import Point
from prompt_toolkit.filters import Condition
from prompt_toolkit.layout import Float, FloatContainer, Layout, Window
from prompt_toolkit.layout.controls import BufferControl, FormattedTextControl
from prompt_toolkit.layout.mouse_handlers import MouseHandlers
from prompt_toolkit.layout.processors import ConditionalProcessor, PasswordProcessor
from prompt_toolkit.layout.screen import Char, Screen, WritePosition
from prompt_toolkit.mouse_events import MouseEvent, MouseEventType

from .screen.canvas import Field, Frame, Line
from .screen.scene import Size

if TYPE_CHECKING:
    from prompt_toolkit.key_binding.key_bindings import NotImplementedOrNone

Row = defaultdict[int, Char]
BLANK: Final = Char(" ", "")
LIMIT: Final = 200
"""Characters that a text field holds; a paste beyond is cut."""


class Picture(Window):
    """A window that fills the screen with a frame."""

    def __init__(self, draw: Callable[[Size], Frame], clicked: Callable[[str], None]) -> None:
        super().__init__(FormattedTextControl("", focusable=True, show_cursor=False))
        self._draw, self._clicked = draw, clicked
        self._rows: dict[Line, Row] = {}
        self._chars: dict[tuple[str, str], Char] = {}
        self.field: Field | None = None

    def write_to_screen(
        self,
        screen: Screen,
        mouse_handlers: MouseHandlers,
        write_position: WritePosition,
        parent_style: str,
        erase_bg: bool,
        z_index: int | None,
    ) -> None:
        frame = self._draw(Size(write_position.width, write_position.height))
        self.field = frame.field
        rows: dict[Line, Row] = {}
        for y, line in enumerate(frame.lines):
            if self.field is not None and self.field.y == y:
                screen.data_buffer[y] = self._row(line)  # the text field is written into it
                continue
            row = rows.get(line) or self._rows.get(line) or self._row(line)
            rows[line] = screen.data_buffer[y] = row
        self._rows = rows
        screen.width, screen.height = write_position.width, write_position.height
        # at the sentence: it changes most often, and a screen reader reads where the cursor is
        screen.set_cursor_position(self, Point(0, max(0, write_position.height - 2)))
        screen.visible_windows_to_write_positions[self] = write_position
        self._set_mouse_handlers(frame, mouse_handlers, write_position)

    def _row(self, line: Line) -> Row:
        row: Row = defaultdict(lambda: BLANK)
        x = 0
        for style, text in line:
            for character in text:
                char = self._char(character, style)
                if char.width == 0:
                    before = x - 2 if x > 1 and row[x - 1].char == "" else x - 1
                    row[before] = self._char(row[before].char + character, style)
                    continue
                row[x] = char
                if char.width == 2:
                    row[x + 1] = self._char("", style)
                x += char.width
        return row

    def _char(self, character: str, style: str) -> Char:
        char = self._chars.get((character, style))
        if char is None:
            if len(self._chars) > 20_000:  # names and chat bring new ones
                self._chars.clear()
            char = self._chars[character, style] = Char(character, style)
        return char

    def _set_mouse_handlers(self, frame: Frame, handlers: MouseHandlers, position: WritePosition) -> None:
        for target in frame.targets:

            def handle(event: MouseEvent, name: str = target.name) -> NotImplementedOrNone:
                if event.event_type == MouseEventType.MOUSE_UP:
                    self._clicked(name)
                return None

            handlers.set_mouse_handler_for_range(
                target.left, min(target.right, position.width), target.y, target.y + 1, handle
            )


class Screenful:
    """The layout: a picture, and over it the field in which a text is typed, where the frame has room for
    it."""

    def __init__(
        self,
        draw: Callable[[Size], Frame],
        clicked: Callable[[str], None],
        is_secret: Callable[[], bool],
    ) -> None:
        self.picture = Picture(draw, clicked)
        self.buffer = Buffer(multiline=False, on_text_changed=self._cut)
        hidden = ConditionalProcessor(PasswordProcessor(), Condition(is_secret))
        control = BufferControl(self.buffer, input_processors=[hidden], focus_on_click=False)
        self._field = Window(control, style="class:field", height=1, wrap_lines=False)
        self.layout = Layout(_Layers(self.picture, self._field), focused_element=self.picture)

    @property
    def is_typing(self) -> bool:
        return self.layout.has_focus(self._field)

    def begin_typing(self, text: str) -> None:
        self.buffer.text = text
        self.buffer.cursor_position = len(text)
        self.layout.focus(self._field)

    def end_typing(self) -> None:
        self.layout.focus(self.picture)

    def _cut(self, buffer: Buffer) -> None:
        if len(buffer.text) > LIMIT:
            buffer.text = buffer.text[:LIMIT]


class _Layers(FloatContainer):
    """The picture first: it says where the field stands."""

    def __init__(self, picture: Picture, field: Window) -> None:
        super().__init__(picture, [Float(field)])
        self._picture, self._field = picture, field

    def write_to_screen(
        self,
        screen: Screen,
        mouse_handlers: MouseHandlers,
        write_position: WritePosition,
        parent_style: str,
        erase_bg: bool,
        z_index: int | None,
    ) -> None:
        self._picture.write_to_screen(screen, mouse_handlers, write_position, parent_style, erase_bg, z_index)
        if (field := self._picture.field) is not None:
            width = min(field.columns, write_position.width - field.left)
            at = WritePosition(field.left, field.y, width, 1)
            self._field.write_to_screen(screen, mouse_handlers, at, parent_style, True, 1)
