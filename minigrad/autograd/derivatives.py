"""`backward` and `grad` with all of PyTorch's arguments, including the deprecated ones; the core does the work."""

from __future__ import annotations

import warnings
from typing import Any

from ..core import differentiate
from ..errors import GradError


def backward(
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Any = None,
    inputs: Any = None,
) -> None:
    """Add the gradients of `tensors` with respect to the leaves to the leaves' ``.grad``.

    Args:
        tensors: a tensor, or several; those with more than one element need a gradient in `grad_tensors`.
        grad_tensors: the gradients of some later scalar with respect to `tensors`, of the same shapes; 1 if left out.
        retain_graph: whether the graph can be used again afterwards; `create_graph` if left out.
        create_graph: whether the gradients can be differentiated.
        grad_variables: the old name of `grad_tensors`; deprecated.
        inputs: only these tensors get a ``.grad``.

    >>> import minigrad as mg
    >>> x = mg.tensor([1.0, 2.0], requires_grad=True)
    >>> mg.autograd.backward((x * x).sum())
    >>> x.grad
    tensor([2., 4.])
    """
    if grad_variables is not None:
        warnings.warn("`grad_variables` is deprecated. Use `grad_tensors` instead.", FutureWarning, stacklevel=2)
        if grad_tensors is not None:
            raise GradError(
                "`grad_tensors` and `grad_variables` (deprecated) arguments both passed to `backward()`. "
                "Please only use `grad_tensors`."
            )
        grad_tensors = grad_variables
    differentiate.backward(tensors, grad_tensors, retain_graph, create_graph, inputs)


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> Any:
    """The gradients of `outputs` with respect to `inputs`: a tuple, or a dict if `inputs` is one. No ``.grad`` changes.

    Args:
        outputs: a tensor, or several.
        inputs: a tensor or edge, several, or a dict of them.
        grad_outputs: the gradients of some later scalar with respect to `outputs`; 1 if left out.
        retain_graph: whether the graph can be used again afterwards; `create_graph` if left out.
        create_graph: whether the gradients can be differentiated.
        only_inputs: deprecated; only True does anything.
        allow_unused: whether the gradient of an input that was not used is None. Otherwise that is an error.
        is_grads_batched: whether the first dimension of `grad_outputs` runs over a batch, all done in one pass.
        materialize_grads: whether the gradient of an input that was not used is zeros.

    >>> import minigrad as mg
    >>> x = mg.tensor(2.0, requires_grad=True)
    >>> (slope,) = mg.autograd.grad(x**3, x, create_graph=True)
    >>> mg.autograd.grad(slope, x)
    (tensor(12.),)
    """
    if not only_inputs:
        warnings.warn(
            "only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate gradient for "
            "other parts of the graph, please use autograd.backward.",
            FutureWarning,
            stacklevel=2,
        )
    if not is_grads_batched:
        return differentiate.grad(
            outputs, inputs, grad_outputs, retain_graph, create_graph, allow_unused, materialize_grads
        )
    if isinstance(inputs, dict):
        chosen = tuple(inputs.values())
        found = grad(
            outputs, chosen, grad_outputs, retain_graph, create_graph, True, allow_unused, True, materialize_grads
        )
        return dict(zip(inputs, found, strict=True))
    differentiate.check_unused(allow_unused, materialize_grads)
    chosen, made = differentiate.as_sequence(inputs), differentiate.as_sequence(outputs)
    if not chosen:
        raise GradError("`inputs` argument to `grad()` cannot be empty.")
    grads = differentiate.as_grads(grad_outputs, len(made))
    from ..func.batched_grad import batched_grad  # imported here: func imports Function from this package

    return batched_grad(made, chosen, grads, retain_graph, create_graph, allow_unused, materialize_grads)
