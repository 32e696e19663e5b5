"""`Variable` and other names from before PyTorch merged tensors and variables."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from ..core import differentiate
from ..core.state import STATE
from ..core.tensor import Tensor
from ..errors import GradError
from ..ops.create.factories import as_tensor, tensor


class Engine:
    """The engine as PyTorch code accesses it: ``Variable._execution_engine``."""

    @staticmethod
    def queue_callback(callback: Callable[[], Any]) -> None:
        """Call `callback` at the end of the running backward pass."""
        if not STATE.mode.passes:
            raise GradError("Final callbacks can only be installed during backward pass: from a hook or a Function.")
        STATE.mode.passes[-1].callbacks.append(callback)

    @staticmethod
    def is_checkpoint_valid() -> bool:
        """Whether reentrant checkpoints can run now; see `_is_checkpoint_valid`."""
        return _is_checkpoint_valid()

    @staticmethod
    def run_backward(
        tensors: Any,
        grad_tensors: Any,
        keep_graph: bool,
        create_graph: bool,
        inputs: Any = (),
        allow_unreachable: bool = False,
        accumulate_grad: bool = False,
    ) -> tuple[Any, ...] | None:
        """Run backward with the engine's own signature: all arguments in order, every gradient given or None.

        With `accumulate_grad` the gradients are added to ``.grad``; else those of `inputs` are returned.
        """
        if accumulate_grad:
            differentiate.backward(tensors, grad_tensors, keep_graph, create_graph, inputs or None)
            return None
        found = differentiate.grad(tensors, inputs, grad_tensors, keep_graph, create_graph, allow_unreachable)
        return tuple(found)


class _VariableMeta(type):
    """Makes ``isinstance(x, Variable)`` true for every tensor."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor)


class Variable(metaclass=_VariableMeta):
    """``Variable(tensor, requires_grad)`` returns a tensor: the two are the same class by now."""

    _execution_engine = Engine()

    def __new__(cls, data: Any, requires_grad: bool = False, volatile: bool | None = None) -> Any:
        if volatile is not None:
            warnings.warn(
                "volatile was removed and now has no effect. Use `with no_grad():` instead.", UserWarning, stacklevel=2
            )
        tensor = data.detach() if isinstance(data, Tensor) else as_tensor(data)
        return tensor.requires_grad_() if requires_grad else tensor


def variable(data: Any, requires_grad: bool = False, **settings: Any) -> Tensor:
    """The old name of `minigrad.tensor`."""
    warnings.warn("autograd.variable(...) is deprecated, use minigrad.tensor(...) instead", FutureWarning, stacklevel=2)
    result: Tensor = tensor(data, requires_grad=requires_grad, **settings)
    return result


def _is_checkpoint_valid() -> bool:
    """Whether reentrant checkpoints can run now: not in a backward that computes gradients of chosen inputs only."""
    return not any(each.goals is not None for each in STATE.mode.passes)


def _calculate_shape(output: Any, grad: Tensor, is_grads_batched: bool) -> tuple[Any, Any]:
    """Return the shapes that must agree: of an output, and of its gradient without the batch dimension."""
    return output.shape, grad.shape[1:] if is_grads_batched else grad.shape


def _make_grads(outputs: Any, grads: Any, is_grads_batched: bool = False) -> tuple[Tensor | None, ...]:
    """Return the initial gradient of each output: the given one, or 1 for an output that requires a gradient.

    GradError if an output has several elements and no gradient; ShapeError if a gradient has another shape. With
    `is_grads_batched` the gradients have an extra batch dimension.
    """
    made: list[Tensor | None] = []
    for index, (output, grad) in enumerate(zip(outputs, grads, strict=True)):
        if grad is not None and is_grads_batched:
            made.append(grad)
        elif grad is not None or (isinstance(output, Tensor) and output.requires_grad):
            made.append(differentiate.root_grad(index, output, grad))
        else:
            made.append(None)
    return tuple(made)
