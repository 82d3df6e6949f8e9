"""The events of a table (section 4), one class for each `ev`.

Fields that differ by receiver (`hands`, `cards`, `playable`, `may`) are None where they are not the
receiver's to know or to use.
"""

from typing import Final, Literal, TypeAlias, get_args

from msgspec import Struct, field

from .fields import (
    Attack,
    Cards,
    CardText,
    Claim,
    Count,
    Digest,
    Direction,
    Doing,
    Ident,
    Kind,
    Level,
    MatchSeat,
    Milliseconds,
    Nonce,
    Pair,
    Plain,
    SeatNumber,
    Series,
    Standing,
    Status,
    Suit,
    Throw,
)


class Envelope(Struct, frozen=True, kw_only=True):
    """What every event has: `seq` counts a table's events, `at` is ms since the table was made."""

    table: Ident
    seq: Ident
    at: Count


class Seat(Envelope, frozen=True, kw_only=True, omit_defaults=True, tag_field="ev", tag="seat"):
    """Who sits in a seat now, and how. `reaction` is a bot's least and greatest time for a claim, in ms."""

    seat: SeatNumber
    name: str | None = None
    kind: Kind
    status: Status | None = None
    level: Level | None = None
    reaction: Milliseconds | None = None


class Spectator(Envelope, frozen=True, kw_only=True, tag_field="ev", tag="spectator"):
    """Somebody began or ceased to look on."""

    name: str
    here: bool


class Host(Envelope, frozen=True, kw_only=True, tag_field="ev", tag="host"):
    """Who is the host now; `seat` is None for a spectator."""

    seat: SeatNumber | None
    name: str


class RulesSet(Envelope, frozen=True, kw_only=True, tag_field="ev", tag="rules"):
    """The rules and settings, whole."""

    rules: Plain
    settings: Plain


class Chatted(Envelope, frozen=True, kw_only=True, tag_field="ev", tag="chat"):
    """A line of talk; `seat` is None for a spectator."""

    name: str = field(name="from")
    seat: SeatNumber | None
    text: str


class Paused(Envelope, frozen=True, kw_only=True, tag_field="ev", tag="paused"):
    """The next round is held back, or no longer."""

    on: bool


class MatchBegun(Envelope, frozen=True, kw_only=True, tag_field="ev", tag="match"):
    """A match begins; `commit` is that of its first round."""

    match: Ident
    rules: Plain
    settings: Plain
    seats: list[MatchSeat]
    commit: Digest
    deadline: Count | None


class SeatReady(Envelope, frozen=True, kw_only=True, tag_field="ev", tag="ready"):
    """A seat waits no longer."""

    seat: SeatNumber


class RoundBegun(Envelope, frozen=True, kw_only=True, tag_field="ev", tag="round"):
    """The deal: `under` are the jokers turned up before `top`, `hands` by seat."""

    round: Ident
    starter: SeatNumber
    top: CardText
    under: Cards
    hands: list[Cards | None]
    counts: list[Count]
    stock: Count


class Opening(Envelope, frozen=True, kw_only=True, tag_field="ev", tag="opening"):
    """Everybody may open."""

    playable: Cards | None
    may: list[Doing] | None
    deadline: Count | None


class Turned(Envelope, frozen=True, kw_only=True, tag_field="ev", tag="turned"):
    """Nobody could open: the next card of the stock lies on the pile."""

    top: CardText
    stock: Count


class DirectionRace(Envelope, frozen=True, kw_only=True, tag_field="ev", tag="direction_race"):
    """The two candidates may settle the direction by a play."""

    candidates: Pair
    playable: Cards | None
    may: list[Doing] | None
    deadline: Count | None


class RpsAsked(Envelope, frozen=True, kw_only=True, tag_field="ev", tag="rps"):
    """The two candidates throw; `attempt` (on the wire `try`) counts from 1."""

    seats: Pair
    attempt: Ident = field(name="try")
    deadline: Count | None


class Thrown(Envelope, frozen=True, kw_only=True, tag_field="ev", tag="thrown"):
    """What they threw, in the order of `rps`' seats."""

    throws: list[Throw]


class DirectionSet(Envelope, frozen=True, kw_only=True, tag_field="ev", tag="direction"):
    """The direction is settled."""

    direction: Direction
    by: Literal["play", "coin", "rps", "default"]


