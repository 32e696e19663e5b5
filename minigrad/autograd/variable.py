"""`Variable`, and what else is kept from before tensors and variables were one."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from ..core.state import STATE
from ..core.tensor import Tensor
from ..errors import GradError
from ..ops.create.factories import as_tensor, tensor


class Engine:
    """The engine as code written for PyTorch reaches for it: ``Variable._execution_engine``."""

    @staticmethod
    def queue_callback(callback: Callable[[], Any]) -> None:
        """Call `callback` when the backward that is running has come to its end."""
        if not STATE.mode.passes:
            raise GradError("Final callbacks can only be installed during backward pass: from a hook or a Function.")
        STATE.mode.passes[-1].callbacks.append(callback)


class _VariableMeta(type):
    """``isinstance(x, Variable)`` is true of every tensor."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor)


class Variable(metaclass=_VariableMeta):
    """``Variable(tensor, requires_grad)`` gives a tensor: the two have long been the same."""

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
