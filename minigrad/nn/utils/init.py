"""Create modules without initial weights, for code that loads other weights immediately."""

from __future__ import annotations

import inspect
from typing import Any

from ...errors import ArgumentTypeError
from ..module import Module


def skip_init(module_cls: type[Module], *args: Any, **kwargs: Any) -> Module:
    """Return a module whose parameters and buffers are uninitialised memory, which saves the time to draw them.

    The class must accept ``device``, as all layers do. ArgumentTypeError if it does not, or is no class of modules.

    >>> from minigrad import nn
    >>> nn.utils.skip_init(nn.Linear, 3, 2).weight.shape
    minigrad.Size([2, 3])
    """
    if not (isinstance(module_cls, type) and issubclass(module_cls, Module)):
        raise ArgumentTypeError(f"Expected a Module; got {module_cls}")
    if "device" not in inspect.signature(module_cls).parameters:
        raise ArgumentTypeError("Module must support a 'device' arg to skip initialization")
    device = kwargs.pop("device", "cpu")
    return module_cls(*args, device="meta", **kwargs).to_empty(device=device)
