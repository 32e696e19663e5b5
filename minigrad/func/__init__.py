"""Transforms of functions: derivatives and batches, which nest in any order and to any depth.

    grad, grad_and_value, value_and_grad, vjp, jacrev     reverse mode
    jvp, jacfwd, linearize                                forward mode
    hessian                                               forward over reverse
    vmap                                                  one example -> many
    functional_call, stack_module_state                   modules as functions of their parameters
    rearrange                                             dimensions split, ordered and joined by a pattern
    functionalize                                         for code that is written to be traced

>>> import minigrad as mg
>>> f = lambda x: (x**3).sum()
>>> mg.func.hessian(f)(mg.tensor([1.0, 2.0]))
tensor([[ 6.,  0.],
        [ 0., 12.]])
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .arguments import Argnums
from .batched_grad import batched_grad
from .debugging import debug_unwrap
from .forward import jacfwd, jvp
from .functionalize import functionalize
from .jacobians import jacrev
from .linearize import linearize
from .modules import functional_call, replace_all_batch_norm_modules_, stack_module_state
from .rearrange import rearrange
from .reverse import grad, grad_and_value, value_and_grad, vjp
from .rules import index as rules_index
from .rules import nn as rules_nn
from .rules import product as rules_product
from .rules import shape as rules_shape
from .vmap import vmap


def hessian(func: Callable[..., Any], argnums: Argnums = 0) -> Callable[..., Any]:
    """A function that computes the Hessian of `func`, by forward mode over reverse mode."""
    return jacfwd(jacrev(func, argnums), argnums)


__all__ = [
    "batched_grad", "debug_unwrap", "functional_call", "functionalize", "grad", "grad_and_value", "hessian", "jacfwd",
    "jacrev", "jvp", "linearize", "rearrange", "replace_all_batch_norm_modules_",
    "stack_module_state", "value_and_grad", "vjp", "vmap",
]  # fmt: skip
