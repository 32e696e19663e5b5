"""Automatic differentiation, by the names that ``torch.autograd`` gives it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..core.grad_mode import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from ..core.looking import SavedTensor as SavedTensor
from . import graph
from .derivatives import backward, grad
from .function import Function, once_differentiable
from .grad_mode import _unsafe_preserve_version_counter as _unsafe_preserve_version_counter
from .grad_mode import enforce_grad_layout_policy, is_multithreading_enabled, set_multithreading_enabled
from .gradcheck import GradcheckError, gradcheck, gradgradcheck
from .variable import Variable, _calculate_shape, _is_checkpoint_valid, _make_grads, variable

_LAZY = {
    "NestedIOFunction": ".function",
    "anomaly_mode": ".anomaly_mode",
    "detect_anomaly": ".anomaly_mode",
    "set_detect_anomaly": ".anomaly_mode",
    "forward_ad": ".forward_ad",
    "function": ".function",
    "functional": ".functional",
    "grad_mode": ".grad_mode",
    "kineto_available": ".profiler",
    "_profiler_enabled": ".profiler",
    "profiler": ".profiler",
    "profiler_util": ".profiler_util",
}
"""Submodules that are imported at first use."""


if TYPE_CHECKING:
    from . import anomaly_mode, forward_ad, functional, profiler
    from .anomaly_mode import detect_anomaly, set_detect_anomaly
else:

    def __getattr__(name: str) -> Any:
        if name not in _LAZY:
            raise AttributeError(f"module 'minigrad.autograd' has no attribute {name!r}")
        from importlib import import_module

        module = import_module(_LAZY[name], __name__)
        found = getattr(module, name, module)
        globals()[name] = found
        return found


__all__ = [
    "Function",
    "GradcheckError",
    "Variable",
    "anomaly_mode",
    "backward",
    "detect_anomaly",
    "enable_grad",
    "enforce_grad_layout_policy",
    "forward_ad",
    "functional",
    "grad",
    "gradcheck",
    "gradgradcheck",
    "graph",
    "inference_mode",
    "is_grad_enabled",
    "is_inference_mode_enabled",
    "is_multithreading_enabled",
    "no_grad",
    "once_differentiable",
    "profiler",
    "set_detect_anomaly",
    "set_grad_enabled",
    "set_multithreading_enabled",
    "variable",
]
