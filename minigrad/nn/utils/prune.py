"""Pruning: a mask keeps entries of a parameter at zero, chosen by their size or at random.

A pruned ``module.weight`` is ``weight_orig * weight_mask``, computed before every forward; an optimiser updates
`weight_orig`. `remove` makes it an ordinary parameter again, with its zeros.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

from ...core.tensor import Tensor
from ...errors import ArgumentError, ArgumentTypeError
from ...ops.create.like import ones_like, rand_like, zeros_like
from ...ops.index.masks import masked_select
from ...ops.random.distributions import rand
from ...ops.reduce.sorting import topk
from ...ops.shape.join import cat
from ..module import Module

__all__ = [
    "BasePruningMethod", "CustomFromMask", "Identity", "L1Unstructured", "LnStructured", "PruningContainer",
    "RandomStructured", "RandomUnstructured", "custom_from_mask", "global_unstructured", "identity", "is_pruned",
    "l1_unstructured", "ln_structured", "random_structured", "random_unstructured", "remove",
]  # fmt: skip


class BasePruningMethod(ABC):
    """The base class of all methods: `compute_mask` of a subclass decides what stays.

    `PRUNING_TYPE` says what a further method on the same parameter chooses from: "unstructured" the remaining entries,
    "structured" the remaining channels, "global" everything.
    """

    PRUNING_TYPE = "unstructured"
    _tensor_name: str

    def __call__(self, module: Module, inputs: Any) -> None:
        """Compute the parameter before each forward."""
        setattr(module, self._tensor_name, self.apply_mask(module))

    @abstractmethod
    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return the mask for `t`; `default_mask` shows what was pruned before."""

    def apply_mask(self, module: Module) -> Tensor:
        """Return the parameter with pruned entries set to zero."""
        name = self._tensor_name
        mask, original = getattr(module, name + "_mask"), getattr(module, name + "_orig")
        return mask.to(original.dtype) * original

    @classmethod
    def apply(
        cls, module: Module, name: str, *args: Any, importance_scores: Tensor | None = None, **kwargs: Any
    ) -> BasePruningMethod:
        """Prune ``module.<name>`` by this method, on top of what is pruned already."""
        before = method_of(module, name)
        method: BasePruningMethod = cls(*args, **kwargs)
        method._tensor_name = name
        value = getattr(module, name)
        scores = value.detach() if importance_scores is None else importance_scores
        if scores.shape != value.shape:
            raise ArgumentError(
                f"importance_scores should have the shape of {name}, {list(value.shape)}, got {list(scores.shape)}"
            )
        if before is None:
            mask = method.compute_mask(scores, ones_like(scores))
            del module._parameters[name]
            module.register_parameter(name + "_orig", value)
            module.register_buffer(name + "_mask", mask)
        else:
            _forget_hook(module, before)
            method = PruningContainer(*_methods(before), method)
            method._tensor_name = name
            module._buffers[name + "_mask"] = method.compute_mask(scores, getattr(module, name + "_mask"))
        setattr(module, name, method.apply_mask(module))
        module.register_forward_pre_hook(method)
        return method

    def prune(self, t: Tensor, default_mask: Tensor | None = None, importance_scores: Tensor | None = None) -> Tensor:
        """Return `t` with pruned entries set to zero, without a module."""
        scores = t if importance_scores is None else importance_scores
        return t * self.compute_mask(scores, ones_like(t) if default_mask is None else default_mask)

    def remove(self, module: Module) -> None:
        """Make the parameter an ordinary one, with its zeros."""
        name = self._tensor_name
        value = self.apply_mask(module).detach()
        original: Any = module._parameters.pop(name + "_orig")
        del module._buffers[name + "_mask"]
        delattr(module, name)
        original.data = value
        module.register_parameter(name, original)


