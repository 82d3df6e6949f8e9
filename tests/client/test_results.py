"""What the end of a round leaves on the screen: of its deal, and of who has left since."""

from __future__ import annotations

import gettext
from typing import Any

from client.glyphs import ASCII
from client.model import Model, update
from client.phrases import Speaker
from client.plain_lines import look
from client.screen.draw import draw
from client.screen.results import verdict
from client.screen.scene import Size
from tests.client.screens import NAMES, NOW, event, idle, model, over, said, scene, seats
from tests.client.states import finished, match_over
from tests.client.terminals import text_of

LAST = {**over(), "deadline": None, "commit": None}
LEFT: dict[str, Any] = {"seat2": {"kind": "empty", "name": None, "status": None}}


def shown(found: Model) -> str:
    return "\n".join(text_of(draw(scene(found), Size(80, 24))))


def told(found: Model) -> str:
    """What the screen says of the deal."""
    table = found.table
    assert table is not None
    return verdict(scene(found), table)[1]


def resumed(found: Model, **changes: object) -> Model:
    """After a cut connection: what happened meanwhile is in the view alone."""
    return update(found, idle("over", round=None, seq=60, last_round=LAST, ranking=[], **changes), NOW)


def test_a_deal_whose_end_was_not_seen_is_not_being_checked() -> None:
    for before in (model(), model(idle("between", last_round=None))):
        found = resumed(before)
        assert "was not checked" in told(found)
        assert "being checked" not in shown(found)


def test_what_was_checked_stays_so_over_a_resume() -> None:
    found = resumed(match_over())
    assert told(found).startswith("The deal was checked")


def test_the_deal_of_another_round_is_not_meant() -> None:
    """The last round came to its end while the connection was cut; the one before it had been checked."""
    found = update(
        finished(),
        idle("over", round=None, seq=90, last_round={**LAST, "points": [1, 2, 3, 4]}, ranking=[]),
        NOW,
    )
    assert "was not checked" in told(found)


def test_a_deal_is_being_checked_till_it_is_known_what_came_of_it() -> None:
    found = update(finished(), event("round_over", 70, **over()), NOW)
    assert "being checked" in told(found)


def test_everybody_sees_the_order_of_the_claims_and_by_how_much_each_was_late() -> None:
    claims = ("Sora was first", f"{NAMES[2]} 37.2 ms later", "Ken 80.4 ms later")
    for you in (0, 1, 2, None):
        found = model(idle("between", you=you, last_round=LAST))
        assert all(claim in shown(found) for claim in claims)
        lines = look(found.tables[3], found, Speaker(str, ASCII))
        assert f"    {', '.join(claims)}" in lines[lines.index("  The last round:") :]


def test_an_only_claim_was_the_first() -> None:
    last = {**LAST, "claims": LAST["claims"][:1]}
    assert "Sora was first" in shown(model(idle("between", last_round=last)))


def test_who_left_after_the_match_is_named_in_its_results() -> None:
    left = event("seat", 53, seat=2, name=None, kind="empty")
    newcomer = event("seat", 54, seat=2, name="Newcomer", kind="human", status="online")
    found = match_over()
    for message in (left, newcomer):
        found = update(found, message, NOW)
        results = shown(found).split("At this table")[0]
        assert NAMES[2] in results
        assert "seat 3" not in results
        table = found.table
        assert table is not None
        lines = look(table, found, Speaker(gettext.NullTranslations().gettext, ASCII))
        assert any(NAMES[2] in line for line in lines[lines.index("  The last round:") :])


def test_who_left_is_named_after_a_resume() -> None:
    for before in (match_over(), model(idle("between", last_round=None))):
        found = resumed(before, seats=seats(**LEFT))
        assert NAMES[2] in shown(found).split("At this table")[0]


def test_whoever_comes_later_can_not_know_the_name() -> None:
    assert "seat 3" in shown(resumed(model(), seats=seats(**LEFT)))


def test_the_next_match_begins_with_nobody_of_the_last() -> None:
    who = [{"name": name, "kind": "human"} for name in ("Haru", "Sora", "Newcomer", "Ken")]
    view = scene(model(idle("over"))).model.table
    assert view is not None
    begun = {"rules": view.view.rules, "settings": {}, "commit": bytes(32), "deadline": None}
    found = update(
        match_over(), said(t="event", table=3, seq=54, at=NOW, ev="match", match=2, seats=who, **begun), NOW
    )
    assert found.table is not None
    assert found.table.players == ()
