"""Right and wrong uses of minigrad, for type checkers only: this file is checked and never run.

Each ``assert_type`` names the type that a checker must find. A line that ends in ``# wrong`` must be an error, and no
other line may be one.
"""

from __future__ import annotations

from typing import Any

import numpy
from typing_extensions import assert_type

import minigrad as mg
import minigrad.nn.functional as F
from minigrad import Tensor, nn, optim
from minigrad.utils.data import DataLoader, TensorDataset


class TwoHeads(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 8), nn.ReLU())
        self.left = nn.Linear(8, 1)
        self.right = nn.Linear(8, 3)

    def forward(self, x: Tensor, scale: float = 1.0) -> tuple[Tensor, Tensor]:
        hidden = self.body(x) * scale
        return self.left(hidden), self.right(hidden).softmax(-1)


net = TwoHeads()
x = mg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
mask = x > 1

# Tensors and their properties
assert_type(x, Tensor)
assert_type(x.shape, mg.Size)
assert_type(x.size(), mg.Size)
assert_type(x.size(0), int)
assert_type(x.stride(), tuple[int, ...])
assert_type(x.ndim, int)
assert_type(x.dim(), int)
assert_type(x.dtype, mg.dtype)
assert_type(x.device, mg.device)
assert_type(x.grad, Tensor | None)
assert_type(x.requires_grad, bool)
assert_type(x.numel(), int)
assert_type(x.numpy(), numpy.ndarray[Any, Any])
assert_type(len(x), int)
assert_type(float(x.sum()), float)
assert_type(bool(mask.any()), bool)
assert_type(x.T, Tensor)
assert_type(x[0, 1:], Tensor)
assert_type(list(x), list[Tensor])

# Operators
assert_type(x + 1, Tensor)
assert_type(2 - x, Tensor)
assert_type(x / x, Tensor)
assert_type(2**x, Tensor)
assert_type(x @ x, Tensor)
assert_type(-x, Tensor)
assert_type(x == 1, Tensor)
assert_type(mask & ~mask, Tensor)

# Methods and functions
assert_type(x.sum(), Tensor)
assert_type(x.sum(0, keepdim=True), Tensor)
assert_type(x.mean(dim=(0, 1)), Tensor)
assert_type(x.reshape(2, -1), Tensor)
assert_type(x.view((4,)).permute(0), Tensor)
assert_type(x.to(mg.float64), Tensor)
assert_type(x.exp_(), Tensor)
assert_type(x.split(1), tuple[Tensor, ...])
assert_type(mg.tanh(x), Tensor)
assert_type(mg.add(x, 2, alpha=3), Tensor)
assert_type(mg.cat([x, x], 0), Tensor)
assert_type(mg.zeros(2, 3, dtype=mg.int64), Tensor)
assert_type(mg.ones((2, 3)), Tensor)
assert_type(mg.randn(2, generator=mg.Generator()), Tensor)
assert_type(mg.zeros(2, dtype=float), Tensor)
assert_type(mg.float32, mg.dtype)
assert_type(mg.pi, float)
assert_type(mg.allclose(x, x), bool)
assert_type(mg.einsum("ij,jk->ik", x, x), Tensor)
assert_type(F.relu(x), Tensor)
assert_type(F.cross_entropy(x, mg.tensor([0, 1])), Tensor)
assert_type(F.conv2d(x, x, padding=1), Tensor)
assert_type(mg.linalg.inv(x), Tensor)
assert_type(mg.fft.rfft(x), Tensor)
assert_type(mg.special.expit(x), Tensor)

# Overloads, and named tuples
assert_type(x.max(), Tensor)
assert_type(x.max(0).indices, Tensor)
assert_type(mg.max(x, 0).values, Tensor)
assert_type(mg.max(x, x), Tensor)
assert_type(x.median(dim=0).values, Tensor)
assert_type(x.sort().indices, Tensor)
assert_type(mg.topk(x, 1).values, Tensor)
assert_type(mg.where(mask, x, 0.0), Tensor)
assert_type(mg.where(mask), tuple[Tensor, ...])
assert_type(mask.nonzero(), Tensor)
assert_type(mask.nonzero(as_tuple=True), tuple[Tensor, ...])
assert_type(mg.unique(x), Tensor)
assert_type(mg.unique(x, return_counts=True), tuple[Tensor, ...])
assert_type(F.max_pool1d(x, 2), Tensor)
assert_type(F.max_pool1d(x, 2, return_indices=True), tuple[Tensor, Tensor])
assert_type(mg.linalg.svd(x).Vh, Tensor)
assert_type(mg.linalg.eigh(x).eigenvalues, Tensor)
largest, where = x.max(dim=1)
assert_type(where, Tensor)

# Modules
assert_type(net(x), tuple[Tensor, Tensor])
assert_type(net(x, scale=2.0), tuple[Tensor, Tensor])
assert_type(nn.Linear(2, 3)(x), Tensor)
assert_type(nn.Sequential(nn.Linear(2, 3), nn.Tanh())(x), Tensor)
assert_type(nn.CrossEntropyLoss()(x, x), Tensor)
assert_type(net.train(), TwoHeads)
optimizer = optim.Adam(net.parameters(), lr=0.1)
optimizer.zero_grad()
net(x)[0].sum().backward()
loader = DataLoader(TensorDataset(x, x), batch_size=2)
with mg.no_grad():
    x -= 0.1 * x

# Uses that must be errors
x.summ()  # wrong
x.sum(dims=1)  # wrong
x.sum("rows")  # wrong
x.shap  # wrong
x.reshape("rows")  # wrong
x.softmax(-1, 2, 3, 4)  # wrong
x.requires_gard = True  # wrong
mg.tensr([1.0])  # wrong
mg.tanh()  # wrong
mg.tanh("x")  # wrong
mg.zeros("2")  # wrong
mg.float31  # wrong
mg.nn.Lineer(2, 3)  # wrong
mg.optim.Adm(net.parameters())  # wrong
mg.linalg.inverse_of(x)  # wrong
F.rellu(x)  # wrong
F.conv2d(x)  # wrong
nn.Linear("2", 3)  # wrong
net()  # wrong
net(x, 1.0, 2.0)  # wrong
net("x")  # wrong
x.max(0).indexes  # wrong
mg.autograd.gradd(x, x)  # wrong
mg.utils.dataa  # wrong
