"""Tables and who may do what at them (protocol, section 3, Lobby)."""

from __future__ import annotations

from typing import Any

import pytest
import trio

from server.lobby import listing_of

from .world import Caller, arrange, begin, world


async def codes(caller: Caller, *requests: tuple[str, dict[str, Any]]) -> list[str | None]:
    return [(await caller.ask(t, **fields)).get("code") for t, fields in requests]


async def test_a_table_is_made_and_listed(autojump_clock: trio.testing.MockClock) -> None:
    async with world() as server:
        a = await server.hello("Aki")
        made = await a.ask("create", rules={"preset": "pageone", "jokers": 1}, bots=["easy", "hard"])
        assert (made["table"], made["seat"]) == (1, 0)
        view = await a.next(t="view")
        assert (view["seq"], view["you"], view["phase"], view["host"]) == (
            0,
            0,
            "open",
            {"seat": 0, "name": "Aki"},
        )
        assert view["rules"]["jokers"] == 1
        assert view["seats"][1]["reaction"] == [1200, 3000]
        (listed,) = (await a.ask("tables"))["tables"]
        assert listed["preset"] == "pageone"
        assert [seat["kind"] for seat in listed["seats"]] == ["human", "bot", "bot", "empty"]
        assert (listed["name"], listed["phase"], listed["spectators"], listed["password"]) == (
            "Aki",
            "open",
            0,
            False,
        )


async def test_the_list_is_always_true_and_kept_once_for_all(autojump_clock: trio.testing.MockClock) -> None:
    async with world() as server:
        a, b = await server.hello("Aki"), await server.hello("Ben")
        a.table = b.table = (await a.ask("create", seats=3, rules={"rounds": 1}))["table"]
        await b.ask("create", bots=["hard"])
        steps: list[tuple[Caller, str, dict[str, Any]]] = [
            (b, "watch", {}),
            (b, "join", {"seat": 2}),
            (a, "chat", {"text": "nothing that is listed"}),
            (a, "bot", {"seat": 1, "level": "easy"}),
            (a, "rules", {"rules": {"preset": "pageone"}}),
            (a, "rules", {"settings": {"bot_pace": 0}}),
            (a, "start", {}),
            (b, "leave", {}),
            (a, "leave", {}),
            (b, "watch", {}),
        ]
        listed: list[list[dict[str, Any]]] = []
        for caller, request, fields in [*steps, (b, "sync", {}), (b, "sync", {})]:
            assert (await caller.ask(request, **fields))["t"] == "ok", request
            await trio.sleep(30)
            for asking in (a, b):
                tables = (await asking.ask("tables"))["tables"]
                assert tables == [listing_of(table) for table in server.core.lobby.tables.values()]
            answers = [session.requests.answer for session in server.core.visitors.sessions]
            listed += [list(answer["tables"]) for answer in answers if answer is not None]
        # Each session keeps its last answer; what has not changed is one and the same for all of them.
        assert len({id(table) for tables in listed for table in tables if table["table"] == 2}) == 1
        assert (
            len({id(table) for tables in listed for table in tables if table["table"] == 1}) < len(listed) / 2
        )


@pytest.mark.parametrize(
    ("fields", "code", "field"),
    [
        ({"rules": {"jokers": 3}}, "bad_rules", "jokers"),
        ({"rules": {"no": 1}}, "bad_rules", "no"),
        ({"rules": {"hand": True}}, "bad_rules", "hand"),
        ({"seats": 9}, "bad_rules", "seats"),
        ({"seats": 1}, "bad_rules", "seats"),
        ({"seats": 8, "rules": {"hand": 7}}, "bad_rules", "hand"),
        ({"settings": {"grace": 10_001}}, "bad_rules", "grace"),
        ({"settings": {"grace": 5000}}, "bad_rules", "claim_time"),
        ({"settings": {"speed": 1}}, "bad_rules", "speed"),
        ({"bots": ["easy"] * 4}, "bad_request", "bots"),
        ({"bots": ["best"]}, "bad_request", "bots"),
        ({"name": "\x00"}, "bad_request", "name"),
        ({"seats": 2.0}, None, None),
    ],
)
async def test_a_table_that_can_not_be_had(
    fields: dict[str, Any], code: str | None, field: str | None, autojump_clock: trio.testing.MockClock
) -> None:
    async with world() as server:
        a = await server.hello("Aki")
        if code is None:
            a.request("create", **fields)
            assert (await a.next(t="error"))["code"] == "bad_frame"
            return
        error = await a.ask("create", **fields)
        assert (error["code"], error["field"]) == (code, field)
        assert (await a.ask("tables"))["tables"] == []


