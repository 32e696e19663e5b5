"""Matrix products: of two vectors, a matrix and a vector, two matrices, batches of matrices; and the linear layer.

There is one class for each combination of dimensions, so that ``grad_fn`` shows which one ran. All gradients are matrix
products again: for Y = A B, the gradient of A is a product with B, and that of B one with A. For complex numbers the
other factor is conjugated: ``.mH`` is the transpose for real matrices and the conjugate transpose for complex ones.
"""

from __future__ import annotations

import inspect
import math
from typing import Any

from ...core.dispatch import binary
from ...core.interpreter import converting
from ...core.op import Op
from ...core.tensor import Tensor
from ...errors import ArgumentTypeError, DtypeError, ShapeError
from ..common.arguments import accepts_out
from ..common.bases import Multilinear, conj
from ..common.samples import sample
from ..reduce.sums import Sum


def product(xp: Any, a: Any, b: Any) -> Any:
    """Return ``a @ b`` for arrays; half precision is computed in float32."""
    if a.dtype.kind in "iu":
        return product_of_integers(xp, a, b)
    if a.dtype.itemsize < 4 and a.dtype.kind != "b":
        return (a.astype("float32") @ b.astype("float32")).astype(a.dtype)
    if a.ndim > 2 and b.ndim > 2 and a.shape[-1] == 1:
        return a * b  # of a column and a row, where NumPy has a slow loop
    return a @ b


MANY_TERMS = 1 << 14
"""Integer products with at least this many terms are checked for their range, to use float64 if that is exact."""


def product_of_integers(xp: Any, a: Any, b: Any) -> Any:
    """Return ``a @ b`` for integers, computed in float64 if that is exact: NumPy's integer product is slow."""
    if a.size * b.shape[-1] >= MANY_TERMS and b.size:
        largest = [max(-int(xp.amin(each)), int(xp.amax(each))) for each in (a, b)]
        if a.shape[-1] * largest[0] * largest[1] < 1 << 53:
            return (a.astype("float64") @ b.astype("float64")).astype("int64").astype(a.dtype, copy=False)
    return a @ b


class Dot(Multilinear):
    r"""The dot product of two vectors."""

    formula = r"a^{\top} b"
    samples = (sample((4,), (4,)), sample((0,), (0,)))

    def forward(self, xp, a, b):
        return product(xp, a, b)

    def grad_a(self, grad, b):
        r"""\bar y\, b"""
        return grad * conj(b)

    def grad_b(self, grad, a):
        r"""\bar y\, a"""
        return grad * conj(a)


class Mv(Multilinear):
    r"""A matrix times a vector."""

    formula = r"A b"
    samples = (sample((3, 4), (4,)), sample((0, 4), (4,)))

    def forward(self, xp, a, b):
        return product(xp, a, b)

    def grad_a(self, grad, b):
        r"""\bar y\, b^{\top}"""
        return grad.unsqueeze(-1) * conj(b)

    def grad_b(self, grad, a):
        r"""A^{\top} \bar y"""
        return a.mH @ grad


class Mm(Multilinear):
    r"""The product of two matrices."""

    formula = r"A B"
    samples = (sample((2, 3), (3, 4)), sample((0, 3), (3, 4)), sample((2, 0), (0, 4)))

    def forward(self, xp, a, b):
        return product(xp, a, b)

    def grad_a(self, grad, b):
        r"""\bar Y B^{\top}"""
        return grad @ b.mH

    def grad_b(self, grad, a):
        r"""A^{\top} \bar Y"""
        return a.mH @ grad


class MatMul(Multilinear):
    r"""Matrix products, one for each index of the leading (batch) dimensions, which broadcast."""

    formula = r"A B"
    grad_name = "BmmBackward0"
    broadcasts = True
    samples = (
        sample((5, 2, 3), (5, 3, 4)),
        sample((2, 3), (5, 3, 4)),
        sample((5, 2, 3), (3, 4)),
        sample((4, 1, 2, 3), (5, 3, 2)),
        sample((0, 2, 3), (3, 4)),
    )

    def forward(self, xp, a, b):
        if b.ndim == 2 and a.flags.c_contiguous:  # one large product instead of many small ones
            rows = a.reshape(math.prod(a.shape[:-1]), a.shape[-1])
            return product(xp, rows, b).reshape(*a.shape[:-1], b.shape[1])
        return product(xp, a, b)

    def grad_a(self, grad, b):
        r"""\bar Y B^{\top}"""
        return grad @ b.mH

    def grad_b(self, grad, a, b):
        r"""A^{\top} \bar Y"""
        if b.ndim == 2 and a.ndim > 2 and a.numel() and grad.numel():  # the product sums over the batch
            return a.reshape(-1, a.shape[-1]).mH @ grad.reshape(-1, grad.shape[-1])
        return a.mH @ grad


