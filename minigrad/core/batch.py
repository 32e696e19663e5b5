"""`Batch`: the array of a tensor that stands for one example of a batch.

Under vmap a function sees tensors of one example's shape, while every op runs on all examples at once. Such a tensor
holds a `Batch` instead of an array. It has the shape, dtype and strides of one example, and holds a tensor of all of
them. Code that only asks for shapes works as usual; reading the numbers of one example is an error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import GradError

if TYPE_CHECKING:
    from .tensor import Tensor


class Batch:
    """Stands in for an array under vmap: one example's shape outside, all examples inside.

    `value` is a tensor of the next outer level. If `batched`, its first dimension is the batch dimension; if not, every
    example equals `value`. `level` is the vmap that the batch belongs to.
    """

    __slots__ = ("value", "batched", "level", "shape", "dtype", "given")

    def __init__(self, value: Tensor, batched: bool, level: Any) -> None:
        array = value._array
        self.value = value
        self.batched = batched
        self.level = level
        self.shape = array.shape[1:] if batched else array.shape
        self.dtype = array.dtype
        self.given: tuple[Tensor, int] | None = None
        """For an argument of the mapped function: the original tensor, and the dimension it is mapped over."""

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        total = 1
        for each in self.shape:
            total *= each
        return total

    @property
    def itemsize(self) -> int:
        return int(self.dtype.itemsize)

    @property
    def nbytes(self) -> int:
        return self.size * self.itemsize

    @property
    def strides(self) -> tuple[int, ...]:
        strides: tuple[int, ...] = self.value._array.strides
        return strides[1:] if self.batched else strides

    @property
    def base(self) -> Tensor:
        """The tensor inside. For NumPy, an array without a base owns its memory; a batch never does."""
        return self.value

    @property
    def flags(self) -> Batch:
        """Return the batch itself, so that ``array.flags.c_contiguous`` works as with NumPy."""
        return self

    @property
    def c_contiguous(self) -> bool:
        step = self.itemsize
        for size, stride in zip(reversed(self.shape), reversed(self.strides), strict=True):
            if size != 1 and stride != step:
                return False
            step *= size
        return True

    def detach(self) -> Batch:
        """Return the same examples, detached from every graph, those of the outer levels included."""
        return Batch(self.value.detach(), self.batched, self.level)

    def alike(self) -> Any:
        """Return the array that all examples equal, or None if they differ: then no single example can be read."""
        if self.batched:
            return None
        inner = self.value._array
        return inner.alike() if isinstance(inner, Batch) else inner

    # A question about all examples has one answer: is any index out of range, are all values equal?

    def everything(self) -> Any:
        """Return the array of all examples, of every vmap level."""
        inner = self.value._array
        return inner.everything() if isinstance(inner, Batch) else inner

    def all(self) -> bool:
        """Return whether every element of every example is true."""
        return bool(self.everything().all())

    def any(self) -> bool:
        """Return whether any element of any example is true."""
        return bool(self.everything().any())

    def min(self) -> Any:
        """The smallest element of all examples."""
        return self.everything().min()

    def max(self) -> Any:
        """The largest element of all examples."""
        return self.everything().max()

    def _asked(self, found: Any) -> Any:
        """Return a comparison's result: the array `found` if all examples are equal, else only its `any` and `all`."""
        return Answers(found) if self.alike() is None else found

    def __eq__(self, other: Any) -> Any:
        return self._asked(self.everything() == plain(other))

    def __ne__(self, other: Any) -> Any:
        return self._asked(self.everything() != plain(other))

    def __lt__(self, other: Any) -> Any:
        return self._asked(self.everything() < plain(other))

    def __le__(self, other: Any) -> Any:
        return self._asked(self.everything() <= plain(other))

    def __gt__(self, other: Any) -> Any:
        return self._asked(self.everything() > plain(other))

    def __ge__(self, other: Any) -> Any:
        return self._asked(self.everything() >= plain(other))

    __hash__ = object.__hash__

    def example(self) -> Any:
        """Return the array of the first example, for code that needs some example; zeros if there is none."""
        inner = self.value._array
        array = inner.example() if isinstance(inner, Batch) else inner
        if not self.batched:
            return array
        return array[0, ...] if len(array) else self.value._backend.zeros(self.shape, self.dtype)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        """Support NumPy's ``zeros_like`` and similar functions, which only need a shape."""
        name = function.__name__
        if self.alike() is not None:
            return function(*[plain(each) for each in args], **{key: plain(each) for key, each in kwargs.items()})
        if not name.endswith("_like"):
            raise unreadable(name)
        make = getattr(self.value._backend, name.removesuffix("_like"))
        return make(self.shape, *args[1:], dtype=kwargs.get("dtype") or self.dtype)

    def __array_ufunc__(self, function: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if self.alike() is not None:
            return getattr(function, method)(*[plain(each) for each in inputs], **kwargs)
        if function.__name__ in ("isnan", "isinf", "isfinite"):  # is there a nan in any example?
            return Answers(function(self.everything()))
        raise unreadable(function.__name__)

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        array = self.alike()
        if array is None:
            raise unreadable("a conversion to an array")
        return array.__array__(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        array = self.alike()
        if array is None:
            raise unreadable(name)
        return getattr(array, name)


def plain(value: Any) -> Any:
    """Return the array that all examples of a batch equal. Map lists and tuples; return any other value as it is."""
    if isinstance(value, Batch):
        array = value.alike()
        if array is None:
            raise unreadable("arithmetic")
        return array
    return type(value)(map(plain, value)) if type(value) in (list, tuple) else value


def _arithmetic(name: str) -> Any:
    """Return the operator `name`, which works only if all examples are equal."""

    def method(self: Batch, *others: Any) -> Any:
        array = self.alike()
        if array is None:
            raise unreadable("arithmetic")
        return getattr(array, name)(*map(plain, others))

    method.__name__ = method.__qualname__ = name
    return method


for _name in ["add", "sub", "mul", "truediv", "matmul", "pow", "mod", "floordiv", "and", "or", "xor"]:
    setattr(Batch, f"__{_name}__", _arithmetic(f"__{_name}__"))
    setattr(Batch, f"__r{_name}__", _arithmetic(f"__r{_name}__"))
for _name in ("__neg__", "__invert__", "__getitem__", "__int__", "__float__"):
    setattr(Batch, _name, _arithmetic(_name))


class Answers:
    """The result of a comparison with a batch: only whether it holds for any, or for all, elements may be asked."""

    __slots__ = ("found",)

    def __init__(self, found: Any) -> None:
        self.found = found

    def all(self) -> bool:
        """Return whether the comparison holds for all elements."""
        return bool(self.found.all())

    def any(self) -> bool:
        """Return whether the comparison holds for any element."""
        return bool(self.found.any())

    def __bool__(self) -> bool:
        raise unreadable("bool")

    def __and__(self, other: Answers) -> Answers:
        return Answers(self.found & other.found)

    def __or__(self, other: Answers) -> Answers:
        return Answers(self.found | other.found)


_WHY = {
    "item": (
        "It looks like you're calling .item() on a Tensor. We don't support vmap over calling .item() on a Tensor, "
        "please try to rewrite what you're doing with other operations."
    ),
    "bool": (
        "It looks like you're attempting to use a Tensor in some data-dependent control flow (if, while, and, or). "
        "There are many examples at once, and they may not agree: use where(condition, a, b), which takes from both."
    ),
    "nonzero": (
        "We do not support batching operators that can output dynamic shape (nonzero, indexing with a boolean mask): "
        "every example would have another shape. Use where() or masked_fill() to keep the shape."
    ),
}
_WHY["argwhere"] = _WHY["nonzero"]


def unreadable(what: str) -> GradError:
    """Return the error for reading the numbers of one example of a batch."""
    why = _WHY.get(what) or (
        f"{what} needs the numbers of one example, and there are many at once. Either your tensor may have escaped "
        "from inside a function being vmapped and this is a user error: return it from there instead. Or something "
        "inside that function reads numbers, which is to be rewritten with operations on tensors."
    )
    return GradError("vmap: " + why)