async def test_joining_moving_watching(autojump_clock: trio.testing.MockClock) -> None:
    async with world() as server:
        a, b = await server.table(["A", "B"], seats=4)
        assert (await b.ask("join", seat=3))["seat"] == 3
        moved = [(e["seat"], e["kind"]) for e in (await a.event("seat"), await a.event("seat"))]
        moved.append((lambda e: (e["seat"], e["kind"]))(await a.event("seat")))
        assert moved == [(1, "human"), (1, "empty"), (3, "human")]
        assert (await b.ask("join", seat=0))["code"] == "seat_taken"
        assert (await b.ask("join", seat=5))["code"] == "bad_request"
        for _ in range(10):
            b.request("join")
        assert [(await b.next(t="ok"))["seat"] for _ in range(10)] == [3] * 10
        assert (await b.ask("watch"))["t"] == "ok"
        assert (await b.next(t="view", you=None))["spectators"] == ["B"]
        assert (await a.event("spectator"))["here"] is True
        assert (await b.ask("join", seat=1))["seat"] == 1
        assert (await a.event("spectator"))["here"] is False
        c = await server.watcher("C", a.table)
        assert (await c.ask("play", on=1, card="AS"))["code"] == "not_at_table"
        assert (
            await codes(c, ("start", {}), ("kick", {"seat": 0}), ("pause", {"on": True})) == ["not_host"] * 3
        )
        d = await server.hello("D")
        d.table = a.table
        nobody = await codes(d, ("chat", {"text": "x"}), ("leave", {}), ("sync", {}), ("draw", {"on": 1}))
        assert nobody == ["not_at_table"] * 4
        d.table = 99
        assert await codes(d, ("join", {}), ("watch", {}), ("draw", {"on": 1})) == ["no_table"] * 3


async def test_the_last_seat_goes_to_one(autojump_clock: trio.testing.MockClock) -> None:
    async with world() as server:
        (a,) = await server.table(["A"], seats=2)
        others = [await server.hello(f"P{i}") for i in range(20)]
        for other in others:
            other.table = a.table
            other.request("join")
        answers = [await other.next(re=1) for other in others]
        assert [answer.get("code") for answer in answers].count("table_full") == 19


async def test_a_table_with_a_password(autojump_clock: trio.testing.MockClock) -> None:
    async with world() as server:
        (a,) = await server.table(["A"], seats=2, password="sesame")
        b = await server.hello("B")
        b.table = a.table
        assert (await b.ask("join"))["code"] == "password"
        assert (await b.ask("watch", password="x"))["code"] == "password"
        assert (await b.ask("join", password="sesame"))["seat"] == 1


async def test_the_host_changes_rules_and_seats(autojump_clock: trio.testing.MockClock) -> None:
    async with world() as server:
        a, b = await server.table(["A", "B"], seats=4)
        done = await a.ask("rules", rules={"preset": "pageone", "hand": 6}, settings={"grace": 500})
        assert (done["rules"]["hand"], done["rules"]["claims"], done["settings"]["grace"]) == (6, "last", 500)
        assert (await b.event("rules"))["rules"] == done["rules"]
        assert (await a.ask("rules", rules={"hand": 9}))["field"] == "hand"
        assert (await a.ask("bot", seat=2, level="normal"))["t"] == "ok"
        assert (await b.event("seat", seat=2))["level"] == "normal"
        assert (await a.ask("bot", seat=1, level="easy"))["code"] == "seat_taken"
        assert (await a.ask("bot", seat=2, level=None))["t"] == "ok"
        error = await a.ask("start")
        assert (error["code"], error["field"]) == ("bad_request", "fill")
        assert (await a.ask("kick", seat=1))["t"] == "ok"
        kicked = await b.next(t="error")
        assert (kicked["code"], kicked["table"]) == ("kicked", a.table)
        assert (await b.ask("join"))["seat"] == 1
        assert (await a.ask("start", fill="hard"))["t"] == "ok"
        match = await a.event("match")
        assert [seat["kind"] for seat in match["seats"]] == ["human", "human", "bot", "bot"]
        assert (
            await codes(
                a,
                ("start", {}),
                ("rules", {"rules": {"hand": 5}}),
                ("bot", {"seat": 2, "level": None}),
                ("kick", {"seat": 1}),
            )
            == ["not_now"] * 4
        )


