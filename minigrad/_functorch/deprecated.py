"""functorch's names, each with a warning that says what to write today."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

from .. import func
from . import make_functional as older


def _renamed(function: Callable[..., Any], today: str) -> Callable[..., Any]:
    """`function`, which warns that its name today is `today`."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        name = function.__name__
        message = f"`functorch.{name}` is deprecated. Please use `{today}` instead."
        warnings.warn(message, FutureWarning, stacklevel=2)
        return function(*args, **kwargs)

    return call


vmap = _renamed(func.vmap, "torch.vmap")
grad = _renamed(func.grad, "torch.func.grad")
grad_and_value = _renamed(func.grad_and_value, "torch.func.grad_and_value")
vjp = _renamed(func.vjp, "torch.func.vjp")
jvp = _renamed(func.jvp, "torch.func.jvp")
jacrev = _renamed(func.jacrev, "torch.func.jacrev")
jacfwd = _renamed(func.jacfwd, "torch.func.jacfwd")
hessian = _renamed(func.hessian, "torch.func.hessian")
functionalize = _renamed(func.functionalize, "torch.func.functionalize")
make_functional = _renamed(older.make_functional, "torch.func.functional_call")
make_functional_with_buffers = _renamed(older.make_functional_with_buffers, "torch.func.functional_call")
combine_state_for_ensemble = _renamed(older.combine_state_for_ensemble, "torch.func.stack_module_state")
