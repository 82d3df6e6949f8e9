"""The one sentence that says what the player can do now, and the ones for what hinders."""

from __future__ import annotations

from engine.cards import VALUE, parse_card
from protocol.messages import Play, View

from ..knowledge import can_dobon, is_played_for, may_claim
from ..model import Table
from .clock import awaits_return
from .scene import Scene

URGENT = "class:urgent"
ACT = "class:act"
CALM = "class:calm"


def sentence(scene: Scene) -> tuple[str, str]:
    """(style, text) of the sentence for a table."""
    _, table = scene.translate, scene.table
    assert table is not None
    if scene.ui.asks_to_leave:
        return URGENT, _("Press Ctrl-C again to leave the game, any other key to stay.")
    if scene.model.link != "online":
        return URGENT, connection(scene)
    if table.closed is not None:
        return URGENT, closed(scene, table.closed)
    if scene.ui.told:
        return URGENT, scene.ui.told
    view = table.view
    match view.phase:
        case "open":
            return CALM, _opened(scene)
        case "between":
            return _between(scene, view)
        case "over":
            return _over(scene)
        case "claim":
            return _claiming(scene, table)
        case _:
            pass
    if can_dobon(view):
        count = VALUE[parse_card(view.top or "")]  # which need not be the sum of a hand of two
        return URGENT, _("Dobon! Your hand counts {count}: press Tab.").format(count=count)
    if (action := table.held) is not None:
        if isinstance(action, Play):
            text = _("Your {card} is on its way; until the grace ends a Dobon comes first.")
            return CALM, text.format(card=scene.glyphs.card(action.card))
        return CALM, _("That is on its way; until the grace ends a Dobon comes first.")
    if is_played_for(view) and view.act_on is None:
        return ACT, _("The server plays for you. Enter, d or p: play on yourself.")
    return _playing(scene, table)


def connection(scene: Scene) -> str:
    """What is the matter with the connection."""
    _, model = scene.translate, scene.model
    if model.link == "connecting":
        return _("Connecting …")
    if model.link == "away":
        left = 0 if model.retry_at is None else max(0, model.retry_at - scene.now)
        if left < 500:
            return _("The connection is gone. Trying again …")
        return _("The connection is gone. Trying again in {seconds} s; keys are not sent meanwhile.").format(
            seconds=(left + 999) // 1000
        )
    return _("The session is over.")


def closed(scene: Scene, why: str) -> str:
    """Why a table is no more."""
    _ = scene.translate
    match why:
        case "kicked":
            return _("The host has removed you from this table. Enter: back to the lobby.")
        case "host":
            return _("The host has closed this table. Enter: back to the lobby.")
        case "empty":
            return _("Nobody was left at this table. Enter: back to the lobby.")
        case "fault":
            return _("This table had to be closed: its record can't be trusted. Enter: back to the lobby.")
        case _:
            return _("This table was closed by the server. Enter: back to the lobby.")


def _opened(scene: Scene) -> str:
    _ = scene.translate
    if scene.model.is_host:
        return _("You are the host: set the table up, then begin.")
    return _("Waiting for the host to begin.")


