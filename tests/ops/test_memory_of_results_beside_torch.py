"""How results lie in memory: row by row where PyTorch's do, so that ``view`` takes what it takes there; and apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import minigrad as mg

Lib = Any

RESULTS: dict[str, Callable[[Lib, Any, Any], Any]] = {
    "columns by a tensor": lambda lib, x, i: x[:, i],
    "columns of a transposed tensor": lambda lib, x, i: x.mT[:, i],
    "rows by a mask": lambda lib, x, i: x[:, lib.tensor([True, False, True])],
    "two dimensions by tensors": lambda lib, x, i: x[:, i, i],
    "index_select": lambda lib, x, i: x.index_select(2, i),
    "embedding": lambda lib, x, i: lib.nn.functional.embedding(lib.stack([i, i]).t(), x[0]),
    "masked_scatter": lambda lib, x, i: lib.ones(4).masked_scatter(x[0] > 3, x[1]),
    "cat": lambda lib, x, i: lib.cat([x.mT, x.mT], 1),
    "stack": lambda lib, x, i: lib.stack([x.mT, x.mT], 1),
    "softmax": lambda lib, x, i: x.mT.softmax(-1),
    "log_softmax": lambda lib, x, i: x.mT.log_softmax(1),
    "layer_norm": lambda lib, x, i: lib.nn.functional.layer_norm(x.mT, (3,)),
    "ravel": lambda lib, x, i: x[0, 0, ::2].ravel(),
    "fill": lambda lib, x, i: lib.fill(x[:1].expand(2, 3, 4), 2),
    "permute_copy": lambda lib, x, i: lib.permute_copy(x, (2, 0, 1)),
    "expand_copy": lambda lib, x, i: lib.expand_copy(x[:1], (2, 3, 4)),
    "repeat_interleave of a number": lambda lib, x, i: x[0, 0, 0].repeat_interleave(2),
    "pad": lambda lib, x, i: lib.nn.functional.pad(x, (1, 1), "reflect"),
    "grid_sample": lambda lib, x, i: lib.nn.functional.grid_sample(x[None], lib.zeros(1, 5, 5, 2), align_corners=False),
    "interpolate": lambda lib, x, i: lib.nn.functional.interpolate(x, 3),
    "any": lambda lib, x, i: (x.permute(1, 2, 0) > 3).any(1),
    **{
        f"{name}, keepdim={keepdim}": lambda lib, x, i, name=name, keepdim=keepdim: getattr(x.permute(1, 2, 0), name)(
            dim=1, keepdim=keepdim
        )
        for name in ("sum", "mean", "var", "amax", "amin", "prod", "logsumexp", "norm")
        for keepdim in (False, True)
    },
    **{
        f"{name} of a transposed and a plain tensor": lambda lib, x, i, name=name: getattr(x.transpose(1, 2), name)(
            lib.ones(2, 4, 3)
        )
        for name in ("add", "sub", "mul", "div")
    },
    "add of a plain and a transposed tensor": lambda lib, x, i: lib.ones(2, 4, 3) + x.transpose(1, 2),
    "add of two that are turned differently": lambda lib, x, i: x.permute(2, 0, 1) + lib.ones(2, 4, 3).transpose(0, 1),
    "add of a transposed tensor and a row": lambda lib, x, i: x.transpose(1, 2) + lib.ones(3),
    "add with alpha": lambda lib, x, i: lib.add(x.transpose(1, 2), lib.ones(2, 4, 3), alpha=2),
    "sub of a transposed tensor with an axis of one element": lambda lib, x, i: (
        x.transpose(1, 2).reshape(2, 4, 3, 1) - lib.ones(2, 4, 3, 1)
    )[..., 0],
    "cumsum": lambda lib, x, i: x.permute(1, 2, 0).cumsum(0),
}


@pytest.mark.parity
@pytest.mark.parametrize("name", RESULTS)
def test_a_result_lies_as_pytorchs_does(name: str) -> None:
    torch = pytest.importorskip("torch")
    for lib in (mg, torch):
        lib.manual_seed(0)
    ours, theirs = (RESULTS[name](lib, lib.arange(24.0).reshape(2, 3, 4), lib.tensor([2, 0])) for lib in (mg, torch))
    assert ours.tolist() == pytest.approx(theirs.tolist()) if ours.ndim == 1 else ours.shape == theirs.shape
    assert ours.stride() == theirs.stride()


@pytest.mark.parity
def test_only_weights_of_convolutions_get_a_memory_format() -> None:
    torch = pytest.importorskip("torch")

    def strides(lib: Any) -> Any:
        nn, convert = lib.nn, lib.nn.utils
        net = nn.Sequential(nn.Conv2d(2, 3, 3), nn.Sequential(nn.ConvTranspose2d(3, 2, 2)), nn.Conv3d(2, 3, 2))
        assert convert.convert_conv2d_weight_memory_format(net, lib.channels_last) is net
        convert.convert_conv3d_weight_memory_format(net, lib.channels_last_3d)
        return [each.stride() for each in net.parameters()]

    assert strides(mg) == strides(torch)


OPEN_STRIDES: dict[str, Callable[[Lib], Any]] = {
    "nothing": lambda lib: lib.tensor([]),
    "no rows": lambda lib: lib.empty(0, 3),
    "no columns": lambda lib: lib.empty(3, 0, 2),
    "a new first dimension": lambda lib: lib.ones(3, 4).mT[None],
    "a new last dimension": lambda lib: lib.ones(3, 4)[..., None],
    "a new dimension within": lambda lib: lib.ones(3, 4).mT.unsqueeze(1),
    "one element expanded": lambda lib: lib.ones(1).expand(1, 1, 1),
    "a column expanded": lambda lib: lib.ones(3, 1).expand(1, 3, 1),
    "atleast_3d": lambda lib: lib.atleast_3d(lib.ones(2)),
}


@pytest.mark.parity
@pytest.mark.parametrize("name", OPEN_STRIDES)
def test_strides_that_no_element_depends_on_are_pytorchs(name: str) -> None:
    torch = pytest.importorskip("torch")
    ours, theirs = (OPEN_STRIDES[name](lib) for lib in (mg, torch))
    assert ours.stride() == theirs.stride() and ours.stride(0) == theirs.stride(0)


FORMATS: dict[str, Callable[[Lib, Any, Any], Any]] = {
    "contiguous": lambda lib, x, order: x.contiguous(memory_format=order),
    "to": lambda lib, x, order: x.to(memory_format=order),
    "to another dtype": lambda lib, x, order: x.to(lib.float64, memory_format=order),
    "double": lambda lib, x, order: x.double(memory_format=order),
    "float": lambda lib, x, order: x.float(memory_format=order),
    "cpu": lambda lib, x, order: x.cpu(memory_format=order),
    "clone": lambda lib, x, order: x.clone(memory_format=order),
    "empty": lambda lib, x, order: lib.empty(x.shape, memory_format=order).zero_(),
    "zeros_like": lambda lib, x, order: lib.zeros_like(x, memory_format=order),
    "ones_like of one that lies otherwise": lambda lib, x, order: lib.ones_like(x.transpose(0, 1), memory_format=order),
    "empty_like": lambda lib, x, order: lib.empty_like(x, memory_format=order).zero_(),
    "what is in that order already": lambda lib, x, order: x.clone(memory_format=order).contiguous(memory_format=order),
    "a product": lambda lib, x, order: x.contiguous(memory_format=order) * 2,
    "an image of one channel": lambda lib, x, order: x[:, :1].contiguous(memory_format=order),
}


@pytest.mark.parity
@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("order", ["channels_last", "channels_last_3d", "contiguous_format"])
def test_a_memory_format_orders_the_elements_as_in_pytorch(name: str, order: str) -> None:
    torch = pytest.importorskip("torch")
    sizes = (2, 3, 4, 5, 2) if order == "channels_last_3d" else (2, 3, 4, 5)
    made = [
        FORMATS[name](lib, lib.arange(float(np.prod(sizes))).reshape(sizes), getattr(lib, order)) for lib in (mg, torch)
    ]
    ours, theirs = made
    assert ours.stride() == theirs.stride() and ours.tolist() == theirs.tolist()
    for each in ("channels_last", "channels_last_3d", "contiguous_format", "preserve_format"):
        asked = [x.is_contiguous(memory_format=getattr(lib, each)) for lib, x in zip((mg, torch), made, strict=True)]
        assert asked[0] == asked[1]


def test_a_memory_format_passes_gradients_on_and_works_under_vmap() -> None:
    x = mg.arange(24.0).reshape(2, 3, 2, 2).requires_grad_()
    (x.contiguous(memory_format=mg.channels_last) * x.detach()).sum().backward()
    assert x.grad is not None and x.grad.equal(x.detach())
    many = mg.func.vmap(lambda each: each.contiguous(memory_format=mg.channels_last))(x.detach().expand(5, 2, 3, 2, 2))
    assert many.equal(x.detach().expand(5, 2, 3, 2, 2))


def test_a_memory_format_of_another_rank_is_refused() -> None:
    for call in (
        lambda: mg.ones(2, 3).contiguous(memory_format=mg.channels_last),
        lambda: mg.empty(2, 3, 4, 5, memory_format=mg.channels_last_3d),
        lambda: mg.nn.Conv3d(1, 1, 1).to(memory_format=mg.channels_last),
    ):
        with pytest.raises(mg.errors.ShapeError, match="required rank"):
            call()


@pytest.mark.parity
@pytest.mark.cpu("a GPU draws other numbers")
def test_the_weights_of_a_module_get_a_memory_format_and_dropout_draws_as_in_pytorch() -> None:
    torch = pytest.importorskip("torch")

    def program(lib: Any) -> Any:
        lib.manual_seed(0)
        net = lib.nn.Sequential(lib.nn.Conv2d(2, 3, 3, padding=1), lib.nn.Dropout(0.5), lib.nn.Conv2d(3, 1, 1))
        net.to(memory_format=lib.channels_last)
        loss = net(lib.randn(2, 2, 4, 4).to(memory_format=lib.channels_last)).square().sum()
        loss.backward()
        return net[0].weight.stride(), net[0].bias.stride(), loss.item(), net[0].weight.grad.flatten().tolist()

    ours, theirs = program(mg), program(torch)
    assert ours[:2] == theirs[:2]
    assert ours[2] == pytest.approx(theirs[2], rel=1e-5) and ours[3] == pytest.approx(theirs[3], rel=1e-4, abs=1e-5)


LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "rows": lambda x: x,
    "columns": lambda x: x.mT.contiguous().mT,
    "first innermost": lambda x: x.movedim(0, -1).contiguous().movedim(-1, 0),
    "reversed": lambda x: x.permute(2, 1, 0).contiguous().permute(2, 1, 0),
    "with gaps": lambda x: x.repeat_interleave(2, -1)[..., ::2],
    "expanded": lambda x: x[:1].expand(x.shape),
    "one row": lambda x: x[0],
}

OF_TWO: dict[str, Callable[[Lib, Any, Any], Any]] = {
    **{
        name: lambda lib, a, b, name=name: getattr(lib, name)(a, b)
        for name in ("add", "mul", "div", "pow", "maximum", "fmod", "atan2", "xlogy", "heaviside", "lt", "logical_and",
                     "logaddexp", "floor_divide", "copysign", "complex")
    },
    "where": lambda lib, a, b: lib.where(a > 0.5, b, a),
    "where with a number": lambda lib, a, b: lib.where(a > 0.5, 0.0, b),
    "lerp": lambda lib, a, b: lib.lerp(a, b.expand(a.shape) if b.ndim < 3 else b, 0.3),
    "addcmul": lambda lib, a, b: lib.addcmul(a, b, a),
    "clamp": lambda lib, a, b: a.clamp(b),
    "masked_fill": lambda lib, a, b: a.masked_fill(b > 0.5, 0),
    "of two dtypes": lambda lib, a, b: a.float() + b,
    "halves": lambda lib, a, b: a.half() * b.half(),
    "a number to a power": lambda lib, a, b: 2**a + b,
}  # fmt: skip

OF_ONE: dict[str, Callable[[Lib, Any], Any]] = {
    "flip": lambda lib, a: a.flip(0), "roll": lambda lib, a: a.roll(1, 0), "rot90": lambda lib, a: a.rot90(),
    "sort": lambda lib, a: a.sort(0), "gather": lambda lib, a: a.gather(0, (a * 0).long()),
    "scatter": lambda lib, a: a.scatter(0, (a * 0).long(), a),
    "index_add": lambda lib, a: a.index_add(0, lib.tensor([0]), a[:1]),
    "tril": lambda lib, a: a.tril(), "nan_to_num": lambda lib, a: a.nan_to_num(), "clone": lambda lib, a: a.clone(),
    "zeros_like by rows": lambda lib, a: lib.zeros_like(a, memory_format=lib.contiguous_format),
    "clone by rows": lambda lib, a: a.clone(memory_format=lib.contiguous_format),
    **{
        f"{name} over {dim}": lambda lib, a, name=name, dim=dim: getattr(lib.fft, name)(a, dim=dim)
        for name in ("fft", "ifft", "rfft", "irfft") for dim in (0, 1, 2)
    },
    **{name: lambda lib, a, name=name: getattr(lib.fft, name)(a) for name in ("fft2", "rfft2", "irfft2")},
    "inverse": lambda lib, a: lib.inverse(a @ a.mT + lib.eye(a.shape[-2], dtype=a.dtype)),
    "solve": lambda lib, a: lib.linalg.solve(a @ a.mT + lib.eye(a.shape[-2], dtype=a.dtype), a),
    "qr": lambda lib, a: lib.linalg.qr(a), "eigh": lambda lib, a: lib.linalg.eigh(a @ a.mT),
    "cholesky": lambda lib, a: lib.linalg.cholesky(a @ a.mT + lib.eye(a.shape[-2], dtype=a.dtype)),
}  # fmt: skip


def _made(lib: Lib, layout: str, scale: float = 1.0) -> Any:
    return LAYOUTS[layout](((lib.arange(24, dtype=lib.float64) * 0.37).sin() * 0.4 * scale + 0.5).reshape(2, 3, 4))


def _strides(made: Any) -> list[tuple[int, ...]]:
    return [tuple(each.stride()) for each in (made if isinstance(made, (tuple, list)) else [made])]


@pytest.mark.parity
@pytest.mark.parametrize("name", OF_TWO)
def test_a_result_of_two_lies_as_the_first_that_tells_two_dimensions_apart(name: str) -> None:
    torch = pytest.importorskip("torch")
    run, found = OF_TWO[name], {}
    for first in LAYOUTS:
        for second in LAYOUTS:
            if first == "one row" and name in ("lerp", "clamp", "addcmul"):
                continue
            ours, theirs = (_strides(run(lib, _made(lib, first), _made(lib, second, 0.7))) for lib in (mg, torch))
            if ours != theirs:
                found[first, second] = (ours, theirs)
    assert not found


@pytest.mark.parity
@pytest.mark.parametrize("name", OF_ONE)
def test_a_result_of_one_lies_as_pytorchs_whatever_the_layout(name: str) -> None:
    torch = pytest.importorskip("torch")
    for layout in LAYOUTS:
        if "over" in name and layout in ("expanded", "one row"):
            continue
        ours, theirs = (_strides(OF_ONE[name](lib, _made(lib, layout))) for lib in (mg, torch))
        assert ours == theirs, layout


@pytest.mark.parametrize("times", [1, 3])
def test_what_is_repeated_is_memory_of_its_own(times: int) -> None:
    x = mg.tensor(1.0)
    assert x.repeat_interleave(times).add_(1).tolist() == [2.0] * times
    assert x.item() == 1.0
    row = mg.ones(2)
    row.repeat_interleave(1).add_(1)
    assert row.tolist() == [1.0, 1.0]


@pytest.mark.parity
@pytest.mark.cpu("a GPU draws other numbers")
def test_dropout_leaves_out_the_elements_that_pytorch_does() -> None:
    """It draws in the order of memory."""
    torch = pytest.importorskip("torch")
    ours, theirs = (_dropped(lib) for lib in (mg, torch))
    assert ours.tolist() == theirs.tolist()
    assert ours.stride() == theirs.stride()


def _dropped(lib: Lib) -> Any:
    lib.manual_seed(0)
    x = lib.arange(24.0).reshape(2, 3, 4)
    return lib.nn.functional.dropout(x.transpose(1, 2) + lib.ones(2, 4, 3), 0.5)
