"""The colours: sixteen by design, finer ones where the terminal has them. Nothing is told by colour alone."""

from __future__ import annotations

from typing import Final

from prompt_toolkit.output import ColorDepth
from prompt_toolkit.styles import Style

SIXTEEN: Final[dict[str, str]] = {
    "bar.title": "reverse",
    "bar.away": "reverse bold",
    "title": "bold",
    "heading": "bold underline",
    "calm": "",
    "act": "bold",
    "urgent": "bold reverse",
    "warn": "bold ansired",
    "good": "bold ansigreen",
    "mine": "bold",
    "claim": "",
    "chat": "ansicyan",
    "log": "",
    "seat": "ansibrightblack",
    "name": "",
    "name.on": "bold reverse",
    "points": "",
    "count": "bold",
    "back": "ansiblue",
    "attack": "bold reverse ansired",
    "bar": "",
    "mark": "bold",
    "key": "ansibrightblack",
    "chosen": "bold reverse",
    "value": "",
    "value.on": "bold",
    "button": "bold",
    "button.lit": "bold reverse",
    "off": "ansibrightblack",
    "dobon": "bold",
    "dobon.lit": "bold reverse ansigreen",
    "dobon.off": "ansibrightblack",
    "field": "underline",
    "ink": "",
    "ink.red": "ansired",
    "card.black": "bg:ansiwhite ansiblack bold",
    "card.red": "bg:ansiwhite ansired bold",
    "card.blue": "bg:ansiwhite ansiblue bold",
    "card.green": "bg:ansiwhite ansigreen bold",
    "card.joker": "bg:ansiwhite ansimagenta bold",
    "dull.black": "",
    "dull.red": "ansired",
    "dull.blue": "ansiblue",
    "dull.green": "ansigreen",
    "dull.joker": "ansimagenta",
}
FINER: Final[dict[str, str]] = {
    "seat": "#7d8590",
    "key": "#8b949e",
    "off": "#6e7681",
    "dobon.off": "#6e7681",
    "back": "#4f7cac",
    "chat": "#3aa0a8",
    "bar": "#b58900",
    "mark": "#b58900 bold",
    "bar.title": "noreverse bg:#1f4d3a #f0f3f0",
    "bar.away": "noreverse bg:#8a1f1f #ffffff bold",
    "card.black": "bg:#f4f1e8 #1b1f23 bold",
    "card.red": "bg:#f4f1e8 #b3202c bold",
    "card.blue": "bg:#f4f1e8 #1f5fae bold",
    "card.green": "bg:#f4f1e8 #1e7a3c bold",
    "card.joker": "bg:#f4f1e8 #7a2fa0 bold",
    "dull.red": "#d0646c",
    "dull.blue": "#5f92cf",
    "dull.green": "#5aa873",
    "ink.red": "#d0646c",
    "dobon.lit": "noreverse bg:#2ea043 #ffffff bold",
    "attack": "noreverse bg:#b3202c #ffffff bold",
}


def style_for(depth: ColorDepth) -> Style:
    """The style for a terminal of so many colours; with one colour the attributes alone remain."""
    fine = depth in (ColorDepth.DEPTH_8_BIT, ColorDepth.DEPTH_24_BIT)
    return Style.from_dict(SIXTEEN | FINER if fine else SIXTEEN)
