"""linearize: run a function once, then compute its JVP for as many tangents as wanted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core.entry import entered, leads_outside, outside
from ..core.further import zeros_like
from ..core.grad_mode import recording, transforming
from ..core.state import STATE
from ..core.tensor import Tensor
from ..errors import DtypeError, GradError, ShapeError
from . import tree
from .captured import read_only
from .reverse import enter, gradients, leave


def linearize(func: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[..., Any]]:
    """Return the value of `func` at `primals`, and the function ``push(*tangents)`` that computes its JVP there.

    `func` runs once. The graph of its VJP is kept, which is linear; each call of ``push`` runs backward through that
    graph.

    >>> import minigrad as mg
    >>> value, push = mg.func.linearize(lambda x: x**3, mg.tensor(2.0))
    >>> push(mg.tensor(1.0)), push(mg.tensor(10.0))
    (tensor(12.), tensor(120.))
    """
    outer = STATE.mode.grad
    leaves, structure = tree.flatten(primals)
    with recording(), transforming(), read_only(func, primals):
        entries = [enter(each) for each in leaves]
        outputs, out_structure = tree.flatten(func(*tree.unflatten(structure, entries)))
        for each in outputs:
            if not isinstance(each, Tensor):
                raise GradError(f"linearize(f, *primals): expected f to return only tensors, got {type(each)}")
        probes = [entered(zeros_like(each)) for each in outputs]
        pulled = gradients(outputs, probes, entries, True, True)
    leave(entries)
    leave(probes)

    def push(*tangents: Any) -> Any:
        given, given_structure = tree.flatten(tangents)
        if tree.describe(given_structure) != tree.describe(structure):
            raise GradError(
                f"Expected the tangents {tree.describe(given_structure)} to have the same argpytree structure as the "
                f"primals {tree.describe(structure)}"
            )
        for number, (tangent, primal) in enumerate(zip(given, leaves, strict=True)):
            if tangent._array.shape != primal._array.shape:
                raise ShapeError(
                    f"tangent:{number} with shape {tangent.shape} in flattened pytree doesn't match the shape "
                    f"{primal.shape} of the corresponding primal."
                )
            if tangent.dtype != primal.dtype:
                raise DtypeError(
                    f"tangent:{number} with dtype {tangent.dtype} in flattened pytree doesn't match the dtype "
                    f"{primal.dtype} of the corresponding primal."
                )
        create = STATE.mode.grad and leads_outside([*pulled, *given])
        pushed = gradients(pulled, given, probes, create, True)
        return tree.unflatten(out_structure, [outside(each, create) for each in pushed])

    connected = outer and leads_outside(outputs)
    return tree.unflatten(out_structure, [outside(each, connected) for each in outputs]), push
