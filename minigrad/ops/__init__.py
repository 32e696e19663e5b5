"""The operations on tensors, one family per file, and the single place that attaches them to `Tensor`.

The end of each file lists what its family offers:

    __all__     the functions that are public, as mg.<name>
    METHODS     the methods that tensors get: x.sum()
    INPLACE     those that overwrite the tensor: x.add_(y)
    OPERATORS   x + y and so on
    PROPERTIES  x.real

Nothing else attaches methods to tensors. A family is imported when one of its names is first used, so that
``import minigrad`` takes little longer than ``import numpy``. Until then each of its attributes on `Tensor` is a
`Later`; the module `names` lists which family has which name.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

from ..core.tensor import Tensor
from . import inplace
from .names import FAMILIES, FUNCTIONS, METHODS, PROPERTIES

PUBLIC = frozenset((*FUNCTIONS, *inplace.NAMES))
"""The functions, and some classes, that are public as ``minigrad.<name>``."""

TABLES = ("METHODS", "INPLACE", "OPERATORS", "PROPERTIES")


@cache
def family(name: str) -> ModuleType:
    """Import the family of this name, such as "reduce.sums", attach its methods to `Tensor`, and return its module."""
    from .common.arguments import leaving, respelling

    module = import_module("." + name, __name__)
    for table in TABLES:
        for attribute, offered in getattr(module, table, {}).items():
            if table == "OPERATORS" and attribute not in ("__contains__", "__format__"):
                offered = leaving(offered)
            setattr(Tensor, attribute, respelling(offered) if table in ("METHODS", "INPLACE") else offered)
    return module


def families() -> list[ModuleType]:
    """Import and return all families."""
    return [family(name) for name in FAMILIES]


@cache
def function(name: str) -> Any:
    """Return the public function or class of this name."""
    from .common.arguments import explaining
    from .common.pickling import findable

    found = getattr(Tensor, name) if name in inplace.NAMES else getattr(family(FUNCTIONS[name]), name)
    return found if isinstance(found, type) else findable(explaining(found), "minigrad", name)


class Later:
    """A method of tensors whose family is not imported yet. The first access imports it and replaces this object."""

    __slots__ = ("name", "family")

    def __init__(self, name: str, family: str) -> None:
        self.name = name
        self.family = family

    def now(self) -> Any:
        """Import the family. Return the attribute that has replaced this one."""
        family(self.family)
        return Tensor.__dict__[self.name]

    def __get__(self, tensor: Tensor | None, kind: type[Tensor]) -> Any:
        return self.now().__get__(tensor, kind)


class LaterProperty(Later):
    """A property of tensors whose family is not imported yet."""

    __slots__ = ()

    def __set__(self, tensor: Tensor, value: Any) -> None:
        self.now().__set__(tensor, value)

    def __delete__(self, tensor: Tensor) -> None:
        self.now().__delete__(tensor)


for _name, _family in METHODS.items():
    setattr(Tensor, _name, Later(_name, _family))
for _name, _family in PROPERTIES.items():
    setattr(Tensor, _name, LaterProperty(_name, _family))


def _represent(tensor: Tensor) -> str:
    return str(Later("__repr__", METHODS["__repr__"]).now()(tensor))


# No `Later`: Python drops what a lookup of `__repr__` raises, be it Ctrl-C, and prints "<Tensor object at ...>".
setattr(Tensor, "__repr__", _represent)  # noqa: B010


def __getattr__(name: str) -> Any:
    """Import ``ops.aten`` at first use."""
    if name == "aten":
        return import_module(".aten", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
