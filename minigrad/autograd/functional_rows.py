"""Compute the rows of a Jacobian: one backward for each, or one batched backward for all."""

from __future__ import annotations

from collections.abc import Sequence

from ..core.differentiate import grad
from ..core.further import zeros_like
from ..core.tensor import Tensor
from ..errors import GradError
from ..func.batched_grad import batched_grad
from ..func.jacobians import basis_of
from ..ops.shape.join import stack


def grads_or_none(
    outputs: Sequence[Tensor],
    entered: Sequence[Tensor],
    vectors: Sequence[Tensor],
    create_graph: bool,
    retain: bool = True,
) -> Sequence[Tensor | None]:
    """Return the gradients at `entered`; None where the outputs do not depend on an input."""
    pairs = [(out, v) for out, v in zip(outputs, vectors, strict=True) if out.requires_grad]
    if not pairs:
        return [None] * len(entered)
    roots, grads = zip(*pairs, strict=True)
    return grad(roots, entered, grads, retain, create_graph, allow_unused=True)


def row_by_row(
    number: int, output: Tensor, entered: Sequence[Tensor], create_graph: bool, strict: bool
) -> list[Tensor]:
    """Return the Jacobian of one output by each input, with one backward for each element of the output."""
    if not output.dtype.is_floating_point:
        raise GradError(f"grad can be implicitly created only for real scalar outputs but got {output.dtype}")
    rows: list[list[Tensor]] = [[] for _ in entered]
    (units,) = basis_of([output])
    for unit in units:
        found = grads_or_none([output], entered, [unit], create_graph)
        for index, (row, each) in enumerate(zip(rows, found, strict=True)):
            if strict and each is None:
                raise GradError(
                    f"Output {number} of the user-provided function is independent of input {index}. "
                    "This is not allowed in strict mode."
                )
            if strict and create_graph and not each.requires_grad:  # type: ignore[union-attr]
                raise GradError(
                    f"The jacobian of the user-provided function is independent of input {index}. "
                    "This is not allowed in strict mode when create_graph=True."
                )
            row.append(zeros_like(entered[index]) if each is None else each)
    return [_block(stack(row) if row else None, output, x) for row, x in zip(rows, entered, strict=True)]


def _block(rows: Tensor | None, output: Tensor, input: Tensor) -> Tensor:
    """Return `rows` as a block of shape (*output, *input); zeros if there are none."""
    shape = (*output.shape, *input.shape)
    return input.new_zeros(shape) if rows is None else rows.reshape(shape)


def all_rows(outputs: Sequence[Tensor], entered: Sequence[Tensor], create_graph: bool) -> list[list[Tensor]]:
    """Return the Jacobians of all outputs by each input, computed in one batched backward."""
    reached = [i for i, each in enumerate(outputs) if each.requires_grad]
    sizes = [outputs[i].numel() for i in reached]
    found: Sequence[Tensor | None] = [None] * len(entered)
    if reached:
        roots = [outputs[i] for i in reached]
        found = batched_grad(roots, entered, basis_of(roots), True, create_graph, allow_unused=True)
    blocks: list[list[Tensor]] = [[_block(None, out, x) for x in entered] for out in outputs]
    start = 0
    for i, size in zip(reached, sizes, strict=True):
        for j, rows in enumerate(found):
            if rows is not None:
                blocks[i][j] = _block(rows.narrow(0, start, size), outputs[i], entered[j])
        start += size
    return blocks