class Affine(Op):
    r"""The linear layer: every row of `input` times the transposed weight, plus the bias.

    Its gradient with respect to the weight is computed as :math:`\bar Y^{\top} X`, which has the weight's memory
    layout, so that an optimiser accesses both in memory order.
    """

    formula = r"X W^{\top} + b"
    grad_name = "AddmmBackward0"
    samples = (
        sample((4, 3), (2, 3), (2,)),
        sample((2, 4, 3), (2, 3), (2,)),
        sample((3,), (2, 3), (2,)),
        sample((4, 3), (2, 3), None),
        sample((0, 3), (2, 3), (2,)),
    )
    kinds = "ifc"

    def forward(self, xp, input, weight, bias):
        rows = input.reshape(-1, input.shape[-1]) if input.ndim > 2 and input.size else input
        out = product(xp, rows, weight.T)
        if bias is not None:
            out = xp.add(out, bias, out=out)
        return out.reshape(*input.shape[:-1], weight.shape[0])

    def grad_input(self, grad, weight):
        r"""\bar Y W"""
        return grad @ conj(weight)

    def grad_weight(self, grad, input):
        r"""\bar Y^{\top} X"""
        return _rows(grad).mT @ conj(_rows(input))

    def grad_bias(self, grad):
        r"""\bar Y^{\top} \mathbf 1"""
        return Sum((0,), False)(_rows(grad))

    def jvp(self, tangents, inputs, outputs):
        """The product rule for input and weight; the bias only adds its own tangent."""
        pushed = []
        for index, place in enumerate(tangents[:2]):
            if place is not None:
                pushed.append(Affine()(*inputs[:index], place, *inputs[index + 1 : 2], None))
        if tangents[2] is not None:
            pushed.append(tangents[2].expand(outputs[0].shape))
        return sum(pushed[1:], pushed[0])

    def name(self):
        return self.grad_name if self.edges[2] is not None else "MmBackward0"


def _rows(x: Any) -> Any:
    """Return `x` as a matrix: all leading dimensions joined into one."""
    return x if x._array.ndim == 2 else x.reshape(math.prod(x._array.shape[:-1]), x._array.shape[-1])


dot_ = binary(Dot)
mv_ = binary(Mv)
mm_ = binary(Mm)
batched_ = binary(MatMul)


@accepts_out
def matmul(input: Any, other: Any) -> Tensor:
    """The matrix product ``input @ other``.

    Two vectors give their dot product (a scalar), two matrices their product; with more dimensions the last two are
    matrices and the others broadcast. ShapeError if the inner sizes differ.

    >>> import minigrad as mg
    >>> mg.matmul(mg.ones(2, 3), mg.ones(3)).tolist()
    [3.0, 3.0]
    """
    if not isinstance(input, Tensor) or not isinstance(other, Tensor):
        kind = type(other if isinstance(input, Tensor) else input).__name__
        raise ArgumentTypeError(f"matmul(): both operands must be tensors, found {kind}")
    a, b = input._array, other._array
    m, n = a.ndim, b.ndim
    if m == 0 or n == 0:
        raise ShapeError(f"both arguments to matmul need to be at least 1D, but they are {m}D and {n}D")
    if a.shape[-1] != b.shape[-2 if n > 1 else 0] or (a.dtype != b.dtype and not converting()):
        raise _unfit(input, other)
    if m == 2 and n == 2:
        return mm_(input, other)
    if n == 1:
        return dot_(input, other) if m == 1 else mv_(input, other) if m == 2 else _folded(input, other)
    if m == 1:
        return mv_(other.mT, input) if n == 2 else batched_(input.unsqueeze(0), other).squeeze(-2)
    _check_batches(a.shape, b.shape)
    return batched_(input, other)


def _folded(input: Any, vector: Any) -> Any:
    """Multiply a batch of matrices and one vector in a single product with all rows."""
    return batched_(input, vector.unsqueeze(-1)).squeeze(-1)


def _check_batches(a: tuple[int, ...], b: tuple[int, ...]) -> None:
    for left, right in zip(a[-3::-1], b[-3::-1], strict=False):
        if left != right and left != 1 and right != 1:
            raise ShapeError(
                f"The size of tensor a ({left}) must match the size of tensor b ({right}) in the batch dimensions: "
                f"matmul of {list(a)} and {list(b)}"
            )