async def test_what_the_host_asks_of_a_seat_that_it_does_not_fit(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async with world() as server:
        a, _b = await server.table(["A", "B"], seats=4)
        await a.ask("bot", seat=2, level="easy")
        wrong: list[tuple[str, dict[str, Any]]] = [
            ("bot", {"seat": 7, "level": "easy"}),
            ("kick", {"seat": 7}),
            ("kick", {"seat": 3}),
            ("kick", {"seat": 0}),
        ]
        for t, fields in wrong:
            error = await a.ask(t, **fields)
            assert (error["code"], error["field"]) == ("bad_request", "seat")
        assert (await a.ask("kick", seat=2))["t"] == "ok"
        assert (await a.event("seat", seat=2, kind="empty"))["name"] is None


async def test_nobody_is_at_more_than_sixteen_tables(autojump_clock: trio.testing.MockClock) -> None:
    async with world() as server:
        a, b = await server.hello("A"), await server.hello("B")
        b.table = (await b.ask("create"))["table"]
        for _ in range(16):
            a.table = (await a.ask("create"))["table"]
        one, a.table = a.table, b.table
        await trio.sleep(2)
        assert await codes(a, ("create", {}), ("join", {}), ("watch", {})) == ["not_now"] * 3
        a.table = one
        assert (await a.ask("leave"))["t"] == "ok"
        a.table = b.table
        assert (await a.ask("watch"))["t"] == "ok"


async def test_nothing_can_be_played_before_a_match(autojump_clock: trio.testing.MockClock) -> None:
    async with world() as server:
        a, _b = await server.table(["A", "B"])
        plays: list[tuple[str, dict[str, Any]]] = [("draw", {"on": 1}), ("ready", {"on": 1})]
        assert await codes(a, *plays) == ["stale"] * 2


async def test_the_host_goes_and_another_follows(autojump_clock: trio.testing.MockClock) -> None:
    async with world() as server:
        a, b, c = await server.table(["A", "B", "C"])
        w = await server.watcher("W", a.table)
        await a.ask("leave")
        assert (await w.event("host"))["name"] == "B"
        b.client.reset()
        assert (await c.event("seat", status="away"))["seat"] == 1
        began = trio.current_time()
        assert (await c.event("host", name="C"))["seat"] == 2
        assert trio.current_time() - began == pytest.approx(20, abs=0.1)
        await c.ask("leave")
        # B sits longer than W looks on, but is away; in their absence the table stays theirs.
        assert (await w.event("host", name="B"))["seat"] == 1
        host = await w.event("host", name="W")
        assert host["seat"] is None
        assert (await w.ask("bot", seat=0, level="easy"))["t"] == "ok"


async def test_a_table_without_people_ends(autojump_clock: trio.testing.MockClock) -> None:
    async with world() as server:
        (a,) = await server.table(["A"], bots=["easy"])
        await a.ask("leave")
        assert (await a.ask("tables"))["tables"] == []
        made = await a.ask("create", seats=2, bots=["easy", "easy"], sit=False, settings={"bot_pace": 0})
        assert made["table"] == 2
        a.table = 2
        await a.ask("start")
        await a.ask("leave")
        await trio.sleep(3600)
        assert (await a.ask("tables"))["tables"] == []


async def test_leaving_a_match_and_coming_back(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrange(monkeypatch, ("7H 2C", "3D KD", "9S TS"), "3H")
    async with world() as server:
        a, b, c = await server.table(["A", "B", "C"])
        other = await server.hello("X")
        other.table = a.table
        await begin([a, b, c])
        await b.ask("leave")
        assert (await a.event("seat", seat=1))["status"] == "left"
        assert (await other.ask("join", seat=1))["code"] == "not_now"
        assert (await other.ask("join"))["code"] == "not_now"
        assert (await other.ask("watch"))["t"] == "ok"
        assert (await b.ask("join", seat=0))["code"] == "not_now"
        assert (await b.ask("join"))["seat"] == 1
        view = await b.next(t="view")
        assert (view["you"], view["hand"]) == (1, ["3D", "KD"])
        assert (await a.event("seat", seat=1))["status"] == "online"
        assert (await a.ask("watch"))["code"] == "not_now"


async def test_who_comes_back_between_rounds_is_waited_for_again(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async with world() as server:
        a, b = await server.table(["A", "B"])
        await a.ask("start")
        on = (await a.event("match"))["seq"]
        await b.ask("ready", on=on)
        await b.ask("leave")
        await b.ask("join")
        await a.ask("sync")
        view = await a.next(t="view")
        assert [seat["ready"] for seat in view["seats"]] == [False, False]
        assert (await b.ask("ready", on=on))["t"] == "ok"
        await a.ask("ready", on=on)
        await a.event("round")


async def test_a_series_of_matches(
    autojump_clock: trio.testing.MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrange(monkeypatch, ("7H", "3D KD"), "3H")
    async with world() as server:
        a, b = await server.table(["A", "B"], rules={"rounds": 1})
        matches = []
        for number in (1, 2):
            await begin([a, b])
            turn = await a.event("turn")
            await a.ask("play", on=turn["seq"], card="7H")
            over = await b.event("match_over")
            matches.append(a.last("match")["match"])
            assert over["ranking"] == [
                {"seat": 0, "rank": 1, "total": 0},
                {"seat": 1, "rank": 2, "total": 16},
            ]
            assert over["series"] == [
                {"name": "A", "matches": number, "firsts": number, "total_rank": number},
                {"name": "B", "matches": number, "firsts": 0, "total_rank": 2 * number},
            ]
            assert b.last("round_over")["deadline"] is None
            assert "commit" not in b.last("round_over")
        assert matches == [1, 2]
        await a.ask("sync")
        view = await a.next(t="view", phase="over")
        assert (view["ready_on"], view["last_round"]["why"]) == (None, "out")


async def test_chat_is_cleaned(autojump_clock: trio.testing.MockClock) -> None:
    async with world() as server:
        a, b = await server.table(["A", "B"])
        assert (await a.ask("chat", text="  <b>hi</b>  "))["t"] == "ok"
        assert (await b.event("chat"))["text"] == "<b>hi</b>"
        for text in ("", "x" * 201, "\x1b[2J", "a\nb", "\u202e"):
            assert (await a.ask("chat", text=text))["field"] == "text"
