"""``use_reentrant=True``: the region as one Function."""

from __future__ import annotations

import warnings
from typing import Any

from ...amp.autocast import as_now
from ...autograd.function import Function
from ...core.differentiate import backward
from ...core.grad_mode import enable_grad
from ...core.state import STATE
from ...core.tensor import Tensor
from ...errors import GradError
from ...ops.random.generator import keep_states
from .random_state import same_random_numbers


class CheckpointFunction(Function):
    """The region as one op. Its backward runs a nested backward, so ``grad()`` does not work through it."""

    @staticmethod
    def forward(ctx: Any, function: Any, preserve: bool, *args: Any) -> Any:
        if not any(ctx.needs_input_grad):
            warnings.warn("None of the inputs have requires_grad=True. Gradients will be None", stacklevel=4)
        ctx.function, ctx.rng = function, keep_states() if preserve else None
        ctx.same_autocast = as_now()
        ctx.places = [i for i, each in enumerate(args) if isinstance(each, Tensor)]
        ctx.others = [None if isinstance(each, Tensor) else each for each in args]
        ctx.save_for_backward(*(args[i] for i in ctx.places))
        return function(*args)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        if STATE.mode.passes[-1].goals is not None:
            raise GradError(
                "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or passing an "
                "`inputs` parameter to .backward(). To resolve this error, you can either set use_reentrant=False, or "
                "call .backward() without passing the `inputs` argument."
            )
        args = list(ctx.others)
        for place, tensor in zip(ctx.places, ctx.saved_tensors, strict=True):
            args[place] = tensor.detach().requires_grad_(tensor.requires_grad)
        with same_random_numbers(ctx.rng), ctx.same_autocast(), enable_grad():
            outputs = ctx.function(*args)
        pairs = [
            (out, grad)
            for out, grad in zip(outputs if isinstance(outputs, tuple) else (outputs,), grads, strict=True)
            if isinstance(out, Tensor) and out.requires_grad
        ]
        if not pairs:
            raise GradError("none of output has requires_grad=True, this checkpoint() is not necessary")
        backward([out for out, _ in pairs], [grad for _, grad in pairs])
        return (None, None, *(each._grad if isinstance(each, Tensor) else None for each in args))
