"""Why the operating system has not done something, in words: for both ends, and in the reader's language."""

from __future__ import annotations

import errno
from collections.abc import Callable

Translate = Callable[[str], str]
"""Says a sentence in the reader's language."""


def system_reason(error: OSError, _: Translate = str) -> str:
    """Part of a sentence, after a colon or in brackets. What is told without `_` can be translated later; an
    error that has no words here keeps the system's own, with its number."""
    cut, full, far = _("connection closed"), _("too many files are open"), _("that machine can't be reached")
    forbidden = _("permission denied")
    words = {
        errno.ENOENT: _("there is no such file or folder"),
        errno.EACCES: forbidden,
        errno.EPERM: forbidden,
        errno.EISDIR: _("it is a folder"),
        errno.ENOTDIR: _("what should be a folder is a file"),
        errno.EEXIST: _("there is such a file already"),
        errno.ENAMETOOLONG: _("the name is too long"),
        errno.ENOSPC: _("no room is left on the disk"),
        errno.EDQUOT: _("the share of the disk is used up"),
        errno.EROFS: _("the disk can only be read"),
        errno.EIO: _("the device can't be read or written"),
        errno.EMFILE: full,
        errno.ENFILE: full,
        errno.ENOMEM: _("there is not enough memory"),
        errno.EADDRINUSE: _("it is in use already"),
        errno.EADDRNOTAVAIL: _("this machine has no such address"),
        errno.EAFNOSUPPORT: _("this machine has no such kind of address"),
        errno.ENODEV: _("there is no such device"),
        errno.ECONNREFUSED: _("nothing listens there"),
        errno.ECONNRESET: cut,
        errno.ECONNABORTED: cut,
        errno.EPIPE: cut,
        errno.ETIMEDOUT: _("no answer"),
        errno.EHOSTUNREACH: far,
        errno.EHOSTDOWN: far,
        errno.ENETUNREACH: _("no network leads there"),
        errno.ENETDOWN: _("the network is down"),
    }
    if error.errno is None:
        return _(str(error)) if str(error) else type(error).__name__
    return words.get(error.errno) or f"{error.strerror or type(error).__name__} ({error.errno})"
