"""Gradients of calls that few programs make, and of draws."""

from __future__ import annotations

import math
from typing import Any

import pytest

from .same import refused, same

pytestmark = pytest.mark.parity


def draws_have_gradients_of_zeros(lib: Any) -> Any:
    p = lib.tensor([0.2, 0.9, 0.5], requires_grad=True)
    drawn = lib.bernoulli(p)
    counts = lib.poisson(p)
    (drawn.sum() + counts.sum()).backward()
    with lib.no_grad():
        quiet = lib.bernoulli(p)
    return [drawn.requires_grad, counts.requires_grad, p.grad, quiet.requires_grad, lib.bernoulli(p.detach())]


def a_product_at_the_one_place_of_a_scalar(lib: Any) -> Any:
    x, source = lib.tensor(2.0, requires_grad=True), lib.tensor(3.0, requires_grad=True)
    found = []
    for whole in (True, False):
        y = lib.scatter_reduce(x, 0, lib.tensor(0), source, "prod", include_self=whole)
        found += [y, *lib.autograd.grad(y, (x, source))]
    return found


def a_margin_of_one_score(lib: Any) -> Any:
    x = lib.tensor(2.0, requires_grad=True)
    return lib.nn.functional.multi_margin_loss(x, lib.tensor(0))


def a_linear_layer_and_its_loss(lib: Any) -> Any:
    functional = lib.nn.functional
    x, weight = lib.randn(4, 3).requires_grad_(), lib.randn(5, 3).requires_grad_()
    target, bias = lib.tensor([0, 4, 2, 2]), lib.randn(5)
    losses = [
        functional.linear_cross_entropy(x, weight, target),
        functional.linear_cross_entropy(x, weight, target, linear_bias=bias, reduction="sum", ignore_index=2),
        functional.linear_cross_entropy(x, weight, target, weight=bias.abs(), label_smoothing=0.1),
    ]
    return [*losses, *lib.autograd.grad(sum(losses), (x, weight))]


@pytest.mark.parametrize(
    "program",
    [
        draws_have_gradients_of_zeros,
        a_product_at_the_one_place_of_a_scalar,
        a_margin_of_one_score,
        a_linear_layer_and_its_loss,
    ],
)
def test_it_is_as_in_pytorch(program: Any) -> None:
    same(program)


@pytest.mark.parametrize("size", [1.0, 8.0, 100.0])
def test_running_sums_of_complex_exponentials_far_apart(size: float) -> None:
    def sums(lib: Any) -> Any:
        x = lib.complex(lib.randn(4, 5) * size, lib.randn(4, 5) * size).requires_grad_()
        found = [lib.logcumsumexp(x, dim) for dim in (0, 1)]
        (grad,) = lib.autograd.grad(sum(each.abs().sum() for each in found), x)
        return [*found, lib.logcumsumexp(lib.tensor([-math.inf + 0j, 1 + 2j, -math.inf + 0j]), 0), grad.resolve_conj()]

    same(sums)


@pytest.mark.parametrize("shape", [(4, 3), (4, 1), (1, 3), (4,)])
def test_a_variance_for_all_along_a_dimension(shape: tuple[int, ...]) -> None:
    same(lambda lib: lib.nn.functional.gaussian_nll_loss(lib.ones(4, 3), lib.zeros(4, 3), lib.rand(*shape) + 0.1))


@pytest.mark.parametrize("shape", [(3,), (1, 1), (2, 3)])
def test_a_variance_that_fits_nothing_is_refused(shape: tuple[int, ...]) -> None:
    refused(lambda lib: lib.nn.functional.gaussian_nll_loss(lib.ones(4, 3), lib.zeros(4, 3), lib.ones(*shape)))
