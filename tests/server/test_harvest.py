"""The order in which the harvester hands on, on the in-memory network in virtual time."""

import errno
from unittest.mock import Mock

import pytest
import trio
from trio.testing import MockClock

from server import harvest
from server.harvest import FRAME_TIME, LINGER, MARGIN
from server.memory import Network
from server.peer import Peer
from tests.server.recording import say, scene

MS = 1_000_000
US = 1_000


async def test_a_stalled_server_takes_them_in_order_of_arrival(autojump_clock: MockClock) -> None:
    async with scene() as here:
        first, second, third = await here.clients(3)
        here.core.racing = {1}
        stalled = here.network.now()
        second.send(say("c"), arrival=stalled + 30 * US, readable=stalled + 20 * MS)
        third.send(say("a"), arrival=stalled + 10 * US, readable=stalled + 20 * MS)
        first.send(say("b"), arrival=stalled + 20 * US, readable=stalled + 20 * MS)
        await trio.sleep(0.1)
        assert here.core.texts() == ["a", "b", "c"]


async def test_a_step_that_takes_long_changes_when_and_not_how(autojump_clock: MockClock) -> None:
    async with scene() as here:
        first, second = await here.clients(2)
        here.core.racing = {1}
        here.core.step = lambda frame, text: autojump_clock.jump(0.02)
        now = here.network.now()
        first.send(say("busy"))
        second.send(say("later"), arrival=now + 12 * MS)
        first.send(say("earlier"), arrival=now + 11 * MS)
        await trio.sleep(0.1)
        assert here.core.log[-2:] == [
            ("frame", now + 11 * MS, "earlier"),
            ("frame", now + 12 * MS, "later"),
        ]


