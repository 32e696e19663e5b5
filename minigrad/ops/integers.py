"""What only integers have: the greatest common divisor, and the least common multiple."""

from __future__ import annotations

from typing import Any

from ..core.dispatch import binary
from ..errors import MissingRuleError
from .arguments import accepts_out
from .families import Question, in_places, short_roads, whole
from .samples import sample

__all__ = ["gcd", "lcm"]


class _OfIntegers(Question, abstract=True):
    """A question that only integers can be asked."""

    __slots__ = ()

    def compute(self, backend: Any, arrays: Any) -> Any:
        """Refuse what is not an integer."""
        for each in arrays:
            if getattr(each, "dtype", None) is not None and each.dtype.kind not in "iu":
                kind = each.dtype.name
                raise MissingRuleError(f"{type(self).__name__} is not implemented for {kind}, only for integers")
        return super().compute(backend, arrays)


class Gcd(_OfIntegers):
    """The largest integer that divides both."""

    __slots__ = ()
    formula = r"\gcd(a, b)"
    kinds = "i"
    samples = (sample(whole((2, 3), 0, 20), whole((2, 3), 1, 20)), sample(whole((2, 1), 0, 20), whole((3,), 1, 20)))

    def forward(self, xp, a, b):
        return xp.gcd(a, b)


class Lcm(_OfIntegers):
    """The smallest integer that both divide."""

    __slots__ = ()
    formula = r"\operatorname{lcm}(a, b)"
    kinds = "i"
    samples = (sample(whole((2, 3), 1, 20), whole((2, 3), 1, 20)),)

    def forward(self, xp, a, b):
        return xp.lcm(a, b)


gcd = accepts_out(binary(Gcd))
lcm = accepts_out(binary(Lcm))

METHODS = short_roads(gcd, lcm)
INPLACE = in_places(gcd, lcm)
