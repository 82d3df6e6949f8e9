"""Where a server keeps what it has to keep."""

from __future__ import annotations

from pathlib import Path
from typing import Final

ADMIN_SOCKET: Final = "admin.sock"
"""Where `dobon admin` knocks."""


def kept_at(data: str | None) -> Path:
    """The folder that data is kept in: the one given, or the user's own."""
    if data is not None:
        return Path(data)
    from platformdirs import user_data_path

    return user_data_path("dobon")
