"""Attributes that a tensor does not have: misspellings (``x.require_grad = True``), and PyTorch's of other layouts."""

from __future__ import annotations

import warnings
from typing import Any

from ..errors import UnknownNameError

MISSPELT = {
    "require_grad": "requires_grad",
    "require_grads": "requires_grad",
    "required_grad": "requires_grad",
    "requires_grads": "requires_grad",
    "requires_gradient": "requires_grad",
    "requires_gard": "requires_grad",
    "requiresgrad": "requires_grad",
    "requiers_grad": "requires_grad",
    "needs_grad": "requires_grad",
    "gradient": "grad",
    "gradients": "grad",
    "grads": "grad",
    "grad_func": "grad_fn",
    "backwards": "backward",
}


class Misspelt:
    """Refuse to read or assign a misspelt attribute, and name the right one.

    Assigning False or None only warns: it does no harm, and many published programs write
    ``encoding.require_grad = False``.
    """

    def __init__(self, name: str, meant: str) -> None:
        self.name = name
        self.message = f"'Tensor' object has no attribute {name!r}. Did you mean {meant!r}?"

    def __get__(self, tensor: Any, owner: Any = None) -> Any:
        if tensor is None or self.name not in tensor.__dict__:
            raise UnknownNameError(self.message)
        return tensor.__dict__[self.name]

    def __set__(self, tensor: Any, value: Any) -> None:
        if value is not False and value is not None:
            raise UnknownNameError(self.message)
        warnings.warn(f"{self.message} It is kept as an attribute of your own.", UserWarning, stacklevel=2)
        tensor.__dict__[self.name] = value


class Absent:
    """Refuse to read an attribute of PyTorch's tensors that minigrad's do not have, and say what to do instead."""

    def __init__(self, name: str, instead: str) -> None:
        self.message = f"'Tensor' object has no attribute {name!r}. {instead}"

    def __get__(self, tensor: Any, owner: Any = None) -> Any:
        raise UnknownNameError(self.message)
