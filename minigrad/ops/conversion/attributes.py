"""Small attributes and methods of tensors, and slow functions that apply Python functions to each element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...core.grad_mode import no_grad
from ...core.tensor import Tensor
from ...errors import ArgumentTypeError, DeviceError, DtypeError, GradError, ShapeError
from ...layout import sparse_coo
from ..create.factories import as_tensor

__all__ = ["detach", "is_same_size", "typename"]


def detach(input: Tensor) -> Tensor:
    """Return a tensor with the same memory and version, outside the graph."""
    return input.detach()


def typename(obj: Any, /) -> str:
    """Return the type of `obj` as text: its module and class or, for a tensor, its dtype.

    >>> import minigrad as mg
    >>> mg.typename(mg.ones(2)), mg.typename(3)
    ('minigrad.FloatTensor', 'int')
    """
    if isinstance(obj, Tensor):
        return str(obj.type())
    kind = obj if isinstance(obj, type) else type(obj)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def is_same_size(input: Tensor, other: Tensor) -> bool:
    """Whether both have the same shape."""
    return input.shape == other.shape


def _elementwise(self: Tensor, function: Callable[..., Any], *others: Tensor) -> Tensor:
    if any(each.requires_grad for each in (self, *others)):
        name = ("apply_", "map_", "map2_")[len(others)]
        raise GradError(
            f"Can't call {name}() on Variable that requires grad. Use var.detach().{name}() instead: no gradient goes "
            "through a Python function of elements."
        )
    columns = [each.broadcast_to(self.shape).reshape(-1).tolist() for each in (self, *others)]
    with no_grad():
        made = as_tensor([function(*row) for row in zip(*columns, strict=True)], dtype=self.dtype, device=self.device)
        return self.copy_(made.reshape(self.shape))


def apply_(self: Tensor, callable: Callable[[Any], Any]) -> Tensor:
    """Replace each element by ``callable(element)``. This is slow, and meant for small tensors."""
    return _elementwise(self, callable)


def map_(self: Tensor, tensor: Tensor, callable: Callable[[Any, Any], Any]) -> Tensor:
    """Replace each element by ``callable(element, element of tensor)``."""
    return _elementwise(self, callable, tensor)


def map2_(self: Tensor, x: Tensor, y: Tensor, callable: Callable[[Any, Any, Any], Any]) -> Tensor:
    """Replace each element by ``callable(element, element of x, element of y)``."""
    return _elementwise(self, callable, x, y)


def fill_diagonal_(self: Tensor, fill_value: float, wrap: bool = False) -> Tensor:
    """Write `fill_value` to the diagonal; with `wrap`, the diagonal of a tall matrix starts again below.

    >>> import minigrad as mg
    >>> mg.zeros(2, 2).fill_diagonal_(3)
    tensor([[3., 0.],
            [0., 3.]])
    """
    if self.dim() < 2:
        raise ShapeError("dimensions must larger than 1: a diagonal needs a matrix")
    if self.dim() > 2:
        if len(set(self.shape)) > 1:
            raise ShapeError("all dimensions of input must be of equal length")
        places = range(self.shape[0])
        self[tuple(list(places) for _ in self.shape)] = fill_value
        return self
    rows, columns = self.shape
    for first in range(0, rows, columns + 1) if wrap else (0,):
        self[first : first + columns].diagonal().fill_(fill_value)
    return self


def share_memory_(self: Tensor) -> Tensor:
    """Return the tensor itself. Its memory is not shared: processes of multiprocessing get copies."""
    return self


def pin_memory(self: Tensor, device: Any = None) -> Tensor:
    """Raise DeviceError: only an accelerator's driver can pin memory."""
    raise DeviceError("Cannot pin memory: that needs an accelerator. Leave pin_memory away on the CPU.")


def record_stream(self: Tensor, stream: Any) -> None:
    """Do nothing: work on the CPU is done when a call returns."""


