"""Views as copies: ``permute_copy(x, dims)`` is ``x.permute(dims)`` in memory of its own. Also the splits that may be
written to (``unsafe_split``), which give no multiple views that the graph would have to protect."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..common.arguments import accepts_out
from ..conversion.copy import Contiguous
from ..elementwise import complex
from ..index import slicing
from . import join, permute
from . import strided as windows
from . import views as shape


def _copying(function: Callable[..., Any], name: str, words: str) -> Any:
    def copying(*args: Any, **kwargs: Any) -> Any:
        made = function(*args, **kwargs)
        return tuple([Contiguous(None)(each) for each in made]) if isinstance(made, tuple) else Contiguous(None)(made)

    copying.__name__ = copying.__qualname__ = name
    copying.__doc__ = f"{words}: {function.__doc__}"
    return accepts_out(copying)


def _copied(function: Callable[..., Any]) -> Any:
    return _copying(function, function.__name__ + "_copy", "In memory of its own")


def _unsafe(function: Callable[..., Any]) -> Any:
    return _copying(function, "unsafe_" + function.__name__, "In memory of their own")


def alias(input: Any) -> Any:
    """The tensor itself, as a view."""
    return input


alias_copy = _copied(alias)
as_strided_copy = _copied(windows.as_strided)
diagonal_copy = _copied(windows.diagonal)
expand_copy = _copied(shape.expand)
permute_copy = _copied(permute.permute)
select_copy = _copied(slicing.select)
split_copy = _copied(join.split)
split_with_sizes_copy = _copied(join.split_with_sizes)
squeeze_copy = _copied(shape.squeeze)
t_copy = _copied(permute.t)
transpose_copy = _copied(permute.transpose)
unbind_copy = _copied(join.unbind)
unfold_copy = _copied(windows.unfold)
unsqueeze_copy = _copied(shape.unsqueeze)
view_as_complex_copy = _copied(complex.view_as_complex)
view_as_real_copy = _copied(complex.view_as_real)
view_copy = _copied(shape.view)
narrow_copy = _copied(slicing.narrow)
unsafe_chunk = _unsafe(join.chunk)
unsafe_split = _unsafe(join.split)
unsafe_split_with_sizes = _unsafe(join.split_with_sizes)

__all__ = [
    "alias_copy", "as_strided_copy", "diagonal_copy", "expand_copy", "narrow_copy", "permute_copy", "select_copy",
    "split_copy", "split_with_sizes_copy", "squeeze_copy", "t_copy", "transpose_copy", "unbind_copy", "unfold_copy",
    "unsafe_chunk", "unsafe_split", "unsafe_split_with_sizes", "unsqueeze_copy", "view_as_complex_copy",
    "view_as_real_copy", "view_copy",
]  # fmt: skip

METHODS = {
    "narrow_copy": narrow_copy, "unsafe_chunk": unsafe_chunk, "unsafe_split": unsafe_split,
    "unsafe_split_with_sizes": unsafe_split_with_sizes,
}  # fmt: skip
