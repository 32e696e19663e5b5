"""A scalar of NumPy's is a number like Python's: its width does not decide the dtype of a result."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pytest

import minigrad as mg

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.parity

SCALARS = [np.float64(3.0), np.float32(3.0), np.float16(2.0), np.int64(3), np.int8(3), np.uint8(3), np.complex128(3.0)]
DTYPES = ["bool", "uint8", "int64", "float16", "float32", "float64", "complex64"]
OPERATORS = [operator.add, operator.mul, operator.truediv, operator.pow]


def told(function: Any, *operands: Any) -> tuple[str, Any, Any]:
    try:
        result = function(*operands)
    except (RuntimeError, NotImplementedError):
        return "refused", None, None
    return str(result.dtype).rpartition(".")[2], tuple(result.shape), result.tolist()


@pytest.mark.parametrize("scalar", SCALARS, ids=lambda each: type(each).__name__)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (1,)], ids=["zero-dimensional", "vector"])
def test_an_operator_with_a_numpy_scalar_keeps_the_tensors_dtype(scalar: Any, dtype: str, shape: Any) -> None:
    if (scalar.dtype.kind, dtype) == ("c", "float16"):
        pytest.skip("PyTorch answers in complex32, which minigrad does not have")
    for function in OPERATORS:
        for swapped in (False, True):
            found = []
            for lib in (mg, torch):
                x = lib.ones(shape, dtype=getattr(lib, dtype))
                operands = (scalar, x) if swapped else (x, scalar)
                found.append(told(function, *operands))
            ours, theirs = found
            assert ours[:2] == theirs[:2], (function.__name__, swapped)
            if theirs[2] is not None:
                np.testing.assert_allclose(ours[2], theirs[2], rtol=1e-6)


def test_a_loss_scaled_by_a_numpy_mean_stays_float32() -> None:
    for lib in (mg, torch):
        weight = lib.ones(3, requires_grad=True)
        loss = weight.sum() * np.mean([1.0, 2.0])
        loss.backward()
        assert (loss.dtype, weight.grad.dtype) == (lib.float32, lib.float32)
        total = lib.tensor(0.0)
        total += np.float64(0.5)
        assert total.dtype == lib.float32


def test_result_type_reads_a_numpy_scalar_as_a_number() -> None:
    for lib in (mg, torch):
        assert lib.result_type(lib.tensor([1]), np.float64(1)) == lib.float32
        assert lib.result_type(np.float64(1), lib.tensor([1])) == lib.float32
        assert lib.result_type(lib.tensor(1.0), np.complex128(1)) == lib.complex64
