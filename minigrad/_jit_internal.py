"""The names of ``torch._jit_internal`` that modules import: names of `typing`, and decorators for a compiler."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Dict, Final, List, Optional, Tuple, Union  # noqa: UP035

from .jit import export, ignore, is_scripting, unused

__all__ = [
    "Any", "Dict", "Final", "List", "Optional", "Tuple", "Union", "boolean_dispatch", "export", "ignore",
    "is_scripting", "unused",
]  # fmt: skip


def boolean_dispatch(
    arg_name: str,
    arg_index: int,
    default: bool,
    if_true: Callable[..., Any],
    if_false: Callable[..., Any],
    module_name: str | None = None,
    func_name: str | None = None,
) -> Callable[..., Any]:
    """Return a function that calls `if_true` or `if_false`, depending on its argument `arg_name`."""

    def choose(*args: Any, **kwargs: Any) -> Any:
        chosen = kwargs.get(arg_name, args[arg_index] if len(args) > arg_index else default)
        return (if_true if chosen else if_false)(*args, **kwargs)

    return choose
