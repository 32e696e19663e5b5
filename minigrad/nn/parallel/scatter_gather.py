"""The steps of `DataParallel` as functions: scatter a batch, run the modules, gather the outputs; for one device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...core.tensor import Tensor
from ...ops.shape.join import cat, stack
from ..module import Module
from ._functions import _one

__all__ = ["gather", "parallel_apply", "replicate", "scatter", "scatter_kwargs"]


def scatter(inputs: Any, target_gpus: Sequence[Any], dim: int = 0) -> Any:
    """Return `inputs` for the single device: in a tuple if they are one tensor, else in a list.

    DeviceError for more devices.
    """
    _one(target_gpus)
    return (inputs,) if isinstance(inputs, Tensor) else [inputs]


def scatter_kwargs(
    inputs: tuple[Any, ...], kwargs: dict[str, Any] | None, target_gpus: Sequence[Any], dim: int = 0
) -> tuple[tuple[Any, ...], tuple[dict[str, Any], ...]]:
    """Return a module's arguments for each device: (tuples of positional, dictionaries of keyword arguments)."""
    _one(target_gpus)
    return (inputs,), (kwargs or {},)


def replicate(network: Module, devices: Sequence[Any], detach: bool = False) -> list[Module]:
    """Return [`network`] for the single device; DeviceError for more devices."""
    _one(devices)
    return [network]


def parallel_apply(
    modules: Sequence[Module], inputs: Sequence[Any], kwargs_tup: Any = None, devices: Any = None
) -> list[Any]:
    """Run each module on its input, one after the other. Return the outputs."""
    named = kwargs_tup or [{}] * len(modules)
    return [
        module(*(given if isinstance(given, tuple) else (given,)), **each)
        for module, given, each in zip(modules, inputs, named, strict=True)
    ]


def gather(outputs: Sequence[Any], target_device: Any, dim: int = 0) -> Any:
    """Join tensors, or tuples, lists and dicts of them, along `dim`. Zero-dimensional tensors are stacked."""
    first = outputs[0]
    if isinstance(first, Tensor):
        return cat(list(outputs), dim) if first.dim() else stack(list(outputs))
    if first is None:
        return None
    if isinstance(first, dict):
        return type(first)((name, gather([each[name] for each in outputs], target_device, dim)) for name in first)
    parts = [gather(each, target_device, dim) for each in zip(*outputs, strict=True)]
    return type(first)(*parts) if hasattr(first, "_fields") else type(first)(parts)
