"""A tensor's printed form, character for character as in PyTorch.

The numbers of one tensor share a width and a format: integers with a trailing point, decimals, or scientific notation
if the largest is more than 1000 times the smallest. Only the edges of a large tensor are shown.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ... import dtypes
from ...backend import CPU
from ...core.batch import Batch
from ...core.tensor import Tensor, edge_of
from ...errors import ArgumentError, ArgumentTypeError, GradError

__all__ = ["printoptions", "set_printoptions"]

PROFILES: dict[str, dict[str, Any]] = {
    "default": {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80},
    "short": {"precision": 2, "threshold": 1000, "edgeitems": 2, "linewidth": 80},
    "full": {"precision": 4, "threshold": math.inf, "edgeitems": 3, "linewidth": 80},
}


class _Options:
    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


OPTIONS = _Options()


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Set the print options: digits, the number of elements from which tensors are summarised, and the line width."""
    if profile is not None:
        if profile not in PROFILES:
            raise ArgumentError(f"profile must be one of {sorted(PROFILES)}, got {profile!r}")
        vars(OPTIONS).update(PROFILES[profile])
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    vars(OPTIONS).update({name: value for name, value in given.items() if value is not None})
    OPTIONS.sci_mode = sci_mode


@contextmanager
def printoptions(**options: Any) -> Iterator[None]:
    """Set print options for the ``with`` block."""
    before = dict(vars(OPTIONS))
    set_printoptions(**options)
    try:
        yield
    finally:
        vars(OPTIONS).clear()
        vars(OPTIONS).update(before)


class _Form:
    """The format of all numbers of one tensor."""

    def __init__(self, values: Any) -> None:
        self.floating = values.dtype.kind == "f"
        self.whole, self.scientific, self.width = True, False, 1
        if not self.floating:
            self.width = max((len(str(each)) for each in values.tolist()), default=1)
            return
        some = values[CPU.isfinite(values) & (values != 0)]
        if some.size:
            self._choose(some)

    def _choose(self, some: Any) -> None:
        size = CPU.abs(some.astype(CPU.float64))
        low, high = float(size.min()), float(size.max())
        self.whole = bool((some == CPU.ceil(some)).all())
        self.scientific = high / low > 1000 or high > 1e8 or (not self.whole and low < 1e-4)
        if OPTIONS.sci_mode is not None:
            self.scientific = OPTIONS.sci_mode
        digits = OPTIONS.precision
        form = f"{{:.{digits}e}}" if self.scientific else "{:.0f}." if self.whole else f"{{:.{digits}f}}"
        self.width = max(1, *(len(form.format(each)) for each in some.tolist()))

    def write(self, value: Any) -> str:
        """Format one number, padded to the common width."""
        if not self.floating:
            text = str(value)
        elif self.scientific:
            text = f"{value:{self.width}.{OPTIONS.precision}e}"
        elif self.whole:
            text = f"{value:.0f}" + ("." if math.isfinite(value) else "")
        else:
            text = f"{value:.{OPTIONS.precision}f}"
        return text.rjust(self.width)


class _ComplexForm:
    """Two formats, one for each part of complex numbers."""

    def __init__(self, values: Any) -> None:
        self.real, self.imag = _Form(values.real), _Form(values.imag)
        self.width = self.real.width + self.imag.width + 1

    def write(self, value: Any) -> str:
        imaginary = (self.imag.write(value.imag) + "j").lstrip()
        return self.real.write(value.real) + ("" if imaginary.startswith("-") else "+") + imaginary


def _edges(array: Any) -> Any:
    """Return the elements at the edges of every dimension, which get printed."""
    count = OPTIONS.edgeitems
    for axis, size in enumerate(array.shape):
        if size > 2 * count:
            keep = [*range(count), *range(size - count, size)]
            array = CPU.take(array, keep, axis)
    return array


