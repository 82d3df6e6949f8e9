"""What is said of a server's refusals."""

from client.notices import Ended
from client.refusals import ended, failure
from client.session import Refused
from protocol.messages import Error


def test_sent_away_does_not_read_like_a_ban() -> None:
    kicked = Error(code="kicked", message="")
    assert ended(Ended(kicked), str) == "The host of the server has sent you away."
    said, code = failure(Refused(kicked), "192.168.1.20", str)
    assert (said, code) == ("The host of the server does not let you in.", 77)
