"""vmap: what a function does to one example, done to many."""

from __future__ import annotations

from typing import Any

import pytest

import minigrad as mg
import minigrad.nn

from .helpers import rows

pytestmark = pytest.mark.filterwarnings("ignore:.*torch.jit.*is deprecated:DeprecationWarning")


# Coming and going -----------------------------------------------------------------------------------------------------


def test_the_function_sees_one_example(lib: Any) -> None:
    seen = []

    def f(x: Any) -> Any:
        seen.append((tuple(x.shape), x.ndim, x.numel(), x.stride(), x.is_contiguous(), x.requires_grad, x.dtype))
        return x.sum()

    assert lib.func.vmap(f)(rows(lib)).tolist() == [3, 12]
    assert seen == [((3,), 1, 3, (1,), True, False, lib.float64)]


def test_examples_may_lie_along_any_dimension(lib: Any) -> None:
    x = rows(lib)
    assert lib.func.vmap(lambda x: x.sum(), in_dims=1)(x).tolist() == [3, 5, 7]
    assert lib.func.vmap(lambda x: x.sum(), in_dims=-1)(x).tolist() == [3, 5, 7]
    assert lib.func.vmap(lambda x: x * 2, out_dims=1)(x).tolist() == (x * 2).T.tolist()
    assert lib.func.vmap(lambda x: x * 2, out_dims=-1)(x).tolist() == (x * 2).T.tolist()


def test_an_input_with_none_is_the_same_for_every_example(lib: Any) -> None:
    x, w = rows(lib), lib.tensor([1.0, 10.0, 100.0], dtype=lib.float64)
    assert lib.func.vmap(lambda x, w: (x * w).sum(), in_dims=(0, None))(x, w).tolist() == [210, 543]
    assert lib.func.vmap(lambda x: (x * w).sum())(x).tolist() == [210, 543]


def test_inputs_and_outputs_may_be_structures(lib: Any) -> None:
    x = rows(lib)
    found = lib.func.vmap(lambda d: [d["a"] * d["b"], {"sum": d["a"].sum()}], in_dims=({"a": 0, "b": None},))(
        {"a": x, "b": lib.ones(3, dtype=lib.float64) * 2}
    )
    assert found[0].tolist() == (x * 2).tolist() and found[1]["sum"].tolist() == [3, 12]
    first, second = lib.func.vmap(lambda x: (x, x.sum()), out_dims=(1, 0))(x)
    assert first.tolist() == x.T.tolist() and second.tolist() == [3, 12]


def test_an_output_that_is_alike_for_all_is_repeated_or_handed_out_once(lib: Any) -> None:
    assert lib.func.vmap(lambda x: lib.ones(2))(rows(lib)).tolist() == [[1, 1], [1, 1]]
    assert lib.func.vmap(lambda x: lib.ones(2), out_dims=None)(rows(lib)).tolist() == [1, 1]


def test_calls_nest(lib: Any) -> None:
    vmap = lib.func.vmap
    outer = vmap(vmap(lambda a, b: a * b, in_dims=(None, 0)), in_dims=(0, None))
    assert outer(lib.tensor([1.0, 2.0]), lib.tensor([3.0, 4.0, 5.0])).tolist() == [[3, 4, 5], [6, 8, 10]]


def test_chunks_give_the_same(lib: Any) -> None:
    x = rows(lib, 5, 3)
    f = lambda x, w: (x * w).sum()  # noqa: E731
    w = lib.ones(3, dtype=lib.float64)
    whole = lib.func.vmap(f, (0, None))(x, w)
    assert lib.func.vmap(f, (0, None), chunk_size=2)(x, w).tolist() == whole.tolist()
    assert lib.func.vmap(lambda x: x * 2, out_dims=1, chunk_size=2)(x).tolist() == (x * 2).T.tolist()


