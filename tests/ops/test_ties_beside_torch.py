"""Which of equal elements is picked: PyTorch's, where it picks by a rule; everywhere, by a rule of ours."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import minigrad as mg

AS_PYTORCH: dict[str, tuple[Callable[[Any], Any], int]] = {
    "mode": (lambda x: x.mode(1), 16),
    "median": (lambda x: x.median(1), 100),
    "nanmedian": (lambda x: x.nanmedian(1), 100),
    "max": (lambda x: x.max(1), 100),
    "min": (lambda x: x.min(1), 100),
    "stable sort": (lambda x: x.sort(dim=1, stable=True), 100),
    "the single largest of many": (lambda x: x.topk(1, 1), 100),
}
"""What is picked, and of how many elements PyTorch's choice is a simple one."""


def rows_with_ties(size: int) -> Any:
    return np.random.default_rng(size).integers(0, 4, (50, size)).astype("float32")


@pytest.mark.parity
@pytest.mark.parametrize("name", AS_PYTORCH)
def test_the_place_among_equals_is_pytorchs(name: str) -> None:
    torch = pytest.importorskip("torch")
    pick, size = AS_PYTORCH[name]
    rows = rows_with_ties(size).tolist()
    ours, theirs = pick(mg.tensor(rows)), pick(torch.tensor(rows))
    assert ours.values.tolist() == theirs.values.tolist()
    assert ours.indices.tolist() == theirs.indices.tolist()


@pytest.mark.parametrize("largest", [True, False])
def test_topk_takes_the_first_of_equals_first(largest: bool) -> None:
    rows = rows_with_ties(20)
    order = np.argsort(-rows if largest else rows, axis=1, kind="stable")
    found = mg.tensor(rows.tolist()).topk(5, 1, largest)
    assert found.indices.tolist() == order[:, :5].tolist()


def test_kthvalue_counts_equals_in_order() -> None:
    rows = rows_with_ties(20)
    order = np.argsort(rows, axis=1, kind="stable")
    for k in (1, 7, 20):
        assert mg.tensor(rows.tolist()).kthvalue(k, 1).indices.tolist() == order[:, k - 1].tolist()


@pytest.mark.parametrize("size", [6, 6_000])
def test_the_larger_of_elements_and_a_number_is_pytorchs_also_of_many(size: int) -> None:
    torch = pytest.importorskip("torch")
    values = np.resize(np.array([-0.0, 0.0, math.nan, -math.inf, math.inf, -1.5], "float32"), size)
    ours, theirs = mg.tensor(values, requires_grad=True), torch.tensor(values, requires_grad=True)
    for function in (
        lambda lib, x: lib.relu(x),
        lambda lib, x: lib.clamp(x, -1.0, 0.5),
        lambda lib, x: lib.clamp(x, min=math.nan),
        lambda lib, x: lib.clamp(x, max=1e38),
        lambda lib, x: lib.nn.functional.leaky_relu(x, 0.3),
        lambda lib, x: lib.nn.functional.leaky_relu(x, 1.0),
        lambda lib, x: lib.nn.functional.leaky_relu(x, -2.0),
    ):
        found, expected = function(mg, ours), function(torch, theirs)
        (grad,) = mg.autograd.grad(found.sum(), ours)
        (wanted,) = torch.autograd.grad(expected.sum(), theirs)
        np.testing.assert_allclose(found.detach().cpu().numpy(), expected.detach().numpy(), rtol=1e-6)
        np.testing.assert_allclose(grad.cpu().numpy(), wanted.numpy(), rtol=1e-6)


@pytest.mark.parametrize(("shape", "size"), [((2, 3, 12, 10), 2), ((1, 1, 200, 200), 1), ((3, 8, 10), (2, 5))])
def test_large_windows_pick_pytorchs_place_of_equals_and_of_nans(shape: tuple[int, ...], size: Any) -> None:
    torch = pytest.importorskip("torch")
    values = np.random.default_rng(0).integers(0, 9, shape).astype("float32")
    values[..., 3:5, 6] = math.nan if shape[0] > 1 else 9
    ours, theirs = mg.tensor(values, requires_grad=True), torch.tensor(values, requires_grad=True)
    found = mg.nn.functional.adaptive_max_pool2d(ours, size, return_indices=True)
    wanted = torch.nn.functional.adaptive_max_pool2d(theirs, size, return_indices=True)
    for out, of, leaf in ((found, mg, ours), (wanted, torch, theirs)):
        (out[0] * of.arange(1.0, out[0].numel() + 1).reshape(out[0].shape)).sum().backward()
        assert leaf.grad is not None
    np.testing.assert_array_equal(found[0].detach().cpu().numpy(), wanted[0].detach().numpy())
    np.testing.assert_array_equal(found[1].cpu().numpy(), wanted[1].numpy())
    np.testing.assert_array_equal(ours.grad.cpu().numpy(), theirs.grad.numpy())


@pytest.mark.parity
@pytest.mark.parametrize("dims", [1, 2, 3])
@pytest.mark.parametrize("count", [2, 3, 4])
def test_of_equals_in_an_adaptive_window_the_first_gets_the_gradient(dims: int, count: int) -> None:
    torch = pytest.importorskip("torch")
    values = np.random.default_rng(count).integers(-1, 2, (2, 2, *(5, 7, 6)[:dims])).astype("float32")
    grads = []
    for lib in (mg, torch):
        x = lib.tensor(values.tolist(), requires_grad=True)
        y = getattr(lib.nn.functional, f"adaptive_max_pool{dims}d")(x, count)
        (y * lib.arange(y.numel()).reshape(y.shape)).sum().backward()
        grads.append(x.grad.tolist())
    assert grads[0] == grads[1]


@pytest.mark.parity
@pytest.mark.parametrize(("dtype", "least"), [("float32", -math.inf), ("int32", -(2**31))])
def test_the_padding_of_a_max_pool_is_never_the_place(dtype: str, least: float) -> None:
    """Where a window holds nothing above the padding: -inf of masked scores, say."""
    torch = pytest.importorskip("torch")
    rows = [[least, least, 2, 3], [least, least, least, 2], [least, 5, least, 0], [least, least, 1, least]]
    found = []
    for lib in (mg, torch):
        x = lib.tensor([[rows]], dtype=lib.float32).to(getattr(lib, dtype))
        values, places = lib.nn.functional.max_pool2d(x, 2, 2, 1, return_indices=True)
        uneven = lib.nn.functional.max_pool2d(x, (3, 2), 2, (1, 0), ceil_mode=True, return_indices=True)
        found.append([values.tolist(), places.tolist(), *[each.tolist() for each in uneven]])
        if dtype == "float32":
            x.requires_grad_()
            lib.nn.functional.max_pool2d(x, 2, 2, 1).sum().backward()
            found[-1].append(x.grad.tolist())
    assert found[0] == found[1]
