"""A tensor prints as PyTorch's does, character for character."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import minigrad as mg

torch = pytest.importorskip("torch")
pytestmark = [pytest.mark.parity, pytest.mark.cpu("what is printed names the device")]

RANDOM = np.random.default_rng(0)
ARRAYS: dict[str, Any] = {
    "scalar": np.float32(1.5),
    "whole": np.array([1.0, 2.0, -3.0], np.float32),
    "whole with nan": np.array([1.0, np.nan, np.inf, -np.inf], np.float32),
    "only nan": np.array([np.nan, np.inf], np.float32),
    "decimals": np.array([0.1, -2.25, 3.0], np.float32),
    "decimals with nan": np.array([0.1, np.nan, -np.inf], np.float32),
    "small": np.array([1e-5, 2e-5], np.float32),
    "wide range": np.array([1e-3, 1234.5], np.float32),
    "huge": np.array([1e9, 2e9], np.float32),
    "large whole": np.array([100000.0, 200000.0], np.float32),
    "zeros": np.zeros((2, 3), np.float32),
    "zero and small": np.array([0.0, 1e-6], np.float32),
    "double": np.array([0.5, 1 / 3]),
    "integers": np.array([[1, -20], [300, 4]]),
    "bytes": np.array([1, 255], np.uint8),
    "bools": np.array([[True, False]]),
    "complex": np.array([1 + 2j, -0.5 - 1e-3j], np.complex64),
    "complex whole": np.array([1 + 2j, -3 - 4j]),
    "complex with negative zeros": np.array([complex(0, -0.0), complex(0.5, -0.0), complex(-0.0, 0)], np.complex64),
    "complex whole with negative zeros": np.array([complex(1, -0.0), complex(-2, 2)], np.complex64),
    "complex with nan": np.array([complex(1, -math.inf), complex(math.nan, -math.nan)], np.complex64),
    "empty": np.zeros((0,), np.float32),
    "empty matrix": np.zeros((2, 0), np.float32),
    "empty integers": np.zeros((0,), np.int64),
    "half": np.array([0.1, 65504.0], np.float16),
    "matrix": RANDOM.standard_normal((3, 4)).astype(np.float32),
    "stack": RANDOM.standard_normal((2, 3, 2)).astype(np.float32),
    "four dimensions": RANDOM.standard_normal((2, 1, 2, 3)).astype(np.float32),
    "long": np.arange(100.0, dtype=np.float32),
    "too long": np.arange(2000.0, dtype=np.float32) / 7,
    "too large": RANDOM.standard_normal((40, 50)).astype(np.float32),
    "too large whole": np.arange(3 * 20 * 30).reshape(3, 20, 30),
    "wide": RANDOM.standard_normal((2, 30)).astype(np.float32),
}


def ours(text: Any) -> str:
    return repr(text).replace("minigrad.", "torch.")


@pytest.mark.parametrize("name", ARRAYS)
def test_numbers_look_the_same(name: str) -> None:
    array = ARRAYS[name]
    assert ours(mg.tensor(array)) == repr(torch.tensor(array))


def test_what_stands_after_the_numbers_looks_the_same() -> None:
    def tensors(library: Any) -> list[Any]:
        x = library.tensor([1.0, 2.0], requires_grad=True)
        y = library.tensor([[0.25, 1e-7]], dtype=library.float64, requires_grad=True)
        many = library.ones(20, requires_grad=True)
        return [x, x * 2, y, (y * 2).sum(), many / 3, x.detach(), x.bfloat16(), x.half().detach(), many.double().exp()]

    for mine, theirs in zip(tensors(mg), tensors(torch), strict=True):
        assert ours(mine) == repr(theirs)


@pytest.mark.parametrize(
    "options",
    [
        {"precision": 2}, {"sci_mode": True}, {"sci_mode": False}, {"linewidth": 40}, {"edgeitems": 1, "threshold": 5},
        {"profile": "short"}, {"profile": "full"}, {"precision": 8},
    ],
    ids=str,
)  # fmt: skip
def test_print_options_do_the_same(options: Any) -> None:
    from torch._tensor_str import PRINT_OPTS

    before = {
        name: getattr(PRINT_OPTS, name) for name in ("precision", "threshold", "edgeitems", "linewidth", "sci_mode")
    }
    try:
        torch.set_printoptions(**options)
        with mg.printoptions(**options):
            for array in ARRAYS.values():
                text = repr(torch.tensor(array))
                if "dtype=" not in text or "linewidth" not in options:  # our module's name is longer than theirs
                    assert ours(mg.tensor(array)) == text
    finally:
        for name, value in before.items():
            setattr(PRINT_OPTS, name, value)
    assert ours(mg.tensor(ARRAYS["matrix"])) == repr(torch.tensor(ARRAYS["matrix"]))


def test_named_results_look_the_same() -> None:
    data = [[1.0, 3.0], [2.0, 0.5]]
    assert ours(mg.tensor(data).max(0)) == repr(torch.tensor(data).max(0))
    assert ours(mg.tensor(data).sort(1)) == repr(torch.tensor(data).sort(1))


def test_a_scalar_is_formatted_as_its_number() -> None:
    assert f"{mg.tensor(1.23456):.2f}" == "1.23"
    assert f"{mg.tensor(3):>4d}" == "   3"
    assert f"{mg.tensor([1.0])}" == "tensor([1.])"
    assert f"{mg.tensor(0.1)} {mg.tensor(2)} {mg.tensor(True)}" == "0.10000000149011612 2 True"
    loss = mg.tensor(0.5, requires_grad=True) * 2
    assert f"{loss}" == "1.0" and str(loss) == f"{loss!s}" == "tensor(1., grad_fn=<MulBackward0>)"
    assert f"{mg.nn.Parameter(mg.tensor(0.5))}" == "Parameter containing:\ntensor(0.5000, requires_grad=True)"
    with pytest.raises(TypeError, match=r"is for one number, and the shape is \[1\]"):
        format(mg.tensor([1.0]), ".2f")
