"""Functions that read values, under vmap: they are called once per example."""

from __future__ import annotations

from typing import Any

from ..core.tensor import Tensor
from ..ops.shape.join import stack
from . import tree


def read_one_by_one(level: Any, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call `function` for every example of `level`, and return the results stacked."""
    leaves, structure = tree.flatten((args, kwargs))
    opened = [level.opened(each) for each in leaves]
    spread = any(batched for _, batched in opened)
    results = [
        _called(function, structure, [x.select(0, number) if batched else x for x, batched in opened])
        for number in range(level.size if spread else 1)
    ]
    if not results:  # no examples: run on zeros to learn the shape
        zeros = [x.new_zeros(x._array.shape[1:]) if batched else x for x, batched in opened]
        found, shape = tree.flatten(_called(function, structure, zeros))
        together = [each.new_zeros((0, *each._array.shape)) for each in found]
    else:
        rows = [tree.flatten(each)[0] for each in results]
        shape = tree.flatten(results[0])[1]
        together = [_stacked(each) if spread else each[0] for each in zip(*rows, strict=True)]
    return tree.unflatten(shape, [level.wrapped(x, spread) if isinstance(x, Tensor) else x for x in together])


def _called(function: Any, structure: Any, leaves: list[Any]) -> Any:
    args, kwargs = tree.unflatten(structure, leaves)
    return function(*args, **kwargs)


def _stacked(results: tuple[Any, ...]) -> Any:
    return stack(list(results)) if isinstance(results[0], Tensor) else results[0]
