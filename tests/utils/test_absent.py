"""What PyTorch has and minigrad has not."""

from __future__ import annotations

import copy
import importlib
import pickle

import pytest

import minigrad as mg
from minigrad.absent import ABSENT, ABSENT_IN


@pytest.mark.parametrize("name", ABSENT)
def test_what_is_not_there_is_refused_with_advice(name: str) -> None:
    with pytest.raises(AttributeError) as error:
        getattr(mg, name)
    assert str(error.value) == f"module 'minigrad' has no attribute {name!r}. {ABSENT[name]}"


@pytest.mark.parametrize(("module", "name"), [(module, name) for module in ABSENT_IN for name in ABSENT_IN[module]])
def test_what_a_module_or_a_tensor_has_not_is_refused_with_advice(module: str, name: str) -> None:
    owner = mg.ones(2) if module == "Tensor" else importlib.import_module(f"minigrad.{module}")
    with pytest.raises(AttributeError, match="has no attribute") as error:
        getattr(owner, name)
    assert str(error.value).endswith(f"{name!r}. {ABSENT_IN[module][name]}")
    assert not hasattr(owner, name) and name not in dir(owner)


@pytest.mark.parametrize("module", [each for each in ABSENT_IN if each != "Tensor"])
def test_an_unknown_name_of_a_module_is_refused_as_by_python(module: str) -> None:
    with pytest.raises(AttributeError, match=f"^module 'minigrad.{module}' has no attribute 'nothing'$"):
        _ = importlib.import_module(f"minigrad.{module}").nothing


@pytest.mark.parity
@pytest.mark.parametrize("name", ABSENT_IN["Tensor"])
def test_what_a_tensor_has_not_is_pytorchs(name: str) -> None:
    assert hasattr(pytest.importorskip("torch").Tensor, name)


def test_tensors_without_some_names_can_be_copied_and_pickled() -> None:
    x = mg.ones(2)
    assert copy.deepcopy(x).equal(x) and pickle.loads(pickle.dumps(x)).equal(x)
