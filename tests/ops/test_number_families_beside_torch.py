"""Functions of one or two numbers, differences, windows and pieces, on minigrad and on PyTorch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import minigrad as mg

from .beside import Call, agree, complex_numbers, numbers, table

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.parity

M = numbers(2, 3)
N = numbers(2, 3, seed=1)
P = np.abs(M) + 0.3
U = np.array([[0.1, 0.5, 0.9], [0.3, 0.7, 0.6]])
I = np.array([[12, 18, 0], [7, -6, 5]])  # noqa: E741
J = np.array([8, 27, 10])
SIGNAL = numbers(64)

ONE = ("entr", "erfcx", "i0", "i0e", "i1", "i1e", "log_ndtr", "ndtr")
WITHOUT_SLOPE = (
    "airy_ai", "bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1", "modified_bessel_i0", "modified_bessel_i1",
    "modified_bessel_k0", "modified_bessel_k1", "scaled_modified_bessel_k0", "scaled_modified_bessel_k1",
    "spherical_bessel_j0",
)  # fmt: skip


def of_special(name: str) -> Any:
    return lambda m, x: getattr(m.special, name)(x)


def without_slope(name: str) -> Any:
    return lambda m, x: getattr(m.special, name)(x.detach())


NUMBERS = {
    **{name: Call(of_special(name), (P,), tolerance=1e-7) for name in ONE},
    **{name: Call(without_slope(name), (P,), tolerance=1e-7) for name in WITHOUT_SLOPE},
    "ndtri": Call(of_special("ndtri"), (U,), tolerance=1e-7),
    "entr at and below zero": Call(lambda m, x: m.special.entr(x.detach()), (np.array([0.0, -1.0, np.nan]),)),
    "xlog1py": Call(lambda m, x, y: m.special.xlog1py(x, y), (M, P)),
    "xlog1py of a number": Call(lambda m, x: m.special.xlog1py(2.0, x), (P,)),
    "zeta": Call(lambda m, x: m.special.zeta(2.5, x), (P,), tolerance=1e-7),
    "igamma": Call(lambda m, x: m.igamma(m.full_like(x, 1.5), x), (P,), tolerance=1e-7),
    "igammac": Call(lambda m, x: m.special.gammaincc(m.full_like(x, 1.5), x), (P,), tolerance=1e-7),
    "mvlgamma": Call(lambda m, x: m.mvlgamma(x + 3, 3), (P,), tolerance=1e-7),
    "i0_": Call(lambda m, x: x.clone().i0_(), (M,), tolerance=1e-7),
    "frexp": Call(lambda m, x: m.frexp(x), (M,)),
    "ldexp": Call(lambda m, x: m.ldexp(x, m.tensor([1.0, -2.0, 3.0])), (M,)),
    "nextafter": Call(lambda m, x, y: m.nextafter(x.detach(), y.detach()), (M, N)),
    "gcd": Call(lambda m, x, y: m.gcd(x, y), (I, J)),
    "lcm": Call(lambda m, x, y: x.lcm(y), (I, J)),
    "gcd_ of fractions": Call(lambda m, x, y: m.gcd(x, y), (M, N)),
    "float_power_": Call(lambda m, x: x.double().float_power_(2), (M,)),
    "addmm_": Call(lambda m, x, a, b: x.clone().addmm_(a, b, beta=0.5, alpha=2), (M, N[:, :2], M[:2])),
    "addmv_": Call(lambda m, x, a, b: x.clone().addmv_(a, b), (M[0, :2], N, M[1])),
    "addr_": Call(lambda m, x, a, b: x.clone().addr_(a, b), (M, N[:, 0], M[1])),
    "addmm with complex factors": Call(
        lambda m, x, a, b: m.addmm(x, a, b, beta=1 + 2j, alpha=2 - 1j),
        (complex_numbers(2, 2), complex_numbers(2, 3, seed=2), complex_numbers(3, 2, seed=3)),
    ),
}

SHAPES = {
    "hsplit": Call(lambda m, x: m.hsplit(x, 3), (M,)),
    "vsplit": Call(lambda m, x: x.vsplit([1]), (M,)),
    "dsplit of a matrix": Call(lambda m, x: m.dsplit(x, 2), (M,)),
    "hsplit that does not divide": Call(lambda m, x: m.hsplit(x, 2), (M,)),
    "broadcast_tensors": Call(lambda m, x, y: m.broadcast_tensors(x, y), (M[:, :1], N[0])),
    "transpose_copy": Call(lambda m, x: m.transpose_copy(x, 0, 1), (M,)),
    "unbind_copy": Call(lambda m, x: m.unbind_copy(x, 1), (M,)),
    "unsafe_chunk": Call(lambda m, x: x.unsafe_chunk(2, 1), (M,)),
    "t_": Call(lambda m, x: (x * 1).t_(), (M,)),
    "transpose_ and on": Call(lambda m, x: (x * 1).transpose_(0, 1).mul_(2) * 3, (M,)),
    "unsqueeze_": Call(lambda m, x: (x * 1).unsqueeze_(1).squeeze_(1), (M,)),
    "t_ of a view": Call(lambda m, x: (x * 1)[:, 1:].t_().sin(), (M,)),
    "t_ of a leaf": Call(lambda m, x: x.t_(), (M,)),
    "swapaxes_": Call(lambda m, x: (x * 1).swapaxes_(0, 1), (M,)),
    "tril_indices": Call(lambda m: m.tril_indices(3, 4, -1), ()),
    "triu_indices": Call(lambda m: m.triu_indices(3, 4, 1), ()),
    "unravel_index": Call(lambda m, x: m.unravel_index(x, (3, 4)), (np.array([0, 5, 11]),)),
    "nonzero_static": Call(lambda m, x: m.nonzero_static(x, size=4, fill_value=7), (I,)),
    "gradient": Call(lambda m, x: m.gradient(x), (numbers(3, 4),)),
    "gradient of second order at the edges": Call(lambda m, x: m.gradient(x, dim=1, edge_order=2), (numbers(3, 4),)),
    "gradient at places": Call(
        lambda m, x, a: m.gradient(x, dim=1, spacing=(a,), edge_order=2),
        (numbers(3, 4), np.array([0.0, 1.0, 3.0, 4.5])),
    ),
    "gradient of too little": Call(lambda m, x: m.gradient(x, edge_order=2), (M,)),
}

TRANSFORMS = {
    **{
        name: Call(lambda m, name=name: getattr(m, name)(7, periodic=False, dtype=m.float64), ())
        for name in ("bartlett_window", "blackman_window", "hamming_window", "hann_window", "kaiser_window")
    },
    "stft": Call(lambda m, x: m.stft(x, 16, return_complex=True).abs(), (SIGNAL,)),
    "stft through a window": Call(
        lambda m, x: x.stft(16, 4, 12, m.hann_window(12, dtype=m.float64), normalized=True, return_complex=False),
        (SIGNAL,),
    ),
    "stft without padding": Call(lambda m, x: m.stft(x, 16, center=False, return_complex=True).abs(), (SIGNAL,)),
    "stft without a wish": Call(lambda m, x: m.stft(x, 16), (SIGNAL,)),
    "istft": Call(
        lambda m, x: m.istft(m.stft(x, 16, window=m.hann_window(16, dtype=m.float64), return_complex=True), 16,
                             window=m.hann_window(16, dtype=m.float64), length=60),
        (SIGNAL,), tolerance=1e-7,
    ),
}  # fmt: skip


COMPLEX = complex_numbers(3, 4)
LATER = {
    **{
        name: Call(lambda m, x, name=name: getattr(m.fft, name)(x), (COMPLEX,), tolerance=1e-7)
        for name in ("hfft", "hfft2", "hfftn")
    },
    **{
        f"{name} {norm}": Call(lambda m, x, name=name, norm=norm: getattr(m.fft, name)(x, norm=norm), (M,))
        for name in ("ihfft", "ihfft2", "ihfftn")
        for norm in ("ortho", "forward", None)
    },
    "renorm": Call(lambda m, x: m.renorm(x, 2, 0, 0.7), (M,), tolerance=1e-7),
    "renorm_": Call(lambda m, x: x.clone().renorm_(1, 1, 0.7), (M,), tolerance=1e-7),
    "pdist": Call(lambda m, x: m.nn.functional.pdist(x), (numbers(4, 3),), False, tolerance=1e-7),
    "pdist with another norm": Call(lambda m, x: m.pdist(x, 3.0), (numbers(4, 3),), False, tolerance=1e-7),
    "histogram": Call(lambda m, x: m.histogram(x.detach(), 5), (SIGNAL,)),
    "histogram with weights": Call(
        lambda m, x, w: m.histogram(x.detach(), 4, range=(-1.0, 1.0), weight=w.detach(), density=True),
        (SIGNAL, np.abs(SIGNAL)),
    ),
    "histogram between edges": Call(lambda m, x, e: x.detach().histogram(e.detach()), (SIGNAL, np.linspace(-2, 2, 6))),
    "conv_transpose2d longer than its windows": Call(
        lambda m, x, w: m.conv_transpose2d(
            x, w, stride=(3, 2), padding=(1, 2), output_padding=(2, 3), groups=2, dilation=4
        ),
        (numbers(2, 2, 4, 4), numbers(2, 2, 4, 5)),
    ),
    "sgn of nan": Call(lambda m, x: m.sgn(x.detach()), (np.array([np.nan, -2.0, 0.0]),)),
    "ctc_loss of log-probabilities": Call(
        lambda m, x: m.nn.functional.ctc_loss(
            x.log_softmax(2).detach().requires_grad_() * 1 + x * 0,
            m.tensor([[1, 2], [2, 2]]), m.tensor([5, 4]), m.tensor([2, 1]),
        ),
        (numbers(5, 2, 4),), second=False,
    ),
    "angle of minus zero": Call(lambda m, x: m.angle(x), (np.array([-0.0, 1.0, -1.0]),)),
    "functions that overwrite": Call(lambda m, x: m.exp_(m.clamp_(x * 2, max=0.5)), (M,)),
    "elu_": Call(lambda m, x: m.nn.functional.elu_(x * 1), (M,)),
    "layers' functions at the top": Call(lambda m, x: m.layer_norm(m.celu(m.selu(x)), (3,)), (M,)),
    "upsample_bilinear": Call(
        lambda m, x: m.nn.functional.upsample_bilinear(x, scale_factor=2), (numbers(1, 2, 3, 3),)
    ),
}  # fmt: skip


@table(NUMBERS | SHAPES | TRANSFORMS | LATER)
def test_the_call_agrees(call: Call) -> None:
    agree(call)


def test_shapes_broadcast_as_they_do_in_pytorch() -> None:
    assert tuple(mg.broadcast_shapes((2, 1), 3, (1,))) == tuple(torch.broadcast_shapes((2, 1), 3, (1,)))
    with pytest.raises(mg.MinigradError, match="cannot be broadcast"):
        mg.broadcast_shapes((2,), (3,))


def test_resizing_keeps_the_first_elements() -> None:
    for m in (mg, torch):
        x = m.arange(6).resize_(2, 2)
        assert x.tolist() == [[0, 1], [2, 3]]
        assert x.resize_as_(m.zeros(3)).tolist() == [0, 1, 2]
        with pytest.raises(RuntimeError, match="cannot resize variables that require grad"):
            m.ones(2, requires_grad=True).resize_(3)
