"""Loaders whose batches come from other processes, and the datasets and samplers beside them: here and in PyTorch."""

from __future__ import annotations

import gc
import importlib
import multiprocessing
import os
import random
import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest


@pytest.fixture(params=["minigrad", pytest.param("torch", marks=pytest.mark.parity)])
def lib(request: pytest.FixtureRequest) -> Any:
    return pytest.importorskip(request.param)


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """A machine of few cores is warned of many workers, and Python warns of a fork beside threads."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="This DataLoader will create")
        warnings.filterwarnings("ignore", message=".*multi-threaded.*fork", category=DeprecationWarning)
        yield
    gc.collect()  # an exception holds the frames it came through
    for process in multiprocessing.active_children():
        process.join(30)
    assert not multiprocessing.active_children(), "a worker outlived its loader"


def data(lib: Any) -> Any:
    return importlib.import_module(f"{lib.__name__}.utils.data")


class Squares:
    """Squares of 0 to 9, each with the process that made it."""

    def __getitem__(self, index: int) -> tuple[int, int]:
        return index * index, os.getpid()

    def __len__(self) -> int:
        return 10


class Broken(Squares):
    def __getitem__(self, index: int) -> Any:
        if index == 2:
            raise ValueError("two is bad")
        if index == 3:
            raise KeyError("three")
        if index == 4:
            os._exit(7)
        if index == 5:
            time.sleep(600)
        return index


class Draws(Squares):
    def __init__(self, lib: Any) -> None:
        self.lib = lib.__name__

    def __getitem__(self, index: int) -> Any:
        lib = importlib.import_module(self.lib)
        return random.random(), float(np.random.rand()), lib.rand(1).item()


def test_workers_make_the_batches_in_the_order_of_the_loader(lib: Any) -> None:
    D = data(lib)
    loader = D.DataLoader(Squares(), batch_size=3, num_workers=2)
    seen = list(loader)
    assert [made.tolist() for made, _ in seen] == [[0, 1, 4], [9, 16, 25], [36, 49, 64], [81]]
    makers = {pid for _, pids in seen for pid in pids.tolist()}
    assert len(makers) == 2 and os.getpid() not in makers
    assert len(loader) == 4 and len(list(loader)) == 4


def test_each_epoch_has_new_workers_unless_they_persist(lib: Any) -> None:
    D = data(lib)
    for persistent, count in ((True, 1), (False, 2)):
        loader = D.DataLoader(Squares(), batch_size=10, num_workers=1, persistent_workers=persistent)
        makers = {pids[0].item() for _ in range(2) for _, pids in loader}
        assert len(makers) == count
        del loader


def test_an_epoch_left_early_does_not_reach_into_the_next(lib: Any) -> None:
    D = data(lib)
    loader = D.DataLoader(Squares(), batch_size=2, num_workers=2, persistent_workers=True, prefetch_factor=3)
    for made, _ in loader:
        assert made.tolist() == [0, 1]
        break
    assert [made.tolist()[0] for made, _ in loader] == [0, 4, 16, 36, 64]
    del loader


def test_an_error_in_a_worker_is_raised_here_with_its_place(lib: Any) -> None:
    D = data(lib)
    for number, kind in ((2, ValueError), (3, KeyError)):
        with pytest.raises(kind, match="Caught .* in DataLoader worker process 0") as caught:
            list(D.DataLoader(Broken(), sampler=[0, number, 1], num_workers=1))
        assert "__getitem__" in str(caught.value)


def test_after_an_error_the_next_batch_can_be_asked_for(lib: Any) -> None:
    D = data(lib)
    for workers in (0, 1):
        batches = iter(D.DataLoader(Broken(), sampler=[0, 2, 1], num_workers=workers))
        assert next(batches).item() == 0
        with pytest.raises(ValueError, match="two is bad"):
            next(batches)
        assert next(batches).item() == 1
        del batches


def test_a_worker_that_dies_is_an_error_and_not_a_wait(lib: Any) -> None:
    D = data(lib)
    with pytest.raises(RuntimeError, match="exited unexpectedly"):
        list(D.DataLoader(Broken(), sampler=[0, 4], num_workers=1))


def test_a_worker_that_takes_too_long_is_an_error(lib: Any) -> None:
    D = data(lib)
    with pytest.raises(RuntimeError, match="DataLoader timed out after 1 seconds"):
        list(D.DataLoader(Broken(), sampler=[5], num_workers=1, timeout=1))


def test_each_worker_begins_with_the_init_function_and_knows_itself(lib: Any) -> None:
    D = data(lib)
    inits = multiprocessing.get_context("fork").Array("i", [-1, -1])

    class Told(Squares):
        def __getitem__(self, index: int) -> Any:
            info = data(lib).get_worker_info()
            return info.id, info.num_workers, inits[info.id], len(info.dataset)

    def init(worker: int) -> None:
        inits[worker] = 10 + worker

    loader = D.DataLoader(
        Told(), num_workers=2, worker_init_fn=init, multiprocessing_context="fork", batch_size=5
    )  # fmt: skip
    first, second = list(loader)
    assert [each[0].item() for each in first] == [0, 2, 10, 10]
    assert [each[0].item() for each in second] == [1, 2, 11, 10]
    assert D.get_worker_info() is None


def test_random_numbers_differ_between_workers_and_epochs_and_follow_the_seed(lib: Any) -> None:
    D = data(lib)

    def epochs() -> list[Any]:
        lib.manual_seed(5)
        loader = D.DataLoader(Draws(lib), batch_size=5, num_workers=2)
        return [[[part.tolist() for part in batch] for batch in loader] for _ in range(2)]

    one, other = epochs(), epochs()
    assert one == other
    for source in range(3):
        batches = [batch[source] for epoch in one for batch in epoch]
        assert len({number for batch in batches for number in batch}) == 20


class Count:
    """Mixed with the library's stream: 0, 1, 2, ... shared out between the workers."""

    def __iter__(self) -> Iterator[int]:
        info = data(importlib.import_module(self.lib)).get_worker_info()  # type: ignore[attr-defined]
        first, step = (0, 1) if info is None else (info.id, info.num_workers)
        return iter(range(first, 7, step))


