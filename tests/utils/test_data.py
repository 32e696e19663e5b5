"""Datasets, samplers, loaders, and the small problems that need no network."""

from __future__ import annotations

import gzip
import math
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

import minigrad as mg
from minigrad.utils.data import (
    BatchSampler,
    ConcatDataset,
    DataLoader,
    Dataset,
    IterableDataset,
    RandomSampler,
    Sampler,
    SequentialSampler,
    Subset,
    SubsetRandomSampler,
    TensorDataset,
    WeightedRandomSampler,
    blobs,
    circles,
    default_collate,
    digits,
    moons,
    random_split,
    read_idx,
    spirals,
    xor,
)


def seeded(seed: int = 0) -> Any:
    return mg.Generator().manual_seed(seed)


def rows(count: int = 10) -> TensorDataset:
    return TensorDataset(mg.arange(2.0 * count).reshape(count, 2), mg.arange(count))


class Squares(Dataset[int]):
    """Samples that are made one by one."""

    def __getitem__(self, index: int) -> int:
        return index * index

    def __len__(self) -> int:
        return 5


# Datasets


def test_a_sample_of_tensors_is_a_row_of_each() -> None:
    x, y = rows()[3]
    assert x.tolist() == [6.0, 7.0] and y.item() == 3
    assert len(rows()) == 10
    with pytest.raises(ValueError, match="Size mismatch between tensors"):
        TensorDataset(mg.ones(3), mg.ones(4))


def test_datasets_can_be_joined() -> None:
    both = Squares() + rows(3)  # type: ignore[operator]
    assert isinstance(both, ConcatDataset) and len(both) == 8
    assert both[4] == 16 and both[5][1].item() == 0 and both[-1][1].item() == 2
    with pytest.raises(IndexError, match="sample number 8 is out of range"):
        both[8]


def test_a_subset_counts_from_its_own_zero() -> None:
    part = Subset(rows(), [7, 2, 5])
    assert len(part) == 3 and part[0][1].item() == 7 and part[-1][1].item() == 5
    assert part[:][1].tolist() == [7, 2, 5] and part[1:][1].tolist() == [2, 5]
    assert Subset(part, [2, 0])[:][1].tolist() == [5, 7]
    assert Subset(Squares(), [1, 3])[:].tolist() == [1, 9]


def test_a_split_shares_everything_out() -> None:
    parts = random_split(rows(), [0.55, 0.45], generator=seeded())
    assert [len(part) for part in parts] == [6, 4]
    assert sorted(parts[0].indices + parts[1].indices) == list(range(10))
    assert random_split(rows(), [7, 3], generator=seeded())[0].indices != list(range(7))
    again = random_split(rows(), [0.55, 0.45], generator=seeded())
    assert again[0].indices == parts[0].indices
    with pytest.raises(ValueError, match="Sum of input lengths does not equal"):
        random_split(rows(), [5, 4])


def test_the_base_says_what_is_missing() -> None:
    with pytest.raises(NotImplementedError, match="needs a method __getitem__"):
        Dataset[Any]()[0]
    with pytest.raises(NotImplementedError, match="needs a method __iter__"):
        iter(Sampler())


class Cubes(Dataset[int]):
    def __getitem__(self, index: int) -> int:
        return index**3


class Odd(Sampler):  # type: ignore[type-arg]
    def __iter__(self) -> Iterator[int]:
        return iter([1, 3, 5])


class Stream(IterableDataset[int]):
    def __iter__(self) -> Iterator[int]:
        return iter([4, 5])


def test_what_says_no_length_can_be_listed_all_the_same() -> None:
    assert list(Odd()) == [1, 3, 5]
    assert list(Stream()) == [4, 5]
    assert [each.tolist() for each in list(DataLoader(Cubes(), batch_size=2, sampler=Odd()))] == [[1, 27], [125]]
    for each in (Odd(), Stream(), Cubes(), DataLoader(Cubes(), sampler=Odd())):
        with pytest.raises(TypeError, match="has no len"):
            len(each)  # type: ignore[arg-type]


def test_a_loader_that_is_to_find_the_order_asks_for_a_length() -> None:
    with pytest.raises(TypeError, match="needs __getitem__ and __len__"):
        DataLoader(Cubes())


# Samplers


def test_samplers_say_the_order() -> None:
    assert list(SequentialSampler(rows(3))) == [0, 1, 2]
    assert sorted(RandomSampler(rows(), generator=seeded())) == list(range(10))
    assert len(list(RandomSampler(rows(), num_samples=25, generator=seeded()))) == 25
    assert len(set(RandomSampler(rows(2), replacement=True, num_samples=9, generator=seeded()))) <= 2
    assert sorted(SubsetRandomSampler([4, 8, 6], generator=seeded())) == [4, 6, 8]
    assert set(WeightedRandomSampler([0.0, 1.0, 1.0], 20, generator=seeded())) <= {1, 2}
    assert list(BatchSampler(range(5), 2, drop_last=False)) == [[0, 1], [2, 3], [4]]
    assert len(BatchSampler(range(5), 2, drop_last=True)) == 2
    with pytest.raises(ValueError, match="batch_size should be a positive integer"):
        BatchSampler(range(5), 0, drop_last=False)


