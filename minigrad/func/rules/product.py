"""Batching rules for matrix products: a batch of products is one product with more leading dimensions."""

from __future__ import annotations

from string import ascii_letters
from typing import Any

from ...ops.linalg.matmul import matmul
from .base import changed, padded, rank_of, rule


@rule("Dot")
def dot(op: Any, size: int, values: list[Any], batched: list[bool]) -> Any:
    a, b = values
    if batched == [True, True]:
        return matmul(a.unsqueeze(1), b.unsqueeze(2)).reshape(size)
    return matmul(a, b) if batched[0] else matmul(b, a)


@rule("Mv")
def matrix_vector(op: Any, size: int, values: list[Any], batched: list[bool]) -> Any:
    a, b = values
    if batched == [True, True]:
        return matmul(a, b.unsqueeze(2)).squeeze(2)
    return matmul(a, b) if batched[0] else matmul(b, a.mT)


@rule("Mm")
def matrix_matrix(op: Any, size: int, values: list[Any], batched: list[bool]) -> Any:
    a, b = values
    return matmul(a, b)


@rule("MatMul")
def stacks_of_matrices(op: Any, size: int, values: list[Any], batched: list[bool]) -> Any:
    rank = max(rank_of(value, b) for value, b in zip(values, batched, strict=True))
    a, b = [padded(value, rank) if b else value for value, b in zip(values, batched, strict=True)]
    return matmul(a, b)


@rule("EuclideanDistances")
def euclidean_distances(op: Any, size: int, values: list[Any], batched: list[bool]) -> Any:
    rank = max(rank_of(value, b) for value, b in zip(values, batched, strict=True))
    return op.again()(*[padded(value, rank) if b else value for value, b in zip(values, batched, strict=True)])


@rule("Affine")
def affine(op: Any, size: int, values: list[Any], batched: list[bool]) -> Any:
    input, weight, bias = values
    if not batched[1] and (bias is None or not batched[2]):
        return op.again()(input, weight, bias)  # all examples share the weights
    rank = rank_of(input, batched[0])
    if batched[1]:
        rows = input.unsqueeze(-2) if rank == 1 else input
        out = matmul(rows, padded(weight, max(rank, 2)).mT)
        out = out.squeeze(-2) if rank == 1 else out
    else:
        out = op.again()(input, weight, None)
        if not batched[0]:
            out = out.unsqueeze(0)
    if bias is None:
        return out
    return out + (padded(bias, rank) if batched[2] else bias)


@rule("Addmm")
def scaled_sum(op: Any, size: int, values: list[Any], batched: list[bool]) -> Any:
    c, a, b = values
    c = padded(c, 2) if batched[0] else c
    out = matmul(a, b) if batched[1] or batched[2] else matmul(a, b).unsqueeze(0).expand(size, -1, -1)
    return out * op.alpha if op.beta == 0 else out * op.alpha + c * op.beta


@rule("Contract")
def contracted(op: Any, size: int, values: list[Any], batched: list[bool]) -> Any:
    """Run einsum with an extra letter for the batch dimension."""
    example = next(letter for letter in ascii_letters if letter not in op.left + op.right + op.out)
    left, right = (example * b + word for b, word in zip(batched, (op.left, op.right), strict=True))
    return changed(op, left=left, right=right, out=example + op.out)(*values)
