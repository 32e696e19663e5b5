"""`VonMises`: a bell-shaped distribution of angles."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from .. import dtypes
from ..core.grad_mode import no_grad
from ..core.tensor import Tensor
from ..ops.elementwise.where import where
from ..ops.random.distributions import rand
from ..ops.special.bessel import i0e, i1e
from . import constraints
from .distribution import Distribution
from .utils import broadcast_all


class VonMises(Distribution):
    """A distribution of angles around `loc`: log p(x) = κ cos(x - loc) - log 2π - log I₀(κ), with κ = `concentration`.

    >>> import minigrad as mg
    >>> VonMises(0.0, 1.0).log_prob(mg.tensor(0.0))
    tensor(-1.0738)
    """

    arg_constraints: ClassVar[dict[str, Any]] = {"loc": constraints.real, "concentration": constraints.positive}
    support = constraints.real

    def __init__(self, loc: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.loc, self.concentration = broadcast_all(loc, concentration)
        super().__init__(self.loc.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        """The mean angle, `loc`."""
        return self.loc

    @property
    def mode(self) -> Tensor:
        """The value of highest density, `loc`."""
        return self.loc

    @property
    def variance(self) -> Tensor:
        """The circular variance, 1 - I₁(κ) / I₀(κ)."""
        return 1 - i1e(self.concentration) / i0e(self.concentration)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draw by Best and Fisher, "Efficient simulation of the von Mises distribution" (1979)."""
        shape = self._extended_shape(sample_shape)
        with no_grad():
            kappa = self.concentration.detach().double().clamp(min=1e-6).expand(shape).reshape(-1)
            root = 1 + (1 + 4 * kappa**2).sqrt()
            rho = (root - (2 * root).sqrt()) / (2 * kappa)
            r = (1 + rho**2) / (2 * rho)
            angle, left = kappa.clone(), kappa == kappa
            while bool(left.any()):  # as in PyTorch, all are redrawn until the last one is accepted
                u = rand((3, kappa.numel()), dtype=dtypes.float64, device=kappa.device)
                z = (math.pi * u[0]).cos()
                f = (1 + r * z) / (r + z)
                c = kappa * (r - f)
                accepted = (c * (2 - c) - u[1] > 0) | ((c / u[1]).log() + 1 - c >= 0)
                angle = where(accepted, (u[2] - 0.5).sign() * f.clamp(-1, 1).acos(), angle)
                left = left & ~accepted
            angle = angle.reshape(shape) + self.loc
            return ((angle + math.pi) % (2 * math.pi) - math.pi).to(self.loc.dtype)

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the density."""
        kappa = self.concentration
        return kappa * ((self._checked(value) - self.loc).cos() - 1) - math.log(2 * math.pi) - i0e(kappa).log()
