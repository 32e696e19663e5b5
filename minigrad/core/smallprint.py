"""Rare attributes of PyTorch's tensors: `volatile`, `_backward_hooks`, `grad_dtype`."""

from __future__ import annotations

import warnings
from typing import Any

from .. import dtypes
from ..errors import GradError
from .hooks import Hooks


class SmallPrint:
    """Attributes that are attached to `Tensor`; their values are kept in its `TensorExtra`."""

    __slots__ = ()

    @property
    def volatile(self) -> bool:
        """An obsolete flag: always False."""
        warnings.warn("volatile was removed (Variable.volatile is always False)", UserWarning, stacklevel=2)
        return False

    @property
    def _backward_hooks(self: Any) -> Hooks | None:
        """The hooks on this leaf, or None if there are none."""
        return None if self._extra is None else self._extra.hooks

    @_backward_hooks.setter
    def _backward_hooks(self: Any, hooks: Hooks | None) -> None:
        self.extra.hooks = {} if hooks is None else hooks

    @property
    def grad_dtype(self: Any) -> dtypes.dtype | None:
        """The dtype of this leaf's gradient: the leaf's own unless set; None allows any."""
        _check_leaf(self, "accessed")
        wanted: Any = "own" if self._extra is None else self._extra.grad_dtype
        return self.dtype if wanted == "own" else wanted

    @grad_dtype.setter
    def grad_dtype(self: Any, wanted: dtypes.dtype | None) -> None:
        _check_leaf(self, "set")
        grad = self._grad
        if grad is not None and wanted is not None and grad.dtype != wanted:
            raise GradError(
                f"Cannot set grad_dtype to '{wanted.type_name}' because there is already a gradient with dtype "
                f"'{grad.dtype.name}'. Please clear the gradient (.grad = None) before changing grad_dtype, or ensure "
                "the new grad_dtype matches the existing gradient's dtype."
            )
        self.extra.grad_dtype = wanted


def grad_dtype_of(leaf: Any) -> Any:
    """Return the dtype to which a gradient is cast before it is added to ``leaf.grad``; None for no cast."""
    wanted: Any = "own" if leaf._extra is None else leaf._extra.grad_dtype
    return leaf._array.dtype if wanted == "own" else None if wanted is None else wanted.numpy


def _check_leaf(tensor: Any, what: str) -> None:
    if not tensor.is_leaf:
        raise GradError(f"grad_dtype can only be {what} on leaf tensors. The others' gradients are not kept.")
