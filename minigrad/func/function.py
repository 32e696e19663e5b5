"""Users' Functions under vmap: run their own ``vmap`` staticmethod, or map all their methods.

In both cases the Function is one node at every level. At the level of the vmap it runs the user's own backward on
single examples; further out the graph holds what the rule ran.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ..autograd.function import Function, needs_setup_context
from ..autograd.function_node import finish
from ..core.forward import recorded
from ..core.state import STATE
from ..core.tensor import Tensor, alias, edge_of, edges_of
from ..errors import GradError, MissingRuleError
from . import tree
from .generated_rule import mapped
from .rules.base import front


class VmapInfo(NamedTuple):
    """The first argument of a Function's ``vmap``: the batch size and the randomness mode."""

    batch_size: int
    randomness: str


def run_batched(level: Any, function: Any, args: tuple[Any, ...]) -> tuple[Any, Any]:
    """Run ``function.apply`` on all examples. Return its ctx, or None if a rule ran on the batch, and the outputs."""
    values, batched = level.all_opened(args)
    leaves = tree.flatten(args)[0]
    if not any(level.owns(each) for each in leaves):
        return recorded(function, args)
    ctx = None
    if not any(level.opened(each)[1] for each in leaves):
        (ctx, result), flags = recorded(function, tuple(values)), False
        result = tree.map_leaves(lambda each: _moved(level, args, each, None), result)
    elif function.generate_vmap_rule:
        if function.vmap is not Function.vmap:
            raise GradError(
                f"You tried to vmap over {function.__name__}, but it has both generate_vmap_rule=True and an "
                "overridden vmap staticmethod. Please set generate_vmap_rule=False or delete the overridden vmap."
            )
        result, flags = mapped(function, level, batched).apply(*values), True
    else:
        result, flags = by_rule(level, function, args)
    parts, structure = tree.flatten(result)
    spread = flags if isinstance(flags, list) else [flags] * len(parts)
    outputs = tree.unflatten(
        structure,
        [
            level.wrapped(x, b) if isinstance(x, Tensor) and not level.owns(x) else x
            for x, b in zip(parts, spread, strict=True)
        ],
    )
    if not function.separate():
        if STATE.mode.grad and any(level.owns(each) and edge_of(each) is not None for each in args):
            raise needs_setup_context(function)
        return ctx, outputs
    return _at_level(level, function, args, outputs)


def _at_level(level: Any, function: Any, args: tuple[Any, ...], outputs: Any) -> tuple[Any, Any]:
    """Create the Function's node in this level's graph, set up by the user's own ``setup_context``."""
    node = function.node()
    node.ctx.needs_input_grad = tuple(level.owns(each) and each.requires_grad for each in args)
    with level:
        function.setup_context(node.ctx, args, outputs)
    mine = tuple(alias(x) if isinstance(x, Tensor) and not level.owns(x) else x for x in args)
    return node.ctx, finish(node, mine, edges_of(mine), outputs)


def as_given(level: Any, arg: Any) -> tuple[Any, int | None]:
    """Return the tensor of all examples and its batch dimension; for an argument of vmap, as the caller passed it."""
    value, batched = level.opened(arg)
    if not batched:
        return value, None
    return arg._array.given or (value, 0)


def by_rule(level: Any, function: Any, args: Sequence[Any]) -> tuple[Any, Any]:
    """Run the Function's own ``vmap``. Return its outputs, batch dimension first, and which of them have one."""
    values, in_dims = [
        tree.map_leaves(lambda each: as_given(level, each)[0], tuple(args)),
        tree.map_leaves(lambda each: as_given(level, each)[1], tuple(args)),
    ]
    try:
        returned = function.vmap(VmapInfo(level.size, level.randomness), in_dims, *values)
    except MissingRuleError:
        if not function.separate():
            raise needs_setup_context(function) from None
        raise MissingRuleError(
            f"You tried to vmap over {function.__name__}, but it does not have vmap support. Please override and "
            "implement the vmap staticmethod or set generate_vmap_rule=True."
        ) from None
    if not isinstance(returned, tuple) or len(returned) != 2:
        raise GradError(
            "Expected the vmap staticmethod to have two returns, an output and out_dims with pytree structure "
            f"compatible with the output. Got a {type(returned)} instead: {function.__name__}.vmap"
        )
    result, given = returned
    dims = tree.spread(given, result)
    if dims is None:
        raise GradError(
            f"The vmap staticmethod of {function.__name__} returned an incompatible (output, out_dims) tuple. Expected "
            f"out_dims={given} to be compatible with the structure of `output`. out_dims has structure "
            f"{tree.describe(given)} but output has structure {tree.describe(result)}."
        )
    leaves, structure = tree.flatten(result)
    moved = [_moved(level, args, x, dim) for x, dim in zip(leaves, dims, strict=True)]
    return tree.unflatten(structure, moved), [dim is not None for dim in dims]


def _moved(level: Any, args: Sequence[Any], result: Any, dim: int | None) -> Any:
    """Return a result with the batch dimension first; an argument that came back, perhaps overwritten, as it is."""
    for each in tree.flatten(tuple(args))[0]:
        if isinstance(each, Tensor):
            given, given_dim = as_given(level, each)
            if given is result and given_dim == dim:
                return each
    return result if dim is None else front(result, dim)
