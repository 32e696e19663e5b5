"""Element types that results have, and memory that is shared, laid out and written to."""

from __future__ import annotations

import copy
import math
import pickle
from typing import Any

import numpy as np
import pytest

from .same import same

pytestmark = pytest.mark.parity


def einsum_of_two_types_promotes_them(lib: Any) -> Any:
    return [lib.einsum("i,j->ij", lib.arange(2), lib.ones(2)).dtype]


def half_precision_meets_numbers_without_rounding_them_first(lib: Any) -> Any:
    h = lib.tensor([0.5, 1.0, 2.0, 60000.0], dtype=lib.float16)
    out = [
        h * 1e5,
        h * 1e-8,
        h / 1e5,
        h + 70000.0,
        h * 70000,
        h * 1e-6,
        lib.tensor([1e-7], dtype=lib.float16) * 1e7,
        h - 65505.0,
        h.mul(1e5),
        1e5 * h,
        1e5 / h,
        h / 1e-5,
        h.div(70000.0),
        h % 70000.0,
        h // 1e5,
        h**17,
    ]
    return out


def bfloat16_meets_numbers_without_rounding_them_first(lib: Any) -> Any:
    h = lib.tensor([0.5, 1.0, 2.0, 3.0], dtype=lib.bfloat16)
    out = [
        h * 1.001,
        h + 1.001,
        h / 1.001,
        h - 1.001,
        1.001 / h,
        h * 257,
        h + 257,
        h**1.01,
        h % 1.001,
        h.add(h, alpha=1.001),
        h.sub(h, alpha=0.999),
        lib.lerp(h, h * 2, 0.333),
        h.addcmul(h, h, value=1.001),
        h.addcdiv(h, h, value=1.001),
        h.clamp(1.001, 2.003),
        lib.where(h > 1, 1.001, h),
        h.floor_divide(1.001),
        h.remainder(0.3),
        h.fmod(0.3),
        h > 1.001,
        h == 1.001,
        lib.full_like(h, 1.001),
        h.pow(2.5),
        lib.pow(1.3, h),
    ]
    return out


def bfloat16_is_ordered_where_there_is_a_nan(lib: Any) -> Any:
    h = lib.tensor([3.0, float("nan"), 1.0, 2.0, float("nan"), -1.0], dtype=lib.bfloat16)
    out = [
        *lib.sort(h),
        *lib.sort(h, descending=True),
        *lib.topk(h, 3),
        *lib.topk(h, 3, largest=False),
        h.argsort(),
        lib.msort(h),
        *h.kthvalue(2),
        *h.median(0),
        *h.max(0),
        *h.min(0),
        h.argmax(),
        h.argmin(),
        *h.cummax(0),
        *h.cummin(0),
        *h.mode(),
        lib.unique(lib.tensor([1.0, 3.0, 1.0], dtype=lib.bfloat16)),
    ]
    return out


def nan_to_num_of_half_precision_knows_its_limits(lib: Any) -> Any:
    h = lib.tensor([3.0, float("nan"), float("inf"), -float("inf")], dtype=lib.bfloat16)
    out = [h.nan_to_num(), h.nan_to_num(7.0), h.nan_to_num(1.0, 2.0, 3.0), lib.nan_to_num(h.half())]
    return out