def test_no_examples_give_an_empty_result(lib: Any) -> None:
    found = lib.func.vmap(lambda x: x.sum())(lib.ones(0, 3))
    assert tuple(found.shape) == (0,)
    assert tuple(mg.func.vmap(lambda x: x.sort()[0])(mg.ones(0, 3)).shape) == (0, 3)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda vmap, x: vmap(lambda: 1)(), "got no inputs"),
        (
            lambda vmap, x: vmap(lambda x: x, in_dims="a")(x),
            "expected `in_dims` to be int or a .potentially nested. tuple",
        ),
        (
            lambda vmap, x: vmap(lambda x: x, in_dims=(0, 0))(x),
            "in_dims is not compatible with the structure of `inputs`",
        ),
        (lambda vmap, x: vmap(lambda x, y: x)(x, 2.0), "We cannot vmap over non-Tensor arguments"),
        (lambda vmap, x: vmap(lambda x: x, in_dims=3)(x), "expected in_dim to satisfy -2 <= in_dim < 2"),
        (lambda vmap, x: vmap(lambda x: x, in_dims=(None,))(x), "Expected at least one Tensor to vmap over"),
        (lambda vmap, x: vmap(lambda x, y: x)(x, x.T), "the same size in the mapped dimension"),
        (lambda vmap, x: vmap(lambda x: 1)(x), "must only return Tensors, got type <class 'int'>"),
        (lambda vmap, x: vmap(lambda x: x, out_dims=None)(x), "can not return a BatchedTensor when out_dim is None"),
        (
            lambda vmap, x: vmap(lambda x: x, out_dims=(0, 0))(x),
            "out_dims is not compatible with the structure of `outputs`",
        ),
        (
            lambda vmap, x: vmap(lambda x: x, out_dims="a")(x),
            "`out_dims` must be an int, None or a python collection of ints",
        ),
        (lambda vmap, x: vmap(lambda x: x, chunk_size=0)(x), "chunk_size should be None or greater than 0"),
    ],
)
def test_arguments_that_do_not_fit_are_explained(lib: Any, call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call(lib.func.vmap, rows(lib))


def test_out_dims_must_exist(lib: Any) -> None:
    with pytest.raises(IndexError, match="Dimension out of range"):
        lib.func.vmap(lambda x: x, out_dims=5)(rows(lib))


# What one example cannot know -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x: x.sum().item(), "calling .item.. on a Tensor"),
        (lambda x: x if x.sum() > 0 else -x, "data-dependent control flow"),
        (lambda x: x[x > 1], "dynamic shape|boolean mask"),
        (
            lambda x: x.requires_grad_(),
            "attempting to call Tensor.requires_grad_.*inside of a function being transformed",
        ),
    ],
)
def test_numbers_of_one_example_are_not_to_be_had(lib: Any, function: Any, message: str) -> None:
    with pytest.raises(RuntimeError, match=message):
        lib.func.vmap(function)(rows(lib))


def test_an_escaped_tensor_says_where_it_came_from(lib: Any) -> None:
    kept = []
    lib.func.vmap(lambda x: kept.append(x) or x)(rows(lib))  # type: ignore[func-returns-value]
    with pytest.raises(RuntimeError, match="your tensor may have escaped|this tensor may have escaped"):
        kept[0] + 1


@pytest.mark.cpu("what is printed names the device")
def test_a_tensor_under_vmap_prints_all_examples(lib: Any) -> None:
    texts = []
    lib.func.vmap(lambda x: texts.append(repr(x)) or x)(lib.tensor([[1.0], [2.0]]))  # type: ignore[func-returns-value]
    assert texts == ["BatchedTensor(lvl=1, bdim=0, value=\n    tensor([[1.],\n            [2.]])\n)"]


def test_questions_about_all_examples_have_an_answer() -> None:
    x = mg.tensor([[1.0, 0.0], [2.0, 3.0]])
    slope = mg.func.vmap(mg.func.grad(lambda x: x.prod()))(x)
    assert slope.tolist() == [[0, 1], [3, 2]]


def test_an_error_inside_leaves_no_level_behind() -> None:
    def fails(x: mg.Tensor) -> Any:
        raise KeyError("inside")

    x = rows(mg)
    for call in (
        lambda: mg.func.vmap(fails)(x),
        lambda: mg.func.jvp(fails, (x,), (x,)),
        lambda: mg.func.grad(fails)(x),
    ):
        with pytest.raises(KeyError, match="inside"):
            call()
    y = mg.ones(2, requires_grad=True) * 2
    assert y.requires_grad and y.grad_fn is not None and type(y._array) is mg.zeros(())._backend.array_type


# Randomness -----------------------------------------------------------------------------------------------------------


