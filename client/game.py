"""What the player does at a table, from keys to requests.

Every request names the event it answers as it stood **on the screen** when the key was pressed: a Dobon on a
card that was not yet drawn claims the one before it, or nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.events import Played, RoundBegun
from protocol.fields import Suit, Throw
from protocol.messages import Dobon, Draw, Join, Pass, Pause, Play, Request, Rps, Start, View, Waive

from .knowledge import call_needed, can_dobon, holds, is_played_for, may_claim, names_suit
from .model import Table
from .rulebook import understood

if TYPE_CHECKING:
    from .app import App

SUITS: Final[tuple[Suit, ...]] = ("S", "H", "D", "C")
THROWS: Final[tuple[Throw, ...]] = ("rock", "paper", "scissors")


class Game:
    """The intents of one player; each says why where nothing is to be done."""

    def __init__(self, app: App) -> None:
        self._app = app

    def dobon(self) -> None:
        app, _ = self._app, self._app.translate
        seen, view = app.drawn, self._view()
        if seen is None or view is None:
            return
        on = missed(app.model.table)
        if on is not None and (seen.claim_on is None or not may_claim(view)):
            # Somebody was faster; the server says by how much.
            self._send(Dobon(table=view.table, on=on))
        elif seen.claim_on is None or seen.you is None:
            app.tell(_("There is no card to claim."))
        elif seen.claim_on != view.claim_on:
            # The next card came while the key was on its way. It is not claimed; on the one that was seen
            # the server says by how much the key was late.
            self._send(Dobon(table=seen.table, on=seen.claim_on))
        elif not may_claim(view):
            app.tell(_("You can't claim this card any more."))
        elif not holds(view) and view.rules.get("false_dobon") == 0 and understood(view.rules):
            app.tell(_("That would be no Dobon: your hand does not count it."))
        else:
            self._send(Dobon(table=view.table, on=seen.claim_on))

    def waive(self) -> None:
        seen, view = self._app.drawn, self._view()
        if seen is None or view is None or seen.claim_on is None:
            return
        if seen.claim_on == view.claim_on and may_claim(view):
            self._send(Waive(table=view.table, on=seen.claim_on))

    def play(self) -> None:
        """The chosen card; first its suit is asked for where it names one."""
        app, _ = self._app, self._app.translate
        view, card = self._asked("play"), app.ui.card
        if view is None or card is None:
            return
        if card not in (view.playable or ()):
            app.tell(_("The {card} does not fit.").format(card=app.glyphs.card(card)))
        elif names_suit(view, card) and len(view.hand or ()) > 1:
            app.open("suit", card)
        else:
            self._play(view, card, None)

    def _play(self, view: View, card: str, suit: Suit | None) -> None:
        app = self._app
        call = True if app.ui.call and call_needed(view) else None
        request = Play(table=view.table, on=view.act_on or 0, card=card, suit=suit, call=call)
        # In a race the moment counts: nothing may be read together with it.
        self._send(request, alone=view.phase in ("opening", "direction"))
        app.change(call=False)

    def chosen(self, place: int) -> None:
        """A suit for the card that is to be played, or a throw."""
        app, page, view = self._app, self._app.ui.page, self._view()
        app.close_page()
        if page is None or view is None or view.act_on is None:
            return
        if page.page == "throw":
            if view.phase == "rps":
                self._send(Rps(table=view.table, on=view.act_on, throw=THROWS[place]))
        elif page.about in (view.playable or ()):
            self._play(view, page.about, SUITS[place])

    def draw(self) -> None:
        view = self._asked("draw")
        if view is not None:
            self._send(Draw(table=view.table, on=view.act_on or 0))

    def pass_(self) -> None:
        view = self._asked("pass")
        if view is not None:
            self._send(Pass(table=view.table, on=view.act_on or 0))

    def call(self) -> None:
        app, view, _ = self._app, self._view(), self._app.translate
        if view is None:
            return
        if call_needed(view):
            app.change(call=not app.ui.call)
        else:
            app.tell(_("There is nothing to call."))

    def ready(self) -> None:
        seen, app = self._app.drawn, self._app
        if seen is not None and seen.ready_on is not None and seen.you is not None:
            app.attempt(lambda session: session.ready(seen.table, seen.ready_on or 0))

    def again(self) -> None:
        """Another match with the same seats."""
        view = self._view()
        if view is not None and self._app.model.is_host:
            self._send(Start(table=view.table, fill="normal"))

    def pause(self) -> None:
        app, view, _ = self._app, self._view(), self._app.translate
        if view is None:
            return
        if app.model.is_host:
            self._send(Pause(table=view.table, on=not view.paused))
        else:
            app.tell(_("Only the host can pause."))

    def by_itself(self, view: View) -> Request | None:
        """What the player's settings do for them now: draw or pass where nothing fits, answer where a Dobon
        return is asked for."""
        settings, may = self._app.settings, view.may or ()
        asked = view.claim_on is not None and view.you == view.discard_by and may_claim(view)
        if settings.auto_counter and asked:
            kind = Dobon if holds(view) else Waive
            return kind(table=view.table, on=view.claim_on or 0)
        if not settings.auto_pass or view.act_on is None or view.phase != "turn" or "play" in may:
            return None
        if "draw" in may and view.attack is None:
            return Draw(table=view.table, on=view.act_on)
        return Pass(table=view.table, on=view.act_on) if "pass" in may else None

    def _view(self) -> View | None:
        table = self._app.model.table
        return None if table is None else table.view

    def _asked(self, word: str) -> View | None:
        """The view if the player may do this now and the screen showed so; else it is said why not."""
        app, view, seen, _ = self._app, self._view(), self._app.drawn, self._app.translate
        table = app.model.table
        if view is None or seen is None or table is None or table.held is not None:
            return None
        if view.may is None and is_played_for(view):
            self._send(Join(table=view.table, seat=view.you))
            return None
        if view.may is None:
            app.tell(_("It is not your turn."))
            return None
        if word not in view.may or view.act_on is None:
            words = {
                "play": _("Nothing fits."),
                "draw": _("You can't draw now."),
                "pass": _("You can't pass now."),
            }
            app.tell(words[word])
            return None
        return view if seen.act_on == view.act_on else None

    def _send(self, request: Request, alone: bool = False) -> None:
        self._app.attempt(lambda session: session.post(request, alone))


def missed(table: Table | None) -> int | None:
    """The card (its `on`) that the viewer could have claimed till its window was shut, in this round or the
    one just over; None once it is known, or asked, by how much they were late."""
    if table is None or table.late is not None or any(isinstance(each, Dobon) for each in table.pending):
        return None
    after = table.view
    for entry in reversed(table.log):
        if after.claim in ("claimed", "waived") or isinstance(entry.what, Played | RoundBegun):
            break
        if can_dobon(entry.view):
            return entry.view.claim_on
        after = entry.view
    return None


def unchanged(view: View, request: Request) -> bool:
    """Whether what a request answers still stands."""
    return getattr(request, "on", None) in (view.act_on, view.claim_on)
