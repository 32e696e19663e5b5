"""Every op of the library, on each of its own samples: a new op is tested by existing."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import minigrad as mg
from minigrad.backend import CPU
from minigrad.core.dispatch import binary, unary
from minigrad.core.tensor import Tensor

from .numeric import (
    Case,
    all_ops,
    any_gradient,
    cases,
    close,
    direction,
    host,
    inner,
    put,
    slope,
    weights_for,
    with_array,
)

EACH_KIND = [*[("f", each) for each in cases("f")], *[("c", each) for each in cases("c")]]
REAL_AND_COMPLEX = [
    pytest.param(
        each.values[0],
        np.float64 if kind == "f" else np.complex128,
        id=f"{each.id}-{'real' if kind == 'f' else 'complex'}",
    )
    for kind, each in EACH_KIND
]


def needing_grad(inputs: list[Any], moving: list[int]) -> list[Any]:
    return [each.detach().requires_grad_() if i in moving else each for i, each in enumerate(inputs)]


def gradients(case: Case, inputs: list[Any], weights: list[Any], moving: list[int]) -> list[Any]:
    """The gradients by reverse mode, as arrays; zeros for what was not reached."""
    leaves = needing_grad(inputs, moving)
    outputs = case.run(leaves)
    wanted = [leaves[i] for i in moving]
    found = mg.autograd.grad(outputs, wanted, [put(w) for w in weights], materialize_grads=True)
    return [host(each) for each in found]


@pytest.mark.parametrize("op", [pytest.param(op, id=op.__name__) for op in all_ops()])
def test_an_op_says_what_it_is(op: Any) -> None:
    assert op.__doc__, "no docstring"
    assert op.__dict__.get("formula") or op.formula, "no formula"
    assert op.samples, "no samples to try it on"
    rules = [op.rule_of(i) for i in range(len(op.inputs_named)) if op.backward is None and op.differentiable(i)]
    for rule in [op.backward] if op.backward is not None else rules:
        assert inspect.getdoc(rule), f"{rule.__name__} has no formula for its docstring"


@pytest.mark.parametrize(("case", "dtype"), REAL_AND_COMPLEX)
def test_reverse_mode_agrees_with_central_differences(case: Case, dtype: Any) -> None:
    inputs = case.draw(dtype)
    moving = case.moving(inputs)
    weights = weights_for(case.run(inputs))
    found = gradients(case, inputs, weights, moving) if weights else []
    for index, gradient in zip(moving, found, strict=False):

        def loss(array: Any, index: int = index) -> float:
            outputs = case.run(with_array(inputs, index, array))
            return sum(inner(w, host(out)) for w, out in zip(weights, outputs, strict=True))

        close(gradient, slope(loss, host(inputs[index])), f"gradient of input {index}")


@pytest.mark.parametrize(("case", "dtype"), REAL_AND_COMPLEX)
def test_forward_mode_agrees_with_central_differences(case: Case, dtype: Any) -> None:
    inputs = case.draw(dtype)
    moving = case.moving(inputs)
    tangents = [host(inputs[i]) * 0 + np.random.default_rng(7).standard_normal(inputs[i].shape) for i in moving]
    if dtype is np.complex128:
        tangents = [t * (0.6 + 0.8j) if inputs[i].is_complex() else t for i, t in zip(moving, tangents, strict=True)]

    def run(arrays: list[Any]) -> list[Any]:
        changed = inputs
        for index, array in zip(moving, arrays, strict=True):
            changed = with_array(changed, index, array)
        return [host(out) for out in case.run(changed)]

    op = case.make()
    result = op(*inputs)
    outputs = result if isinstance(result, tuple) else (result,)
    given: list[Any] = [None] * len(inputs)
    for index, tangent in zip(moving, tangents, strict=True):
        given[index] = put(tangent)
    pushed = op.jvp(given, tuple(inputs), outputs)
    pushed = pushed if isinstance(pushed, tuple) else (pushed,)
    found = [t for t, out in zip(pushed, outputs, strict=True) if out.dtype.is_differentiable]
    wanted = direction(run, [host(inputs[i]) for i in moving], tangents)
    for i, (tangent, expected) in enumerate(zip(found, wanted, strict=True)):
        close(0 * expected if tangent is None else host(tangent), expected, f"tangent of output {i}")


@pytest.mark.parametrize(("case", "dtype"), REAL_AND_COMPLEX)
def test_gradients_can_be_differentiated_again(case: Case, dtype: Any) -> None:
    inputs = case.draw(dtype)
    moving = case.moving(inputs)
    weights = weights_for(case.run(inputs))
    if not weights or not moving or not all(inputs[i].numel() for i in moving):
        return
    leaves = needing_grad(inputs, moving)
    heads = [put(w).requires_grad_() for w in weights]
    firsts = mg.autograd.grad(
        case.run(leaves), [leaves[i] for i in moving], heads, create_graph=True, materialize_grads=True
    )
    seeds = weights_for(firsts, 5)
    reached = [(first, put(seed)) for first, seed in zip(firsts, seeds, strict=True) if first.requires_grad]
    if not reached:
        return
    seconds = mg.autograd.grad(
        [first for first, _ in reached],
        [leaves[i] for i in moving],
        [seed for _, seed in reached],
        materialize_grads=True,
    )
    for index, second in zip(moving, seconds, strict=True):

        def pairing(array: Any, index: int = index) -> float:
            found = gradients(case, with_array(inputs, index, array), weights, moving)
            return sum(inner(seed, each) for seed, each in zip(seeds, found, strict=True))

        close(host(second), slope(pairing, host(inputs[index])), f"second gradient of input {index}", 1e-5)


@pytest.mark.parametrize(("case", "dtype"), REAL_AND_COMPLEX)
def test_gradients_are_linear_in_what_comes_in(case: Case, dtype: Any) -> None:
    """The gradient with respect to the incoming gradient, which makes forward mode by double reverse possible."""
    inputs = case.draw(dtype)
    moving = case.moving(inputs)
    weights = weights_for(case.run(inputs))
    if not weights or not moving:
        return
    leaves = needing_grad(inputs, moving)
    heads = [put(w).requires_grad_() for w in weights]
    firsts = mg.autograd.grad(
        case.run(leaves), [leaves[i] for i in moving], heads, create_graph=True, materialize_grads=True
    )
    seeds = weights_for(firsts, 5)
    reached = [(first, put(seed)) for first, seed in zip(firsts, seeds, strict=True) if first.requires_grad]
    if not reached:
        return
    found = mg.autograd.grad(
        [first for first, _ in reached], heads, [seed for _, seed in reached], materialize_grads=True
    )
    for place, back in enumerate(found):

        def pairing(array: Any, place: int = place) -> float:
            changed = [array if i == place else w for i, w in enumerate(weights)]
            got = gradients(case, inputs, changed, moving)
            return sum(inner(seed, each) for seed, each in zip(seeds, got, strict=True))

        close(host(back), slope(pairing, weights[place]), f"gradient of the gradient of output {place}")


SMALL = [
    *[(each, mg.float32, 1e-4) for each in cases("f", differentiable=False)],
    *[(each, mg.float16, 2e-2) for each in cases("f", differentiable=False)],
    *[(each, mg.bfloat16, 1e-1) for each in cases("f", differentiable=False)],
    *[(each, mg.complex64, 1e-4) for each in cases("c", differentiable=False)],
]


def wide_of(inputs: list[Any], dtype: Any) -> list[Any]:
    """The same numbers, in double precision."""
    wide = np.complex128 if dtype.is_complex else np.float64
    return [
        put(host(each).astype(wide)) if isinstance(each, Tensor) and each.dtype is dtype else each for each in inputs
    ]


@pytest.mark.parametrize(
    ("case", "dtype", "tolerance"),
    [pytest.param(c.values[0], d, t, id=f"{c.id}-{d.name}") for c, d, t in SMALL if d not in c.values[0].op.lacks],
)
def test_smaller_types_agree_with_double_precision(case: Case, dtype: Any, tolerance: float) -> None:
    inputs = case.draw(dtype.numpy)
    moving = case.moving(inputs)
    small, wide = case.run(inputs), case.run(wide_of(inputs, dtype))
    for i, (a, b) in enumerate(zip(small, wide, strict=True)):
        narrow = "dtype" in case.op.settings or a.dtype.itemsize < b.dtype.itemsize
        assert narrow or not inputs, f"output {i} is {a.dtype} for inputs of {dtype}"
        scale = 1 + np.abs(host(b)).max(initial=0)
        np.testing.assert_allclose(host(a).astype(b.dtype.numpy), host(b), rtol=tolerance, atol=tolerance * scale)
    if not small or not moving or not any_gradient(case.op):
        return
    weights = [np.ones_like(host(out)) for out in small]
    for index, gradient in zip(moving, gradients(case, inputs, weights, moving), strict=True):
        assert gradient.dtype == inputs[index].dtype.numpy, f"the gradient of input {index} is {gradient.dtype}"


REFUSING: dict[str, Any] = {
    "cholesky": mg.linalg.cholesky,
    "det": mg.linalg.det,
    "eig": mg.linalg.eig,
    "eigh": mg.linalg.eigh,
    "fft": mg.fft.fft,
    "ifft": mg.fft.ifft,
    "rfft": mg.fft.rfft,
    "rfft2": mg.fft.rfft2,
    "ihfft": mg.fft.ihfft,
    "inv": mg.linalg.inv,
    "lu": mg.linalg.lu,
    "matrix_exp": mg.linalg.matrix_exp,
    "pinv": mg.linalg.pinv,
    "qr": mg.linalg.qr,
    "slogdet": mg.linalg.slogdet,
    "solve": lambda x: mg.linalg.solve(x, x),
    "svd": mg.linalg.svd,
    "view_as_complex": mg.view_as_complex,
}


@pytest.mark.parametrize("dtype", [mg.float16, mg.bfloat16], ids=str)
@pytest.mark.parametrize("name", REFUSING)
def test_who_calls_what_lacks_half_precision_is_told_so(name: str, dtype: Any) -> None:
    with pytest.raises(RuntimeError, match=rf"{dtype}.*convert with \.float\(\)"):
        REFUSING[name](mg.tensor([[2.0, 1.0], [1.0, 2.0]], dtype=dtype))


def strided(tensor: Any) -> Any:
    """The same numbers, laid out with gaps."""
    if not isinstance(tensor, Tensor) or not tensor.ndim:
        return tensor
    roomy = put(np.zeros(tuple(2 * size for size in tensor.shape), tensor.dtype.numpy))
    return roomy[tuple(slice(0, None, 2) for _ in tensor.shape)].copy_(tensor)


@pytest.mark.parametrize("case", cases("f", differentiable=False))
def test_layout_in_memory_does_not_matter(case: Case) -> None:
    if case.op.contiguous_only:
        pytest.skip(f"{case.op.__name__} looks at memory, and the function that calls it checks the strides")
    inputs = case.draw()
    moving = case.moving(inputs)
    spaced = [strided(each) for each in inputs]
    plain, other = case.run(inputs), case.run(spaced)
    for a, b in zip(plain, other, strict=True):
        close(host(b), host(a), "outputs", 1e-12)
    weights = weights_for(plain)
    if weights and moving:
        for a, b in zip(
            gradients(case, inputs, weights, moving), gradients(case, spaced, weights, moving), strict=True
        ):
            close(b, a, "gradients", 1e-12)


METHODS = [getattr(Tensor, name, None) for name in vars(Tensor)]  # asked for by name: a family of ops is imported then
SHORT_ROADS = {each.op for each in METHODS if hasattr(each, "op") and not isinstance(each, property)}
SHORT = [each for each in cases("f", differentiable=False) if each.values[0].op in SHORT_ROADS]


@pytest.mark.parametrize("case", SHORT)
def test_the_short_road_leads_where_the_long_one_does(case: Case) -> None:
    short = (unary if len(case.op.inputs_named) == 1 else binary)(case.op)
    for dtype in (np.float32, np.float64):
        inputs = case.draw(dtype)
        leaves = needing_grad(inputs, case.moving(inputs))
        ends_alike(short(*leaves), case.op().apply(tuple(leaves)), leaves)


def turned(tensor: Tensor) -> Tensor:
    """The same numbers, laid out column by column."""
    return tensor.permute(*reversed(range(tensor.ndim))).contiguous().permute(*reversed(range(tensor.ndim)))


ALONE = [each for each in cases("f", differentiable=False) if each.values[0].op.alone]


@pytest.mark.parametrize("layout", [lambda x: x, strided, turned], ids=["rows", "gaps", "columns"])
@pytest.mark.parametrize("case", ALONE)
def test_an_op_alone_does_what_every_op_does(case: Case, layout: Any) -> None:
    for dtype in (np.float32, np.float64):
        [input] = case.draw(dtype)
        for wanted in (False, True):
            leaf = (
                (input if case.op.contiguous_only else layout(input))
                .detach()
                .requires_grad_(wanted and case.moving([input]) == [0])
            )
            mg.manual_seed(3)
            fast = case.make()(leaf)
            mg.manual_seed(3)
            slow = case.make().apply((leaf,))
            assert fast.stride() == slow.stride()
            assert (fast._base is leaf) == (slow._base is leaf)
            assert fast.grad_fn is None or fast.grad_fn.metas == slow.grad_fn.metas
            ends_alike(fast, slow, [leaf])


def ends_alike(fast: Any, slow: Any, leaves: list[Any]) -> None:
    """The results of both roads are the same, to the bit, and so are their nodes and gradients."""
    np.testing.assert_array_equal(host(fast), host(slow))
    assert fast.dtype == slow.dtype
    assert fast.requires_grad == slow.requires_grad
    if fast.grad_fn is None:
        return
    a, b = fast.grad_fn, slow.grad_fn
    assert (type(a), a.edges, a.plan) == (type(b), b.edges, b.plan)
    assert [version for _, version in a.saved] == [version for _, version in b.saved]
    for (mine, _), (theirs, _) in zip(a.saved, b.saved, strict=True):
        assert mine is theirs or np.array_equal(host(mine), host(theirs), equal_nan=True)
    wanted = [each for each in leaves if isinstance(each, Tensor) and each.requires_grad]
    found = [mg.autograd.grad(out.sum().abs(), wanted, materialize_grads=True) for out in (fast, slow)]
    for mine, theirs in zip(*found, strict=True):
        np.testing.assert_array_equal(host(mine), host(theirs))


@pytest.mark.parametrize("case", cases("f", differentiable=False))
def test_an_op_declares_what_its_forward_sets_on_it(case: Case) -> None:
    """Under vmap `forward` sees one example if it `remembers` something; gradients can do without what it `keeps`."""
    op, inputs = case.make(), case.draw()
    backend = next((each._backend for each in inputs if isinstance(each, Tensor)), CPU)
    before = dict(getattr(op, "__dict__", {}))
    op.forward(backend, *op.arrays_of(backend, inputs))
    after = getattr(op, "__dict__", {})
    noted = {name for name, value in after.items() if name not in before or before[name] is not value}
    declared = {*op.remembers, *op.keeps}
    assert noted <= declared, f"forward sets {sorted(noted)}, and the op declares {sorted(declared)}"
