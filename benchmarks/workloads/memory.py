"""Measure memory: the peak of all arrays during a gpt step, compared with what PyTorch saves for the same step.

minigrad's arrays are counted by `tracemalloc`, to which NumPy reports every array. Those from before the step, the
parameters and the data, is not counted. What PyTorch saves is counted by its hooks on saved tensors: each storage once,
parameters left out.
"""

from __future__ import annotations

from typing import Any

from ..row import Row, Step
from .gpt import forward_and_backward

MEBIBYTE = 1024 * 1024


def peak() -> Step:
    """minigrad: mebibytes at the peak."""
    import tracemalloc

    model, run = forward_and_backward("minigrad")
    run()
    tracemalloc.start()

    def step() -> float:
        model.zero_grad()
        tracemalloc.reset_peak()
        before, _ = tracemalloc.get_traced_memory()
        run()
        _, most = tracemalloc.get_traced_memory()
        return (most - before) / MEBIBYTE

    return step


def saved() -> Step:
    """PyTorch: mebibytes saved for backward."""
    import torch

    model, run = forward_and_backward("torch")
    known = {parameter.untyped_storage().data_ptr() for parameter in model.parameters()}

    def step() -> float:
        model.zero_grad()
        sizes: dict[int, int] = {}

        def pack(tensor: Any) -> Any:
            storage = tensor.untyped_storage()
            if storage.data_ptr() not in known:
                sizes[storage.data_ptr()] = storage.nbytes()
            return tensor

        with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
            run()
        return sum(sizes.values()) / MEBIBYTE

    return step


ROWS = [
    Row(
        "memory",
        "peak of all arrays during a gpt step, against what PyTorch saves for it",
        {"minigrad": peak, "torch": saved},
        {"torch": 1.1},
        unit="MiB",
        agree=False,
    )
]
