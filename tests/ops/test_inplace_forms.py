"""Every in-place method does what its function does, in the same memory, with the same gradient."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import minigrad as mg
from minigrad.ops.elementwise import (
    arithmetic,
    comparison,
    division,
    exponential,
    pointwise,
    powers,
    rounding,
    ternary,
    trigonometry,
    where,
)
from minigrad.ops.index import masks
from minigrad.ops.reduce import cumulative
from minigrad.ops.special import error_and_gamma
from tests.libraries import lib as lib

X = [[0.3, 0.7, 0.2], [0.9, 0.4, 0.6]]
Y = [[0.5, 0.1, 0.8], [0.25, 0.65, 0.35]]

# What a method takes besides the tensor; those not named take nothing, or one more tensor.
ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "clamp_": (0.25, 0.5), "clip_": (0.25, 0.5), "clamp_min_": (0.5,), "clamp_max_": (0.5,), "fill_": (2.0,),
    "masked_fill_": ("mask", 2.0), "masked_scatter_": ("mask", "other"), "addcmul_": ("other", "other"),
    "addcdiv_": ("other", "other"), "lerp_": ("other", 0.3), "cumsum_": (1,), "cumprod_": (1,), "pow_": (3,),
    "polygamma_": (1,),
}  # fmt: skip
OURS = (
    arithmetic, ternary, division, powers, exponential, pointwise, trigonometry, error_and_gamma, rounding, comparison,
    where, masks, cumulative,
)  # fmt: skip
APART = {"zero_", "acosh_", "arccosh_", "float_power_"}
"""Those that take nothing from the tensor, or only other tensors than X."""
METHODS = sorted({name for family in OURS for name in getattr(family, "INPLACE", {})} - APART)


def arguments(name: str) -> tuple[Any, ...]:
    given = ARGUMENTS.get(name)
    if given is None:
        out_of_place = getattr(mg.tensor(X), name[:-1])
        try:
            out_of_place()
            given = ()
        except TypeError:
            given = ("other",)
    named = {"other": mg.tensor(Y), "mask": mg.tensor(X) > 0.5}
    return tuple(named[each] if isinstance(each, str) else each for each in given)


@pytest.mark.parametrize("name", METHODS)
def test_in_place_is_the_same_as_out_of_place(name: str) -> None:
    given = arguments(name)
    out_of_place = mg.fill if name == "fill_" else getattr(mg.Tensor, name[:-1])
    wanted = out_of_place(mg.tensor(X), *given)
    x = mg.tensor(X)
    memory, version = x.data_ptr(), x._version
    assert getattr(x, name)(*given) is x
    assert x.data_ptr() == memory
    assert x._version == version + 1
    np.testing.assert_allclose(x.cpu().numpy(), wanted.to(mg.float32).cpu().numpy(), rtol=1e-6)


@pytest.mark.parametrize("name", METHODS)
def test_in_place_has_the_same_gradient(name: str) -> None:
    given = arguments(name)
    out_of_place = mg.fill if name == "fill_" else getattr(mg.Tensor, name[:-1])
    results = []
    for in_place in (True, False):
        leaf = mg.tensor(X, requires_grad=True)
        x = leaf * 1
        x = getattr(x, name)(*given) if in_place else out_of_place(x, *given)
        if not x.requires_grad:
            return
        (x * mg.tensor(Y)).sum().backward()
        results.append(leaf.grad)
    mine, wanted = results
    np.testing.assert_allclose(mine.cpu().numpy(), wanted.cpu().numpy(), rtol=1e-5, atol=1e-6)


def test_an_operator_in_place_keeps_the_tensor() -> None:
    x = mg.tensor([4.0, 9.0])
    same = x
    x += 1
    x -= 2
    x *= 3
    x /= 2
    x **= 2
    x //= 2
    x %= 5
    assert x is same
    assert x._version == 7
    mask = mg.tensor([True, False])
    mask &= mg.tensor([True, True])
    mask |= mg.tensor([False, True])
    mask ^= mg.tensor([True, True])
    assert mask.tolist() == [False, False]


def test_a_tensor_may_be_added_to_itself_in_place() -> None:
    leaf = mg.tensor([1.0, 2.0], requires_grad=True)
    x = leaf * 1
    x.add_(x)
    x.sum().backward()
    assert leaf.grad.tolist() == [2.0, 2.0]


def test_in_place_with_overlapping_memory_is_refused_where_it_can_be_told() -> None:
    x = mg.arange(6.0)
    with pytest.raises(RuntimeError, match="refer to a single memory location"):
        x[1:].add_(x[:-1])
    assert x.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]


def test_in_place_between_windows_with_gaps_reads_before_it_writes() -> None:
    x = mg.arange(6.0)
    x[1:5:2].add_(x[:4:2])
    assert x.tolist() == [0.0, 1.0, 2.0, 5.0, 4.0, 5.0]


def test_in_place_broadcasts_the_other_but_not_the_tensor() -> None:
    x = mg.zeros(2, 3)
    x.add_(mg.tensor([1.0, 2.0, 3.0]))
    assert x.tolist() == [[1.0, 2.0, 3.0]] * 2
    with pytest.raises(RuntimeError, match="doesn't match the broadcast shape"):
        mg.zeros(3).mul_(mg.zeros(2, 3))


def test_in_place_on_integers_keeps_them_integers() -> None:
    x = mg.tensor([5, -5])
    x.floor_divide_(2)
    assert x.tolist() == [2, -3]
    with pytest.raises(RuntimeError, match="can't be cast"):
        x.div_(2)


def test_a_row_of_a_leaf_can_be_set_without_grad_while_somebody_listens() -> None:
    leaf = mg.ones(2, 3, requires_grad=True)
    seen: list[Any] = []
    with mg.events.listening(seen.append), mg.no_grad():
        leaf[1] = 0.0
    assert leaf.tolist() == [[1, 1, 1], [0, 0, 0]] and seen


OF_ITSELF: dict[str, tuple[Any, list[float]]] = {
    "fill_": (lambda lib, x: x.fill_(x[3]), [3.0, 3.0, 3.0, 3.0]),
    "masked_fill_": (lambda lib, x: x.masked_fill_(x < 2, x[3]), [3.0, 3.0, 2.0, 3.0]),
    "index_fill_": (lambda lib, x: x.index_fill_(0, lib.tensor([2, 3]), x[3]), [0.0, 1.0, 3.0, 3.0]),
    "a mask": (lambda lib, x: x.__setitem__(x > 1, x[1]), [0.0, 1.0, 1.0, 1.0]),
}


GRADS = {
    "fill_": [0.0, 0.0, 0.0, 1111.0],
    "masked_fill_": [0.0, 0.0, 100.0, 1011.0],
    "index_fill_": [1.0, 10.0, 0.0, 1100.0],
    "a mask": [1.0, 1110.0, 0.0, 0.0],
}


@pytest.mark.parametrize("name", OF_ITSELF)
def test_a_tensor_is_filled_with_one_of_its_elements(lib: Any, name: str) -> None:
    write, expected = OF_ITSELF[name]
    plain = lib.arange(4.0)
    write(lib, plain)
    assert plain.tolist() == expected
    leaf = lib.arange(4.0, requires_grad=True)
    x = leaf.clone()
    write(lib, x)
    assert x.tolist() == expected
    (x * lib.tensor([1.0, 10.0, 100.0, 1000.0])).sum().backward()
    assert leaf.grad.tolist() == GRADS[name]
