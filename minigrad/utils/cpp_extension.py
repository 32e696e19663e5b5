"""The names of ``torch.utils.cpp_extension``. Nothing is compiled here: what would compile says so.

Programs that import this module and only call it where there is a GPU run as they are.
"""

from __future__ import annotations

from typing import Any, NoReturn

from ..errors import MissingRuleError

__all__ = ["BuildExtension", "CUDAExtension", "CUDA_HOME", "CppExtension", "include_paths", "load", "load_inline"]

CUDA_HOME = None
"""Where CUDA's compiler is: None."""


def _refused(name: str) -> NoReturn:
    raise MissingRuleError(
        f"{name}: minigrad runs no C++ or CUDA extensions, which call PyTorch's own C++. Write the op in Python, as an "
        "autograd.Function or with library.custom_op."
    )


def load(name: str, sources: Any = None, *args: Any, **kwargs: Any) -> NoReturn:
    """Refused: MissingRuleError."""
    _refused(f"load({name!r})")


def load_inline(name: str, cpp_sources: Any = None, *args: Any, **kwargs: Any) -> NoReturn:
    """Refused: MissingRuleError."""
    _refused(f"load_inline({name!r})")


def CppExtension(name: str, sources: Any = None, *args: Any, **kwargs: Any) -> NoReturn:
    """Refused: MissingRuleError."""
    _refused(f"CppExtension({name!r})")


def CUDAExtension(name: str, sources: Any = None, *args: Any, **kwargs: Any) -> NoReturn:
    """Refused: MissingRuleError."""
    _refused(f"CUDAExtension({name!r})")


class BuildExtension:
    """A command of setuptools, which cannot be made here: MissingRuleError."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        _refused("BuildExtension")

    @classmethod
    def with_options(cls, **options: Any) -> type[BuildExtension]:
        """The class itself."""
        return cls


def include_paths(device_type: str = "cpu") -> list[str]:
    """None: there are no headers."""
    return []