def stream(lib: Any) -> Any:
    return type("Stream", (Count, data(lib).IterableDataset), {"lib": lib.__name__})()


@pytest.mark.parametrize("workers", [0, 1, 2])
def test_a_stream_is_shared_out_and_ends_when_all_workers_have_ended(lib: Any, workers: int) -> None:
    D = data(lib)
    loader = D.DataLoader(stream(lib), batch_size=2, num_workers=workers)
    wanted = {0: [[0, 1], [2, 3], [4, 5], [6]], 1: [[0, 1], [2, 3], [4, 5], [6]], 2: [[0, 2], [1, 3], [4, 6], [5]]}
    assert [batch.tolist() for batch in loader] == wanted[workers]
    short = D.DataLoader(stream(lib), batch_size=2, num_workers=workers, drop_last=True)
    assert [batch.tolist() for batch in short] == [batch for batch in wanted[workers] if len(batch) == 2]
    singly = D.DataLoader(stream(lib), batch_size=None, num_workers=workers)
    assert sorted(singly) == list(range(7))


def test_large_batches_go_through_and_stay_ahead(lib: Any) -> None:
    D = data(lib)
    wide = D.TensorDataset(lib.arange(8.0).reshape(8, 1).expand(8, 200_000))
    total = sum(batch.sum().item() for (batch,) in D.DataLoader(wide, batch_size=2, num_workers=2))
    assert total == 28 * 200_000


@pytest.mark.parametrize("start", ["spawn", "forkserver"])
def test_workers_start_as_the_context_says(start: str) -> None:
    import minigrad as mg
    from minigrad.utils.data import DataLoader, TensorDataset

    loader = DataLoader(TensorDataset(mg.arange(4)), 2, num_workers=1, multiprocessing_context=start)
    assert [batch.tolist() for (batch,) in loader] == [[0, 1], [2, 3]]


def test_batches_may_come_as_they_are_ready(lib: Any) -> None:
    D = data(lib)
    loader = D.DataLoader(Squares(), batch_size=3, num_workers=2, in_order=False)
    assert sorted(number for made, _ in loader for number in made.tolist()) == [n * n for n in range(10)]


