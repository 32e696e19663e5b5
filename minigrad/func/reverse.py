"""Reverse mode as transforms: grad, vjp, jacrev.

The function gets the inputs to differentiate by as new leaves: each has an `Entry` node in the graph, from which an
edge leads to the input's own history. Backward stops at the entries. So calls nest to any depth: the inner gradient
stops at the inner entry, and its computation is recorded, so that the outer one can differentiate it.

>>> import minigrad as mg
>>> cube = lambda x: x**3
>>> mg.func.grad(mg.func.grad(cube))(mg.tensor(2.0))
tensor(12.)
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from ..core.engine import Pass
from ..core.entry import entered, leads_outside, outside
from ..core.further import zeros_like
from ..core.grad_mode import recording, transforming
from ..core.graph import Edge
from ..core.nested import execute
from ..core.state import STATE
from ..core.tensor import Tensor, edge_of
from ..errors import ArgumentError, GradError, ShapeError
from . import tree
from .arguments import Argnums, chosen, replaced, with_aux
from .captured import read_only


def enter(tensor: Any) -> Tensor:
    """Return `tensor` as a new leaf to differentiate by."""
    if not isinstance(tensor, Tensor):
        raise ArgumentError(f"Thing passed to transform API must be Tensor, got {type(tensor)}")
    if not tensor.dtype.is_differentiable:
        raise GradError(
            "only Tensors of floating point dtype can require gradients (and complex ones), this one is "
            f"{tensor.dtype}: convert it first, for example with .float(), or do not differentiate by it."
        )
    return entered(tensor)


def gradients(
    outputs: Sequence[Tensor], cotangents: Sequence[Tensor], entries: Sequence[Tensor], create: bool, retain: bool
) -> list[Tensor]:
    """Return the gradient at each entry; zeros if the outputs do not depend on it."""
    roots = [
        (edge, cotangent)
        for output, cotangent in zip(outputs, cotangents, strict=True)
        if (edge := edge_of(output)) is not None
    ]
    captures: dict[Edge, Any] = {edge_of(entry): None for entry in entries}  # type: ignore[misc]
    if roots:
        execute(Pass(roots, captures, retain, create))
    found = [captures[edge_of(entry)] for entry in entries]  # type: ignore[index]
    return [zeros_like(entry) if grad is None else grad for entry, grad in zip(entries, found, strict=True)]


def leave(entries: Sequence[Tensor]) -> None:
    """Close the entries: the function that got these inputs has returned."""
    for each in entries:
        each._edge[0].open = False  # type: ignore[index, union-attr]


def settle(*given: Any) -> None:
    """Detach arguments that `func` changed in place but that are not differentiated by: they keep only the values."""
    for each in tree.flatten(given)[0]:
        if isinstance(each, Tensor) and each._edge is not None and not leads_outside([each]):
            each._edge = None


# grad -----------------------------------------------------------------------------------------------------------------


def grad(func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Callable[..., Any]:
    """A function that computes the gradient of `func` with respect to its arguments number `argnums`.

    `func` returns a scalar tensor; with `has_aux` a pair (scalar, tensors), and so does the new function. An argument
    may be a tuple, list or dict of tensors; its gradient then has the same structure. RuntimeError where the output is
    no scalar.

    >>> import minigrad as mg
    >>> mg.func.grad(lambda x: (x * x).sum())(mg.tensor([1.0, 2.0]))
    tensor([2., 4.])
    """

    @functools.wraps(func)
    def slope(*args: Any, **kwargs: Any) -> Any:
        grads, value = _grad_and_value(func, argnums, has_aux, args, kwargs)
        return (grads, value[1]) if has_aux else grads

    return slope


def grad_and_value(func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Callable[..., Any]:
    """Like `grad`, but the new function returns (gradient, value), with `has_aux` (gradient, (value, aux)).

    >>> import minigrad as mg
    >>> mg.func.grad_and_value(lambda x: x * x)(mg.tensor(3.0))
    (tensor(6.), tensor(9.))
    """

    @functools.wraps(func)
    def slope_and_value(*args: Any, **kwargs: Any) -> Any:
        return _grad_and_value(func, argnums, has_aux, args, kwargs)

    return slope_and_value


def value_and_grad(func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Callable[..., Any]:
    """`grad_and_value` with results in JAX's order: (value, gradient)."""

    @functools.wraps(func)
    def value_and_slope(*args: Any, **kwargs: Any) -> Any:
        grads, value = _grad_and_value(func, argnums, has_aux, args, kwargs)
        return value, grads

    return value_and_slope


