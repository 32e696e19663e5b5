"""Softmax over very many classes, most of which are rare (Grave et al., 2017)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from ..core.tensor import Tensor
from ..errors import ArgumentError, ShapeError
from ..ops.shape.join import cat
from . import functional as F
from .container import ModuleList, Sequential
from .linear import Linear
from .module import Module


class ASMoutput(NamedTuple):
    """The result of `AdaptiveLogSoftmaxWithLoss`."""

    output: Tensor
    """(N): the log-probability of each target."""
    loss: Tensor
    """The mean of the negative log-probabilities."""


class AdaptiveLogSoftmaxWithLoss(Module):
    r"""Log-probabilities of classes sorted by frequency, with little computation for rare ones.

    The head chooses between the classes below ``cutoffs[0]`` and clusters of the others, split at the further cutoffs;
    a cluster's own layers run only for targets in it:
    :math:`\log p(y) = \log p(\text{cluster}) + \log p(y \mid \text{cluster})`. Cluster i works with
    ``in_features / div_value^i`` features. ArgumentError for cutoffs that do not increase between 1 and
    ``n_classes - 1``.

    >>> import minigrad as mg
    >>> layer = mg.nn.AdaptiveLogSoftmaxWithLoss(8, 100, cutoffs=[10, 40])
    >>> layer(mg.ones(2, 8), mg.tensor([3, 77])).output.shape
    minigrad.Size([2])
    """

    def __init__(
        self,
        in_features: int,
        n_classes: int,
        cutoffs: Sequence[int],
        div_value: float = 4.0,
        head_bias: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        given = list(cutoffs)
        if not given:
            raise ArgumentError("cutoffs should be a sequence of length larger than 0")
        if given != sorted(set(given)) or given[0] <= 0 or given[-1] > n_classes - 1 or any(int(c) != c for c in given):
            raise ArgumentError(
                "cutoffs should be a sequence of unique, positive integers sorted in an increasing order, where each "
                f"value is between 1 and n_classes-1, got {given} for {n_classes} classes"
            )
        self.in_features, self.n_classes = in_features, n_classes
        self.cutoffs = [*given, n_classes]
        self.div_value, self.head_bias = div_value, head_bias
        self.shortlist_size = given[0]
        self.n_clusters = len(given)
        self.head_size = self.shortlist_size + self.n_clusters
        self.head = Linear(in_features, self.head_size, head_bias, device, dtype)
        self.tail = ModuleList()
        for cluster, (low, high) in enumerate(pairwise(self.cutoffs), start=1):
            narrow = int(in_features // div_value**cluster)
            shrink = Linear(in_features, narrow, False, device, dtype)
            self.tail.append(Sequential(shrink, Linear(narrow, high - low, False, device, dtype)))

    def reset_parameters(self) -> None:
        """Reinitialise all parameters."""
        for layer in (self.head, *(each for cluster in self.tail for each in cluster)):  # type: ignore[attr-defined]
            layer.reset_parameters()

    def forward(self, input_: Any, target_: Any) -> ASMoutput:
        """Return the log-probability of each target (N) for inputs (N, in_features), and the loss; N is optional."""
        if target_.ndim > 1:
            raise ShapeError("0D or 1D target tensor expected, multi-target not supported")
        if input_.ndim != target_.ndim + 1:
            raise ShapeError(
                f"{target_.ndim}D target tensor expects {target_.ndim + 1}D input tensors, but found inputs with size "
                f"{list(input_.shape)}"
            )
        if target_.ndim and len(input_) != len(target_):
            raise ShapeError(
                "Input and target should have the same size in the batch dimension, but have "
                f"{len(input_)} and {len(target_)}"
            )
        alone = target_.ndim == 0
        input, target = (input_.unsqueeze(0), target_.unsqueeze(0)) if alone else (input_, target_)
        output = self._log_probabilities(input, target)
        return ASMoutput(output.squeeze(0) if alone else output, -output.mean())

    def _log_probabilities(self, input: Any, target: Any) -> Any:
        if bool(((target < 0) | (target >= self.n_classes)).any()):
            raise ShapeError(
                f"Target values should be in [0, {self.n_classes - 1}], but values in range "
                f"[{target.min().item()}, {target.max().item()}] were found."
            )
        inside = input.new_zeros(len(target))
        choice = target
        for cluster, (low, high) in enumerate(pairwise(self.cutoffs)):
            here = (target >= low) & (target < high)
            rows = here.nonzero().squeeze(1)
            if len(rows):
                scores = F.log_softmax(self.tail[cluster](input.index_select(0, rows)), 1)
                found = scores.gather(1, (target.index_select(0, rows) - low).unsqueeze(1))
                inside = inside.index_copy(0, rows, found.squeeze(1))
                choice = choice.masked_fill(here, self.shortlist_size + cluster)
        head = F.log_softmax(self.head(input), 1)
        return inside + head.gather(1, choice.unsqueeze(1)).squeeze(1)

    def log_prob(self, input: Any) -> Tensor:
        """The log-probabilities of all classes (N, n_classes), for inputs (N, in_features)."""
        head = F.log_softmax(self.head(input), 1)
        parts = [head[:, : self.shortlist_size]]
        for cluster, layers in enumerate(self.tail, start=self.shortlist_size):
            parts.append(F.log_softmax(layers(input), 1) + head[:, cluster : cluster + 1])
        return cat(parts, 1)

    def predict(self, input: Any) -> Tensor:
        """Return the most probable class of each input (N, in_features). Clusters run only if the head chose one."""
        best = self.head(input).argmax(1)
        rows = (best >= self.shortlist_size).nonzero().squeeze(1)
        if len(rows):
            best = best.index_copy(0, rows, self.log_prob(input.index_select(0, rows)).argmax(1))
        return best
