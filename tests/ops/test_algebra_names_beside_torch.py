"""LU, triangles, reports instead of failures, and the old names of linear algebra, on minigrad and on PyTorch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from .beside import Call, agree, complex_numbers, numbers, table

pytestmark = pytest.mark.parity

A = numbers(3, 3) + 3 * np.eye(3)
B = numbers(3, 2)
TALL = numbers(4, 3, seed=3)
WIDE = numbers(2, 3, 4, seed=4)
STACK = numbers(2, 3, 3, seed=5) + 3 * np.eye(3)
POSITIVE = A @ A.T + np.eye(3)
Z = complex_numbers(3, 3) + 3 * np.eye(3)
SINGULAR = np.ones((3, 3))


def unpacked(m: Any, a: Any) -> Any:
    return m.lu_unpack(*m.linalg.lu_factor(a))


def solved(m: Any, a: Any, b: Any, **how: Any) -> Any:
    return m.linalg.lu_solve(*m.linalg.lu_factor(a), b, **how)


CALLS = {
    "lu_factor": Call(lambda m, a: m.linalg.lu_factor(a), (A,)),
    "lu_factor of a tall matrix": Call(lambda m, a: m.linalg.lu_factor(a), (TALL,)),
    "lu_factor of wide matrices": Call(lambda m, a: m.linalg.lu_factor(a), (WIDE,)),
    "lu_factor of a complex matrix": Call(lambda m, a: m.linalg.lu_factor(a), (Z,)),
    "lu_factor_ex": Call(lambda m, a: m.linalg.lu_factor_ex(a), (STACK,)),
    "lu_unpack": Call(unpacked, (STACK,)),
    "lu_unpack of a tall matrix": Call(unpacked, (TALL,)),
    "lu_solve": Call(solved, (A, B)),
    "lu_solve adjoint": Call(lambda m, a, b: solved(m, a, b, adjoint=True), (A, B)),
    "lu_solve from the right": Call(lambda m, a, b: solved(m, a, b.T, left=False), (A, B)),
    "old lu": Call(lambda m, a: m.lu_solve(a[:, :1], *m.linalg.lu_factor(a)), (A,)),
    "inv_ex": Call(lambda m, a: m.linalg.inv_ex(a), (STACK,)),
    "inv_ex of a singular matrix": Call(lambda m, a: m.linalg.inv_ex(a.detach()).info, (np.diag([1.0, 0.0, 2.0]),)),
    "inv_ex checked": Call(lambda m, a: m.linalg.inv_ex(a, check_errors=True), (SINGULAR,)),
    "cholesky_ex": Call(lambda m, a: m.linalg.cholesky_ex(a), (POSITIVE,)),
    "cholesky_ex of a negative matrix": Call(lambda m, a: m.linalg.cholesky_ex(-a.detach()).info, (POSITIVE,)),
    "solve_ex": Call(lambda m, a, b: m.linalg.solve_ex(a, b), (A, B)),
    "tensorinv": Call(lambda m, a: m.linalg.tensorinv(a.reshape(2, 3, 6)), (numbers(6, 6) + 3 * np.eye(6),)),
    "tensorinv that does not fit": Call(lambda m, a: m.linalg.tensorinv(a, 1), (WIDE,)),
    "tensorsolve": Call(
        lambda m, a, b: m.linalg.tensorsolve(a.reshape(2, 3, 6), b), (numbers(6, 6) + 3 * np.eye(6), numbers(2, 3))
    ),
    "vander": Call(lambda m, a: m.linalg.vander(a, N=4), (numbers(2, 3),)),
    "householder_product": Call(lambda m, a, t: m.linalg.householder_product(a, t), (TALL, numbers(3))),
    "householder_product of complex numbers": Call(
        lambda m, a, t: m.linalg.householder_product(a, t), (complex_numbers(4, 3), complex_numbers(3))
    ),
    "cholesky_solve": Call(lambda m, b, a: m.cholesky_solve(b, m.linalg.cholesky(a)), (B, POSITIVE)),
    "cholesky_inverse": Call(lambda m, a: m.cholesky_inverse(m.linalg.cholesky(a)), (POSITIVE,)),
    "triangular_solve": Call(lambda m, b, a: b.triangular_solve(a), (B, A)),
    "triangular_solve transposed": Call(lambda m, b, a: m.triangular_solve(b, a, False, True), (B, A)),
    "old cholesky": Call(lambda m, a: m.cholesky(a, True), (POSITIVE,)),
    "old svd": Call(lambda m, a: [each.abs() for each in m.svd(a)], (TALL,), second=False),
    "old svd of values only": Call(lambda m, a: m.svd(a.detach(), compute_uv=False), (TALL,)),
    "old qr": Call(lambda m, a: m.qr(a), (TALL,)),
    "old cross": Call(lambda m, a, b: m.cross(a, b), (numbers(2, 3), numbers(2, 3, seed=1))),
    "eigh of the upper triangle": Call(lambda m, a: m.linalg.eigh(a, UPLO="U")[1].abs(), (A,)),
    "cholesky of complex numbers": Call(lambda m, a: m.linalg.cholesky(a @ a.mH, upper=True), (Z,)),
}


@table(CALLS)
def test_linear_algebra_agrees(call: Call) -> None:
    agree(call)
