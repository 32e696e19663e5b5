"""What a sweep over PyTorch's own samples found once: names, argument forms, and values at the edges."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import minigrad as mg

from .beside import Call, agree, complex_numbers, numbers, table, torch

pytestmark = pytest.mark.parity

M, V, Z = numbers(3, 4), numbers(4), complex_numbers(3, 3)
SQUARE = numbers(3, 3) + 3 * np.eye(3)
ORDERS = np.array([[0, 1, 2, 3], [4, 5, 6, 9], [-1, 0, 12, 2]])
FAMILIES = {
    "chebyshev_polynomial": "tuvw", "shifted_chebyshev_polynomial": "tuvw", "hermite_polynomial": ("h", "he"),
    "laguerre_polynomial": "l", "legendre_polynomial": "p",
}  # fmt: skip
IMAGE, VOLUME = numbers(2, 3, 4, 5), numbers(2, 2, 3, 4, 5)
GRID, GRID3 = numbers(2, 3, 3, 2) * 1.5, numbers(2, 2, 3, 3, 3) * 1.5

NAMES = {
    **{
        f"{family}_{kind}": Call(lambda m, x, n, name=f"{family}_{kind}": getattr(m.special, name)(x, n), (M, ORDERS))
        for family, kinds in FAMILIES.items()
        for kind in kinds
    },
    **{
        f"index_reduce {how}{'' if own else ' of the source alone'}": Call(
            lambda m, x, s, how=how, own=own: x.index_reduce(1, m.tensor([2, 0, 2]), s, how, include_self=own),
            (M, numbers(3, 3)),
        )
        for how in ("prod", "mean", "amax", "amin")
        for own in (True, False)
    },
    "index_reduce_": Call(
        lambda m, x, s: (x * 1).index_reduce_(0, m.tensor([1, 1]), s, "prod"), (M, numbers(2, 4)), tolerance=1e-7
    ),
    "index_reduce of another kind": Call(lambda m, x: x.index_reduce(0, m.tensor([1]), x[:1], "sum"), (M,)),
    "histogramdd": Call(lambda m, x: (lambda r: (r[0], *r[1]))(m.histogramdd(x.detach(), [3, 2, 4, 2])), (M,)),
    "histogramdd with weights": Call(
        lambda m, x, w: m.histogramdd(
            x.detach(), [3, 2], range=[-1.0, 1.0, 0.0, 2.0], weight=w.detach(), density=True
        ).hist,
        (numbers(9, 2), np.abs(numbers(9))),
    ),
    "histogramdd between edges": Call(
        lambda m, x, e: m.histogramdd(x.detach(), (e.detach(), e.detach())).hist,
        (numbers(9, 2), np.linspace(-2, 2, 5)),
    ),
    "hardshrink, the method": Call(lambda m, x: x.hardshrink(0.3), (M,)),
    "prelu, the method": Call(lambda m, x, w: x.prelu(w), (M, np.array([0.3]))),
    "geqrf": Call(lambda m, x: m.geqrf(x.detach()), (M,)),
    **{
        f"ormqr {left} {transpose}": Call(
            lambda m, a, b, left=left, transpose=transpose: m.ormqr(*m.geqrf(a.detach()), b, left, transpose), (Z, Z.T)
        )
        for left in (True, False)
        for transpose in (True, False)
    },
    "constant_pad_nd": Call(lambda m, x: m.constant_pad_nd(x, [1, -1, 0, 2], 3.5), (M,)),
    "resolve_neg": Call(lambda m, x: m.resolve_neg(x.resolve_neg()) * (1 - m.is_neg(x)), (M,)),
    **{
        f"grid_sample {mode} {pads} {align}": Call(
            lambda m, x, g, mode=mode, pads=pads, align=align: m.nn.functional.grid_sample(x, g, mode, pads, align),
            (IMAGE, GRID) if mode == "bicubic" else (VOLUME, GRID3), second=False, tolerance=1e-7,
        )
        for mode in ("bicubic", "bilinear")
        for pads in ("zeros", "border", "reflection")
        for align in (True, False)
    },
    "affine_grid of volumes": Call(
        lambda m, t: m.nn.functional.affine_grid(t, (2, 1, 2, 3, 4), align_corners=False), (numbers(2, 3, 4),)
    ),
}  # fmt: skip


@table(NAMES)
def test_the_name_is_there_and_does_the_same(call: Call) -> None:
    agree(call)


EDGES = {
    "quantile of a scalar": Call(lambda m, x: m.quantile(x.sum(), 0.3, dim=0, keepdim=True), (V,)),
    "vector_norm of a scalar": Call(lambda m, x: m.linalg.vector_norm(x.sum(), 3, dim=0), (V,), second=False),
    "gather from a scalar": Call(lambda m, x: m.gather(x.sum(), 0, m.tensor([0])), (V,)),
    "gather one number": Call(lambda m, x: m.gather(x, 0, m.tensor(2)), (V,)),
    "diff of order 0": Call(lambda m, x: m.diff(x, 0, prepend=x), (V,)),
    "diff of order -1": Call(lambda m, x: m.diff(x, -1), (V,)),
    "cosine_similarity of two broadcast": Call(
        lambda m, x, y: m.nn.functional.cosine_similarity(x, y, dim=-2), (numbers(1, 2, 3), numbers(2, 1, 3)), False
    ),
    "circular padding that cuts": Call(
        lambda m, x: m.nn.functional.pad(x, (-1, 1, -2, 1), mode="circular"), (numbers(1, 3, 4, 4),)
    ),
    "linspace of integers": Call(lambda m: m.linspace(4.3, -3, 50, dtype=m.int64), ()),
    "logspace of integers": Call(lambda m: m.logspace(0, -3, 5, dtype=m.int64), ()),
    "arange of whole steps": Call(lambda m: m.arange(-8.000001, -4.0, dtype=m.int64), ()),
    "arange to infinity": Call(lambda m: m.arange(0, float("inf")), ()),
    "powers of whole numbers": Call(lambda m, x: x ** m.tensor(-1), (np.array([-2, -1, 1, 3]),)),
    "bools added at places": Call(
        lambda m: m.tensor([True, False]).index_put((m.tensor([1, 1]),), m.tensor([False, True]), accumulate=True), ()
    ),
    **{
        f"{name} where values meet": Call(lambda m, x, name=name: getattr(m.linalg, name)(x), (np.eye(3),), False)
        for name in ("svdvals", "eigvalsh")
    },
    "eigh's values where two meet": Call(lambda m, x: m.linalg.eigh(x)[0], (np.eye(3),), second=False),
    "svd's values where two meet": Call(lambda m, x: m.linalg.svd(x)[1], (np.eye(3),), second=False),
}


@table(EDGES)
def test_the_edge_is_the_same(call: Call) -> None:
    agree(call)


REFUSED = {
    **{
        f"{name} of a number": Call(lambda m, x, name=name: getattr(m, name)(x, 2), (V,))
        for name in ("maximum", "minimum", "fmax", "fmin", "atan2", "hypot", "logaddexp", "logical_and", "heaviside")
    },
    **{
        f"{name} with a number first": Call(lambda m, x, name=name: getattr(m, name)(2, x), (V,))
        for name in ("eq", "ne", "lt", "le", "gt", "ge", "fmod", "copysign")
    },
    "complex of a number": Call(lambda m, x: m.complex(x, 2), (V,)),
    "polar of a number": Call(lambda m, x: m.polar(x, 2), (V,)),
}


@table(REFUSED)
def test_a_number_is_refused_where_pytorch_wants_a_tensor(call: Call) -> None:
    with pytest.raises(TypeError):
        call.function(mg, mg.tensor(V))
    agree(call)


@pytest.mark.parametrize("value", [True, 2, -1, 300, 1e20, 1.5, float("nan"), float("inf"), 1j, 2 + 0j, 2**40])
@pytest.mark.parametrize("name", ["bool", "uint8", "int8", "int32", "int64", "float32", "complex64"])
def test_a_number_is_filled_in_where_the_type_can_hold_it(name: str, value: Any) -> None:
    def filled(m: Any, way: str) -> Any:
        x = m.ones(2).to(getattr(m, name))
        try:
            made = x.fill_(value) if way == "fill_" else x.masked_fill(m.tensor([True, False]), value)
        except RuntimeError:
            return "refused"
        return made.cpu().tolist()

    for way in ("fill_", "masked_fill"):
        assert str(filled(mg, way)) == str(filled(torch, way)), way


REFUSED_TOO = {
    "a bool taken off": Call(lambda m, x: x - m.tensor([True, False, True, True]), (V,)),
    "something taken off a bool": Call(lambda m, x: m.tensor([True, False, True, True]) - x, (V,)),
    "a number taken off a bool": Call(lambda m: m.tensor(True) - 1, ()),
    "two numbers": Call(lambda m: m.pow(2, 3), ()),
    "isclose of two types": Call(lambda m, x: m.isclose(x, x.float()), (V,)),
    "isclose with less than no tolerance": Call(lambda m, x: m.isclose(x, x, rtol=-1.0), (V,)),
    "lerp of two types": Call(lambda m, x: m.lerp(x, x.float(), 0.5), (V,)),
    "lerp of integers": Call(lambda m, n: m.lerp(n, n, 0.5), (ORDERS,)),
    "hypot of integers": Call(lambda m, n: m.hypot(n, n), (ORDERS,)),
    **{
        f"{name} of complex numbers": Call(lambda m, z, name=name: getattr(m, name)(z, z), (Z,))
        for name in ("lt", "ge", "maximum", "remainder", "fmod", "atan2", "floor_divide", "xlogy")
    },
    "eye of less than nothing": Call(lambda m: m.eye(-1), ()),
    "hardtanh upside down": Call(lambda m, x: m.nn.functional.hardtanh(x, 1.0, -1.0), (V,)),
    "roll of a scalar": Call(lambda m, x: m.roll(x.sum(), 1, 0), (V,)),
    "rot90 of a line": Call(lambda m, x: m.rot90(x), (V,)),
    "amax of nothing": Call(lambda m, x: m.amax(x[:0]), (V,)),
    "multinomial of integers": Call(lambda m: m.multinomial(m.tensor([1, 2]), 1), ()),
    "uniform_ upside down": Call(lambda m, x: x.detach().uniform_(1, 0), (V,)),
    "exponential_ without a rate": Call(lambda m, x: x.detach().exponential_(0), (V,)),
    "max_pool1d that does not move": Call(lambda m, x: m.max_pool1d(x[None], 2, 0), (M,)),
}


@table(REFUSED_TOO)
def test_what_pytorch_refuses_is_refused(call: Call) -> None:
    with pytest.raises(mg.MinigradError):
        call.function(mg, *[mg.tensor(each) for each in call.arrays])
    agree(call)


@pytest.mark.parametrize("name", ["bfloat16", "float32", "float64"])
def test_a_complex_number_without_dimensions_does_not_widen_a_float(name: str) -> None:
    ours, theirs = [(m.ones(2).to(getattr(m, name)) + m.tensor(1j, dtype=m.complex128)).dtype for m in (mg, torch)]
    assert str(ours).split(".")[-1] == str(theirs).split(".")[-1]


@pytest.mark.parametrize("name", ["exp", "abs", "eq", "add", "maximum", "logical_and", "bitwise_and", "atan2", "div"])
def test_arguments_have_pytorchs_names(name: str) -> None:
    """By keyword, as function and as method, and in place."""
    two = len(inspect.signature(getattr(mg, name)).parameters) > 1
    for m in (mg, torch):
        x = m.tensor([5, 3]) if name == "bitwise_and" else m.tensor([1.0, 2.0])
        others = {"other": x} if two else {}
        found = [getattr(m, name)(input=x, **others), getattr(x, name)(**others)]
        if name not in ("maximum",):
            found.append(getattr(x.clone(), name + "_")(**others))
        assert all((each == found[0]).all() for each in found)


@pytest.mark.parametrize("make", [
    lambda m: m.empty_permuted((2, 3, 5), (0, 2, 1)), lambda m: m.ones(3).new_empty_strided((2, 3), (1, 2)),
])  # fmt: skip
def test_memory_is_laid_out_as_asked(make: Any) -> None:
    ours, theirs = make(mg), make(torch)
    assert tuple(ours.shape) == tuple(theirs.shape) and ours.stride() == theirs.stride()


@pytest.mark.parametrize(("shape", "q"), [((20, 12), 5), ((2, 8, 11), 4)])
def test_a_low_rank_is_found_again(shape: tuple[int, ...], q: int) -> None:
    *batch, rows, columns = shape
    low = mg.tensor(numbers(*batch, rows, q)) @ mg.tensor(numbers(*batch, q, columns))
    for U, S, V in (mg.svd_lowrank(low, q), mg.pca_lowrank(low, q, center=False)):
        assert mg.allclose((U * S.unsqueeze(-2)) @ V.mH, low)
    with pytest.raises(ValueError, match="not greater than"):
        mg.pca_lowrank(low, 99)