def convolutions_of_half_precision_are_rounded_once(lib: Any) -> Any:
    out = []
    for dtype in (lib.bfloat16, lib.float16):
        for groups in (1, 3, 6):
            lib.manual_seed(0)
            x = lib.randn(2, 6, 9, 9).to(dtype).requires_grad_()
            weight = (lib.randn(6, 6 // groups, 3, 3) * 0.3).to(dtype).requires_grad_()
            for convolve in (lib.nn.functional.conv2d, lib.nn.functional.conv_transpose2d):
                y = convolve(x, weight, stride=2, padding=1, groups=groups)
                out += [y, *lib.autograd.grad((y * y).float().mean(), (x, weight))]
    return out


def a_list_takes_the_type_of_what_is_in_it(lib: Any) -> Any:
    return [
        lib.tensor([1, np.float64(2)]).dtype,
        lib.tensor([1.0, np.float64(2)]).dtype,
        lib.tensor([np.float64(2)]).dtype,
        lib.tensor([np.float32(2)]).dtype,
        lib.tensor(np.float64(2)).dtype,
        lib.tensor([np.int32(1)]).dtype,
        lib.tensor([np.int32(1), 2]).dtype,
        lib.tensor([True, 2]).dtype,
        lib.tensor([np.bool_(True)]).dtype,
        lib.tensor([np.float32(1), np.float64(2)]).dtype,
        lib.tensor([1, 2.0, 3j]).dtype,
        lib.tensor([np.float16(1)]).dtype,
        lib.tensor([np.array([1, 2]), np.array([3, 4])]).dtype,
        lib.tensor([lib.tensor(1.0, dtype=lib.float64), 2]).dtype,
        lib.tensor([lib.tensor(1), 2.0]).dtype,
        lib.tensor([[np.float64(1)], [2]]).dtype,
        lib.tensor([lib.tensor(1.0, dtype=lib.float64), np.float32(2)]).dtype,
        lib.tensor([np.complex64(1)]).dtype,
        lib.tensor([]).dtype,
        lib.tensor([[], []]).dtype,
    ]


def the_median_of_nothing(lib: Any) -> Any:
    names = ("uint8", "int8", "int16", "int32", "int64", "float16", "float64")
    return [lib.empty(0, dtype=getattr(lib, each)).median() for each in names]


def what_is_empty_has_a_say_in_the_type_of_a_cat(lib: Any) -> Any:
    return [
        lib.cat([lib.empty(0, dtype=lib.float64), lib.ones(2)]).dtype,
        lib.cat([lib.ones(2), lib.empty(0, dtype=lib.int64)]).dtype,
        lib.cat([lib.empty(0), lib.ones(2, 2)]),
        lib.cat([lib.tensor([1]), lib.tensor([1.5])]).dtype,
        lib.stack([lib.tensor([1]), lib.tensor([1.5])]).dtype,
        lib.hstack([lib.tensor([1]), lib.tensor([1.5])]).dtype,
        lib.cat([lib.tensor([True]), lib.tensor([2])]).dtype,
    ]


def pythons_types_name_element_types(lib: Any) -> Any:
    return [
        lib.randn(3, dtype=float).dtype,
        lib.zeros(3, dtype=int).dtype,
        lib.ones(2, dtype=bool).dtype,
        lib.full((2,), 1, dtype=complex).dtype,
        lib.rand(2, dtype=float).dtype,
        lib.empty(2, dtype=float).dtype,
        lib.arange(3, dtype=float).dtype,
        lib.linspace(0, 1, 3, dtype=float).dtype,
        lib.tensor([1], dtype=float).dtype,
        lib.ones(2).to(float).dtype,
        lib.ones(2).type(lib.float64).dtype,
        lib.as_tensor([1], dtype=float).dtype,
        lib.eye(2, dtype=float).dtype,
        lib.randint(3, (2,), dtype=float).dtype,
        lib.ones(2).sum(dtype=float).dtype,
        lib.zeros_like(lib.ones(2), dtype=float).dtype,
        lib.ones(1).new_zeros(2, dtype=float).dtype,
        lib.ones(2).to(int).dtype,
        lib.ones(2).softmax(0, dtype=float).dtype,
    ]


def ldexp_keeps_half_precision(lib: Any) -> Any:
    h = lib.tensor([1.0, 2.0], dtype=lib.float16)
    out = [
        lib.ldexp(h, lib.tensor([1, 2])),
        lib.ldexp(lib.ones(2), lib.tensor([1, 2])),
        lib.ldexp(lib.ones(2, dtype=lib.bfloat16), lib.tensor([1, 2])),
        lib.ldexp(lib.ones(2, dtype=lib.float64), lib.tensor([1, 2])),
        lib.ldexp(lib.tensor([1, 2]), lib.tensor([1, 2])),
        lib.ldexp(h, lib.tensor(2)),
    ]
    return out


def log1p_of_small_complex_numbers_is_exact(lib: Any) -> Any:
    z = lib.tensor([1e-10 + 1e-10j, 1e-20 + 0j, -1e-9 + 1e-12j, 1e-5j, 3e-17 + 1e-9j], dtype=lib.complex128)
    w = lib.log1p(z)
    out = [w / z, lib.log1p(z.to(lib.complex64)) / z.to(lib.complex64)]
    return out


def arange_writes_into_a_view(lib: Any) -> Any:
    b = lib.zeros(10)
    o = b[::2]
    lib.arange(5, out=o)
    out = [b, o]
    return out


def arange_gives_its_size_to_an_empty_out(lib: Any) -> Any:
    o = lib.empty(0)
    lib.arange(5, out=o)
    o2 = lib.empty(0)
    lib.linspace(0, 1, 3, out=o2)
    out = [o, o2]
    return out


def quantiles_of_infinite_numbers_are_exact(lib: Any) -> Any:
    inf = math.inf
    return [
        lib.quantile(lib.tensor([1.0, inf, 2.0]), 0.5),
        lib.quantile(lib.tensor([1.0, inf, inf]), 0.5),
        lib.quantile(lib.tensor([-inf, inf, 1.0]), 0.25),
        lib.quantile(lib.tensor([-inf, inf]), 0.5),
        lib.quantile(lib.tensor([inf, inf, 1.0]), lib.tensor([0.0, 0.3, 0.5, 1.0])),
        lib.quantile(lib.tensor([-inf, -inf, 1.0]), 0.25),
        lib.nanquantile(lib.tensor([inf, math.nan, 1.0, inf]), 0.6),
    ] + [
        lib.quantile(lib.tensor([-inf, inf, 1.0, inf]), 0.3, interpolation=i)
        for i in ("linear", "lower", "higher", "nearest", "midpoint")
    ]


def sums_and_products_come_in_the_type_that_was_asked_for(lib: Any) -> Any:
    x = lib.tensor([1.7, 2.9, -0.5])
    out = [
        x.sum(dtype=lib.int64),
        x.cumsum(0, dtype=lib.int64),
        x.cumprod(0, dtype=lib.int32),
        x.sum(dtype=lib.bool),
        x.prod(dtype=lib.int64),
        x.mean(dtype=lib.float64),
        x.nansum(dtype=lib.int64),
        lib.sum(x, 0, dtype=lib.int8),
        x.prod(0, dtype=lib.bool),
    ]
    return out


def factories_write_into_views(lib: Any) -> Any:
    b = lib.zeros(10)
    o = b[::2]
    lib.linspace(0, 1, 5, out=o)
    b2 = lib.zeros(10)
    lib.logspace(0, 1, 5, out=b2[1::2])
    b3 = lib.zeros(4, 4)
    lib.eye(2, out=b3[1:3, 1:3])
    b4 = lib.zeros(4)
    lib.full((2,), 3.0, out=b4[::2])
    lib.ones(2, out=b4[1::2])
    b5 = lib.ones(4)
    lib.zeros(2, out=b5[:2])
    out = [b, o, b2, b3, b4, b5]
    return out


def what_is_made_in_a_likeness_lies_like_it_in_memory(lib: Any) -> Any:
    x = lib.ones(2, 3).t()
    views = [
        x,
        lib.ones(2, 3, 4).permute(2, 0, 1),
        lib.ones(3, 1).expand(3, 4),
        lib.ones(1, 3).expand(4, 3),
        lib.ones(4, 6)[::2, ::3],
        lib.ones(2, 3, 4).permute(2, 0, 1)[::2],
    ]
    return [
        each.stride()
        for v in views
        for each in (
            lib.zeros_like(v),
            lib.ones_like(v),
            lib.empty_like(v),
            lib.full_like(v, 2.0),
            lib.zeros_like(v, dtype=lib.int64),
            v.clone(),
            v.double(),
            v + 1,
        )
    ]


def tensors_carry_what_a_program_writes_on_them(lib: Any) -> Any:
    weight = lib.nn.Parameter(lib.ones(2))
    weight._no_weight_decay = True
    x = lib.ones(2)
    x.tag = "mine"
    made = [copy.deepcopy(x), copy.copy(x), pickle.loads(pickle.dumps(x)), x.to(lib.float32), x.requires_grad_()]
    apart = [x.detach(), x.clone(), x.view(2), copy.deepcopy(weight)]
    layer = lib.nn.Linear(2, 2)
    layer.weight.group = 3
    layer.double()
    del x.tag
    return [
        weight._no_weight_decay, layer.weight.group, hasattr(x, "tag"), [hasattr(each, "tag") for each in made[:3]],
        [hasattr(each, "tag") or hasattr(each, "_no_weight_decay") for each in apart],
    ]  # fmt: skip


def the_conjugate_transpose_is_of_one_matrix(lib: Any) -> Any:
    refused = []
    for shape in ((2,), (2, 2, 2)):
        with pytest.raises(RuntimeError, match="only supported on matrices") as found:
            _ = lib.ones(shape).H
        refused.append(str(found.value))
    return [refused, lib.tensor(2 + 1j).H, lib.tensor([[1j, 2.0]]).H]


def a_step_of_a_cell_is_a_function_of_its_weights(lib: Any) -> Any:
    x, h, c = lib.arange(6.0).reshape(2, 3) / 6, lib.ones(2, 2) / 2, lib.ones(2, 2) / 3
    made: list[Any] = []
    for name, gates in (("lstm_cell", 4), ("gru_cell", 3), ("rnn_tanh_cell", 1), ("rnn_relu_cell", 1)):
        weights = [lib.arange(float(2 * gates * n)).sin().reshape(2 * gates, n) for n in (3, 2)]
        biases = [lib.arange(2.0 * gates).cos(), lib.arange(2.0 * gates).sin()]
        state = (h, c) if gates == 4 else h
        made += [getattr(lib, name)(x, state, *weights), getattr(lib, name)(x, state, *weights, *biases)]
    return made


def margins_that_are_just_kept_have_no_slope(lib: Any) -> Any:
    F = lib.nn.functional
    x = lib.tensor([[1.0, 1.0, 0.0, 0.0]], requires_grad=True)
    one = F.multilabel_margin_loss(x, lib.tensor([[0, 1, -1, 0]]))
    other = F.multi_margin_loss(x, lib.tensor([0]), margin=1.0)
    return [one, lib.autograd.grad(one, x)[0], other, lib.autograd.grad(other, x)[0]]


PROGRAMS = [
    tensors_carry_what_a_program_writes_on_them,
    the_conjugate_transpose_is_of_one_matrix,
    a_step_of_a_cell_is_a_function_of_its_weights,
    margins_that_are_just_kept_have_no_slope,
    einsum_of_two_types_promotes_them,
    half_precision_meets_numbers_without_rounding_them_first,
    bfloat16_meets_numbers_without_rounding_them_first,
    bfloat16_is_ordered_where_there_is_a_nan,
    nan_to_num_of_half_precision_knows_its_limits,
    convolutions_of_half_precision_are_rounded_once,
    a_list_takes_the_type_of_what_is_in_it,
    the_median_of_nothing,
    what_is_empty_has_a_say_in_the_type_of_a_cat,
    pythons_types_name_element_types,
    ldexp_keeps_half_precision,
    log1p_of_small_complex_numbers_is_exact,
    arange_writes_into_a_view,
    arange_gives_its_size_to_an_empty_out,
    quantiles_of_infinite_numbers_are_exact,
    sums_and_products_come_in_the_type_that_was_asked_for,
    factories_write_into_views,
    what_is_made_in_a_likeness_lies_like_it_in_memory,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_a_program_gives_the_same_on_both(program: Any) -> None:
    same(program)
