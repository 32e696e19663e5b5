"""Copies with elements in other positions: repeated, flipped, rolled, or one triangle kept."""

from __future__ import annotations

from operator import index
from typing import Any

from ...core.inplace import inplace
from ...core.tensor import Tensor, wrap
from ...errors import ArgumentTypeError, DimensionError, DtypeError, ShapeError
from ..common.arguments import accepts_out
from ..common.bases import Linear
from ..common.dims import one_int, sizes_of, wrap_dim, wrap_dims
from ..common.samples import sample
from ..conversion.copy import Contiguous

__all__ = ["flip", "fliplr", "flipud", "repeat_interleave", "roll", "rot90", "tile", "tril", "triu"]


class Repeat(Linear):
    r"""The whole tensor, repeated along each dimension."""

    formula = r"[\,x \mid x \mid \dots]"
    kinds = "bifc"
    samples = (sample((2, 3), repeats=(2, 2)), sample((3,), repeats=(2, 3)), sample((2, 2), repeats=(1, 0)))
    repeats: Any

    remembers = ("before", "own")

    def forward(self, xp, x):
        self.before = (1,) * (len(self.repeats) - x.ndim) + x.shape
        self.own = x.shape
        return xp.tile(x, self.repeats)

    def grad_x(self, grad):
        r"""\textstyle\sum_r \bar y_r"""
        apart = [size for both in zip(self.repeats, self.before, strict=True) for size in both]
        if 0 in self.repeats:
            return grad.new_zeros(self.own)
        return grad.reshape(apart).sum(tuple(range(0, len(apart), 2))).reshape(self.own)


class Flip(Linear):
    r"""The elements in reverse order along some dimensions."""

    memory_order = "first"
    formula = r"y_i = x_{n - i}"
    kinds = "bifc"
    samples = (sample((2, 3), dims=(1,)), sample((2, 3), dims=(0, 1)))
    dims: Any

    def forward(self, xp, x):
        return xp.flip(x, self.dims).copy() if x.ndim else xp.copy(x)

    def grad_x(self, grad):
        r"""\bar y_{n - i}"""
        return Flip(self.dims)(grad)


class Roll(Linear):
    r"""The elements shifted; those that leave at one end return at the other."""

    memory_order = "rows"
    formula = r"y_i = x_{(i - s) \bmod n}"
    kinds = "bifc"
    samples = (sample((2, 5), shifts=(2,), dims=(1,)), sample((2, 3), shifts=(1, -1), dims=(0, 1)))
    shifts: Any
    dims: Any

    def forward(self, xp, x):
        return xp.roll(x, self.shifts, self.dims)

    def grad_x(self, grad):
        r"""\bar y_{(i + s) \bmod n}"""
        return Roll(tuple([-shift for shift in self.shifts]), self.dims)(grad)


class Tril(Linear):
    r"""The lower triangle of matrices: zeros above a diagonal."""

    memory_order = "rows"
    formula = r"y_{ij} = x_{ij} \text{ where } j \le i + k, \text{ else } 0"
    kinds = "bifc"
    samples = (sample((3, 3), diagonal=0), sample((2, 3, 4), diagonal=1))
    diagonal: int

    def forward(self, xp, x):
        return xp.tril(x, self.diagonal)

    def grad_x(self, grad):
        r"""\bar y_{ij} \text{ where } j \le i + k, \text{ else } 0"""
        return Tril(self.diagonal)(grad)


class Triu(Linear):
    r"""The upper triangle of matrices: zeros below a diagonal."""

    memory_order = "rows"
    formula = r"y_{ij} = x_{ij} \text{ where } j \ge i + k, \text{ else } 0"
    kinds = "bifc"
    samples = (sample((3, 3), diagonal=0), sample((2, 3, 4), diagonal=-1))
    diagonal: int

    def forward(self, xp, x):
        return xp.triu(x, self.diagonal)

    def grad_x(self, grad):
        r"""\bar y_{ij} \text{ where } j \ge i + k, \text{ else } 0"""
        return Triu(self.diagonal)(grad)


def repeat(input: Tensor, *repeats: Any) -> Tensor:
    """`input` repeated this many times along each dimension; additional numbers add leading dimensions.

    >>> import minigrad as mg
    >>> mg.tensor([1, 2]).repeat(2, 2).tolist()
    [[1, 2, 1, 2], [1, 2, 1, 2]]
    """
    counts = sizes_of(repeats)
    if not repeats:
        raise ArgumentTypeError('repeat() missing 1 required positional arguments: "repeats"')
    if len(counts) < input._array.ndim:
        raise ShapeError(
            "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor: "
            f"{list(counts)} for a tensor of shape {list(input.shape)}"
        )
    if any(count < 0 for count in counts):
        raise ShapeError(f"Trying to create tensor with negative dimension: repeats are {list(counts)}")
    return Repeat(counts)(input)


def tile(input: Tensor, *dims: Any) -> Tensor:
    """`repeat`, with leading ones added if there are fewer numbers than dimensions."""
    counts = sizes_of(dims)
    return repeat(input, (1,) * (input._array.ndim - len(counts)) + counts)


