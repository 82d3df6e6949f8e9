"""The replay on a full screen: glyphs, the app, and what is left of it at the end."""

from __future__ import annotations

import sys

from . import guest
from .command import Exit
from .fault import own_fault
from .film import Film
from .glyphs import chosen, suit_columns
from .i18n import Translate
from .replay_app import ReplayApp
from .settings import Settings


def run(film: Film, settings: Settings, _: Translate) -> int:
    """Show it until the viewer leaves; returns the exit code."""
    app = ReplayApp(film, settings, chosen(settings.glyphs, suit_columns), _)

    async def nothing() -> None:
        import trio

        await trio.sleep_forever()

    try:
        code = guest.run(app.application, nothing)
    except KeyboardInterrupt:
        code = Exit.INTERRUPTED
    except Exception as fault:
        sys.stderr.write(own_fault(fault, _) + "\n")
        code = Exit.FAILURE
    return code