def _write(array: Any, form: Any, indent: int, summarise: bool) -> str:
    if array.ndim == 0:
        return str(form.write(array.item()))
    count = OPTIONS.edgeitems
    short = summarise and len(array) > 2 * count
    shown = [*range(count), *range(len(array) - count, len(array))] if short else range(len(array))
    parts = [_write(array[i], form, indent + 1, summarise) for i in shown]
    if short:
        parts.insert(count, " ..." if array.ndim == 1 else "...")
    if array.ndim > 1:
        return "[" + ("," + "\n" * (array.ndim - 1) + " " * (indent + 1)).join(parts) + "]"
    per_line = max(1, (OPTIONS.linewidth - indent) // (form.width + 2))
    lines = [", ".join(parts[i : i + per_line]) for i in range(0, len(parts), per_line)]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"


def _numbers(tensor: Tensor, indent: int) -> str:
    if tensor.device.type == "meta":
        return "..."
    array = tensor._backend.to_host(tensor._array)
    if not array.size:
        return "[]"
    if tensor.dtype.is_floating_point and array.dtype.itemsize < 4:
        array = array.astype(CPU.float32)
    summarise = array.size > OPTIONS.threshold
    values = (_edges(array) if summarise else array).reshape(-1)
    form = _ComplexForm(values) if array.dtype.kind == "c" else _Form(values)
    return _write(array, form, indent, summarise)


def _remarks(tensor: Tensor) -> list[str]:
    """Return the facts after the numbers: device, size, dtype, and grad_fn."""
    remarks = []
    if tensor.device.type != "cpu":
        remarks.append(f"device='{tensor.device}'")
    default = dtypes.get_default_dtype()
    if not tensor.numel() or tensor.device.type == "meta":
        if tensor.ndim != 1 or tensor.numel():
            remarks.append(f"size={tuple(tensor.shape)}")
        if tensor.dtype is not default:
            remarks.append(f"dtype={tensor.dtype}")
    elif tensor.dtype not in (default, dtypes.complex_of(default), dtypes.int64, dtypes.bool_):
        remarks.append(f"dtype={tensor.dtype}")
    try:
        node = tensor.grad_fn
    except GradError:  # a view that cannot follow a change of its base
        remarks.append("grad_fn=<Invalid>")
    else:
        if node is not None:
            remarks.append(f"grad_fn=<{node.name()}>")
        elif edge_of(tensor) is not None:
            remarks.append("requires_grad=True")
    if tensor._extra is not None:
        remarks += [f"tangent={represent(tangent)}" for tangent, _ in tensor._extra.tangents.values()]
    return remarks


def represent(self: Tensor) -> str:
    """Return the tensor as text: ``tensor([1., 2.], requires_grad=True)``."""
    if type(self._array) is Batch:
        return _represent_batch(self._array)
    prefix = "tensor("
    text = prefix + _numbers(self, len(prefix))
    line = len(text) - text.rfind("\n") + 1
    for remark in _remarks(self):
        if line + len(remark) + 2 > OPTIONS.linewidth:
            text += ",\n" + " " * len(prefix) + remark
            line = len(prefix) + len(remark)
        else:
            text += ", " + remark
            line += len(remark) + 2
    return text + ")"


def _represent_batch(batch: Batch) -> str:
    """Show all examples of a tensor under vmap, and its batch dimension."""
    inside = represent(batch.value).replace("\n", "\n    ")
    return f"BatchedTensor(lvl={batch.level.depth}, bdim={0 if batch.batched else None}, value=\n    {inside}\n)"


def form(self: Tensor, spec: str) -> str:
    """Format a scalar as its number: ``f"loss {loss}"``, ``f"{loss:.3f}"``."""
    readable = type(self._array) is not Batch and self._backend.has_elements
    if not self.ndim and readable and (spec or type(self) is Tensor):
        return format(self.item(), spec)
    if spec:
        raise ArgumentTypeError(
            f"unsupported format string passed to Tensor.__format__: {spec!r} is for one number, and the shape is "
            f"{list(self.shape)}. Format .item() or the numbers of .tolist()"
        )
    return str(self)


OPERATORS = {"__repr__": represent, "__format__": form}