def test_nobody_who_watches_here_hears_of_the_workers() -> None:
    import minigrad as mg
    from minigrad import events
    from minigrad.utils.data import DataLoader, TensorDataset

    seen: list[Any] = []
    with events.listening(seen.append):
        list(DataLoader(TensorDataset(mg.arange(4)), 2, num_workers=1, collate_fn=sum_of_first))
    assert seen


def sum_of_first(samples: list[Any]) -> Any:
    from minigrad.events import LISTENERS

    assert not LISTENERS
    return sum(first for (first,) in samples)


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"timeout": -1}, ValueError, "timeout option should be non-negative"),
        ({"prefetch_factor": 2}, ValueError, "prefetch_factor option could only be specified in multiprocessing"),
        ({"persistent_workers": True}, ValueError, "persistent_workers option needs num_workers > 0"),
        ({"multiprocessing_context": "fork"}, ValueError, "can only be used with multi-process loading"),
        ({"multiprocessing_context": "sp", "num_workers": 1}, ValueError, "should specify a valid start method"),
        ({"multiprocessing_context": 3, "num_workers": 1}, TypeError, "should be a valid context object"),
        ({"batch_size": None, "drop_last": True}, ValueError, "disables auto-batching"),
        ({"num_workers": -1}, ValueError, "num_workers option should be non-negative"),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    lib: Any, arguments: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        data(lib).DataLoader(Squares(), **arguments)


def test_what_samplers_were_made_from_cannot_be_changed_later(lib: Any) -> None:
    loader = data(lib).DataLoader(Squares())
    for name in ("batch_size", "sampler", "batch_sampler", "drop_last", "dataset", "persistent_workers"):
        with pytest.raises(ValueError, match=f"{name} attribute should not be set after DataLoader"):
            setattr(loader, name, 3)
    loader.num_workers = 0


def test_pinned_memory_is_said_to_be_of_no_use_here(lib: Any) -> None:
    with pytest.warns(UserWarning, match="pin_memory"):
        next(iter(data(lib).DataLoader(Squares(), pin_memory=True)))


# Datasets and samplers


def test_datasets_stand_side_by_side(lib: Any) -> None:
    D = data(lib)
    named, placed = D.StackDataset(a=[1, 2], b=[3, 4]), D.StackDataset([1, 2], [3, 4])
    assert named[1] == {"a": 2, "b": 4} and placed[1] == (2, 4) and len(named) == 2
    assert placed.__getitems__([0, 1]) == [(1, 3), (2, 4)]
    (batch,) = D.DataLoader(named, batch_size=2)
    assert batch["b"].tolist() == [3, 4]
    for wrong, words in (((), "At least one dataset"), (([1], [1, 2]), "Size mismatch between datasets")):
        with pytest.raises(ValueError, match=words):
            D.StackDataset(*wrong)


def test_streams_are_chained(lib: Any) -> None:
    D = data(lib)
    both = stream(lib) + stream(lib)
    assert isinstance(both, D.ChainDataset) and list(both) == [*range(7), *range(7)]
    with pytest.raises(TypeError, match="has no len"):
        len(both)
    with pytest.raises((TypeError, AssertionError), match="only supports IterableDataset"):
        list(D.ChainDataset([[1, 2]]))
    with pytest.raises((ValueError, AssertionError), match="does not support IterableDataset"):
        D.ConcatDataset([stream(lib)])
    assert D.ConcatDataset([Squares(), Squares()]).cumulative_sizes == [10, 20]


def test_a_dataset_may_fetch_many_samples_at_once(lib: Any) -> None:
    D = data(lib)
    asked = []

    class Many(Squares):
        def __getitems__(self, numbers: list[int]) -> list[int]:
            asked.append(numbers)
            return [-n for n in numbers]

    assert [batch.tolist() for batch in D.DataLoader(Many(), batch_size=5)][1] == [-5, -6, -7, -8, -9]
    part = D.Subset(Many(), [3, 1])
    assert [batch.tolist() for batch in D.DataLoader(part, batch_size=2)] == [[-3, -1]]
    assert asked == [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9], [3, 1]]


