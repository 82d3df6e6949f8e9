"""How what the player has chosen and opened follows the table."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

from protocol.messages import View

from ..knowledge import can_dobon, sorted_hand
from .scene import Ui


def followed(ui: Ui, before: View | None, view: View, sort: str, now: int) -> Ui:
    """The player's side after a change at the table, at local time `now`.

    A drawn card is chosen, else one that fits when it is asked for, else the one that was; a question that is
    no longer asked is closed."""
    hand, playable = sorted_hand(view, sort), view.playable or ()
    card = ui.card
    if view.drawn is not None and (before is None or before.drawn != view.drawn):
        card = view.drawn
    elif playable and card not in playable and (before is None or before.act_on != view.act_on):
        card = next((each for each in hand if each in playable), card)
    elif card not in hand:
        card = hand[0] if hand else None
    started = dict(ui.started)
    if before is not None and before.direction is not None and before.direction != view.direction:
        started["direction"] = now
    if ui.page is not None and ui.page.page in ("suit", "throw") and view.act_on is None:
        ui = ui.closed()
    told = ui.told if before is not None and asked_for(before) == asked_for(view) else ""
    return replace(ui, card=card, started=MappingProxyType(started), told=told)


def asked_for(view: View) -> tuple[object, ...]:
    """What the player could be asked to do: another value whenever something new is."""
    return view.act_on, view.drawn, view.claim_on, view.claim, view.phase


def rings(before: View | None, view: View) -> bool:
    """Whether the bell is due: the player's turn began, or they could claim a new card."""
    asked = view.act_on is not None and (before is None or before.act_on != view.act_on)
    return asked or (can_dobon(view) and (before is None or before.claim_on != view.claim_on))
