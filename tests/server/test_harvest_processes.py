"""Real sockets, clients in another process, a stalled server: the senders' own stamps say what is right."""

from bench.arrival import measure


async def test_no_claim_is_handed_on_in_the_wrong_order() -> None:
    result = await measure("kernel", count=60, seed=7)
    assert result.clock == "kernel"
    assert sum(count.all for count in result.sure_contests.values()) == 60
    assert [kind for kind, count in result.sure_contests.items() if count.wrong] == []
    assert result.sure_pairs.wrong == 0


async def test_by_read_nothing_is_lost_though_the_order_is_a_guess() -> None:
    result = await measure("read", count=20, seed=7)
    assert result.clock == "read"
    assert result.sure_pairs.all > 0
