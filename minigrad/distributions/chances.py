"""The common base of distributions over successes, given by probabilities or log-odds."""

from __future__ import annotations

from typing import Any, ClassVar

from ..core.tensor import Tensor
from . import constraints
from .distribution import Distribution
from .utils import broadcast_all, lazy_property, logits_to_probs, one_of, probs_to_logits


class Chances(Distribution):
    """The base class for a probability of success, `probs`, or its log-odds, `logits`."""

    arg_constraints: ClassVar[dict[str, Any]] = {"probs": constraints.unit_interval, "logits": constraints.real}

    def _take(self, probs: Any, logits: Any) -> None:
        self._chosen = one_of(self, probs, logits)
        (given,) = broadcast_all(probs if logits is None else logits)
        setattr(self, self._chosen, given)

    @lazy_property
    def logits(self) -> Tensor:
        """log(p / (1 - p))."""
        return probs_to_logits(self.probs, is_binary=True)

    @lazy_property
    def probs(self) -> Tensor:
        """The probability of a success."""
        return logits_to_probs(self.logits, is_binary=True)

    @property
    def _param(self) -> Tensor:
        """The given parameter, `probs` or `logits`."""
        return self.__dict__[self._chosen]

    @property
    def param_shape(self) -> Any:
        """The shape of the given parameter, `probs` or `logits`."""
        return self._param.shape
