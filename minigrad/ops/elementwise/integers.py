"""Integer ops: the greatest common divisor and the least common multiple."""

from __future__ import annotations

from typing import Any

from ...core.dispatch import binary
from ...errors import MissingRuleError
from ..common.arguments import accepts_out, of_tensors
from ..common.bases import Question, in_places, short_roads, whole
from ..common.samples import sample

__all__ = ["gcd", "lcm"]


def _only_integers(name: str, *arrays: Any) -> None:
    for each in arrays:
        if getattr(each, "dtype", None) is not None and each.dtype.kind not in "iu":
            raise MissingRuleError(f"{name!r} is not implemented for {each.dtype.name}, only for integers")


class Gcd(Question):
    """The greatest common divisor of two integers."""

    __slots__ = ()
    formula = r"\operatorname{gcd}(a, b)"
    kinds = "i"
    samples = (sample(whole((2, 3), 0, 20), whole((2, 3), 1, 20)), sample(whole((2, 1), 0, 20), whole((3,), 1, 20)))

    def forward(self, xp, a, b):
        _only_integers("gcd", a, b)
        return xp.gcd(a, b)


class Lcm(Question):
    """The least common multiple of two integers."""

    __slots__ = ()
    formula = r"\operatorname{lcm}(a, b)"
    kinds = "i"
    samples = (sample(whole((2, 3), 1, 20), whole((2, 3), 1, 20)),)

    def forward(self, xp, a, b):
        _only_integers("lcm", a, b)
        return xp.lcm(a, b)


gcd = accepts_out(of_tensors(binary(Gcd)))
lcm = accepts_out(of_tensors(binary(Lcm)))

METHODS = short_roads(gcd, lcm)
INPLACE = in_places(gcd, lcm)
