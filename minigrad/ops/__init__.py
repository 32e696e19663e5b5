"""The operations on tensors, one family a file, and the one table that hands them to `Tensor`.

A family says at its end what it offers:

    __all__      the functions that are public, as mg.<name>
    METHODS      the methods that tensors get: x.sum()
    INPLACE      those that overwrite the tensor: x.add_(y)
    OPERATORS    x + y, and its kin
    PROPERTIES   x.real

Nothing else puts anything on a tensor.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

from ..core.tensor import Tensor
from . import inplace
from .common.arguments import explaining, leaving, respelling
from .conversion import attributes, casting, copy, interop, printing, python_values, storage
from .create import constructors, factories, like
from .elementwise import (
    arithmetic,
    bitwise,
    comparison,
    complex,
    division,
    exponential,
    floating_point,
    integers,
    maximum,
    pointwise,
    powers,
    rounding,
    ternary,
    trigonometry,
    where,
)
from .fft import stft
from .index import coordinates, gather, masks, scatter, slicing, subscript, take
from .linalg import (
    distances,
    einsum,
    functions,
    legacy,
    low_rank,
    lu,
    matmul,
    matrix_functions,
    products,
    triangular_factors,
)
from .nn import softmax
from .random import distributions, fill
from .reduce import cumulative, extremes, finite_differences, histograms, quantiles, segments, sorting, statistics, sums
from .shape import inplace_views, join, padding, permute, rearrange, splitting, strided, view_copies, views
from .special import bessel, error_and_gamma, incomplete_gamma, polynomials

FAMILIES: list[ModuleType] = [
    *(arithmetic, ternary, division, powers, exponential, pointwise, trigonometry),
    *(integers, floating_point, rounding, comparison, bitwise, where, maximum, complex),
    *(error_and_gamma, bessel, incomplete_gamma, polynomials),
    *(sums, extremes, quantiles, statistics, sorting, cumulative, histograms, finite_differences, segments),
    *(factories, constructors, like, distributions, fill),
    *(casting, printing, interop, python_values, copy, attributes, storage),
    *(views, permute, join, strided, rearrange, inplace_views, view_copies, splitting),
    *(slicing, subscript, gather, scatter, masks, take, coordinates),
    *(matmul, functions, matrix_functions, lu, low_rank, triangular_factors, legacy, einsum, products),
    *(distances, stft, softmax, padding),
]
TABLES = ("METHODS", "INPLACE", "OPERATORS", "PROPERTIES")


def attach(family: ModuleType) -> None:
    """Give `Tensor` what `family` offers."""
    for table in TABLES:
        for name, offered in getattr(family, table, {}).items():
            if table == "OPERATORS":
                offered = leaving(offered)
            setattr(Tensor, name, respelling(offered) if table in ("METHODS", "INPLACE") else offered)


def public() -> dict[str, Any]:
    """Every public function by its name."""
    functions = {name: getattr(family, name) for family in FAMILIES for name in getattr(family, "__all__", ())}
    functions |= {name: getattr(Tensor, name) for name in inplace.NAMES}
    return {name: each if isinstance(each, type) else explaining(each) for name, each in functions.items()}


for _family in FAMILIES:
    attach(_family)


def __getattr__(name: str) -> Any:
    """``ops.aten``, which few programs ask for."""
    if name == "aten":
        from importlib import import_module

        return import_module(".aten", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
