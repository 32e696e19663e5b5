"""Matrices built from their entries: PyTorch's numbers, in dense tensors."""

from __future__ import annotations

from typing import Any

import pytest

import minigrad as mg

torch = pytest.importorskip("torch")
pytestmark = [pytest.mark.parity, pytest.mark.filterwarnings("ignore")]


def graph_layer(t: Any) -> Any:
    """The sum over neighbours of a graph layer, with gradients to its edges' weights."""
    places = t.tensor([[0, 1, 1, 2, 1], [2, 0, 2, 1, 0]])
    weights = t.tensor([3.0, 4.0, 5.0, 6.0, 7.0], requires_grad=True)
    x = t.arange(6.0).reshape(3, 2).requires_grad_()
    adjacency = t.sparse_coo_tensor(places, weights, (3, 3))
    out = t.spmm(adjacency, x) + t.sparse.mm(adjacency, x) + t.sparse.addmm(x, adjacency, x, beta=2, alpha=3)
    grads = t.autograd.grad(out.pow(2).sum(), (weights, x))
    old = t.sparse.FloatTensor(places, weights.detach(), t.Size([3, 4])).coalesce()
    return [
        adjacency.to_dense(), t.eye(3).to_sparse().to_dense(), t.eye(3).to_sparse_coo().to_dense(),
        t.eye(3).to_sparse(layout=t.sparse_coo).to_dense(), out, *grads, old.to_dense(), t.sparse.sum(adjacency),
        (adjacency @ x),
        t.sparse_coo_tensor([[0, 1], [2, 0]], [1, 2]).to_dense(),
        t.sparse_coo_tensor(t.tensor([[0, 2]]), t.ones(2, 2), (3, 2)).to_dense(),
    ]  # fmt: skip


def test_a_matrix_of_entries_gives_the_numbers_of_pytorch() -> None:
    for ours, theirs in zip(graph_layer(mg), graph_layer(torch), strict=True):
        assert (tuple(ours.shape), ours.dtype.name) == (tuple(theirs.shape), str(theirs.dtype).removeprefix("torch."))
        assert ours.tolist() == pytest.approx(theirs.tolist()) if ours.ndim < 2 else ours.tolist() == theirs.tolist()


def test_entries_that_do_not_fit_are_refused() -> None:
    with pytest.raises(IndexError, match="for dim 1, size is 2 but found index 2"):
        mg.sparse_coo_tensor([[0], [2]], [1.0], (2, 2))
    with pytest.raises(ValueError, match="need as many values"):
        mg.sparse_coo_tensor([[0, 1], [1, 0]], [1.0])
    with pytest.raises(ValueError, match="must be a matrix"):
        mg.sparse_coo_tensor([0, 1], [1.0, 2.0])
    with pytest.raises(ValueError, match="do not fit"):
        mg.sparse_coo_tensor([[0]], mg.ones(1, 2), (3, 3))
    assert mg.sparse_coo_tensor([[0], [1]], [2.0], requires_grad=True).is_leaf
    with pytest.raises(TypeError, match="cannot be sparse_csr: every tensor here is strided"):
        mg.eye(2).to_sparse(layout=mg.sparse_csr)


def test_entries_may_be_whole_tensors_at_the_only_place() -> None:
    for t in (mg, torch):
        values = t.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
        made = t.sparse_coo_tensor(t.zeros(0, 2, dtype=t.int64), values, (2,)).to_dense()
        assert made.tolist() == [4.0, 6.0]
        made.sum().backward()
        assert values.grad.tolist() == [[1.0, 1.0], [1.0, 1.0]]
