"""Update many small parameters together: one call of `update` on a flat array instead of one call for each.

A NumPy call takes about a microsecond however few elements it has, and a step of Adam is fourteen calls per parameter.
So the small parameters of a group, if the update is elementwise, are copied into one flat array, updated there, and
copied back. Their state is kept in flat arrays too, and ``optimizer.state`` holds views of these. Every element is
computed as before, so results do not change.

A bundle is made at the second step in a row that updates the same parameters, from the state that the first step left.
If a program replaces a parameter's array or its state, the next step notices it and updates the parameters one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from itertools import pairwise
from operator import is_
from typing import Any, TypeVar

from .. import dtypes
from ..core.tensor import Tensor, wrap
from ..ops.common.writes import changed

F = TypeVar("F", bound=Callable[..., Any])

SMALL = 1 << 12
"""The largest number of elements of a parameter that is bundled: for more, copying costs more than the calls."""

FEW = 3
"""The smallest number of parameters for which a bundle is worth its copies."""


def elementwise(update: F) -> F:
    """Declare that `update` is elementwise, and changes the state in place."""
    update.elementwise = True  # type: ignore[attr-defined]
    return update


class Bundle:
    """The small parameters of one group, and flat arrays for them and their state."""

    def __init__(self, parameters: list[Tensor], memories: list[dict[str, Any]]) -> None:
        first = parameters[0]
        self.backend = xp = first._backend
        self.parameters, self.memories = parameters, memories
        self.ids = frozenset(map(id, parameters))
        self.arrays = [each._array for each in parameters]
        ends = [0]
        for array in self.arrays:
            ends.append(ends[-1] + array.size)
        self.spans = list(pairwise(ends))
        self.flat = xp.empty(ends[-1], first._array.dtype)
        self.slope = xp.empty_like(self.flat)
        self.places = self.parts(self.flat)
        self.state = {name: self.joined(name, value) for name, value in memories[0].items()}
        self.known = [dict(memory) for memory in memories]

    def parts(self, flat: Any) -> list[Any]:
        """Return views of a flat array, one for each parameter, in its shape."""
        return [flat[a:b].reshape(array.shape) for (a, b), array in zip(self.spans, self.arrays, strict=True)]

    def joined(self, name: str, value: Any) -> Any:
        """Return the state called `name` in one flat tensor; each parameter's state then holds a view of it."""
        if not isinstance(value, Tensor):
            return value
        flat = self.backend.concatenate([memory[name]._array.reshape(-1) for memory in self.memories])
        for memory, part in zip(self.memories, self.parts(flat), strict=True):
            memory[name] = wrap(part, self.backend)
        return wrap(flat, self.backend)

    def fits(self, parameters: list[Tensor], memories: list[dict[str, Any]]) -> bool:
        """Return whether the bundle was made of these parameters, and no array or state has been replaced since."""
        return (
            len(parameters) == len(self.parameters)
            and all(map(is_, parameters, self.parameters))
            and all(map(is_, [each._array for each in parameters], self.arrays))
            and all(map(is_, memories, self.memories))
            and all(
                len(memory) == len(known) and all(map(is_, memory.values(), known.values()))
                for memory, known in zip(memories, self.known, strict=True)
            )
        )

    def step(self, update: Callable[..., None], group: dict[str, Any]) -> bool:
        """Update all parameters by one call of `update`. If a gradient has another dtype, do nothing and return
        False.
        """
        xp, state, dtype = self.backend, self.state, self.flat.dtype
        slopes = [each._grad._array for each in self.parameters]  # type: ignore[union-attr] # only such are bundled
        if not all(each.dtype is dtype for each in slopes):
            return False
        xp.concatenate([each.reshape(-1) for each in self.arrays], out=self.flat)
        xp.concatenate([each.reshape(-1) for each in slopes], out=self.slope)
        before = len(state)
        update(xp, self.flat, self.slope, state, group)
        numbers = {name: value for name, value in state.items() if not isinstance(value, Tensor)}
        for memory, known in zip(self.memories, self.known, strict=True):
            memory.update(numbers)
            known.update(numbers)
        if len(state) > before:  # a setting was changed and needs more state
            self.share([name for name in state if name not in self.known[0]])
        for parameter, array, place in zip(self.parameters, self.arrays, self.places, strict=True):
            array[...] = place
            changed(parameter)
        return True

    def share(self, names: Sequence[str]) -> None:
        """Give each parameter's state its part of the flat state of these `names`."""
        for name in names:
            for memory, known, part in zip(self.memories, self.known, self.parts(self.state[name]._array), strict=True):
                memory[name] = known[name] = wrap(part, self.backend)


class Bundles:
    """The bundles of an optimiser, one per group. A copy of the optimiser starts with none."""

    def __init__(self) -> None:
        self.made: dict[int, Bundle] = {}
        self.last: dict[int, list[Tensor]] = {}
        """The small parameters of each group in the last step: a bundle is made if the next step has the same ones."""

    def __reduce__(self) -> Any:
        return Bundles, ()

    def move(self, optimizer: Any, group: dict[str, Any], key: int) -> Collection[int]:
        """Update the small parameters of `group` together. Return their ids; () if they cannot be bundled."""
        small = [each for each in group["params"] if each._grad is not None and each._array.size <= SMALL]
        if len(small) < FEW:
            return ()
        memories = [optimizer.state[each] for each in small]
        bundle = self.made.get(key)
        if bundle is None or not bundle.fits(small, memories):
            self.made.pop(key, None)
            before, self.last[key] = self.last.get(key, ()), small
            if len(before) != len(small) or not all(map(is_, before, small)) or not alike(small, memories):
                return ()
            bundle = self.made[key] = Bundle(small, memories)
        return bundle.ids if bundle.step(optimizer.update, group) else ()


def alike(parameters: list[Tensor], memories: list[dict[str, Any]]) -> bool:
    """Return whether parameters can be bundled: one dtype, no gaps or overlaps, and matching states."""
    array, xp, names = parameters[0]._array, parameters[0]._backend, memories[0]
    if not dtypes.plain(array.dtype):
        return False
    for parameter, memory in zip(parameters, memories, strict=True):
        here = parameter._array
        if parameter._backend is not xp or here.dtype is not array.dtype or not here.flags.c_contiguous:
            return False
        if memory.keys() != names.keys() or not all(_belongs(memory[name], names[name], here) for name in names):
            return False
    spans = sorted((xp.address(each._array), each._array.nbytes) for each in parameters)
    return all(start + size <= after for (start, size), (after, _) in pairwise(spans))


def _belongs(value: Any, first: Any, array: Any) -> bool:
    """Return whether a state value is a tensor like the parameter, or a number equal to the first parameter's."""
    if isinstance(value, Tensor):
        kept = value._array
        return bool(isinstance(first, Tensor) and kept.shape == array.shape and kept.dtype is array.dtype)
    return not isinstance(first, Tensor) and isinstance(value, (int, float)) and bool(value == first)
