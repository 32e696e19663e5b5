"""Views with reordered dimensions. Each gradient is the inverse view."""

from __future__ import annotations

from typing import Any

from ...core.tensor import Tensor
from ...errors import ShapeError
from ..common.bases import Linear, conj
from ..common.dims import sizes_of, wrap_dim, wrap_dims
from ..common.samples import sample


class Transpose(Linear):
    r"""Two dimensions exchanged."""

    formula = r"x^{\top}"
    is_view = "view"
    samples = (sample((2, 3), dim0=0, dim1=1), sample((2, 3, 4), dim0=0, dim1=2))
    dim0: int
    dim1: int

    def forward(self, xp, x):
        return x.swapaxes(self.dim0, self.dim1)

    def grad_x(self, grad):
        r"""\bar y^{\top}"""
        return Transpose(self.dim0, self.dim1)(grad)


class MatrixTranspose(Linear):
    r"""The last two dimensions exchanged."""

    formula = r"X^{\top}"
    grad_name = "TransposeBackward0"
    is_view = "view"
    samples = (sample((2, 3)), sample((2, 3, 4)))

    def forward(self, xp, x):
        return x.swapaxes(-1, -2)

    def grad_x(self, grad):
        r"""\bar Y^{\top}"""
        return grad.mT


class Permute(Linear):
    r"""The dimensions in a given order."""

    formula = r"\operatorname{permute}(x)"
    is_view = "view"
    samples = (sample((2, 3, 4), dims=(2, 0, 1)), sample((2, 0, 4), dims=(1, 2, 0)))
    dims: Any

    def forward(self, xp, x):
        return x.transpose(self.dims)

    def grad_x(self, grad):
        r"""\operatorname{permute}^{-1}(\bar y)"""
        back = [0] * len(self.dims)
        for place, dim in enumerate(self.dims):
            back[dim] = place
        return Permute(tuple(back))(grad)


def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """A view with two dimensions exchanged.

    >>> import minigrad as mg
    >>> mg.zeros(2, 3, 4).transpose(0, 2).shape
    minigrad.Size([4, 3, 2])
    """
    ndim = input._array.ndim
    dim0, dim1 = wrap_dim(dim0, ndim), wrap_dim(dim1, ndim)
    return Permute(())(input) if ndim == 0 else Transpose(dim0, dim1)(input)


swapaxes = swapdims = transpose


def t(input: Tensor) -> Tensor:
    """The transpose of a matrix; vectors and scalars are unchanged. ShapeError for more than two dimensions."""
    ndim = input._array.ndim
    if ndim > 2:
        raise ShapeError(f"t() expects a tensor with <= 2 dimensions, but self is {ndim}D. Use .mT or permute.")
    if ndim < 2:
        return T(input)
    op = Transpose(0, 1)
    op.grad_name = "TBackward0"  # type: ignore[misc]
    return op(input)


def T(input: Tensor) -> Tensor:
    """A view with all dimensions in reverse order."""
    return Permute(tuple(range(input._array.ndim))[::-1])(input)


def matrix_transpose(input: Tensor) -> Tensor:
    """A view with the last two dimensions exchanged: ``x.mT``."""
    if input._array.ndim < 2:
        raise ShapeError(
            f"tensor.mT is only supported on matrices or batches of matrices. Got {input._array.ndim}D tensor."
        )
    return MatrixTranspose()(input)


def adjoint(input: Tensor) -> Tensor:
    """The conjugate transpose of matrices, ``x.mH``; for real ones the transpose."""
    return matrix_transpose(conj(input))


def H(input: Tensor) -> Tensor:
    """The conjugate transpose of one matrix; a tensor without dimensions is returned as it is."""
    if input._array.ndim not in (0, 2):
        raise ShapeError(
            f"tensor.H is only supported on matrices (2-D tensors). Got {input._array.ndim}-D tensor."
            + (" For batches of matrices, consider using tensor.mH" if input._array.ndim > 2 else "")
        )
    return adjoint(input) if input._array.ndim else conj(input)


def permute(input: Tensor, *dims: Any) -> Tensor:
    """A view with the dimensions in the order `dims`."""
    wanted = sizes_of(dims)
    ndim = input._array.ndim
    if len(wanted) != ndim:
        raise ShapeError(
            f"permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired "
            f"ordering of dimensions i.e. input.dim() = {ndim} is not equal to len(dims) = {len(wanted)}"
        )
    return Permute(wrap_dims(wanted, ndim))(input)


def movedim(input: Tensor, source: Any, destination: Any) -> Tensor:
    """A view with the dimensions `source` moved to the positions `destination`; the others keep their order."""
    ndim = input._array.ndim
    taken, positions = wrap_dims(source, ndim), wrap_dims(destination, ndim)
    if len(taken) != len(positions):
        raise ShapeError(
            f"movedim: Invalid source or destination dims: source ({source} dims) should contain the same number of "
            f"dims "
            f"as destination ({destination} dims)"
        )
    rest = iter([dim for dim in range(ndim) if dim not in taken])
    arriving = dict(zip(positions, taken, strict=True))
    return permute(input, [arriving[place] if place in arriving else next(rest) for place in range(ndim)])


moveaxis = movedim


METHODS = {
    "transpose": transpose,
    "swapaxes": swapaxes,
    "swapdims": swapdims,
    "t": t,
    "permute": permute,
    "movedim": movedim,
    "moveaxis": moveaxis,
    "adjoint": adjoint,
}
PROPERTIES = {
    "T": property(T),
    "mT": property(matrix_transpose),
    "mH": property(adjoint),
    "H": property(H),
}
__all__ = ["transpose", "swapaxes", "swapdims", "t", "permute", "movedim", "moveaxis", "adjoint"]
