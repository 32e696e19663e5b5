"""The older `weight_norm` and `spectral_norm`: a hook computes the weight before each forward.

The weight is an ordinary attribute, which the hook sets, and not a property as in `parametrizations`.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from typing import Any

from ...core.grad_mode import no_grad
from ...errors import ArgumentError, GradError
from ..module import Module
from ..normalisation.functions import normalize
from ..parameter import Parameter
from .parametrizations import as_matrix, check_iterations, dim_of_outputs, norm_except_dim, singular_starts

__all__ = ["remove_spectral_norm", "remove_weight_norm", "spectral_norm", "weight_norm"]


class Reweighting(ABC):
    """A hook before forward that sets ``module.<name>``, computed from other parameters of the module."""

    words = ""

    def __init__(self, name: str) -> None:
        self.name = name

    @abstractmethod
    def computed(self, module: Module) -> Any:
        """Return the weight."""

    @abstractmethod
    def parts(self) -> list[str]:
        """Return the names of the tensors that the weight is computed from."""

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self.name, self.computed(module))

    def check_is_first(self, module: Module) -> None:
        """Raise GradError where a hook of this kind computes this weight already."""
        if self.of(module, self.name) is not None:
            raise GradError(f"Cannot register two {self.words} hooks on the same parameter {self.name}")

    @classmethod
    def of(cls, module: Module, name: str) -> tuple[int, Reweighting] | None:
        """Return the hook of this class for this name, and its number."""
        for number, (hook, _) in module._hooks_of().forward_pre.items():
            if type(hook) is cls and hook.name == name:
                return number, hook
        return None

    @classmethod
    def remove(cls, module: Module, name: str) -> Module:
        """Make the computed weight a parameter again. ArgumentError if there is no such hook."""
        found = cls.of(module, name)
        if found is None:
            raise ArgumentError(f"{cls.words} of '{name}' not found in {module}")
        number, hook = found
        with no_grad():
            weight = hook.computed(module)
        for each in (name, *hook.parts()):
            delattr(module, each)
        module.register_parameter(name, Parameter(weight))
        del module._hooks_of().forward_pre[number]
        return module


class WeightNorm(Reweighting):
    """g v / ‖v‖"""

    words = "weight_norm"

    def __init__(self, name: str, dim: int | None) -> None:
        super().__init__(name)
        self.dim = dim

    def parts(self) -> list[str]:
        """Return the names of length and direction."""
        return [f"{self.name}_g", f"{self.name}_v"]

    def computed(self, module: Module) -> Any:
        """Return the weight."""
        g, v = (getattr(module, each) for each in self.parts())
        return v * (g / norm_except_dim(v, self.dim))


class SpectralNorm(Reweighting):
    """W / σ, with σ updated by the power method in training."""

    words = "spectral_norm"

    def __init__(self, name: str, iterations: int, dim: int, eps: float) -> None:
        super().__init__(name)
        check_iterations(iterations)
        self.iterations, self.dim, self.eps = iterations, dim, eps

    def parts(self) -> list[str]:
        """Return the names of the learnt weight and its first singular vectors."""
        return [f"{self.name}_orig", f"{self.name}_u", f"{self.name}_v"]

    def computed(self, module: Module) -> Any:
        """Return the weight divided by the estimate of its largest singular value."""
        weight, u, v = (getattr(module, each) for each in self.parts())
        return weight / u.dot(as_matrix(weight, self.dim).mv(v))

    def __call__(self, module: Module, inputs: Any) -> None:
        if module.training:
            self.iterate(module)
        super().__call__(module, inputs)

    def iterate(self, module: Module) -> None:
        """Improve the estimate of the singular vectors."""
        weight, u, v = (getattr(module, each) for each in self.parts())
        with no_grad():
            matrix = as_matrix(weight, self.dim)
            for _ in range(self.iterations):
                v = normalize(matrix.mH.mv(u), dim=0, eps=self.eps)
                u = normalize(matrix.mv(v), dim=0, eps=self.eps)
        for each, value in zip(self.parts()[1:], (u, v), strict=True):
            setattr(module, each, value)


def weight_norm(module: Module, name: str = "weight", dim: int | None = 0) -> Module:
    """`parametrizations.weight_norm` with its old names: parameters ``<name>_g`` and ``<name>_v``. Return `module`."""
    warnings.warn(
        "`nn.utils.weight_norm` is deprecated in favor of `nn.utils.parametrizations.weight_norm`.",
        FutureWarning,
        stacklevel=2,
    )
    hook = WeightNorm(name, dim)
    hook.check_is_first(module)
    weight = getattr(module, name).detach()
    length = norm_except_dim(weight, dim)
    delattr(module, name)
    module.register_parameter(f"{name}_g", Parameter(length))
    module.register_parameter(f"{name}_v", Parameter(weight))
    module.register_forward_pre_hook(hook)
    hook(module, ())
    return module


def remove_weight_norm(module: Module, name: str = "weight") -> Module:
    """Make a weight that `weight_norm` split a parameter again."""
    return WeightNorm.remove(module, name)


def spectral_norm(
    module: Module, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Module:
    """`parametrizations.spectral_norm` under its old names: parameter ``<name>_orig``, buffers ``<name>_u`` and ``_v``.

    Return `module`. The weight is scaled at the next forward.
    """
    dim = dim_of_outputs(module) if dim is None else dim
    hook = SpectralNorm(name, n_power_iterations, dim, eps)
    weight = module._parameters.get(name)
    if weight is None and hook.of(module, name) is None:
        raise ArgumentError(f"`SpectralNorm` cannot be applied as parameter `{name}` is None")
    hook.check_is_first(module)
    assert weight is not None
    starts = singular_starts(as_matrix(weight.detach(), dim), eps)
    delattr(module, name)
    module.register_parameter(f"{name}_orig", weight)
    setattr(module, name, weight.detach())
    for part, start in zip(("_u", "_v"), starts, strict=True):
        module.register_buffer(name + part, start)
    module.register_forward_pre_hook(hook)
    return module


def remove_spectral_norm(module: Module, name: str = "weight") -> Module:
    """Make a weight that `spectral_norm` scaled a parameter again, with its last scale."""
    return SpectralNorm.remove(module, name)