def _unfit(input: Any, other: Any, transposed: bool = False) -> Exception:
    a, b = input._array, other._array.T if transposed else other._array
    if a.dtype != b.dtype:
        return DtypeError(
            f"expected m1 and m2 to have the same dtype, but got: {input.dtype} != {other.dtype}. "
            "Convert one of them with .to(dtype)."
        )
    if a.ndim == 1 and b.ndim == 1:
        return ShapeError(
            f"inconsistent tensor size, expected tensor {list(a.shape)} and src {list(b.shape)} to have the same "
            f"number of elements, but got {a.size} and {b.size} elements respectively"
        )
    if b.ndim == 1:
        return ShapeError(
            f"size mismatch, got input ({a.shape[-2]}), mat ({a.shape[-2]}x{a.shape[-1]}), vec ({b.size})"
        )
    if a.ndim > 2 and b.ndim > 2:
        return ShapeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{a.shape[0]}, {a.shape[-1]}] but got: "
            f"[{b.shape[0]}, {b.shape[-2]}] (matmul of {list(a.shape)} and {list(b.shape)})."
        )
    rows = a.size // max(a.shape[-1], 1)
    return ShapeError(
        f"mat1 and mat2 shapes cannot be multiplied ({rows}x{a.shape[-1]} and {b.shape[-2]}x{b.shape[-1]})"
    )


def reversed_matmul(input: Tensor, other: Any) -> Tensor:
    """``other @ input``, where `other` is not a tensor."""
    return matmul(other, input)


def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """``input @ weight.T + bias``: input (*, in), weight (out, in), bias (out) -> (*, out)."""
    a, w = input._array, weight._array
    if w.ndim == 1:
        result = matmul(input, weight)
        return result if bias is None else result + bias
    if not a.ndim or not w.ndim:
        raise ShapeError(f"both arguments to linear need to be at least 1D, but they are {a.ndim}D and {w.ndim}D")
    if a.shape[-1] != w.shape[1] or (a.dtype != w.dtype and not converting()):
        raise _unfit(input, weight, True)
    if bias is not None and bias._array.shape not in ((w.shape[0],), (1,), ()):
        raise ShapeError(f"linear(): bias of shape {list(bias.shape)} does not fit a weight of {list(weight.shape)}")
    return Affine()(input, weight, bias)


def _exactly(name: str, ndim: tuple[int, int], operands: tuple[Any, Any]) -> None:
    """ShapeError unless the operands have exactly these numbers of dimensions."""
    for i, (tensor, wanted) in enumerate(zip(operands, ndim, strict=True)):
        if tensor._array.ndim != wanted:
            raise ShapeError(
                f"{name}(): argument {i} must be {wanted}D: {wanted}D tensors expected, but got "
                f"{operands[0]._array.ndim}D and {operands[1]._array.ndim}D tensors"
            )


@accepts_out
def mm(input: Tensor, mat2: Tensor) -> Tensor:
    """The product of two matrices, without broadcasting: (n, m) @ (m, p) -> (n, p)."""
    _exactly("mm", (2, 2), (input, mat2))
    return matmul(input, mat2)


@accepts_out
def bmm(input: Tensor, mat2: Tensor) -> Tensor:
    """The products of two batches of matrices, without broadcasting: (b, n, m) @ (b, m, p) -> (b, n, p)."""
    _exactly("batch1 and batch2 must be 3D tensors: bmm", (3, 3), (input, mat2))
    if input._array.shape[0] != mat2._array.shape[0]:
        raise _unfit(input, mat2)
    return matmul(input, mat2)


@accepts_out
def mv(input: Tensor, vec: Tensor) -> Tensor:
    """A matrix times a vector: (n, m) @ (m) -> (n)."""
    _exactly("mv", (2, 1), (input, vec))
    return matmul(input, vec)


@accepts_out
def dot(input: Tensor, tensor: Tensor) -> Tensor:
    """The dot product of two vectors of equal length."""
    _exactly("1D tensors expected: dot", (1, 1), (input, tensor))
    return matmul(input, tensor)


METHODS = {"matmul": matmul, "mm": mm, "bmm": bmm, "mv": mv, "dot": dot}
OPERATORS = {"__matmul__": inspect.unwrap(matmul), "__rmatmul__": reversed_matmul}
__all__ = ["matmul", "mm", "bmm", "mv", "dot"]
