"""vmap: what a function does to one example, done to many, inside and outside of every other transformation."""

from __future__ import annotations

import math
from typing import Any

import pytest

import minigrad as mg
import minigrad.fft
import minigrad.nn
from minigrad.core.op import REGISTRY, Op
from minigrad.func.rules import RULES

pytestmark = pytest.mark.filterwarnings("ignore:.*torch.jit.*is deprecated:DeprecationWarning")


def rows(lib: Any, count: int = 2, size: int = 3, **options: Any) -> Any:
    return lib.arange(count * size, dtype=lib.float64, **options).reshape(count, size)


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


# In place -------------------------------------------------------------------------------------------------------------


def test_a_change_in_place_reaches_all_examples(lib: Any) -> None:
    x = rows(lib)
    assert lib.func.vmap(lambda x: x.mul_(2).add_(1))(x).tolist() == [[1, 3, 5], [7, 9, 11]]
    assert x.tolist() == [[1, 3, 5], [7, 9, 11]]


def test_a_change_through_a_view_reaches_its_base(lib: Any) -> None:
    def f(x: Any) -> Any:
        y = x.clone()
        y[1:].mul_(10)
        y[0] = x.sum()
        return y

    assert lib.func.vmap(f)(rows(lib)).tolist() == [[3, 10, 20], [12, 40, 50]]


def test_what_differs_is_not_written_into_what_is_alike(lib: Any) -> None:
    with pytest.raises(RuntimeError, match="inplace arithmetic|doesn't match the broadcast shape"):
        lib.func.vmap(lambda x: lib.zeros(3, dtype=lib.float64).add_(x))(rows(lib))


def test_gradients_inside_go_through_changes_in_place(lib: Any) -> None:
    def f(x: Any) -> Any:
        y = x * 1
        y[0].mul_(3)
        y.mul_(x)
        return (y * x).sum()

    x = rows(lib)
    expected = lib.stack([lib.func.grad(f)(each) for each in x])
    assert lib.allclose(lib.func.vmap(lib.func.grad(f))(x), expected)
    assert lib.allclose(lib.func.grad(lambda x: lib.func.vmap(f)(x).sum())(x), expected)


def test_tangents_go_through_changes_in_place_inside(lib: Any) -> None:
    def f(x: Any) -> Any:
        y = x * 1
        y[0].mul_(x[1])
        return y.mul_(x)

    x, t = rows(lib), rows(lib) + 1
    expected = lib.stack([lib.func.jvp(f, (a,), (b,))[1] for a, b in zip(x, t, strict=True)])
    assert lib.allclose(lib.func.vmap(lambda a, b: lib.func.jvp(f, (a,), (b,))[1])(x, t), expected)
    assert lib.allclose(lib.func.jvp(lambda x: lib.func.vmap(f)(x), (x,), (t,))[1], expected)


# With derivatives -----------------------------------------------------------------------------------------------------


def f(x: Any) -> Any:
    return (x.sin() * x.flip(0) ** 2).sum()


def test_vmap_over_grad_and_grad_over_vmap(lib: Any) -> None:
    x = rows(lib) / 5
    expected = lib.stack([lib.func.grad(f)(each) for each in x])
    assert lib.allclose(lib.func.vmap(lib.func.grad(f))(x), expected)
    assert lib.allclose(lib.func.grad(lambda x: lib.func.vmap(f)(x).sum())(x), expected)


def test_vmap_over_hessian_and_a_mixture_of_everything(lib: Any) -> None:
    grad, jvp, vmap, hessian = lib.func.grad, lib.func.jvp, lib.func.vmap, lib.func.hessian
    x = rows(lib) / 5
    expected = lib.stack([hessian(f)(each) for each in x])
    assert lib.allclose(vmap(hessian(f))(x), expected)

    def mixture(x: Any) -> Any:
        pushed = vmap(lambda row: jvp(grad(f), (row,), (row * 2,))[1])(x)
        return (pushed * x).sum()

    by_hand = lambda x: sum(  # noqa: E731
        ((hessian(f)(row) @ (row * 2)) * row).sum() for row in x
    )
    assert lib.allclose(grad(mixture)(x), grad(by_hand)(x))


def test_a_gradient_for_every_example_by_weights_they_share(lib: Any) -> None:
    x, w = rows(lib), lib.ones(3, dtype=lib.float64)
    found = lib.func.vmap(lib.func.grad(lambda w, x: (w * x).sum() ** 2), (None, 0))(w, x)
    assert lib.allclose(found, 2 * x.sum(1, keepdim=True) * x)


def test_the_graph_outside_goes_on_through_vmap(lib: Any) -> None:
    w = lib.ones(3, dtype=lib.float64, requires_grad=True)
    lib.func.vmap(lambda x: (w * x).sum() ** 2)(rows(lib)).sum().backward()
    x = rows(lib)
    assert lib.allclose(w.grad, (2 * x.sum(1, keepdim=True) * x).sum(0))


