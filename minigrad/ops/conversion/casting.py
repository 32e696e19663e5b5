"""Conversion between dtypes and devices, and copies."""

from __future__ import annotations

from typing import Any, ClassVar

from ... import dtypes
from ...backend import device as Device
from ...backend import lookup
from ...core.dispatch import unary
from ...core.tensor import Tensor, as_operand, wrap
from ...errors import ArgumentTypeError, ShapeError
from ...layout import layout, preserve_format, strided
from ..common.bases import Linear, sample
from ..common.dims import sizes_of
from ..create.constructors import kind_of
from .copy import Contiguous, contiguous

__all__ = [
    "can_cast",
    "clone",
    "get_device",
    "is_complex",
    "is_floating_point",
    "is_signed",
    "is_nonzero",
    "is_inference",
    "is_tensor",
    "numel",
    "promote_types",
    "result_type",
]


class ToCopy(Linear):
    """The same numbers in another dtype; the gradient is cast back to the input's dtype."""

    __slots__ = ("dtype",)
    dtype: Any
    broadcasts: ClassVar[bool] = True  # so that the engine casts the gradient to the input's dtype
    formula = r"x"
    samples = (sample((2, 3), dtype=dtypes.float64), sample((2, 3), dtype=dtypes.complex128))

    def forward(self, xp, x):
        if x.dtype.kind == "c" and self.dtype.kind < dtypes.COMPLEX:
            x = x.real if self.dtype.kind else x != 0
        return (xp.copy(x) if 0 in x.strides else x).astype(self.dtype.numpy)

    def grad_x(self, grad):
        r"\bar y"
        return grad


class ToDevice(Linear):
    """The same numbers on another device; the gradient is copied back."""

    __slots__ = ("device", "home")
    device: Any
    grad_name = "ToCopyBackward0"
    formula = r"x"
    samples = (sample((2, 3), device=Device("cpu")),)

    remembers = ("home",)

    def forward(self, xp, x):
        self.home = xp.device
        return x

    alone = False

    def output(self, number: int, array: Any, backend: Any, inputs: tuple[Any, ...]) -> Tensor:
        target = lookup(self.device)
        return wrap(target.from_host(backend.to_host(array)).copy(), target)

    def grad_x(self, grad):
        r"\bar y"
        return ToDevice(self.home)(grad)


class Clone(Linear):
    """A copy with its own memory."""

    __slots__ = ()
    formula = r"x"
    samples = (sample((2, 3)), sample((0,)))

    def forward(self, xp, x):
        return xp.copy(x)

    def grad_x(self, grad):
        r"\bar y"
        return grad


copied = unary(Clone)


def clone(input: Tensor, *, memory_format: Any = None) -> Tensor:
    """Return a copy with its own memory, connected to `input` in the graph.

    `memory_format` says in which order the elements of the copy lie; by default in that of `input`.

    >>> import minigrad as mg
    >>> mg.tensor([1.0], requires_grad=True).clone()
    tensor([1.], grad_fn=<CloneBackward0>)
    """
    if memory_format is None or memory_format is preserve_format:
        return copied(input)
    return Contiguous(memory_format.order_for(input.ndim))(input)


