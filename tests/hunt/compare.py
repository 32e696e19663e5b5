"""A case on both libraries: values, gradients, gradients of gradients; equal, or a difference that is told."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

import minigrad as mg

from .draw import Recipe

ROOM = {"float16": 6e-3, "bfloat16": 5e-2, "float32": 3e-4, "complex64": 3e-4, "float64": 1e-7, "complex128": 1e-7}


class Case(NamedTuple):
    """A program that takes a library and tensors, and what it takes."""

    name: str
    recipes: Sequence[Recipe]
    program: Callable[..., Any]
    orders: int = 2
    """0 for values alone, 1 with gradients, 2 with theirs too."""


class Difference(NamedTuple):
    case: str
    what: str
    ours: str
    theirs: str


class Refusal:
    """An exception that a library raised."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def __str__(self) -> str:
        return f"{type(self.error).__name__}: {str(self.error)[:160]}"


def differences(case: Case, torch: Any) -> tuple[int, list[Difference]]:
    """How many things were compared, and those that differ."""
    ours, theirs = outcome(case, mg), outcome(case, torch)
    if isinstance(ours, Refusal) or isinstance(theirs, Refusal):
        if type(ours) is type(theirs) or _not_there(theirs):
            return 1, []
        return 1, [Difference(case.name, "refusal", told(ours), told(theirs))]
    if len(ours) != len(theirs):
        return 1, [Difference(case.name, "count", str([k for k, _ in ours]), str([k for k, _ in theirs]))]
    found = []
    for (what, a), (_, b) in zip(ours, theirs, strict=True):
        if not equal(a, b, what):
            found.append(Difference(case.name, what, told(a), told(b)))
            break  # what follows from a wrong value is wrong too
    return len(ours), found


def _not_there(theirs: Any) -> bool:
    """Whether PyTorch refuses only since it has no code for that element type or layout on the CPU."""
    words = ("not implemented for", "not supported", "is not currently supported", "expected scalar type", "INTERNAL")
    return isinstance(theirs, Refusal) and any(word in str(theirs.error) for word in words)


def outcome(case: Case, lib: Any) -> Any:
    """Everything that can be seen of a case, as pairs (what, value); or the refusal."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return list(_seen(case, lib))
        except (RuntimeError, ValueError, TypeError, IndexError, NotImplementedError, AssertionError) as error:
            return Refusal(error)


def _seen(case: Case, lib: Any) -> Iterator[tuple[str, Any]]:
    leaves = [each.leaf(lib) for each in case.recipes]
    moving = [x for x in leaves if case.orders and (x.is_floating_point() or x.is_complex())]
    for x in moving:
        x.requires_grad_()
    made = case.program(lib, *[each.laid_out(x) for each, x in zip(case.recipes, leaves, strict=True)])
    outputs = list(parts(made))
    for number, out in enumerate(outputs):
        yield f"value {number}", plain(lib, out)
    loss = weighed(lib, [out for out in outputs if is_tensor(lib, out) and out.requires_grad])
    if loss is None:
        return
    second = case.orders > 1
    grads = lib.autograd.grad(loss, moving, create_graph=second, allow_unused=True)
    for number, (grad, x) in enumerate(zip(grads, moving, strict=True)):
        yield f"gradient {number}", plain(lib, lib.zeros_like(x) if grad is None else grad)
    if second:
        bent = weighed(lib, [each * each for each in grads if each is not None and each.requires_grad])
        slopes = [None] * len(moving) if bent is None else lib.autograd.grad(bent, moving, allow_unused=True)
        for number, (slope, x) in enumerate(zip(slopes, moving, strict=True)):
            yield f"second {number}", plain(lib, lib.zeros_like(x) if slope is None else slope)


def parts(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for key in sorted(value, key=str):
            yield from parts(value[key])
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from parts(each)
    else:
        yield value


def is_tensor(lib: Any, value: Any) -> bool:
    return isinstance(value, lib.Tensor)


def weighed(lib: Any, outputs: Sequence[Any]) -> Any:
    """A real number that every element of `outputs` has its own share in."""
    total = None
    for out in outputs:
        flat = out.reshape(-1)
        if flat.is_complex():
            flat = flat.real + 2 * flat.imag
        if flat.dtype in (lib.float16, lib.bfloat16):
            flat = flat.float()
        weights = (lib.arange(flat.numel(), dtype=flat.dtype) * 0.7 + 1).cos()
        part = (flat * weights).sum().double()
        total = part if total is None else total + part
    return total


def plain(lib: Any, value: Any) -> Any:
    """A tensor as (element type, NumPy array); anything else is itself."""
    if not is_tensor(lib, value):
        return str(value).replace(lib.__name__ + ".", "") if type(value).__module__.startswith(lib.__name__) else value
    name = str(value.dtype).rsplit(".", maxsplit=1)[-1]
    value = value.detach().clone()
    if lib is not mg:
        value = value.resolve_conj().resolve_neg() + lib.zeros((), dtype=value.dtype)
    value = value.float() if name == "bfloat16" else value
    return name, np.array(value.numpy())


def equal(a: Any, b: Any, what: str) -> bool:
    if not (isinstance(a, tuple) and isinstance(b, tuple)):
        if isinstance(a, float) and isinstance(b, float):
            return a == b or (a != a and b != b) or abs(a - b) <= 1e-6 * max(1.0, abs(a))
        return bool(a == b)
    (kind, x), (other, y) = a, b
    if kind != other or x.shape != y.shape:
        return False
    room = ROOM.get(kind)
    if room is None:
        return bool(np.array_equal(x, y))
    room *= 1 if what.startswith("value") else 10 if what.startswith("gradient") else 100
    with np.errstate(all="ignore"):
        finite = np.isfinite(x) & np.isfinite(y)
        scale = float(np.abs(y[finite]).max()) if finite.any() else 1.0
        same = (x == y) | (np.isnan(x) & np.isnan(y))
        return bool((same | (finite & (np.abs(x - y) <= room * np.maximum(np.abs(y), min(scale, 1e3)) + 1e-12))).all())


def told(value: Any) -> str:
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[1], np.ndarray):
        return f"{value[0]}{list(value[1].shape)} {str(value[1].tolist())[:300]}"
    return str(value)[:300]
