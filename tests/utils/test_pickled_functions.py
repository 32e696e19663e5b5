"""Functions are pickled by name, so that modules which hold one can be saved, copied and sent to other processes."""

from __future__ import annotations

import importlib
import pickle
import subprocess
import sys
from types import FunctionType
from typing import Any

import pytest

import minigrad as mg

MODULES = [
    "minigrad",
    *(f"minigrad.{each}" for each in ("fft", "functional", "linalg", "nn.functional", "nn.init", "special")),
]


@pytest.mark.parametrize("name", MODULES)
def test_every_function_is_pickled_as_itself(name: str) -> None:
    module = importlib.import_module(name)
    functions = {each: getattr(module, each) for each in dir(module) if not each.startswith("__")}
    found = {each: value for each, value in functions.items() if isinstance(value, FunctionType)}
    assert len(found) > 15
    assert not [each for each, value in found.items() if pickle.loads(pickle.dumps(value)) is not value]


class Activated(mg.nn.Module):
    """A module that holds functions, as many do."""

    def __init__(self) -> None:
        super().__init__()
        self.functions = [mg.tanh, mg.nn.functional.gelu, mg.relu]

    def forward(self, x: Any) -> Any:
        for function in self.functions:
            x = function(x)
        return x


def test_a_module_that_holds_functions_is_pickled() -> None:
    module = Activated()
    again = pickle.loads(pickle.dumps(module))
    assert again.functions == module.functions
    assert again(mg.ones(2)).tolist() == module(mg.ones(2)).tolist()
    layer = mg.nn.TransformerEncoderLayer(4, 2, 8, activation=mg.nn.functional.gelu)
    assert pickle.loads(pickle.dumps(layer)).activation is layer.activation


def test_another_process_finds_the_functions() -> None:
    sent = pickle.dumps([mg.sigmoid, mg.nn.functional.cross_entropy, mg.special.log_ndtr, mg.zeros])
    program = "import pickle, sys; print([each.__name__ for each in pickle.loads(sys.stdin.buffer.read())])"
    done = subprocess.run([sys.executable, "-c", program], input=sent, capture_output=True, check=True)
    assert done.stdout.decode().strip() == "['sigmoid', 'cross_entropy', 'logndtr', 'zeros']"


def test_results_with_names_are_pickled() -> None:
    """Those of linalg could not be found under their name."""
    x = mg.eye(2)
    for name in ("eig", "eigh", "svd", "qr", "lu", "lstsq", "lu_factor", "inv_ex", "cholesky_ex", "slogdet"):
        result = getattr(mg.linalg, name)(*([x] * (2 if name == "lstsq" else 1)))
        again = pickle.loads(pickle.dumps(result))
        assert type(again) is type(result) and again[0].tolist() == result[0].tolist()
    assert type(mg.linalg.svd(x)) is mg.return_types.linalg_svd
    assert type(mg.svd(x)) is mg.return_types.svd