def test_detach_and_no_grad_inside_hold_outside_too(lib: Any) -> None:
    x = rows(lib)
    assert lib.func.grad(lambda x: lib.func.vmap(lambda y: y * y.detach())(x).sum())(x).tolist() == x.tolist()


def test_batched_output_gradients_are_one_pass(lib: Any) -> None:
    x = lib.tensor([1.0, 2.0, 3.0], requires_grad=True)
    runs = []
    y = x * 2
    y.register_hook(lambda grad: runs.append(tuple(grad.shape)))
    (jacobian,) = lib.autograd.grad(y * y, x, lib.eye(3), is_grads_batched=True)
    assert jacobian.tolist() == [[8, 0, 0], [0, 16, 0], [0, 0, 24]] and runs == [(3,)]


def test_batched_output_gradients_go_through_views_changed_in_place(lib: Any) -> None:
    x = lib.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x * 1
    y[1:].mul_(x[:2])
    (jacobian,) = lib.autograd.grad(y, x, lib.eye(3), is_grads_batched=True)
    assert jacobian.tolist() == [[1, 0, 0], [2, 1, 0], [0, 3, 2]]


# Indexing by what differs ---------------------------------------------------------------------------------------------


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


# Promotion ------------------------------------------------------------------------------------------------------------


def test_types_meet_as_they_do_for_one_example(lib: Any) -> None:
    scalars, vectors = lib.ones(2, dtype=lib.float64), lib.ones(2, 3, dtype=lib.float32)
    assert lib.func.vmap(lambda a, b: a * b)(scalars, vectors).dtype == lib.float32


# Functions ------------------------------------------------------------------------------------------------------------


def make_product(lib: Any, generate: bool) -> Any:
    class Product(lib.autograd.Function):  # type: ignore[misc, name-defined]
        generate_vmap_rule = generate

        @staticmethod
        def forward(x: Any, y: Any) -> Any:
            return x * y

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.save_for_backward(*inputs)
            ctx.save_for_forward(*inputs)

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            x, y = ctx.saved_tensors
            return grad * y, grad * x

        @staticmethod
        def jvp(ctx: Any, dx: Any, dy: Any) -> Any:
            x, y = ctx.saved_tensors
            return dx * y + x * dy

    if not generate:

        def rule(info: Any, in_dims: Any, x: Any, y: Any) -> Any:
            assert info.batch_size == 2
            x = x.unsqueeze(-1) if in_dims[0] is None else x.movedim(in_dims[0], -1)
            y = y.unsqueeze(-1) if in_dims[1] is None else y.movedim(in_dims[1], -1)
            return Product.apply(x, y), -1

        Product.vmap = staticmethod(rule)  # type: ignore[method-assign]
    return Product


@pytest.mark.parametrize("generate", [True, False], ids=["generated", "written"])
def test_a_function_is_mapped_in_every_mode(lib: Any, generate: bool) -> None:
    product = make_product(lib, generate)
    vmap, grad, jvp = lib.func.vmap, lib.func.grad, lib.func.jvp
    x, w = rows(lib), lib.ones(3, dtype=lib.float64) * 2
    assert vmap(product.apply, (0, None))(x, w).tolist() == (x * 2).tolist()
    assert vmap(grad(lambda w, x: product.apply(x, w).sum()), (None, 0))(w, x).tolist() == x.tolist()
    assert grad(lambda w: vmap(product.apply, (0, None))(x, w).sum())(w).tolist() == x.sum(0).tolist()
    assert vmap(lambda x: jvp(lambda x: product.apply(x, w), (x,), (x,))[1])(x).tolist() == (x * 2).tolist()
    assert jvp(lambda x: vmap(product.apply, (0, None))(x, w), (x,), (x,))[1].tolist() == (x * 2).tolist()
    assert vmap(grad(lambda w, x: product.apply(x, w).sum() ** 2), (None, 0))(w, x).tolist() == [
        (2 * (row * w).sum() * row).tolist() for row in x
    ]


def test_a_function_without_a_rule_says_what_is_missing() -> None:
    class Double(mg.autograd.Function):
        @staticmethod
        def forward(x: Any) -> Any:
            return x * 2

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            pass

    with pytest.raises(NotImplementedError, match="does not have vmap support. .*generate_vmap_rule=True"):
        mg.func.vmap(Double.apply)(rows(mg))


# Every op -------------------------------------------------------------------------------------------------------------

SLOW = {"AsStrided", "EmbeddingBackward", "MaskedSelect", "MaskedScatter", "NormaliseBackward", "SortStably"}
"""Ops that run one example after the other. A new one is to be added here, or, better, to get a rule."""

EXAMPLES = 3


