"""What is said of a server's refusals."""

import pytest

from client.i18n import catalogue
from client.notices import Ended
from client.refusals import ended, failure, refusal
from client.rules_fields import SETTINGS
from client.session import Refused
from protocol.messages import Error
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
