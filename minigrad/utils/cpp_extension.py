"""The names of ``torch.utils.cpp_extension``. minigrad compiles nothing: functions that would compile raise.

Programs that import this module, and call it only if there is a GPU, run unchanged.
"""

from __future__ import annotations

from typing import Any, NoReturn

from ..errors import MissingRuleError

__all__ = ["BuildExtension", "CUDAExtension", "CUDA_HOME", "CppExtension", "include_paths", "load", "load_inline"]

CUDA_HOME = None
"""The folder of CUDA: None."""


def _refused(name: str) -> NoReturn:
    raise MissingRuleError(
        f"{name}: minigrad runs no C++ or CUDA extensions, which call PyTorch's own C++. Write the op in Python, as an "
        "autograd.Function or with library.custom_op."
    )


def load(name: str, sources: Any = None, *args: Any, **kwargs: Any) -> NoReturn:
    """Raise MissingRuleError: minigrad compiles no extensions."""
    _refused(f"load({name!r})")


def load_inline(name: str, cpp_sources: Any = None, *args: Any, **kwargs: Any) -> NoReturn:
    """Raise MissingRuleError: minigrad compiles no extensions."""
    _refused(f"load_inline({name!r})")


def CppExtension(name: str, sources: Any = None, *args: Any, **kwargs: Any) -> NoReturn:
    """Raise MissingRuleError: minigrad compiles no extensions."""
    _refused(f"CppExtension({name!r})")


def CUDAExtension(name: str, sources: Any = None, *args: Any, **kwargs: Any) -> NoReturn:
    """Raise MissingRuleError: minigrad compiles no extensions."""
    _refused(f"CUDAExtension({name!r})")


class BuildExtension:
    """A setuptools command. Creating it raises MissingRuleError."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        _refused("BuildExtension")

    @classmethod
    def with_options(cls, **options: Any) -> type[BuildExtension]:
        """Return the class itself."""
        return cls


def include_paths(device_type: str = "cpu") -> list[str]:
    """Return an empty list: there are no headers."""
    return []
