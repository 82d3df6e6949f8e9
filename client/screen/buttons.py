"""The buttons of a table: what the player can do now."""

from __future__ import annotations

from dataclasses import dataclass, replace

from protocol.messages import View

from ..knowledge import call_needed, can_dobon, may_claim
from .clock import awaits_return
from .scene import Scene


@dataclass(frozen=True, slots=True)
class Button:
    """One thing to do: `name` for the program, `key` as printed. `lit`: it is time for it."""

    name: str
    label: str
    key: str
    enabled: bool
    lit: bool = False


def dobon_button(scene: Scene) -> Button:
    """The one that is always there, always at the same place."""
    _, table = scene.translate, scene.table
    if table is None:
        return Button("dobon", _("DOBON"), "Tab", False)
    view = table.view
    counters = view.you is not None and view.you == view.discard_by
    label = _("RETURN") if counters and view.phase == "claim" else _("DOBON")
    over = awaits_return(scene)
    return Button("dobon", label, "Tab", may_claim(view) and not over, can_dobon(view) and not over)


def buttons(scene: Scene) -> tuple[Button, ...]:
    """What stands in the row of buttons, the Dobon key first; what can't be done now is there but dim."""
    _, table = scene.translate, scene.table
    assert table is not None
    view = table.view
    found = [dobon_button(scene), *_others(scene, view)]
    if scene.model.link != "online" or table.closed is not None:
        found = [replace(button, enabled=False, lit=False) for button in found]
    if table.closed is not None:
        return found[0], Button("back", _("Lobby"), "Enter", True, True)
    return (*found, Button("menu", _("Menu"), "m", True))


def _others(scene: Scene, view: View) -> list[Button]:
    """All but Dobon and the menu."""
    _, table = scene.translate, scene.table
    assert table is not None
    if view.phase == "over":
        again = scene.model.is_host
        return [Button("again", _("Again"), "Enter", again, again)]
    if view.you is None:
        return []
    if view.phase == "between":
        me = table.seat(view.you)
        ready = view.ready_on is not None and not (me is not None and me.ready)
        return [Button("ready", _("Ready"), "Enter", ready, ready)]
    may = view.may or ()
    fits = scene.ui.card in (view.playable or ())
    found = [
        Button("play", _("Play"), "Enter", fits, False),
        Button("draw", _("Draw"), "d", "draw" in may, "draw" in may and "play" not in may),
        Button("pass", _("Pass"), "p", "pass" in may, "pass" in may and not {"play", "draw"} & set(may)),
        Button("waive", _("Waive"), "w", may_claim(view) and not awaits_return(scene), False),
    ]
    if table.rules.last_call:
        found.insert(1, Button("call", _("Call"), "c", call_needed(view), scene.ui.call))
    if view.phase == "rps" and view.act_on is not None:
        found[0] = Button("throw", _("Throw"), "Enter", True, True)
    return found
