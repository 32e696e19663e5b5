"""Random numbers under vmap: an error, new numbers for each example, or the same for all."""

from __future__ import annotations

from typing import Any

from ..core.tensor import Tensor
from ..errors import GradError
from ..ops.common.dims import sizes_of
from ..ops.random.generator import keep_states, put_back
from ..ops.shape.join import stack
from . import tree


def drawn(level: Any, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return the result of a function that draws random numbers, at this level."""
    name = function.__name__
    if level.randomness == "error":
        raise GradError(
            f"vmap: called random operation while in randomness error mode ({name}). Please either use the 'same' or "
            "'different' randomness flags on vmap or perform the randomness operation out of vmap"
        )
    leaves, structure = tree.flatten((args, kwargs))
    batched = [level.opened(each)[1] for each in leaves]
    in_place = name.endswith("_")
    asked = any(batched[1:] if in_place else batched) and name.rstrip("_") in BY_TENSORS
    if level.randomness == "same" and asked:
        raise GradError(
            f"Vmap does not currently support same randomness with a batched tensor input ({name}). Use "
            "randomness='different', or draw outside of vmap."
        )
    if in_place and any(batched[1:]) and not batched[0]:
        raise GradError(
            f"vmap: {name}(self, *extra_args) is not possible because there exists a Tensor `other` in extra_args that "
            "has more elements than `self`. Draw into a tensor that has a place for each example."
        )
    if in_place and level.randomness == "different" and not batched[0]:
        raise GradError(
            f"vmap: Cannot ask for different inplace randomness on an unbatched tensor ({name}). This will appear like "
            "same randomness. If this is necessary for your usage, use randomness='same'."
        )
    if level.randomness == "same" and not any(batched):
        opened = tree.unflatten(structure, [level.opened(each)[0] for each in leaves])
        return function(*opened[0], **opened[1])
    if level.randomness == "different":
        at_once = _at_once(level, function, args, kwargs)
        if at_once is not None:
            return args[0] if in_place else level.wrapped(at_once)
    results = _one_by_one(level, function, leaves, structure, kwargs.get("generator"))
    return args[0] if in_place else level.wrapped(stack(results))


BY_TENSORS = {"bernoulli", "binomial", "multinomial", "normal", "poisson"}
"""Functions that take parameters of a distribution as a tensor: if it is batched, examples cannot draw the same."""


def _at_once(level: Any, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Draw for all examples in one call, in PyTorch's order. Return None if that is not possible."""
    name = function.__name__
    opened = [level.opened(each) for each in args]
    if name in ("rand", "randn"):
        drawn: Tensor = function(level.size, *sizes_of(args), **kwargs)
        return drawn
    if name in ("randint", "normal") and len(args) > 1 and isinstance(args[-1], (tuple, list)):
        return function(*args[:-1], (level.size, *args[-1]), **kwargs)
    if name == "multinomial":
        weights = _of_all(level, args[0], args[0].dim() + 1)
        drawn = function(weights.reshape(-1, weights.shape[-1]), *args[1:], **kwargs)
        return drawn.reshape(*weights.shape[:-1], drawn.shape[-1])
    if name in ("rand_like", "randn_like", "randint_like"):
        return function(_of_all(level, args[0], args[0].dim() + 1), *args[1:], **kwargs)
    if not (name.endswith("_") or name in BY_TENSORS):
        return None
    if name.endswith("_") and sum(each for _, each in opened) == 1:
        return function(opened[0][0], *args[1:], **kwargs)
    rank = max(value.dim() - each for value, each in opened if isinstance(value, Tensor))
    return function(*[_of_all(level, each, rank + 1) if isinstance(each, Tensor) else each for each in args], **kwargs)


def _of_all(level: Any, value: Tensor, dims: int) -> Tensor:
    """Return `value` with `dims` dimensions, batch dimension first; it is expanded if it has no batch dimension."""
    inside, batched = level.opened(value)
    shape = inside.shape[1:] if batched else inside.shape
    padded = (1,) * (dims - 1 - len(shape)) + tuple(shape)
    if batched:
        return inside.reshape(level.size, *padded) if len(padded) > len(shape) else inside
    return inside.expand(level.size, *padded)


def _one_by_one(level: Any, function: Any, leaves: list[Any], structure: Any, generator: Any) -> list[Tensor]:
    """Call the function once per example; with randomness "same", always from the same generator state."""
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
