"""Process-wide settings of PyTorch that programs make when they start, and their effect in minigrad."""

from __future__ import annotations

from typing import Any

from .backend.determinism import DETERMINISM
from .backend.threads import get_num_threads, set_num_threads
from .errors import ArgumentError, DomainError

__all__ = [
    "are_deterministic_algorithms_enabled", "get_deterministic_debug_mode", "get_float32_matmul_precision",
    "get_num_interop_threads", "get_num_threads", "is_deterministic_algorithms_warn_only_enabled",
    "is_warn_always_enabled", "set_deterministic_debug_mode", "set_float32_matmul_precision", "set_flush_denormal",
    "set_num_interop_threads", "set_num_threads", "set_warn_always", "use_deterministic_algorithms",
]  # fmt: skip

MODES = ("default", "warn", "error")


class _Settings:
    precision = "highest"
    warn_always = False


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Request reproducible results. CPU ops are always deterministic; this also fills uninitialised memory.

    `utils.deterministic.fill_uninitialized_memory` turns the filling off.
    """
    DETERMINISM.algorithms, DETERMINISM.warn_only = bool(mode), bool(warn_only)


def are_deterministic_algorithms_enabled() -> bool:
    """Whether `use_deterministic_algorithms` is on."""
    return DETERMINISM.algorithms


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """Whether `use_deterministic_algorithms` was called with `warn_only`."""
    return DETERMINISM.warn_only


def set_deterministic_debug_mode(debug_mode: int | str) -> None:
    """`use_deterministic_algorithms` with one argument: 0 or "default", 1 or "warn", 2 or "error"."""
    name = MODES[debug_mode] if isinstance(debug_mode, int) and 0 <= debug_mode < 3 else debug_mode
    if name not in MODES:
        raise DomainError(
            f"invalid value of debug_mode, expected 0, 1, 2 or one of {', '.join(MODES)}, got {debug_mode}"
        )
    use_deterministic_algorithms(name != "default", warn_only=name == "warn")


def get_deterministic_debug_mode() -> int:
    """The mode of `set_deterministic_debug_mode` as a number."""
    return DETERMINISM.algorithms * (1 if DETERMINISM.warn_only else 2)


def set_float32_matmul_precision(precision: str) -> None:
    """Accepted, without effect: float32 products always have full precision ("highest")."""
    if precision not in ("highest", "high", "medium"):
        raise ArgumentError(f"{precision!r} is not one of 'highest', 'high' or 'medium'")
    _Settings.precision = precision


def get_float32_matmul_precision() -> str:
    """The last setting of `set_float32_matmul_precision`."""
    return _Settings.precision


def set_flush_denormal(mode: bool, /) -> bool:
    """Return False: denormal numbers are never flushed to zero."""
    return False


def set_warn_always(b: bool, /) -> None:
    """Accepted, without effect: use Python's ``warnings.simplefilter("always")``."""
    _Settings.warn_always = bool(b)


def is_warn_always_enabled() -> bool:
    """The last setting of `set_warn_always`."""
    return _Settings.warn_always


def get_num_interop_threads() -> int:
    """The number of ops that run in parallel: one."""
    return 1


def set_num_interop_threads(int: Any) -> None:
    """Accepted, without effect: ops run one after the other."""
    if int <= 0:
        raise DomainError("set_num_interop_threads expects a positive integer")
