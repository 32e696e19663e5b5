"""Rows 17 to 29: leaves, ``.grad`` and what may be assigned to it."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

import minigrad as mg

Lib = Any


def leaf(lib: Lib) -> Any:
    return lib.tensor([1.0, 2.0, 3.0], requires_grad=True)


def test_integers_cannot_require_grad(lib: Lib) -> None:
    with pytest.raises(RuntimeError, match="[oO]nly Tensors of floating point"):
        lib.tensor([1, 2], requires_grad=True)
    with pytest.raises(RuntimeError, match="only Tensors of floating point dtype can require gradients"):
        lib.tensor([1, 2]).requires_grad_()


def test_requires_grad_of_a_result_cannot_be_unset(lib: Lib) -> None:
    y = leaf(lib) * 2
    with pytest.raises(RuntimeError, match="you can only change requires_grad flags of leaf variables"):
        y.requires_grad = False
    with pytest.raises(RuntimeError, match="you can only change requires_grad flags of leaf variables"):
        y.requires_grad_(False)
    assert y.requires_grad_() is y


def test_a_leaf_is_what_no_recorded_op_made(lib: Lib) -> None:
    x = leaf(lib)
    assert x.is_leaf and lib.ones(1).is_leaf and not (x * 2).is_leaf
    assert (x * 2).detach().is_leaf
    with lib.no_grad():
        assert (x * 2).is_leaf


def test_the_grad_is_never_the_callers_buffer(lib: Lib) -> None:
    x, seed = leaf(lib), lib.ones(3)
    x.backward(seed)
    assert x.grad is not seed and x.grad.data_ptr() != seed.data_ptr()


def test_two_leaves_never_share_a_grad(lib: Lib) -> None:
    a, b = leaf(lib), leaf(lib)
    (a + b).backward(lib.ones(3))
    assert a.grad.data_ptr() != b.grad.data_ptr()
    a.grad.zero_()
    assert b.grad.tolist() == [1.0, 1.0, 1.0]


def test_the_grad_has_the_layout_of_its_leaf(lib: Lib) -> None:
    x = lib.ones(2, 3).t().detach().requires_grad_()
    (x * lib.ones(3, 2)).sum().backward()
    assert x.grad.stride() == x.stride() == (1, 3)
    plain = lib.ones(2, 3).requires_grad_()
    (plain.t() * 2).sum().backward()
    assert plain.grad.stride() == (3, 1)


def test_assigning_a_grad_is_checked(lib: Lib) -> None:
    x = leaf(lib)
    with pytest.raises(RuntimeError, match="attempting to assign a gradient of size"):
        x.grad = lib.ones(2)
    with pytest.raises(RuntimeError, match="attempting to assign a gradient with dtype"):
        x.grad = lib.ones(3, dtype=lib.float64)
    with pytest.raises(RuntimeError, match="can't assign Variable as its own grad"):
        x.grad = x
    with pytest.raises(TypeError, match="assigned grad expected to be a Tensor or None but got grad of type"):
        x.grad = 1
    x.grad = lib.ones(3)
    x.grad = None
    assert x.grad is None


def test_reading_the_grad_of_a_non_leaf_warns(lib: Lib) -> None:
    y = leaf(lib) * 2
    with pytest.warns(UserWarning, match="The .grad attribute of a Tensor that is not a leaf Tensor"):
        assert y.grad is None


def test_retain_grad_keeps_the_grad_of_a_non_leaf(lib: Lib) -> None:
    x = leaf(lib)
    y = x * 2
    y.retain_grad()
    assert y.retains_grad
    y.sum().backward()
    assert y.grad.tolist() == [1.0, 1.0, 1.0]
    x.retain_grad()
    assert not x.retains_grad
    with pytest.raises(RuntimeError, match="can't retain_grad on Tensor that has requires_grad=False"):
        lib.ones(1).retain_grad()


def test_retain_grad_moves_with_an_in_place_change(lib: Lib) -> None:
    x = leaf(lib)
    y = x * 2
    y.retain_grad()
    y.mul_(3)
    y.sum().backward()
    assert y.grad.tolist() == [1.0, 1.0, 1.0]
    assert x.grad.tolist() == [6.0, 6.0, 6.0]


def test_detach_shares_memory_and_version(lib: Lib) -> None:
    y = leaf(lib) * 1
    d = y.detach()
    d.mul_(2)
    assert y._version == 1 and y.tolist() == [2.0, 4.0, 6.0]
    with pytest.raises(RuntimeError, match="Can't detach views in-place. Use detach\\(\\) instead"):
        (leaf(lib) * 1)[0:2].detach_()
    z = leaf(lib) * 2
    z.detach_()
    assert not z.requires_grad and z.grad_fn is None


def test_a_write_through_data_is_not_noticed(lib: Lib) -> None:
    x = leaf(lib)
    y = x * 1
    z = (y * y).sum()
    y.data.zero_()
    z.backward()
    assert x.grad.tolist() == [0.0, 0.0, 0.0]


def test_data_can_be_replaced_by_another_shape(lib: Lib) -> None:
    x = lib.ones(3)
    x.data = lib.ones(5)
    assert tuple(x.shape) == (5,)


def test_the_grad_has_the_dtype_of_its_leaf(lib: Lib) -> None:
    for name in ("float16", "bfloat16", "float32"):
        dtype = getattr(lib, name)
        x = lib.ones(2, dtype=dtype).requires_grad_()
        (x * lib.ones(2, dtype=lib.float64)).sum().backward()
        assert x.grad.dtype == dtype


def test_a_real_leaf_of_a_complex_result_gets_a_real_grad(lib: Lib) -> None:
    x = lib.tensor([1.0], requires_grad=True)
    (x * (1 + 2j)).abs().sum().backward()
    assert x.grad.dtype == lib.float32
    assert abs(x.grad.item() - 5**0.5) < 1e-6


def test_numpy_of_a_tensor_that_requires_grad_is_refused(lib: Lib) -> None:
    with pytest.raises(RuntimeError, match="Can't call numpy\\(\\) on Tensor that requires grad"):
        leaf(lib).numpy()


def test_only_leaves_can_be_deep_copied(lib: Lib) -> None:
    x = leaf(lib)
    x.sum().backward()
    twin = copy.deepcopy(x)
    assert twin.requires_grad and twin.tolist() == x.tolist() and twin.grad.tolist() == x.grad.tolist()
    twin.data.zero_()
    assert x.tolist() == [1.0, 2.0, 3.0]
    with pytest.raises(RuntimeError, match="Only Tensors created explicitly by the user"):
        copy.deepcopy(x * 2)


def test_a_leaf_can_be_pickled(lib: Lib) -> None:
    again = pickle.loads(pickle.dumps(leaf(lib)))
    assert again.requires_grad and again.tolist() == [1.0, 2.0, 3.0]


def test_bool_of_many_elements_is_ambiguous(lib: Lib) -> None:
    with pytest.raises(RuntimeError, match="Boolean value of Tensor with more than one value is ambiguous"):
        bool(lib.ones(2))


def test_a_misspelt_name_is_refused_with_the_one_meant() -> None:
    x = mg.ones(2)  # PyTorch takes any name silently
    with pytest.raises(AttributeError, match="Did you mean 'requires_grad'"):
        x.require_grad = True  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match="Did you mean 'grad_fn'"):
        x.grad_func  # type: ignore[attr-defined]
    with pytest.warns(UserWarning, match="Did you mean 'requires_grad'"):
        x.require_grad = False  # type: ignore[attr-defined]  # as published positional encodings have it
    assert x.require_grad is False  # type: ignore[attr-defined]
    x.anything = 1  # type: ignore[attr-defined]
    assert x.anything == 1  # type: ignore[attr-defined]


def test_the_gradient_of_an_expanded_leaf_has_an_element_for_each_of_its_own(lib: Lib) -> None:
    leaf = lib.ones(1).expand(2, 3).requires_grad_()
    (leaf * lib.arange(6.0).reshape(2, 3)).sum().backward()
    assert leaf.grad.stride() == (3, 1)
    assert leaf.grad.tolist() == [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]
    leaf.sum().backward()
    assert leaf.grad.tolist() == [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]


def test_a_retained_gradient_is_a_tensor_of_its_own(lib: Lib) -> None:
    x = lib.ones(2, requires_grad=True)
    y = x.clone()
    y.retain_grad()
    y.sum().backward()
    y.grad.add_(1)
    assert x.grad.tolist() == [1.0, 1.0]
    assert y.grad.tolist() == [2.0, 2.0]


def test_a_leaf_that_needs_no_gradient_any_more_gets_none(lib: Lib) -> None:
    x = leaf(lib)
    loss = (x * x).sum()
    x.requires_grad_(False)
    loss.backward()
    assert x.grad is None


def test_integers_that_shall_have_a_gradient_are_refused_with_what_to_write() -> None:
    with pytest.raises(RuntimeError, match=r"this one is minigrad.int64. Write 1.0 in place of 1"):
        mg.tensor([1, 2, 3], requires_grad=True)
