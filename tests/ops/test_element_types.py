"""Integers, bools, half precision, and what happens where element types meet: as PyTorch has it."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import minigrad as mg

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.parity

TYPES = (
    "bool",
    "uint8",
    "int8",
    "int16",
    "int32",
    "int64",
    "float16",
    "bfloat16",
    "float32",
    "float64",
    "complex64",
    "complex128",
)
A = [[1, 0, 3], [2, 5, 1]]
B = [[2, 1, 1], [4, 2, 3]]

TWO: dict[str, Callable[..., Any]] = {
    "add": lambda m, x, y: x + y,
    "sub": lambda m, x, y: x - y,
    "mul": lambda m, x, y: x * y,
    "div": lambda m, x, y: x / y,
    "floor_divide": lambda m, x, y: x // y,
    "remainder": lambda m, x, y: x % y,
    "fmod": lambda m, x, y: m.fmod(x, y),
    "trunc div": lambda m, x, y: m.div(x, y, rounding_mode="trunc"),
    "pow": lambda m, x, y: x**y,
    "maximum": lambda m, x, y: m.maximum(x, y),
    "eq": lambda m, x, y: x == y,
    "lt": lambda m, x, y: x < y,
    "where": lambda m, x, y: m.where(m.tensor([True, False, True]), x, y),
    "and": lambda m, x, y: x & y,
    "shift": lambda m, x, y: x << y,
    "logical_and": lambda m, x, y: m.logical_and(x, y),
    "atan2": lambda m, x, y: m.atan2(x, y),
    "lerp": lambda m, x, y: m.addcmul(x, x, y),
    "clamp": lambda m, x, y: m.clamp(x, max=y),
}

ONE: dict[str, Callable[..., Any]] = {
    "sum": lambda m, x: x.sum(),
    "sum dim": lambda m, x: x.sum(1),
    "mean": lambda m, x: x.mean(),
    "prod": lambda m, x: x.prod(1),
    "cumsum": lambda m, x: x.cumsum(0),
    "cumprod": lambda m, x: x.cumprod(0),
    "max": lambda m, x: x.max(),
    "max dim": lambda m, x: x.max(1).values,
    "amin": lambda m, x: x.amin(0),
    "argmax": lambda m, x: x.argmax(1),
    "any": lambda m, x: x.any(),
    "all": lambda m, x: x.all(1),
    "sort": lambda m, x: x.sort(1).values,
    "median": lambda m, x: x.median(),
    "var": lambda m, x: x.var(),
    "norm": lambda m, x: x.norm(),
    "exp": lambda m, x: x.exp(),
    "sqrt": lambda m, x: x.sqrt(),
    "sigmoid": lambda m, x: x.sigmoid(),
    "abs": lambda m, x: x.abs(),
    "neg": lambda m, x: -x,
    "sign": lambda m, x: x.sign(),
    "square": lambda m, x: x.square(),
    "floor": lambda m, x: x.floor(),
    "round": lambda m, x: x.round(),
    "relu": lambda m, x: x.relu(),
    "reciprocal": lambda m, x: (x + 1).reciprocal(),
    "invert": lambda m, x: ~x,
    "times 2": lambda m, x: x * 2,
    "times 2.5": lambda m, x: x * 2.5,
    "plus True": lambda m, x: x + True,
    "times 1j": lambda m, x: x * 1j,
    "over 2": lambda m, x: x / 2,
    "2 over": lambda m, x: 2 / (x + 1),
    "squared": lambda m, x: x**2,
    "to the 2.0": lambda m, x: x**2.0,
    "2 to the": lambda m, x: 2**x,
    "rsub": lambda m, x: 1 - x,
    "isnan": lambda m, x: m.isnan(x),
    "clamp": lambda m, x: x.clamp(1, 2),
    "clamp float": lambda m, x: x.clamp(min=0.5),
    "masked_fill": lambda m, x: x.masked_fill(m.tensor([True, False, False]), 1),
    "zeros_like": lambda m, x: m.zeros_like(x),
    "logsumexp": lambda m, x: x.logsumexp(1),
    "nan_to_num": lambda m, x: m.nan_to_num(x),
    "erf": lambda m, x: m.erf(x),
    "float": lambda m, x: x.float(),
    "bool": lambda m, x: x.bool(),
    "long": lambda m, x: x.long(),
    "unique": lambda m, x: x.unique(),
    "diff": lambda m, x: x.diff(),
    "zero-dimensional": lambda m, x: x + m.tensor(1.5),
    "zero-dimensional double": lambda m, x: x * m.tensor(2, dtype=m.float64),
    "bitwise": lambda m, x: x ^ 3,
    "to the power True": lambda m, x: x**True,
    "to the power False": lambda m, x: x**False,
    "to the power True in place": lambda m, x: x.clone().pow_(True),
    "conj_physical_": lambda m, x: x.clone().conj_physical_(),
    "abs_": lambda m, x: x.clone().abs_(),
    "float_power_": lambda m, x: x.clone().float_power_(2),
    "float_power_ of a complex number": lambda m, x: x.clone().float_power_(2j),
    "filled where elements share memory": lambda m, x: x[:1].expand(3, 3).fill_(True),
}


def run(library: Any, call: Any, *inputs: tuple[Any, str]) -> Any:
    """The result as (type, numbers), or the builtin exception."""
    tensors = [library.tensor(data).to(getattr(library, dtype)) for data, dtype in inputs]
    try:
        result = call(library, *tensors)
    except (RuntimeError, TypeError, ValueError, IndexError) as error:
        return next(
            kind
            for kind in (IndexError, NotImplementedError, RuntimeError, TypeError, ValueError)
            if isinstance(error, kind)
        )
    dtype = str(result.dtype).rpartition(".")[2]
    values = result.double() if dtype in ("float16", "bfloat16") else result
    return dtype, np.asarray(values.tolist())


def agree(call: Any, *inputs: tuple[Any, str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = run(torch, call, *inputs)
    ours = run(mg, call, *inputs)
    if isinstance(theirs, type):
        if isinstance(ours, type) or theirs is NotImplementedError:
            return  # more types are supported here; where both refuse, both refuse
        pytest.fail(f"PyTorch refuses this with {theirs.__name__}; here it gives {ours[0]}")
    assert not isinstance(ours, type), f"{ours.__name__} where PyTorch gives {theirs}"
    assert ours[0] == theirs[0].replace("complex32", "complex64")  # there is no complex type of half precision here
    small = "16" in ours[0]
    np.testing.assert_allclose(ours[1], theirs[1], rtol=2e-2 if small else 1e-5, atol=1e-6, equal_nan=True)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", ONE)
def test_one_input_of_each_type(name: str, dtype: str) -> None:
    if (name, dtype) == ("relu", "bool"):  # PyTorch refuses it; to look for it would cost every relu
        assert mg.tensor(A).bool().relu().tolist() == mg.tensor(A).bool().tolist()
    else:
        agree(ONE[name], (A, dtype))


@pytest.mark.parametrize("second", TYPES)
@pytest.mark.parametrize("first", TYPES)
def test_two_types_that_meet(first: str, second: str) -> None:
    for name in TWO:
        with contextlib.suppress(pytest.skip.Exception):
            agree(TWO[name], (A, first), (B, second))


REFUSED = """
i.add(1, alpha=0.5)
i.sub(i, alpha=0.5)
i.clone().add_(i, alpha=0.5)
t.add(t.ones(2, dtype=t.bool), True, alpha=0.5)
t.ones(2).add(1, alpha=1j)
i.addcdiv(i, i)
t.nn.functional.dropout(i)
t.nn.functional.layer_norm(i, (2,))
t.nn.functional.batch_norm(i.reshape(2, 1), None, None, training=True)
t.nn.functional.group_norm(i.reshape(1, 2, 1), 1)
""".strip().splitlines()


@pytest.mark.parametrize("call", REFUSED)
def test_what_would_not_fit_integers_is_refused_as_in_pytorch(call: str) -> None:
    for library in (mg, pytest.importorskip("torch")):
        with pytest.raises(RuntimeError):  # NotImplementedError is one
            eval(call, {"t": library, "i": library.tensor([1, 3])})
    i = mg.tensor([1, 3])
    assert i.add(i.float(), alpha=0.5).tolist() == [1.5, 4.5]