def drawn(op: type[Op], sample: Any) -> list[list[Any]]:
    """Inputs for several examples."""
    import numpy as np

    random = np.random.default_rng(0)
    kind = {"f": "float64", "c": "complex128", "i": "int64", "b": "bool"}[next(k for k in "fcib" if k in op.kinds)]
    drawings = [sample.draw(random, np.dtype(kind)) for _ in range(EXAMPLES)]
    return [[mg.tensor(each) if isinstance(each, np.ndarray) else each for each in inputs] for inputs in drawings]


def cases() -> list[Any]:
    found = []
    for name, op in sorted(REGISTRY.items()):
        if op.__module__.startswith("minigrad.") and name != "MaskedSelect":
            found += [pytest.param(op, sample, id=f"{name}-{i}") for i, sample in enumerate(op.samples)]
    return found


def as_tuple(result: Any) -> tuple[Any, ...]:
    return result if isinstance(result, tuple) else (result,)


@pytest.mark.parametrize(("op", "sample"), cases())
def test_every_op_does_to_a_batch_what_it_does_to_each(op: type[Op], sample: Any) -> None:
    examples = drawn(op, sample)
    tensors = [i for i, each in enumerate(examples[0]) if isinstance(each, mg.Tensor)]

    def call(*inputs: Any) -> Any:
        return op(*[sample.settings[name] for name in op.settings])(*inputs)

    for chosen in [tensors, *([i] for i in tensors if len(tensors) > 1)]:
        calls = [[x if i in chosen else examples[0][i] for i, x in enumerate(inputs)] for inputs in examples]
        dims = tuple(0 if i in chosen else None for i in range(len(calls[0])))
        batch = [mg.stack([inputs[i] for inputs in calls]) if i in chosen else each for i, each in enumerate(calls[0])]
        expected = [as_tuple(call(*inputs)) for inputs in calls]
        for found, *each in zip(as_tuple(mg.func.vmap(call, dims)(*batch)), *expected, strict=True):
            assert close(found, mg.stack(each))
        check_derivatives(op, call, calls, batch, dims)


def check_derivatives(op: type[Op], call: Any, calls: list[list[Any]], batch: list[Any], dims: Any) -> None:
    """Gradients inside vmap, and tangents inside vmap, against gradients of each example."""
    last = len(op.inputs_named) - 1
    moving = tuple(
        i
        for i, each in enumerate(calls[0])
        if isinstance(each, mg.Tensor) and each.dtype.is_floating_point and op.differentiable(min(i, last))
    )
    results = as_tuple(call(*calls[0]))
    if not moving or not any(each.dtype.is_differentiable for each in results):
        return

    def loss(*inputs: Any) -> Any:
        outputs = [
            each.abs() if each.dtype.is_complex else each
            for each in as_tuple(call(*inputs))
            if each.dtype.is_differentiable
        ]
        return sum((each * each).sum() for each in outputs)

    def pushed(*inputs: Any) -> Any:
        def of_moving(*inner: Any) -> Any:
            return loss(*[inner[moving.index(i)] if i in moving else each for i, each in enumerate(inputs)])

        directions = tuple(inputs[i] for i in moving)
        return mg.func.jvp(of_moving, directions, directions)[1]

    slopes = [mg.func.grad(loss, moving)(*inputs) for inputs in calls]
    for found, *each in zip(mg.func.vmap(mg.func.grad(loss, moving), dims)(*batch), *slopes, strict=True):
        assert close(found, mg.stack(each))
    if op.__name__ in ("Embedding", "Scatter", "IndexPut"):  # their gradients leave out what their tangents count
        return
    along = [
        sum((slope * inputs[i]).sum() for slope, i in zip(each, moving, strict=True))
        for each, inputs in zip(slopes, calls, strict=True)
    ]
    assert close(mg.func.vmap(pushed, dims)(*batch), mg.stack(along))


def close(found: mg.Tensor, expected: mg.Tensor) -> bool:
    if found.shape != expected.shape or found.dtype is not expected.dtype:
        return False
    if not found.dtype.is_differentiable:
        return bool((found == expected).all())
    return mg.allclose(found.cpu(), expected.cpu(), rtol=1e-6, atol=1e-9, equal_nan=True)


def test_few_ops_run_one_example_after_the_other() -> None:
    own = {name for name, op in REGISTRY.items() if op.__module__.startswith("minigrad.")}
    slow = {name for name in own if name not in RULES and not REGISTRY[name].elementwise}
    assert slow <= SLOW, f"{sorted(slow - SLOW)} have no batching rule: write one in minigrad/func/rules_*.py"
    assert set(RULES) <= own, f"rules for ops that do not exist: {sorted(set(RULES) - own)}"


def test_mapping_costs_about_one_op_and_not_one_for_each_example() -> None:
    ran = []
    with mg.events.listening(lambda event: ran.append(event) if isinstance(event, mg.events.NodeRecorded) else None):
        mg.func.vmap(lambda x: (x * x + 1).tanh().sum())(mg.ones(100, 3))
    assert 4 <= len(ran) <= 8 and math.isclose(sum(len(each.outputs) for each in ran), len(ran))
