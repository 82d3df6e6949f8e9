"""What went wrong between us and the server, as one sentence in the player's language.

The server's own `message` is English and for people, but a code says the same in every language.
"""

from __future__ import annotations

from typing import Final

from protocol.messages import VERSIONS, Error
from protocol.text import harmless

from .command import Exit
from .i18n import Translate, mark
from .notices import Away, Ended
from .phrases import run_on
from .pins import Doubt
from .rules_fields import refused_at_table
from .session import Broken, Refused, SessionFailed, Unreachable, Untrusted

SENTENCES: Final = {
    "bad_frame": mark("The server did not understand this client."),
    "frame_too_large": mark("That was too much at once."),
    "unknown_type": mark("The server does not know that request."),
    "bad_request": mark("The server can't do that ({field}): {message}."),
    "version": mark("The server speaks another version of the protocol ({versions}), this client {ours}."),
    "name_invalid": mark("The server does not take this name: letters and digits, 16 columns at most."),
    "name_taken": mark("Somebody on the server already has this name; choose another with --name."),
    "password": mark("The password is missing or wrong."),
    "server_full": mark("The server is full."),
    "token_unknown": mark("The server no longer knows this session."),
    "tls_required": mark("The server wants an encrypted connection."),
    "replaced": mark("You have joined from elsewhere; this connection is over."),
    "duplicate": mark("That was already decided; look at the table."),
    "rate": mark("Too many requests: that one was not done. Wait a second."),
    "slow": mark("The connection was too slow and was cut."),
    "shutdown": mark("The server shuts down."),
    "no_table": mark("There is no such table."),
    "not_at_table": mark("You are not at that table."),
    "table_full": mark("No seat is free at that table."),
    "seat_taken": mark("Somebody sits there."),
    "not_host": mark("Only the host may do that."),
    "not_now": mark("That can't be done now."),
    "stale": mark("Too late: the game has moved on."),
    "not_your_turn": mark("It is not your turn."),
    "not_in_hand": mark("You don't hold that card."),
    "does_not_fit": mark("That card does not fit."),
    "must_answer": mark("You hold a card that answers the attack and must play it."),
    "must_play": mark("You hold a card that fits and must play it."),
    "suit_needed": mark("Name a suit with that card: S, H, D or C."),
    "cannot_draw": mark("You can't draw now."),
    "cannot_pass": mark("You can't pass now."),
    "window_closed": mark("That card can no longer be claimed by you."),
    "too_late": mark("Too late by {lag}."),
    "not_eligible": mark("That is no Dobon: your hand does not make it."),
    "already_claimed": mark("You have claimed that card already."),
    "bad_rules": mark("Rules refused ({field}): {message}."),
    "kicked": mark("The host has removed you from the table."),
    "internal": mark("Something went wrong on the server."),
}
"""By the codes of protocol, section 7."""

EXPELLED: Final = mark("The host of the server has sent you away.")
"""For a `kicked` that is about no table, to who was in."""
BARRED: Final = mark("The host of the server does not let you in.")
"""For a `kicked` in place of a welcome."""

AWAY: Final = {
    "closed": mark("The connection is lost."),
    "silent": mark("The server does not answer any more."),
    "unreachable": mark("The server can't be reached."),
    "slow": SENTENCES["slow"],
    "shutdown": mark("The server restarts."),
    "server_full": SENTENCES["server_full"],
}


def refusal(error: Error, _: Translate) -> str:
    """What an error says; one with a code from the future shows the server's own words."""
    if error.code == "bad_rules" and (known := refused_at_table(error.field or "", _)) is not None:
        return known
    source = SENTENCES.get(error.code)
    if error.code == "kicked" and error.table is None:
        source = EXPELLED
    said = harmless(error.message).rstrip(".")
    if source is None:
        return said or harmless(error.code)
    return _(source).format(
        field=harmless(error.field or "?"),
        message=said,
        versions=", ".join(map(str, error.versions or ())),
        ours=", ".join(map(str, VERSIONS)),
        lag=f"{(error.by or 0) / 1000:.1f} ms",
    )


def away(notice: Away, _: Translate) -> str:
    """That the connection is lost, and when it is tried again."""
    said = _("{reason} Trying again in {seconds} s (attempt {attempt}).")
    return said.format(
        reason=_(AWAY[notice.why]), seconds=f"{notice.retry / 1000:.1f}", attempt=notice.attempt
    )


def ended(notice: Ended, _: Translate) -> str:
    """Why a session is over."""
    if notice.error is not None:
        return refusal(notice.error, _)
    if notice.broken is not None:
        return broken(notice.broken, _)
    return _("The connection is closed.")


def broken(reason: str, _: Translate) -> str:
    return _("That is no Dobon server, or a broken one: {reason}.").format(reason=harmless(reason))


def untrusted(doubt: Doubt, _: Translate) -> str:
    """That the server is not who it was, and what to do if that is as it should be."""
    if doubt.shown is None:
        said = _(
            "{address} was encrypted before and is not any more: somebody may be in between. "
            "If its host wants it so, remove its line from {file}."
        )
    else:
        said = _(
            "{address} shows the certificate {shown}, which is not the one known, {known}: "
            "somebody may be in between. If its host has made a new one, remove its line from {file}."
        )
    return said.format(address=doubt.address, known=doubt.known, shown=doubt.shown, file=doubt.file)


def new_server(fingerprint: str, _: Translate) -> str:
    """That a server's certificate is taken on trust, and how to do better."""
    said = _(
        "The certificate of this server is new here: {fingerprint}. Its host sees the same in the line "
        "“fingerprint”; if not, somebody is in between."
    )
    return said.format(fingerprint=fingerprint)


def new_server_briefly(fingerprint: str, _: Translate) -> str:
    """The same in one row of 80 columns, with 160 bits of the fingerprint."""
    return _("New server, certificate {fingerprint}…").format(fingerprint=fingerprint[:40])


def failure(problem: SessionFailed, where: str, _: Translate) -> tuple[str, int]:
    """Why there is no session with the server at `where`, and the exit code that goes with it."""
    match problem:
        case Unreachable():
            said = _("No server answers at {address}: {reason}.")
            return said.format(address=harmless(where), reason=harmless(_(str(problem)))), Exit.UNREACHABLE
        case Refused(error=error):
            said = _(BARRED) if error.code == "kicked" else refusal(error, _)
            return said, code_of(error)
        case Broken():
            return broken(str(problem), _), Exit.PROTOCOL
        case Untrusted(doubt=doubt):
            return untrusted(doubt, _), Exit.NOT_ALLOWED
        case _:
            return _("The connection is closed."), Exit.FAILURE


def last_word(problem: SessionFailed, where: str, _: Translate) -> tuple[str, int]:
    """The same for who is back at the shell, where a password is not asked for."""
    said, code = failure(problem, where, _)
    if isinstance(problem, Refused) and problem.error.code == "password":
        said = run_on(
            said, _("--password-file takes a file that it is in; “dobon” alone has a field for it.")
        )
    return said, code


def code_of(error: Error) -> int:
    """The exit code of a client that the server sent away so."""
    match error.code:
        case "version" | "bad_frame" | "frame_too_large" | "bad_request":
            return Exit.PROTOCOL
        case "password" | "tls_required" | "name_taken" | "name_invalid" | "kicked" | "replaced":
            return Exit.NOT_ALLOWED
        case _:
            return Exit.FAILURE
