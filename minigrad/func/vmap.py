"""vmap: run a function of one example on many examples at once.

>>> import minigrad as mg
>>> from minigrad.func import vmap
>>> vmap(mg.dot)(mg.ones(2, 3), mg.ones(2, 3))
tensor([3., 3.])
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from ..core.grad_mode import transforming
from ..core.tensor import Tensor
from ..errors import ArgumentError, GradError
from ..ops.random.generator import keep_states, put_back
from ..ops.shape.join import cat
from . import tree
from .level import VmapLevel

RANDOMNESS = ("error", "different", "same")


def vmap(
    func: Callable[..., Any],
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    *,
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """A function that maps `func` over a dimension of its inputs, all examples at once.

    `in_dims` says which dimension of each input to map over (None: the same input for every example), as one number for
    all or with the structure of the inputs; keyword arguments are the same for every example. `out_dims` says likewise
    where the outputs have their batch dimension. `randomness` says what random operations do: raise an "error", draw
    "different" numbers for each example, or the "same" for all. With `chunk_size`, at most that many examples are
    computed at once, which saves memory.

    Calls nest, and combine with `grad`, `jvp` and the other transforms in any order.

    >>> import minigrad as mg
    >>> per_example = mg.func.vmap(mg.func.grad(lambda x: (x * x).sum()))
    >>> per_example(mg.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor([[2., 4.],
            [6., 8.]])
    """
    if randomness not in RANDOMNESS:
        raise GradError(f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}")
    if chunk_size is not None and chunk_size < 1:
        raise ArgumentError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    @functools.wraps(func)
    def mapped(*args: Any, **kwargs: Any) -> Any:
        call = _Call(func, in_dims, out_dims, randomness)
        return call.run(args, kwargs, chunk_size)

    return mapped


class _Call:
    """One call of a mapped function: read the arguments, run the function, and assemble its outputs."""

    def __init__(self, func: Callable[..., Any], in_dims: Any, out_dims: Any, randomness: str) -> None:
        self.func = func
        self.name = getattr(func, "__name__", type(func).__name__)
        self.in_dims = in_dims
        self.out_dims = out_dims
        self.randomness = randomness

    def run(self, args: tuple[Any, ...], kwargs: dict[str, Any], chunk_size: int | None) -> Any:
        leaves, structure = tree.flatten(args)
        dims = self.read_in_dims(args, leaves)
        size = self.batch_size(leaves, dims)
        if chunk_size is None or chunk_size >= size:
            outputs, out_structure, out_dims = self.run_on(leaves, dims, size, structure, kwargs)
            return tree.unflatten(out_structure, outputs)
        parts = []
        states = keep_states() if self.randomness == "same" else None
        for start in range(0, size, chunk_size):
            if states is not None:
                put_back(states)
            count = min(chunk_size, size - start)
            part = [
                each if dim is None else each.narrow(dim, start, count) for each, dim in zip(leaves, dims, strict=True)
            ]
            outputs, out_structure, out_dims = self.run_on(part, dims, count, structure, kwargs)
            parts.append(outputs)
        joined = [
            each[0] if dim is None else cat(list(each), dim)
            for each, dim in zip(zip(*parts, strict=True), out_dims, strict=True)
        ]
        return tree.unflatten(out_structure, joined)

    def run_on(
        self, leaves: Sequence[Any], dims: Sequence[int | None], size: int, structure: Any, kwargs: dict[str, Any]
    ) -> tuple[list[Any], Any, list[int | None]]:
        """Run the function on these examples. Return its outputs (leaves, structure) and their batch dimensions."""
        level = VmapLevel(size, self.randomness)
        entered = [x if dim is None else level.entered(x, dim) for x, dim in zip(leaves, dims, strict=True)]
        args = tree.unflatten(structure, entered)
        with level, transforming():
            result = self.func(*args, **kwargs)
        outputs, out_structure = tree.flatten(result)
        out_dims = self.read_out_dims(result, outputs)
        left = [self.leave(level, each, dim) for each, dim in zip(outputs, out_dims, strict=True)]
        return left, out_structure, out_dims

    # Inputs

    def read_in_dims(self, args: tuple[Any, ...], leaves: Sequence[Any]) -> list[int | None]:
        """Return the dimension to map over for each leaf of the arguments, counted from the front, or None."""
        given, who = self.in_dims, f"vmap({self.name}, in_dims={self.in_dims}, ...)(<inputs>)"
        if type(given) is not int and not isinstance(given, (tuple, dict)):
            raise ArgumentError(
                f"{who}: expected `in_dims` to be int or a (potentially nested) tuple matching the structure of "
                f"inputs, got: {type(given)}."
            )
        if not leaves:
            raise ArgumentError(
                f"vmap({self.name})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying to "
                "vmap over a function with no inputs. The latter is unsupported."
            )
        spread = tree.spread(given, args)
        if spread is None:
            raise ArgumentError(
                f"{who}: in_dims is not compatible with the structure of `inputs`. in_dims has structure "
                f"{tree.describe(given)} but inputs has structure {tree.describe(args)}."
            )
        return [self.checked_in_dim(who, each, dim) for each, dim in zip(leaves, spread, strict=True)]

    def checked_in_dim(self, who: str, value: Any, dim: Any) -> int | None:
        if dim is None:
            return None
        if type(dim) is not int:
            raise ArgumentError(
                f"{who}: Got in_dim={dim} for an input but in_dim must be either an integer dimension or None."
            )
        if not isinstance(value, Tensor):
            raise ArgumentError(
                f"{who}: Got in_dim={dim} for an input but the input is of type {type(value)}. We cannot vmap over "
                "non-Tensor arguments, please use None as the respective in_dim"
            )
        rank = value._array.ndim
        if not -rank <= dim < rank:
            raise ArgumentError(
                f"{who}: Got in_dim={dim} for some input, but that input is a Tensor of dimensionality {rank} so "
                f"expected in_dim to satisfy -{rank} <= in_dim < {rank}."
            )
        return dim % rank

    def batch_size(self, leaves: Sequence[Any], dims: Sequence[int | None]) -> int:
        """Return the number of examples. ValueError if the inputs disagree."""
        sizes = [x._array.shape[dim] for x, dim in zip(leaves, dims, strict=True) if dim is not None]
        if not sizes:
            raise ArgumentError(
                f"vmap: Expected at least one Tensor to vmap over, but in_dims={self.in_dims} maps over none of the "
                f"inputs of {self.name}."
            )
        if len(set(sizes)) > 1:
            raise ArgumentError(
                "vmap: Expected all tensors to have the same size in the mapped dimension, got sizes "
                f"{sizes} for the mapped dimension"
            )
        return int(sizes[0])

    # Outputs

    def read_out_dims(self, result: Any, outputs: Sequence[Any]) -> list[int | None]:
        """Return the batch dimension of each output, or None."""
        given = self.out_dims
        leaves = tree.flatten(given)[0]
        if not all(each is None or type(each) is int for each in leaves):
            raise ArgumentError(
                f"vmap({self.name}, ..., out_dims={given}): `out_dims` must be an int, None or a python collection of "
                "ints representing where in the outputs the vmapped dimension should appear."
            )
        if isinstance(result, Tensor) and isinstance(given, (tuple, list)) and len(given) == 1:
            given = given[0]
        spread = tree.spread(given, result)
        if spread is None:
            raise ArgumentError(
                f"vmap({self.name}, ..., out_dims={given})(<inputs>): out_dims is not compatible with the structure of "
                f"`outputs`. out_dims has structure {tree.describe(given)} but outputs has structure "
                f"{tree.describe(result)}."
            )
        return spread

    def leave(self, level: VmapLevel, output: Any, dim: int | None) -> Any:
        """Return one output as a tensor of all examples."""
        if dim is None:
            value, batched = level.opened(output)
            if batched:
                raise ArgumentError(
                    f"vmap({self.name}, ...): `{self.name}` can not return a BatchedTensor when out_dim is None"
                )
            return value
        if not isinstance(output, Tensor):
            raise ArgumentError(
                f"vmap({self.name}, ...): `{self.name}` must only return Tensors, got type {type(output)}. "
                "Did you mean to set out_dims= to None for output?"
            )
        return level.left(output, dim)