def to(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """Return this tensor in another dtype or on another device.

    Written ``x.to(mg.float64)``, ``x.to("cuda")``, ``x.to("cpu", mg.half)`` or ``x.to(other)``. Returns the tensor
    itself if nothing changes, unless `copy`. With a `memory_format` the elements lie in its order.
    """
    dtype, where, copy = _wanted(args, kwargs)
    order = kwargs.get("memory_format")
    result = self
    if where is not None and lookup(where) is not self._backend:
        result = ToDevice(Device(where))(result)
    if dtype is not None and dtypes.as_dtype(dtype) is not self.dtype:
        result = ToCopy(dtypes.as_dtype(dtype))(result)
    if copy and result is self:
        result = ToCopy(self.dtype)(self)
    return result if order is None or order is preserve_format else contiguous(result, order)


def _wanted(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any, bool]:
    """Return dtype, device and copy, from any form of the arguments of `to`."""
    dtype, where, copy = kwargs.get("dtype"), kwargs.get("device"), kwargs.get("copy", False)
    flags = [each for each in args if isinstance(each, bool)]  # non_blocking, which has no effect, and copy
    copy = flags[1] if len(flags) > 1 else copy
    for each in (*args, *((kwargs["other"],) if "other" in kwargs else ())):
        if isinstance(each, Tensor):
            dtype, where = each.dtype, each.device
        elif isinstance(each, (bool, layout)):
            continue
        elif isinstance(each, Device) or (isinstance(each, str) and not _names_dtype(each)):
            where = each
        elif each is not None:
            dtype = each
    unknown = set(kwargs) - {"dtype", "device", "copy", "other", "non_blocking", "memory_format"}
    if unknown:
        raise ArgumentTypeError(
            f"to() received an invalid combination of arguments: there is no {sorted(unknown)[0]!r}"
        )
    return dtype, where, copy


def _names_dtype(name: str) -> bool:
    return any(name == each.name for each in dtypes.ALL)


def _to(dtype: dtypes.dtype, name: str) -> Any:
    def method(self: Tensor, memory_format: Any = preserve_format) -> Tensor:
        made = self if self.dtype is dtype else ToCopy(dtype)(self)
        return made if memory_format is preserve_format else contiguous(made, memory_format)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"This tensor as {dtype.name}, in its own memory order or in that of `memory_format`."
    return method


def type_as(self: Tensor, other: Tensor) -> Tensor:
    """Return this tensor in the dtype of `other`."""
    return to(self, other.dtype)


def type_(self: Tensor, dtype: Any = None) -> Any:
    """Return the name of the tensor's type, or the tensor in another dtype."""
    if dtype is not None:
        kind = kind_of(dtype)
        return to(self, dtype) if kind is None else to(self, *kind)
    where = "minigrad.cuda" if self.is_cuda else "minigrad"
    return f"{where}.{self.dtype.type_name}Tensor"


def cpu(self: Tensor, memory_format: Any = preserve_format) -> Tensor:
    """Return this tensor on the CPU."""
    return to(self, "cpu", memory_format=memory_format)


def cuda(self: Tensor, device: Any = None, non_blocking: bool = False) -> Tensor:
    """Return this tensor on a GPU: the first, or the given one."""
    return to(self, "cuda" if device is None else Device("cuda", device) if isinstance(device, int) else device)


# Questions ------------------------------------------------------------------------------------------------------------


def is_inference(input: Tensor) -> bool:
    """Whether `input` was made in `inference_mode`."""
    return input.is_inference()


def is_tensor(obj: Any) -> bool:
    """Whether `obj` is a tensor."""
    return isinstance(obj, Tensor)


def is_floating_point(input: Tensor) -> bool:
    """Whether the dtype is a real floating-point type."""
    return input.dtype.is_floating_point


def is_complex(input: Tensor) -> bool:
    """Whether the dtype is complex."""
    return input.dtype.is_complex


def is_nonzero(input: Tensor) -> bool:
    """Whether the tensor's single element is not zero."""
    return bool(input)


def numel(input: Tensor) -> int:
    """The number of elements."""
    return input.numel()


def result_type(tensor1: Any, tensor2: Any) -> dtypes.dtype:
    """Return the dtype that an op on these two tensors or numbers results in."""
    return dtypes.result_type(as_operand(tensor1), as_operand(tensor2))


def promote_types(type1: dtypes.dtype, type2: dtypes.dtype) -> dtypes.dtype:
    """Return the smallest dtype that can hold both."""
    return dtypes.promote(type1, type2)


def can_cast(from_: dtypes.dtype, to: dtypes.dtype) -> bool:
    """Whether an in-place op may write the first dtype into the second."""
    return dtypes.can_cast(from_, to)


def sum_to_size(self: Tensor, *size: Any) -> Tensor:
    """Sum this tensor over the dimensions along which a tensor of `size` would be broadcast to it."""
    wanted, shape = sizes_of(size), self._array.shape
    extra = len(shape) - len(wanted)
    if extra < 0 or any(w not in (1, s) for w, s in zip(wanted, shape[extra:], strict=True)):
        raise ShapeError(f"size {{{list(wanted)}}} is not expandable to size {{{list(shape)}}}.")
    dims = [i for i in range(len(shape)) if i < extra or (wanted[i - extra] == 1 and shape[i] != 1)]
    return self.sum(dims, keepdim=True).reshape(wanted) if dims else self


def is_signed(self: Tensor) -> bool:
    """Whether the dtype has negative numbers."""
    return self.dtype.is_signed


def get_device(self: Tensor) -> int:
    """Return the index of the tensor's GPU, or -1 for the CPU."""
    return -1 if self.device.type == "cpu" else self.device.index or 0


METHODS = {
    "sum_to_size": sum_to_size, "is_signed": is_signed, "is_nonzero": is_nonzero, "get_device": get_device,
    "ndimension": Tensor.dim, "to": to, "type": type_, "type_as": type_as, "clone": clone, "cpu": cpu, "cuda": cuda,
    "float": _to(dtypes.float32, "float"), "double": _to(dtypes.float64, "double"), "half": _to(dtypes.float16, "half"),
    "bfloat16": _to(dtypes.bfloat16, "bfloat16"), "int": _to(dtypes.int32, "int"), "long": _to(dtypes.int64, "long"),
    "short": _to(dtypes.int16, "short"), "char": _to(dtypes.int8, "char"), "byte": _to(dtypes.uint8, "byte"),
    "bool": _to(dtypes.bool_, "bool"), "cfloat": _to(dtypes.complex64, "cfloat"),
    "cdouble": _to(dtypes.complex128, "cdouble"),
}  # fmt: skip
PROPERTIES = {
    "is_cpu": property(lambda self: self.device.type == "cpu", doc="Whether it is in the memory of the CPU."),
    "layout": property(lambda self: strided, doc="How its elements lie in memory: always `strided`."),
}
