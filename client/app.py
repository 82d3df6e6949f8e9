"""The full-screen client: it holds what is shown, turns keys into requests and messages into pictures."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from protocol.connection import Answer
from protocol.messages import Error, Leave, Request, Tables, View, Welcome
from protocol.trouble import system_reason

from . import keys
from .application import FullScreen
from .bindings import bindings
from .control import Screenful
from .deeds import Deeds, Wish
from .game import Game, unchanged
from .glyphs import Glyphs, again
from .i18n import Translate, catalogue, language
from .model import Model, update, without
from .notices import Message
from .screen.canvas import Frame
from .screen.draw import draw, text_lines
from .screen.follow import asked_for, followed, rings
from .screen.middle import highlight_ms
from .screen.scene import Page, Scene, Size, Typing, Ui
from .settings import BadSettings, Settings, save

if TYPE_CHECKING:
    from .session import Session

UNEVEN: Final = (0.6, 1.9)
"""Seconds after which something is done by itself; not always the same, or it would tell what is held."""


class App:
    """One screen. `errand` is what trio does meanwhile: it gets the app and feeds it."""

    def __init__(
        self,
        settings: Settings,
        glyphs: Glyphs,
        errand: Callable[[App], Awaitable[None]],
        *,
        connected: bool,
        translate: Translate,
        keep: Callable[[dict[str, Any]], None] = save,
    ) -> None:
        self.settings, self.glyphs, self.translate = settings, glyphs, translate
        self._first_glyphs = glyphs
        self.model, self.ui, self.connected = Model(name=settings.name), Ui(), connected
        self.session: Session | None = None
        self.ping: int | None = None
        self.pressed = ""
        self.drawn: View | None = None
        """The view of the table as it stands on the screen."""
        self.farewell = ""
        """What is said once the screen is gone."""
        self.wish: Callable[[Wish], None] | None = None
        """Where the start screen's wishes go; None where the app was started for one server."""
        self._early_wish: Wish | None = None
        self.game, self.deeds = Game(self), Deeds(self)
        self._errand, self._keep = errand, keep
        self._wake: asyncio.TimerHandle | None = None
        self._screenful = Screenful(self._picture, self._clicked, self._is_secret)
        self.application = self._application()

    # What is shown.

    def scene(self) -> Scene:
        return Scene(
            self.model,
            self.ui,
            self.settings,
            self.glyphs,
            self.translate,
            _now(),
            self.ping,
            self.connected,
            tuple(keys.help_keys(self.translate)) if self.ui.page and self.ui.page.page == "help" else (),
        )

    def size(self) -> Size:
        size = self.application.output.get_size()
        return Size(size.columns, size.rows)

    def show(self, ui: Ui) -> None:
        self.ui = ui
        self.application.invalidate()

    def change(self, **changes: Any) -> None:
        self.show(replace(self.ui, **changes))

    def tell(self, text: str) -> None:
        """A sentence about what was just tried; it stays till the next key."""
        self.change(told=text)

    def open(self, page: Page, about: str = "") -> None:
        self.show(self.ui.opened(page, about))

    def close_page(self) -> None:
        if self.ui.pages:
            self.show(self.ui.closed())
        elif self.connected and self.model.table is not None:
            self.open("menu")

    def scroll(self, step: int) -> None:
        """Moves a page of text; the log from its end."""
        page = self.ui.page
        if page is None:
            return
        size = self.size()
        lines = len(text_lines(self.scene(), page, min(size.width - 4, 100)))
        rows = max(1, size.height - 4)
        step = -step if page.page == "log" else step
        top = max(0, min(lines - rows, page.top + step))
        self.show(self.ui.at(page.row, top))

    # Text.

    def type(self, key: str, secret: bool = False) -> None:
        """Opens the text field for this."""
        self.change(typing=Typing(key, secret or key.endswith("password")))
        self._screenful.begin_typing(self.deeds.text_for(key))

    def _typed(self) -> None:
        typing = self.ui.typing
        if typing is None:
            return
        problem = self.deeds.typed(typing.key, self._screenful.buffer.text)
        if problem is not None:
            self.tell(problem)
            return
        self._end_typing()

    def _end_typing(self) -> None:
        self._screenful.end_typing()
        self.change(typing=None)

    def _is_secret(self) -> bool:
        return self.ui.typing is not None and self.ui.typing.secret

    # What came.

    def feed(self, message: Message) -> None:
        """A message of the session; called by the errand, in the same thread as everything else."""
        before = self.model.table
        self.model = update(self.model, message, _now())
        if isinstance(message, Welcome):
            self.ui = replace(self.ui, told="")
        if isinstance(message, Answer) and isinstance(message.reply, Error):
            self._refused(message.request, message.reply)
        after = self.model.table
        if after is not None:
            self._arranged(None if before is None else before.view, after.view)
        self.application.invalidate()

    def _refused(self, request: Request, error: Error) -> None:
        if error.code == "too_late" and self.model.table is not None and self.model.table.late is not None:
            self.application.invalidate()
            return
        from .refusals import refusal

        self.ui = replace(self.ui, told=refusal(error, self.translate))

    def _arranged(self, before: View | None, view: View) -> None:
        """What follows from a change at the table: the chosen card, the bell, what is done by itself."""
        self.ui = followed(self.ui, before, view, self.settings.sort, _now())
        if self.settings.bell and view.you is not None and rings(before, view):
            self.application.output.bell()
        if before is None or asked_for(before) != asked_for(view):
            self._do_by_itself(view)

    def _do_by_itself(self, view: View) -> None:
        loop, request = self.application.loop, self.game.by_itself(view)
        if loop is None or request is None:
            return

        def do() -> None:
            table = self.model.table
            if table is not None and table.id == view.table and unchanged(table.view, request):
                self.post(request)

        loop.call_later(random.uniform(*UNEVEN), do)

    # What goes.

    def attempt(self, ask: Callable[[Session], object]) -> None:
        """Asks something of the session; without a connection nothing is ever sent of it."""
        _ = self.translate
        said = _("There is no connection: that was not sent.")
        if self.session is None:
            self.tell(said)
            return
        from .session import NotConnected, Over, Unsayable  # there is a session: trio is imported by now

        try:
            ask(self.session)
        except (NotConnected, Over):
            self.tell(said)
        except Unsayable:
            self.tell(_("That can't be said."))

    def post(self, request: Request) -> None:
        self.attempt(lambda session: session.post(request))

    def leave_table(self) -> None:
        table = self.model.table
        self.ui = replace(self.ui, pages=(), on_buttons=False, row=0)
        if table is not None and table.closed is None:
            self.post(Leave(table=table.id))
        elif table is not None:
            self.model = without(self.model, table.id)
        self.post(Tables())
        self.application.invalidate()

    def want(self, wish: Wish) -> None:
        """Says to the errand what the player wants of it, as soon as it listens."""
        if self.wish is not None:
            self.wish(wish)
        else:
            self._early_wish = wish

    def listens(self, wish: Callable[[Wish], None]) -> None:
        """The errand takes wishes from now on; one that came before it was there, too."""
        self.wish, early = wish, self._early_wish
        if early is not None:
            wish(early)

    def leave_server(self) -> None:
        """Back to where the player came from: the start screen, or the shell."""
        if self.connected and self.wish is not None:
            self.want(Wish("leave"))
        else:
            self.quit(0)

    def connects(self) -> None:
        """A server was chosen; its session is being opened."""
        self.connected = True
        self.model = Model(name=self.settings.name)
        self.show(replace(self.ui, pages=(), row=0, told=""))

    def begins(self, session: Session, name: str) -> None:
        """The session is there."""
        self.session = session
        self.model = Model(name=name)

    def pinged(self, ms: int) -> None:
        if ms != self.ping:
            self.ping = ms
            self.application.invalidate()

    def starts_over(self, told: str = "") -> None:
        """The session is gone: the start screen again."""
        self._end_typing()
        self.session, self.ping, self.connected = None, None, False
        self.model = Model(name=self.settings.name)
        self.show(replace(self.ui, pages=(), row=0, told=told, card=None))

    def set_setting(self, field: str, value: Any) -> None:
        """Changes a setting, and keeps it."""
        self.settings = replace(self.settings, **{field: value})
        if field == "language":
            self.translate = catalogue(language(None, {}, lambda: str(value))).gettext
        if field == "glyphs":
            self.glyphs = again(value, self._first_glyphs)
        _ = self.translate
        try:
            self._keep({field: value})
        except BadSettings as problem:
            self.tell(problem.sentence(self.translate))
        except OSError as error:
            self.tell(_("The setting could not be kept: {reason}.").format(reason=system_reason(error, _)))
        self.application.invalidate()

    # Keys.

    def press(self, key: str) -> None:
        """A key, named as prompt-toolkit names it; what it does depends on where the player is."""
        self.pressed = key
        leaving = self.ui.asks_to_leave
        if self.ui.told or (leaving and key not in ("c-c", "<sigint>")):
            self.ui = replace(self.ui, told="", asks_to_leave=False)
            self.application.invalidate()
        handler = keys.KEYS[self._place()].get(key) or keys.KEYS["any"].get(key)
        if handler is not None:
            handler(self)

    def _place(self) -> keys.Place:
        page, table = self.ui.page, self.model.table
        if page is not None:
            match page.page:
                case "suit" | "throw":
                    return page.page
                case "help" | "rules" | "log" | "statistics":
                    return "text"
                case _:
                    return "list"
        playing = self.connected and table is not None and table.view.phase != "open"
        return "table" if playing else "list"

    def interrupt(self) -> None:
        if self.ui.asks_to_leave:
            self.quit(130)
        else:
            self.change(asks_to_leave=True)

    def suspend(self) -> None:
        self.application.suspend()

    def repaint(self) -> None:
        self.application.repaint()

    def quit(self, code: int) -> None:
        future = self.application.future
        if future is not None and not future.done():
            self.application.exit(result=code)

    def _clicked(self, name: str) -> None:
        what, _colon, about = name.partition(":")
        match what:
            case "card":
                if self.ui.card == about:
                    self.game.play()
                else:
                    self.change(card=about, on_buttons=False)
            case "button":
                keys.button(self, about)
            case "row":
                self.deeds.go(int(about))
                self.deeds.act()
            case "choose":
                self.game.chosen(int(about))
            case _:
                pass

    # The application.

    async def run_errand(self) -> None:
        """What trio runs."""
        await self._errand(self)

    def _picture(self, size: Size) -> Frame:
        frame = draw(self.scene(), size)
        table = self.model.table
        self.drawn = None if table is None else table.view
        if self._wake is not None:
            self._wake.cancel()
            self._wake = None
        if (loop := self.application.loop) is not None:
            if self.ui.typing is not None and frame.field is None:  # its line is gone, with it the field
                loop.call_soon(self._end_typing)
            if (wake := self._next_wake(frame)) is not None:
                self._wake = loop.call_later(wake / 1000, self.application.invalidate)
        return frame

    def _next_wake(self, frame: Frame) -> int | None:
        """When the next picture is due: a moving bar, or the end of a highlight."""
        ends = [began + highlight_ms(self.scene()) - _now() for began in self.ui.started.values()]
        due = [end for end in ends if end > 0]
        return min([*due, frame.wake] if frame.wake is not None else due, default=None)

    def _application(self) -> FullScreen:
        return FullScreen(
            self._screenful.layout,
            bindings(self.press, self._screenful, self._typed, self._end_typing),
            lambda: self.settings.mouse,
        )


def _now() -> int:
    """The local clock of the model, in ms."""
    return time.monotonic_ns() // 1_000_000
