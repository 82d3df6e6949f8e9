"""What is said of a server's refusals."""

from pathlib import Path

import pytest

from client.i18n import catalogue
from client.notices import Ended
from client.pins import Doubt
from client.refusals import ended, failure, new_server, new_server_briefly, refusal
from client.rules_fields import SETTINGS
from client.session import Broken, Refused, SessionFailed, Unreachable, Untrusted
from protocol.joincode import Address
from protocol.messages import Error
from protocol.text import columns
from server.settings import RANGES


def test_sent_away_does_not_read_like_a_ban() -> None:
    kicked = Error(code="kicked", message="")
    assert ended(Ended(kicked), str) == "The host of the server has sent you away."
    said, code = failure(Refused(kicked), "192.168.1.20", str)
    assert (said, code) == ("The host of the server does not let you in.", 77)


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ("turn_time", "Turn (turn_time) can be 2 s to 600 s."),
        ("claim_time", "Claims (claim_time) can be 1 s to 30 s, and no less than the grace."),
        ("bot_pace", "Bots (bot_pace) can be 0 % to 300 %."),
        ("hand", "There are not enough cards to deal so many to every seat."),
        ("first_card", "The turned-up card can't act on the starter where the opening is a race."),
        ("seats", "A table has 2 to 8 seats."),
    ],
)
def test_rules_that_a_table_refuses_are_refused_in_the_players_words(field: str, said: str) -> None:
    error = Error(code="bad_rules", message=f"{field}: expected something else", field=field)
    assert refusal(error, str) == said
    assert "expected" not in refusal(error, catalogue("ja").gettext)


def test_settings_are_known_here_as_the_server_has_them() -> None:
    assert {name: (each.least, each.most) for name, each in SETTINGS.items()} == RANGES


def test_rules_that_nobody_here_knows_are_refused_in_the_servers_words() -> None:
    error = Error(code="bad_rules", message="wind: expected a storm", field="wind")
    assert refusal(error, str) == "Rules refused (wind): wind: expected a storm."


KNOWN, SHOWN = "a1" * 32, "b2" * 32
SOMEWHERE = Address("192.0.2.7", 5213)


@pytest.mark.parametrize(
    ("problem", "said", "code"),
    [
        (Unreachable("nothing listens there"), "No server answers at here: nothing listens there.", 69),
        (Broken("it said \x1b[2J"), "That is no Dobon server, or a broken one: it said ^[[2J.", 76),
        (
            Untrusted(Doubt(SOMEWHERE, KNOWN, None, Path("servers"))),
            "192.0.2.7:5213 was encrypted before and is not any more: somebody may be in between. "
            "If its host wants it so, remove its line from servers.",
            77,
        ),
        (
            Untrusted(Doubt(SOMEWHERE, KNOWN, SHOWN, Path("servers"))),
            f"192.0.2.7:5213 shows the certificate {SHOWN}, which is not the one known, {KNOWN}: "
            "somebody may be in between. If its host has made a new one, remove its line from servers.",
            77,
        ),
        (SessionFailed(), "The connection is closed.", 1),
    ],
    ids=lambda each: type(each).__name__,
)
def test_why_there_is_no_session(problem: SessionFailed, said: str, code: int) -> None:
    assert failure(problem, "here", str) == (said, code)
    japanese, _code = failure(problem, "here", catalogue("ja").gettext)
    assert japanese != said


def test_a_new_certificate_is_shown_whole_or_in_one_row() -> None:
    assert SHOWN in new_server(SHOWN, str)
    for translate in (str, catalogue("ja").gettext):
        brief = new_server_briefly(SHOWN, translate)
        assert SHOWN[:40] in brief
        assert columns(brief) <= 78
