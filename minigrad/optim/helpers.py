"""Names that custom optimisers import from ``torch.optim.optimizer`` besides `Optimizer`."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from .. import dtypes
from ..core.grad_mode import set_grad_enabled
from ..core.tensor import Tensor
from ..ops.elementwise.complex import view_as_real

ParamsT = Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]]
"""The types that an optimiser accepts as parameters."""


class _RequiredParameter:
    """The type of `required`."""

    def __repr__(self) -> str:
        return "<required parameter>"


required = _RequiredParameter()
"""The default value of a setting that every parameter group must give."""


def _use_grad_for_differentiable(func: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap `func`, an optimiser's ``step``: record it if and only if the optimiser is differentiable."""

    @functools.wraps(func)
    def step(self: Any, *args: Any, **kwargs: Any) -> Any:
        with set_grad_enabled(bool(self.defaults["differentiable"])):
            return func(self, *args, **kwargs)

    return step


def _disable_dynamo_if_unsupported(single_tensor_fn: Any = None) -> Callable[[Any], Any]:
    """Return a decorator that changes nothing: minigrad has no compiler."""
    return lambda function: function


def _default_to_fused_or_foreach(
    params: Sequence[Tensor], differentiable: bool, use_fused: bool = False
) -> tuple[bool, bool]:
    """Return (False, False): use the loop over parameters, neither the fused nor the foreach version."""
    return False, False


def _get_value(x: Any) -> Any:
    """Return `x` as a number; `x` is a tensor of one element or a number."""
    return x.item() if isinstance(x, Tensor) else x


def _stack_if_compiling(x: Any) -> Any:
    """Return `x` itself."""
    return x


def _get_scalar_dtype(is_fused: bool | None = None) -> dtypes.dtype:
    """Return the dtype of step counters."""
    default = dtypes.get_default_dtype()
    return dtypes.float64 if default is dtypes.float64 and not is_fused else dtypes.float32


def _to_scalar(x: Any) -> Any:
    """Remove the dimensions of a tensor of one element; return any other value as it is."""
    return x.squeeze() if isinstance(x, Tensor) and x.dim() else x


def _view_as_real(params: list[Any], *state_and_grads: list[Any]) -> None:
    """Replace complex parameters, and their state and gradients, by real views, in place."""
    for number, parameter in enumerate(params):
        if parameter.is_complex():
            for each in (params, *state_and_grads):
                each[number] = view_as_real(each[number])


def _get_capturable_supported_devices(supports_xla: bool = True) -> list[str]:
    """Return PyTorch's list of device types on which a step can be captured in a CUDA graph."""
    return ["cuda", "xpu", "hpu", *(["xla"] if supports_xla else [])]


_params_doc = "params (iterable): the parameters, or groups of them, or pairs of a name and a parameter"
_foreach_doc = "foreach (bool, optional): accepted, changes nothing"
_fused_doc = "fused (bool, optional): accepted, changes nothing"
_maximize_doc = "maximize (bool, optional): go uphill (default: False)"
_capturable_doc = "capturable (bool, optional): accepted, changes nothing"
_differentiable_doc = "differentiable (bool, optional): record the step (default: False)"
