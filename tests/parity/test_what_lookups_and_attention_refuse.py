"""Tables, bags and attention refuse what does not fit; before, some of it gave numbers that meant nothing."""

from __future__ import annotations

from typing import Any

import pytest

import minigrad as mg

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.parity
BOTH = pytest.mark.parametrize("lib", [mg, torch], ids=["minigrad", "torch"])


def bag(lib: Any, offsets: Any = (0, 2), factors: Any = None, rows: int = 5, **settings: Any) -> Any:
    indices, weight = lib.tensor([3, 1, 1, 0]), lib.ones(rows, 2)
    offsets = lib.tensor(offsets, dtype=lib.int64)
    return lib.nn.functional.embedding_bag(indices, weight, offsets, per_sample_weights=factors, **settings)


def attend(lib: Any, query: Any, key: Any, value: Any, **masks: Any) -> Any:
    return lib.nn.MultiheadAttention(4, 2)(lib.ones(*query), lib.ones(*key), lib.ones(*value), **masks)


BATCHED, ALONE = [(3, 2, 4)] * 3, [(3, 4)] * 3
REFUSED: dict[str, tuple[Any, type[Exception], str]] = {
    "a padding row that is not there": (
        lambda lib: bag(lib, padding_idx=5),
        RuntimeError,
        "padding_idx must be within the number of embeddings, -5 through 4, but got 5",
    ),
    "a module's padding row": (
        lambda lib: lib.nn.EmbeddingBag(5, 2, padding_idx=-6),
        AssertionError,
        "padding_idx must",
    ),
    "a table's padding row": (
        lambda lib: lib.nn.Embedding(5, 2, padding_idx=5),
        AssertionError,
        "must be within num_emb",
    ),
    "bags that begin later": (lambda lib: bag(lib, (1, 2)), RuntimeError, r"offsets\[0\] has to be 0"),
    "bags behind the end": (lambda lib: bag(lib, (0, 100)), RuntimeError, r"offsets\[-1\] can not be greater than"),
    "no end of the last bag": (
        lambda lib: bag(lib, (), include_last_offset=True),
        RuntimeError,
        "number of offset should be at least 1",
    ),
    "too few factors": (
        lambda lib: bag(lib, factors=lib.ones(3), mode="sum"),
        ValueError,
        "must have the same shape as the input",
    ),
    "factors of another type": (
        lambda lib: bag(lib, factors=lib.ones(4).double(), mode="sum"),
        RuntimeError,
        "to have the same type as tensor",
    ),
    "keys without a batch": (
        lambda lib: attend(lib, (3, 2, 4), (3, 4), (3, 2, 4)),
        AssertionError,
        r"For batched \(3-D\) `query`, expected `key` and `value` to be 3-D but found 2-D and 3-D",
    ),
    "a query of one dimension": (
        lambda lib: attend(lib, (4,), (3, 4), (3, 4)),
        AssertionError,
        "query should be unbatched 2D or batched 3D tensor but received 1-D",
    ),
    "a mask of one dimension": (
        lambda lib: attend(lib, *BATCHED, attn_mask=lib.zeros(3)),
        AssertionError,
        "expected `attn_mask` to be `None`, 2-D or 3-D but found 1-D",
    ),
    "a mask for other lengths": (
        lambda lib: attend(lib, *BATCHED, attn_mask=lib.zeros(1, 3)),
        RuntimeError,
        "The shape of the 2D attn_mask is .* but should be",
    ),
    "a mask for other heads": (
        lambda lib: attend(lib, *BATCHED, attn_mask=lib.zeros(2, 3, 3)),
        RuntimeError,
        "The shape of the 3D attn_mask is .* but should be",
    ),
    "padding of one dimension": (
        lambda lib: attend(lib, *BATCHED, key_padding_mask=lib.zeros(3)),
        AssertionError,
        "expected `key_padding_mask` to be `None` or 2-D but found 1-D",
    ),
    "padding of two dimensions": (
        lambda lib: attend(lib, *ALONE, key_padding_mask=lib.zeros(1, 3)),
        AssertionError,
        "expected `key_padding_mask` to be `None` or 1-D but found 2-D",
    ),
    "padding for one example": (
        lambda lib: attend(lib, *BATCHED, key_padding_mask=lib.zeros(1, 3)),
        AssertionError,
        "key_padd",
    ),
}


@BOTH
@pytest.mark.parametrize("case", REFUSED)
def test_what_does_not_fit_is_refused_in_the_same_words(lib: Any, case: str) -> None:
    call, error, words = REFUSED[case]
    with pytest.raises(error, match=words):
        call(lib)


@BOTH
@pytest.mark.parametrize(("rows", "indices"), [(0, []), (10, [[1, 2], [0, 9]])])
def test_a_table_without_columns_has_a_gradient(lib: Any, rows: int, indices: Any) -> None:
    table = lib.nn.Embedding(rows, 0)
    table(lib.tensor(indices, dtype=lib.int64)).sum().backward()
    assert table.weight.grad.shape == (rows, 0)
