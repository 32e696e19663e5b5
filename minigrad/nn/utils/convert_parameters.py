"""All parameters of a model as one vector, and back."""

from __future__ import annotations

from collections.abc import Iterable

from ...core.tensor import Tensor
from ...errors import ArgumentTypeError, ShapeError
from ...ops.shape.join import cat


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """Return all elements in one vector, recorded in the graph."""
    return cat([each.reshape(-1) for each in parameters])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Set the ``.data`` of the parameters, in their order, to slices of `vec`: they share its memory from then on."""
    if not isinstance(vec, Tensor):
        raise ArgumentTypeError(f"expected minigrad.Tensor, but got: {type(vec).__name__}")
    tensors = list(parameters)
    needed = sum(each.numel() for each in tensors)
    if vec.ndim != 1 or vec.numel() != needed:
        raise ShapeError(f"expected a vector of {needed} elements, got {list(vec.shape)}")
    start = 0
    for each in tensors:
        end = start + each.numel()
        each.data = vec[start:end].detach().reshape(each.shape)
        start = end
