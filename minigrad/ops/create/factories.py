"""Create tensors: from data, filled, or as ranges of numbers."""

from __future__ import annotations

import functools
import math
from typing import Any

from ... import dtypes, events
from ...backend import CPU, chosen, lookup
from ...backend.determinism import unwritten
from ...core.interpreter import adopted
from ...core.operands import Reader
from ...core.state import STATE
from ...core.tensor import Tensor, wrap
from ...errors import ArgumentError, ArgumentTypeError, DomainError, DtypeError, GradError, ShapeError
from ...events import LISTENERS, emit
from ...layout import contiguous_format
from ..common.arguments import into
from ..common.dims import checked_sizes, one_int, sizes_of
from ..common.numbers import held

__all__ = [
    "arange", "as_tensor", "asarray", "empty", "empty_permuted", "empty_strided", "eye", "from_numpy", "full",
    "linspace", "logspace", "ones", "scalar_tensor", "tensor", "zeros",
]  # fmt: skip


# From data ------------------------------------------------------------------------------------------------------------


def tensor(
    data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, pin_memory: bool = False
) -> Tensor:
    """Return a new leaf with a copy of `data`: a number, nested lists, a NumPy array.

    Python floats get the default dtype (float32), ints int64; NumPy arrays keep theirs. ArgumentError if the lists are
    ragged.

    >>> import minigrad as mg
    >>> mg.tensor([[1, 2], [3, 4.5]])
    tensor([[1.0000, 2.0000],
            [3.0000, 4.5000]])
    """
    if isinstance(data, Tensor):
        backend = lookup(device) if device is not None else data._backend
        array = backend.from_host(data._backend.to_host(data._array)) if backend is not data._backend else data._array
        return finished(array.astype(_numpy(dtype) or array.dtype), backend, requires_grad)
    backend = chosen(device)
    return finished(backend.from_host(_read(data, dtype)), backend, requires_grad)


def _read(data: Any, dtype: Any) -> Any:
    """Return `data` as a new NumPy array of the right dtype."""
    if hasattr(data, "__array__") or isinstance(data, CPU.generic):
        array = CPU.array(data)
        wanted = dtypes.of(array.dtype) if dtype is None else dtypes.as_dtype(dtype)
        return array.astype(wanted.numpy, copy=False)
    if hasattr(data, "as_elements"):  # a storage
        return CPU.array(data.as_elements(None if dtype is None else dtypes.as_dtype(dtype)))
    data = as_lists(data)
    try:
        array = CPU.array(_plain(data))
    except ValueError as error:
        raise _unreadable(data) or ArgumentError(f"expected sequence of length that is the same: {error}") from None
    if array.dtype.kind not in "biufcVO" or (array.dtype.kind == "O" and not _all_integers(data)):
        raise _unreadable(data) or ArgumentTypeError(f"new(): invalid data type '{type(data).__name__}'")
    if dtype is not None:
        return _cast(array, dtypes.as_dtype(dtype))
    if array.dtype.kind not in "bi" and array.size and _all_integers(data):
        raise ArgumentError(
            f"Overflow when unpacking long long: int64 cannot hold all of {data!r:.60}. Give a floating dtype."
        )
    if not array.size:
        return array.astype(dtypes.get_default_dtype().numpy)
    return array.astype(functools.reduce(dtypes.promote, _types(data)).numpy, copy=False)


def as_lists(data: Any) -> Any:
    """Convert every other sequence in `data` to a list: a range, a deque, an ``array.array``."""
    if isinstance(data, (list, tuple)):
        return data if _holds_numbers(data) else [as_lists(each) for each in data]
    if isinstance(data, (str, bytes, dict)) or hasattr(data, "dtype") or not hasattr(data, "__getitem__"):
        return data
    return [as_lists(each) for each in data]


def _holds_numbers(data: Any) -> bool:
    """Return whether a list contains only Python numbers."""
    return set(map(type, data)) <= {bool, int, float, complex}


