"""Modules that save and load their state in their own way, as PyTorch lets them."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import pytest

from .same import same

pytestmark = pytest.mark.parity


def keys_of(incompatible: Any) -> list[list[str]]:
    return [list(incompatible.missing_keys), list(incompatible.unexpected_keys)]


def an_older_name_is_taken_for_the_new_one(lib: Any) -> Any:
    class Renamed(lib.nn.Linear):  # type: ignore[misc]
        def _load_from_state_dict(self, state_dict: Any, prefix: str, *rest: Any) -> None:
            if prefix + "kernel" in state_dict:
                state_dict[prefix + "weight"] = state_dict.pop(prefix + "kernel").t()
            super()._load_from_state_dict(state_dict, prefix, *rest)

    net = lib.nn.Sequential(Renamed(3, 2), lib.nn.ReLU(), Renamed(2, 2))
    older = OrderedDict(net.state_dict())
    older["0.kernel"] = lib.arange(6.0).view(3, 2)
    del older["0.weight"]
    return [keys_of(net.load_state_dict(older)), net[0].weight, net(lib.ones(1, 3)).shape]


def what_a_class_saves_itself_is_in_the_state_dict(lib: Any) -> Any:
    class Halved(lib.nn.Linear):  # type: ignore[misc]
        def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
            super()._save_to_state_dict(destination, prefix, keep_vars)
            destination[prefix + "weight"] = destination[prefix + "weight"].half()
            destination[prefix + "note"] = lib.tensor(7)

        def _load_from_state_dict(self, state_dict: Any, prefix: str, *rest: Any) -> None:
            self.note = int(state_dict.pop(prefix + "note"))
            super()._load_from_state_dict(state_dict, prefix, *rest)

    lib.manual_seed(0)
    net, other = lib.nn.Sequential(Halved(3, 2)), lib.nn.Sequential(Halved(3, 2))
    saved = net.state_dict()
    return [list(saved), saved["0.weight"].dtype, keys_of(other.load_state_dict(saved)), other[0].note, other[0].weight]


def a_class_that_loads_all_by_itself_answers_for_its_keys(lib: Any) -> Any:
    class Alone(lib.nn.Linear):  # type: ignore[misc]
        def _load_from_state_dict(
            self, state_dict: Any, prefix: str, metadata: Any, strict: bool, missing: Any, unexpected: Any, errors: Any
        ) -> None:
            with lib.no_grad():
                self.weight.fill_(float(state_dict[prefix + "scale"]))
            missing.append(prefix + "told")

    net = lib.nn.ModuleDict({"a": Alone(2, 2), "b": lib.nn.Linear(1, 1)})
    given = {"a.scale": lib.tensor(3.0), "b.weight": lib.ones(1, 1), "c.weight": lib.ones(1)}
    return [keys_of(net.load_state_dict(given, strict=False)), net["a"].weight, net["b"].weight]


def what_an_override_complains_of_is_an_error(lib: Any) -> Any:
    class Strict(lib.nn.Linear):  # type: ignore[misc]
        def _load_from_state_dict(self, *args: Any) -> None:
            super()._load_from_state_dict(*args)
            args[-1].append("this layer takes no state")

    net = Strict(2, 2)
    try:
        net.load_state_dict(net.state_dict())
    except RuntimeError as error:
        return ["this layer takes no state" in str(error)]
    return [False]


def a_copy_that_an_override_passes_on_is_loaded(lib: Any) -> Any:
    class Copying(lib.nn.Linear):  # type: ignore[misc]
        def _load_from_state_dict(self, state_dict: Any, prefix: str, *rest: Any) -> None:
            own = {prefix + "weight": lib.ones(2, 2), prefix + "bias": lib.zeros(2)}
            super()._load_from_state_dict(own, prefix, *rest)

    net = lib.nn.Sequential(Copying(2, 2))
    return [keys_of(net.load_state_dict({}, strict=False)), net[0].weight, net[0].bias]


@pytest.mark.parametrize(
    "program",
    [
        an_older_name_is_taken_for_the_new_one,
        what_a_class_saves_itself_is_in_the_state_dict,
        a_class_that_loads_all_by_itself_answers_for_its_keys,
        what_an_override_complains_of_is_an_error,
        a_copy_that_an_override_passes_on_is_loaded,
    ],
    ids=lambda program: program.__name__,
)
def test_a_module_that_overrides_its_state_behaves_as_in_pytorch(program: Any) -> None:
    same(program)