# Loaders


def test_a_loader_makes_batches() -> None:
    batches = list(DataLoader(rows(), batch_size=4))
    assert [tuple(x.shape) for x, _ in batches] == [(4, 2), (4, 2), (2, 2)]
    assert [y.tolist() for _, y in batches] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
    assert len(DataLoader(rows(), batch_size=4)) == 3
    assert len(list(DataLoader(rows(), batch_size=4, drop_last=True))) == 2


def test_a_batch_is_what_collating_the_samples_gives() -> None:
    fast, slow = DataLoader(rows(), batch_size=4), DataLoader(rows(), batch_size=4, collate_fn=default_collate)
    for one, other in zip(fast, slow, strict=True):
        assert [each.tolist() for each in one] == [each.tolist() for each in other]


def test_shuffling_shows_everything_once_and_differently_each_epoch() -> None:
    loader = DataLoader(rows(), batch_size=5, shuffle=True, generator=seeded())
    epochs = [[n for _, y in loader for n in y.tolist()] for _ in range(2)]
    assert sorted(epochs[0]) == sorted(epochs[1]) == list(range(10)) and epochs[0] != epochs[1]
    again = DataLoader(rows(), batch_size=5, shuffle=True, generator=seeded())
    assert [n for _, y in again for n in y.tolist()] == epochs[0]


def test_the_seed_of_the_library_seeds_the_order() -> None:
    orders = []
    for _ in range(2):
        mg.manual_seed(3)
        orders.append([n for _, y in DataLoader(rows(), 5, shuffle=True) for n in y.tolist()])
    assert orders[0] == orders[1]


def test_a_loader_takes_any_sequence_sampler_and_collation() -> None:
    assert [b.tolist() for b in DataLoader(Squares(), batch_size=2)] == [[0, 1], [4, 9], [16]]
    assert [b.tolist() for b in DataLoader([1.5, 2.5], batch_size=2)] == [[1.5, 2.5]]
    assert list(DataLoader(Squares(), batch_size=None)) == [0, 1, 4, 9, 16]
    assert [b.tolist() for b in DataLoader(Squares(), batch_size=2, sampler=[3, 1])] == [[9, 1]]
    assert [b.tolist() for b in DataLoader(Squares(), batch_sampler=[[0], [2, 1]])] == [[0], [4, 1]]
    assert list(DataLoader(Squares(), batch_size=3, collate_fn=sum)) == [5, 25]


