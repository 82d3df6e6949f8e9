"""Cards as pictures: the large one on the pile, backs, and the hand as a fan."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from ..glyphs import Glyphs
from .canvas import Canvas

LABELS: Final = "1234567890ABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""The key that chooses the n-th card of the hand: digits, then capitals, which nothing else uses."""

HUGE: Final = (9, 7)
BIG: Final = (9, 5)
LARGE: Final = (7, 5)
SMALL: Final = (5, 4)


def style_of(card: str, *, playable: bool = True, four_colour: bool = False) -> str:
    """The style of a card's face."""
    kind = "card" if playable else "dull"
    if card[0] == "X":
        return f"class:{kind}.joker"
    if four_colour:
        return f"class:{kind}." + {"S": "black", "H": "red", "D": "blue", "C": "green"}[card[1]]
    return f"class:{kind}." + ("red" if card[1] in "HD" else "black")


def face_of(style: str) -> str:
    """The style of what is the same on every card: its edges and its paper."""
    return style.partition(".")[0] + ".black"


def draw_card(canvas: Canvas, x: int, y: int, size: tuple[int, int], card: str, style: str) -> None:
    """A card lying alone: rank in both corners where there is room, the suit in the middle."""
    width, height = size
    glyphs = canvas.glyphs
    canvas.box(x, y, width, height, glyphs.box, face_of(style))
    printed = glyphs.card(card)
    if height < 5:
        canvas.put(x + 1, y + 1, printed, style)
        return
    rank, suit = (printed, "") if card[0] == "X" else (printed[:-1], printed[-1])
    canvas.put(x + 1, y + 1, rank + suit, style)
    middle = glyphs.star if card[0] == "X" else suit
    canvas.put(x + width // 2, y + height // 2, middle, style)
    canvas.put(x + width - 1 - len(rank + suit), y + height - 2, rank + suit, style)


def draw_back(canvas: Canvas, x: int, y: int, size: tuple[int, int], style: str = "class:back") -> None:
    width, height = size
    canvas.box(x, y, width, height, canvas.glyphs.box, style)
    for row in range(y + 1, y + height - 1):
        canvas.put(x + 1, row, canvas.glyphs.back * (width - 2), style)


def backs(glyphs: Glyphs, count: int, room: int) -> tuple[str, str]:
    """A hand seen from behind, and its count: a back for each card, or `×9` behind a single one where there
    is no room for them."""
    if count <= room:
        return glyphs.back * count, f" {count}"
    return glyphs.back, f"{glyphs.times}{count}"


class Fan:
    """How a hand of `count` cards lies in `width` columns: `step` columns from card to card, the cards
    `first` to `last` of it being in sight."""

    def __init__(self, count: int, width: int, card: int, chosen: int) -> None:
        self.card = card
        least = 3
        if count <= 1 or (count - 1) * card + card <= width:
            self.step = card
        else:
            self.step = max(least, min(card, (width - card) // (count - 1)))
        room = max(1, (width - card) // self.step + 1)
        self.first = max(0, min(chosen - room // 2, count - room))
        self.last = min(count, self.first + room)
        shown = self.last - self.first
        self.width = (shown - 1) * self.step + card if shown else 0


def draw_hand(
    canvas: Canvas,
    area: tuple[int, int, int],
    hand: Sequence[str],
    *,
    size: tuple[int, int],
    playable: Collection[str],
    chosen: str | None,
    four_colour: bool,
) -> None:
    """The hand in `area` (column, row, columns), `size[1] + 2` rows high: playable cards stand a row higher
    and are marked, the chosen one has a double border, and below each is the key that chooses it."""
    x, y, width = area
    glyphs = canvas.glyphs
    place = hand.index(chosen) if chosen in hand else 0
    fan = Fan(len(hand), width, size[0], place)
    start = x + max(0, (width - fan.width) // 2)
    order = [index for index in range(fan.first, fan.last) if hand[index] != chosen]
    order += [index for index in range(fan.first, fan.last) if hand[index] == chosen]
    overlap = fan.step < size[0]
    for index in order if not overlap else range(fan.first, fan.last):
        card = hand[index]
        left = start + (index - fan.first) * fan.step
        fits = card in playable
        style = style_of(card, playable=fits, four_colour=four_colour)
        box = glyphs.bold_box if card == chosen else glyphs.box
        _draw_held(canvas, left, y if fits else y + 1, size, card, style, box)
        if fits:
            canvas.put(left + min(fan.step, size[0]) // 2, y + size[1], glyphs.raised, "class:mark")
        _draw_key(canvas, left, y + size[1] + 1, min(fan.step, size[0]), index, card == chosen)
        canvas.target(left, y + 1, fan.step if index + 1 < fan.last else size[0], f"card:{card}")
        for row in range(y + 2, y + size[1] + 1):
            canvas.target(left, row, fan.step if index + 1 < fan.last else size[0], f"card:{card}")
    if fan.first > 0:
        canvas.put(x, y + 2, glyphs.left, "class:mark")
    if fan.last < len(hand):
        canvas.put(x + width - 1, y + 2, glyphs.right, "class:mark")


def _draw_held(
    canvas: Canvas, x: int, y: int, size: tuple[int, int], card: str, style: str, box: str
) -> None:
    width, height = size
    canvas.box(x, y, width, height, box, face_of(style))
    printed = canvas.glyphs.card(card)
    rank, suit = printed[:-1], printed[-1]
    canvas.put(x + 1, y + 1, rank, style)
    canvas.put(x + 1, y + 2, suit if len(rank) < 2 else f" {suit}"[: width - 2], style)
    if height >= 5:
        canvas.put(x + width - 1 - len(rank), y + height - 2, rank, style)


def _draw_key(canvas: Canvas, x: int, y: int, width: int, index: int, chosen: bool) -> None:
    if index < len(LABELS):
        label = f"[{LABELS[index]}]" if chosen and width >= 3 else LABELS[index]
        canvas.put(x + max(0, (width - len(label)) // 2), y, label, "class:chosen" if chosen else "class:key")
