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
from . import (
    advanced,
    arithmetic,
    bessel,
    bitwise,
    bounded,
    choose,
    compare,
    complex,
    convert,
    coordinates,
    copies,
    copy,
    create,
    cumulative,
    division,
    einsum,
    exponential,
    extremes,
    finite_differences,
    floats,
    gamma,
    gather,
    histograms,
    index,
    integers,
    interop,
    join,
    larger,
    like,
    linalg,
    low_rank,
    lu,
    masks,
    matmul,
    matrix,
    mixtures,
    norms,
    old_names,
    order,
    overwriting,
    pad,
    permute,
    pieces,
    places,
    pointwise,
    polynomials,
    powers,
    printing,
    products,
    python_values,
    quantiles,
    random,
    random_fill,
    rearrange,
    reduce,
    restrided,
    rounding,
    scatter,
    shape,
    signal,
    slicing,
    softmax,
    special_functions,
    statistics,
    triangular,
    trigonometry,
    windows,
)
from .arguments import explaining

FAMILIES: list[ModuleType] = [
    *(
        arithmetic,
        mixtures,
        division,
        powers,
        exponential,
        pointwise,
        trigonometry,
        special_functions,
        bessel,
        gamma,
        polynomials,
        integers,
        floats,
        rounding,
        compare,
        bitwise,
        choose,
        larger,
        masks,
        complex,
    ),
    *(
        reduce,
        extremes,
        norms,
        quantiles,
        statistics,
        order,
        cumulative,
        create,
        like,
        random,
        random_fill,
        convert,
        printing,
        interop,
        python_values,
    ),
    *(shape, permute, join, slicing, index, advanced, copy, matmul, softmax),
    *(gather, scatter, windows, rearrange, places, linalg, matrix, lu, low_rank, triangular, old_names, einsum),
    *(products, restrided, copies, pieces, coordinates, finite_differences, signal, histograms, bounded, pad),
]
TABLES = ("METHODS", "INPLACE", "OPERATORS", "PROPERTIES")


def attach(family: ModuleType) -> None:
    """Give `Tensor` what `family` offers."""
    for table in TABLES:
        for name, offered in getattr(family, table, {}).items():
            setattr(Tensor, name, offered)


def public() -> dict[str, Any]:
    """Every public function by its name."""
    functions = {name: getattr(family, name) for family in FAMILIES for name in getattr(family, "__all__", ())}
    functions |= {name: getattr(Tensor, name) for name in overwriting.NAMES}
    return {name: explaining(each) for name, each in functions.items()}


for _family in FAMILIES:
    attach(_family)