def test_random_numbers_are_refused_unless_asked_for(lib: Any) -> None:
    with pytest.raises(RuntimeError, match="called random operation while in randomness error mode"):
        lib.func.vmap(lambda x: x + lib.rand(3))(rows(lib))
    with pytest.raises(RuntimeError, match="Only allowed values for randomness are 'error', 'different', or 'same'"):
        lib.func.vmap(lambda x: x, randomness="sometimes")(rows(lib))


def test_random_numbers_are_the_same_for_all_or_differ(lib: Any) -> None:
    x = lib.zeros(4, 100)
    same = lib.func.vmap(lambda x: x + lib.rand(100), randomness="same")(x)
    different = lib.func.vmap(lambda x: x + lib.rand(100), randomness="different")(x)
    assert all(each.tolist() == same[0].tolist() for each in same)
    assert len({tuple(each.tolist()) for each in different}) == 4


def test_dropout_draws_as_it_is_told(lib: Any) -> None:
    dropout = lib.nn.functional.dropout
    x = lib.ones(3, 100)
    different = lib.func.vmap(lambda x: dropout(x, 0.5), randomness="different")(x)
    assert len({tuple(each.tolist()) for each in different}) == 3
    same = lib.func.vmap(lambda x: dropout(x, 0.5), randomness="same")(x)
    assert len({tuple(each.tolist()) for each in same}) == 1


def test_numbers_drawn_in_place_differ_only_in_what_has_examples(lib: Any) -> None:
    found = lib.func.vmap(lambda x: x.clone().normal_(), randomness="different")(lib.zeros(3, 50))
    assert len({tuple(each.tolist()) for each in found}) == 3
    with pytest.raises(RuntimeError, match="Cannot ask for different inplace randomness on an unbatched tensor"):
        lib.func.vmap(lambda x: lib.zeros(3).normal_(), randomness="different")(lib.zeros(3, 50))


# Indices and types ----------------------------------------------------------------------------------------------------


def test_every_example_may_bring_its_own_index(lib: Any) -> None:
    x = rows(lib)
    index = lib.tensor([[0, 2], [1, 1]])
    assert lib.func.vmap(lambda x, i: x[i])(x, index).tolist() == [[0, 2], [4, 4]]
    assert lib.func.vmap(lambda i: x[:, i], in_dims=0)(index).tolist() == [[[0, 2], [3, 5]], [[1, 1], [4, 4]]]
    assert lib.func.vmap(lambda x, i: x.gather(0, i))(x, index).tolist() == [[0, 2], [4, 4]]


def test_a_single_number_may_index_too() -> None:
    picked = mg.func.vmap(lambda x, i: x[i])(rows(mg), mg.tensor([2, 0]))
    assert picked.tolist() == [2, 3]


def test_where_the_indexed_dimensions_are_apart_the_result_is_as_for_one(lib: Any) -> None:
    x = lib.arange(2 * 3 * 4 * 5).reshape(2, 3, 4, 5)
    i, j = lib.tensor([[0, 1], [2, 0]]), lib.tensor([1, 3])
    for f in (lambda x, i: x[i, :, j], lambda x, i: x[:, i, j], lambda x, i: x[i]):
        expected = lib.stack([f(a, b) for a, b in zip(x, i, strict=True)])
        assert lib.func.vmap(f)(x, i).tolist() == expected.tolist()


def test_types_meet_as_they_do_for_one_example(lib: Any) -> None:
    scalars, vectors = lib.ones(2, dtype=lib.float64), lib.ones(2, 3, dtype=lib.float32)
    assert lib.func.vmap(lambda a, b: a * b)(scalars, vectors).dtype == lib.float32


def test_an_example_is_read_as_another_type_where_it_lies_right(lib: Any) -> None:
    x = lib.arange(8, dtype=lib.float32).reshape(2, 4)
    assert lib.func.vmap(lambda x: lib.view_as_complex(x[2:]))(x).tolist() == [2 + 3j, 6 + 7j]
    with pytest.raises(RuntimeError, match="storage_offset divisible by 2"):
        lib.func.vmap(lambda x: lib.view_as_complex(x[1:3]))(x)
    with pytest.raises(RuntimeError, match=r"self.storage_offset\(\) must be divisible by 2 to view Float as Double"):
        lib.func.vmap(lambda x: x[1:3].view(lib.float64))(x)
