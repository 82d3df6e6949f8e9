"""What the player can do now, as one plain sentence, and what their hand waits for."""

from __future__ import annotations

from engine.cards import parse_card

from .knowledge import call_needed, can_dobon, counter_to_come, may_claim, sorted_hand, total, waits
from .model import Table
from .phrases import Speaker, run_on
from .rulebook import rules_of
from .rules_fields import counted


def advice(table: Table, speak: Speaker) -> str:
    """The one sentence; empty where there is nothing to do but to look on."""
    _, view = speak.translate, table.view
    if table.closed is not None:
        return ""
    if view.you is None:
        return _("You are watching.")
    if can_dobon(view):
        claim = _("You can make a Dobon return!") if view.discard_by == view.you else _("You can DOBON!")
        move = _your_move(table, speak)
        return run_on(claim, move) if move else claim
    return _your_move(table, speak) or _waiting(table, speak)


def _your_move(table: Table, speak: Speaker) -> str:
    """What the seat is asked for."""
    _, view = speak.translate, table.view
    if view.phase == "rps" and view.act_on is not None:
        return _("Throw rock, paper or scissors.")
    if not view.may:
        return ""
    fitting = speak.cards(sorted(view.playable or [], key=parse_card))
    if view.phase in ("opening", "direction"):
        if "play" in view.may:
            return _("Race: play {cards}, or pass.").format(cards=fitting)
        return _("Race: nothing fits; you can pass.")
    options = [_option(word, table, speak, fitting) for word in view.may]
    said = _("Your turn: {options}.").format(options=_(", or ").join(options))
    if call_needed(view) and "play" in view.may:
        said = run_on(said, _("It leaves one card: add “call”."))
    return said


def _option(word: str, table: Table, speak: Speaker, fitting: str) -> str:
    _, attack = speak.translate, table.view.attack
    match word:
        case "play":
            return _("play {cards}").format(cards=fitting)
        case "draw" if attack is not None:
            return _("draw {cards}").format(cards=counted(attack.draw, _))
        case "draw":
            return _("draw")
        case _:
            return _("pass")


def _waiting(table: Table, speak: Speaker) -> str:
    """Who or what is waited for."""
    _, view = speak.translate, table.view
    match view.phase:
        case "open" | "over":
            return _beginning(table, speak)
        case "between":
            own = table.seat(view.you) if view.you is not None else None
            if view.paused:
                return _("Pause.")
            return (
                _("Say ready, or press Enter, for the next round.")
                if own is not None and not own.ready
                else ""
            )
        case "claim":
            return _claiming(table, speak)
        case "turn" if view.turn_seat is not None and view.turn_seat != view.you:
            return _("It is {name}'s turn.").format(name=speak.who(view, view.turn_seat))
        case _:
            return ""


def _beginning(table: Table, speak: Speaker) -> str:
    """Before a match and after it."""
    _, view = speak.translate, table.view
    if view.phase == "over" and view.ranking is None:
        return ""  # the ranking of the match comes next
    if view.host is None or view.host.seat != view.you:
        return _("The host begins the match.")
    if view.phase == "over":
        return _("“start” begins another match with the same seats.")
    if any(seat.kind == "empty" for seat in view.seats):
        return _("“start normal” begins the match with bots in the empty seats; or wait for others to join.")
    return _("“start” begins the match.")


def _claiming(table: Table, speak: Speaker) -> str:
    """While claims are waited for."""
    _, view = speak.translate, table.view
    if may_claim(view) and view.discard_by == view.you:
        return _("You are asked for a Dobon return: say dobon, or waive.")
    if may_claim(view):
        return _("Anybody may still claim; after “waive” nobody waits for you.")
    if counter_to_come(view):
        return _("The others may still claim; then you are asked for a Dobon return.")
    return _("It is for the others to claim, or not.")


def hand_line(table: Table, speak: Speaker, sort: str = "suit") -> str:
    """The viewer's hand, numbered from 1 and sorted, what may be played marked, with its total and the cards
    it waits for; empty without a hand."""
    _, view = speak.translate, table.view
    if view.hand is None:
        return ""
    hand = sorted_hand(view, sort)
    playable = set(view.playable or ())
    shown = "  ".join(
        f"{number}) {speak.card(card)}{'*' if card in playable else ''}"
        for number, card in enumerate(hand, 1)
    )
    values = waits(rules_of(view), hand)
    line = _("Your hand: {cards}  = {total}").format(cards=shown or _("no cards"), total=total(hand))
    if values:
        line = run_on(line, _("(Dobon on {ranks})").format(ranks=speak.ranks(values)))
    return line
