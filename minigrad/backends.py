"""The names of ``torch.backends`` that programs read and set when they start.

minigrad uses no cuDNN, oneDNN or Metal: settings are stored and can be read, without effect.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from . import cuda as _cuda

__path__: list[str] = []  # lets ``import minigrad.backends.cudnn`` look for a submodule; each is created below

__all__ = ["cpu", "cuda", "cudnn", "mkl", "mkldnn", "mps", "openmp", "opt_einsum"]


class _Library(types.ModuleType):
    """Settings of a library that minigrad does not use; they are stored."""

    def __init__(self, name: str, available: bool = False, **settings: Any) -> None:
        super().__init__(f"{__name__}.{name}", f"Settings of {name}, which changes no result here.")
        self._available = available
        vars(self).update(settings)
        sys.modules[self.__name__] = self

    def is_available(self) -> bool:
        """Whether the library is used: never."""
        return self._available

    def is_built(self) -> bool:
        """Whether the library is built in: never."""
        return self._available

    def version(self) -> None:
        """The version of the library: None."""

    @contextmanager
    def flags(self, **settings: Any) -> Iterator[None]:
        """Change settings inside a ``with`` block."""
        before = {name: getattr(self, name, None) for name in settings}
        vars(self).update(settings)
        try:
            yield
        finally:
            vars(self).update(before)


cudnn = _Library(
    "cudnn", enabled=True, benchmark=False, deterministic=False, allow_tf32=True, benchmark_limit=10,
    fp32_precision="none",
)  # fmt: skip
mkldnn = _Library("mkldnn", enabled=True, deterministic=False)
mps, mkl, openmp = _Library("mps"), _Library("mkl"), _Library("openmp")
opt_einsum = _Library("opt_einsum", enabled=False, strategy=None)


@contextmanager
def _sdp_kernel(
    enable_flash: bool = True, enable_math: bool = True, enable_mem_efficient: bool = True, enable_cudnn: bool = True
) -> Iterator[None]:
    """A choice between kernels of attention; the results are the same here."""
    yield


def _kernel_switches() -> dict[str, Any]:
    """The switches of attention's kernels: what is set can be read."""
    on = dict.fromkeys(("flash", "mem_efficient", "math", "cudnn"), True)

    def pair(name: str) -> dict[str, Any]:
        return {
            f"enable_{name}_sdp": lambda enabled: on.__setitem__(name, bool(enabled)),
            f"{name}_sdp_enabled": lambda: on[name],
        }

    return {switch: function for name in on for switch, function in pair(name).items()}


cuda = _Library(
    "cuda",
    matmul=types.SimpleNamespace(
        allow_tf32=False, fp32_precision="none", allow_fp16_reduced_precision_reduction=True,
        allow_bf16_reduced_precision_reduction=True, allow_fp16_accumulation=False,
    ),
    sdp_kernel=_sdp_kernel, **_kernel_switches(),
)  # fmt: skip
cuda.is_built = _cuda.is_available  # type: ignore[method-assign]
cpu = _Library("cpu", True, get_cpu_capability=lambda: "DEFAULT")
