"""Names that people meant otherwise: ``x.require_grad = True`` is an error that says ``requires_grad``, not silence."""

from __future__ import annotations

from typing import Any, NoReturn

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
    """Refuse to read or assign a misspelt name, and say the right one."""

    def __init__(self, name: str, meant: str) -> None:
        self.message = f"'Tensor' object has no attribute {name!r}. Did you mean {meant!r}?"

    def __get__(self, tensor: Any, owner: Any = None) -> NoReturn:
        raise UnknownNameError(self.message)

    def __set__(self, tensor: Any, value: Any) -> NoReturn:
        raise UnknownNameError(self.message)
