"""Forward mode as transforms: jvp, jacfwd. They nest to any depth, and combine with grad and vmap."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..core.forward import ForwardLevel, check_tangent
from ..core.further import zeros_like
from ..core.grad_mode import transforming
from ..core.tensor import Tensor
from ..errors import ArgumentError, GradError
from . import tree
from .arguments import Argnums, chosen, replaced, with_aux
from .captured import read_only
from .jacobians import basis_of, folded, refuse_complex
from .vmap import vmap


def jvp(
    func: Callable[..., Any], primals: Any, tangents: Any, *, strict: bool = False, has_aux: bool = False
) -> tuple[Any, ...]:
    """Return the value of `func` at `primals`, and its directional derivative along `tangents`.

    Returns (value, tangent), with `has_aux` (value, tangent, aux). `primals` is a tuple of arguments, each a tensor
    or a structure of tensors, `tangents` a tuple of the same structure. With `strict` a value that does not depend on
    the primals is an error instead of a tangent of zeros.

    >>> import minigrad as mg
    >>> mg.func.jvp(lambda x: x**3, (mg.tensor(2.0),), (mg.tensor(1.0),))
    (tensor(8.), tensor(12.))
    """
    who = "jvp(f, primals, tangents)"
    if not isinstance(primals, tuple):
        raise GradError(f"{who}: Expected primals to be a tuple. E.g. it should be valid to call f(*primals).")
    leaves, structure = tree.flatten(primals)
    directions, shape_of_tangents = tree.flatten(tangents)
    if tree.describe(structure) != tree.describe(shape_of_tangents):
        raise GradError(
            f"{who}: Expected primals and tangents to have the same python structure. For example, if primals is a "
            f"tuple of 3 tensors, tangents also must be. Got primals with structure {tree.describe(structure)} and "
            f"tangents with structure {tree.describe(shape_of_tangents)}"
        )
    if not leaves:
        raise GradError(f"{who}: Expected primals to contain at least one Tensor.")
    with ForwardLevel() as level, transforming(), read_only(func, primals):
        duals = [dual(level, x, t) for x, t in zip(leaves, directions, strict=True)]
        result = func(*tree.unflatten(structure, duals))
        value, aux = with_aux(result, f"{who}: output of function f", "output") if has_aux else (result, None)
        outputs, out_structure = tree.flatten(value)
        if not outputs or value is None:
            raise GradError(
                f"{who}: Expected f to be a function that has non-empty output (got output = {value}): return a tensor."
            )
        for each in outputs:
            if not isinstance(each, Tensor):
                raise GradError(
                    f"{who}: expected f(*primals) to return only tensors, got unsupported type {type(each)}"
                )
        pushed = [level.tangent_of(each) for each in outputs]
    if strict and any(each is None for each in pushed):
        raise GradError(
            f"{who[:-1]}, strict=True): The output of f is independent of the inputs. This is not allowed with "
            "strict=True."
        )
    filled = [zeros_like(out) if t is None else t for out, t in zip(outputs, pushed, strict=True)]
    value, tangent = tree.unflatten(out_structure, outputs), tree.unflatten(out_structure, filled)
    return (value, tangent, aux) if has_aux else (value, tangent)


def dual(level: ForwardLevel, primal: Any, tangent: Any) -> Tensor:
    """Return `primal` with `tangent` at this level, after checking both."""
    for name, each in (("primal", primal), ("tangent", tangent)):
        if not isinstance(each, Tensor):
            raise GradError(f"jvp(f, primals, tangents): Expected {name}s to only contain Tensors, got {type(each)}")
        if not each.dtype.is_differentiable:
            raise ArgumentError(f"Expected {name} to be floating point or complex, but got: {each.dtype}")
    check_tangent(primal, tangent)
    return level.dual(primal, tangent)


def jacfwd(
    func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False, *, randomness: str = "error"
) -> Callable[..., Any]:
    """A function that computes the Jacobian of `func` by forward mode, all columns at once.

    Best if there are fewer inputs than outputs. Each output's Jacobian has the shape (*output, *input); with several
    arguments, or structures of tensors, it is nested: outputs outside, inputs inside.

    >>> import minigrad as mg
    >>> mg.func.jacfwd(lambda x: x * x)(mg.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """

    @functools.wraps(func)
    def jacobian(*args: Any, **kwargs: Any) -> Any:
        by = chosen(argnums, args)
        leaves, structure = tree.flatten(by)
        refuse_complex("jacfwd", "input", leaves)
        noted: list[Any] = []

        def push(*directions: Tensor) -> Any:
            def of_chosen(*inner: Any) -> Any:
                return func(*replaced(argnums, args, tree.unflatten(structure, inner)), **kwargs)

            result = jvp(of_chosen, tuple(leaves), directions, has_aux=has_aux)
            columns, out_structure = tree.flatten(result[1])
            refuse_complex("jacfwd", "output", columns)
            noted[:] = [out_structure]
            return (tuple(columns), result[2]) if has_aux else (tuple(columns), ())

        columns, aux = vmap(push, out_dims=(-1, None if has_aux else 0), randomness=randomness)(*basis_of(leaves))
        jacobians = [folded(each, leaves, each._array.shape[:-1], structure) for each in columns]
        nested = tree.unflatten(noted[0], jacobians)
        return (nested, aux) if has_aux else nested

    return jacobian
