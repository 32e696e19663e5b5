"""Rows 30 to 40: versions, in-place changes, and views in both directions."""

from __future__ import annotations

from typing import Any

import pytest

import minigrad as mg

Lib = Any


def leaf(lib: Lib) -> Any:
    return lib.tensor([1.0, 2.0, 3.0], requires_grad=True)


def test_every_in_place_op_raises_the_version_shared_by_views_and_detach(lib: Lib) -> None:
    x = lib.ones(3)
    view, twin, data = x[:2], x.detach(), x.data
    versions = [x._version]
    x.add_(1)
    versions.append(x._version)
    view.mul_(2)
    versions += [x._version, view._version, data._version, twin._version]
    assert versions == [0, 1, 2, 2, 0, 2]


@pytest.mark.parametrize("op", ["exp", "sigmoid", "tanh", "sqrt"])
def test_changing_a_saved_result_is_an_error(lib: Lib, op: str) -> None:
    y = getattr(leaf(lib), op)()
    y.add_(1)
    with pytest.raises(
        RuntimeError, match="has been modified by an inplace operation.*is at version 1; expected version 0"
    ):
        y.sum().backward()


def test_changing_a_saved_input_is_an_error_that_says_what(lib: Lib) -> None:
    y = leaf(lib) * 1
    z = y * y
    y.add_(1)
    with pytest.raises(RuntimeError, match=r"Tensor \[3\]\], which is output 0 of"):
        z.sum().backward()


def test_changing_what_nobody_saved_is_fine(lib: Lib) -> None:
    x = leaf(lib)
    y = x * 2
    z = y + 1
    y.mul_(5)
    z.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0, 2.0]


def test_an_in_place_op_that_needs_its_own_old_value_keeps_it(lib: Lib) -> None:
    x, w = leaf(lib), leaf(lib)
    y = x * 1
    y.mul_(w)
    y.sum().backward()
    assert w.grad.tolist() == [1.0, 2.0, 3.0] and x.grad.tolist() == [1.0, 2.0, 3.0]


def test_a_leaf_that_requires_grad_may_not_be_changed_in_place(lib: Lib) -> None:
    x = leaf(lib)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place operation"):
        x.add_(1)
    with pytest.raises(RuntimeError, match="a view of a leaf Variable that requires grad is being used"):
        x[0:2].add_(1)
    with lib.no_grad():
        x.add_(1)
    assert x._version == 1 and x.is_leaf


def test_changing_a_view_gives_its_base_a_new_history(lib: Lib) -> None:
    x = leaf(lib)
    base = x * 1
    view = base[:2]
    view.mul_(10)
    assert base.grad_fn.name().endswith("CopySlices")
    assert view.grad_fn.name() == "AsStridedBackward0"
    assert view._base is base and view._version == base._version == 1
    base.sum().backward()
    assert x.grad.tolist() == [10.0, 10.0, 1.0]


def test_changing_the_base_is_seen_through_an_older_view(lib: Lib) -> None:
    x = leaf(lib)
    base = x * 1
    view = base[:2]
    base.mul_(10)
    assert view.grad_fn.name() == "AsStridedBackward0"
    view.sum().backward()
    assert x.grad.tolist() == [10.0, 10.0, 0.0]


def test_changes_through_a_chain_of_views_are_exact(lib: Lib) -> None:
    x = lib.ones(2, 3).requires_grad_()
    base = x * 1
    base.t()[1:, 0].mul_(lib.tensor([2.0, 3.0]))
    base[1].add_(x[0] * 4)
    (base * base).sum().backward()
    y = x.detach().clone().requires_grad_()
    factor = lib.tensor([[1.0, 2.0, 3.0], [1.0, 1.0, 1.0]])
    extra = lib.stack([lib.zeros(3), y[0] * 4])
    out = y * factor + extra
    (out * out).sum().backward()
    assert x.grad.tolist() == y.grad.tolist()


def test_assigning_a_slice_makes_the_base_require_grad(lib: Lib) -> None:
    base, value = lib.zeros(3), lib.tensor([5.0, 6.0], requires_grad=True)
    base[1:] = value * 2
    assert base.requires_grad and base.grad_fn.name().endswith("CopySlices")
    (base * lib.tensor([1.0, 2.0, 3.0])).sum().backward()
    assert value.grad.tolist() == [4.0, 6.0]


def test_assigning_by_mask_and_by_index(lib: Lib) -> None:
    x, value = leaf(lib), lib.tensor(7.0, requires_grad=True)
    y = x * 1
    y[y > 1.5] = value
    y[lib.tensor([0])] = x[2] * 2
    assert y.tolist() == [6.0, 7.0, 7.0]
    y.sum().backward()
    assert value.grad.item() == 2.0 and x.grad.tolist() == [0.0, 0.0, 2.0]


