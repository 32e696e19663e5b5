"""Sums of products, with dimensions named by letters: ``einsum("ij,jk->ik", A, B)`` is the product of two matrices.

The gradient of an einsum is an einsum: for each factor, of the result's gradient and the other factor, summed to the
letters of the factor. Every einsum is split into products of two operands, each of which is one batched matrix product.
"""

from __future__ import annotations

import math
import string
from collections.abc import Sequence
from typing import Any

from ... import dtypes
from ...core.interpreter import converting
from ...core.tensor import Tensor
from ...errors import ArgumentError, DtypeError, ShapeError
from ..common.arguments import accepts_out
from ..common.bases import Multilinear, conj
from ..common.samples import sample
from .matmul import product

__all__ = ["einsum", "tensordot"]


class Contract(Multilinear):
    r"""The product of two operands with dimensions `left` and `right`, summed over letters that are not in `out`."""

    formula = r"y_{\dots} = \textstyle\sum a_{\dots}\, b_{\dots}"
    grad_name = "EinsumBackward0"
    samples = (
        sample((2, 3), (3, 4), left="ij", right="jk", out="ik"),
        sample((5, 2, 3), (5, 3, 4), left="bij", right="bjk", out="bki"),
        sample((2, 3), (2, 3), left="ij", right="ij", out=""),
        sample((2,), (3,), left="i", right="j", out="ji"),
    )
    left: str
    right: str
    out: str

    def forward(self, xp, a, b):
        return contracted(xp, a, b, self.left, self.right, self.out)

    def grad_a(self, grad, b):
        r"""\bar a_{\dots} = \textstyle\sum \bar y_{\dots}\, b_{\dots}"""
        return Contract(self.out, self.right, self.left)(grad, conj(b))

    def grad_b(self, grad, a):
        r"""\bar b_{\dots} = \textstyle\sum \bar y_{\dots}\, a_{\dots}"""
        return Contract(self.out, self.left, self.right)(grad, conj(a))


def contracted(xp: Any, a: Any, b: Any, left: str, right: str, out: str) -> Any:
    """Contract two arrays by one batched matrix product. Every letter is in at least two of the three words."""
    batch = [c for c in left if c in right and c in out]
    inner = [c for c in left if c in right and c not in out]
    rows, columns = [c for c in left if c not in right], [c for c in right if c not in left]
    size = dict(zip(left, a.shape, strict=True)) | dict(zip(right, b.shape, strict=True))
    a = a.transpose([left.index(c) for c in (*batch, *rows, *inner)])
    b = b.transpose([right.index(c) for c in (*batch, *inner, *columns)])
    count = [math.prod(size[c] for c in group) for group in (batch, rows, inner, columns)]
    made = product(xp, a.reshape(count[0], count[1], count[2]), b.reshape(count[0], count[2], count[3]))
    order = [*batch, *rows, *columns]
    return made.reshape([size[c] for c in order]).transpose([order.index(c) for c in out])


def einsum(equation: Any, *operands: Any) -> Tensor:
    """Products of tensors, summed over the letters that do not appear after ``->``.

    Each letter names a dimension; dimensions with the same letter are multiplied elementwise. Without an arrow, letters
    that appear once are kept, in alphabetical order. ``...`` stands for any number of dimensions, which broadcast.

    >>> import minigrad as mg
    >>> mg.einsum("ij,j->i", mg.ones(2, 3), mg.arange(3.0)).tolist()
    [3.0, 3.0]
    """
    if not isinstance(equation, str):
        equation, operands = _from_sublists((equation, *operands))
    if len(operands) == 1 and isinstance(operands[0], (tuple, list)):
        operands = tuple(operands[0])
    words, out = _parse(equation, operands)
    words = list(words)
    given = list(operands)
    for i, (word, operand) in enumerate(zip(words, given, strict=True)):
        words[i], given[i] = _without_repeats(word, operand)
    _check_sizes(equation, words, given)
    while len(given) > 1:
        words[:2], given[:2] = _pair(words[0], words[1], "".join(words[2:]) + out, given[0], given[1])
    return _arranged(words[0], out, given[0])