def _all_integers(data: Any) -> bool:
    """Return whether nested sequences contain only Python ints and bools."""
    if isinstance(data, (list, tuple)):
        return set(map(type, data)) <= {int, bool} or all(map(_all_integers, data))
    return isinstance(data, int)


def _cast(array: Any, wanted: dtypes.dtype) -> Any:
    """Cast numbers that a user passed to the wanted dtype. Raise if it cannot hold them."""
    if array.dtype.kind == "c" and not wanted.is_complex:
        raise ArgumentTypeError(f"must be real number, not complex: {wanted.name} has no imaginary part")
    if wanted.kind == dtypes.INTEGER and array.dtype.kind in "iuf" and array.size:
        for number in (array.min(), array.max()):
            held(number.item(), wanted)
    return array.astype(wanted.numpy)


def _plain(data: Any) -> Any:
    """Replace every tensor in nested sequences, which must have one element, by its number."""
    if isinstance(data, Tensor):
        return _number_in(data)
    if not isinstance(data, (list, tuple)) or _holds_numbers(data):
        return data
    return [_plain(each) for each in data]


def _number_in(data: Tensor) -> Any:
    """Return the single element of a tensor in a list of numbers. ArgumentError if it has several."""
    if data._array.size != 1:
        raise ArgumentError(
            f"only one element tensors can be converted to Python scalars, but one of shape {list(data.shape)} is "
            "among the data: put tensors together with stack()"
        )
    return data.item()


def _types(data: Any) -> set[dtypes.dtype]:
    """Return the dtypes of everything in nested sequences."""
    if not isinstance(data, (list, tuple)):
        own = getattr(data, "dtype", None)
        return {dtypes.of_number(data) if own is None else own if isinstance(own, dtypes.dtype) else dtypes.of(own)}
    kinds = set(map(type, data))
    if kinds <= {bool, int, float, complex}:
        return {dtypes.of_number(kind()) for kind in kinds}
    return set().union(*map(_types, data))


def _unreadable(data: Any) -> Exception | None:
    """Describe why `data` cannot become a tensor: the first non-number, or the first list of a different length."""
    todo: list[tuple[Any, tuple[int, ...]]] = [(data, ())]
    sizes: dict[int, tuple[int, tuple[int, ...]]] = {}
    while todo:
        part, place = todo.pop(0)
        if isinstance(part, Tensor):
            part = _number_in(part)
        where = f" at {list(place)}" if place else ""
        if not isinstance(part, (list, tuple)):
            if not hasattr(part, "__array__") and not isinstance(part, (bool, int, float, complex)):
                kind = type(part).__name__
                if isinstance(part, (str, bytes)):
                    return ArgumentTypeError(f"new(): invalid data type '{kind}'{where}: numbers are needed")
                return DtypeError(f"Could not infer dtype of {kind}{where}: numbers are needed")
            if len(place) in sizes:
                return ArgumentError(f"expected sequence of length {sizes[len(place)][0]}{where}, but found a number")
            sizes.setdefault(-1 - len(place), (0, place))
            continue
        if -1 - len(place) in sizes:
            return ArgumentError(f"expected a number{where}, as at {list(sizes[-1 - len(place)][1])}, but found a list")
        wanted, first = sizes.setdefault(len(place), (len(part), place))
        if len(part) != wanted:
            return ArgumentError(
                f"expected sequence of length {wanted} at dim {len(place)} (got {len(part)}): the lists are ragged, "
                f"the one{where} has {len(part)} elements and the one at {list(first)} has {wanted}"
            )
        todo += [(each, (*place, i)) for i, each in enumerate(part)]
    return None


def as_tensor(data: Any, dtype: Any = None, device: Any = None) -> Tensor:
    """Return `data` as a tensor that shares its memory and history, if nothing has to change."""
    if isinstance(data, Tensor):
        return data if dtype is None and device is None else data.to(dtype=dtype, device=device)
    if isinstance(data, CPU.ndarray) and chosen(device) is CPU and (dtype is None or _numpy(dtype) == data.dtype):
        return from_numpy(data)
    return tensor(data, dtype=dtype, device=device)


Reader.as_tensor = as_tensor