def test_a_subclass_of_a_tensor_dataset_makes_its_own_samples(lib: Any) -> None:
    D = data(lib)

    class Doubled(D.TensorDataset):  # type: ignore[misc, name-defined]
        def __getitem__(self, index: int) -> Any:
            return 2 * self.tensors[0][index]

        def batch(self) -> None:
            """A name that users may take."""

    doubled = Doubled(lib.arange(4))
    assert [batch.tolist() for batch in D.DataLoader(doubled, batch_size=2)] == [[0, 2], [4, 6]]
    assert [batch.tolist() for batch in D.DataLoader(D.Subset(doubled, [3, 1]), batch_size=2)] == [[6, 2]]


def test_a_batch_of_rows_is_a_list(lib: Any) -> None:
    D = data(lib)
    assert type(next(iter(D.DataLoader(D.TensorDataset(lib.arange(4)), batch_size=2)))) is list


def test_a_sampler_with_replacement_draws_no_more_than_is_asked_for(lib: Any) -> None:
    D = data(lib)
    endless = D.RandomSampler(range(3), replacement=True, num_samples=10**10)
    assert len(endless) == 10**10
    assert {next(iter(endless)) for _ in range(20)} <= {0, 1, 2}


def test_samplers_check_what_they_are_given(lib: Any) -> None:
    D = data(lib)
    for make, error, words in (
        (lambda: D.RandomSampler([1], replacement=1), TypeError, "replacement should be a boolean value"),
        (lambda: D.RandomSampler([1], num_samples=0), ValueError, "num_samples should be a positive integer value"),
        (lambda: D.RandomSampler([]), ValueError, "num_samples should be a positive integer value, but got"),
        (lambda: D.WeightedRandomSampler([1], 0), ValueError, "num_samples should be a positive integer value"),
        (lambda: D.WeightedRandomSampler([[1]], 1), ValueError, "weights should be a 1d sequence"),
        (lambda: D.BatchSampler([1], 2, 3), ValueError, "drop_last should be a boolean value"),
    ):
        with pytest.raises(error, match=words):
            make()
    assert sorted(D.WeightedRandomSampler([1, 2], 2, replacement=False)) == [0, 1]


def test_samplers_and_loaders_may_be_written_with_their_types(lib: Any) -> None:
    D = data(lib)

    class Odd(D.Sampler[int]):  # type: ignore[misc, name-defined]
        def __iter__(self) -> Iterator[int]:
            return iter([1, 3])

    class Own(D.DataLoader[int]):  # type: ignore[misc, name-defined]
        pass

    assert [batch[0].tolist() for batch in Own(Squares(), sampler=Odd(), batch_size=2)] == [[1, 9]]


def test_each_process_of_several_gets_its_share(lib: Any) -> None:
    D = data(lib)
    for drop_last in (False, True):
        shares = [
            list(D.DistributedSampler(range(10), 3, rank, shuffle=False, drop_last=drop_last)) for rank in (0, 1, 2)
        ]
        assert shares == (
            [[0, 3, 6], [1, 4, 7], [2, 5, 8]] if drop_last else [[0, 3, 6, 9], [1, 4, 7, 0], [2, 5, 8, 1]]
        )
    sampler = D.DistributedSampler(range(10), 2, 0)
    first = list(sampler)
    sampler.set_epoch(1)
    assert len(first) == len(sampler) == 5 and list(sampler) != first
    with pytest.raises(ValueError, match="Invalid rank 2"):
        D.DistributedSampler(range(10), 2, 2)


def test_programs_find_the_modules_by_their_paths(lib: Any) -> None:
    name = lib.__name__
    for path, inside in (
        ("dataloader", "DataLoader default_collate"),
        ("dataset", "Dataset TensorDataset Subset random_split ConcatDataset"),
        ("sampler", "Sampler RandomSampler BatchSampler"),
        ("distributed", "DistributedSampler"),
    ):
        module = importlib.import_module(f"{name}.utils.data.{path}")
        assert all(hasattr(module, each) for each in inside.split())


def test_arrays_become_tensors_in_samples_that_are_not_batched(lib: Any) -> None:
    D = data(lib)
    (sample,) = D.DataLoader([{"x": np.ones(2), "name": "a"}], batch_size=None)
    assert sample["x"].tolist() == [1.0, 1.0] and isinstance(sample["x"], lib.Tensor) and sample["name"] == "a"


def test_a_share_without_samples_is_warned_of(lib: Any) -> None:
    with pytest.warns(UserWarning, match="Length of split at index 1 is 0"):
        data(lib).random_split(range(1), [0.5, 0.5])