def _between(scene: Scene, view: View) -> tuple[str, str]:
    _, table = scene.translate, scene.table
    assert table is not None
    if view.paused:
        return CALM, _("The host has paused: the next round waits.")
    left = table.left(view.deadline, scene.now)
    seconds = "" if left is None else _(" ({seconds} s)").format(seconds=(left + 999) // 1000)
    me = None if view.you is None else table.seat(view.you)
    if me is None:
        return CALM, _("The next round is about to begin.") + seconds
    if me.ready:
        return CALM, _("You are ready. Waiting for the others.") + seconds
    if view.round is None:
        return ACT, _("The match begins. Enter: ready for the deal.") + seconds
    return ACT, _("Enter: ready for the next round.") + seconds


def _over(scene: Scene) -> tuple[str, str]:
    _ = scene.translate
    if scene.model.is_host:
        return ACT, _("The match is over. Enter: another one with the same seats.")
    return CALM, _("The match is over. The host may begin another one.")


def _claiming(scene: Scene, table: Table) -> tuple[str, str]:
    _, view = scene.translate, table.view
    card = scene.glyphs.card(view.top) if view.top else ""
    claims = view.claims or ()
    who = scene.name(claims[-1].seat) if claims else ""
    if awaits_return(scene):
        return CALM, _("Waiting for {name}'s Dobon return.").format(name=scene.name(view.discard_by or 0))
    if view.you is None:
        return CALM, _("Dobon! The claims are being judged.") if claims else _("The last card is played.")
    if view.you == view.discard_by and may_claim(view):
        style = URGENT if can_dobon(view) else ACT
        return style, _("{name} claims Dobon on your {card}. Return it with Tab, or waive with w.").format(
            name=who, card=card
        )
    if view.claim == "claimed":
        return CALM, _("You claimed Dobon. Waiting for the others.")
    if may_claim(view):
        style = URGENT if can_dobon(view) else ACT
        if claims and table.rules.claims == "last":
            said = _("{name} claims Dobon; the last to claim wins. Claim with Tab, or waive with w.")
            return style, said.format(name=who)
        if claims:
            return style, _("{name} claims Dobon. Claim too with Tab, or waive with w.").format(name=who)
        return style, _("{name} plays the last card. Dobon with Tab, or waive with w.").format(
            name=scene.name(view.discard_by or 0)
        )
    if view.claim == "waived":
        return CALM, _("You waived. Waiting for the others.")
    return CALM, _("Dobon! The claims are being judged.") if claims else _("Waiting for the others.")


def _playing(scene: Scene, table: Table) -> tuple[str, str]:
    _, view = scene.translate, table.view
    match view.phase:
        case "opening":
            return _opening(scene, view)
        case "direction":
            one, other = view.candidates or (0, 0)
            if view.may is not None:
                return ACT, _(
                    "Play a card that fits before {name} does, to set the direction; or pass."
                ).format(name=scene.name(other if view.you == one else one))
            return CALM, _("{one} and {other} race for the direction.").format(
                one=scene.name(one), other=scene.name(other)
            )
        case "rps":
            one, other = view.candidates or (0, 0)
            if view.act_on is not None:
                return ACT, _("Rock, paper or scissors? Enter to throw.")
            return CALM, _("{one} and {other} throw rock, paper, scissors for the direction.").format(
                one=scene.name(one), other=scene.name(other)
            )
        case _:
            return _turn(scene, view)


def _opening(scene: Scene, view: View) -> tuple[str, str]:
    _ = scene.translate
    card = scene.glyphs.card(view.top) if view.top else ""
    if view.may is None:
        return CALM, _("Waiting for somebody to open on {card}.").format(card=card)
    if "play" in view.may:
        return ACT, _("The first to play a card that fits {card} opens. Play one, or pass.").format(card=card)
    return ACT, _("The first to play a card that fits {card} opens. You have none: pass.").format(card=card)


def _turn(scene: Scene, view: View) -> tuple[str, str]:
    _ = scene.translate
    if view.may is None:
        return CALM, _others(scene, view)
    play, draw, passes = ("play" in view.may, "draw" in view.may, "pass" in view.may)
    if view.attack is not None:
        return ACT, _attacked(scene, view)
    if view.drawn is not None:
        card = scene.glyphs.card(view.drawn)
        if play and passes:
            return ACT, _("Play the {card} that you drew, or pass.").format(card=card)
        if play:
            return ACT, _("The {card} that you drew fits: play it.").format(card=card)
        return ACT, _("The {card} that you drew does not fit: pass.").format(card=card)
    if play and draw:
        return ACT, _("Your turn: play a card that fits, or draw.")
    if play and passes:
        return ACT, _("Your turn: play a card that fits, or pass; there is nothing to draw.")
    if play:
        return ACT, _("Your turn: play a card that fits.")
    if draw:
        return ACT, _("Your turn: nothing fits, draw a card.")
    return ACT, _("Your turn: nothing fits and there is nothing to draw, pass.")


def _attacked(scene: Scene, view: View) -> str:
    _ = scene.translate
    assert view.attack is not None
    assert view.may is not None
    rank = _("joker") if view.attack.rank == "X" else view.attack.rank
    count = view.attack.draw
    if "play" in view.may and "draw" in view.may:
        return _("Attack! Answer it with a {rank}, or draw {count}.").format(rank=rank, count=count)
    if "play" in view.may:
        return _("Attack! You hold a {rank} and must answer with it.").format(rank=rank)
    return _("Attack! You can't answer it: draw {count}.").format(count=count)


def _others(scene: Scene, view: View) -> str:
    _ = scene.translate
    if view.turn_seat is None:
        return _("The cards are dealt.")
    name = scene.name(view.turn_seat)
    if view.attack is not None:
        return _("{name} has to answer the attack or draw {count}.").format(name=name, count=view.attack.draw)
    return _("It is {name}'s turn.").format(name=name)
