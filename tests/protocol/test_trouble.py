"""What the operating system says, in words."""

from __future__ import annotations

import errno
import os

import pytest

from client.i18n import catalogue
from protocol.trouble import system_reason

COMMON = (
    *(errno.ENOENT, errno.EACCES, errno.EPERM, errno.EISDIR, errno.ENOTDIR, errno.ENOSPC, errno.EROFS),
    *(errno.EMFILE, errno.EADDRINUSE, errno.EADDRNOTAVAIL, errno.ECONNREFUSED, errno.ECONNRESET),
    *(errno.ETIMEDOUT, errno.EHOSTUNREACH, errno.ENETUNREACH, errno.ENODEV),
)


def fails(number: int) -> OSError:
    return OSError(number, os.strerror(number), "/somewhere")


@pytest.mark.parametrize("number", COMMON, ids=errno.errorcode.get)
def test_what_is_common_is_said_in_the_readers_language(number: int) -> None:
    japanese = catalogue("ja").gettext
    english = system_reason(fails(number))
    said = system_reason(fails(number), japanese)
    assert os.strerror(number) not in english
    assert not any(letter.isascii() and letter.isalpha() for letter in said)
    assert japanese(english) == said, "what was told without a language can be translated later"


def test_what_is_rare_keeps_its_number() -> None:
    japanese = catalogue("ja").gettext
    assert system_reason(fails(errno.ENOTTY), japanese) == f"{os.strerror(errno.ENOTTY)} ({errno.ENOTTY})"
    assert system_reason(OSError(4711, None)) == "OSError (4711)"


def test_what_has_no_number_says_what_it_can() -> None:
    japanese = catalogue("ja").gettext
    assert system_reason(TimeoutError("no answer"), japanese) == "応答がありません"
    assert system_reason(TimeoutError()) == "TimeoutError"
    assert system_reason(OSError("of its own")) == "of its own"
