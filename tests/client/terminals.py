"""A frame as a terminal shows it: through prompt-toolkit's renderer into an emulated one."""

from __future__ import annotations

import asyncio
import io

import pyte
from prompt_toolkit.application import Application
from prompt_toolkit.application.current import set_app
from prompt_toolkit.data_structures import Size as TerminalSize
from prompt_toolkit.input import DummyInput
from prompt_toolkit.output import ColorDepth

from client.control import Screenful
from client.frugal import FrugalOutput
from client.screen.canvas import Frame
from client.screen.scene import Size
from client.styles import style_for

Rows = list[str]


class Terminal:
    """A terminal of a size that frames are drawn on, one after the other."""

    def __init__(self, size: Size, depth: ColorDepth = ColorDepth.DEPTH_1_BIT) -> None:
        self.frame: Frame | None = None
        self.written = io.StringIO()
        self.emulated = pyte.Screen(size.width, size.height)
        self._stream = pyte.Stream(self.emulated)
        output = FrugalOutput(
            self.written,
            lambda: TerminalSize(rows=size.height, columns=size.width),
            term="xterm",
            default_color_depth=depth,
            enable_cpr=False,
        )
        self._screenful = Screenful(self._draw, lambda name: None, lambda: False)
        self._application: Application[None] = Application(
            layout=self._screenful.layout,
            full_screen=True,
            output=output,
            input=DummyInput(),
            style=style_for(depth),
        )

    def show(self, frame: Frame) -> Rows:
        """Draws the frame; what the terminal then shows, without the spaces at the ends."""
        self.frame = frame
        start = len(self.written.getvalue())
        asyncio.run(self._render())
        self._stream.feed(self.written.getvalue()[start:])
        return [line.rstrip() for line in self.emulated.display]

    async def _render(self) -> None:
        """The text field asks for a running loop."""
        with set_app(self._application):
            self._application.renderer.render(self._application, self._application.layout)

    def _draw(self, size: Size) -> Frame:
        assert self.frame is not None
        return self.frame


def text_of(frame: Frame) -> Rows:
    """The text of a frame, without the spaces at the ends."""
    return ["".join(text for _style, text in line).rstrip() for line in frame.lines]
