"""Products, linear algebra and Fourier transforms, as PyTorch computes them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import minigrad as mg

from .beside import Call, agree, complex_numbers, numbers, table

pytestmark = pytest.mark.parity

A = numbers(3, 3) + 3 * np.eye(3)
BATCH = numbers(2, 3, 3) + 3 * np.eye(3)
C = complex_numbers(3, 3) + 3 * np.eye(3)
TALL, WIDE = numbers(4, 2), numbers(2, 4)
POSITIVE, HERMITIAN = A @ A.T + np.eye(3), C @ C.conj().T + np.eye(3)

SHAPES = [
    ((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 3), (3, 4)), ((5, 2, 3), (3,)), ((5, 2, 3), (3, 4)),
    ((2, 3), (5, 3, 4)),
    ((5, 2, 3), (5, 3, 4)), ((4, 1, 2, 3), (5, 3, 2)), ((0, 3), (3, 2)), ((2, 0), (0, 2)), ((2, 3), (2, 3)), ((), (3,)),
]  # fmt: skip


@pytest.mark.parametrize("shapes", SHAPES, ids=str)
def test_matmul(shapes: Any) -> None:
    agree(Call(lambda m, a, b: a @ b, (numbers(*shapes[0]), numbers(*shapes[1], seed=1))))


@pytest.mark.parametrize("shapes", [((2, 3), (3, 2)), ((2, 3), (3,)), ((3,), (3,)), ((2, 2, 3), (2, 3, 2))], ids=str)
def test_matmul_of_complex_numbers(shapes: Any) -> None:
    agree(Call(lambda m, a, b: a @ b, (complex_numbers(*shapes[0]), complex_numbers(*shapes[1], seed=5))))


EQUATIONS: dict[str, Any] = {
    "ij,jk->ik": ((2, 3), (3, 4)), "ij,kj": ((2, 3), (4, 3)), "ii": ((3, 3),), "ii->i": ((3, 3),), "ij->j": ((2, 3),),
    "bij,bjk->bik": ((2, 3, 4), (2, 4, 5)), "bhqd,bhkd->bhqk": ((2, 2, 3, 4), (2, 2, 5, 4)), "i,j->ij": ((2,), (3,)),
    "ij,ij->i": ((2, 3), (2, 3)), "...ij,...jk": ((2, 1, 3, 4), (5, 4, 2)), "ij,jk,kl->il": ((2, 3), (3, 4), (4, 2)),
    "i,ij,j->": ((2,), (2, 3), (3,)), "iij,jk->ik": ((2, 2, 3), (3, 2)), "ij,jk->k": ((2, 3), (3, 4)),
    "ij,jk": ((2, 3), (4, 3)), "ij,jk->il": ((2, 3), (3, 4)), "ijk,jk": ((2, 3), (3, 4)), "ij,j->ij": ((1, 3), (3,)),
}  # fmt: skip


@pytest.mark.parametrize("order", ["fro", "nuc", 1, -1, np.inf, -np.inf])
def test_the_condition_of_a_singular_matrix_is_infinite(order: Any) -> None:
    for lib in (mg, pytest.importorskip("torch")):
        both = lib.stack([lib.diag(lib.tensor([1.0, 2.0, 0.0])), lib.eye(3)])
        found = lib.linalg.cond(both, order).tolist()
        assert found == [np.inf, pytest.approx({"fro": 3, "nuc": 9}.get(order, 1))]


@pytest.mark.parametrize("numbers_of", [([26, 51], [51, 0]), ([27, 0], [0, 3])], ids=str)
def test_subscripts_may_be_numbers_up_to_51(numbers_of: Any) -> None:
    left, right = numbers_of
    agree(Call(lambda m, a, b: m.einsum(a, left, b, right), (numbers(2, 3), numbers(3, 4, seed=1))))


def test_no_matrices_are_unpacked_to_none() -> None:
    for shape in ((0, 2, 0), (2, 0, 3), (0, 1, 1)):
        agree(Call(lambda m, a: tuple(m.lu_unpack(*m.linalg.lu_factor(a))), (np.zeros(shape),)))


def test_a_norm_of_complex_numbers_is_written_to_a_real_tensor() -> None:
    for lib in (mg, pytest.importorskip("torch")):
        out = lib.empty((), dtype=lib.float64)
        lib.linalg.norm(lib.tensor([3j, 4.0]), dtype=lib.cdouble, out=out)
        assert out.item() == 5.0


def test_a_decomposition_takes_no_driver_by_name() -> None:
    agree(Call(lambda m, a: m.linalg.svd(a, driver=None)[1] + m.linalg.svdvals(a, driver=None), (TALL,)))


@pytest.mark.parametrize("equation", EQUATIONS)
def test_einsum(equation: str) -> None:
    arrays = tuple(numbers(*shape, seed=i) for i, shape in enumerate(EQUATIONS[equation]))
    agree(Call(lambda m, *tensors: m.einsum(equation, *tensors), arrays))


def eigh(m: Any, a: Any) -> Any:
    values, vectors = m.linalg.eigh((a + a.mH) / 2)
    return values, vectors.abs() ** 2, (vectors * values.exp().unsqueeze(-2)) @ vectors.mH


def svd(m: Any, a: Any) -> Any:
    u, s, vh = m.linalg.svd(a, full_matrices=False)
    return s, u.abs() ** 2, vh.abs() ** 2, (u * (s * s).unsqueeze(-2)) @ vh


def eig(m: Any, a: Any) -> Any:
    values, vectors = m.linalg.eig(a)
    return (values**2).sum().real, (values**3).sum().imag, (vectors.abs() ** 2 * values.abs() ** 2).sum()


def qr(m: Any, a: Any) -> Any:
    q, r = m.linalg.qr(a)
    return q.abs() ** 2, r.abs() ** 2, q @ r


ALGEBRA: dict[str, Call] = {
    "inv of a singular one": Call(lambda m, a: m.linalg.inv(a), (np.zeros((2, 2)),)),
    "inv of one that is not square": Call(lambda m, a: m.linalg.inv(a), (TALL,)),
    "solve": Call(lambda m, a, b: m.linalg.solve(a, b), (A, numbers(3, 2))),
    "solve for a vector": Call(lambda m, a, b: m.linalg.solve(a, b), (A, numbers(3))),
    "solve for vectors": Call(lambda m, a, b: m.linalg.solve(a, b), (BATCH, numbers(2, 3))),
    "solve broadcast": Call(lambda m, a, b: m.linalg.solve(a, b), (A, numbers(2, 3, 1))),
    "solve from the right": Call(lambda m, a, b: m.linalg.solve(a, b, left=False), (A, numbers(2, 3))),
    "solve that does not fit": Call(lambda m, a, b: m.linalg.solve(a, b), (A, numbers(4, 2))),
    "solve_triangular": Call(
        lambda m, a, b: m.linalg.solve_triangular(a, b, upper=True, unitriangular=True, left=False), (A, numbers(3, 3))
    ),
    "cholesky": Call(lambda m, a: m.linalg.cholesky((a + a.mH) / 2), (POSITIVE,)),
    "cholesky, complex": Call(lambda m, a: m.linalg.cholesky((a + a.mH) / 2, upper=True), (HERMITIAN,)),
    "cholesky of a negative one": Call(lambda m, a: m.linalg.cholesky(a), (-POSITIVE,)),
    "eigvalsh": Call(lambda m, a: m.linalg.eigvalsh((a + a.mH) / 2), (HERMITIAN,)),
    "eigh": Call(eigh, (POSITIVE,)),
    "qr complete": Call(lambda m, a: [each.abs() ** 2 for each in m.linalg.qr(a, "complete")], (WIDE,)),
    "matrix_power": Call(lambda m, a: m.linalg.matrix_power(a, -2), (A,)),
    "matrix_exp": Call(lambda m, a: m.linalg.matrix_exp(a), (A,), tolerance=1e-7),
    "multi_dot": Call(lambda m, a, b, c: m.linalg.multi_dot([a, b, c]), (numbers(2, 3), numbers(3, 4), numbers(4))),
    "cross": Call(lambda m, a, b: m.linalg.cross(a, b), (numbers(2, 3), numbers(2, 3, seed=1))),
    "lstsq": Call(lambda m, a, b: m.linalg.lstsq(a, b)[0], (TALL, numbers(4, 3)), tolerance=1e-7),
    "kron": Call(lambda m, a, b: m.kron(a, b), (numbers(2, 3), numbers(3, 2))),
    "tensordot": Call(lambda m, a, b: m.tensordot(a, b, ([0, 2], [1, 0])), (numbers(2, 3, 4), numbers(4, 2, 5))),
    "addmm": Call(lambda m, c, a, b: m.addmm(c, a, b, beta=0.5, alpha=2), (numbers(4), numbers(2, 3), numbers(3, 4))),
    "cdist of many rows": Call(lambda m, a, b: m.cdist(a, b), (numbers(30, 4), numbers(2, 5, 4)), tolerance=1e-7),
    "cdist of few rows": Call(lambda m, a, b: m.cdist(a, b), (numbers(3, 4), numbers(2, 5, 4)), second=False),
    "cdist of few rows by a product": Call(
        lambda m, a, b: m.cdist(a, b, compute_mode="use_mm_for_euclid_dist"), (numbers(3, 4), numbers(5, 4))
    ),
    "cdist of a mode that is not": Call(
        lambda m, a, b: m.cdist(a, b, compute_mode="mm"), (numbers(3, 4), numbers(5, 4))
    ),
    "norm at 0": Call(lambda m, x: m.linalg.norm(x), (np.zeros(3),)),
    "vander of integers": Call(lambda m, x: m.linalg.vander(x), (np.array([2, 9, 3], np.uint8),)),
}
for _power in (3, 3.5, 4):
    ALGEBRA[f"norm {_power} at 0"] = Call(lambda m, x, p=_power: m.linalg.vector_norm(x, p), (np.zeros(3),))
for _name, _matrix in {"square": A, "batch": BATCH, "complex": C, "tall": TALL, "wide": WIDE}.items():
    if _matrix.shape[-1] == _matrix.shape[-2]:
        ALGEBRA |= {
            f"{function} {_name}": Call(lambda m, a, f=function: getattr(m.linalg, f)(a), (_matrix,))
            for function in ("inv", "det", "slogdet")
        }
        ALGEBRA[f"eig {_name}"] = Call(eig, (_matrix,), tolerance=1e-6)
    ALGEBRA |= {
        f"qr {_name}": Call(qr, (_matrix,)),
        f"svd {_name}": Call(svd, (_matrix,), tolerance=1e-6),
        f"pinv {_name}": Call(lambda m, a: m.linalg.pinv(a), (_matrix,), tolerance=1e-7),
    }
    if _name != "complex":
        ALGEBRA[f"lu {_name}"] = Call(lambda m, a: m.linalg.lu(a), (_matrix,))
ALGEBRA["pinv with a bound"] = Call(lambda m, a: m.linalg.pinv(a, 0.5), (np.diag([4.0, 3.0, 1.0]),))
ALGEBRA["pinv of half a matrix"] = Call(lambda m, a: m.linalg.pinv(a, 1e-9, True), (A @ A.T,), tolerance=1e-6)
for _order in (None, "fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf):
    for _shape in ((0,), (0, 1), (1, 0), (2, 0, 3)):
        for _dim in (None, 0):
            ALGEBRA[f"norm {_order} of {_shape} over {_dim}"] = Call(
                lambda m, a, p=_order, d=_dim: m.linalg.norm(a, p, d), (np.zeros(_shape),), second=False
            )
    ALGEBRA[f"norm {_order}"] = Call(lambda m, a, p=_order: m.linalg.norm(a, p), (A,), tolerance=1e-7)


@table(ALGEBRA)
def test_linear_algebra(call: Call) -> None:
    agree(call)


@pytest.mark.parametrize("name", ["fftn", "ifftn", "rfftn", "irfftn"])
def test_one_size_of_a_spectrum_may_be_a_number(name: str) -> None:
    agree(Call(lambda m, x: getattr(m.fft, name)(x, s=3, dim=1), (numbers(3, 4),)))


def test_frequencies_are_written_to_out() -> None:
    for lib in (mg, pytest.importorskip("torch")):
        out, half = lib.empty(4), lib.empty(3)
        assert lib.fft.fftfreq(4, 0.5, out=out) is out and out.tolist() == [0.0, 0.5, -1.0, -0.5]
        assert lib.fft.rfftfreq(4, 0.5, out=half) is half and half.tolist() == [0.0, 0.5, 1.0]


@pytest.mark.parametrize("norm", [None, "ortho", "forward"])
@pytest.mark.parametrize("numbers_of", [numbers, complex_numbers], ids=["real", "complex"])
@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "fft2", "ifft2", "fftn", "ifftn", "rfftn", "irfftn"])
def test_fourier_transforms(name: str, numbers_of: Any, norm: Any) -> None:
    agree(Call(lambda m, x: getattr(m.fft, name)(x, norm=norm), (numbers_of(3, 4),)))
    agree(
        Call(
            lambda m, x: getattr(m.fft, name)(x, (5,) if name.endswith("n") else (3, 5) if "2" in name else 5),
            (numbers_of(3, 4),),
        )
    )


def test_distances_of_equal_points_by_a_product_have_a_gradient_of_zero() -> None:
    points = mg.ones(30, 2, dtype=mg.float64, requires_grad=True)
    mg.cdist(points, points).sum().backward()
    assert points.grad is not None
    assert not points.grad.any()


def test_float16_distances_are_rounded_once() -> None:
    a, b = numbers(40, 8).astype(np.float16), numbers(3, 8, seed=1).astype(np.float16)
    found = mg.cdist(mg.tensor(a), mg.tensor(b))
    assert found.dtype is mg.float16
    exact = np.linalg.norm(a[:, None].astype(float) - b.astype(float), axis=-1)
    assert abs(found.double().cpu().numpy() - exact).max() < 2e-3


@pytest.mark.parametrize("kind", ["int64", "int32", "int8", "uint8"])
@pytest.mark.parametrize("largest", [5, 2**31, 2**62])
def test_products_of_many_integers_are_exact_and_wrap_as_pytorchs_do(kind: str, largest: int) -> None:
    torch, random, bounds = pytest.importorskip("torch"), np.random.default_rng(0), np.iinfo(kind)
    for left, right in (((60, 70), (70, 40)), ((3, 60, 70), (3, 70, 40)), ((400,), (400, 50)), ((20_000,), (20_000,))):
        a, b = (
            random.integers(max(-largest, bounds.min), min(largest, bounds.max), shape).astype(kind)
            for shape in (left, right)
        )
        found, wanted = (mg.tensor(a) @ mg.tensor(b)).cpu().numpy(), (torch.tensor(a) @ torch.tensor(b)).numpy()
        assert found.dtype == wanted.dtype
        np.testing.assert_array_equal(found, wanted)
