"""What a viewer knows of a table, from event to event: the next `View` from the last one.

The protocol's `view` is the state. `settled` leaves of one what means something in its phase, whichever
server wrote it; after any event of a table `advance` gives what `settled` makes of a fresh view.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, assert_never, cast

from msgspec.structs import asdict, replace

from engine.cards import RANK_OF, SUIT_OF, SUITS, parse_card, rank_text
from protocol import events as e
from protocol.fields import Attack, AttackRank, Claim
from protocol.messages import Event, LastRound, RoundOver, View
from protocol.replies import ViewHost, ViewSeat

from .rulebook import rules_of, tables_of

NOT_ASKED: Final = dict.fromkeys(("playable", "may", "act_on", "drawn"))
NO_WINDOW: Final = dict.fromkeys(("discard_by", "claim", "claim_on", "until"))
NO_RACE: Final = dict.fromkeys(("candidates", "attempt"))
NO_ROUND: Final = {
    **dict.fromkeys(
        (
            "top",
            "suit",
            "direction",
            "stock",
            "attack",
            "turn",
            "turn_seat",
            "discards",
            "discard",
            "claims",
            "hand",
        )
    ),
    **NOT_ASKED,
    **NO_WINDOW,
    **NO_RACE,
}
IDLE: Final = ("open", "between", "over")
"""The phases without a round."""


def settled(view: View) -> View:
    """The view without what means nothing in its phase (`act_on`, say, for whoever is not asked)."""
    changes: dict[str, Any] = {"paused": bool(view.paused)}
    if view.phase in IDLE:
        changes |= NO_ROUND
        if view.phase != "between":
            changes |= {"deadline": None, "commit": None, "ready_on": None, "round": None, "starter": None}
    else:
        changes["ready_on"] = None
        if view.phase != "claim":
            changes["claims"] = None
        if view.phase != "turn":
            changes["turn_seat"] = None
        if view.phase in ("opening", "direction", "rps"):
            changes |= {"direction": None, "turn": None}
        elif view.phase == "claim":
            # The round is about to end: nothing pending is drawn.
            changes |= {"attack": None, **NOT_ASKED}
            if view.turn is None:  # claimed in the race, before there was a direction
                changes["direction"] = None
        if view.phase not in ("direction", "rps"):
            changes |= NO_RACE
        if view.phase != "rps":
            changes["attempt"] = None
        if view.discard_by is None or view.claim_on is None:
            changes |= NO_WINDOW
        if not (view.may is not None or _throws(view)):
            changes["act_on"] = None
    changes["seats"] = [_settled_seat(seat, view.phase) for seat in view.seats]
    return replace(view, **changes)


def _throws(view: View) -> bool:
    return view.phase == "rps" and view.you in (view.candidates or ())


def _settled_seat(seat: ViewSeat, phase: str) -> ViewSeat:
    return replace(
        seat,
        name=seat.name or None,
        status=seat.status if seat.kind == "human" else None,
        count=None if phase in IDLE else seat.count,
        total=seat.total or 0,
        ready=bool(seat.ready) or seat.status == "left"
        if phase == "between" and seat.kind == "human"
        else None,
    )


def advance(view: View, event: Event) -> View:
    """The view after an event, the one with the next `seq` of its table."""
    changes = _changes(view, event)
    return settled(replace(view, seq=event.seq, at=event.at, **changes))


def _changes(view: View, event: Event) -> dict[str, Any]:
    match event:
        case e.Seat() | e.Spectator() | e.Host() | e.RulesSet() | e.Chatted() | e.Paused() | e.Closed():
            return _room(view, event)
        case e.MatchBegun() | e.SeatReady() | e.RoundBegun() | e.RoundOver() | e.MatchOver():
            return _course(view, event)
        case e.Opening() | e.Turned() | e.DirectionRace() | e.RpsAsked() | e.Thrown() | e.DirectionSet():
            return _race(view, event)
        case e.TurnBegun() | e.Played() | e.Drew() | e.Passed() | e.Skipped() | e.TimedOut() | e.Reshuffled():
            return _turn(view, event)
        case e.Claimed():
            return _claimed(view, event)
        case e.FalseClaim(seat=seat):
            return {"claim": "paid"} if seat == view.you else {}
        case _:
            assert_never(event)


_Room = e.Seat | e.Spectator | e.Host | e.RulesSet | e.Chatted | e.Paused | e.Closed


def _room(view: View, event: _Room) -> dict[str, Any]:
    """Who is here and what they agreed on."""
    match event:
        case e.Seat():
            return {"seats": _with_seat(view, event.seat, lambda seat: _occupied(seat, event))}
        case e.Spectator(name=name, here=True):
            return {"spectators": [*view.spectators, name]}
        case e.Spectator(name=name):
            return {"spectators": [each for each in view.spectators if each != name]}
        case e.Host(seat=seat, name=name):
            return {"host": ViewHost(seat=seat, name=name)}
        case e.RulesSet(rules=rules, settings=settings):
            return {"rules": rules, "settings": settings}
        case e.Paused(on=on):
            return {"paused": on}
        case e.Chatted() | e.Closed():
            return {}
        case _:
            assert_never(event)


def _occupied(seat: ViewSeat, event: e.Seat) -> ViewSeat:
    return replace(
        seat,
        name=event.name,
        kind=event.kind,
        level=event.level,
        reaction=event.reaction,
        status=event.status,
        # Who comes back is waited for again.
        ready=seat.ready and seat.status != "left",
    )


def _with_seat(view: View, seat: int, change: Callable[[ViewSeat], ViewSeat]) -> list[ViewSeat]:
    return [change(each) if each.seat == seat else each for each in view.seats]


def _course(
    view: View, event: e.MatchBegun | e.SeatReady | e.RoundBegun | e.RoundOver | e.MatchOver
) -> dict[str, Any]:
    """How a match goes from round to round."""
    match event:
        case e.MatchBegun():
            return _match_begun(view, event)
        case e.SeatReady(seat=seat):
            return {"seats": _with_seat(view, seat, lambda each: replace(each, ready=True))}
        case e.RoundBegun():
            return _dealt(view, event)
        case e.RoundOver():
            return _round_over(view, event)
        case e.MatchOver(ranking=ranking, series=series):
            return {"phase": "over", "ranking": ranking, "series": series}
        case _:
            assert_never(event)


def _match_begun(view: View, event: e.MatchBegun) -> dict[str, Any]:
    return {
        "phase": "between",
        "match": event.match,
        "round": None,
        "starter": None,
        "rules": event.rules,
        "settings": event.settings,
        "commit": event.commit,
        "deadline": event.deadline,
        "ready_on": event.seq,
        "last_round": None,
        "ranking": None,
        "seats": [
            replace(seat, name=who.name, kind=who.kind, level=who.level, total=0, ready=False)
            for seat, who in zip(view.seats, event.seats, strict=False)
        ],
    }


def _dealt(view: View, event: e.RoundBegun) -> dict[str, Any]:
    counts = dict(enumerate(event.counts))
    return {
        **NO_ROUND,
        "phase": "turn",
        "round": event.round,
        "starter": event.starter,
        "top": event.top,
        "discards": [*event.under, event.top],
        "suit": printed_suit(event.top),
        "direction": 1,
        "stock": event.stock,
        "hand": None if view.you is None or view.you >= len(event.hands) else event.hands[view.you],
        "deadline": None,
        "seats": [replace(seat, count=counts.get(seat.seat), ready=None) for seat in view.seats],
    }


def _round_over(view: View, event: RoundOver) -> dict[str, Any]:
    totals = dict(enumerate(event.totals))
    last = {name: value for name, value in asdict(event).items() if name in LastRound.__struct_fields__}
    return {
        "phase": "between" if event.commit is not None else "over",
        "last_round": LastRound(**last),
        "commit": event.commit,
        "deadline": event.deadline,
        "ready_on": event.seq,
        "seats": [replace(seat, total=totals.get(seat.seat, seat.total), ready=False) for seat in view.seats],
    }


_Race = e.Opening | e.Turned | e.DirectionRace | e.RpsAsked | e.Thrown | e.DirectionSet


def _race(view: View, event: _Race) -> dict[str, Any]:
    """The opening race (rules, section 5)."""
    match event:
        case e.Opening():
            return {"phase": "opening", **_asked(event)}
        case e.Turned(top=top, stock=stock):
            discards = [*(view.discards or ()), top]
            return {"top": top, "discards": discards, "suit": printed_suit(top), "stock": stock}
        case e.DirectionRace(candidates=candidates):
            attack = _opened_with(view)
            return {"phase": "direction", "candidates": candidates, "attack": attack, **_asked(event)}
        case e.RpsAsked():
            return {
                **NOT_ASKED,
                "phase": "rps",
                "candidates": event.seats,
                "attempt": event.attempt,
                "deadline": event.deadline,
                "act_on": event.seq,
            }
        case e.Thrown():
            return {"act_on": None}
        case e.DirectionSet(direction=direction):
            # The turn, or the play that settled it, follows at once.
            return {"phase": "turn", "direction": direction, **NO_RACE, **NOT_ASKED}
        case _:
            assert_never(event)


def _opened_with(view: View) -> Attack | None:
    """The attack that the opener's card began: no event tells of it before the first turn."""
    if view.top is None:
        return None
    card = parse_card(view.top)
    step = tables_of(view).step[card]
    return Attack(rank=cast(AttackRank, rank_text(RANK_OF[card])), draw=step) if step else None