async def test_an_open_race_waits_for_what_is_readable_late(autojump_clock: MockClock) -> None:
    async with scene() as here:
        first, second = await here.clients(2)
        here.core.racing = {1}
        now = here.network.now()
        second.send(say("b"), arrival=now + 10 * US)
        first.send(say("a"), arrival=now, readable=now + 10 * US + MARGIN // 2)
        await trio.sleep(0.01)
        assert here.core.texts() == ["a", "b"]


async def test_only_an_open_race_pays_the_margin(autojump_clock: MockClock) -> None:
    async with scene() as here:
        first, second = await here.clients(2)
        here.core.racing = {2}
        now = here.network.now()
        taken: list[tuple[str, int]] = []
        here.core.step = lambda frame, text: taken.append((text, here.network.now() - now))
        first.send(say("raced", table=2))
        second.send(say("quiet", table=1))
        await trio.sleep(0.01)
        assert taken == [("quiet", 0), ("raced", MARGIN)]


async def test_what_is_behind_a_held_frame_on_its_connection_waits_too(autojump_clock: MockClock) -> None:
    async with scene() as here:
        (client,) = await here.clients(1)
        here.core.racing = {2}
        client.send(say("raced", table=2))
        client.send(say("quiet", table=1))
        client.close()
        await trio.sleep(0.01)
        assert [what for _, _, what in here.core.seen()] == ["raced", "quiet", "closed"]


async def test_a_race_that_ends_lets_no_later_frame_of_its_table_pass(
    autojump_clock: MockClock,
) -> None:
    async with scene() as here:
        first, second, third = await here.clients(3)
        here.core.racing = {1}
        here.core.step = lambda frame, text: here.core.racing.clear() if text == "end" else None
        now = here.network.now()
        first.send(say("a"), arrival=now - 3)
        second.send(say("end", table=2), arrival=now - 2)
        third.send(say("b"), arrival=now - 1)
        await trio.sleep(0.01)
        assert here.core.texts() == ["end", "a", "b"]


async def test_deadlines_are_merged_into_the_order(autojump_clock: MockClock) -> None:
    async with scene() as here:
        first, second, third = await here.clients(3)
        here.core.racing = {1}
        due = here.network.now() + 5 * MS
        here.core.deadlines = [(due, 1)]
        third.send(say("after"), arrival=due + 1)
        second.send(say("equal"), arrival=due)
        first.send(say("before"), arrival=due - 1, readable=due + MARGIN)
        await trio.sleep(0.1)
        assert here.core.seen() == [
            ("frame", due - 1, "before"),
            ("deadline", due, 1),
            ("frame", due, "equal"),
            ("frame", due + 1, "after"),
        ]


async def test_a_deadline_waits_for_one_more_read(autojump_clock: MockClock) -> None:
    async with scene() as here:
        (client,) = await here.clients(1)
        due = here.network.now() + 5 * MS
        here.core.deadlines = [(due, 1)]
        client.send(say("before"), arrival=due - 10, readable=due + MARGIN // 2)
        await trio.sleep(0.1)
        assert here.core.seen() == [("frame", due - 10, "before"), ("deadline", due, 1)]


async def test_no_race_but_a_deadline_between_waits_as_well(autojump_clock: MockClock) -> None:
    async with scene() as here:
        first, second = await here.clients(2)
        due = here.network.now() + 5 * MS
        here.core.deadlines = [(due, 1)]
        second.send(say("chat"), arrival=due + 1)
        first.send(say("play"), arrival=due - 1, readable=due + 2)
        await trio.sleep(0.1)
        assert [what for _, _, what in here.core.seen()] == ["play", 1, "chat"]


async def test_a_tables_deadline_does_not_wait_for_another_tables_frames(autojump_clock: MockClock) -> None:
    async with scene() as here:
        (client,) = await here.clients(1)
        due = here.network.now() + 5 * MS
        here.core.deadlines = [(due, 1), (due + 7, 2)]
        await trio.sleep(0.05)
        client.send(say("on"))
        await trio.sleep(0.01)
        assert [kind for kind, _, _ in here.core.seen()] == ["deadline", "deadline", "frame"]


async def test_a_deadline_set_by_another_task_is_heard_of(autojump_clock: MockClock) -> None:
    async with scene() as here:
        await trio.sleep(1)
        here.core.deadlines = [(here.network.now() + MS, 1)]
        here.harvester.wake()
        await trio.sleep(0.002)
        assert [kind for kind, _, _ in here.core.log] == ["deadline"]


async def test_a_tail_ahead_of_its_head_gains_nothing(autojump_clock: MockClock) -> None:
    async with scene() as here:
        honest, cheat = await here.clients(2)
        here.core.racing = {1}
        now = here.network.now()
        stall = now + 20 * MS
        frame = say("cheat")
        cheat.send(frame[:-1], arrival=now + 10 * MS, readable=stall)
        cheat.send(frame[-1:], arrival=now, readable=stall, out_of_order=True)
        honest.send(say("honest"), arrival=now + 5 * MS, readable=stall)
        await trio.sleep(0.1)
        assert here.core.texts() == ["honest", "cheat"]


async def test_nor_a_tail_that_waited_through_another_read(autojump_clock: MockClock) -> None:
    async with scene() as here:
        honest, cheat = await here.clients(2)
        here.core.racing = {1}
        now = here.network.now()
        frame = say("cheat")
        cheat.send(frame[:1], arrival=now + MS)
        cheat.send(frame[1:-1], arrival=now + 15 * MS, readable=now + 20 * MS)
        cheat.send(frame[-1:], arrival=now + MS - 1, readable=now + 20 * MS, out_of_order=True)
        honest.send(say("honest"), arrival=now + 10 * MS, readable=now + 20 * MS)
        await trio.sleep(0.1)
        assert here.core.texts() == ["honest", "cheat"]


async def test_a_lossy_line_is_believed_again(autojump_clock: MockClock) -> None:
    async with scene() as here:
        (client,) = await here.clients(1)
        frame = say("once")
        client.send(frame[:-1])
        client.send(frame[-1:], out_of_order=True)
        await trio.sleep(0.01)
        now = here.network.now()
        client.send(say("again"), arrival=now, readable=now + 5 * MS)
        await trio.sleep(0.01)
        assert here.core.log[-1] == ("frame", now, "again")


async def test_the_end_of_a_connection_is_its_last_frame(autojump_clock: MockClock) -> None:
    async with scene() as here:
        for way in ("close", "reset"):
            (client,) = await here.clients(1)
            here.core.racing = {1}
            client.send(say(way))
            getattr(client, way)()
            await trio.sleep(0.01)
        assert [what for _, _, what in here.core.seen()] == ["close", "closed", "reset", "reset"]


async def test_a_client_that_sends_no_more_still_gets_its_answers(autojump_clock: MockClock) -> None:
    async with scene() as here:
        (client,) = await here.clients(1)
        here.core.step = lambda frame, text: frame.peer.send(b"x" * 100)
        client.window = 10
        client.send(say("last"))
        client.close()
        answer = bytearray()
        while data := await client.receive():
            answer += data
        assert len(answer) == 100
        assert here.core.log[-1] == ("closed", 0, "closed")


async def test_the_wall_clock_may_be_set_at_any_time(autojump_clock: MockClock) -> None:
    for by in (-3600, 86400):
        async with scene() as here:
            first, second = await here.clients(2)
            here.core.racing = {1}
            now = here.network.now()
            due = now + 20 * MS
            here.core.deadlines = [(due, 1)]
            second.send(say("b"), arrival=now + 3 * MS, readable=now + 9 * MS)
            first.send(say("a"), arrival=now + 2 * MS, readable=now + 9 * MS)
            await trio.sleep(0.005)
            here.network.set_wall_clock(by * 1_000_000_000)
            first.send(say("c"), arrival=now + 8 * MS, readable=now + 9 * MS)
            await trio.sleep(0.1)
            assert (
                here.core.seen()
                == [
                    ("frame", now + 2 * MS, "a"),
                    ("frame", now + 3 * MS, "b"),
                    ("frame", now + 8 * MS, "c"),
                    ("deadline", due, 1),
                ]
                or by
            )


async def test_equal_arrivals_go_by_rank(autojump_clock: MockClock) -> None:
    async with scene(Network(clock="read")) as here:
        first, second = await here.clients(2)
        here.core.ranks = {"memory:1": 2, "memory:2": 1}
        first.send(say("a"))
        first.send(say("b"))
        second.send(say("c"))
        await trio.sleep(0.01)
        assert here.core.texts() == ["c", "a", "b"]
        assert len({arrival for kind, arrival, _ in here.core.log if kind == "frame"}) == 1


async def test_a_frame_has_five_seconds_in_all(autojump_clock: MockClock) -> None:
    async with scene() as here:
        slow, slower = await here.clients(2)
        begun = here.network.now()
        for at, byte in enumerate(say("slow")):
            slow.send(bytes([byte]), arrival=begun + at * 250 * MS)
            slower.send(bytes([byte]), arrival=begun + at * 300 * MS)
        await trio.sleep(10)
        assert here.core.texts() == ["slow"]
        assert here.core.log[-1] == ("closed", 0, "late")
        assert here.harvester.now() > begun + FRAME_TIME


async def test_what_is_not_taken_is_kept_and_sent_in_order(autojump_clock: MockClock) -> None:
    async with scene() as here:
        (client,) = await here.clients(1)
        (peer,) = here.core.peers
        client.window = 1000
        sent = b"".join(bytes([number]) * 300 for number in range(200))
        for number in range(200):
            peer.send(sent[number * 300 : number * 300 + 300])
        assert peer.unsent == 60000 - 1000
        got = bytearray()
        while len(got) < len(sent):
            got += await client.receive()
        assert got == sent
        await trio.sleep(0.001)
        assert peer.unsent == 0
        assert here.core.log[-1] == ("drained", 0, "memory:1")


async def test_nothing_follows_a_frame_that_was_torn(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A send that fails for once, and would succeed again: what is sent then would be read as its rest."""
    for taken in (0, 10):
        async with scene() as here:
            (client,) = await here.clients(1)
            (peer,) = here.core.peers
            client.window = taken
            peer.send(b"t" * 100)
            send = Mock(side_effect=[OSError(errno.ENOBUFS, "no buffer space"), 4])
            monkeypatch.setattr(peer.link, "send", send)
            client.window = 1000
            here.network.stir()
            await trio.sleep(0.01)
            assert peer.unsent == here.harvester.unsent == 0
            peer.send(b"next")
            assert send.call_count == 1
            # The other end learns that it is over, and what it says is heard till then.
            client.send(say("heard"))
            assert await client.receive() == b"t" * taken
            if taken:
                assert await client.receive() == b""
            client.close()
            await trio.sleep(0.01)
            assert [what for _, _, what in here.core.seen()][-2:] == ["heard", "closed"]


async def test_who_leaves_the_most_unread_goes_first(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each may leave something unread, and there are many: all together may leave only so much."""
    monkeypatch.setattr(harvest, "MOST_UNSENT", 8000)
    async with scene() as here:
        clients = await here.clients(6)
        peers = here.core.peers
        for client in clients:
            client.window = 0
        for peer, size in zip(peers, (500, 3000, 2500, 1500, 500, 0), strict=True):
            peer.send(bytes(size))
        assert here.harvester.unsent == 8000
        await trio.sleep(0.01)
        assert len(here.core.seen()) == 0
        peers[3].close()
        clients[5].send(say("more"))
        here.core.step = lambda frame, text: frame.peer.send(bytes(600))
        await trio.sleep(0.01)
        # Who is over already, then who has the most; with an eighth to spare.
        assert here.core.seen() == [("frame", here.core.seen()[0][1], "more"), ("closed", 0, "slow")]
        assert [peer.open for peer in peers] == [True, False, True, False, True, True]
        assert here.harvester.unsent == sum(peer.unsent for peer in peers) == 4100
        assert here.network.open() == 4


async def test_last_words_get_across_before_the_end(autojump_clock: MockClock) -> None:
    async with scene() as here:
        (client,) = await here.clients(1)
        (peer,) = here.core.peers
        client.window = 10
        peer.send(b"y" * 100)
        peer.close()
        peer.send(b"never")
        client.send(say("unheard"))
        got = bytearray()
        while data := await client.receive():
            got += data
        assert got == b"y" * 100
        assert here.core.seen() == []


async def test_who_never_reads_is_dropped_after_a_while(autojump_clock: MockClock) -> None:
    async with scene() as here:
        (client,) = await here.clients(1)
        (peer,) = here.core.peers
        client.window = 0
        peer.send(b"z")
        peer.close()
        await trio.sleep(LINGER / 1e9 + 0.01)
        assert here.network.open() == 0


async def test_a_step_may_close_whoever_has_frames_waiting(autojump_clock: MockClock) -> None:
    async with scene() as here:
        first, second = await here.clients(2)
        here.core.step = lambda frame, text: here.harvester.finish()
        now = here.network.now()
        first.send(say("a"), arrival=now - 2)
        second.send(say("b"), arrival=now - 1)
        await trio.sleep(0.01)
        assert here.core.texts() == ["a"]


async def test_broken_framing_is_heard_of_after_what_was_whole(autojump_clock: MockClock) -> None:
    async with scene() as here:
        (client,) = await here.clients(1)
        client.send(say("fine") + b"\0\0\0\0" + say("dropped"))
        client.send(b"\xff" * 100)
        assert await client.receive() == b"bad_frame"
        assert await client.receive() == b""
        assert [what for _, _, what in here.core.seen()] == ["fine", "bad_frame"]


async def test_a_flood_leaves_the_others_their_turn(autojump_clock: MockClock) -> None:
    async with scene() as here:
        flooder, other = await here.clients(2)
        now = here.network.now()
        flooder.send(say("f") * 20000, arrival=now - 2)
        other.send(say("other"), arrival=now - 1)
        await trio.sleep(0.01)
        assert here.core.texts().count("f") == 20000
        assert here.core.texts().index("other") < 6000


async def test_newcomers_without_end_leave_the_others_their_turn(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with scene() as here:
        (other,) = await here.clients(1)
        connected = here.core.connected

        def another(peer: Peer) -> None:
            connected(peer)
            if len(here.core.peers) < 10_000 and not here.core.texts():
                here.network.connect()

        monkeypatch.setattr(here.core, "connected", another)
        here.network.connect()
        other.send(say("other"))
        await trio.sleep(1)
        assert here.core.texts() == ["other"]
        assert len(here.core.peers) < 1000


async def test_no_descriptor_left_and_then_one(autojump_clock: MockClock) -> None:
    async with scene(Network(most=2)) as here:
        first, _ = await here.clients(2)
        waiting = here.network.connect()
        waiting.send(say("at last"))
        await trio.sleep(3)
        first.send(say("served"))
        await trio.sleep(0.01)
        assert here.core.texts() == ["served"]
        first.close()
        await trio.sleep(1)
        assert here.core.texts() == ["served", "at last"]


async def test_finish_lets_everyone_hear_the_last_word(autojump_clock: MockClock) -> None:
    network = Network()
    async with scene(network) as here:
        reader, sleeper = await here.clients(2)
        sleeper.window = 0
        for peer in here.core.peers:
            peer.send(b"bye")
        here.harvester.finish()
        assert await reader.receive() == b"bye"
        assert await reader.receive() == b""
        await trio.sleep(LINGER / 1e9 + 0.01)
        assert network.open() == 0
