"""The `view` message: the whole of what one receiver may know of a table (protocol, section 4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.view import view, view_data

from .seats import Seat, seat_data

if TYPE_CHECKING:
    from .game import Game
    from .table import Table

_ROUND_KEYS = (
    *("round", "starter", "top", "suit", "direction", "stock", "attack", "turn", "turn_seat", "discards"),
    *("discard", "discard_by", "claims", "candidates", "try", "hand", "drawn", "playable", "may", "claim"),
)
_ONLY_IN_PLAY = ("attack", "turn_seat", "claims", "candidates", "try", "drawn", "claim")


def view_of(table: Table, you: int | None) -> dict[str, Any]:
    """The view of the seat ``you``, None for a spectator."""
    broadcast, game = table.broadcast, table.game
    message: dict[str, Any] = dict.fromkeys(_ROUND_KEYS)
    message |= {
        "t": "view",
        "table": table.number,
        "seq": broadcast.seq,
        "at": broadcast.ms(broadcast.now),
        "you": you,
        "name": table.name,
        "host": table.host_data(),
        "rules": table.rules.to_data(),
        "settings": table.settings.to_data(),
        "paused": table.game is not None and table.game.paused,
        "spectators": table.spectator_names(),
        "seats": [_seat(table, seat) for seat in table.seats],
        "phase": "open",
        "series": table.series.to_data(),
        "match": None,
        "commit": None,
        "deadline": None,
        "until": None,
        "last_round": None,
        "ranking": None,
        "act_on": None,
        "claim_on": None,
        "ready_on": None,
    }
    if game is not None:
        message |= _game(game)
        if game.live is not None:
            message |= _round(table, game, you)
    return message


def _seat(table: Table, seat: Seat) -> dict[str, Any]:
    game = table.game
    count = total = ready = None
    if game is not None:
        total = game.match.totals[seat.index]
        if game.live is not None:
            count = game.live.round.hands[seat.index].bit_count()
        if game.between and not game.over:
            ready = seat.ready or not seat.seated
    data = {"level": None, "reaction": None} | seat_data(seat, table.settings, table.human_seated)
    return data | {"count": count, "total": total, "ready": ready}


def _game(game: Game) -> dict[str, Any]:
    return {
        "phase": "over" if game.over else "between",
        "match": game.number,
        "commit": None if game.over else game.commit,
        "deadline": game.deadline_ms(),
        "last_round": game.last_round,
        "ranking": game.ranking,
        "ready_on": game.ready_on if game.between and not game.over else None,
    }


def _round(table: Table, game: Game, you: int | None) -> dict[str, Any]:
    live = game.live
    assert live is not None
    teller, ms = live.teller, table.broadcast.ms
    fields = view_data(view(live.round, you)) | {"discard_by": teller.discarder}
    if game.between:
        return {key: None if key in _ONLY_IN_PLAY else fields[key] for key in _ROUND_KEYS}
    if live.last_round is not None:
        fields |= {"phase": "claim", "claims": []}
    if fields["claims"]:
        fields["claims"] = [
            {**claim, "lag": lag} for claim, lag in zip(fields["claims"], teller.lags, strict=True)
        ]
    if you is not None and live.holds_waiver(you):
        fields["claim"] = "waived"
    if live.round.window is not None:
        fields["until"] = ms(teller.until)
    fields["claim_on"] = teller.claim_on if live.window_open() else None
    fields["act_on"] = teller.act_on if fields["phase"] != "claim" else None
    fields["deadline"] = None if teller.deadline is None else ms(teller.deadline)
    return fields
