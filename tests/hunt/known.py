"""Differences that stay, each with its reason in ``minigrad/autograd/DIFFERENCES.md``."""

from __future__ import annotations

from collections.abc import Callable

from .compare import Difference

HALVES = {"float16", "bfloat16"}
BENT = ("prelu", "PReLU", "copysign", "heaviside", "xlogy", "softplus")
SPREAD = ("var", "std", "var_mean", "std_mean")


def name(found: Difference) -> str:
    return found.case.split()[0].removeprefix("F.").removeprefix("special.")


def derived(found: Difference) -> bool:
    return found.what.startswith(("gradient", "second"))


def second(found: Difference) -> bool:
    return found.what.startswith("second")


def broken(found: Difference) -> bool:
    return any(word in found.ours + found.theirs for word in ("nan", "inf"))


def to_a_power(found: Difference) -> bool:
    return name(found) in ("pow", "float_power") or "**" in found.case


KNOWN: dict[str, Callable[[Difference], bool]] = {
    "Windows with gaps that overlap": lambda found: (
        found.case.startswith("windows") and any(word in found.case for word in ("even", "odd", "column"))
    ),
    "Gradients that numerical differences confirm": lambda found: found.confirmed,
    "Derivatives of logcumsumexp": lambda found: "logcumsumexp" in found.case and "nan" in found.theirs,
    "linearize and written buffers": lambda found: (
        found.case.startswith("linearize") and any(word in found.case for word in ("new", "fresh", "written", "added"))
    ),
    "huber_loss under two vmaps": lambda found: found.case.startswith("vmap") and "huber" in found.case,
    "median of expanded tensors": lambda found: name(found) in ("median", "nanmedian") and found.expanded,
    "atan2 of bytes and floats": lambda found: (
        name(found) in ("atan2", "arctan2") and derived(found) and bool({"uint8", "int8", "int16"} & found.types)
    ),
    "mode of NaN": lambda found: name(found) == "mode" and found.special,
    "logaddexp far apart": lambda found: name(found).startswith("logaddexp") and second(found),
    "Variance of too few": lambda found: name(found) in SPREAD and broken(found),
    "NaN and infinities": lambda found: (
        found.special
        and (
            derived(found)
            or (name(found) == "rsub" and "complex64" in found.types)
            or found.case.startswith("(2+1j) -")
        )
    ),
    "Slopes at corners": lambda found: (
        (second(found) and name(found) in BENT) or (derived(found) and to_a_power(found))
    ),
    "gelu of infinity": lambda found: name(found) == "gelu" and found.special and "inf" in found.ours,
    "An index out of range": lambda found: (
        (found.ours, found.theirs) == ("IndexError", "RuntimeError")
        or ("is out of bounds" in found.ours and found.theirs.endswith("[]"))
    ),
    "Precision of both inputs": lambda found: (
        bool({*HALVES, "float32"} & found.types) and len(found.types) > 1 and derived(found)
    ),
    "Rounding in half precision": lambda found: (
        bool(HALVES & found.types) and (derived(found) or name(found) in ("div", "divide", "floor_divide"))
    ),
}
"""By the heading of its row in the table: whether a difference is that one."""


def reason(found: Difference) -> str | None:
    """The heading of the row that explains the difference, None where none does."""
    return next((heading for heading, fits in KNOWN.items() if fits(found)), None)