def _asked(event: e.Opening | e.DirectionRace | e.TurnBegun) -> dict[str, Any]:
    return {
        "playable": event.playable,
        "may": event.may,
        "drawn": None,
        "deadline": event.deadline,
        "act_on": None if event.may is None else event.seq,
    }


_Turn = e.TurnBegun | e.Played | e.Drew | e.Passed | e.Skipped | e.TimedOut | e.Reshuffled


def _turn(view: View, event: _Turn) -> dict[str, Any]:
    match event:
        case e.TurnBegun():
            return {
                "phase": "turn",
                "turn": event.turn,
                "turn_seat": event.seat,
                "direction": event.direction,
                "suit": event.suit,
                "attack": event.attack,
                **_asked(event),
            }
        case e.Played():
            return _played(view, event)
        case e.Drew():
            return _drew(view, event)
        case e.Passed():
            return {**NO_WINDOW, **NOT_ASKED}
        case e.Reshuffled(stock=stock):
            return {"stock": stock, "discards": (view.discards or [])[-1:]}
        case e.Skipped() | e.TimedOut():
            return {}
        case _:
            assert_never(event)


def _played(view: View, event: e.Played) -> dict[str, Any]:
    changes: dict[str, Any] = {
        **NOT_ASKED,
        "top": event.card,
        "discards": [*(view.discards or ()), event.card],
        "suit": event.suit,
        "discard": event.discard,
        "discard_by": event.seat,
        "claim": "open" if view.you not in (None, event.seat) else None,
        "claim_on": event.seq,
        "until": event.until,
        "deadline": event.deadline,
        "seats": _with_seat(view, event.seat, lambda seat: replace(seat, count=event.left)),
    }
    if view.you == event.seat:
        changes["hand"] = [card for card in view.hand or () if card != event.card]
    if event.left == 0:
        changes |= {"phase": "claim", "claims": []}
    return changes


