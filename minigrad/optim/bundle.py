"""Small parameters moved together: one `update` of a flat row instead of one for each of them.

A call of NumPy takes about a microsecond, however few elements it has, and a step of Adam is fourteen calls a
parameter. So the parameters of a group that are small, and whose update looks at each element by itself, are copied
into one flat array, moved there, and copied back. What is remembered for them lies in flat arrays too, and
``optimizer.state`` holds views of these. Every element is computed as before, so no number changes.

A bundle is made at the second step in a row that moves the same parameters, of what the first has remembered. Whatever
a program puts in the place of a parameter's array or of its state is seen at the next step, which then starts again
one by one.
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
"""Up to so many elements a parameter is moved with others: for more, copying costs more than calls."""

FEW = 3
"""From so many parameters on a bundle is worth its copies."""


def elementwise(update: F) -> F:
    """Declare that `update` treats every element by itself, and changes what it remembers in place."""
    update.elementwise = True  # type: ignore[attr-defined]
    return update


class Bundle:
    """The small parameters of one group, and flat arrays for them and for what is remembered."""

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
        """Views of a flat array, one for each parameter, in its shape."""
        return [flat[a:b].reshape(array.shape) for (a, b), array in zip(self.spans, self.arrays, strict=True)]

    def joined(self, name: str, value: Any) -> Any:
        """The state called `name`, in one row; each parameter's memory then holds a view of it."""
        if not isinstance(value, Tensor):
            return value
        flat = self.backend.concatenate([memory[name]._array.reshape(-1) for memory in self.memories])
        for memory, part in zip(self.memories, self.parts(flat), strict=True):
            memory[name] = wrap(part, self.backend)
        return wrap(flat, self.backend)

    def fits(self, parameters: list[Tensor], memories: list[dict[str, Any]]) -> bool:
        """Whether it was made of just these, and nothing was put in the place of an array or a remembered thing."""
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
        """Move all parameters by one call of `update`; False, and nothing is done, if a gradient has another dtype."""
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
        if len(state) > before:  # a setting was changed, and asks to remember more
            self.share([name for name in state if name not in self.known[0]])
        for parameter, array, place in zip(self.parameters, self.arrays, self.places, strict=True):
            array[...] = place
            changed(parameter)
        return True

    def share(self, names: Sequence[str]) -> None:
        """Give each parameter's memory its part of what is new in the flat state."""
        for name in names:
            for memory, known, part in zip(self.memories, self.known, self.parts(self.state[name]._array), strict=True):
                memory[name] = known[name] = wrap(part, self.backend)


class Bundles:
    """The bundles of an optimiser, by group. A copy of the optimiser starts with none."""

    def __init__(self) -> None:
        self.made: dict[int, Bundle] = {}
        self.last: dict[int, list[Tensor]] = {}
        """For each group the small parameters of the step before: a bundle is tried when they come again."""

    def __reduce__(self) -> Any:
        return Bundles, ()

    def move(self, optimizer: Any, group: dict[str, Any], key: int) -> Collection[int]:
        """Move the small parameters of `group` together; the ids of those that are moved: none where it cannot be."""
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
    """Whether these can be one row: of one dtype, without gaps or overlaps, with memories of one kind and age."""
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
    """Whether a remembered thing is a tensor like the parameter, or a number that the first parameter has too."""
    if isinstance(value, Tensor):
        kept = value._array
        return bool(isinstance(first, Tensor) and kept.shape == array.shape and kept.dtype is array.dtype)
    return not isinstance(first, Tensor) and isinstance(value, (int, float)) and bool(value == first)
