"""All alignments of a label sequence with time steps: the recursion of connectionist temporal classification.

States are the labels with blanks between and around them. A path stays in its state, or moves on by one state, or by
two where a blank may be left out.
"""

from __future__ import annotations

from typing import Any

from ... import dtypes
from ...core.op import Op
from ...core.tensor import Tensor
from ..common.samples import exactly, sample
from ..common.second_derivatives import gradients_of
from ..shape.join import stack
from ..shape.padding import constant_pad_nd

NEVER = -3.0  # in samples: of real ones finite differences see nothing
SKIPS = exactly([[False, False, False, True, False], [False] * 5])


class Alignments(Op):
    r"""The log-probability of all paths that are in state s at time t (Graves et al., 2006: the forward variable).

    `emitted` (T, N, S) is the log-probability of each state's label; `skips` (N, S) says where the state
    before may be left out. A path begins in one of the first two states. `never` stands for log 0.
    """

    formula = (
        r"\alpha_{ts} = x_{ts} + \log\big(e^{\alpha_{t-1,s}} + e^{\alpha_{t-1,s-1}} + e^{\alpha_{t-1,s-2} + b_s}\big)"
    )
    lacks = (dtypes.float16, dtypes.bfloat16)  # as in PyTorch
    memory_order = "rows"
    samples = (sample((4, 2, 5), SKIPS, never=NEVER), sample((1, 2, 5), SKIPS, never=NEVER))
    never: float

    def forward(self, xp, emitted, skips):
        time, batch, width = emitted.shape
        padded = xp.full((time, batch, width + 2), self.never, emitted.dtype)
        alpha = padded[:, :, 2:]
        alpha[0, :, :2] = 0
        alpha[0] += emitted[0]
        barred = xp.where(skips, 0, self.never).astype(emitted.dtype)
        came = xp.zeros((3, batch, width), emitted.dtype)
        for now, before, gained in zip(alpha[1:], padded, emitted[1:], strict=False):
            for step in range(3):
                came[step] = before[:, 2 - step : width + 2 - step]
            came[2] += barred
            most = came.max(0)
            came -= most
            xp.exp(came, out=came)
            came.sum(0, out=now)
            xp.log(now, out=now)
            now += most
            now += gained
        return xp.ascontiguousarray(alpha)

    def grad_emitted(self, grad, skips, out):
        r"""\bar x_{ts} = \bar\alpha_{ts} + \textstyle\sum_k \bar x_{t+1,s+k}\, p_{tsk} \text{ (AlignmentsBackward)}"""
        return AlignmentsBackward(self.never)(grad, skips, out)


class AlignmentsBackward(Op):
    """The gradient of `Alignments`: each state's is sent back along the paths that led to it.

    The share p of a path is its part of the sum in the state's formula: a softmax of three.
    """

    formula = r"y_{ts} = g_{ts} + \textstyle\sum_{k=0}^2 y_{t+1,s+k}\, p_{tsk}"
    lacks = (dtypes.float16, dtypes.bfloat16)  # as in PyTorch
    memory_order = "rows"
    samples = (sample((4, 2, 5), SKIPS, (4, 2, 5), never=NEVER),)
    never: float

    def forward(self, xp, g, skips, alpha):
        time, batch, width = g.shape
        padded = xp.full((time, batch, width + 2), self.never, g.dtype)
        padded[:, :, 2:] = alpha
        shares = xp.stack([padded[:-1, :, 2 - step : width + 2 - step] for step in range(3)])
        shares[2] += xp.where(skips, 0, self.never).astype(g.dtype)
        shares -= shares.max(0)
        xp.exp(shares, out=shares)
        shares /= shares.sum(0)
        padded[:] = 0
        total = padded[:, :, 2:]
        total += g
        for now in range(time - 1, 0, -1):
            sent = shares[:, now - 1] * total[now]
            for step in range(3):
                padded[now - 1, :, 2 - step : width + 2 - step] += sent[step]
        return xp.ascontiguousarray(total)

    def backward(self, grad, g, skips, alpha):
        r"""\text{by differentiating the formula}"""
        of_g, of_alpha = gradients_of(lambda g, alpha: self.plain(g, skips, alpha), (g, alpha), grad)
        return [of_g, None, of_alpha]

    def plain(self, g: Tensor, skips: Tensor, alpha: Any) -> Tensor:
        """The same gradient in ordinary tensor operations."""
        barred = skips.logical_not().to(g.dtype) * self.never
        bars = constant_pad_nd(barred.unsqueeze(-1), (0, 2), 0.0)
        shares = (constant_pad_nd(alpha[:-1], (2, 0), self.never).unfold(2, 3, 1) + bars).softmax(-1)
        given = g.unbind(0)
        totals = [given[-1]]
        for here, share in zip(given[-2::-1], reversed(shares.unbind(0)), strict=True):
            two, one, none = (share * totals[-1].unsqueeze(-1)).unbind(-1)
            total: Any = here + none + constant_pad_nd(one[:, 1:], (0, 1), 0.0)
            totals.append(total + constant_pad_nd(two[:, 2:], (0, 2), 0.0))
        return stack(totals[::-1])