def _parse(equation: str, operands: Sequence[Any]) -> tuple[list[str], str]:
    """Return the letters of each operand and of the result; dimensions of an ellipsis get capital letters."""
    inputs, arrow, out = equation.replace(" ", "").partition("->")
    words = inputs.split(",")
    if len(words) != len(operands):
        more = "more" if len(operands) > len(words) else "fewer"
        raise ShapeError(
            f"einsum(): {more} operands were provided than specified in the equation: {len(operands)} for {equation!r}"
        )
    spare = [c for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" if c not in equation]
    extras = [x._array.ndim - len(w.replace("...", "")) for w, x in zip(words, operands, strict=True) if "..." in w]
    hidden = "".join(spare[: max(extras, default=0)])
    for i, (word, operand) in enumerate(zip(words, operands, strict=True)):
        extra = operand._array.ndim - len(word.replace("...", ""))
        if extra < 0 or (extra and "..." not in word):
            raise ShapeError(
                f"einsum(): the number of subscripts in the equation ({len(word)}) does not match the number of "
                f"dimensions "
                f"({operand._array.ndim}) for operand {i} and no ellipsis was given"
            )
        words[i] = word.replace("...", hidden[len(hidden) - extra :])
    used = "".join(words)
    if not arrow:
        out = hidden + "".join(sorted(c for c in set(used) if used.count(c) == 1 and c not in hidden))
    out = out.replace("...", hidden)
    for c in out:
        if not c.isalpha():
            raise ShapeError(f"einsum(): invalid subscript given at the output: {c}, subscripts must be in [a-zA-Z]")
        if c not in used:
            raise ShapeError(f"einsum(): output subscript {c} does not appear in the equation for any input operand")
        if out.count(c) > 1:
            raise ShapeError(f"einsum(): output subscript {c} appears more than once in the output")
    return words, out


def _from_sublists(arguments: tuple[Any, ...]) -> tuple[str, tuple[Any, ...]]:
    """Convert the other form of arguments: ``einsum(A, [0, 1], B, [1, 2], [0, 2])``."""

    letters = string.ascii_uppercase + string.ascii_lowercase

    def word(numbers: Any) -> str:
        if any(n is not Ellipsis and not 0 <= n < len(letters) for n in numbers):
            raise ArgumentError("einsum(): subscript in subscript list is not within the valid range [0, 52)")
        return "".join("..." if n is Ellipsis else letters[n] for n in numbers)

    operands = arguments[: len(arguments) // 2 * 2 : 2]
    words = [word(numbers) for numbers in arguments[1 : len(operands) * 2 : 2]]
    out = "->" + word(arguments[-1]) if len(arguments) % 2 else ""
    return ",".join(words) + out, operands


def _check_sizes(equation: str, words: Sequence[str], operands: Sequence[Any]) -> None:
    sizes: dict[str, int] = {}
    for word, operand in zip(words, operands, strict=True):
        for c, size in zip(word, operand._array.shape, strict=True):
            known = sizes.setdefault(c, size)
            if known == 1:
                sizes[c] = size
            elif size not in (known, 1):
                raise ShapeError(
                    f"einsum(): subscript {c} has size {size} for one operand of {equation!r} which does not "
                    f"broadcast with "
                    f"previously seen size {known}"
                )


def _without_repeats(word: str, operand: Any) -> tuple[str, Any]:
    """Replace a letter that occurs twice in an operand by the diagonal of these dimensions."""
    for c in dict.fromkeys(word):
        while word.count(c) > 1:
            first = word.index(c)
            second = word.index(c, first + 1)
            if operand._array.shape[first] != operand._array.shape[second]:
                raise ShapeError(f"einsum(): subscript {c} is repeated for one operand but the sizes don't match")
            operand = operand.diagonal(0, first, second)
            word = word[:first] + word[first + 1 : second] + word[second + 1 :] + c
    return word, operand


def _pair(left: str, right: str, later: str, a: Any, b: Any) -> tuple[list[str], list[Any]]:
    """Multiply two operands, and keep the letters that are needed later."""
    left, a = _alone_summed(left, right + later, a)
    right, b = _alone_summed(right, left + later, b)
    for c in [c for c in left if c in right]:  # a size of 1 that meets a larger one is dropped
        i, j = left.index(c), right.index(c)
        if a._array.shape[i] == 1 != b._array.shape[j]:
            a, left = a.squeeze(i), left.replace(c, "")
        elif b._array.shape[j] == 1 != a._array.shape[i]:
            b, right = b.squeeze(j), right.replace(c, "")
    left, a = _alone_summed(left, right + later, a)
    right, b = _alone_summed(right, left + later, b)
    out = "".join(c for c in left if c in later or c not in right) + "".join(c for c in right if c not in left)
    if a.dtype is not b.dtype:
        if any(c not in out for c in left if c in right) and not converting():
            raise DtypeError(f"einsum(): expected operands to have the same dtype, but got: {a.dtype} and {b.dtype}")
        kind = dtypes.result_type(a, b)
        a, b = a.to(kind), b.to(kind)
    return [out], [Contract(left, right, out)(a, b)]


def _alone_summed(word: str, elsewhere: str, operand: Any) -> tuple[str, Any]:
    """Sum over letters that are in no other operand and not in the result."""
    alone = [i for i, c in enumerate(word) if c not in elsewhere]
    if alone:
        operand = operand.sum(alone)
    return "".join(c for c in word if c in elsewhere), operand


def _arranged(word: str, out: str, operand: Any) -> Any:
    word, operand = _alone_summed(word, out, operand)
    return operand if word == out else operand.permute([word.index(c) for c in out])


@accepts_out
def tensordot(a: Any, b: Any, dims: Any = 2) -> Tensor:
    """Contract the last `dims` dimensions of `a` with the first of `b`; or ``dims=(of a, of b)``, two lists."""
    if isinstance(dims, Tensor):
        dims = dims.tolist()
    if isinstance(dims, int):
        if dims < 0 or dims > min(a._array.ndim, b._array.ndim):
            raise ShapeError(f"tensordot expects dims >= 0 and within both tensors, but got dims={dims}")
        ours, theirs = list(range(a._array.ndim - dims, a._array.ndim)), list(range(dims))
    else:
        ours, theirs = [[each] if isinstance(each, int) else list(each) for each in dims]
    ours, theirs = [d % a._array.ndim for d in ours], [d % b._array.ndim for d in theirs]
    if len(ours) != len(theirs):
        raise ArgumentError("both dimension lists should have same length")
    for d, e in zip(ours, theirs, strict=True):  # a size of 1 broadcasts, as in a product
        if a._array.shape[d] == 1 != b._array.shape[e]:
            b = b.sum(e, keepdim=True, dtype=b.dtype)
        elif b._array.shape[e] == 1 != a._array.shape[d]:
            a = a.sum(d, keepdim=True, dtype=a.dtype)
    letters = iter("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
    left = [next(letters) for _ in range(a._array.ndim)]
    right = [left[ours[theirs.index(d)]] if d in theirs else next(letters) for d in range(b._array.ndim)]
    for d, e in zip(ours, theirs, strict=True):
        if a._array.shape[d] != b._array.shape[e]:
            raise ShapeError(
                f"contracted dimensions need to match, but first has size {a._array.shape[d]} in dim {d} and second "
                f"has "
                f"size {b._array.shape[e]} in dim {e}"
            )
    out = [c for c in left if c not in right] + [c for c in right if c not in left]
    return Contract("".join(left), "".join(right), "".join(out))(a, b)
