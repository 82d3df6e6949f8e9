"""The terminal's output without the bytes that change nothing: fewer of them, and the same picture."""

from __future__ import annotations

import random

import pytest
from prompt_toolkit.output import ColorDepth
from prompt_toolkit.output.vt100 import Vt100_Output

from client.glyphs import UNICODE
from client.model import Model, update
from client.screen.canvas import Frame
from client.screen.draw import draw
from client.screen.scene import Scene, Size, Ui
from client.settings import Settings
from engine.rules import Rules
from tests.client import terminals
from tests.client.streams import Stream


class Lavish(Vt100_Output):
    """What prompt-toolkit itself writes."""


def frames(size: Size, changes: int) -> list[Frame]:
    """What a player sees of a match at random, after each thing that happens."""
    stream = Stream(Rules.preset("dobon"), 4, random.Random(7))
    model = update(Model(link="online", name="P0"), stream.view(0), 0)
    found: list[Frame] = []
    for each in (
        *stream.begin(),
        *stream.deal(),
        *(event for _ in range(changes) for event in stream.step()),
    ):
        model = update(model, each[0], stream.at)
        hand = (model.table.view.hand if model.table else None) or [""]
        scene = Scene(model, Ui(card=hand[0]), Settings(), UNICODE, str, stream.at + 300, connected=True)
        found.append(draw(scene, size))
    return found


@pytest.mark.parametrize("depth", [ColorDepth.DEPTH_1_BIT, ColorDepth.DEPTH_4_BIT, ColorDepth.DEPTH_8_BIT])
@pytest.mark.parametrize("size", [Size(80, 24), Size(100, 30)], ids=str)
def test_the_picture_is_the_same_in_fewer_bytes(
    size: Size, depth: ColorDepth, monkeypatch: pytest.MonkeyPatch
) -> None:
    frugal = terminals.Terminal(size, depth)
    monkeypatch.setattr(terminals, "FrugalOutput", Lavish)
    lavish = terminals.Terminal(size, depth)
    for frame in frames(size, 40):
        frugal.show(frame)
        lavish.show(frame)
        assert frugal.emulated.buffer == lavish.emulated.buffer
    assert len(frugal.written.getvalue()) < 0.85 * len(lavish.written.getvalue())


def test_what_is_written_for_one_event_stays_small() -> None:
    """A slow line takes the middle one of them in a twentieth of the time of a full picture."""
    terminal = terminals.Terminal(Size(80, 24), ColorDepth.DEPTH_8_BIT)
    sizes: list[int] = []
    for frame in frames(Size(80, 24), 200):
        before = len(terminal.written.getvalue())
        terminal.show(frame)
        sizes.append(len(terminal.written.getvalue()[before:].encode()))
    changes = sorted(size for size in sizes if size)
    assert changes[len(changes) // 2] < 0.05 * changes[-1]