def _drew(view: View, event: e.Drew) -> dict[str, Any]:
    mine = event.seat == view.you
    changes: dict[str, Any] = {
        "stock": event.stock,
        "seats": _with_seat(view, event.seat, lambda seat: replace(seat, count=event.left)),
    }
    if event.why in ("choice", "attack"):
        changes |= {**NO_WINDOW, "attack": None}
    if mine:
        changes["hand"] = [*(view.hand or ()), *(event.cards or ())]
        if event.why == "choice" and event.cards and event.may is not None:
            changes["drawn"] = event.cards[0]
    if mine or event.may is not None:
        changes |= {"playable": event.playable, "may": event.may}
    return changes


def _claimed(view: View, event: e.Claimed) -> dict[str, Any]:
    claim = Claim(seat=event.seat, order=event.order, counter=event.counter, lag=event.lag)
    return {
        "phase": "claim",
        "claims": [*(view.claims or ()), claim],
        "claim": _standing(view, event),
        "deadline": event.deadline,
    }


def _standing(view: View, event: e.Claimed) -> str | None:
    """Whether the viewer may still claim after somebody else's claim (rules, section 7)."""
    if view.you == event.seat:
        return "claimed"
    rules = rules_of(view)
    if view.you == view.discard_by and view.you is not None:
        if view.claim is not None:
            return view.claim
        return "open" if rules.counter == "ask" and rules.claims != "all" else None
    if rules.claims == "first" and view.claim == "open":
        return None
    return view.claim


def printed_suit(card: str) -> str:
    """The suit on a card; for a joker spades."""
    return SUITS[SUIT_OF[parse_card(card)]]
