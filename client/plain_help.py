"""What the commands of the plain client are called, and what help says of them."""

from __future__ import annotations

from typing import Final

from .i18n import mark

HELP: Final = (
    ("help, ?", mark("this list")),
    ("tables, t", mark("the tables on the server")),
    ("create [FIELD=VALUE …]", mark("a new table; see below for the fields")),
    (
        "join TABLE [SEAT] [password=…]",
        mark("sit down at a table, in another seat, or again where the server plays for you"),
    ),
    ("watch TABLE [password=…]", mark("look on at a table")),
    ("leave", mark("leave the table")),
    ("bot SEAT LEVEL", mark("host: seat a bot (easy, normal, hard), or nobody (none)")),
    ("set FIELD=VALUE …", mark("host: change rules and settings")),
    ("start [LEVEL]", mark("host: begin a match, bots of that level in empty seats; also a rematch")),
    ("kick SEAT", mark("host: remove whoever sits there")),
    ("pause, resume", mark("host: hold the next round back, or let it come")),
    ("CARD [SUIT] [call]", mark("play a card by its number, or as 7S, 10H, X1; “3 h” names hearts")),
    ("draw, d", mark("draw")),
    ("pass, n, p", mark("pass; in the opening race decline")),
    ("dobon, !", mark("claim the card just played")),
    ("waive, w", mark("don't claim it")),
    ("rock, paper, scissors", mark("throw for the direction")),
    ("ready, r, Enter", mark("on with the next round")),
    ("hand, h", mark("your hand and what you can do")),
    ("look, l", mark("the table, seat by seat")),
    ("rules", mark("the rules at this table")),
    ("chat TEXT, c TEXT", mark("say something")),
    ("mute NAME, unmute NAME", mark("don't show what somebody says")),
    ("quit, q", mark("end; a seat in a match is kept for you")),
)
"""Each command with what it does, in the order of help."""

FIELDS_HELP: Final = mark(
    "Fields for create and set: preset=dobon or pageone, any rule (see “rules”), {settings} "
    "(times as 500ms or 20s); create also takes name=, seats=, bots=easy,hard, password=, sit=no."
)

WORDS: Final = (
    *("help", "tables", "create", "join", "watch", "leave", "bot", "set", "start", "kick", "pause", "resume"),
    *("play", "draw", "pass", "dobon", "waive", "rock", "paper", "scissors", "ready", "hand", "look"),
    *("rules", "chat", "mute", "unmute", "quit"),
)
"""What completion offers."""
