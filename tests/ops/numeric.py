"""Ops called on samples, and derivatives by central differences, on plain NumPy arrays."""

from __future__ import annotations

import importlib
import pkgutil
import zlib
from typing import Any, NamedTuple

import numpy as np

import minigrad as mg
import minigrad.ops
from minigrad.core.declared import REGISTRY
from minigrad.core.op import Op
from minigrad.core.tensor import Tensor
from minigrad.ops.common.samples import Sample

for module in pkgutil.walk_packages(minigrad.ops.__path__, "minigrad.ops."):
    importlib.import_module(module.name)

STEP = 1e-5


def put(array: Any) -> Tensor:
    """A tensor of these numbers on the device that is tested."""
    return mg.tensor(array)


def host(tensor: Tensor) -> Any:
    """A tensor's numbers as a NumPy array, wherever they are."""
    return tensor._backend.to_host(tensor._array)


class Case(NamedTuple):
    """One op with one of its samples."""

    op: type[Op]
    sample: Sample

    def make(self) -> Op:
        """A fresh op with the sample's settings."""
        return self.op(*(self.sample.settings[name] for name in self.op.settings))

    def draw(self, dtype: Any = np.float64, seed: int = 0) -> list[Any]:
        """The sample's inputs as tensors; numbers and None as they are."""
        random = np.random.default_rng(zlib.crc32(self.op.__name__.encode()) + seed)
        drawn = self.sample.draw(random, np.dtype(dtype))
        return [put(each) if isinstance(each, np.ndarray) else each for each in drawn]

    def moving(self, inputs: list[Any]) -> list[int]:
        """The inputs that can have a gradient."""
        return [
            i
            for i, each in enumerate(inputs)
            if isinstance(each, Tensor)
            and each.dtype.is_differentiable
            and self.op.differentiable(min(i, len(self.op.inputs_named) - 1))
        ]

    def run(self, inputs: list[Any]) -> tuple[Tensor, ...]:
        """The op's outputs that a gradient can come from."""
        result = self.make()(*inputs)
        outputs = result if isinstance(result, tuple) else (result,)
        return tuple(each for each in outputs if each.dtype.is_differentiable)


def all_ops() -> list[type[Op]]:
    """Every op of the library, in order of their names."""
    return [REGISTRY[name] for name in sorted(REGISTRY) if REGISTRY[name].__module__.startswith("minigrad.")]


def cases(kind: str = "f", *, differentiable: bool = True) -> list[Any]:
    """Every op with every sample, as pytest parameters; only ops that compute with this kind of numbers."""
    import pytest

    return [
        pytest.param(Case(op, sample), id=f"{op.__name__}-{i}")
        for op in all_ops()
        for i, sample in enumerate(op.samples)
        if kind in op.kinds and (not differentiable or (any_gradient(op) and kind not in op.tested_apart))
    ]


def any_gradient(op: type[Op]) -> bool:
    """Whether some input of `op` has a gradient."""
    return any(op.differentiable(i) for i in range(len(op.inputs_named)))


def with_array(inputs: list[Any], index: int, array: Any) -> list[Any]:
    """`inputs` with another array in one place."""
    return [put(array) if i == index else each for i, each in enumerate(inputs)]


def weights_for(outputs: Any, seed: int = 1) -> list[Any]:
    """Random gradients for the outputs, as arrays."""
    random = np.random.default_rng(seed)
    drawn = []
    for each in outputs:
        weight = random.standard_normal(each.shape)
        if each.dtype.is_complex:
            weight = weight + 1j * random.standard_normal(each.shape)
        drawn.append(np.asarray(weight).astype(each.dtype.numpy))
    return drawn


def inner(a: Any, b: Any) -> float:
    """The real inner product of two arrays."""
    return float((np.conj(a) * b).real.sum())


def slope(function: Any, array: Any) -> Any:
    """The gradient of a real function of one array by central differences: of a complex one, its two parts' in one."""
    result = np.zeros_like(array)
    for index in np.ndindex(array.shape):
        for step in (STEP, 1j * STEP) if array.dtype.kind == "c" else (STEP,):
            up, down = array.copy(), array.copy()
            up[index] += step
            down[index] -= step
            result[index] += (function(up) - function(down)) / (2 * STEP) * (step / STEP)
    return result


def direction(function: Any, arrays: list[Any], tangents: list[Any]) -> list[Any]:
    """How the arrays that `function` returns change along `tangents`, by central differences."""
    up = function([a + STEP * t for a, t in zip(arrays, tangents, strict=True)])
    down = function([a - STEP * t for a, t in zip(arrays, tangents, strict=True)])
    return [(u - d) / (2 * STEP) for u, d in zip(up, down, strict=True)]


def close(found: Any, wanted: Any, what: str, tolerance: float = 1e-6) -> None:
    """Assert that two arrays agree, with words about which did not."""
    np.testing.assert_allclose(found, wanted, rtol=tolerance * 10, atol=tolerance, err_msg=what)
