"""Random activations: a relu with random slopes, and a random choice that gradients flow through."""

from __future__ import annotations

from typing import Any

from ...core.interpreter import drawing
from ...core.tensor import Tensor, wrap
from ...dtypes import float64
from ...errors import DomainError
from ...ops.nn.activation import leaky_relu
from ...ops.random.distributions import source


@drawing
def _slopes(input: Any, lower: float, upper: float) -> Any:
    """Return a random slope between `lower` and `upper` for each element that is not above 0, and 1 for the others."""
    backend, array = input._backend, input._array
    slopes, below = backend.ones(array.shape, array.dtype), array <= 0
    slopes[below] = source(None, backend).uniform((int(below.sum()),), float64, lower, upper).astype(array.dtype)
    return wrap(slopes, backend)


@drawing
def _waiting_times(input: Any) -> Any:
    """Numbers from the exponential distribution of rate 1, one for each element of `input`."""
    backend = input._backend
    return wrap(source(None, backend).exponential(input._array.shape, input.dtype), backend)


def rrelu(
    input: Any, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False, inplace: bool = False
) -> Tensor:
    """A leaky relu with a random slope in [`lower`, `upper`] for every element; unless `training`, with their mean."""
    if lower > upper:
        raise DomainError(f"Lower bound should be less than or equal to the upper bound, got {lower} and {upper}")
    if training:
        result = input * _slopes(input, lower, upper)
    else:
        result = leaky_relu(input, (lower + upper) / 2)
    return input.copy_(result) if inplace else result


def rrelu_(input: Any, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False) -> Tensor:
    """`rrelu` in place."""
    return rrelu(input, lower, upper, training, True)


def gumbel_softmax(logits: Any, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Tensor:
    """A random class as an approximate one-hot vector, with temperature `tau`, so that gradients flow to `logits`.

    With `hard` the result is exactly one-hot, with the gradient of the approximate vector.
    """
    gumbels = -_waiting_times(logits).log()
    soft = ((logits + gumbels) / tau).softmax(dim)
    if not hard:
        return soft
    chosen = soft.new_zeros(soft.shape).scatter(dim, soft.detach().argmax(dim, keepdim=True), 1.0)
    return chosen - soft.detach() + soft
