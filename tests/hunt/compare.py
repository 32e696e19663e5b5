"""A case on both libraries: values, gradients, gradients of gradients; equal, or a difference that is told."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np

import minigrad as mg

from .draw import Recipe

ROOM = {"float16": 6e-3, "bfloat16": 5e-2, "float32": 3e-4, "complex64": 3e-4, "float64": 1e-7, "complex128": 1e-7}


FLOOR = {"float16": 2e-3, "bfloat16": 2e-2, "float32": 2e-6, "complex64": 2e-6}
"""Below this, elements of these types count as equal: what is left where larger ones cancel."""
UNWRITTEN = (
    "not implemented for", "not supported", "is not currently supported", "expected scalar type", "INTERNAL",
    "is not implemented", "does not support automatic differentiation", "Autograd not support dtype",
    "Expected isFloatingType(grad", "that does not support it because", "ZeroTensors are immutable", "unsupported ScalarType",
    "unsupported dtype", "cannot be converted to type", "not yet supported",
)  # fmt: skip
"""What PyTorch says where it has not been written for this case."""


class Case(NamedTuple):
    """A program that takes a library and tensors, and what it takes."""

    name: str
    recipes: Sequence[Recipe]
    program: Callable[..., Any]
    orders: int = 2
    """0 for values alone, 1 with gradients, 2 with theirs too."""
    reference: Callable[..., Any] | None = None
    """A program that computes the last of the values by another road, to say who is right."""


class Difference(NamedTuple):
    case: str
    what: str
    ours: str
    theirs: str
    confirmed: bool = False
    """Whether differences of values, taken numerically, agree with minigrad and not with PyTorch."""
    types: frozenset[str] = frozenset()
    special: bool = False
    """Whether an input has an infinity or a NaN."""
    expanded: bool = False


class Refusal:
    """An exception that a library raised."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def __str__(self) -> str:
        return f"{type(self.error).__name__}: {str(self.error)[:160]}"


def differences(case: Case, torch: Any) -> tuple[int, list[Difference]]:
    """How many things were compared, and those that differ."""
    ours, theirs = outcome(case, mg), outcome(case, torch)
    for number, ((what, a), (other, b)) in enumerate(zip_longest(ours, theirs, fillvalue=("nothing", None))):
        if (isinstance(a, Refusal) and isinstance(b, Refusal)) or _not_there(b):
            return number + 1, []
        if what != other or not equal(a, b, what):
            how = what if what == other else f"{what} for {other}"
            return number + 1, [
                Difference(case.name, how, told(a), told(b), confirmed(case, what, a, b), *traits(case))
            ]
    return len(ours), []


def traits(case: Case) -> tuple[frozenset[str], bool, bool]:
    """The element types of a case, whether it has infinities or NaN among its inputs, and elements that share memory."""
    special = not all(np.isfinite(each.values).all() for each in case.recipes)
    expanded = any(each.layout == "expanded" for each in case.recipes)
    return frozenset(each.dtype for each in case.recipes), special, expanded


def _not_there(theirs: Any) -> bool:
    """Whether PyTorch refuses only since it has no code for that element type, layout or derivative on the CPU."""
    return isinstance(theirs, Refusal) and any(word in str(theirs.error) for word in UNWRITTEN)


def outcome(case: Case, lib: Any) -> list[tuple[str, Any]]:
    """Everything that can be seen of a case, as pairs (what, value); a refusal ends it."""
    seen: list[tuple[str, Any]] = []
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            for each in _seen(case, lib):
                seen.append(each)  # noqa: PERF402 # what came before an error counts
        except (RuntimeError, ValueError, TypeError, IndexError, NotImplementedError, AssertionError) as error:
            seen.append(("refusal", Refusal(error)))
    return seen


def _seen(case: Case, lib: Any, given: Sequence[Any] | None = None) -> Iterator[tuple[str, Any]]:
    leaves = [each.leaf(lib) for each in case.recipes] if given is None else given
    moving = [x for x in leaves if case.orders and (x.is_floating_point() or x.is_complex())]
    for x in moving:
        x.requires_grad_()
    made = case.program(lib, *[each.laid_out(x) for each, x in zip(case.recipes, leaves, strict=True)])
    outputs = list(parts(made))
    for number, out in enumerate(outputs):
        yield f"value {number}", plain(lib, out)
    if not case.orders:
        return
    loss = weighed(lib, [out for out in outputs if is_tensor(lib, out) and out.requires_grad])
    if loss is None:  # as good as a gradient of zeros
        for number, x in enumerate(moving):
            yield f"gradient {number}", plain(lib, lib.zeros_like(x))
        if case.orders > 1:
            for number, x in enumerate(moving):
                yield f"second {number}", plain(lib, lib.zeros_like(x))
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


def confirmed(case: Case, what: str, ours: Any, theirs: Any) -> bool:
    """Whether a gradient of ours, and not PyTorch's, is what the loss changes by when an element is moved a little."""
    if what.startswith("value") and case.reference is not None:
        return equal(outcome(case._replace(program=case.reference, orders=0), mg)[-1][1], ours, what)
    number = int(what.split()[-1]) if what.startswith(("gradient", "second")) else -1
    if number < 0 or any(each.dtype not in ("float64", "complex128") for each in case.recipes) or not case.orders:
        return False
    place = [i for i, each in enumerate(case.recipes) if each.dtype in ("float64", "complex128")][number]
    if case.recipes[place].dtype != "float64" or not isinstance(ours, tuple):
        return False
    leaf = case.recipes[place].leaf(mg)
    slopes = np.zeros_like(leaf.numpy())
    for at in np.ndindex(*slopes.shape):
        ends = []
        for step in (1e-6, -1e-6):
            moved = leaf.clone()
            moved[at] += step
            ends.append(loss_of(case, place, moved, what.startswith("second")))
        slopes[at] = (ends[0] - ends[1]) / 2e-6
    size = 1 + np.abs(slopes)
    right = np.abs(ours[1] - slopes) <= 1e-4 * size
    wrong = isinstance(theirs, tuple) and np.abs(theirs[1] - slopes) <= 1e-4 * size
    return bool(np.all(right) and not np.all(wrong))


def loss_of(case: Case, place: int, moved: Any, second: bool) -> float:
    """The number whose gradients, or whose gradients' gradients, are compared, of minigrad, with one leaf `moved`."""
    leaves = [moved if i == place else each.leaf(mg) for i, each in enumerate(case.recipes)]
    if second:
        grads = [value[1] for what, value in _seen(case._replace(orders=1), mg, leaves) if what.startswith("gradient")]
        return float(weighed(mg, [mg.tensor(each * each) for each in grads]))
    made = case.program(mg, *[each.laid_out(x) for each, x in zip(case.recipes, leaves, strict=True)])
    return float(weighed(mg, [out for out in parts(made) if is_tensor(mg, out) and out.dtype.is_differentiable]))


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
    loose = 1 if what.startswith("value") else 10 if what.startswith("gradient") else 100
    room, floor = room * loose, FLOOR.get(kind, 1e-10) * loose
    with np.errstate(all="ignore"):
        finite = np.isfinite(x) & np.isfinite(y)
        scale = float(np.abs(y[finite]).max()) if finite.any() else 1.0
        same = (x == y) | (np.isnan(x) & np.isnan(y))
        return bool((same | (finite & (np.abs(x - y) <= room * np.maximum(np.abs(y), min(scale, 1e3)) + floor))).all())


def told(value: Any) -> str:
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[1], np.ndarray):
        return f"{value[0]}{list(value[1].shape)} {str(value[1].tolist())[:300]}"
    return str(value)[:300]
