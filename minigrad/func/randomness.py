"""Random numbers under vmap: refused, drawn anew for every example, or drawn once for all."""

from __future__ import annotations

from typing import Any

from ..core.tensor import Tensor
from ..errors import GradError
from ..ops.common.dims import sizes_of
from ..ops.random.generator import keep_states, put_back
from ..ops.shape.join import stack
from . import tree


def drawn(level: Any, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What a function that draws random numbers gives at this level."""
    name = function.__name__
    if level.randomness == "error":
        raise GradError(
            f"vmap: called random operation while in randomness error mode ({name}). Please either use the 'same' or "
            "'different' randomness flags on vmap or perform the randomness operation out of vmap"
        )
    leaves, structure = tree.flatten((args, kwargs))
    batched = [level.opened(each)[1] for each in leaves]
    in_place = name.endswith("_")
    if in_place and level.randomness == "different" and not batched[0]:
        raise GradError(
            f"vmap: Cannot ask for different inplace randomness on an unbatched tensor ({name}). This will appear like "
            "same randomness. If this is necessary for your usage, use randomness='same'."
        )
    if level.randomness == "same" and not any(batched):
        opened = tree.unflatten(structure, [level.opened(each)[0] for each in leaves])
        return function(*opened[0], **opened[1])
    if level.randomness == "different" and ((in_place and batched.count(True) == 1) or name == "randn"):
        return _at_once(level, function, args, kwargs)
    results = _one_by_one(level, function, leaves, structure, kwargs.get("generator"))
    return args[0] if in_place else level.wrapped(stack(results))


def _at_once(level: Any, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """All examples filled by one call, as PyTorch does: sixteen normal numbers or more come in blocks."""
    if function.__name__ == "randn":
        return level.wrapped(function(level.size, *sizes_of(args), **kwargs))
    function(level.opened(args[0])[0], *args[1:], **kwargs)
    return args[0]


def _one_by_one(level: Any, function: Any, leaves: list[Any], structure: Any, generator: Any) -> list[Tensor]:
    """The function called for one example after the other, each time from the same state if all shall draw the same."""
    same = level.randomness == "same"
    states = keep_states() if same else {}
    own = generator.state_bytes() if same and generator else b""
    results = []
    for number in range(level.size):
        if same:
            put_back(states)
        if own:
            generator.set_state_bytes(own)
        args, kwargs = tree.unflatten(structure, [_example(level, each, number) for each in leaves])
        results.append(function(*args, **kwargs))
    return results


def _example(level: Any, value: Any, number: int) -> Any:
    inside, batched = level.opened(value)
    return inside.select(0, number) if batched else inside