class TurnBegun(Envelope, frozen=True, kw_only=True, tag_field="ev", tag="turn"):
    """A seat is asked to play, draw or pass; `suit` is the one to follow."""

    turn: Ident
    seat: SeatNumber
    direction: Direction
    suit: Suit
    attack: Attack | None
    playable: Cards | None
    may: list[Doing] | None
    deadline: Count | None


class Played(Envelope, frozen=True, kw_only=True, tag_field="ev", tag="played"):
    """A card was played, the `discard`-th of the round, and `left` cards remain in that hand.

    `suit` is to follow from now on; `until` ends the grace; `deadline` ends a last card's window.
    """

    seat: SeatNumber
    card: CardText
    suit: Suit
    discard: Ident
    left: Count
    until: Count | None
    deadline: Count | None


class Drew(Envelope, frozen=True, kw_only=True, tag_field="ev", tag="drew"):
    """A seat drew `count` cards; `cards` are shown to that seat alone."""

    seat: SeatNumber
    count: Count
    cards: Cards | None
    why: Literal["choice", "attack", "false", "call"]
    stock: Count
    left: Count
    playable: Cards | None
    may: list[Doing] | None


class Passed(Envelope, frozen=True, kw_only=True, tag_field="ev", tag="passed"):
    """A seat passed."""

    seat: SeatNumber


class Skipped(Envelope, frozen=True, kw_only=True, tag_field="ev", tag="skipped"):
    """A seat loses its turn."""

    seat: SeatNumber


class TimedOut(Envelope, frozen=True, kw_only=True, tag_field="ev", tag="timed_out"):
    """A seat's time ran out."""

    seat: SeatNumber


class Reshuffled(Envelope, frozen=True, kw_only=True, tag_field="ev", tag="reshuffled"):
    """The discards became the stock."""

    stock: Count


class Claimed(Envelope, frozen=True, kw_only=True, tag_field="ev", tag="claimed"):
    """A Dobon, or a counter; `lag` is µs after the first claim's arrival."""

    seat: SeatNumber
    discard: Ident
    order: Ident
    against: SeatNumber
    counter: bool
    lag: int
    deadline: Count | None


class FalseClaim(Envelope, frozen=True, kw_only=True, tag_field="ev", tag="false_claim"):
    """A Dobon that does not hold and costs cards."""

    seat: SeatNumber
    discard: Ident


class LastRound(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How a round ended. `secret`, `nonces` and `seed` are its own, `commit` the next round's."""

    why: Literal["out", "dobon", "stalemate"]
    winners: list[SeatNumber]
    losers: list[SeatNumber]
    card: CardText | None
    claims: list[Claim]
    hands: list[Cards]
    points: list[int]
    totals: list[int]
    seed: Digest
    secret: Digest
    nonces: list[Nonce | None]
    deadline: Count | None
    commit: Digest | None = None


class RoundOver(LastRound, frozen=True, kw_only=True, omit_defaults=True, tag_field="ev", tag="round_over"):
    """A round ended; everything hidden is shown."""

    table: Ident
    seq: Ident
    at: Count


class MatchOver(Envelope, frozen=True, kw_only=True, tag_field="ev", tag="match_over"):
    """A match ended: its ranking, best first, and what everybody reached at this table so far."""

    ranking: list[Standing]
    series: list[Series]


class Closed(Envelope, frozen=True, kw_only=True, tag_field="ev", tag="closed"):
    """The table is gone; its last event."""

    why: Literal["empty", "host", "admin", "fault"]


Event: TypeAlias = (
    Seat
    | Spectator
    | Host
    | RulesSet
    | Chatted
    | Paused
    | MatchBegun
    | SeatReady
    | RoundBegun
    | Opening
    | Turned
    | DirectionRace
    | RpsAsked
    | Thrown
    | DirectionSet
    | TurnBegun
    | Played
    | Drew
    | Passed
    | Skipped
    | TimedOut
    | Reshuffled
    | Claimed
    | FalseClaim
    | RoundOver
    | MatchOver
    | Closed
)

EVENT_TYPES: Final[dict[str, type[Event]]] = {
    str(kind.__struct_config__.tag): kind for kind in get_args(Event)
}
"""Every event by its `ev`."""
