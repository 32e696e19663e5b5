"""What programs reach for when they build on a class of the library: its constructor, its parts, its texts."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

from .same import same

pytestmark = pytest.mark.parity


def own_convolution(lib: Any) -> Any:
    conv = importlib.import_module(f"{lib.__name__}.nn.modules.conv")

    class Normed(conv._ConvNd):  # type: ignore[misc, name-defined]
        def __init__(self, i: int, o: int) -> None:
            super().__init__(i, o, (3, 2), (1, 1), (0, 0), (1, 1), False, (0, 0), 1, True, "zeros")

        def forward(self, x: Any) -> Any:
            weight = self.weight / self.weight.flatten(1).norm(dim=1).view(-1, 1, 1, 1)
            return lib.nn.functional.conv2d(x, weight, self.bias, self.stride, self.padding, self.dilation, self.groups)

    lib.manual_seed(0)
    layer = Normed(2, 3)
    plain = lib.nn.ConvTranspose1d(2, 3, 2, output_padding=0)
    return [
        layer(lib.ones(1, 2, 5, 5)), repr(layer), layer.transposed, plain.transposed, plain.weight,
        isinstance(lib.nn.Conv3d(1, 1, 1), conv._ConvNd), lib.nn.Conv1d(2, 4, 3, 2, 1, 1, 2, False, "circular").weight,
    ]  # fmt: skip


def parts_of_an_optimiser(lib: Any) -> Any:
    parameters = [lib.nn.Parameter(lib.ones(2, 3)), lib.nn.Parameter(lib.ones(4))]
    optimiser = lib.optim.LBFGS(parameters)
    groups = [{"params": parameters[:1]}, {"params": parameters[1:], "lr": 0.5, "name": "b"}]
    return [optimiser._numel(), len(optimiser._params), repr(lib.optim.SGD(groups, lr=0.1)), repr(optimiser)]


def what_a_state_dict_does_not_fit(lib: Any) -> Any:
    net = lib.nn.Linear(2, 3)
    found = net.load_state_dict({"odd": lib.ones(1)}, strict=False)
    with pytest.raises(RuntimeError) as raised:
        net.load_state_dict({"weight": lib.ones(2, 2), "bias": lib.ones(3)})
    return [repr(found), str(raised.value).replace(lib.__name__, "torch").split("\n")[1]]


@pytest.mark.parametrize("program", [own_convolution, parts_of_an_optimiser, what_a_state_dict_does_not_fit])
def test_it_is_as_in_pytorch(program: Any) -> None:
    same(program)