def test_duplicate_indices_accumulate(lib: Lib) -> None:
    x = leaf(lib)
    x[lib.tensor([0, 0, 2])].sum().backward()
    assert x.grad.tolist() == [2.0, 0.0, 1.0]


def test_one_of_several_views_may_not_be_changed(lib: Lib) -> None:
    first = (leaf(lib) * 1).unbind()[0]
    with pytest.raises(
        RuntimeError, match="is a view and is being modified inplace. This view is the output of a function"
    ):
        first.mul_(2)


def test_a_view_made_without_grad_may_not_be_changed_with_it(lib: Lib) -> None:
    base = leaf(lib) * 1
    with lib.no_grad():
        view = base[:2]
    with pytest.raises(RuntimeError, match="A view was created in no_grad mode and is being modified inplace"):
        view.mul_(2)


def test_such_a_view_is_read_and_written_where_nothing_is_recorded(lib: Lib) -> None:
    base = leaf(lib)
    with lib.no_grad():
        view = base[:2]
        base.mul_(2)
        seen = [(view + 1).tolist(), (1 * view).tolist(), view.exp().shape, view.sum().item(), view.requires_grad]
        view.add_(1)
        base[2:].copy_(view[:1])
    assert seen == [[3.0, 5.0], [2.0, 4.0], (2,), 6.0, True]
    assert base.tolist() == [3.0, 5.0, 3.0]
    with pytest.raises(RuntimeError, match="A view was created in no_grad mode and its base or another view"):
        view + 1


def test_an_expanded_tensor_may_not_be_changed(lib: Lib) -> None:
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor refers to a single memory"):
        lib.ones(1).expand(3).add_(1)


@pytest.mark.parametrize("write", [lambda y: y.zero_(), lambda y: y.fill_(3)], ids=["zero_", "fill_"])
def test_an_expanded_tensor_may_be_filled(lib: Lib, write: Any) -> None:
    x = lib.ones(2, 1)
    seen = x.expand(2, 3)
    assert write(seen) is seen
    assert x.tolist() == [[seen[0, 0].item()]] * 2 and x[0, 0].item() in (0, 3) and x._version == 1


def test_an_expanded_tensor_may_not_be_filled_with_a_tensor(lib: Lib) -> None:
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor refers to a single memory"):
        lib.ones(1).expand(3).fill_(lib.tensor(2.0))


def test_nothing_flows_through_what_was_filled_where_elements_share_memory() -> None:
    """PyTorch fills, but its backward then refuses to write the zeros."""
    x = mg.ones(2, 2, requires_grad=True)
    m = x * 2
    seen = m[:, :1].expand(2, 3)
    seen.zero_()
    (m * m).sum().backward()
    assert x.grad is not None and x.grad.tolist() == [[0.0, 8.0], [0.0, 8.0]]
    assert seen.sum().requires_grad


def test_a_result_that_does_not_fit_is_refused(lib: Lib) -> None:
    with pytest.raises(RuntimeError, match="doesn't match the broadcast shape"):
        lib.ones(3).add_(lib.ones(2, 3))
    with pytest.raises(RuntimeError, match="can't be cast to the desired output type"):
        lib.ones(3, dtype=lib.int64).add_(1.5)


def test_out_does_not_go_with_gradients(lib: Lib) -> None:
    with pytest.raises(RuntimeError, match=r"functions with out=... arguments don't support automatic differentiation"):
        lib.add(leaf(lib), 1, out=lib.empty(3))


def test_a_version_can_be_raised_by_hand(lib: Lib) -> None:
    y = leaf(lib) * 1
    z = (y * y).sum()
    lib.autograd.graph.increment_version(y)
    with pytest.raises(RuntimeError, match="has been modified by an inplace operation"):
        z.backward()


def test_in_place_changes_can_be_differentiated_twice(lib: Lib) -> None:
    x = leaf(lib)
    base = x * x
    base[1:].mul_(x[1:])
    (grad,) = lib.autograd.grad(base.sum(), x, create_graph=True)
    assert grad.tolist() == [2.0, 12.0, 27.0]
    (second,) = lib.autograd.grad(grad.sum(), x)
    assert second.tolist() == [2.0, 12.0, 18.0]


def test_views_know_their_base_and_their_number(lib: Lib) -> None:
    x = leaf(lib)
    base = x * 1
    parts = base.chunk(3)
    assert [part.output_nr for part in parts] == [0, 1, 2]
    assert all(part._base is base and part._is_view() for part in parts)
    assert base._base is None and not base._is_view()
    assert base[1:][0:1]._base is base
