"""What is said when a fault of our own ends the client."""

from __future__ import annotations

import traceback
from pathlib import Path

from .i18n import Translate
from .tokens import state_path


def own_fault(fault: BaseException, _: Translate) -> str:
    """One sentence for the player; the traceback goes to a file that it names."""
    path, cause = state_path() / "fault.txt", fault
    while isinstance(cause, BaseExceptionGroup):  # of one or several tasks: the first will do
        cause = cause.exceptions[0]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(traceback.format_exception(fault)), "utf-8")
    except OSError:
        path = Path("-")
    said = _("Dobon had to end, and the fault is its own ({fault}); details are in {path}.")
    return said.format(fault=type(cause).__name__, path=path)
