"""What a case is made of: choices drawn from a seed, and tensors that both libraries build alike."""

from __future__ import annotations

import random
from typing import Any, NamedTuple

import numpy as np

REAL = ("float32", "float64")
HALF = ("float16", "bfloat16")
WHOLE = ("int64", "int32", "int16", "int8", "uint8", "bool")
COMPLEX = ("complex64", "complex128")
SPECIAL = (np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0)


class Recipe(NamedTuple):
    """A tensor to build: numbers, an element type, and how it lies in memory."""

    values: Any
    dtype: str
    layout: str

    def leaf(self, lib: Any) -> Any:
        """The tensor with memory of its own that gradients are taken of."""
        values = self.values
        if self.layout == "transposed":
            values = np.swapaxes(values, 0, -1)
        elif self.layout == "strided":
            values = np.repeat(values, 2, axis=-1)
        elif self.layout == "offset":
            values = np.concatenate([values[:1], values]) if len(values) else values
        elif self.layout == "expanded":
            values = values[:1]
        return lib.tensor(np.ascontiguousarray(values)).to(getattr(lib, self.dtype))

    def laid_out(self, leaf: Any) -> Any:
        """The leaf, seen as the layout has it."""
        if self.layout == "transposed":
            return leaf.transpose(0, -1)
        if self.layout == "strided":
            return leaf[..., ::2]
        if self.layout == "offset":
            return leaf[1:] if len(self.values) else leaf
        if self.layout == "expanded":
            return leaf.expand(self.values.shape)
        return leaf


class Draw(random.Random):
    """A source of choices."""

    def one(self, *options: Any) -> Any:
        return self.choice(options)

    def chance(self, share: float) -> bool:
        return self.random() < share

    def shape(self, low: int = 0, high: int = 3, empty: float = 0.04) -> tuple[int, ...]:
        """Sizes of `low` to `high` dimensions, seldom one of 0."""
        sizes = [self.one(1, 2, 3, 3, 4, 5) for _ in range(self.randint(low, high))]
        if sizes and self.chance(empty):
            sizes[self.randrange(len(sizes))] = 0
        return tuple(sizes)

    def dim(self, ndim: int) -> int:
        return self.randint(-ndim, ndim - 1) if ndim else self.one(0, -1)

    def dims(self, ndim: int) -> Any:
        """None, one dimension, or several."""
        if not ndim or self.chance(0.2):
            return None
        if self.chance(0.6):
            return self.dim(ndim)
        return tuple(self.sample(range(ndim), self.randint(1, ndim)))

    def dtype(self, *kinds: tuple[str, ...]) -> str:
        return str(self.one(*[each for kind in kinds for each in kind]))

    def numbers(self, shape: tuple[int, ...], low: float = -3.0, high: float = 3.0, ties: float = 0.2) -> Any:
        count = int(np.prod(shape, dtype=int))
        found = [self.uniform(low, high) for _ in range(count)]
        if self.chance(ties):
            found = [round(each * 2) / 2 for each in found]
        return np.array(found, dtype=np.float64).reshape(shape)

    def tensor(
        self,
        shape: tuple[int, ...],
        dtype: str = "float64",
        low: float = -3.0,
        high: float = 3.0,
        special: float = 0.0,
        ties: float = 0.2,
        plain: bool = False,
    ) -> Recipe:
        """A recipe; `special` is how likely it has infinities and NaN; `plain` lies row by row."""
        values = self.numbers(shape, low, high, ties)
        if values.size and self.chance(special) and dtype in (*REAL, *HALF):
            for _ in range(self.randint(1, 3)):
                values.reshape(-1)[self.randrange(values.size)] = self.one(*SPECIAL)
        if dtype in WHOLE:
            values = np.abs(np.round(values)) if dtype == "uint8" else np.round(values)
        if dtype in COMPLEX:
            values = values + 1j * self.numbers(shape, low, high, ties)
        layouts = ["plain", "plain"]
        if not plain and len(shape) >= 1 and values.size:
            layouts += ["transposed", "strided", "offset", "expanded"] if len(shape) > 1 else ["strided", "offset"]
        layout = self.one(*layouts)
        if layout == "expanded":
            values = np.repeat(values[:1], shape[0], axis=0)
        return Recipe(values, dtype, layout)
