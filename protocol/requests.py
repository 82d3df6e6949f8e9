"""What a client may say (sections 2, 3, 6): hello, ping and pong, and the requests.

An optional field that is nil is the same as one left out.
"""

from typing import Final, TypeAlias

from msgspec import Struct

from .fields import CardText, Level, Nonce, Plain, SeatNumber, Suit, Throw


class Hello(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="t", tag="hello"):
    """The first frame of every connection. `name` is ignored where `token` resumes a session."""

    versions: list[int]
    name: str
    agent: str = ""
    token: str | None = None
    password: str | None = None


class Ping(Struct, frozen=True, kw_only=True, tag_field="t", tag="ping"):
    """Either side's question whether the other is there; `n` comes back in the pong."""

    n: int


class Pong(Struct, frozen=True, kw_only=True, tag_field="t", tag="pong"):
    """The answer to a ping."""

    n: int


class Request(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="t"):
    """What every request has. `id` is 0 until the client's connection has numbered it."""

    id: int = 0


class Tables(Request, frozen=True, kw_only=True, tag="tables"):
    """List the tables."""


class Create(Request, frozen=True, kw_only=True, tag="create"):
    """Open a table and, unless `sit` is false, take a seat at it."""

    name: str | None = None
    rules: Plain | None = None
    settings: Plain | None = None
    seats: int | None = None
    bots: list[Level] | None = None
    password: str | None = None
    sit: bool | None = None


class AtTable(Request, frozen=True, kw_only=True):
    """A request about one table. Any int will do: one that was never given is no table's."""

    table: int


class Join(AtTable, frozen=True, kw_only=True, tag="join"):
    """Take a seat, any one if `seat` is left out."""

    seat: SeatNumber | None = None
    password: str | None = None


class Watch(AtTable, frozen=True, kw_only=True, tag="watch"):
    """Look on."""

    password: str | None = None


class Leave(AtTable, frozen=True, kw_only=True, tag="leave"):
    """Give up the seat, or stop looking on."""


class Bot(AtTable, frozen=True, kw_only=True, tag="bot"):
    """Host: put a bot in a seat; `level` nil empties it."""

    seat: SeatNumber
    level: Level | None


class SetRules(AtTable, frozen=True, kw_only=True, tag="rules"):
    """Host: change the fields named, of rules and settings; with none named it only asks."""

    rules: Plain | None = None
    settings: Plain | None = None


class Start(AtTable, frozen=True, kw_only=True, tag="start"):
    """Host: begin a match; bots of level `fill` take the empty seats."""

    fill: Level | None = None


class Pause(AtTable, frozen=True, kw_only=True, tag="pause"):
    """Host: hold the next round back, or let it come."""

    on: bool


class Kick(AtTable, frozen=True, kw_only=True, tag="kick"):
    """Host: remove who sits in a seat."""

    seat: SeatNumber


class Chat(AtTable, frozen=True, kw_only=True, tag="chat"):
    """Say something at a table; the server cleans the text and checks its length."""

    text: str


class Sync(AtTable, frozen=True, kw_only=True, tag="sync"):
    """Ask for the whole view."""


class Act(AtTable, frozen=True, kw_only=True):
    """A request of play: `on` is the seq of the event that it answers."""

    on: int


class Play(Act, frozen=True, kw_only=True, tag="play"):
    """Play a card, naming a suit where it needs one, with the last call where the rules have it."""

    card: CardText
    suit: Suit | None = None
    call: bool | None = None


class Draw(Act, frozen=True, kw_only=True, tag="draw"):
    """Draw a card, or take what an attack asks for."""


class Pass(Act, frozen=True, kw_only=True, tag="pass"):
    """End the turn; in the race decline."""


class Dobon(Act, frozen=True, kw_only=True, tag="dobon"):
    """Claim the card of a `played` event."""


class Waive(Act, frozen=True, kw_only=True, tag="waive"):
    """Give up claiming that card."""


class Rps(Act, frozen=True, kw_only=True, tag="rps"):
    """Throw rock, paper or scissors for the direction."""

    throw: Throw


class Ready(Act, frozen=True, kw_only=True, tag="ready"):
    """Wait no longer for the next round; `nonce` goes into its deal."""

    nonce: Nonce | None = None


ClientMessage: TypeAlias = Hello | Ping | Pong | Request

REQUEST_TYPES: Final[dict[str, type[Request]]] = {
    str(kind.__struct_config__.tag): kind
    for kind in (
        *(Tables, Create, Join, Watch, Leave, Bot, SetRules, Start, Pause, Kick, Chat, Sync),
        *(Play, Draw, Pass, Dobon, Waive, Rps, Ready),
    )
}
"""Every request by its `t`."""
