"""What PyTorch refuses, with the words that programs look for; and calls that its own tests make."""

from __future__ import annotations

import importlib
import pickle
from typing import Any

import numpy as np
import pytest

import minigrad as mg

torch = pytest.importorskip("torch")
BOTH = pytest.mark.parametrize("lib", [mg, torch], ids=["minigrad", "torch"])

REFUSED: dict[str, tuple[Any, str]] = {
    "heaviside of two types": (
        lambda lib: lib.heaviside(lib.tensor([1.0]), lib.tensor([1])),
        "heaviside is not yet implemented for tensors with different dtypes.",
    ),
    "heaviside of complex numbers": (
        lambda lib: lib.heaviside(lib.tensor([1j]), lib.tensor([1j])),
        "heaviside is not yet implemented for complex tensors.",
    ),
    "an answer that is no bool": (
        lambda lib: lib.isposinf(lib.tensor([1.0]), out=lib.zeros(1)),
        "does not support non-boolean outputs",
    ),
    "out of another type than dtype": (
        lambda lib: lib.sum(lib.tensor([1.0]), 0, dtype=lib.float64, out=lib.zeros(())),
        "Expected out tensor to have dtype",
    ),
    "in place into too narrow a type": (
        lambda lib: lib.tensor([1]).fmod_(lib.tensor([1.5])),
        "result type Float can't be cast to the desired output type Long",
    ),
    "polar of integers": (
        lambda lib: lib.polar(lib.tensor([1]), lib.tensor([2])),
        r"Expected both inputs to be Half, Float or Double tensors but got [A-Za-z]+ and [A-Za-z]+",
    ),
    "a negative number of powers": (lambda lib: lib.vander(lib.tensor([1, 2]), N=-1), "N must be non-negative"),
    "frexp of integers": (lambda lib: lib.frexp(lib.tensor([1])), r"torch\.frexp\(\) only supports floating-point"),
    "indices that are no long": (
        lambda lib: lib.take_along_dim(lib.ones(2, 2), lib.zeros(2, 2).bool(), 0),
        "dtype of indices should be Long",
    ),
    "the quantile of nothing": (
        lambda lib: lib.quantile(lib.zeros(0), 0.5),
        r"quantile\(\) input tensor must be non-empty",
    ),
    "a chain with a vector inside": (
        lambda lib: lib.linalg.multi_dot([lib.ones(3), lib.ones(3), lib.ones(3)]),
        "tensor 1 must be 2D but got 1D",
    ),
    "no segments": (lambda lib: lib.segment_reduce(lib.ones(3), "sum"), "Either lengths or offsets must be defined"),
    "segments that leave some out": (
        lambda lib: lib.segment_reduce(lib.ones(3), "sum", lengths=lib.tensor([1, 1])),
        "Expected all rows of lengths along axis to sum to",
    ),
}


@BOTH
@pytest.mark.parametrize("case", REFUSED)
def test_it_is_refused_in_the_same_words(lib: Any, case: str) -> None:
    call, words = REFUSED[case]
    with pytest.raises(RuntimeError, match=words):
        call(lib)


BUFFERS = {
    "nothing": ((b"",), {}, r"both buffer length \(0\) and count"),
    "no elements": ((bytes(8),), {"count": 0}, r"both buffer length .* and count \(0\)"),
    "before the beginning": ((bytes(8),), {"offset": -4}, r"offset \(-4 bytes\) must be"),
    "behind the end": ((bytes(8),), {"offset": 8}, r"offset \(8 bytes\) must be .* buffer length \(8 bytes\)"),
    "half an element": ((bytes(8),), {"offset": 3}, r"buffer length \(5 bytes\) after offset \(3 bytes\) must be"),
    "more than there is": (
        (bytes(8),),
        {"count": 3},
        r"requested buffer length \(3 \* 4 bytes\) after offset \(0 bytes\)",
    ),
    "no buffer": (([1, 2],), {}, "object does not implement Python buffer protocol"),
}


@BOTH
@pytest.mark.filterwarnings("ignore:The given buffer is not writable")
@pytest.mark.parametrize("case", BUFFERS)
def test_a_buffer_is_looked_at_before_it_is_read(lib: Any, case: str) -> None:
    args, settings, words = BUFFERS[case]
    with pytest.raises(ValueError, match=words):
        lib.frombuffer(*args, dtype=lib.float32, **settings)