def test_a_stream_is_taken_as_it_comes() -> None:
    class Stream(IterableDataset[int]):
        def __iter__(self) -> Iterator[int]:
            return iter(range(5))

    assert [b.tolist() for b in DataLoader(Stream(), batch_size=2)] == [[0, 1], [2, 3], [4]]
    assert [b.tolist() for b in DataLoader(Stream(), batch_size=2, drop_last=True)] == [[0, 1], [2, 3]]
    assert list(DataLoader(Stream(), batch_size=None)) == [0, 1, 2, 3, 4]
    with pytest.raises(TypeError, match="has no len"):
        len(DataLoader(Stream()))


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"num_workers": -1}, ValueError, "num_workers option should be non-negative"),
        ({"shuffle": True, "sampler": [0]}, ValueError, "mutually exclusive with shuffle"),
        ({"batch_sampler": [[0]], "drop_last": True}, ValueError, "mutually exclusive with batch_size"),
        ({"batch_size": -1}, ValueError, "positive integer value, but got batch_size=-1"),
        ({"dataset": 3}, TypeError, "a dataset needs __getitem__ and __len__"),
        ({"dataset": [], "shuffle": True}, ValueError, "the dataset is empty"),
    ],
)
def test_arguments_that_do_not_go_together_are_refused(
    arguments: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        DataLoader(**{"dataset": Squares(), **arguments})


def test_collation_keeps_the_form() -> None:
    class Pair(NamedTuple):
        x: Any
        name: str

    made = default_collate([Pair(mg.ones(2), "a"), Pair(mg.zeros(2), "b")])
    assert isinstance(made, Pair) and made.x.tolist() == [[1.0, 1.0], [0.0, 0.0]]
    assert [*made.name] == ["a", "b"]
    made = default_collate([{"a": 1, "b": [1.0, True]}, {"a": 2, "b": [2.0, False]}])
    assert made["a"].tolist() == [1, 2] and made["a"].dtype is mg.int64
    assert made["b"][0].dtype is mg.float64 and made["b"][1].tolist() == [True, False]
    assert default_collate([np.ones(2), np.zeros(2)]).shape == (2, 2)
    with pytest.raises(RuntimeError, match=r"stack expects each tensor to be equal size.*\[2\] and \[3\]"):
        default_collate([mg.ones(2), mg.ones(3)])
    with pytest.raises(RuntimeError, match="should be of equal size"):
        default_collate([[1], [1, 2]])
    with pytest.raises(TypeError, match="found object"):
        default_collate([object()])


# Problems


@pytest.mark.parametrize("make", [moons, spirals, xor, blobs, circles])
def test_a_problem_has_points_and_classes_that_the_seed_decides(make: Any) -> None:
    points, labels = make(101, noise=0.1, generator=seeded()).tensors
    assert tuple(points.shape) == (101, 2) and points.dtype is mg.float32
    assert labels.dtype is mg.int64 and tuple(labels.shape) == (101,)
    counts = [labels.tolist().count(label) for label in sorted(set(labels.tolist()))]
    assert len(counts) == (3 if make is blobs else 2)
    assert max(counts) - min(counts) <= (30 if make is xor else 1)
    assert make(101, noise=0.1, generator=seeded()).tensors[0].tolist() == points.tolist()
    assert make(101, noise=0.1, generator=seeded(1)).tensors[0].tolist() != points.tolist()


def test_without_noise_the_points_lie_where_they_should() -> None:
    x, y = circles(8, noise=0.0).tensors[0][0].tolist()
    assert (x, y) == (1.0, 0.0)
    for (x, y), label in zip(*(each.tolist() for each in xor(50, generator=seeded()).tensors), strict=True):
        assert label == (x * y < 0)
    for x, y in spirals(20, noise=0.0).tensors[0].tolist():
        assert 0.09 < math.hypot(x, y) <= 1.0001


def test_the_digits_are_all_there() -> None:
    pictures, labels = digits().tensors
    assert tuple(pictures.shape) == (1797, 64) and pictures.dtype is mg.float32
    assert pictures.min().item() == 0.0 and pictures.max().item() == 1.0
    assert [labels.tolist().count(n) for n in range(10)] == [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]
    raw = digits(flat=False, scaled=False).tensors[0]
    assert tuple(raw.shape) == (1797, 1, 8, 8) and raw.max().item() == 16.0


def test_the_digits_are_scikit_learns_and_the_file_can_be_rebuilt() -> None:
    pytest.importorskip("sklearn")
    from minigrad.utils.data.digits import FILE
    from minigrad.utils.data.rebuild_digits import rebuilt

    assert gzip.decompress(rebuilt()) == gzip.decompress(FILE.read_bytes())


def test_where_the_digits_are_from_is_said_beside_them() -> None:
    from minigrad.utils.data.digits import FILE

    text = FILE.with_name("digits.txt").read_text()
    assert "Alpaydin" in text and "CC BY 4.0" in text and "10.24432/C50P49" in text


# IDX


def idx(kind: int, shape: tuple[int, ...], data: bytes) -> bytes:
    return bytes([0, 0, kind, len(shape)]) + struct.pack(f">{len(shape)}I", *shape) + data


def test_idx_files_are_read_plain_and_zipped(tmp_path: Path) -> None:
    plain, zipped = tmp_path / "images-idx3-ubyte", tmp_path / "labels-idx1.gz"
    plain.write_bytes(idx(0x08, (2, 2, 3), bytes(range(12))))
    zipped.write_bytes(gzip.compress(idx(0x0C, (3,), struct.pack(">3i", 1, -2, 3))))
    images, labels = read_idx(plain), read_idx(str(zipped))
    assert images.dtype is mg.uint8 and images[1].tolist() == [[6, 7, 8], [9, 10, 11]]
    assert labels.dtype is mg.int32 and labels.tolist() == [1, -2, 3]


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"PNG!", "is no IDX file"), (b"", "is no IDX file"), (idx(0x08, (2, 2), b"abc"), "cut short or damaged")],
)
def test_what_is_no_idx_file_is_said_to_be_none(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=words):
        read_idx(path)


def test_samplers_draw_when_the_first_index_is_asked_for(lib: Any) -> None:
    data = lib.utils.data
    weights = [0.2, 0.5, 3.0, 0.9]
    samplers = [data.WeightedRandomSampler(weights, 4, replacement) for replacement in (True, False)]
    for sampler in [*samplers, data.RandomSampler(weights), data.SubsetRandomSampler(range(4))]:
        orders = []
        for waiting in (iter(sampler), iter(sampler)):
            lib.manual_seed(5)
            orders.append([int(i) for i in waiting])
        lib.manual_seed(5)
        assert orders == [[int(i) for i in sampler]] * 2
