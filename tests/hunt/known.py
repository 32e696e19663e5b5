"""Differences that stay, each with its reason in ``minigrad/autograd/DIFFERENCES.md``."""

from __future__ import annotations

from collections.abc import Callable

from .compare import Difference

HALVES = {"float16", "bfloat16"}
SMALL = {"int8", "uint8", "int16"}


def name(found: Difference) -> str:
    return found.case.split()[0].removeprefix("F.").removeprefix("special.")


def derived(found: Difference) -> bool:
    return found.what.startswith(("gradient", "second"))


def second(found: Difference) -> bool:
    return found.what.startswith("second")


KNOWN: dict[str, Callable[[Difference], bool]] = {
    "Gradients that numerical differences confirm": lambda found: found.confirmed,
    "Derivatives of logcumsumexp": lambda found: "logcumsumexp" in found.case and "nan" in found.theirs,
    "linearize and written buffers": lambda found: (
        found.case.startswith("linearize") and any(word in found.case for word in ("new", "fresh", "written", "added"))
    ),
    "huber_loss under two vmaps": lambda found: found.case.startswith("vmap") and "huber" in found.case,
    "median of small integers": lambda found: name(found) in ("median", "nanmedian") and bool(SMALL & found.types),
    "logaddexp far apart": lambda found: name(found).startswith("logaddexp") and second(found),
    "Variance of too few": lambda found: (
        name(found) in ("var", "std", "var_mean", "std_mean")
        and ("nan" in found.ours + found.theirs or "inf" in found.ours + found.theirs)
    ),
    "NaN and infinities": lambda found: found.special and derived(found),
    "Slopes at corners": lambda found: (
        second(found)
        and (name(found) in ("prelu", "PReLU", "copysign", "pow", "0", "heaviside", "xlogy") or "**" in found.case)
    ),
    "An index out of range": lambda found: (found.ours, found.theirs) == ("IndexError", "RuntimeError"),
    "Precision of both inputs": lambda found: bool(HALVES & found.types) and len(found.types) > 1 and derived(found),
    "Rounding in half precision": lambda found: bool(HALVES & found.types) and derived(found),
}
"""By the heading of its row in the table: whether a difference is that one."""


def reason(found: Difference) -> str | None:
    """The heading of the row that explains the difference, None where none does."""
    return next((heading for heading, fits in KNOWN.items() if fits(found)), None)
