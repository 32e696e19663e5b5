"""Gradients of calls that few programs make, and of draws."""

from __future__ import annotations

from typing import Any

import pytest

from .same import same

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