def asarray(
    obj: Any, *, dtype: Any = None, device: Any = None, copy: bool | None = None, requires_grad: bool | None = None
) -> Tensor:
    """Return `obj` as a tensor; `copy` says whether it must (True), must not (False) or may (None) be copied.

    If `requires_grad` is False, the result is detached; if it is not given, a tensor stays in its graph.
    """
    result = as_tensor(obj, dtype, device)
    shared = result is obj or (isinstance(obj, CPU.ndarray) and CPU.shares_memory(result._array, obj))
    if copy is False and not shared:
        raise ArgumentError("can't alias the given object: a copy is needed to change its type or device")
    if copy and shared:
        result = result.clone()
    if requires_grad is False:
        return result.detach()
    return result.requires_grad_() if requires_grad and not result.requires_grad else result


def from_numpy(ndarray: Any) -> Tensor:
    """Return a tensor that shares the memory of a NumPy array: a change of one changes the other."""
    if not isinstance(ndarray, CPU.ndarray):
        raise ArgumentTypeError(f"expected np.ndarray (got {type(ndarray).__name__})")
    try:
        dtypes.of(ndarray.dtype)
    except DtypeError as error:
        raise ArgumentTypeError(f"can't convert np.ndarray of type {ndarray.dtype}. {error}") from None
    return finished(ndarray, CPU, False)


