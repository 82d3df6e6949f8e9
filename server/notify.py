"""Tells systemd, where it started us, how things stand (sd_notify); else does nothing."""

from __future__ import annotations

import contextlib
import os
import socket


def notify(state: str) -> None:
    """Send a state such as `READY=1`. Never raises: the service manager sees to itself."""
    path = os.environ.get("NOTIFY_SOCKET", "")
    if path[:1] not in ("/", "@"):
        return
    address = "\0" + path[1:] if path[0] == "@" else path
    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
        sock.connect(address)
        sock.sendall(state.encode())
