"""What a server says apart from events (sections 2, 3, 4): welcome, ok by request, error, view."""

from typing import Final, Literal, TypeAlias

from msgspec import Struct, field

from .events import LastRound
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
    Limits,
    Milliseconds,
    Pair,
    Phase,
    Plain,
    SeatNumber,
    Series,
    Standing,
    Status,
    Suit,
    TableInfo,
)


class Welcome(Struct, frozen=True, kw_only=True, tag_field="t", tag="welcome"):
    """The answer to a hello. `heartbeat` is in ms; `last_id` is the session's last request id."""

    version: int
    server: str
    player: Ident
    token: str
    resumed: bool
    last_id: Count
    clock: Literal["kernel", "read"]
    seeded: bool
    heartbeat: Ident
    limits: Limits


class Ok(Struct, frozen=True, kw_only=True, tag_field="t", tag="ok"):
    """A request was done."""

    re: Ident


class OkTables(Ok, frozen=True, kw_only=True, tag="ok"):
    """To `tables`."""

    tables: list[TableInfo]


class OkCreate(Ok, frozen=True, kw_only=True, tag="ok"):
    """To `create`; `seat` is None for who did not sit down."""

    table: Ident
    seat: SeatNumber | None


class OkJoin(Ok, frozen=True, kw_only=True, tag="ok"):
    """To `join`."""

    seat: SeatNumber


class OkRules(Ok, frozen=True, kw_only=True, tag="ok"):
    """To `rules`: both whole."""

    rules: Plain
    settings: Plain


OK_TYPES: Final[dict[str, type[Ok]]] = {
    "tables": OkTables,
    "create": OkCreate,
    "join": OkJoin,
    "rules": OkRules,
}
"""What answers a request, by the request's `t`, where it is more than `Ok`."""


class Error(Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="t", tag="error"):
    """A refusal of request `re`, or, without `re`, word of something that befalls the connection.

    `field` goes with bad_request and bad_rules, `by` (µs) with too_late, `versions` with version,
    `table` with kicked, `resume` with shutdown. A code this client does not know is no fault.
    """

    code: str
    message: str = ""
    re: Ident | None = None
    field: str | None = None
    by: int | None = None
    versions: list[int] | None = None
    table: Ident | None = None
    resume: bool | None = None


class ViewHost(Struct, frozen=True, kw_only=True):
    """Who the host is; `seat` is None for a spectator."""

    seat: SeatNumber | None
    name: str


class ViewSeat(Struct, frozen=True, kw_only=True):
    """One seat of a view; `count` is the cards in hand."""

    seat: SeatNumber
    name: str | None = None
    kind: Kind
    level: Level | None = None
    reaction: Milliseconds | None = None
    status: Status | None = None
    count: Count | None = None
    total: int | None = None
    ready: bool | None = None


class View(Struct, frozen=True, kw_only=True, tag_field="t", tag="view"):
    """All that the receiver may know of a table at `seq`; fields are None where they mean nothing now.

    `act_on`, `claim_on` and `ready_on` are what to name as `on` in an action, a claim and a `ready`.
    """

    table: Ident
    seq: Count
    at: Count
    you: SeatNumber | None
    name: str
    host: ViewHost | None
    rules: Plain
    settings: Plain
    paused: bool | None
    spectators: list[str]
    seats: list[ViewSeat]
    phase: Phase
    match: Ident | None = None
    round: Ident | None = None
    starter: SeatNumber | None = None
    commit: Digest | None = None
    top: CardText | None = None
    suit: Suit | None = None
    direction: Direction | None = None
    stock: Count | None = None
    attack: Attack | None = None
    turn: Ident | None = None
    turn_seat: SeatNumber | None = None
    discards: Cards | None = None
    discard: Count | None = None
    discard_by: SeatNumber | None = None
    claims: list[Claim] | None = None
    candidates: Pair | None = None
    attempt: Ident | None = field(default=None, name="try")
    deadline: Count | None = None
    until: Count | None = None
    last_round: LastRound | None = None
    ranking: list[Standing] | None = None
    series: list[Series] | None = None
    hand: Cards | None = None
    drawn: CardText | None = None
    playable: Cards | None = None
    may: list[Doing] | None = None
    claim: Literal["open", "claimed", "waived", "paid"] | None = None
    act_on: Ident | None = None
    claim_on: Ident | None = None
    ready_on: Ident | None = None


Reply: TypeAlias = Welcome | Ok | Error | View
