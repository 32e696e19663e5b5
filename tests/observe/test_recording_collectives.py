"""A recording of what ranks did together; that of the whole example is in `tests/examples/test_data_parallel.py`."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

import minigrad as mg
from minigrad import events
from minigrad.distributed.launch import RANKS
from minigrad_webui.protocol import RECORD

from .helpers import Record, array, named, of_type, recorded


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever starts the tests may be a rank; the programs here are none."""
    for name, _ in RANKS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delitem(sys.modules, "mpi4py.MPI", raising=False)


def weights() -> tuple[mg.Tensor, mg.Tensor]:
    w = mg.tensor([[1.0, 2.0, 3.0]], requires_grad=True)
    b = mg.tensor([4.0, 5.0], requires_grad=True)
    ((w * w).sum() + (b * 3).sum()).backward()
    return w, b


def only(records: list[Record]) -> Record:
    (record,) = of_type(records, "collective_ran")
    return record


def test_of_a_sum_of_tensors_their_own_values_and_bytes_are_told() -> None:
    def program() -> None:
        w, b = weights()
        events.emit(events.CollectiveRan("all_reduce", (w, b), 0.25, "sum"))

    records = recorded(program)
    told = RECORD.validate_python(only(records))
    assert (told.kind, told.reduction, told.grads, told.seconds) == ("all_reduce", "sum", False, 0.25)
    assert told.tensors == [named(records)[name]["id"] for name in ("w", "b")]
    assert told.sizes == [12, 8]
    assert told.before == []
    assert [array(value).tolist() for value in only(records)["after"]] == [[[1.0, 2.0, 3.0]], [[4.0, 5.0]]]


def test_of_gradients_those_are_told_as_they_are_now_beside_the_copies_of_what_they_were() -> None:
    def program() -> None:
        w, b = weights()
        before = tuple(each.grad.detach().clone() for each in (w, b))
        for each in (w, b):
            each.grad /= 2  # type: ignore[assignment]
        events.emit(events.CollectiveRan("reduce_scatter", (w, b), 0.5, "mean", True, before))

    record = only(recorded(program))
    assert (record["kind"], record["reduction"], record["grads"]) == ("reduce_scatter", "mean", True)
    assert [array(value).tolist() for value in record["before"]] == [[[2.0, 4.0, 6.0]], [[3.0, 3.0]]]
    assert [array(value).tolist() for value in record["after"]] == [[[1.0, 2.0, 3.0]], [[1.5, 1.5]]]
    assert record["sizes"] == [12, 8]


def test_nothing_is_said_to_be_reduced_where_it_is_not() -> None:
    def program() -> None:
        w, _ = weights()
        events.emit(events.CollectiveRan("broadcast", (w,), 0.0))

    record = only(recorded(program))
    assert (record["kind"], record["reduction"], record["grads"], record["before"]) == ("broadcast", "", False, [])


def test_a_gradient_that_is_not_there_has_no_bytes_and_no_value() -> None:
    def program() -> None:
        w = mg.tensor([1.0], requires_grad=True)
        events.emit(events.CollectiveRan("all_reduce", (w,), 0.0, "sum", True))

    record = only(recorded(program))
    assert (record["sizes"], record["after"]) == ([0], [None])


def test_without_values_there_are_still_names_and_bytes() -> None:
    def program() -> None:
        w, _ = weights()
        events.emit(events.CollectiveRan("all_reduce", (w,), 0.0, "mean", True, (w.detach(),)))

    record = only(recorded(program, values="none"))
    assert (record["sizes"], record["before"], record["after"]) == ([12], [None], [None])
    assert len(record["tensors"]) == 1


def barrier() -> None:
    events.emit(events.CollectiveRan("barrier", (), 0.0))


@pytest.mark.parametrize(("rank", "size", "told"), [("3", "4", 3), ("0", "2", 0), ("", "", 0)])
def test_the_rank_is_the_launchers(monkeypatch: pytest.MonkeyPatch, rank: str, size: str, told: int) -> None:
    monkeypatch.setenv("RANK", rank)
    monkeypatch.setenv("WORLD_SIZE", size)
    assert only(recorded(barrier))["rank"] == told


def test_the_rank_is_mpis_where_the_program_has_begun_it(monkeypatch: pytest.MonkeyPatch) -> None:
    begun = SimpleNamespace(
        Is_initialized=lambda: True, Is_finalized=lambda: False, COMM_WORLD=SimpleNamespace(rank=5, size=8)
    )
    monkeypatch.setitem(sys.modules, "mpi4py.MPI", begun)
    records = recorded(barrier)
    assert only(records)["rank"] == 5
    assert (records[0]["rank"], records[0]["world_size"]) == (5, 8)


def test_how_long_this_rank_only_waited_is_told() -> None:
    def program() -> None:
        w, _ = weights()
        events.emit(events.CollectiveRan("all_reduce", (w,), 0.5, "mean", True, waited=0.25))

    told = RECORD.validate_python(only(recorded(program)))
    assert (told.seconds, told.waited) == (0.5, 0.25)


def test_each_step_says_how_long_its_exchanges_took_and_how_long_was_waited() -> None:
    def program() -> None:
        w = mg.tensor([2.0], requires_grad=True)
        optimizer = mg.optim.SGD([w], lr=0.1)
        for step in range(3):
            (w * w).sum().backward()
            for _ in range(step):
                events.emit(events.CollectiveRan("all_reduce", (w,), 0.5, "mean", True, waited=0.25))
            optimizer.step()

    told = of_type(recorded(program), "step_taken")
    assert [(step.get("exchanged"), step.get("waited")) for step in told] == [(None, None), (0.5, 0.25), (1.0, 0.5)]


def test_a_bucket_says_when_it_was_filled_and_when_its_exchange_was_complete() -> None:
    def program() -> None:
        event = events.CollectiveRan("all_reduce", (mg.ones(2),), 0.5, "mean", bucket=3, filling=0.25)
        events.emit(event._replace(late=0.125, clock=-2.0))

    (told,) = of_type(recorded(program), "collective_ran")
    assert [told[name] for name in ("bucket", "filling", "late", "clock")] == [3, 0.25, 0.125, -2.0]
