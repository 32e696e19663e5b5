"""Compare every public function with PyTorch's, on all simple arguments: ``python -m benchmarks.functions``.

The cases are not chosen by hand: each function that both libraries have is called in each form below, and if both
accept a form, forward and backward are timed as in `operations`. So it finds slow functions that nobody thought of. A
scan takes five minutes. Words after the command pick functions by their whole names, such as ``nn.functional.gelu``.
"""

from __future__ import annotations

import importlib
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .operation_cases import with_gradients
from .operations import best_of

MODULES = ("", "nn.functional", "linalg", "fft", "special")

Form = Callable[[Any], list[Any]]
"""The arguments, given a library's function that makes tensors."""

FORMS: dict[str, Form] = {
    "matrix": lambda of: [of((256, 256))],
    "two matrices": lambda of: [of((256, 256)), of((256, 256))],
    "three matrices": lambda of: [of((128, 128))] * 3,
    "matrix, 1": lambda of: [of((256, 256)), 1],
    "matrix, 2.0": lambda of: [of((256, 256)), 2.0],
    "matrix, (256,)": lambda of: [of((256, 256)), (256,)],
    "stack, 0, 1": lambda of: [of((64, 32, 32)), 0, 1],
    "stack, 2": lambda of: [of((16, 32, 64)), 2],
    "pictures": lambda of: [of((8, 16, 32, 32))],
    "pictures, 2": lambda of: [of((8, 16, 32, 32)), 2],
    "integers": lambda of: [of((256, 256), "int64")],
    "two of integers": lambda of: [of((256, 256), "int64"), of((256, 256), "int64")],
    "list": lambda of: [[of((128, 128)), of((128, 128))]],
}

LEFT_OUT = frozenset((
    "histogramdd", "cartesian_prod", "combinations", "tile", "repeat_interleave", "meshgrid", "block_diag", "kron",
    "vander", "tensordot", "outer", "ger", "save", "load", "compile", "from_file", "manual_seed", "seed", "rand",
    "randn", "randint", "randperm", "empty", "set_default_dtype", "set_default_device", "set_printoptions",
))  # fmt: skip
"""Functions whose results would not fit into memory, or that change the process."""

SLOWEST = 1.0
"""A call that takes more seconds than this is only reported, not timed."""


def functions(minigrad: Any, torch: Any) -> Iterator[tuple[str, Any, Any]]:
    """The functions that both libraries have: (name, ours, PyTorch's)."""
    for module in MODULES:
        ours, theirs = (
            importlib.import_module(f"{library.__name__}.{module}".strip(".")) for library in (minigrad, torch)
        )
        for name in dir(ours):
            other = getattr(theirs, name, None)
            public = name[0] != "_" and name[-1] != "_" and name not in LEFT_OUT
            if public and callable(other) and not isinstance(other, type):
                yield f"{module}.{name}".strip("."), getattr(ours, name), other


def step_of(library: Any, function: Any, form: Form) -> Callable[[], Any]:
    """The step to time, which has run twice already."""
    leaves: list[Any] = []

    def tensor(shape: tuple[int, ...], kind: str = "float32") -> Any:
        random = np.random.default_rng(len(leaves))
        values = random.uniform(0.1, 0.9, shape) if kind == "float32" else random.integers(1, 100, shape)
        made = library.tensor(values.astype(kind), requires_grad=kind == "float32")
        leaves.append(made)
        return made

    arguments = form(tensor)

    def first() -> Any:
        """The first differentiable result; None if there is none."""
        found = function(*arguments)
        several = found if isinstance(found, (tuple, list)) else [found]
        return next((each for each in several if isinstance(each, library.Tensor) and each.requires_grad), None)

    differentiable = [leaf for leaf in leaves if leaf.requires_grad]
    step = (lambda: function(*arguments)) if first() is None else with_gradients(first, differentiable)
    step()
    return step


def main() -> int:
    import torch

    import minigrad

    warnings.simplefilter("ignore")
    words = sys.argv[1:]
    clock = time.process_time if os.environ.get("OMP_NUM_THREADS") == "1" else time.perf_counter
    found = []
    for name, ours, theirs in functions(minigrad, torch):
        for label, form in FORMS.items():
            if words and name not in words:
                continue
            try:
                begun = time.perf_counter()
                steps = step_of(torch, theirs, form), step_of(minigrad, ours, form)
                if time.perf_counter() - begun > SLOWEST:
                    print(f"{name}, {label}: too slow to be timed")
                    continue
                mine, other = (min(best_of(step, clock) for _ in range(2)) * 1e3 for step in reversed(steps))
            except Exception:  # one of the libraries does not accept this form
                continue
            found.append((mine / other, mine, other, name, label))
    for ratio, mine, other, name, label in sorted(found, reverse=True):
        print(f"{ratio:6.2f} {mine:9.3f} {other:9.3f}  {name} ({label})")
    print(f"{len({each[3] for each in found})} functions, {len(found)} forms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
