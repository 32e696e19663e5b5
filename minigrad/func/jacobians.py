"""Jacobians by products with unit vectors: jacrev, row by row, and helpers that jacfwd shares."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from ..core.tensor import Tensor, wrap
from ..errors import ArgumentError, GradError
from ..ops.shape.join import cat
from . import tree
from .arguments import Argnums, chosen, replaced
from .reverse import vjp
from .vmap import vmap


def basis_of(tensors: Sequence[Tensor], start: int = 0, stop: int | None = None) -> list[Tensor]:
    """Return unit vectors `start` to `stop` of the space of all `tensors` together: (count, *shape) for each tensor."""
    total = sum(each.numel() for each in tensors)
    stop = total if stop is None else min(stop, total)
    vectors, offset = [], 0
    for each in tensors:
        size, backend = each.numel(), each._backend
        block = backend.zeros((stop - start, size), each._array.dtype)
        first, last = max(start, offset), min(stop, offset + size)
        if first < last:
            rows = backend.arange(first, last)
            block[rows - start, rows - offset] = 1
        vectors.append(wrap(block.reshape((stop - start, *each._array.shape)), backend))
        offset += size
    return vectors


def refuse_complex(who: str, what: str, tensors: Sequence[Any]) -> None:
    """Raise if one of `tensors` is complex: a Jacobian holds derivatives by real numbers only."""
    for index, each in enumerate(tensors):
        if isinstance(each, Tensor) and each.dtype.is_complex:
            raise GradError(
                f"{who}: Expected all {what}s to be real but received complex tensor at flattened {what} idx: {index}. "
                "Take the Jacobian of a function of view_as_real(z), or of its parts."
            )


def folded(columns: Tensor, inputs: Sequence[Tensor], shape: Sequence[int], structure: Any) -> Any:
    """Split columns for all inputs together, (*output, all inputs), into one Jacobian (*output, *input) per input."""
    parts, start = [], 0
    for each in inputs:
        part = columns.narrow(-1, start, each.numel())
        parts.append(part.reshape((*shape, *each._array.shape)))
        start += each.numel()
    return tree.unflatten(structure, parts)


def jacrev(
    func: Callable[..., Any],
    argnums: Argnums = 0,
    *,
    has_aux: bool = False,
    chunk_size: int | None = None,
    _preallocate_and_copy: bool = False,
) -> Callable[..., Any]:
    """A function that computes the Jacobian of `func` by reverse mode, all rows at once or `chunk_size` at a time.

    Best if there are fewer outputs than inputs. Each output's Jacobian has the shape (*output, *input); with several
    arguments, or structures of tensors, it is nested: outputs outside, inputs inside. `_preallocate_and_copy` is
    accepted for compatibility, without effect.

    >>> import minigrad as mg
    >>> mg.func.jacrev(lambda x: x * x)(mg.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    if chunk_size is not None and chunk_size < 1:
        raise ArgumentError("jacrev: `chunk_size` should be greater than 0.")

    @functools.wraps(func)
    def jacobian(*args: Any, **kwargs: Any) -> Any:
        by = chosen(argnums, args)

        def of_chosen(*inner: Any) -> Any:
            return func(*replaced(argnums, args, inner if isinstance(argnums, tuple) else inner[0]), **kwargs)

        primals = by if isinstance(argnums, tuple) else (by,)
        refuse_complex("jacrev", "input", tree.flatten(primals)[0])
        value, pull, *aux = vjp(of_chosen, *primals, has_aux=has_aux)
        outputs, out_structure = tree.flatten(value)
        refuse_complex("jacrev", "output", outputs)
        rows = rows_of(lambda *units: pull(tree.unflatten(out_structure, units)), outputs, chunk_size)
        leaves, structure = tree.flatten(rows if isinstance(argnums, tuple) else rows[0])
        nested, start = [], 0
        for each in outputs:
            size = each.numel()
            parts = [
                leaf.narrow(0, start, size).reshape((*each._array.shape, *leaf._array.shape[1:])) for leaf in leaves
            ]
            nested.append(tree.unflatten(structure, parts))
            start += size
        jacobians = tree.unflatten(out_structure, nested)
        return (jacobians, aux[0]) if has_aux else jacobians

    return jacobian


def rows_of(pull: Callable[..., Any], outputs: Sequence[Tensor], chunk_size: int | None) -> Any:
    """Return ``pull`` of every unit vector of the outputs, stacked along a new first dimension."""
    total = sum(each.numel() for each in outputs)
    if chunk_size is None or not total or (chunk_size > 1 and chunk_size >= total):
        return vmap(pull)(*basis_of(outputs))
    of_rows = _of_one_row(pull) if chunk_size == 1 else vmap(pull)
    parts = []
    for start in range(0, total, chunk_size):
        part, structure = tree.flatten(of_rows(*basis_of(outputs, start, start + chunk_size)))
        parts.append(part)
    return tree.unflatten(structure, [cat(list(each), 0) for each in zip(*parts, strict=True)])


def _of_one_row(pull: Callable[..., Any]) -> Callable[..., Any]:
    """Return `pull` for a batch of one, without vmap, so that backward may use ops that vmap does not support."""

    def call(*units: Tensor) -> Any:
        return tree.map_leaves(lambda each: each.unsqueeze(0), pull(*[each.squeeze(0) for each in units]))

    return call
