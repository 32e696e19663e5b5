"""Single calls: elementwise functions, reductions, views, indexing, linear algebra, with random arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .compare import Case
from .draw import COMPLEX, HALF, REAL, WHOLE, Draw

UNARY = (
    "abs", "neg", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "rsqrt", "sin", "cos", "tan", "sinh",
    "cosh", "tanh", "asin", "acos", "atan", "asinh", "acosh", "atanh", "sigmoid", "erf", "erfc", "erfinv", "square",
    "reciprocal", "floor", "ceil", "trunc", "round", "frac", "sign", "sgn", "relu", "logit", "sinc", "lgamma", "i0",
    "deg2rad", "rad2deg", "nan_to_num", "isnan", "isinf", "isfinite", "logical_not", "positive", "signbit",
)  # fmt: skip
OF_SPECIAL = ("entr", "erfcx", "i0e", "i1", "i1e", "ndtr", "ndtri", "log_ndtr", "bessel_j0", "bessel_j1", "xlog1py")
ACTIVATIONS = (
    "relu6", "elu", "selu", "celu", "gelu", "silu", "mish", "softplus", "hardtanh", "hardswish", "hardsigmoid",
    "leaky_relu", "logsigmoid", "softsign", "tanhshrink", "hardshrink", "softshrink",
)  # fmt: skip
BINARY = (
    "add", "sub", "mul", "div", "pow", "maximum", "minimum", "fmax", "fmin", "atan2", "fmod", "remainder", "hypot",
    "copysign", "logaddexp", "logaddexp2", "xlogy", "floor_divide", "true_divide", "eq", "ne", "lt", "le", "gt", "ge",
    "logical_and", "logical_or", "logical_xor", "heaviside", "nextafter", "float_power", "rsub", "dist",
)  # fmt: skip
OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: a / b,
    "//": lambda a, b: a // b, "%": lambda a, b: a % b, "**": lambda a, b: a**b, "<": lambda a, b: a < b,
    "==": lambda a, b: a == b, ">=": lambda a, b: a >= b,
}  # fmt: skip
REDUCTIONS = (
    "sum", "mean", "prod", "amax", "amin", "logsumexp", "var", "std", "norm", "nansum", "nanmean", "all", "any",
    "count_nonzero", "argmax", "argmin", "max", "min", "median", "nanmedian", "aminmax", "mode", "var_mean", "std_mean",
)  # fmt: skip
ALONG = ("cumsum", "cumprod", "cummax", "cummin", "logcumsumexp", "softmax", "log_softmax", "sort", "argsort", "flip",
         "unbind", "diff", "msort")  # fmt: skip


def unary(draw: Draw) -> Case:
    names = draw.one(UNARY, UNARY, OF_SPECIAL, ACTIVATIONS)
    name = draw.one(*names)
    dtype = draw.dtype(REAL, REAL, HALF, COMPLEX, WHOLE) if names is UNARY else draw.dtype(REAL, REAL, HALF)
    x = draw.tensor(draw.shape(), dtype, special=0.3)
    if name == "xlog1py":
        y = draw.tensor(x.values.shape, dtype, low=-0.9, special=0.3)
        return Case(f"special.xlog1py {dtype}", [x, y], lambda lib, a, b: lib.special.xlog1py(a, b))
    if names is ACTIVATIONS:
        return Case(f"F.{name} {dtype}", [x], lambda lib, a: getattr(lib.nn.functional, name)(a))
    if names is OF_SPECIAL:
        return Case(f"special.{name} {dtype}", [x], lambda lib, a: getattr(lib.special, name)(a))
    return Case(f"{name} {dtype}", [x], lambda lib, a: getattr(lib, name)(a))


def broadcastable(draw: Draw) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Two shapes that go together."""
    shape = draw.shape()
    other = tuple(1 if draw.chance(0.25) else n for n in shape)[
        draw.randint(0, len(shape)) if draw.chance(0.3) else 0 :
    ]
    return (shape, other) if draw.chance(0.5) else (other, shape)


