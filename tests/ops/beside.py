"""Compare one call on minigrad and on PyTorch: values, gradients, second derivatives, and kinds of errors."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import minigrad as mg

torch = pytest.importorskip("torch")

KINDS = (RuntimeError, ValueError, TypeError, IndexError, NotImplementedError)


class Call(NamedTuple):
    """A function of the library and a tensor for each array, and the tolerance."""

    function: Callable[..., Any]
    arrays: tuple[Any, ...]
    second: bool = True
    tolerance: float = 1e-9


class Seen(NamedTuple):
    values: list[Any]
    gradients: list[Any]
    second: list[Any]


def agree(call: Call) -> None:
    """Assert that both libraries give the same, or refuse with the same kind of error."""
    ours, theirs = attempt(mg, call), attempt(torch, call)
    if isinstance(ours, Exception) or isinstance(theirs, Exception):
        assert isinstance(ours, Exception), f"minigrad gave a result; PyTorch said {theirs!r}"
        assert isinstance(theirs, Exception), f"PyTorch gave a result; minigrad said {ours!r}"
        assert any(isinstance(ours, kind) and isinstance(theirs, kind) for kind in KINDS), f"{ours!r} for {theirs!r}"
        assert isinstance(ours, mg.MinigradError), f"{ours!r} is no error of ours"
        return
    for what in Seen._fields:
        pairs = list(zip(getattr(ours, what), getattr(theirs, what), strict=True))
        for number, (a, b) in enumerate(pairs):
            assert a.shape == b.shape, f"{what} {number}"
            if what == "values":
                assert a.dtype == b.dtype, f"{what} {number}"
            np.testing.assert_allclose(a, b, call.tolerance, call.tolerance, err_msg=f"{what} {number}")


def attempt(library: Any, call: Call) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return look(library, call)
        except KINDS as error:
            return error


def look(library: Any, call: Call) -> Seen:
    """Values, gradients of a weighted sum, and gradients of a weighted sum of their squares."""
    tensors = [library.tensor(np.asarray(each)) for each in call.arrays]
    moving = [each.requires_grad_() for each in tensors if each.is_floating_point() or each.is_complex()]
    result = call.function(library, *tensors)
    outputs = list(result) if isinstance(result, (tuple, list)) else [result]
    loss = weighed(library, [out for out in outputs if out.requires_grad])
    first: list[Any] = []
    again: list[Any] = []
    if loss is not None and moving:
        found = library.autograd.grad(loss, moving, create_graph=call.second, allow_unused=True)
        first = [filled(each, like) for each, like in zip(found, moving, strict=True)]
        if call.second:
            squares = [each * each for each in found if each is not None and each.requires_grad]
            curved = weighed(library, squares)
            slopes = [None] * len(moving)
            if curved is not None:
                slopes = library.autograd.grad(curved, moving, allow_unused=True)
            again = [filled(each, like) for each, like in zip(slopes, moving, strict=True)]
    return Seen([plain(out) for out in outputs], first, again)


def weighed(library: Any, tensors: list[Any]) -> Any:
    """One real number that depends on every element of `tensors`."""
    total = None
    for number, each in enumerate(tensors):
        weights = np.random.default_rng(number).standard_normal(tuple(each.shape))
        part = (each * library.tensor(weights).to(each.dtype)).sum()
        part = part.real + 2 * part.imag if part.is_complex() else part
        total = part if total is None else total + part
    return total


def filled(gradient: Any, like: Any) -> Any:
    return plain(gradient) if gradient is not None else np.zeros_like(plain(like))


def plain(tensor: Any) -> Any:
    tensor = tensor.detach()
    return (
        tensor.resolve_conj().resolve_neg().numpy(force=True)
        if isinstance(tensor, torch.Tensor)
        else tensor.cpu().numpy()
    )


def numbers(*shape: int, seed: int = 0) -> Any:
    """Random numbers of this shape."""
    return np.random.default_rng((seed, *shape)).standard_normal(shape)


def complex_numbers(*shape: int, seed: int = 0) -> Any:
    """Random complex numbers of this shape."""
    return numbers(*shape, seed=seed) + 1j * numbers(*shape, seed=seed + 1)


def table(calls: dict[str, Call]) -> Any:
    """The calls as parameters of a test."""
    return pytest.mark.parametrize("call", [pytest.param(call, id=name) for name, call in calls.items()])
