"""The simulation of a step: its algorithms move what they must, and a straggler or a lost rank shows."""

from __future__ import annotations

import math

import pytest

from minigrad.distributed.simulate import (
    LINKS,
    LOADS,
    Algorithm,
    Network,
    all_reduce,
    efficiency,
    predicted,
    seconds_of_all_reduce,
    step,
)

NETWORK = Network(latency=1e-5, bandwidth=1e9)


@pytest.mark.parametrize("algorithm", ["ring", "doubling"])
@pytest.mark.parametrize("ranks", [2, 4, 8, 1024])
def test_the_events_take_as_long_as_the_formula_says(ranks: int, algorithm: Algorithm) -> None:
    played = all_reduce([0.0] * ranks, 10**6, NETWORK, algorithm)
    assert played.done.max() == pytest.approx(seconds_of_all_reduce(ranks, 10**6, NETWORK, algorithm))
    assert played.size.sum() == pytest.approx(2 * 10**6 * (ranks - 1) / ranks)


def test_each_chunk_of_the_ring_goes_to_the_right_neighbour() -> None:
    played = step(3, backward=1.0, buckets=[3000], network=NETWORK)
    sent = [event for event in played.events([1]) if event.kind == "send"]
    assert [(event.to, event.bytes) for event in sent] == [(2, 1000)] * 4


def test_buckets_go_while_backward_computes_the_next() -> None:
    apart = step(4, backward=1.0, buckets=[10**8] * 4, network=NETWORK)
    together = step(4, backward=1.0, buckets=[4 * 10**8], network=NETWORK)
    assert together.seconds == pytest.approx(1.6, rel=1e-3)
    assert apart.seconds == pytest.approx(1.15, rel=1e-3)
    first = next(event for event in apart.events([0]) if event.kind == "send")
    assert first.start == 0.25


def test_all_wait_for_a_straggler() -> None:
    played = step(8, backward=1.0, buckets=[1000], network=NETWORK, slow={5: 3.0})
    assert played.slowest == 5
    waits = {event.rank: event.end - event.start for event in played.events() if event.kind == "wait"}
    assert min(waits[rank] for rank in range(8) if rank != 5) > 1.99
    assert waits[5] < 0.001
    assert played.share_of_waiting == pytest.approx(7 / 8 * 2 / 3, rel=0.01)


def test_a_lost_rank_stops_one_neighbour_after_the_other() -> None:
    played = step(4, backward=1.0, buckets=[4000], network=NETWORK, lost=1)
    assert played.seconds == math.inf
    events = played.events()
    assert [len([e for e in events if e.kind == "send" and e.rank == rank]) for rank in range(4)] == [3, 0, 1, 2]
    assert all(event.end == math.inf for event in events if event.kind == "wait")


def test_a_thousand_ranks_are_played_at_once() -> None:
    played = step(1024, backward=0.1, buckets=[10**7] * 4, network=NETWORK, algorithm="doubling")
    assert len([event for event in played.events(range(8)) if event.kind == "send"]) == 8 * 4 * 20


def test_the_model_says_where_data_parallelism_stops_paying() -> None:
    mlp, gpt2, large = LOADS
    slow, _, fast = LINKS.values()
    assert efficiency(8, mlp, slow, samples=64, flops_a_second=1e13) < 0.1
    assert efficiency(8, large, fast, samples=8, flops_a_second=1e14) > 0.95
    falling = [efficiency(n, gpt2, slow, samples=8, flops_a_second=5e13) for n in (8, 64, 512, 4096)]
    assert falling == sorted(falling, reverse=True)


def test_what_is_hidden_is_not_waited_for() -> None:
    assert predicted(4, 1.0, 10**6, NETWORK) == pytest.approx(1.0, rel=1e-3)
    assert predicted(4, 1.0, 10**6, NETWORK, overlap=0.0) == 1.0 + seconds_of_all_reduce(4, 10**6, NETWORK)