def _grad_and_value(func: Any, argnums: Argnums, has_aux: bool, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    outer = STATE.mode.grad
    leaves, structure = tree.flatten(chosen(argnums, args))
    with recording(), transforming(), read_only(func, args, kwargs):
        entries = [enter(each) for each in leaves]
        result = func(*replaced(argnums, args, tree.unflatten(structure, entries)), **kwargs)
        value, aux = (
            with_aux(result, "grad_and_value(f)(*args): output of function f", "output") if has_aux else (result, None)
        )
    _check_scalar(value)
    leave(entries)
    settle(args, kwargs)
    connected = outer and leads_outside([value])
    one = value.new_ones(())
    found = gradients([value], [one], entries, connected, connected)
    grads = tree.unflatten(structure, [outside(each, connected) for each in found])
    value = outside(value, connected)
    return grads, (value, _all_outside(aux, outer)) if has_aux else value


def _all_outside(aux: Any, outer: bool) -> Any:
    """Return the auxiliary outputs, detached like the value unless their graph leads outside."""
    return tree.map_leaves(lambda each: outside(each, outer and leads_outside([each])), aux)


def _check_scalar(value: Any) -> None:
    who = "grad_and_value(f)(*args): Expected f(*args) to return a"
    if not isinstance(value, Tensor):
        raise GradError(
            f"{who} Tensor, got {type(value)}. With further outputs, return (scalar, rest) and set has_aux=True."
        )
    if value._array.ndim:
        raise GradError(
            f"{who} scalar Tensor, got tensor with {value._array.ndim} dims. Maybe you wanted to use the vjp or jacrev "
            "APIs instead?"
        )
    if not value.dtype.is_floating_point:
        raise GradError(
            f"grad can be implicitly created only for real scalar outputs but got {value.dtype}. "
            "Take a real function of it first, such as .abs()."
        )


# vjp ------------------------------------------------------------------------------------------------------------------


def vjp(func: Callable[..., Any], *primals: Any, has_aux: bool = False) -> tuple[Any, ...]:
    """Return the value of `func` at `primals`, and a function that computes the VJP there.

    Returns (value, pull), with `has_aux` (value, pull, aux). ``pull(cotangents)`` returns a tuple with one gradient for
    each primal; it may be called any number of times. RuntimeError if the structure of the cotangents is not that of
    the value.

    >>> import minigrad as mg
    >>> value, pull = mg.func.vjp(lambda x: x * x, mg.tensor([1.0, 2.0]))
    >>> pull(mg.tensor([1.0, 10.0]))
    (tensor([ 2., 40.]),)
    """
    outer = STATE.mode.grad
    leaves, structure = tree.flatten(primals)
    with recording(), transforming(), read_only(func, primals):
        entries = [enter(each) for each in leaves]
        result = func(*tree.unflatten(structure, entries))
        value, aux = with_aux(result, "vjp(f, *primals): output of function f", "output") if has_aux else (result, None)
    outputs, out_structure = tree.flatten(value)
    if not outputs or value is None:
        raise GradError(
            f"vjp(f, *primals): Expected f to be a function that has non-empty output (got output = {value})"
        )
    for each in outputs:
        if not isinstance(each, Tensor):
            raise GradError(
                f"vjp(f, *primals): expected f(*primals) to return only tensors, got unsupported type {type(each)}"
            )
    pull = _Pull(outputs, out_structure, entries, structure)
    leave(entries)
    connected = outer and leads_outside(outputs)
    left = tree.unflatten(out_structure, [outside(each, connected) for each in outputs])
    if has_aux:
        return left, pull, _all_outside(aux, outer)
    return left, pull


class _Pull:
    """The function that `vjp` returns: it maps gradients of the outputs to gradients of the primals."""

    def __init__(
        self, outputs: Sequence[Tensor], out_structure: Any, entries: Sequence[Tensor], structure: Any
    ) -> None:
        self.outputs = outputs
        self.out_structure = out_structure
        self.entries = entries
        self.structure = structure

    def __call__(self, cotangents: Any, retain_graph: bool = True, create_graph: bool | None = None) -> Any:
        leaves, structure = tree.flatten(cotangents)
        if tree.describe(structure) != tree.describe(self.out_structure):
            raise GradError(
                "Expected pytree structure of cotangents to be the same as pytree structure of outputs to the "
                f"function. cotangents: {tree.describe(structure)}, primal output: {tree.describe(self.out_structure)}"
            )
        for i, (leaf, output) in enumerate(zip(leaves, self.outputs, strict=True)):
            if leaf._array.shape != output._array.shape:
                raise ShapeError(
                    f"Mismatch in shape: grad_output[{i}] has a shape of {leaf.shape} and output[{i}] has a shape of "
                    f"{output.shape}."
                )
        create = STATE.mode.grad if create_graph is None else create_graph
        create = create and leads_outside([*self.outputs, *leaves])
        grads = gradients(self.outputs, leaves, self.entries, create, retain_graph)
        return tree.unflatten(self.structure, [outside(each, create) for each in grads])