def binary(draw: Draw) -> Case:
    name = draw.one(*BINARY)
    a, b = broadcastable(draw)
    kinds = [draw.dtype(REAL, REAL, HALF, WHOLE, COMPLEX) for _ in range(2)]
    if draw.chance(0.5):
        kinds[1] = kinds[0]
    if name in ("heaviside", "nextafter", "dist"):
        kinds = [draw.dtype(REAL)] * 2
    low = 0.1 if name in ("pow", "float_power") else -3.0
    x, y = draw.tensor(a, kinds[0], low=low, special=0.15), draw.tensor(b, kinds[1], special=0.15)
    return Case(f"{name} {kinds[0]} {kinds[1]}", [x, y], lambda lib, p, q: getattr(lib, name)(p, q))


def with_number(draw: Draw) -> Case:
    """A tensor and a Python number, on either side."""
    sign = draw.one(*OPERATORS)
    number = draw.one(2, 3, -1, 0, 1, 0.5, 1.1, -2.5, True, 1e-8, 70000.0, 2 + 1j)
    dtype = draw.dtype(REAL, REAL, HALF, WHOLE, COMPLEX)
    x = draw.tensor(draw.shape(), dtype, low=0.2 if sign == "**" else -3.0, special=0.1)
    left = draw.chance(0.5)
    run = OPERATORS[sign]
    return Case(
        f"{number} {sign} {dtype}" if left else f"{dtype} {sign} {number}",
        [x],
        lambda lib, a: run(number, a) if left else run(a, number),
    )


def reduction(draw: Draw) -> Case:
    name = draw.one(*REDUCTIONS)
    dtype = (
        draw.dtype(REAL, REAL, HALF, WHOLE) if name not in ("mean", "var", "std", "norm") else draw.dtype(REAL, HALF)
    )
    shape = draw.shape()
    x = draw.tensor(shape, dtype, special=0.15, ties=0.3)
    dims: Any = draw.dims(len(shape))
    if name in ("prod", "argmax", "argmin", "max", "min", "median", "nanmedian", "aminmax", "mode") and isinstance(
        dims, tuple
    ):
        dims = dims[0]
    if name == "norm" and isinstance(dims, tuple):
        dims = dims[0]
    settings: dict[str, Any] = {} if dims is None else {"dim": dims}
    if name == "logsumexp" and dims is None:
        settings = {"dim": tuple(range(len(shape))) or 0}
    if "dim" in settings and draw.chance(0.4) and name != "count_nonzero":
        settings["keepdim"] = True
    if name in ("var", "std") and draw.chance(0.5):
        settings["correction"] = draw.one(0, 1, 2)
    if name in ("sum", "prod", "nansum") and draw.chance(0.3):
        settings["dtype"] = draw.one("float64", "int64", "int32", "float16", "int8")

    def run(lib: Any, a: Any) -> Any:
        given = {k: getattr(lib, v) if k == "dtype" else v for k, v in settings.items()}
        return getattr(lib, name)(a, **given)

    return Case(f"{name} {dtype} {list(shape)} {settings}", [x], run)


def along(draw: Draw) -> Case:
    name = draw.one(*ALONG)
    dtype = draw.dtype(REAL, REAL, HALF, WHOLE) if "soft" not in name and "log" not in name else draw.dtype(REAL, HALF)
    shape = draw.shape(1)
    x = draw.tensor(shape, dtype, special=0.1, ties=0.1)
    dim = draw.dim(len(shape))
    if name == "msort":
        return Case(f"msort {dtype}", [x], lambda lib, a: lib.msort(a))
    if name == "flip":
        return Case(f"flip {dtype} {dim}", [x], lambda lib, a: lib.flip(a, (dim,)))
    settings: dict[str, Any] = {"dim": dim}
    if name in ("sort", "argsort"):
        settings |= {"descending": draw.chance(0.5), "stable": True}
    if name == "diff":
        settings["n"] = draw.randint(1, 2)
    return Case(f"{name} {dtype} {list(shape)} {settings}", [x], lambda lib, a: getattr(lib, name)(a, **settings))


def shaped(draw: Draw) -> Case:
    """A chain of one to four views and rearrangements."""
    shape = draw.shape(1)
    x = draw.tensor(shape, draw.dtype(REAL, COMPLEX, WHOLE))
    steps = [(draw.one(*STEPS), draw.random(), draw.random(), draw.random()) for _ in range(draw.randint(1, 4))]

    def run(lib: Any, a: Any) -> Any:
        for name, p, q, r in steps:
            a = STEPS[name](lib, a, p, q, r)
        return a

    return Case("shaped " + " ".join(step[0] for step in steps), [x], run, 1)


