"""Settings for the whole process that programs make at their beginning, and what each means here."""

from __future__ import annotations

from typing import Any

from .backend.determinism import DETERMINISM
from .backend.threads import get_num_threads, set_num_threads
from .errors import ArgumentError, DomainError

__all__ = [
    "are_deterministic_algorithms_enabled", "get_deterministic_debug_mode", "get_float32_matmul_precision",
    "get_num_interop_threads", "get_num_threads", "is_deterministic_algorithms_warn_only_enabled",
    "is_warn_always_enabled", "set_deterministic_debug_mode", "set_float32_matmul_precision", "set_num_interop_threads",
    "set_num_threads", "set_warn_always", "use_deterministic_algorithms",
]  # fmt: skip

MODES = ("default", "warn", "error")


class _Settings:
    precision = "highest"
    warn_always = False


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Ask for the same results in every run. On the CPU every op gives them anyway; new memory is then filled.

    `utils.deterministic.fill_uninitialized_memory` turns the filling off.
    """
    DETERMINISM.algorithms, DETERMINISM.warn_only = bool(mode), bool(warn_only)


def are_deterministic_algorithms_enabled() -> bool:
    """The last setting of `use_deterministic_algorithms`."""
    return DETERMINISM.algorithms


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """Whether only a warning was asked for."""
    return DETERMINISM.warn_only


def set_deterministic_debug_mode(debug_mode: int | str) -> None:
    """`use_deterministic_algorithms` by another name: 0 or "default", 1 or "warn", 2 or "error"."""
    name = MODES[debug_mode] if isinstance(debug_mode, int) and 0 <= debug_mode < 3 else debug_mode
    if name not in MODES:
        raise DomainError(
            f"invalid value of debug_mode, expected 0, 1, 2 or one of {', '.join(MODES)}, got {debug_mode}"
        )
    use_deterministic_algorithms(name != "default", warn_only=name == "warn")


def get_deterministic_debug_mode() -> int:
    """The number of what was asked for."""
    return DETERMINISM.algorithms * (1 if DETERMINISM.warn_only else 2)


def set_float32_matmul_precision(precision: str) -> None:
    """Allow faster products of float32: "high" or "medium". Products here are always exact to float32 ("highest")."""
    if precision not in ("highest", "high", "medium"):
        raise ArgumentError(f"{precision!r} is not one of 'highest', 'high' or 'medium'")
    _Settings.precision = precision


def get_float32_matmul_precision() -> str:
    """The last setting."""
    return _Settings.precision


def set_warn_always(b: bool, /) -> None:
    """Accepted: warnings follow Python's filters, ``warnings.simplefilter("always")`` shows each of them."""
    _Settings.warn_always = bool(b)


def is_warn_always_enabled() -> bool:
    """The last setting of `set_warn_always`."""
    return _Settings.warn_always


def get_num_interop_threads() -> int:
    """The number of ops that run beside each other: one."""
    return 1


def set_num_interop_threads(int: Any) -> None:
    """Accepted: ops run one after the other."""
    if int <= 0:
        raise DomainError("set_num_interop_threads expects a positive integer")