def to_dense(self: Tensor, dtype: Any = None) -> Tensor:
    """Return the tensor itself, which is dense, or a copy in `dtype`."""
    return self if dtype is None else self.to(dtype)


def coalesce(self: Tensor) -> Tensor:
    """Return the tensor itself: `sparse_coo_tensor` has already summed elements with equal indices."""
    return self


def indices(self: Tensor) -> Tensor:
    """The indices of the nonzero elements, of shape (dimensions, elements): one column for each."""
    return self.nonzero().t()


def values(self: Tensor) -> Tensor:
    """The nonzero elements, in the order of `indices`."""
    return self[self != 0]


def nnz(self: Tensor) -> int:
    """The number of nonzero elements."""
    return int((self != 0).sum())


def to_sparse(self: Tensor, sparse_dim: int | None = None, *, layout: Any = None) -> Tensor:
    """Return the tensor itself: minigrad has no sparse tensors, see `minigrad.sparse`."""
    if layout is not None and layout is not sparse_coo:
        raise ArgumentTypeError(f"to_sparse(): argument 'layout' cannot be {layout.name}: every tensor here is strided")
    return self


def to_sparse_coo(self: Tensor) -> Tensor:
    """Return the tensor itself, as `to_sparse` does."""
    return self


def dim_order(self: Tensor) -> tuple[int, ...]:
    """Return the dimensions from the outermost to the innermost in memory."""
    steps = self.stride()
    return tuple(sorted(range(self.dim()), key=lambda i: (-steps[i], i)))


def contains(self: Tensor, element: Any) -> bool:
    """Return whether any element equals `element`."""
    if not isinstance(element, (Tensor, bool, int, float, complex)):
        raise DtypeError(
            f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}. To look for a "
            "tensor in a list, compare with `is`: any(each is x for each in tensors)."
        )
    return bool(self.eq(element).any())


def _never(words: str) -> property:
    return property(lambda self: False, doc=f"Whether {words}: never.")


def is_pinned(self: Tensor, device: Any = None) -> bool:
    """Whether it is in page-locked CPU memory: never."""
    return False


def is_shared(self: Tensor) -> bool:
    """Whether it is in memory that processes share: never."""
    return False


def is_distributed(self: Tensor) -> bool:
    """Whether it is spread over several processes: never."""
    return False


METHODS = {
    "is_same_size": is_same_size,
    "is_pinned": is_pinned,
    "is_shared": is_shared,
    "is_distributed": is_distributed,
    "pin_memory": pin_memory,
    "record_stream": record_stream,
    "coalesce": coalesce,
    **dict.fromkeys(("indices", "_indices"), indices),
    **dict.fromkeys(("values", "_values"), values),
    "_nnz": nnz,
    "to_dense": to_dense,
    "to_sparse": to_sparse,
    "to_sparse_coo": to_sparse_coo,
    "dim_order": dim_order,
    "const_data_ptr": Tensor.data_ptr,
}
INPLACE = {
    "apply_": apply_, "map_": map_, "map2_": map2_, "fill_diagonal_": fill_diagonal_, "share_memory_": share_memory_,
}  # fmt: skip
OPERATORS = {"__contains__": contains}
PROPERTIES = {
    "name": property(lambda self: None, doc="None: tensors have no names."),
    "is_sparse": _never("it is sparse"),
    "is_sparse_csr": _never("it is sparse"),
    "is_quantized": _never("its elements are quantised"),
    "is_meta": property(lambda self: self.device.type == "meta", doc="Whether it has a shape and no elements."),
    "is_nested": _never("it is a list of tensors of several lengths"),
    "is_mkldnn": _never("it has the layout of oneDNN"),
    "is_mps": _never("it is on an Apple GPU"),
    "is_xpu": _never("it is on an Intel GPU"),
    "is_ipu": _never("it is on a Graphcore processor"),
    "is_xla": _never("it is on an XLA device"),
    "is_vulkan": _never("it is on a Vulkan device"),
}
