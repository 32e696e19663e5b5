"""Hooks on all modules that run when a module registers a parameter, a buffer or a child module.

>>> import minigrad as mg
>>> from minigrad.nn.modules.module import register_module_parameter_registration_hook
>>> with register_module_parameter_registration_hook(lambda module, name, parameter: print(name)):
...     layer = mg.nn.Linear(2, 1)
weight
bias
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..core.hooks import RemovableHandle, add_hook

if TYPE_CHECKING:
    from .registration import Owner

Hook = Callable[..., Any]
PARAMETERS: dict[int, Hook] = {}
BUFFERS: dict[int, Hook] = {}
MODULES: dict[int, Hook] = {}


def register_module_parameter_registration_hook(hook: Hook) -> RemovableHandle:
    """Call ``hook(module, name, parameter)`` when a module registers one; a returned parameter replaces it."""
    return add_hook(PARAMETERS, hook)


def register_module_buffer_registration_hook(hook: Hook) -> RemovableHandle:
    """Call ``hook(module, name, buffer)`` when a module registers one; a returned tensor replaces it."""
    return add_hook(BUFFERS, hook)


def register_module_module_registration_hook(hook: Hook) -> RemovableHandle:
    """Call ``hook(module, name, submodule)`` when a module registers one; a returned module replaces it."""
    return add_hook(MODULES, hook)


def after_hooks(hooks: dict[int, Hook], owner: Owner, name: str, value: Any) -> Any:
    """Pass `value` through each hook in turn; a returned value replaces it."""
    for hook in tuple(hooks.values()):
        result = hook(owner, name, value)
        value = value if result is None else result
    return value
