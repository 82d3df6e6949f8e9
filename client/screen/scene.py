"""All that a picture is drawn from: the model, what the player has opened and chosen, and how it looks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from protocol.text import harmless

from ..glyphs import Glyphs
from ..i18n import Translate
from ..model import Model, Table
from ..settings import Settings

Page: TypeAlias = Literal[
    "menu",
    "help",
    "rules",
    "settings",
    "log",
    "people",
    "suit",
    "throw",
    "leave",
    "create",
    "statistics",
]
"""What can be opened over the start screen, the lobby or the table."""


class Size(NamedTuple):
    width: int
    height: int


class Opened(NamedTuple):
    """A page over the others. `row` is the chosen line; `top` how far it is scrolled; `about` what it is for:
    the card to play, say."""

    page: Page
    row: int = 0
    top: int = 0
    about: str = ""


class Typing(NamedTuple):
    """The text field that is open: `key` is what the text is for."""

    key: str
    secret: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """A server of the LAN for the start screen; `players` None: not told."""

    name: str
    address: str
    code: str
    players: int | None
    fingerprint: str | None = None


@dataclass(frozen=True, slots=True)
class Draft:
    """The table that is being made ready, before the server knows of it."""

    name: str = ""
    password: str = ""
    preset: str = "dobon"
    seats: int = 4


ABOVE_SERVERS: Final = 2
"""Lines of the start screen above the servers; where there are none, a line says so."""


@dataclass(frozen=True, slots=True)
class Ui:
    """What the player has opened, chosen and typed; nothing that a server said."""

    pages: tuple[Opened, ...] = ()
    row: int = 0
    """The chosen line of the start screen, the lobby or the set-up of a table."""
    on_buttons: bool = False
    """At a table: whether the arrows move along the buttons, not the hand."""
    card: str | None = None
    button: str = "dobon"
    call: bool = False
    """Whether the next play says “last card”."""
    typing: Typing | None = None
    asks_to_leave: bool = False
    """Ctrl-C was pressed once."""
    told: str = ""
    """A sentence about what the player just tried, shown till the next key."""
    servers: tuple[Found, ...] = ()
    searching: bool = False
    address: str = ""
    password: str = ""
    draft: Draft = field(default_factory=Draft)
    statistics: Mapping[str, Any] | None = None
    """What became of everybody who played on this machine; None until it has been read."""
    started: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    """When, in local ms, a passing highlight began, by what is highlighted."""

    @property
    def page(self) -> Opened | None:
        return self.pages[-1] if self.pages else None

    def found(self, servers: tuple[Found, ...]) -> Ui:
        """The same with other servers on the start screen. The chosen line stays the chosen one, wherever it
        moves to: a stranger's server must not come under the finger that is about to press Enter."""
        place, row = self.row - ABOVE_SERVERS, self.row
        if 0 <= place < len(self.servers):
            there = [server.address for server in servers]
            chosen = self.servers[place].address
            row = ABOVE_SERVERS + there.index(chosen) if chosen in there else 0
        elif place >= 0:
            row += max(1, len(servers)) - max(1, len(self.servers))
        return replace(self, servers=servers, row=row)

    def opened(self, page: Page, about: str = "", row: int = 0) -> Ui:
        return replace(self, pages=(*self.pages, Opened(page, row, 0, about)))

    def closed(self) -> Ui:
        return replace(self, pages=self.pages[:-1])

    def at(self, row: int, top: int = 0) -> Ui:
        """The same with another line chosen on the uppermost page, scrolled to `top`."""
        return replace(self, pages=(*self.pages[:-1], self.pages[-1]._replace(row=row, top=top)))


@dataclass(frozen=True, slots=True)
class Scene:
    """One moment to draw. `now` is the local clock in ms, `ping` the last round trip in ms."""

    model: Model
    ui: Ui
    settings: Settings
    glyphs: Glyphs
    translate: Translate
    now: int
    ping: int | None = None
    connected: bool = False
    """Whether a server was chosen: if not, the start screen shows."""
    keys: tuple[tuple[str, str], ...] = ()
    """Every key and what it does, for the page of keys."""
    hands: tuple[tuple[str, ...], ...] = ()
    """Everybody's cards by seat, in a replay with all hands open; else empty."""
    is_replay: bool = False

    @property
    def table(self) -> Table | None:
        return self.model.table

    def safe(self, text: str) -> str:
        """Text of a stranger, fit to be shown."""
        return harmless(text, ambiguous_wide=self.glyphs.ambiguous_wide)

    def name(self, seat: int) -> str:
        """Who sits there, fit to be shown."""
        _, table = self.translate, self.table
        who = None if table is None else table.seat(seat)
        if who is None or not who.name:
            return _("seat {number}").format(number=seat + 1)
        return self.safe(who.name)
