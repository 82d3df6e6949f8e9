"""The heartbeat of an idle connection."""

from protocol.heartbeat import Beat, Heartbeat


def test_idle_peer_is_asked_three_times_then_dropped() -> None:
    beat = Heartbeat(10, now=100)
    steps = list[tuple[int, Beat]]()
    while not steps or steps[-1][1] is not Beat.DROP:
        assert beat.step(beat.due - 1) is Beat.NOTHING
        steps.append((beat.due, beat.step(beat.due)))
    assert steps == [(110, Beat.PING), (120, Beat.PING), (130, Beat.PING), (135, Beat.DROP)]


def test_sign_of_life_starts_anew() -> None:
    beat = Heartbeat(10, now=0)
    for now in (10, 20, 30):
        assert beat.step(now) is Beat.PING
    beat.heard(34)
    assert (beat.due, beat.step(43), beat.step(44)) == (44, Beat.NOTHING, Beat.PING)


def test_own_stall_drops_nobody() -> None:
    beat = Heartbeat(10, now=0)
    assert beat.step(1000) is Beat.PING
    assert beat.step(1001) is Beat.NOTHING
    assert beat.due == 1010
