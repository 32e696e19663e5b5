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
from . import deprecated as deprecated
from . import graph
from .derivatives import backward, grad
from .function import Function, once_differentiable
from .grad_mode import is_multithreading_enabled, set_multithreading_enabled
from .gradcheck import GradcheckError, gradcheck, gradgradcheck
from .variable import Variable, variable

_LAZY = {
    "anomaly_mode": ".anomaly",
    "detect_anomaly": ".anomaly",
    "set_detect_anomaly": ".anomaly",
    "forward_ad": ".forward_ad",
    "function": ".function",
    "functional": ".functional",
    "grad_mode": ".grad_mode",
    "profiler": ".profiler",
    "profiler_util": ".profiler_util",
}
"""What is imported only when somebody asks for it."""


if TYPE_CHECKING:
    from . import anomaly as anomaly_mode
    from . import forward_ad, functional, profiler
    from .anomaly import detect_anomaly, set_detect_anomaly
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
