"""Compute a value and its gradients in the same way with each library, so that each workload is written once.

A function is written as ``f(xp, *inputs)``, where `xp` has the library's ``tanh``, ``exp`` and so on; it returns a
scalar. `step_of(library, f, arrays, constants)` is a step that computes it and its gradients with respect to `arrays`.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Sequence
from typing import Any

from .row import Maker, Step

Function = Callable[..., Any]


def torchlike(name: str) -> Any:
    """minigrad or PyTorch, which have the same names; with one thread if the environment says so."""
    library = importlib.import_module(name)
    if name == "torch" and os.environ.get("OMP_NUM_THREADS") == "1":
        library.set_num_threads(1)
    return library


def _torchlike_step(name: str, f: Function, arrays: Sequence[Any], constants: Sequence[Any]) -> Step:
    library = torchlike(name)
    leaves = [library.tensor(array, requires_grad=True) for array in arrays]
    fixed = [library.tensor(array) for array in constants]

    def step() -> Any:
        for leaf in leaves:
            leaf.grad = None
        value = f(library, *leaves, *fixed)
        value.backward()
        return value

    return step


def _mygrad_step(f: Function, arrays: Sequence[Any], constants: Sequence[Any]) -> Step:
    import mygrad

    leaves = [mygrad.tensor(array) for array in arrays]

    def step() -> Any:
        value = f(mygrad, *leaves, *constants)
        value.backward()
        return value

    return step


def _autograd_step(f: Function, arrays: Sequence[Any], constants: Sequence[Any]) -> Step:
    import autograd
    import autograd.numpy

    run = autograd.value_and_grad(lambda leaves: f(autograd.numpy, *leaves, *constants))
    return lambda: run(tuple(arrays))[0]


def sides_of(f: Function, data: Callable[[], tuple[Sequence[Any], Sequence[Any]]]) -> dict[str, Maker]:
    """The workload `f` for all four libraries. `data` returns (arrays, constants), both NumPy arrays."""
    return {
        "minigrad": lambda: _torchlike_step("minigrad", f, *data()),
        "torch": lambda: _torchlike_step("torch", f, *data()),
        "autograd": lambda: _autograd_step(f, *data()),
        "mygrad": lambda: _mygrad_step(f, *data()),
    }


def filled(model: Any, library: Any, seed: int = 0) -> Any:
    """`model` with parameters that are the same in every library."""
    import numpy as np

    random = np.random.default_rng(seed)
    with library.no_grad():
        for name, parameter in model.named_parameters():
            shape = tuple(parameter.shape)
            norm = len(shape) == 1 and "weight" in name
            values = np.ones(shape) if norm else random.standard_normal(shape) / np.sqrt(max(1, np.prod(shape[1:])))
            parameter.copy_(library.tensor(values.astype("float32")))
    return model
