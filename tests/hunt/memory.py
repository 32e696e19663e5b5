"""Windows of one memory that are read and written at once, and random numbers drawn for every example of a vmap."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .compare import Case
from .draw import Draw

WINDOWS: dict[str, Callable[[Any], Any]] = {
    "all": lambda d: d, "head": lambda d: d[:8], "tail": lambda d: d[4:], "middle": lambda d: d[2:10],
    "even": lambda d: d[::2], "odd": lambda d: d[1::2], "square": lambda d: d[:9].view(3, 3),
    "turned": lambda d: d[:9].view(3, 3).t(), "row": lambda d: d[:9].view(3, 3)[1], "column": lambda d: d[:9].view(3, 3)[:, 1],
    "later": lambda d: d[3:12].view(3, 3), "one": lambda d: d[5], "other": lambda d: d.clone()[:8],
}  # fmt: skip

WRITES: dict[str, Callable[[Any, Any, Any], Any]] = {
    "add_": lambda lib, to, read: to.add_(read), "mul_": lambda lib, to, read: to.mul_(read),
    "copy_": lambda lib, to, read: to.copy_(read), "sub_": lambda lib, to, read: to.sub_(read, alpha=2),
    "maximum": lambda lib, to, read: lib.maximum(read, read, out=to), "setitem": lambda lib, to, read: to.__setitem__(..., read),
    "add": lambda lib, to, read: lib.add(read, 1, out=to), "masked_fill_": lambda lib, to, read: to.masked_fill_(read > 3, 0.5),
    "where": lambda lib, to, read: to.copy_(lib.where(read > 3, read, 1.0)), "lerp_": lambda lib, to, read: to.lerp_(read, 0.25),
}  # fmt: skip

DRAWS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "randn_like": lambda lib, x, y: lib.randn_like(x), "rand_like": lambda lib, x, y: lib.rand_like(x),
    "randn": lambda lib, x, y: lib.randn(4, 5) + x.sum(), "rand": lambda lib, x, y: lib.rand(3) + x.sum(),
    "randint": lambda lib, x, y: lib.randint(0, 9, (5,)) + x.sum(), "normal": lambda lib, x, y: lib.normal(x, y.abs() + 1),
    "uniform_": lambda lib, x, y: x.clone().uniform_(), "normal_": lambda lib, x, y: x.clone().normal_(),
    "random_": lambda lib, x, y: x.clone().random_(20), "randn of y": lambda lib, x, y: lib.randn_like(y) * x.sum(),
}  # fmt: skip


def case(draw: Draw) -> Case:
    return windows(draw) if draw.chance(0.7) else draws(draw)


def windows(draw: Draw) -> Case:
    steps = [(draw.one(*WRITES), draw.one(*WINDOWS), draw.one(*WINDOWS)) for _ in range(draw.randint(1, 3))]
    kind = draw.one("float32", "float64", "int64")

    def run(lib: Any) -> Any:
        memory = lib.arange(12).to(getattr(lib, kind))
        seen = [memory.clone()]
        for write, to, read in steps:
            target, source = WINDOWS[to](memory), WINDOWS[read](memory)
            if write in ("maximum", "add") and target.shape != source.shape:
                continue  # an out of another shape is given other memory, or, in PyTorch, its neighbours'
            WRITES[write](lib, target, source)
            seen.append(memory.clone())
        return seen

    name = " ".join(f"{write}({to},{read})" for write, to, read in steps)
    return Case(f"windows {kind} {name}", [], run, 0)


def draws(draw: Draw) -> Case:
    name, randomness = draw.one(*DRAWS), draw.one("same", "different", "error")
    in_dims, seed, chunk = (draw.one(0, 1, None), draw.one(0, None)), draw.randint(0, 999), draw.one(None, None, 2)
    if in_dims == (None, None):
        in_dims = (0, None)

    def run(lib: Any) -> Any:
        x, y = lib.arange(24.0).view(4, 6) / 24, lib.arange(24.0).view(4, 6) / 12
        x, y = (x.t().contiguous() if in_dims[0] == 1 else x), y
        x, y = (x[0] if in_dims[0] is None else x), (y[0] if in_dims[1] is None else y)
        lib.manual_seed(seed)
        mapped = lib.func.vmap(
            lambda a, b: DRAWS[name](lib, a, b), in_dims=in_dims, randomness=randomness, chunk_size=chunk
        )
        return [mapped(x, y)]

    return Case(f"draws {name} {randomness} in_dims={in_dims} chunk={chunk} seed={seed}", [], run, 0)
