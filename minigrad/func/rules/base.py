"""Batching rules: how an op that was called on one example runs on all examples at once.

A rule gets the op as it was called on one example, the number of examples, the values, and for each value whether its
first dimension is the batch dimension. It returns the result with the batch dimension first. A rule uses ordinary ops
on ordinary tensors, so gradients, tangents and outer vmaps work through it.

Most ops need no rule of their own:

    Elementwise     align the dimensions of one example, counted from the back
    `dim` settings  the same op, one dimension further back (reductions, softmax, cumsum, cat, flip, ...)
    any other       one example after the other, stacked: correct for every op, but slow

The rules for views, indexing and matrix products are in the modules `shape`, `index` and `product`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ... import dtypes
from ...core.op import Op
from ...core.tensor import Tensor
from ...errors import GradError
from ...ops.shape.join import stack
from ...ops.shape.permute import movedim

Rule = Callable[[Any, int, list[Any], list[bool]], Any]

RULES: dict[str, Rule] = {}
"""Maps the names of ops to their batching rules."""


def rule(*names: str) -> Callable[[Rule], Rule]:
    """Register a function as the batching rule of these ops."""

    def register(function: Rule) -> Rule:
        RULES.update(dict.fromkeys(names, function))
        return function

    return register


def batched_result(op: Op, size: int, values: list[Any], batched: list[bool]) -> Any:
    """Run `op` on all examples. The result has the batch dimension first."""
    found = RULES.get(type(op).__name__)
    if found is None:
        found = elementwise if op.elementwise else one_by_one
    return found(op, size, values, batched)


# The rule for elementwise ops -----------------------------------------------------------------------------------------


def elementwise(op: Op, size: int, values: list[Any], batched: list[bool]) -> Any:
    """Align the dimensions of one example from the back; the batch dimension stays first."""
    return op.again()(*aligned(op, values, batched))


def aligned(op: Op, values: Sequence[Any], batched: Sequence[bool]) -> list[Any]:
    """Insert sizes of 1 after the batch dimension, so that all examples have the same number of dimensions."""
    rank = max(rank_of(value, b) for value, b in zip(values, batched, strict=True) if isinstance(value, Tensor))
    ready = [padded(value, rank) if b else value for value, b in zip(values, batched, strict=True)]
    return same_type(ready, values, batched) if op.promotion else ready


def same_type(ready: list[Any], values: Sequence[Any], batched: Sequence[bool]) -> list[Any]:
    """Cast the values to the dtype that promotion gives for one example: the batch dimension does not count."""
    kinds = {value._array.dtype for value in values if isinstance(value, Tensor)}
    if len(kinds) < 2:
        return ready
    ones = [Example(value, b) if isinstance(value, Tensor) else value for value, b in zip(values, batched, strict=True)]
    target = dtypes.result_type(*(each for each in ones if each is not None))
    return [each.to(target) if isinstance(each, Tensor) else each for each in ready]


class Example:
    """The dtype and shape of one example, which is all that promotion needs."""

    def __init__(self, value: Tensor, batched: bool) -> None:
        self.dtype = value.dtype
        self.shape = value._array.shape[1:] if batched else value._array.shape


# Any op, one example after the other ----------------------------------------------------------------------------------


def one_by_one(op: Op, size: int, values: list[Any], batched: list[bool]) -> Any:
    """Run the op on each example, and stack the results, which must have the same shape."""
    if not size:
        return _of_none(op, values, batched)
    results = [
        op.again()(*[value.select(0, i) if b else value for value, b in zip(values, batched, strict=True)])
        for i in range(size)
    ]
    if type(results[0]) is not tuple:
        return _stacked(op, results)
    return tuple([_stacked(op, each) for each in zip(*results, strict=True)])


def _stacked(op: Op, results: Sequence[Tensor]) -> Tensor:
    shapes = {each._array.shape for each in results}
    if len(shapes) > 1:
        raise GradError(
            "vmap: We do not support batching operators that can output dynamic shape. Attempted to vmap over "
            f"{type(op).__name__}, whose results have the shapes {sorted(map(list, shapes))}. Use where() or a mask of "
            "fixed size instead, or run it outside of vmap."
        )
    return stack(list(results))


def _of_none(op: Op, values: list[Any], batched: list[bool]) -> Any:
    """Return results for a batch of size 0; run the op on zeros to learn the shapes."""
    zeros = [v.new_zeros(v._array.shape[1:]) if b else v for v, b in zip(values, batched, strict=True)]
    result = op.again()(*zeros)
    if type(result) is not tuple:
        return result.new_zeros((0, *result._array.shape))
    return tuple([each.new_zeros((0, *each._array.shape)) for each in result])


# Helpers for rules ----------------------------------------------------------------------------------------------------


def changed(op: Op, **settings: Any) -> Op:
    """A copy of `op` with some settings changed."""
    fresh = type(op)(*[settings.get(name, getattr(op, name)) for name in op.settings])
    if "grad_name" in getattr(op, "__dict__", ()):
        fresh.grad_name = op.grad_name  # type: ignore[misc]
    return fresh


def rank_of(value: Tensor, batched: bool) -> int:
    """The number of dimensions of one example."""
    return value._array.ndim - 1 if batched else value._array.ndim


def padded(value: Tensor, rank: int) -> Tensor:
    """Insert sizes of 1 after the batch dimension of `value`, so that one example has `rank` dimensions."""
    shape = value._array.shape
    missing = rank - (len(shape) - 1)
    return value.reshape((shape[0], *(1,) * missing, *shape[1:])) if missing > 0 else value


def everywhere(value: Any, batched: bool, size: int) -> Any:
    """Return `value` with a batch dimension first; expand it, without copying, if it has none."""
    if batched or not isinstance(value, Tensor):
        return value
    return value.unsqueeze(0).expand(size, *value._array.shape)


def front(tensor: Tensor, dim: int) -> Tensor:
    """`tensor` with dimension `dim` moved to the front."""
    return tensor if dim == 0 else movedim(tensor, dim, 0)
