"""The same call on minigrad and on PyTorch: values, element types, gradients, and the names of the nodes."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import minigrad as mg

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.parity

M = np.array([[0.5, -1.25, 2.0], [-0.75, 1.5, 0.25]])
N = np.array([[1.5, 0.5, -0.5], [2.5, -1.5, 0.75]])
P = np.abs(M) + 0.25  # positive
U = np.array([[0.1, 0.5, 0.9], [0.3, 0.7, 0.6]])  # inside the unit interval
T = np.array([[1.0, 3.0, 3.0], [3.0, 2.0, 3.0]])  # with ties
Z = np.array([[0.0, -0.0, 1.0], [2.0, 0.0, -1.0]])  # with zeros
S = np.array([[math.inf, -math.inf, math.nan], [0.0, 1.0, -2.0]])  # special
V = np.array([3.0, 1.0, 2.0, 1.0])
C = M + 1j * N

# name: (call, inputs); the call gets the library and one tensor for each input.
CALLS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "add": (lambda m, x, y: x + y, (M, N)),
    "add number": (lambda m, x: x + 1.5, (M,)),
    "add alpha": (lambda m, x, y: m.add(x, y, alpha=3), (M, N)),
    "add broadcast": (lambda m, x, y: x + y, (M, N[0])),
    "sub": (lambda m, x, y: x - y, (M, N)),
    "sub alpha": (lambda m, x, y: x.sub(y, alpha=0.5), (M, N)),
    "rsub": (lambda m, x: 2 - x, (M,)),
    "mul": (lambda m, x, y: x * y, (M, N)),
    "mul number": (lambda m, x: 3 * x, (M,)),
    "div": (lambda m, x, y: x / y, (M, N)),
    "div number": (lambda m, x: x / 3, (M,)),
    "rdiv": (lambda m, x: 3 / x, (M,)),
    "div zero": (lambda m, x, y: x / y, (M, Z)),
    "div floor": (lambda m, x, y: m.div(x, y, rounding_mode="floor"), (M, N)),
    "div trunc": (lambda m, x, y: m.div(x, y, rounding_mode="trunc"), (M, N)),
    "remainder": (lambda m, x, y: x % y, (M, N)),
    "remainder number": (lambda m, x: x % 0.75, (M,)),
    "fmod": (lambda m, x, y: m.fmod(x, y), (M, N)),
    "fmod number": (lambda m, x: x.fmod(0.75), (M,)),
    "neg": (lambda m, x: -x, (M,)),
    "pos": (lambda m, x: +x * 1, (M,)),
    "abs": (lambda m, x: abs(x), (M,)),
    "abs zero": (lambda m, x: x.abs(), (Z,)),
    "pow 2": (lambda m, x: x**2, (M,)),
    "pow 3": (lambda m, x: x**3, (M,)),
    "pow half": (lambda m, x: x**0.5, (P,)),
    "pow -2": (lambda m, x: x**-2, (P,)),
    "pow 0": (lambda m, x: x**0, (Z,)),
    "pow 1.5": (lambda m, x: m.pow(x, 1.5), (P,)),
    "pow tensors": (lambda m, x, y: x**y, (P, N)),
    "pow tensors at zero": (lambda m, x, y: x**y, (Z, np.abs(N))),
    "rpow": (lambda m, x: 2**x, (M,)),
    "rpow zero": (lambda m, x: 0.0**x, (np.abs(M),)),
    "float_power": (lambda m, x: m.float_power(x, 2), (M,)),
    "square": (lambda m, x: x.square(), (M,)),
    "sqrt": (lambda m, x: x.sqrt(), (P,)),
    "sqrt zero": (lambda m, x: x.sqrt(), (np.abs(Z),)),
    "rsqrt": (lambda m, x: m.rsqrt(x), (P,)),
    "reciprocal": (lambda m, x: x.reciprocal(), (M,)),
    "exp": (lambda m, x: m.exp(x), (M,)),
    "exp2": (lambda m, x: m.exp2(x), (M,)),
    "expm1": (lambda m, x: m.expm1(x), (M,)),
    "log": (lambda m, x: m.log(x), (P,)),
    "log of negative": (lambda m, x: x.log(), (Z,)),
    "log2": (lambda m, x: m.log2(x), (P,)),
    "log10": (lambda m, x: m.log10(x), (P,)),
    "log1p": (lambda m, x: m.log1p(x), (P,)),
    "sigmoid": (lambda m, x: m.sigmoid(x), (M,)),
    "sigmoid far": (lambda m, x: m.sigmoid(x * 200), (M,)),
    "tanh": (lambda m, x: m.tanh(x), (M,)),
    "relu": (lambda m, x: m.relu(x), (Z,)),
    "addcmul": (lambda m, x, y, z: m.addcmul(x, y, z, value=0.5), (M, N, P)),
    "addcdiv": (lambda m, x, y, z: m.addcdiv(x, y, z, value=0.5), (M, N, P)),
    "lerp": (lambda m, x, y: m.lerp(x, y, 0.3), (M, N)),
    "lerp far": (lambda m, x, y: m.lerp(x, y, 0.8), (M, N)),
    "lerp tensor": (lambda m, x, y, w: m.lerp(x, y, w), (M, N, U)),
    "sin": (lambda m, x: m.sin(x), (M,)),
    "cos": (lambda m, x: m.cos(x), (M,)),
    "tan": (lambda m, x: m.tan(x), (M,)),
    "asin": (lambda m, x: m.asin(x), (U,)),
    "acos": (lambda m, x: m.acos(x), (U,)),
    "atan": (lambda m, x: m.atan(x), (M,)),
    "sinh": (lambda m, x: m.sinh(x), (M,)),
    "cosh": (lambda m, x: m.cosh(x), (M,)),
    "asinh": (lambda m, x: m.asinh(x), (M,)),
    "acosh": (lambda m, x: m.acosh(x), (P + 1,)),
    "atanh": (lambda m, x: m.atanh(x), (U,)),
    "sinc": (lambda m, x: m.sinc(x), (Z + 0.0,)),
    "atan2": (lambda m, x, y: m.atan2(x, y), (M, N)),
    "hypot": (lambda m, x, y: m.hypot(x, y), (M, N)),
    "deg2rad": (lambda m, x: m.deg2rad(x), (M,)),
    "rad2deg": (lambda m, x: m.rad2deg(x), (M,)),
    "erf": (lambda m, x: m.erf(x), (M,)),
    "erfc": (lambda m, x: m.erfc(x), (M,)),
    "erfinv": (lambda m, x: m.erfinv(x), (U,)),
    "lgamma": (lambda m, x: m.lgamma(x), (P,)),
    "digamma": (lambda m, x: m.digamma(x), (P,)),
    "polygamma": (lambda m, x: m.polygamma(2, x), (P,)),
    "logit": (lambda m, x: m.logit(x), (U,)),
    "logit eps": (lambda m, x: m.logit(x, eps=0.2), (U,)),
    "logaddexp": (lambda m, x, y: m.logaddexp(x, y), (M, N)),
    "logaddexp2": (lambda m, x, y: m.logaddexp2(x, y), (M, N)),
    "xlogy": (lambda m, x, y: m.xlogy(x, y), (Z, P)),
    "sign": (lambda m, x: m.sign(x), (S,)),
    "floor": (lambda m, x: m.floor(x), (M,)),
    "ceil": (lambda m, x: m.ceil(x), (M,)),
    "trunc": (lambda m, x: m.trunc(x), (M,)),
    "round": (lambda m, x: m.round(x), (M * 2,)),
    "round decimals": (lambda m, x: m.round(x, decimals=1), (M * 0.37,)),
    "frac": (lambda m, x: m.frac(x), (M,)),
    "nan_to_num": (lambda m, x: m.nan_to_num(x), (S,)),
    "nan_to_num given": (lambda m, x: m.nan_to_num(x, nan=1.0, posinf=5.0, neginf=-5.0), (S,)),
    "copysign": (lambda m, x, y: m.copysign(x, y), (M, N)),
    "maximum": (lambda m, x, y: m.maximum(x, y), (T, T[::-1].copy())),
    "minimum": (lambda m, x, y: m.minimum(x, y), (T, T[::-1].copy())),
    "fmax": (lambda m, x, y: m.fmax(x, y), (S, N)),
    "fmin": (lambda m, x, y: m.fmin(x, y), (S, N)),
    "maximum nan": (lambda m, x, y: m.maximum(x, y), (S, N)),
    "clamp": (lambda m, x: m.clamp(x, -0.75, 1.5), (M,)),
    "clamp min": (lambda m, x: x.clamp(min=0.25), (M,)),
    "clamp max": (lambda m, x: x.clamp(max=0.25), (M,)),
    "clamp crossed": (lambda m, x: m.clamp(x, 1.0, -1.0), (M,)),
    "clamp tensors": (lambda m, x, y, z: m.clamp(x, y, z), (M, N - 1, N)),
    "clamp_min": (lambda m, x: m.clamp_min(x, 0.25), (M,)),
    "clamp_max": (lambda m, x: m.clamp_max(x, 0.25), (M,)),
    "where": (lambda m, x, y: m.where(x > 0, x, y), (M, N)),
    "where number": (lambda m, x: m.where(x > 0, x, 0.5), (M,)),
    "where method": (lambda m, x, y: x.where(y > 0, y), (M, N)),
    "masked_fill": (lambda m, x: x.masked_fill(x > 0, 7.0), (M,)),
    "masked_fill tensor": (lambda m, x, v: x.masked_fill(x > 0, v), (M, np.array(2.0))),
    "sum": (lambda m, x: x.sum(), (M,)),
    "sum dim": (lambda m, x: x.sum(0), (M,)),
    "sum dims": (lambda m, x: m.sum(x, dim=(0, 1), keepdim=True), (M,)),
    "sum empty dims": (lambda m, x: m.sum(x, dim=()), (M,)),
    "sum scalar": (lambda m, x: x.sum(0), (np.array(2.0),)),
    "mean": (lambda m, x: x.mean(), (M,)),
    "mean dim": (lambda m, x: x.mean(-1, keepdim=True), (M,)),
    "prod": (lambda m, x: x.prod(), (M,)),
    "prod zeros": (lambda m, x: x.prod(1), (Z,)),
    "prod one zero": (lambda m, x: x.prod(), (np.array([2.0, 0.0, 3.0]),)),
    "nansum": (lambda m, x: m.nansum(x, 1), (S[:, 1:],)),
    "nanmean": (lambda m, x: m.nanmean(x[1:]), (S,)),
    "var": (lambda m, x: x.var(), (M,)),
    "var dim": (lambda m, x: m.var(x, 1, correction=0), (M,)),
    "var unbiased": (lambda m, x: m.var(x, 1, unbiased=False, keepdim=True), (M,)),
    "var of one": (lambda m, x: m.var(x[:, :1], 1), (M,)),
    "std": (lambda m, x: x.std(0), (M,)),
    "std of equals": (lambda m, x: x.std(), (T * 0 + 2,)),
    "var_mean": (lambda m, x: m.var_mean(x, 1), (M,)),
    "std_mean": (lambda m, x: m.std_mean(x), (M,)),
    "logsumexp": (lambda m, x: m.logsumexp(x, 1), (M * 100,)),
    "logsumexp nothing": (lambda m, x: m.logsumexp(x, 1), (np.full((2, 2), -math.inf),)),
    "norm": (lambda m, x: x.norm(), (M,)),
    "norm zero": (lambda m, x: x.norm(), (Z * 0,)),
    "norm 1": (lambda m, x: m.norm(x, 1, dim=1), (Z,)),
    "norm 3": (lambda m, x: m.norm(x, 3, dim=0, keepdim=True), (M,)),
    "norm inf": (lambda m, x: m.norm(x, math.inf, dim=1), (T,)),
    "norm 0": (lambda m, x: m.norm(x, 0, dim=1), (Z,)),
    "norm half": (lambda m, x: m.norm(x, 0.5), (M,)),
    "dist": (lambda m, x, y: m.dist(x, y), (M, N)),
    "max": (lambda m, x: x.max(), (T,)),
    "min": (lambda m, x: x.min(), (T,)),
    "max dim": (lambda m, x: x.max(1), (T,)),
    "min dim": (lambda m, x: m.min(x, 0, keepdim=True), (T,)),
    "max two": (lambda m, x, y: m.max(x, y), (M, N)),
    "amax": (lambda m, x: x.amax(1), (T,)),
    "amin": (lambda m, x: x.amin((0, 1), keepdim=True), (T,)),
    "amax all": (lambda m, x: m.amax(x), (T,)),
    "aminmax": (lambda m, x: m.aminmax(x, dim=1), (M,)),
    "max nan": (lambda m, x: x.max(), (S,)),
    "max dim nan": (lambda m, x: x.max(1), (S,)),
    "argmax": (lambda m, x: x.argmax(), (T,)),
    "argmin dim": (lambda m, x: m.argmin(x, 1, keepdim=True), (T,)),
    "median": (lambda m, x: x.median(), (np.array([1.0, 1.0, 2.0, 5.0]),)),
    "median dim": (lambda m, x: x.median(1), (M,)),
    "median nan": (lambda m, x: x.median(), (S,)),
    "nanmedian": (lambda m, x: m.nanmedian(x), (S,)),
    "kthvalue": (lambda m, x: m.kthvalue(x, 2, 1), (M,)),
    "mode": (lambda m, x: m.mode(x, 1), (T,)),
    "cumsum": (lambda m, x: x.cumsum(1), (M,)),
    "cumsum dtype": (lambda m, x: m.cumsum(x, 0, dtype=m.float64), (M,)),
    "cumprod": (lambda m, x: x.cumprod(1), (M,)),
    "cumprod zeros": (lambda m, x: m.cumprod(x, 1), (Z,)),
    "cummax": (lambda m, x: m.cummax(x, 1), (T,)),
    "cummin": (lambda m, x: m.cummin(x, 0), (T,)),
    "logcumsumexp": (lambda m, x: m.logcumsumexp(x, 1), (M,)),
    "diff": (lambda m, x: m.diff(x), (M,)),
    "diff twice": (lambda m, x: m.diff(x, n=2, dim=1), (M,)),
    "trapezoid": (lambda m, y, x: m.trapezoid(y, x), (M, np.sort(N, 1))),
    "cumulative_trapezoid": (lambda m, y: m.cumulative_trapezoid(y, dx=0.5), (M,)),
    "sort": (lambda m, x: x.sort(1), (M,)),
    "sort descending": (lambda m, x: m.sort(x, dim=0, descending=True), (M,)),
    "sort stable": (lambda m, x: m.sort(x, stable=True), (T,)),
    "sort nan": (lambda m, x: x.sort(1, descending=True), (S,)),
    "argsort": (lambda m, x: x.argsort(1), (M,)),
    "topk": (lambda m, x: x.topk(2, 1), (M,)),
    "topk smallest": (lambda m, x: m.topk(x, 1, 0, largest=False), (M,)),
    "quantile": (lambda m, x: m.quantile(x, 0.3), (M,)),
    "quantiles": (lambda m, x: m.quantile(x, m.tensor([0.0, 0.25, 1.0], dtype=x.dtype), dim=1, keepdim=True), (M,)),
    "quantile nearest": (lambda m, x: m.quantile(x, 0.6, dim=0, interpolation="nearest"), (M,)),
    "nanquantile": (lambda m, x: m.nanquantile(x, 0.5, dim=1), (S[1:],)),
    "cov": (lambda m, x: m.cov(x), (M,)),
    "corrcoef": (lambda m, x: m.corrcoef(x), (M,)),
    "unique": (lambda m, x: m.unique(x.detach(), return_inverse=True, return_counts=True), (T,)),
    "unique dim": (lambda m, x: m.unique(x.detach(), dim=1), (T,)),
    "unique_consecutive": (
        lambda m, x: m.unique_consecutive(x.detach(), return_inverse=True, return_counts=True), (T,),
    ),
    "searchsorted": (lambda m, x: m.searchsorted(m.tensor([1.0, 2.0, 3.0], dtype=x.dtype), x.detach()), (T,)),
    "searchsorted right": (
        lambda m, x: m.searchsorted(m.tensor([1.0, 2.0, 3.0], dtype=x.dtype), x.detach(), right=True), (T,),
    ),
    "bucketize": (lambda m, x: m.bucketize(x.detach(), m.tensor([1.0, 2.0], dtype=x.dtype)), (T,)),
    "isin": (lambda m, x: m.isin(x.detach(), m.tensor([1.0, 2.0], dtype=x.dtype)), (T,)),
    "histc": (lambda m, x: m.histc(x.detach(), bins=4, min=0, max=4), (T,)),
    "eq": (lambda m, x, y: x == y, (T, T[::-1].copy())),
    "ne number": (lambda m, x: x != 3, (T,)),
    "lt": (lambda m, x, y: m.lt(x, y), (M, N)),
    "le": (lambda m, x: x <= 1.5, (M,)),
    "gt": (lambda m, x: x < 0.5, (M,)),
    "ge": (lambda m, x: x >= 0.5, (M,)),
    "isnan": (lambda m, x: m.isnan(x), (S,)),
    "isinf": (lambda m, x: m.isinf(x), (S,)),
    "isfinite": (lambda m, x: m.isfinite(x), (S,)),
    "isclose": (lambda m, x, y: m.isclose(x, y, atol=1.0), (M, N)),
    "signbit": (lambda m, x: m.signbit(x), (Z,)),
    "logical": (lambda m, x, y: m.logical_xor(x > 0, y > 0), (M, N)),
    "any": (lambda m, x: (x > 1).any(), (M,)),
    "all dim": (lambda m, x: m.all(x, 1), (Z,)),
    "count_nonzero": (lambda m, x: m.count_nonzero(x, 1), (Z,)),
    "bool operators": (lambda m, x, y: ((x > 0) & (y > 0)) | ~(x > 1) ^ (y > 1), (M, N)),
    "to double": (lambda m, x: x.double() * 2, (M,)),
    "to half": (lambda m, x: x.half(), (M,)),
    "to": (lambda m, x: x.to(m.float64, copy=True), (M,)),
    "clone": (lambda m, x: x.clone(), (M,)),
    "to int": (lambda m, x: x.int(), (M * 3,)),
    "complex": (lambda m, x, y: m.complex(x, y), (M, N)),
    "polar": (lambda m, x, y: m.polar(x, y), (P, N)),
    "zeros_like": (lambda m, x: m.zeros_like(x), (M,)),
    "full_like": (lambda m, x: m.full_like(x, 2.5), (M,)),
    "new": (lambda m, x: x.new_full((2,), 3), (M,)),
}  # fmt: skip

COMPLEX_CALLS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "mul": (lambda m, x, y: x * y, (C, C[::-1].copy())),
    "div": (lambda m, x, y: x / y, (C, C[::-1].copy())),
    "rdiv": (lambda m, x: 2 / x, (C,)),
    "with a real one": (lambda m, x, y: x * y, (C, M)),
    "times j": (lambda m, x: x * 1j, (M,)),
    "abs": (lambda m, x: x.abs(), (C,)),
    "angle": (lambda m, x: m.angle(x), (C,)),
    "conj": (lambda m, x: (x * x.conj()).real, (C,)),
    "real and imag": (lambda m, x: x.real * x.imag, (C,)),
    "exp": (lambda m, x: m.exp(x), (C,)),
    "log": (lambda m, x: m.log(x), (C,)),
    "sqrt": (lambda m, x: m.sqrt(x), (C,)),
    "pow": (lambda m, x: x**3, (C,)),
    "pow tensors": (lambda m, x, y: x**y, (C, C[::-1].copy())),
    "rpow": (lambda m, x: 2**x, (C,)),
    "tanh": (lambda m, x: m.tanh(x), (C,)),
    "sigmoid": (lambda m, x: m.sigmoid(x), (C,)),
    "sin": (lambda m, x: m.sin(x), (C,)),
    "sum": (lambda m, x: x.sum(0), (C,)),
    "mean": (lambda m, x: x.mean(), (C,)),
    "prod": (lambda m, x: x.prod(1), (C,)),
    "cumprod": (lambda m, x: x.cumprod(1), (C,)),
    "var": (lambda m, x: x.var(1), (C,)),
    "std": (lambda m, x: x.std(), (C,)),
    "norm": (lambda m, x: x.norm(), (C,)),
    "norm 3": (lambda m, x: m.norm(x, 3), (C,)),
    "sgn": (lambda m, x: m.sgn(x), (C,)),
    "reciprocal": (lambda m, x: x.reciprocal(), (C,)),
    "view_as_real": (lambda m, x: m.view_as_real(x), (C,)),
    "view_as_complex": (lambda m, x: m.view_as_complex(x), (np.stack([M, N], -1),)),
    "where": (lambda m, x, y: m.where(x.real > 0, x, y), (C, C[::-1].copy())),
    "masked_fill": (lambda m, x: x.masked_fill(x.real > 0, 1j), (C,)),
    "lerp": (lambda m, x, y: m.lerp(x, y, 0.3), (C, C[::-1].copy())),
    "addcmul": (lambda m, x, y, z: m.addcmul(x, y, z), (C, C[::-1].copy(), C * 2)),
    "cov": (lambda m, x: m.cov(x), (C,)),
    "eq": (lambda m, x, y: x == y, (C, C)),
    "to complex": (lambda m, x: x.to(m.complex128) * 1j, (M,)),
}  # fmt: skip

DIFFERENT_NAMES = {
    "angle", "conj", "cov", "corrcoef", "count_nonzero", "cumulative_trapezoid", "diff", "diff twice", "dist",
    "div floor", "div trunc",
    "nanmean", "nanquantile", "polar", "quantile", "quantile nearest", "quantiles", "trapezoid", "unique",
    "unique dim", "aminmax",
    "nansum", "float_power", "real and imag", "unique_consecutive", "var of one", "with a real one", "sgn",
}  # fmt: skip
"""Where our graph is made of other ops than theirs, or has a name of its own."""


def outputs_of(result: Any) -> list[Any]:
    return list(result) if isinstance(result, (tuple, list)) else [result]


def run(library: Any, call: Any, inputs: Any, dtype: str) -> tuple[list[Any], list[Any]]:
    """The outputs, and the gradients of their weighted sum."""
    leaves = [
        library.tensor(each).to(getattr(library, dtype)) if np.isrealobj(each) else library.tensor(each)
        for each in inputs
    ]
    if dtype == "float32":
        leaves = [each.to(library.complex64) if each.is_complex() else each for each in leaves]
    leaves = [each.detach().requires_grad_() for each in leaves]
    outputs = outputs_of(call(library, *leaves))
    total: Any = 0
    for i, out in enumerate(outputs):
        if out.requires_grad:
            weights = np.cos(np.arange(out.numel()) + i).reshape(tuple(out.shape))
            part = (out * library.tensor(weights).to(out.dtype)).sum()
            total = total + (part.real + part.imag if part.is_complex() else part)
    if isinstance(total, int):
        return outputs, []
    total.backward()
    return outputs, [each.grad for each in leaves]


def compare(call: Any, inputs: Any, dtype: str, tolerance: float, names: bool) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs, their_grads = run(torch, call, inputs, dtype)
    ours, our_grads = run(mg, call, inputs, dtype)
    assert len(ours) == len(theirs)
    for mine, other in zip(ours, theirs, strict=True):
        assert tuple(mine.shape) == tuple(other.shape)
        assert mine.dtype.name == str(other.dtype).removeprefix("torch.")
        np.testing.assert_allclose(
            np.asarray(mine.tolist()), np.asarray(other.tolist()), rtol=tolerance, atol=tolerance, equal_nan=True
        )
        if names and mine.grad_fn is not None:
            assert mine.grad_fn.name() == other.grad_fn.name()
    for mine, other in zip(our_grads, their_grads, strict=True):
        assert (mine is None) == (other is None)
        if mine is not None:
            assert mine.dtype.name == str(other.dtype).removeprefix("torch.")
            np.testing.assert_allclose(
                np.asarray(mine.tolist()), np.asarray(other.tolist()), rtol=tolerance, atol=tolerance, equal_nan=True
            )


@pytest.mark.filterwarnings("ignore:.*degrees of freedom")
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", CALLS)
def test_a_call_gives_what_pytorch_gives(name: str, dtype: str) -> None:
    call, inputs = CALLS[name]
    compare(call, inputs, dtype, 1e-9 if dtype == "float64" else 2e-5, name not in DIFFERENT_NAMES)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", COMPLEX_CALLS)
def test_a_complex_call_gives_what_pytorch_gives(name: str, dtype: str) -> None:
    call, inputs = COMPLEX_CALLS[name]
    compare(call, inputs, dtype, 1e-9 if dtype == "float64" else 2e-4, name not in DIFFERENT_NAMES)
