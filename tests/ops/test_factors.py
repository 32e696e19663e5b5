"""Factorisations of matrices of a special form, and what does not depend on the signs and phases of their factors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import minigrad as mg


def matrix(rows: int, columns: int, kind: str) -> Any:
    """A random matrix, far from singular."""
    random = np.random.default_rng((rows, columns))
    found = random.standard_normal((rows, columns)) + 3 * np.eye(rows, columns)
    return mg.tensor(
        found + 1j * random.standard_normal(found.shape) if kind == "complex" else found, requires_grad=True
    )


def positive(a: Any) -> Any:
    return a @ a.mH + mg.eye(a.shape[-1], dtype=a.dtype)


FUNCTIONS: dict[str, Any] = {
    "cholesky": lambda a: mg.linalg.cholesky(positive(a)),
    "eigenvalues": lambda a: mg.linalg.eigvalsh(positive(a)),
    "eigenvectors": lambda a: (lambda vectors: vectors.abs() ** 2)(mg.linalg.eigh(positive(a))[1]),
    "qr": lambda a: [each.abs() ** 2 for each in mg.linalg.qr(a)],
    "svd": lambda a: [each.abs() ** 2 for each in mg.linalg.svd(a, full_matrices=False)],
    "eig": lambda a: [(mg.linalg.eig(a)[0] ** 3).sum(), (mg.linalg.eig(a)[1].abs() ** 2).sum()],
}


@pytest.mark.parametrize("kind", ["real", "complex"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradients_of_factors_agree_with_differences(name: str, kind: str) -> None:
    assert mg.autograd.gradcheck(FUNCTIONS[name], (matrix(3, 3, kind),))


@pytest.mark.parametrize("name", ["cholesky", "eigenvalues", "qr", "svd"])
def test_gradients_of_factors_can_be_differentiated_again(name: str) -> None:
    assert mg.autograd.gradgradcheck(FUNCTIONS[name], (matrix(2, 2, "real"),))


@pytest.mark.parametrize("shape", [(4, 2), (2, 4)], ids=["tall", "wide"])
@pytest.mark.parametrize("name", ["qr", "svd"])
def test_rectangular_matrices_have_factors_with_gradients(name: str, shape: Any) -> None:
    assert mg.autograd.gradcheck(FUNCTIONS[name], (matrix(*shape, "complex"),))  # type: ignore[call-arg]


def test_the_gradient_of_a_determinant_exists_at_a_singular_matrix_and_again() -> None:
    singular = mg.tensor([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [1.0, 0.0, 1.0]], dtype=mg.float64, requires_grad=True)
    assert mg.autograd.gradcheck(mg.linalg.det, (singular,))
    assert mg.autograd.gradgradcheck(mg.linalg.det, (singular,))


def test_linear_algebra_refuses_half_precision() -> None:
    with pytest.raises(RuntimeError, match="Low precision dtypes not supported"):
        mg.linalg.inv(mg.eye(2, dtype=mg.float16))


def test_a_singular_matrix_is_refused_with_its_reason() -> None:
    with pytest.raises(mg.linalg.LinAlgError, match="singular"):
        mg.linalg.solve(mg.zeros(2, 2), mg.ones(2))


def test_a_second_gradient_flows_through_padding_of_an_embedding() -> None:
    weight = mg.randn(3, 2, dtype=mg.float64, requires_grad=True)
    rows = mg.nn.functional.embedding(mg.tensor([0, 2, 2]), weight, padding_idx=2)
    (gradient,) = mg.autograd.grad((rows**3).sum(), weight, create_graph=True)
    assert gradient[2].tolist() == [0.0, 0.0]
    (again,) = mg.autograd.grad(gradient.sum(), weight)
    np.testing.assert_allclose(again[0].cpu().numpy(), 6 * weight[0].detach().cpu().numpy())
