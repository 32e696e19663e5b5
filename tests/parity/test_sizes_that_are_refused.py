"""Windows, steps and sizes that are no sizes: refused by both libraries, here with the name of the argument."""

from __future__ import annotations

import math
from typing import Any

import pytest

import minigrad as mg
from minigrad.errors import MinigradError

torch = pytest.importorskip("torch")

LINES, PLANES, VOLUMES = (2, 4, 6), (2, 4, 6, 6), (1, 2, 4, 4, 4)
WINDOW: dict[str, Any] = {"kernel_size": 2}
POOL = ("kernel_size", "stride", "padding")
CONVOLUTION = ("stride", "padding", "dilation", "groups")

CALLS: dict[str, tuple[tuple[int, ...], dict[str, Any], tuple[str, ...]]] = {
    "max_pool1d": (LINES, WINDOW, (*POOL, "dilation")),
    "max_pool2d": (PLANES, WINDOW, (*POOL, "dilation")),
    "max_pool3d": (VOLUMES, WINDOW, (*POOL, "dilation")),
    "avg_pool1d": (LINES, WINDOW, POOL),
    "avg_pool2d": (PLANES, WINDOW, (*POOL, "divisor_override")),
    "avg_pool3d": (VOLUMES, WINDOW, POOL),
    "lp_pool2d": (PLANES, {**WINDOW, "norm_type": 2}, ("kernel_size", "stride")),
    "fractional_max_pool2d": (PLANES, {**WINDOW, "output_size": 2}, ("kernel_size", "output_size")),
    "adaptive_avg_pool1d": (LINES, {}, ("output_size",)),
    "adaptive_avg_pool2d": (PLANES, {}, ("output_size",)),
    "adaptive_max_pool2d": (PLANES, {}, ("output_size",)),
    "unfold": (PLANES, WINDOW, (*POOL, "dilation")),
    "fold": ((2, 16, 9), {**WINDOW, "output_size": 6, "stride": 2}, (*POOL, "dilation", "output_size")),
    "pad": (PLANES, {}, ("pad",)),
    "pixel_shuffle": (PLANES, {}, ("upscale_factor",)),
    "pixel_unshuffle": (PLANES, {}, ("downscale_factor",)),
    "channel_shuffle": (PLANES, {}, ("groups",)),
    "interpolate": (PLANES, {}, ("size", "scale_factor")),
    "group_norm": (PLANES, {}, ("num_groups",)),
    "local_response_norm": (PLANES, {}, ("size",)),
    "conv1d": (LINES, {"weight": (4, 4, 3)}, CONVOLUTION),
    "conv2d": (PLANES, {"weight": (4, 4, 3, 3)}, CONVOLUTION),
    "conv_transpose1d": (LINES, {"weight": (4, 4, 3)}, (*CONVOLUTION, "output_padding")),
    "conv_transpose2d": (PLANES, {"weight": (4, 4, 3, 3)}, (*CONVOLUTION, "output_padding")),
}
NO_SIZES = [
    0,
    -1,
    -3,
    2.5,
    "2",
    (1, 2, 3, 4, 5),
    (0, 1),
    (-1, 2),
    math.nan,
    math.inf,
    -1e20,
    10**20,
    (2.0, 2),
    object(),
]


def outcome(lib: Any, name: str, given: dict[str, Any]) -> Any:
    """The shape of what comes out, or the error."""
    lib.manual_seed(0)
    arguments = {key: lib.ones(*value) if key == "weight" else value for key, value in given.items()}
    try:
        return tuple(getattr(lib.nn.functional, name)(lib.ones(*CALLS[name][0]), **arguments).shape)
    except Exception as error:
        return error


@pytest.mark.parametrize(
    ("name", "argument"), [(name, each) for name, (_, _, named) in CALLS.items() for each in named]
)
def test_what_is_no_size_is_refused(name: str, argument: str) -> None:
    for value in NO_SIZES:
        given = {**CALLS[name][1], argument: value}
        expected, found = outcome(torch, name, given), outcome(mg, name, given)
        if isinstance(expected, Exception):
            assert isinstance(found, MinigradError), (value, found)
            assert isinstance(found, (TypeError, ValueError, RuntimeError)), (value, found)
        elif name != "fractional_max_pool2d":  # PyTorch makes numbers of windows without elements
            assert found == expected, value


@pytest.mark.parametrize("shape", [(3,), (2, 3), (1, 1, 2, 2, 2, 2)], ids=str)
@pytest.mark.parametrize("given", [{"size": 3}, {"scale_factor": 2.0}, {"size": 3, "mode": "bilinear"}], ids=str)
@pytest.mark.parametrize("lib", [mg, torch], ids=["minigrad", "torch"])
def test_what_is_no_picture_cannot_be_resized(lib: Any, given: dict[str, Any], shape: tuple[int, ...]) -> None:
    with pytest.raises(NotImplementedError, match=rf"Only 3D, 4D and 5D input Tensors supported \(got {len(shape)}D\)"):
        lib.nn.functional.interpolate(lib.ones(*shape), **given)


def test_what_is_said_names_the_argument_and_what_was_given() -> None:
    with pytest.raises(
        RuntimeError, match=r"^stride must be one int, or 2 ints, one for each dimension, got \(1, 2, 3\)$"
    ):
        mg.nn.functional.max_pool2d(mg.ones(1, 1, 4, 4), 2, stride=(1, 2, 3))
    with pytest.raises(TypeError, match=r"^kernel_size must be one int, or 2 ints, one for each dimension, got 2\.5$"):
        mg.nn.functional.avg_pool2d(mg.ones(1, 1, 4, 4), 2.5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^an element of pad must be one int, got 1\.0$"):
        mg.nn.functional.pad(mg.ones(1, 4), (1.0, 1))
    with pytest.raises(RuntimeError, match=r"^dilation must be at least 1, got 0$"):
        mg.nn.functional.conv2d(mg.ones(1, 1, 4, 4), mg.ones(1, 1, 3, 3), dilation=0)