@BOTH
@pytest.mark.parametrize("draw", ["rand", "randn"])
def test_numbers_are_drawn_in_the_type_of_out(lib: Any, draw: str) -> None:
    lib.manual_seed(0)
    wanted = getattr(lib, draw)(20, dtype=lib.float64)
    lib.manual_seed(0)
    out = lib.empty(0, dtype=lib.float64)
    getattr(lib, draw)(20, out=out)
    assert out.tolist() == wanted.tolist()


SEGMENTS = [
    (reduce, initial, form) for reduce in ("sum", "mean", "max", "min", "prod") for initial in (None, 2.5)
    for form in ("lengths", "offsets")
]  # fmt: skip


@pytest.mark.parametrize(("reduce", "initial", "form"), SEGMENTS)
def test_segments_are_reduced_as_in_pytorch(reduce: str, initial: float | None, form: str) -> None:
    values = np.random.default_rng(0).standard_normal((2, 6, 3))
    given = [[2, 0, 4], [1, 3, 2]] if form == "lengths" else [[0, 2, 2, 6], [0, 1, 4, 6]]
    found = []
    for lib in (mg, torch):
        data = lib.tensor(values, requires_grad=True)
        made = lib.segment_reduce(data, reduce, axis=1, initial=initial, **{form: lib.tensor(given)})
        made.nan_to_num(0.0, 0.0, 0.0).sum().backward()
        found.append((made.detach().numpy(), data.grad.numpy()))
    np.testing.assert_allclose(found[0][0], found[1][0])
    np.testing.assert_allclose(found[0][1], found[1][1])


@BOTH
def test_segments_of_nothing_are_the_initial_value(lib: Any) -> None:
    assert lib.segment_reduce(lib.zeros(0), "sum", lengths=lib.tensor([0, 0])).tolist() == [0.0, 0.0]
    assert tuple(lib.segment_reduce(lib.zeros(0, 3), "max", lengths=lib.tensor([0, 0])).shape) == (2, 3)


def test_powers_of_nothing_and_none_at_all() -> None:
    for lib in (mg, torch):
        assert tuple(lib.vander(lib.tensor([]), 0).shape) == (0, 0)
        assert lib.vander(lib.tensor([True, False])).tolist() == [[1, 1], [0, 1]]


def test_memory_is_handed_over_by_dlpack() -> None:
    x = mg.arange(3)
    capsule = mg.utils.dlpack.to_dlpack(x)
    theirs = torch.from_dlpack(capsule)
    theirs[0] = 7
    assert x.tolist() == [7, 1, 2]


def test_averages_are_kept_in_files() -> None:
    from minigrad.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

    model = AveragedModel(mg.nn.Linear(2, 1), multi_avg_fn=get_ema_multi_avg_fn(0.5))
    assert pickle.loads(pickle.dumps(model.multi_avg_fn)).average.keywords == {"decay": 0.5}