class PruningContainer(BasePruningMethod):
    """Several methods, one after another: each prunes from what those before have left."""

    def __init__(self, *args: BasePruningMethod) -> None:
        self._pruning_methods = tuple(args)
        if args and hasattr(args[0], "_tensor_name"):
            self._tensor_name = args[0]._tensor_name

    def __len__(self) -> int:
        return len(self._pruning_methods)

    def __iter__(self) -> Any:
        return iter(self._pruning_methods)

    def __getitem__(self, number: int) -> BasePruningMethod:
        return self._pruning_methods[number]

    def add_pruning_method(self, method: BasePruningMethod | None) -> None:
        """Append a method."""
        if method is not None:
            self._pruning_methods += (method,)

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return the previous mask combined with that of the last method, applied to what was left."""
        method, mask = self._pruning_methods[-1], default_mask.to(t.dtype)
        if method.PRUNING_TYPE == "unstructured":
            left = mask == 1
            made = mask.clone()
            made[left] = method.compute_mask(masked_select(t, left), masked_select(mask, left)).to(mask.dtype)
            return made
        if method.PRUNING_TYPE == "structured":
            dim = method.dim % t.dim()  # type: ignore[attr-defined]
            others = tuple(d for d in range(t.dim()) if d != dim)
            kept = (mask.sum(others) > 0).nonzero().flatten()
            made = mask.clone()
            made.index_copy_(
                dim, kept, method.compute_mask(t.index_select(dim, kept), mask.index_select(dim, kept)).to(mask.dtype)
            )
            return made
        return method.compute_mask(t, mask)


class Identity(BasePruningMethod):
    """Prunes nothing, but gives the parameter its mask."""

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return `default_mask`."""
        return default_mask


class _ByAmount(BasePruningMethod):
    """Methods that prune a fraction (a float) or a number (an int) of the entries or channels."""

    def __init__(self, amount: Any) -> None:
        _check_amount(amount)
        self.amount = amount


class RandomUnstructured(_ByAmount):
    """Prunes random entries."""

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return a mask with zeros at random entries."""
        return _without(rand_like(t), default_mask, count_of(self.amount, t.numel()), largest=True)


class L1Unstructured(_ByAmount):
    """Prunes the entries closest to zero."""

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return a mask with zeros at the smallest absolute values of `t`."""
        return _without(t.abs(), default_mask, count_of(self.amount, t.numel()), largest=False)