def repeat_interleave(
    input: Any, repeats: Any = None, dim: int | None = None, *, output_size: int | None = None
) -> Tensor:
    """Each slice along `dim` (each element if that is None), repeated several times in a row.

    For a single vector of counts, return the indices 0, 1, ..., each as often as its count.
    """
    if repeats is None:
        xp, repeats = input._backend, input
        input = wrap(xp.arange(input._array.size, dtype="int64"), xp)
    if dim is None:
        input, dim = input.reshape(-1), 0
    dim = wrap_dim(dim, input._array.ndim)
    shape = input._array.shape
    if isinstance(repeats, Tensor) and repeats.dtype.is_floating_point:
        raise DtypeError(f"repeat_interleave: repeats must be integers, got {repeats.dtype}: convert with .long()")
    if isinstance(repeats, Tensor) and repeats.numel() == 1:
        repeats = int(repeats.item())
    if not isinstance(repeats, int):
        return _unevenly(input, repeats, dim)
    if repeats < 0:
        raise ShapeError(f"Repeats must be non-negative, got {repeats}")
    wide = input.unsqueeze(dim + 1).expand(*shape[: dim + 1], repeats, *shape[dim + 1 :])
    repeated = wide.reshape(*shape[:dim], shape[dim] * repeats, *shape[dim + 1 :])
    return Contiguous(None)(repeated) if repeated._storage is input._storage else repeated


def _unevenly(input: Any, repeats: Any, dim: int) -> Any:
    counts = repeats._array if isinstance(repeats, Tensor) else input._backend.asarray(repeats)
    size = input._array.shape[dim]
    if counts.shape != (size,):
        raise ShapeError(
            "repeats must have the same size as input along dim, but got repeats.size(0) = "
            f"{counts.size} and input.size({dim}) = {size}"
        )
    if (counts < 0).any():
        raise ShapeError("repeats can not be negative")
    xp = input._backend
    return input.index_select(dim, wrap(xp.repeat(xp.arange(size), counts), xp))


def flip(input: Tensor, *args: Any, dims: Any = None) -> Tensor:
    """A copy with the order along `dims` (several arguments, or a tuple) reversed."""
    if not args and dims is None:
        raise ArgumentTypeError('flip() missing 1 required positional arguments: "dims"')
    wanted = sizes_of(args) if dims is None else sizes_of((dims,))
    return Flip(wrap_dims(wanted, input._array.ndim))(input)


def reverse(input: Tensor) -> Tensor:
    """The slices along the first dimension in reverse order, for ``reversed(input)``."""
    return flip(input, 0) if input._array.ndim else input


def fliplr(input: Tensor) -> Tensor:
    """`input` with the second dimension reversed."""
    if input._array.ndim < 2:
        raise ShapeError("Input must be >= 2-d.")
    return flip(input, 1)


def flipud(input: Tensor) -> Tensor:
    """`input` with the first dimension reversed."""
    if input._array.ndim < 1:
        raise ShapeError("Input must be >= 1-d.")
    return flip(input, 0)


def roll(input: Any, shifts: Any, dims: Any = None) -> Tensor:
    """A copy with the elements shifted by `shifts` along `dims`, circularly; without `dims`, the flattened elements."""
    moves = tuple(map(index, shifts if isinstance(shifts, (tuple, list)) else (shifts,)))
    along = tuple(dims) if isinstance(dims, (tuple, list)) else () if dims is None else (dims,)
    if not along:
        if len(moves) != 1:
            raise ShapeError(f"shifts and dimensions must align. shifts: {len(moves)}, dims: 0")
        return Roll(moves, (0,))(input.reshape(-1)).reshape(input._array.shape)
    if not input._array.ndim:
        raise DimensionError(f"roll(): Dimension specified as {dims} but tensor has no dimensions")
    where = tuple([wrap_dim(dim, input._array.ndim) for dim in along])
    if len(moves) != len(where):
        raise ShapeError(f"shifts and dimensions must align. shifts: {len(moves)}, dims: {len(where)}")
    return Roll(moves, where)(input)


def rot90(input: Any, k: int = 1, dims: Any = (0, 1)) -> Tensor:
    """A copy rotated by `k` times 90 degrees in the plane of two dimensions, from the first towards the second."""
    if len(dims) != 2 or input._array.ndim < 2:
        raise ShapeError(
            f"rot90(): expected total rotation dims == 2 of a tensor with at least 2 dims, but got dims = "
            f"{tuple(dims)} and a tensor of shape {list(input.shape)}"
        )
    first, second = wrap_dims(tuple(dims), input._array.ndim)
    quarters = one_int("k", k) % 4
    if quarters % 2 == 0:
        return flip(input, (first, second)) if quarters else input.clone()
    return flip(input, second if quarters == 1 else first).transpose(first, second)


def _triangle(op: Any, name: str, input: Tensor, in_place: bool) -> Tensor:
    if input._array.ndim < 2:
        raise ShapeError(f"{name}: input tensor must have at least 2 dimensions, it has {input._array.ndim}")
    return inplace(op, input) if in_place else op(input)


@accepts_out
def tril(input: Tensor, diagonal: int = 0) -> Tensor:
    """The lower triangle of matrices, up to and including `diagonal`, with zeros elsewhere."""
    return _triangle(Tril(one_int("diagonal", diagonal)), "tril", input, False)


@accepts_out
def triu(input: Tensor, diagonal: int = 0) -> Tensor:
    """The upper triangle of matrices, from `diagonal` on, with zeros elsewhere."""
    return _triangle(Triu(one_int("diagonal", diagonal)), "triu", input, False)


def tril_(input: Tensor, diagonal: int = 0) -> Tensor:
    """`tril` in place."""
    return _triangle(Tril(one_int("diagonal", diagonal)), "tril_", input, True)


def triu_(input: Tensor, diagonal: int = 0) -> Tensor:
    """`triu` in place."""
    return _triangle(Triu(one_int("diagonal", diagonal)), "triu_", input, True)


METHODS = {
    "__reversed__": reverse,
    "flip": flip,
    "fliplr": fliplr,
    "flipud": flipud,
    "repeat": repeat,
    "repeat_interleave": repeat_interleave,
    "roll": roll,
    "rot90": rot90,
    "tile": tile,
    "tril": tril,
    "triu": triu,
}
INPLACE = {"tril_": tril_, "triu_": triu_}