@BOTH
def test_a_lazy_layer_of_ones_own_need_not_become_another(lib: Any) -> None:
    parameter = lib.nn.parameter

    class Late(lib.nn.modules.lazy.LazyModuleMixin, lib.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.scale = parameter.UninitializedParameter()

        def initialize_parameters(self, input: Any) -> None:
            if self.has_uninitialized_params():
                self.scale.materialize(input.shape)
                with lib.no_grad():
                    self.scale.fill_(2)

        def reset_parameters(self) -> None:
            pass

        def forward(self, input: Any) -> Any:
            return input * self.scale

    layer = Late()
    with pytest.raises((RuntimeError, ValueError), match="shape of an uninitialized"):
        layer.scale.shape
    assert layer(lib.ones(3)).tolist() == [2, 2, 2]
    assert layer(lib.ones(3)).tolist() == [2, 2, 2]


@BOTH
def test_the_warning_about_epochs_is_known_by_name(lib: Any) -> None:
    schedules = lib.optim.lr_scheduler
    optimizer = lib.optim.SGD([lib.ones(1, requires_grad=True)], 0.1)
    schedule = schedules.ExponentialLR(optimizer, 0.9)
    optimizer.step()
    with pytest.warns(UserWarning, match="epoch parameter") as caught:
        schedule.step(3)
    assert schedules.EPOCH_DEPRECATION_WARNING in str(caught[0].message)


OVERLAPPING: dict[str, Any] = {
    "in place": lambda lib, d: d[1:].add_(d[:-1]),
    "a copy": lambda lib, d: d[1:].copy_(d[:-1]),
    "an assignment": lambda lib, d: d.__setitem__(slice(1, None), d[:-1]),
    "out": lambda lib, d: lib.add(d[:-1], 1, out=d[1:]),
    "a transpose": lambda lib, d: d.view(3, 3).add_(d.view(3, 3).t()),
}


@BOTH
@pytest.mark.parametrize("case", OVERLAPPING)
def test_nothing_is_written_where_it_is_read_at_other_places(lib: Any, case: str) -> None:
    with pytest.raises(RuntimeError, match="unsupported operation: some elements of the input tensor"):
        OVERLAPPING[case](lib, lib.arange(9.0))


@BOTH
def test_a_tensor_may_be_written_where_it_is_read_itself_and_beside_it(lib: Any) -> None:
    d = lib.arange(4.0)
    d.add_(d)
    d[:2].add_(d[2:])
    d.mul_(d.view(4))
    assert d.tolist() == [16, 64, 16, 36]


@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
def test_images_of_bytes_are_resized_and_rounded(mode: str) -> None:
    image = np.random.default_rng(0).integers(0, 256, (1, 2, 7, 5), dtype=np.uint8)
    found = mg.nn.functional.interpolate(mg.from_numpy(image), (4, 9), mode=mode)
    wanted = torch.nn.functional.interpolate(torch.from_numpy(image), (4, 9), mode=mode)
    assert found.dtype is mg.uint8
    assert abs(found.numpy().astype(int) - wanted.numpy().astype(int)).max() <= 1


@BOTH
def test_a_running_sum_of_one_small_integer_is_a_long(lib: Any) -> None:
    assert lib.cumsum(lib.tensor(3, dtype=lib.uint8), 0).dtype is lib.int64
    assert lib.cumprod(lib.tensor(True), 0).dtype is lib.int64
    bytes_ = lib.ones(2, 2, dtype=lib.uint8)
    assert lib.addbmm(bytes_, bytes_[None], bytes_[None]).dtype is lib.uint8


@BOTH
def test_second_derivatives_where_a_size_is_one_or_nothing_is_there(lib: Any) -> None:
    x, weight = lib.rand(1, 2, 3, requires_grad=True), lib.rand(1, 2, 3, requires_grad=True)
    y = lib.nn.functional.layer_norm(x, [1, 2, 3], weight, None, 0.5)
    (slope,) = lib.autograd.grad(y.square().sum(), x, create_graph=True)
    assert lib.autograd.grad(slope.sum(), weight)[0].shape == (1, 2, 3)
    a, b = lib.rand(5, 5, 0, requires_grad=True), lib.rand(0, 5, requires_grad=True)
    slopes = lib.autograd.grad((a @ b).sum(), [a, b], lib.ones((), requires_grad=True), create_graph=True)
    assert [
        each.shape
        for each in lib.autograd.grad([each.sum() for each in slopes], [a, b], allow_unused=True)
        if each is not None
    ] in (
        [(5, 5, 0), (0, 5)],
        [],
    )


def test_a_whole_spectrum_of_a_real_signal_is_read_by_half() -> None:
    numbers = np.random.default_rng(0)
    spectrum = numbers.standard_normal((6, 3)) + 1j * numbers.standard_normal((6, 3))
    ours = mg.istft(mg.tensor(spectrum), 6, window=mg.ones(6, dtype=mg.float64), onesided=False)
    theirs = torch.istft(torch.tensor(spectrum), 6, window=torch.ones(6, dtype=torch.float64), onesided=False)
    np.testing.assert_allclose(ours.numpy(), theirs.numpy(), atol=1e-12)


@pytest.mark.parametrize("name", ["var", "std", "logsumexp"])
def test_masked_statistics_of_complex_numbers_and_of_everything(name: str) -> None:
    values = np.array([[1.0, -2.0, 4.0], [0.5, 3.0, -1.0]])
    values = values if name == "logsumexp" else values * (1 + 0.5j)
    mask = np.array([[True, False, True], [True, True, True]])
    found = []
    for lib in (mg, torch):
        importlib.import_module(f"{lib.__name__}.masked")
        function = getattr(lib.masked, name)
        made = [function(lib.tensor(values), dim, mask=lib.tensor(mask)) for dim in (0, 1, (0, 1))]
        made += [function(lib.tensor(values), mask=lib.tensor(mask))] if name == "logsumexp" else []
        found.append([each.numpy() for each in made])
    for ours, theirs in zip(*found, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-12)


@BOTH
def test_a_number_floor_divided_by_half_precision_is_rounded_to_it_first(lib: Any) -> None:
    halves = lib.tensor([-2.0, 3.0], dtype=lib.float16)
    assert (1e-8 // halves).tolist() == [0, 0]
    assert all(number != number for number in (70000.0 // halves).tolist())
    assert (2.5 // halves).tolist() == [-2, 0]