def scalar_tensor(s: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """Return a tensor without dimensions, by default of the default floating dtype."""
    return tensor(s, dtype=dtype or dtypes.get_default_dtype(), device=device, requires_grad=requires_grad)


def finished(array: Any, backend: Any, requires_grad: bool) -> Tensor:
    """Return a new leaf around `array`."""
    return leaf(
        wrap(array if isinstance(array, backend.array_type) else backend.asarray(array), backend), requires_grad
    )


def leaf(made: Tensor, requires_grad: bool) -> Tensor:
    """Return `made`, a new tensor, as a leaf for the user."""
    if STATE.mode.interpreters:
        made = adopted(made)
    if requires_grad:
        if not made.dtype.is_differentiable:
            raise GradError(
                f"Only Tensors of floating point and complex dtype can require gradients, this one is {made.dtype}. "
                "Write 1.0 in place of 1, or say dtype=minigrad.float32."
            )
        made._requires_grad = True
    if STATE.mode.inference:
        made.extra.inference = True
    if LISTENERS:
        emit(events.TensorCreated(made))
    return made


def _numpy(dtype: Any) -> Any:
    return None if dtype is None else dtypes.as_dtype(dtype).numpy


# Filled ---------------------------------------------------------------------------------------------------------------


def _filled(value: Any, size: tuple[Any, ...], dtype: Any, device: Any, requires_grad: bool) -> Tensor:
    backend = chosen(device)
    wanted = _numpy(dtype) or dtypes.get_default_dtype().numpy
    return finished(backend.full(checked_sizes(sizes_of(size)), value, wanted), backend, requires_grad)


def placed(out: Tensor | None, made: Tensor, dtype: Any, counted: bool = False) -> Tensor:
    """Write `made` to `out` if there is one, in its dtype. DtypeError if `dtype` is another. Return the result.

    With `counted` (for ranges), an `out` with the right number of elements keeps its shape.
    """
    if out is not None and dtype is None:
        made = made.to(out.dtype)
    elif out is not None and out.dtype is not dtypes.as_dtype(dtype):
        raise DtypeError(
            f"dtype {dtypes.as_dtype(dtype).type_name} does not match dtype of out parameter ({out.dtype.type_name}): "
            "leave dtype= away, or pass an `out` of that dtype."
        )
    if out is not None and counted and out.numel() == made.numel():
        made = made.reshape(out.shape)
    return into(out, made)


def _kind(dtype: Any, out: Tensor | None) -> Any:
    """Return the dtype to compute a range in: `dtype`, else that of `out`, else None."""
    return out.dtype if dtype is None and out is not None else dtype


def steps_of(start: Any, end: Any, step: Any, whole: bool) -> tuple[Any, Any, Any]:
    """Return the arguments of a range, made whole numbers if `whole`. Raise if they lead nowhere."""
    if step == 0 or step != step:
        raise DomainError(f"step must be nonzero, got {step}")
    if not all(math.isfinite(each) for each in (start, end)):
        raise DomainError(f"unsupported range: {start} -> {end}")
    if whole:
        start, end, step = int(start), int(end), int(step)
        if step == 0:
            raise ArgumentError("step must be nonzero: as a whole number it is 0")
    if (end - start) / step < 0:
        raise DomainError("upper bound and lower bound inconsistent with step sign: nothing lies between them")
    return start, end, step


def zeros(*size: Any, out: Any = None, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """Zeros of the given sizes: ``zeros(2, 3)`` or ``zeros((2, 3))``.

    >>> import minigrad as mg
    >>> mg.zeros(2)
    tensor([0., 0.])
    """
    return placed(out, _filled(0, size, dtype, device, requires_grad), dtype)


def ones(*size: Any, out: Any = None, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    """Ones of the given sizes."""
    return placed(out, _filled(1, size, dtype, device, requires_grad), dtype)


def full(
    size: Any, fill_value: Any, *, out: Any = None, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """A tensor filled with `fill_value`, whose type determines the dtype."""
    value = fill_value.item() if isinstance(fill_value, Tensor) else fill_value
    own = fill_value.dtype if isinstance(fill_value, Tensor) else dtypes.of_number(value)
    wanted = own if dtype is None else dtypes.as_dtype(dtype)
    value = held(value, wanted)
    sizes = (size,) if isinstance(size, int) else tuple(size)
    return placed(out, _filled(value, sizes, wanted, device, requires_grad), dtype)


def empty(
    *size: Any, out: Any = None, dtype: Any = None, device: Any = None, requires_grad: bool = False,
    memory_format: Any = contiguous_format,
) -> Tensor:  # fmt: skip
    """Uninitialised memory of the given sizes, whose elements lie in the order of `memory_format`."""
    backend = chosen(device)
    sizes, wanted = checked_sizes(sizes_of(size)), _numpy(dtype) or dtypes.get_default_dtype().numpy
    order = memory_format.order_for(len(sizes))
    array = backend.empty(sizes, wanted) if order is None else backend.ordered(sizes, order, wanted)
    return placed(out, finished(unwritten(array), backend, requires_grad), dtype)


def empty_strided(
    size: Any, stride: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """Uninitialised memory of the given sizes and strides (in elements)."""
    backend = chosen(device)
    wanted = dtypes.as_dtype(dtype) if dtype is not None else dtypes.get_default_dtype()
    if len(size) != len(stride):
        raise ShapeError(f"dimensionality of sizes ({len(size)}) must match dimensionality of strides ({len(stride)})")
    span = 1 + sum((n - 1) * step for n, step in zip(size, stride, strict=True)) if all(size) else 0
    memory = unwritten(backend.empty(span, wanted.numpy))
    array = backend.as_strided(memory, tuple(size), tuple(step * wanted.itemsize for step in stride), 0)
    return finished(array, backend, requires_grad)


def empty_permuted(
    size: Any, physical_layout: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """Uninitialised memory without gaps, whose dimensions have the order `physical_layout` in memory, outermost first.

    >>> import minigrad as mg
    >>> mg.empty_permuted((2, 3, 5), (0, 2, 1)).stride()
    (15, 1, 3)
    """
    if sorted(physical_layout) != list(range(len(size))):
        raise ShapeError(
            f"physical_layout must name every dimension of size {list(size)} once, but got {list(physical_layout)}"
        )
    strides, step = [0] * len(size), 1
    for dim in reversed(physical_layout):
        strides[dim], step = step, step * max(size[dim], 1)
    return empty_strided(size, strides, dtype=dtype, device=device, requires_grad=requires_grad)


def eye(
    n: int, m: int | None = None, *, out: Any = None, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """Ones on the diagonal, zeros elsewhere: (n, m)."""
    for name, size in (("n", n), ("m", n if m is None else m)):
        if one_int(name, size) < 0:
            raise ShapeError(f"{name} must be greater or equal to 0, got {size}")
    backend = chosen(device)
    wanted = _numpy(dtype) or dtypes.get_default_dtype().numpy
    columns = n if m is None else m
    return placed(out, finished(backend.eye(n, columns, dtype=wanted), backend, requires_grad), dtype)


# Ranges ---------------------------------------------------------------------------------------------------------------


def arange(
    start: Any,
    end: Any = None,
    step: Any = 1,
    *,
    out: Any = None,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Numbers from `start` (default 0) to `end`, which is excluded, by `step`. Integers give int64.

    >>> import minigrad as mg
    >>> mg.arange(1, 2.5, 0.5)
    tensor([1.0000, 1.5000, 2.0000])
    """
    start, end = (0, start) if end is None else (start, end)
    start, end, step = [each.item() if isinstance(each, Tensor) else each for each in (start, end, step)]
    wanted = _numpy(_kind(dtype, out))
    start, end, step = steps_of(start, end, step, wanted is not None and wanted == "int64")
    whole = all(isinstance(each, int) for each in (start, end, step))
    wanted = wanted or (dtypes.int64.numpy if whole else dtypes.get_default_dtype().numpy)
    backend = chosen(device)
    count = len(range(start, end, step)) if whole else math.ceil((end - start) / step)
    if wanted.kind in "iu":  # fractions only affect the number of elements
        start, step, whole = int(start), int(step), True
    values = start + backend.arange(count, dtype="int64" if whole else "float64") * step
    return placed(out, finished(values.astype(wanted), backend, requires_grad), dtype, counted=True)


def linspace(
    start: Any,
    end: Any,
    steps: int,
    *,
    out: Any = None,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """`steps` numbers evenly spaced from `start` to `end`, both included.

    >>> import minigrad as mg
    >>> mg.linspace(0, 1, 5)
    tensor([0.0000, 0.2500, 0.5000, 0.7500, 1.0000])
    """
    start, end = [each.item() if isinstance(each, Tensor) else each for each in (start, end)]
    steps = one_int("steps", steps)
    if steps < 0:
        raise DomainError("number of steps must be non-negative")
    backend = chosen(device)
    kind = dtypes.of_number(start + end)
    given = _kind(dtype, out)
    wanted = dtypes.as_dtype(given) if given is not None else kind if kind.is_complex else dtypes.get_default_dtype()
    if kind.is_complex and not wanted.is_complex:
        raise DtypeError(
            f"torch.linspace(): inferred dtype {kind} can't be safely cast to passed dtype {wanted.type_name}"
        )
    exact = wanted.numpy if wanted.is_differentiable and wanted.itemsize >= 4 else dtypes.float32.numpy
    if not wanted.is_differentiable:
        start, end, exact = int(start), int(end), dtypes.float64.numpy
    first, last = exact.type(start), exact.type(end)
    step = (last - first) / exact.type(max(steps - 1, 1))
    positions = backend.arange(steps).astype(exact)
    values = backend.where(positions < steps // 2, first + step * positions, last - step * positions[::-1])
    if steps == 1:
        values = backend.full(1, first)
    return placed(out, finished(values.astype(wanted.numpy), backend, requires_grad), dtype, counted=True)


def logspace(
    start: Any,
    end: Any,
    steps: int,
    base: float = 10.0,
    *,
    out: Any = None,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """`base` to powers that are evenly spaced from `start` to `end`."""
    given = _kind(dtype, out)
    wanted = None if given is None else dtypes.as_dtype(given)
    if wanted is None or wanted.is_differentiable:
        powers = linspace(start, end, steps, dtype=wanted, device=device)
    else:
        start, end = [int(each) for each in (start, end)]
        powers = linspace(start, end, steps, dtype=dtypes.float64, device=device)
    values = powers._backend.power(powers._array.dtype.type(base), powers._array)
    values = values if wanted is None else values.astype(wanted.numpy)
    return placed(out, finished(values, powers._backend, requires_grad), dtype, counted=True)
