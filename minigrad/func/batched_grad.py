"""``autograd.grad(..., is_grads_batched=True)``: one pass of the engine for a whole batch of output gradients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.differentiate import grad
from ..core.further import zeros_like
from ..core.size import Size
from ..core.tensor import Tensor
from ..errors import ArgumentError, DimensionError, GradError, ShapeError
from .level import VmapLevel


def batched_grad(
    outputs: Sequence[Any],
    inputs: Sequence[Any],
    grad_outputs: Sequence[Any],
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool | None = None,
    materialize: bool = False,
) -> tuple[Tensor | None, ...]:
    """Return the gradients of `outputs` for each of a batch of `grad_outputs`, whose first dimension is the batch.

    Each result has that dimension in front, too. With unit vectors as the batch, the result is the Jacobian, at about
    the cost of one backward.
    """
    missing = [index for index, each in enumerate(grad_outputs) if each is not None and not each._array.ndim]
    if missing:
        raise DimensionError(
            f"is_grads_batched=True needs a first dimension that runs over the batch, and grad_output[{missing[0]}] is "
            "a 0-dim tensor."
        )
    sizes = {each._array.shape[0] for each in grad_outputs if each is not None}
    if not sizes:
        raise GradError(
            "grad can be implicitly created only for scalar outputs, and is_grads_batched=True needs grad_outputs with "
            "a first dimension that runs over the batch."
        )
    for index, (output, batch) in enumerate(zip(outputs, grad_outputs, strict=True)):
        if isinstance(output, Tensor) and batch is not None and batch._array.shape[1:] != output._array.shape:
            raise ShapeError(
                "If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the batch "
                "dimension. The sizes of the remaining dimensions are expected to match the shape of corresponding "
                f"output, but a mismatch was detected: grad_output[{index}] has a shape of {Size(batch.shape[1:])} and "
                f"output[{index}] has a shape of {output.shape}."
            )
    if len(sizes) > 1:
        raise ArgumentError(
            f"vmap: Expected all tensors to have the same size in the mapped dimension, got sizes {sorted(sizes)} for "
            "the first dimensions of grad_outputs"
        )
    level = VmapLevel(sizes.pop())
    wrapped = [None if each is None else level.entered(each, 0) for each in grad_outputs]
    with level:
        found = grad(outputs, inputs, wrapped, retain_graph, create_graph, allow_unused=allow_unused or materialize)
    return tuple(
        (zeros_like(x) if materialize else None) if each is None else level.left(each, 0)
        for x, each in zip(inputs, found, strict=True)
    )