class _Structured(_ByAmount):
    """Methods that prune whole channels along `dim`."""

    PRUNING_TYPE = "structured"

    def __init__(self, amount: Any, dim: int = -1) -> None:
        super().__init__(amount)
        self.dim = dim

    @abstractmethod
    def scores(self, t: Tensor) -> Tensor:
        """Return a score for each channel; the largest stay."""

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return a mask with zeros in the channels with the smallest scores."""
        if t.dim() <= 1:
            raise ArgumentError(
                "Structured pruning can only be applied to multidimensional tensors. Found tensor of shape "
                f"{list(t.shape)} with {t.dim()} dims"
            )
        dim, channels = self.dim % t.dim(), t.shape[self.dim]
        count = count_of(self.amount, channels)
        stays = topk(self.scores(t), channels - count, largest=True).indices
        mask = zeros_like(t)
        mask.index_fill_(dim, stays, 1.0)
        return mask * default_mask.to(mask.dtype)


class RandomStructured(_Structured):
    """Prunes random channels along `dim`."""

    def scores(self, t: Tensor) -> Tensor:
        """Return random numbers."""
        return rand(t.shape[self.dim])


class LnStructured(_Structured):
    """Prunes the channels along `dim` that have the smallest `n`-norm."""

    def __init__(self, amount: Any, n: Any, dim: int = -1) -> None:
        super().__init__(amount, dim)
        self.n = n

    def scores(self, t: Tensor) -> Tensor:
        """Return the norm of each channel."""
        others = tuple(d for d in range(t.dim()) if d != self.dim % t.dim())
        return t.norm(self.n, others)


class CustomFromMask(BasePruningMethod):
    """Prunes where `mask` is zero."""

    PRUNING_TYPE = "global"

    def __init__(self, mask: Tensor) -> None:
        self.mask = mask

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """Return the product of both masks."""
        return default_mask * self.mask.to(default_mask.dtype)


def identity(module: Module, name: str) -> Module:
    """Give ``module.<name>`` a mask of ones, which prunes nothing yet."""
    Identity.apply(module, name)
    return module


def random_unstructured(module: Module, name: str, amount: Any) -> Module:
    """Prune a fraction (float) or a number (int) of the entries of ``module.<name>``, at random."""
    RandomUnstructured.apply(module, name, amount=amount)
    return module


def l1_unstructured(module: Module, name: str, amount: Any, importance_scores: Tensor | None = None) -> Module:
    """Prune the entries of ``module.<name>`` closest to zero, or those with the smallest `importance_scores`.

    >>> import minigrad as mg
    >>> layer = mg.nn.Linear(4, 3)
    >>> int((l1_unstructured(layer, "weight", amount=0.5).weight == 0).sum())
    6
    """
    L1Unstructured.apply(module, name, amount=amount, importance_scores=importance_scores)
    return module


def random_structured(module: Module, name: str, amount: Any, dim: int) -> Module:
    """Prune random channels of ``module.<name>`` along `dim`."""
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(
    module: Module, name: str, amount: Any, n: Any, dim: int, importance_scores: Tensor | None = None
) -> Module:
    """Prune the channels of ``module.<name>`` along `dim` that have the smallest `n`-norm."""
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def custom_from_mask(module: Module, name: str, mask: Tensor) -> Module:
    """Prune ``module.<name>`` where `mask` is zero."""
    CustomFromMask.apply(module, name, mask)
    return module


def global_unstructured(
    parameters: Iterable[tuple[Module, str]],
    pruning_method: type[BasePruningMethod],
    importance_scores: dict[tuple[Module, str], Tensor] | None = None,
    **kwargs: Any,
) -> None:
    """Prune the smallest entries of several parameters together, wherever they are."""
    if not isinstance(parameters, Iterable):
        raise ArgumentTypeError("global_unstructured(): parameters is not an Iterable")
    places, given = list(parameters), importance_scores or {}
    scores = [given.get(place, getattr(place[0], place[1])).detach() for place in places]
    masks = [getattr(module, name + "_mask", ones_like(getattr(module, name))) for module, name in places]
    container = PruningContainer()
    method: Any = pruning_method(**kwargs)
    if method.PRUNING_TYPE != "unstructured":
        raise ArgumentTypeError(
            f'Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. Found {pruning_method} of type '
            f"{method.PRUNING_TYPE}"
        )
    container.add_pruning_method(method)
    together = container.compute_mask(
        cat([each.reshape(-1) for each in scores]), cat([each.detach().reshape(-1) for each in masks])
    )
    for (module, name), mask in zip(places, together.split([each.numel() for each in scores]), strict=True):
        custom_from_mask(module, name, mask.reshape(getattr(module, name).shape))


def remove(module: Module, name: str) -> Module:
    """Make ``module.<name>`` an ordinary parameter again, with its zeros."""
    method = method_of(module, name)
    if method is None:
        raise ArgumentError(
            f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed: call a function of "
            "minigrad.nn.utils.prune on it first"
        )
    _forget_hook(module, method)
    method.remove(module)
    return module


def is_pruned(module: Module) -> bool:
    """Return whether any parameter of `module` or of its children is pruned."""
    return any(isinstance(hook, BasePruningMethod) for each in module.modules() for hook, _ in _hooks(each).values())


def method_of(module: Module, name: str) -> BasePruningMethod | None:
    """Return the pruning method of ``module.<name>``."""
    for hook, _ in _hooks(module).values():
        if isinstance(hook, BasePruningMethod) and hook._tensor_name == name:
            return hook
    return None


def _hooks(module: Module) -> dict[int, Any]:
    return module._hooks_of().forward_pre


def _forget_hook(module: Module, method: BasePruningMethod) -> None:
    hooks = _hooks(module)
    for number in [number for number, (hook, _) in hooks.items() if hook is method]:
        del hooks[number]


def _methods(method: BasePruningMethod) -> tuple[BasePruningMethod, ...]:
    return tuple(method) if isinstance(method, PruningContainer) else (method,)


def _check_amount(amount: Any) -> None:
    if not isinstance(amount, (int, float)):
        raise ArgumentTypeError(f"Invalid type for amount: {amount}. Must be int or float.")
    if amount < 0 or (isinstance(amount, float) and amount > 1):
        raise ArgumentError(
            f"amount={amount} should either be a float in the range [0.0, 1.0] or a non-negative integer"
        )


def count_of(amount: Any, total: int) -> int:
    """Return the number to prune out of `total`; ArgumentError if it is larger than `total`."""
    if isinstance(amount, int) and amount > total:
        raise ArgumentError(f"amount={amount} should be smaller than the number of parameters to prune={total}")
    return amount if isinstance(amount, int) else round(amount * total)


def _without(scores: Tensor, default_mask: Tensor, count: int, largest: bool) -> Tensor:
    """Return the mask with zeros at the `count` smallest (or largest) scores."""
    mask = default_mask.clone()
    if count:
        places = topk(scores.reshape(-1), count, largest=largest).indices
        mask.reshape(-1)[places] = 0
    return mask