def _at(share: float, count: int) -> int:
    return min(int(share * count), max(count - 1, 0))


STEPS: dict[str, Callable[..., Any]] = {
    "transpose": lambda lib, a, p, q, r: a.transpose(_at(p, a.ndim), _at(q, a.ndim)) if a.ndim else a,
    "unsqueeze": lambda lib, a, p, q, r: a.unsqueeze(_at(p, a.ndim + 1)),
    "squeeze": lambda lib, a, p, q, r: a.squeeze(),
    "flatten": lambda lib, a, p, q, r: a.flatten(),
    "narrow": lambda lib, a, p, q, r: a.narrow(_at(p, a.ndim), 0, (a.shape[_at(p, a.ndim)] + 1) // 2) if a.ndim else a,
    "select": lambda lib, a, p, q, r: a.select(_at(p, a.ndim), 0) if a.ndim and a.shape[_at(p, a.ndim)] else a,
    "step": lambda lib, a, p, q, r: a[::2] if a.ndim else a,
    "flip": lambda lib, a, p, q, r: a.flip(_at(p, a.ndim)) if a.ndim else a,
    "roll": lambda lib, a, p, q, r: a.roll(1, _at(p, a.ndim)) if a.ndim else a,
    "repeat": lambda lib, a, p, q, r: a.repeat(2, *(1,) * a.ndim),
    "expand": lambda lib, a, p, q, r: a.expand(2, *a.shape),
    "diagonal": lambda lib, a, p, q, r: a.diagonal(int(p * 3) - 1, 0, -1) if a.ndim > 1 else a,
    "tril": lambda lib, a, p, q, r: a.tril(int(p * 3) - 1) if a.ndim > 1 else a,
    "chunk": lambda lib, a, p, q, r: a.chunk(2, _at(p, a.ndim))[-1] if a.ndim else a,
    "split": lambda lib, a, p, q, r: a.split(2, _at(p, a.ndim))[0] if a.ndim else a,
    "unfold": lambda lib, a, p, q, r: a.unfold(_at(p, a.ndim), 1, 1) if a.ndim else a,
    "movedim": lambda lib, a, p, q, r: a.movedim(0, -1) if a.ndim else a,
    "stack": lambda lib, a, p, q, r: lib.stack([a, a * 2], _at(p, a.ndim + 1)),
    "cat": lambda lib, a, p, q, r: lib.cat([a, a], _at(p, a.ndim)) if a.ndim else a,
    "repeat_interleave": lambda lib, a, p, q, r: a.repeat_interleave(2, _at(p, a.ndim)) if a.ndim else a,
    "clone": lambda lib, a, p, q, r: a.clone(),
    "contiguous": lambda lib, a, p, q, r: a.contiguous(),
    "reshape": lambda lib, a, p, q, r: a.reshape(-1, 1),
    "rot90": lambda lib, a, p, q, r: lib.rot90(a) if a.ndim > 1 else a,
    "zeros_like": lambda lib, a, p, q, r: a + lib.zeros_like(a),
    "pad": lambda lib, a, p, q, r: lib.nn.functional.pad(a, (1, 0)) if a.ndim else a,
}


def picked(draw: Draw) -> Case:
    """Indexing by slices, integers, None, lists and masks."""
    shape = draw.shape(1, 3, 0.0)
    x = draw.tensor(shape, draw.dtype(REAL, WHOLE))
    key: list[Any] = []
    for n in shape[: draw.randint(1, len(shape))]:
        key.append(
            draw.one(
                slice(None), slice(draw.randint(-n, n), None), slice(None, None, draw.randint(1, 2)),
                draw.randint(-n, n - 1), [draw.randint(-n, n - 1) for _ in range(2)], None, Ellipsis,
            )
        )  # fmt: skip
    key = [each for i, each in enumerate(key) if each is not Ellipsis or Ellipsis not in key[:i]]
    return Case(f"index {list(shape)} {key}", [x], lambda lib, a: a[tuple(key)], 1)


def gathered(draw: Draw) -> Case:
    shape = draw.shape(1, 3, 0.0)
    dim = draw.dim(len(shape))
    size = shape[dim]
    x = draw.tensor(shape, draw.dtype(REAL), ties=0.4)
    places = [draw.randrange(size) for _ in range(draw.randint(1, 4))]
    source = draw.tensor(tuple(len(places) if d == dim % len(shape) else n for d, n in enumerate(shape)), x.dtype)
    name = draw.one("gather", "scatter", "scatter_add", "index_add", "index_select", "index_copy", "index_fill",
                    "take_along_dim", "scatter_reduce")  # fmt: skip
    if name in ("scatter", "index_copy"):
        places = list(dict.fromkeys(places))
        source = draw.tensor(tuple(len(places) if d == dim % len(shape) else n for d, n in enumerate(shape)), x.dtype)
    how = draw.one("sum", "mean", "prod")

    def run(lib: Any, a: Any, b: Any) -> Any:
        index = lib.tensor(places)
        wide = index.reshape([-1 if d == dim % len(shape) else 1 for d in range(len(shape))]).expand(b.shape)
        if name in ("gather", "take_along_dim"):
            return lib.gather(a, dim, wide) if name == "gather" else lib.take_along_dim(a, wide, dim)
        if name == "index_select":
            return lib.index_select(a, dim, index)
        if name == "index_fill":
            return a.index_fill(dim, index, 2.5)
        if name == "scatter_reduce":
            return a.scatter_reduce(dim, wide, b, how)
        return getattr(a, name)(dim, wide if name.startswith("scatter") else index, b)

    return Case(f"{name} {list(shape)} {dim} {how if name == 'scatter_reduce' else ''}", [x, source], run)


def chosen(draw: Draw) -> Case:
    """where, clamp, masked_fill, lerp, addcmul and their kin."""
    a, b = broadcastable(draw)
    kind = draw.dtype(REAL, HALF)
    x, y = draw.tensor(a, kind, special=0.1), draw.tensor(b, kind, special=0.1)
    number = draw.one(0, 1, -1, 0.5, 2.5)
    name = draw.one(*CHOICES)
    return Case(f"{name} {kind} {number}", [x, y], lambda lib, p, q: CHOICES[name](lib, p, q, number))


CHOICES: dict[str, Callable[..., Any]] = {
    "where": lambda lib, a, b, n: lib.where(a > n, a, b),
    "where number": lambda lib, a, b, n: lib.where(a > b, a, n),
    "masked_fill": lambda lib, a, b, n: (a + b * 0).masked_fill(b > n, n),
    "clamp": lambda lib, a, b, n: a.clamp(-abs(n), abs(n)),
    "clamp min": lambda lib, a, b, n: a.clamp(min=n),
    "clamp tensor": lambda lib, a, b, n: lib.clamp(a, b, b + 1),
    "lerp": lambda lib, a, b, n: lib.lerp(a + b * 0, b + a * 0, n),
    "addcmul": lambda lib, a, b, n: lib.addcmul(a, a, b, value=n),
    "addcdiv": lambda lib, a, b, n: lib.addcdiv(a, b, b.abs() + 1, value=n),
    "add alpha": lambda lib, a, b, n: lib.add(a, b, alpha=n),
    "sub alpha": lambda lib, a, b, n: lib.sub(a, b, alpha=n),
    "nan_to_num": lambda lib, a, b, n: lib.nan_to_num(a, n, n, n) + b,
    "threshold": lambda lib, a, b, n: lib.nn.functional.threshold(a, n, 2.0) * b,
    "softplus": lambda lib, a, b, n: lib.nn.functional.softplus(a, abs(n) + 0.5, 1.5),
    "div floor": lambda lib, a, b, n: lib.div(a, b, rounding_mode="floor"),
    "div trunc": lambda lib, a, b, n: lib.div(a, b, rounding_mode="trunc"),
    "prelu": lambda lib, a, b, n: lib.nn.functional.prelu(a, lib.full((1,), float(n), dtype=a.dtype)),
}
KINDS = (unary, unary, binary, binary, with_number, reduction, reduction, along, shaped, picked, gathered, chosen)


def case(draw: Draw) -> Case:
    return draw.one(*KINDS)(draw)  # type: ignore[no-any-return]
