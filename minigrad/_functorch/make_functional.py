"""Modules as functions of their parameters, by functorch's older names; today `func.functional_call` does it.

>>> import minigrad as mg
>>> net = mg.nn.Linear(2, 1)
>>> function, parameters = make_functional(net)
>>> function([mg.ones(1, 2), mg.zeros(1)], mg.ones(1, 2))
tensor([[2.]])
>>> [tuple(each.shape) for each in parameters]
[(1, 2), (1,)]
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from ..core.tensor import Tensor
from ..errors import GradError
from ..func import functional_call, stack_module_state
from ..nn.module import Module

Tensors = tuple[Tensor, ...]


class FunctionalModuleWithBuffers(Module):
    """A module that is called with its parameters, its buffers, and then its own arguments."""

    def __init__(self, stateless_model: Module, param_names: Sequence[str], buffer_names: Sequence[str]) -> None:
        super().__init__()
        self.stateless_model = stateless_model
        self.param_names = tuple(param_names)
        self.buffer_names = tuple(buffer_names)

    def forward(self, params: Sequence[Tensor], buffers: Sequence[Tensor], *args: Any, **kwargs: Any) -> Any:
        """The model's result with these tensors in the place of its own."""
        state = dict(zip((*self.param_names, *self.buffer_names), (*params, *buffers), strict=True))
        return functional_call(self.stateless_model, state, args, kwargs)


class FunctionalModule(FunctionalModuleWithBuffers):
    """A module without buffers, which is called with its parameters and then its own arguments."""

    def __init__(self, stateless_model: Module, param_names: Sequence[str]) -> None:
        super().__init__(stateless_model, param_names, ())

    def forward(self, params: Sequence[Tensor], *args: Any, **kwargs: Any) -> Any:
        """The model's result with these parameters in the place of its own."""
        return super().forward(params, (), *args, **kwargs)


def make_functional_with_buffers(
    model: Module, disable_autograd_tracking: bool = False
) -> tuple[FunctionalModuleWithBuffers, Tensors, Tensors]:
    """A copy of `model` as a function, its parameters and its buffers. Tied parameters are returned once.

    With `disable_autograd_tracking` the parameters want no gradient.
    """
    inner = copy.deepcopy(model)
    parameters, buffers = dict(inner.named_parameters()), dict(inner.named_buffers())
    if disable_autograd_tracking:
        for each in parameters.values():
            each.requires_grad_(False)
    function = FunctionalModuleWithBuffers(inner, tuple(parameters), tuple(buffers))
    return function, tuple(parameters.values()), tuple(buffers.values())


def make_functional(model: Module, disable_autograd_tracking: bool = False) -> tuple[FunctionalModule, Tensors]:
    """A copy of `model` as a function, and its parameters. RuntimeError where it has buffers."""
    if next(model.buffers(), None) is not None:
        raise GradError(
            "make_functional(model): `model` has buffers. Please use make_functional_with_buffers(model) instead."
        )
    function, parameters, _ = make_functional_with_buffers(model, disable_autograd_tracking)
    return FunctionalModule(function.stateless_model, function.param_names), parameters


def combine_state_for_ensemble(models: Sequence[Module]) -> tuple[FunctionalModuleWithBuffers, Tensors, Tensors]:
    """One function for several models of one class, and their parameters and buffers, stacked, without gradients."""
    try:
        parameters, buffers = stack_module_state(models)
    except GradError as error:
        raise GradError(str(error).replace("stack_module_state", "combine_state_for_ensemble")) from None
    function = make_functional_with_buffers(models[0])[0]
    return function, tuple(each.detach() for each in parameters.values()), tuple(buffers.values())
