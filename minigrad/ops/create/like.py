"""Create tensors with the shape, dtype or device of another."""

from __future__ import annotations

from typing import Any

from ... import dtypes
from ...backend import lookup
from ...backend.determinism import unwritten
from ...core.batch import Batch
from ...core.interpreter import drawing, of_examples
from ...core.tensor import Tensor, wrap
from ...errors import ArgumentTypeError
from ...layout import contiguous_format, preserve_format
from ..common.arguments import laid_out
from ..common.numbers import held
from ..random.distributions import continuous, in_memory_order, memory_order, randint, source
from .factories import empty, empty_strided, finished, full, leaf, ones, tensor, zeros

__all__ = ["empty_like", "full_like", "ones_like", "rand_like", "randint_like", "randn_like", "zeros_like"]


def _like(input: Tensor, dtype: Any, device: Any) -> tuple[Any, Any]:
    return (input._backend if device is None else lookup(device)), (
        input._array.dtype if dtype is None else dtypes.as_dtype(dtype).numpy
    )


def zeros_like(
    input: Tensor, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, memory_format: Any = None
) -> Tensor:
    """Zeros with the shape, type and device of `input`."""
    return full_like(input, 0, dtype=dtype, device=device, requires_grad=requires_grad, memory_format=memory_format)


def ones_like(
    input: Tensor, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, memory_format: Any = None
) -> Tensor:
    """Ones with the shape, type and device of `input`."""
    return full_like(input, 1, dtype=dtype, device=device, requires_grad=requires_grad, memory_format=memory_format)


def full_like(
    input: Tensor,
    fill_value: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    memory_format: Any = None,
) -> Tensor:
    """`fill_value` everywhere, with the shape, dtype and device of `input`, and its memory order."""

    def make(backend: Any, array: Any, wanted: Any) -> Any:
        if memory_format is contiguous_format or (memory_format is None and array.flags.c_contiguous):
            return backend.full(array.shape, number, wanted)
        made = _memory_like(backend, array, wanted, memory_format)
        made[...] = number
        return made

    number = fill_value.item() if isinstance(fill_value, Tensor) else fill_value
    number = held(number, input.dtype if dtype is None else dtypes.as_dtype(dtype))
    return _alike(input, make, dtype, device, requires_grad)


def empty_like(
    input: Tensor, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, memory_format: Any = None
) -> Tensor:
    """Uninitialised memory with the shape, dtype and device of `input`, and its memory order."""

    def make(backend: Any, array: Any, wanted: Any) -> Any:
        return unwritten(_memory_like(backend, array, wanted, memory_format))

    return _alike(input, make, dtype, device, requires_grad)


def _memory_like(backend: Any, array: Any, wanted: Any, memory_format: Any) -> Any:
    """Return uninitialised memory of the shape of `array`, in the order of `memory_format` or else of `array`."""
    if memory_format is None or memory_format is preserve_format:
        return backend.like(array, wanted)
    order = memory_format.order_for(array.ndim)
    return backend.empty(array.shape, wanted) if order is None else backend.ordered(array.shape, order, wanted)


def _alike(input: Tensor, make: Any, dtype: Any, device: Any, requires_grad: bool) -> Tensor:
    """Call `make` with the shape and settings of `input`; under vmap for every example."""
    backend, wanted = _like(input, dtype, device)
    if type(input._array) is not Batch:
        return finished(make(backend, input._array, wanted), backend, requires_grad)
    made = of_examples(input, lambda each, sizes: wrap(make(backend, each._array, wanted), backend))
    return leaf(made, requires_grad)


@laid_out
@drawing
def rand_like(
    input: Tensor, *, generator: Any = None, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """Do what `rand` does, with the shape, dtype and device of `input`, drawn in its memory order."""
    backend, wanted = _like(input, dtype, device)
    draw, kind = source(generator, backend), continuous(wanted, "check_uniform_bounds")
    array = in_memory_order(input._array, lambda shape: draw.uniform(shape, kind))
    return finished(backend.asarray(array), backend, requires_grad)


@laid_out
@drawing
def randn_like(
    input: Tensor, *, generator: Any = None, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """Do what `randn` does, with the shape, dtype and device of `input`, drawn in its memory order."""
    backend, wanted = _like(input, dtype, device)
    draw, kind = source(generator, backend), continuous(wanted, "normal_kernel_cpu")
    axes = [axis for axis in memory_order(input._array) or () if input._array.shape[axis] > 1]
    serial = axes != sorted(axes)
    array = in_memory_order(input._array, lambda shape: draw.normal(shape, kind, 0.0, 1.0, serial))
    return finished(backend.asarray(array), backend, requires_grad)


@laid_out
def randint_like(
    input: Tensor,
    low: int | None = None,
    high: int | None = None,
    *,
    generator: Any = None,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Do what `randint` does, with the shape, dtype and device of `input`: from `low` (default 0) to below `high`."""
    if low is None and high is None:
        raise ArgumentTypeError("randint_like(): missing the argument 'high': write randint_like(input, high)")
    low, high = (0, low) if high is None else (low or 0, high)
    return randint(
        low,
        high,
        tuple(input._array.shape),
        generator=generator,
        dtype=dtype or input.dtype,
        device=device or input.device,
        requires_grad=requires_grad,
    )


def new_tensor(
    self: Tensor, data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """Return a copy of `data` with the dtype and device of this tensor."""
    return tensor(data, dtype=dtype or self.dtype, device=device or self.device, requires_grad=requires_grad)


def _new(make: Any) -> Any:
    def method(
        self: Tensor,
        *size: Any,
        dtype: Any = None,
        device: Any = None,
        requires_grad: bool = False,
        layout: Any = None,
        pin_memory: bool = False,
    ) -> Tensor:
        dtype, device = dtype or self.dtype, device or self.device
        if type(self._array) is not Batch:
            return make(*size, dtype=dtype, device=device, requires_grad=requires_grad)
        one = make(*size, dtype=dtype, device=device)._array
        made = of_examples(self, lambda _, sizes: _repeated(one, sizes, self._backend))
        return leaf(made, requires_grad)

    method.__name__ = method.__qualname__ = "new_" + make.__name__
    method.__doc__ = f"As `minigrad.{make.__name__}`, with the type and device of this tensor."
    return method


_filled_like = _new(full)


def new_full(
    self: Tensor,
    size: Any,
    fill_value: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    layout: Any = None,
    pin_memory: bool = False,
) -> Tensor:
    """Do what `minigrad.full` does, with the dtype and device of this tensor."""
    made: Tensor = _filled_like(self, size, fill_value, dtype=dtype, device=device, requires_grad=requires_grad)
    return made


def _repeated(example: Any, sizes: tuple[int, ...], backend: Any) -> Tensor:
    """Repeat `example` for each of the examples in `sizes`."""
    example = example.alike() if type(example) is Batch else example
    made = backend.like(example, example.dtype, sizes)
    made[...] = example
    return wrap(made, backend)


METHODS = {
    "new_tensor": new_tensor, "new_zeros": _new(zeros), "new_ones": _new(ones), "new_full": new_full,
    "new_empty": _new(empty), "new_empty_strided": _new(empty_strided),
    "zeros_like": zeros_like, "ones_like": ones_like,
}  # fmt: skip
