"""A short program on minigrad and on PyTorch: everything that it returns must be the same."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import minigrad as mg

torch = pytest.importorskip("torch", reason="the parity suite compares with PyTorch: pip install 'minigrad[parity]'")

CLOSE = {"float16": 2e-3, "bfloat16": 1e-2, "float32": 2e-5, "complex64": 2e-5}
"""The relative tolerance for results of these dtypes; 1e-9 for all others."""


def same(program: Callable[[Any], Any]) -> None:
    """Assert that ``program(library)`` returns the same for both: tensors, numbers and names, also nested."""
    ours, theirs = list(_parts(_run(program, mg))), list(_parts(_run(program, torch)))
    assert len(ours) == len(theirs), f"\nminigrad {ours}\ntorch    {theirs}"
    for number, (a, b) in enumerate(zip(ours, theirs, strict=True)):
        assert _equal(a, b), f"part {number}\nminigrad {_told(a)}\ntorch    {_told(b)}"


def refused(program: Callable[[Any], Any]) -> None:
    """Assert that both libraries refuse ``program(library)``."""
    for library in (mg, torch):
        with pytest.raises((RuntimeError, ValueError, TypeError, IndexError, NotImplementedError, AssertionError)):
            _run(program, library)


def _run(program: Callable[[Any], Any], library: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        library.manual_seed(0)
        return program(library)


def _parts(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for key in sorted(value, key=str):
            yield str(key)
            yield from _parts(value[key])
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _parts(each)
    else:
        yield value


def _equal(a: Any, b: Any) -> bool:
    if isinstance(a, mg.Tensor) and isinstance(b, torch.Tensor):
        return _equal_tensors(a, b)
    if isinstance(a, float) and isinstance(b, float):
        return a == b or (a != a and b != b) or math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-9)
    if isinstance(a, mg.dtype):
        return _dtype(a) == _dtype(b)
    return type(a).__name__ == type(b).__name__ and bool(a == b)


def _equal_tensors(a: Any, b: Any) -> bool:
    if _dtype(a.dtype) != _dtype(b.dtype) or tuple(a.shape) != tuple(b.shape) or a.requires_grad != b.requires_grad:
        return False
    if str(a.device) != str(b.device):
        return False
    room = CLOSE.get(_dtype(a.dtype), 1e-9)
    return bool(np.allclose(_plain(mg, a), _plain(torch, b), room, room, equal_nan=True))


def _dtype(dtype: Any) -> str:
    return str(dtype).rsplit(".", maxsplit=1)[-1]


def _plain(library: Any, tensor: Any) -> Any:
    tensor = tensor.detach().resolve_conj().resolve_neg() if library is torch else tensor.detach()
    if _dtype(tensor.dtype) == "bfloat16":
        tensor = tensor.float()
    return tensor.numpy() if library is mg else tensor.clone().numpy()


def _told(value: Any) -> Any:
    if not isinstance(value, (mg.Tensor, torch.Tensor)):
        return value
    return f"{_dtype(value.dtype)}{list(value.shape)} requires_grad={value.requires_grad} {value.tolist()}"
