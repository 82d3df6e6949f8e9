"""The error codes of the protocol (section 7) and the two kinds of fault of a peer that carry one."""

from typing import Literal, get_args

ErrorCode = Literal[
    "bad_frame",
    "frame_too_large",
    "unknown_type",
    "bad_request",
    "version",
    "name_invalid",
    "name_taken",
    "password",
    "server_full",
    "token_unknown",
    "tls_required",
    "replaced",
    "duplicate",
    "rate",
    "slow",
    "shutdown",
    "no_table",
    "not_at_table",
    "table_full",
    "seat_taken",
    "not_host",
    "not_now",
    "stale",
    "not_your_turn",
    "not_in_hand",
    "does_not_fit",
    "must_answer",
    "must_play",
    "suit_needed",
    "cannot_draw",
    "cannot_pass",
    "window_closed",
    "too_late",
    "not_eligible",
    "already_claimed",
    "bad_rules",
    "kicked",
    "internal",
]

CODES: frozenset[str] = frozenset(get_args(ErrorCode))


class FrameError(Exception):
    """The bytes of a peer break section 1: one `error` without `re`, then the connection closes."""

    def __init__(self, code: Literal["bad_frame", "frame_too_large"], message: str) -> None:
        super().__init__(message)
        self.code: Literal["bad_frame", "frame_too_large"] = code
        self.message = message


class RequestError(Exception):
    """A well-formed frame that is no valid request: it is answered, and the connection goes on.

    `field` names the offending field where there is one; `re` is the request's id where that
    could be read (an answer without it goes out without `re`).
    """

    def __init__(
        self,
        code: ErrorCode,
        message: str,
        field: str | None = None,
        re: int | None = None,
    ) -> None:
        super().__init__(message)
        self.code: ErrorCode = code
        self.message = message
        self.field = field
        self.re = re
