"""Modules that hold others."""

from __future__ import annotations

from typing import Any

import pytest

Lib = Any


def test_a_sequential_calls_one_after_another(lib: Lib) -> None:
    nn = lib.nn
    model = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
    x = lib.ones(4, 2)
    assert model(x).tolist() == model[2](model[1](model[0](x))).tolist()
    assert len(model) == 3 and isinstance(model[-2], nn.ReLU)
    assert [name for name, _ in model[1:].named_children()] == ["1", "2"]
    assert type(model[:2]) is nn.Sequential


def test_a_sequential_can_be_changed(lib: Lib) -> None:
    nn = lib.nn
    model = nn.Sequential(nn.Linear(2, 3))
    model.append(nn.Tanh()).insert(1, nn.ReLU())
    assert [type(each).__name__ for each in model] == ["Linear", "ReLU", "Tanh"]
    del model[1]
    assert [name for name, _ in model.named_children()] == ["0", "1"]
    model[1] = nn.Sigmoid()
    assert isinstance(model[1], nn.Sigmoid)
    model.extend([nn.ReLU()])
    assert isinstance(model.pop(-1), nn.ReLU) and len(model) == 2
    with pytest.raises(IndexError):
        model[5]


def test_a_sequential_takes_names(lib: Lib) -> None:
    from collections import OrderedDict

    model = lib.nn.Sequential(OrderedDict(first=lib.nn.Linear(1, 1), then=lib.nn.ReLU()))
    assert list(model.state_dict()) == ["first.weight", "first.bias"]
    assert isinstance(model.then, lib.nn.ReLU)


def test_a_module_list_is_a_list_without_forward(lib: Lib) -> None:
    nn = lib.nn
    layers = nn.ModuleList([nn.Linear(1, 1) for _ in range(3)])
    assert len(list(layers.parameters())) == 6 and len(layers) == 3
    assert type(layers[:2]) is nn.ModuleList
    assert repr(layers) == ("ModuleList(\n  (0-2): 3 x Linear(in_features=1, out_features=1, bias=True)\n)")
    layers += [nn.ReLU()]
    assert len(layers) == 4
    with pytest.raises(NotImplementedError):
        layers(lib.ones(1))


def test_a_module_dict_goes_by_name(lib: Lib) -> None:
    nn = lib.nn
    layers = nn.ModuleDict({"a": nn.Linear(1, 1), "b": nn.ReLU()})
    layers["c"] = nn.Tanh()
    assert list(layers.keys()) == ["a", "b", "c"] and "b" in layers and len(layers) == 3
    assert isinstance(layers.pop("b"), nn.ReLU) and "b" not in layers
    assert [name for name, _ in layers.items()] == ["a", "c"]


def test_a_parameter_list_makes_parameters(lib: Lib) -> None:
    nn = lib.nn
    holder = nn.ParameterList([lib.ones(2), nn.Parameter(lib.zeros(1))])
    holder.append(lib.ones(3))
    assert all(isinstance(each, nn.Parameter) for each in holder) and len(holder) == 3
    assert list(holder.state_dict()) == ["0", "1", "2"]


def test_a_parameter_dict_goes_by_name(lib: Lib) -> None:
    holder = lib.nn.ParameterDict({"w": lib.ones(2)})
    holder["b"] = lib.nn.Parameter(lib.zeros(1))
    assert sorted(holder.keys()) == ["b", "w"] and isinstance(holder["w"], lib.nn.Parameter)
    assert sorted(holder.state_dict()) == ["b", "w"]


def test_unequal_neighbours_are_not_folded(lib: Lib) -> None:
    nn = lib.nn
    layers = nn.ModuleList([nn.ReLU(), nn.ReLU(), nn.Tanh()])
    assert repr(layers) == "ModuleList(\n  (0-1): 2 x ReLU()\n  (2): Tanh()\n)"


def test_a_parameter_dict_is_used_as_a_dictionary(lib: Lib) -> None:
    nn = lib.nn
    holder = nn.ParameterDict({"scale": lib.ones(2), "base": lib.zeros(1)})
    assert list(holder) == [name for name, _ in holder.named_parameters()] == ["base", "scale"]
    assert list(nn.ParameterDict([("scale", lib.ones(2)), ("base", lib.zeros(1))])) == ["scale", "base"]
    assert holder.get("none") is None and holder.get("none", 3) == 3 and holder.get("base") is holder["base"]
    assert isinstance(holder.setdefault("late", lib.ones(3)), nn.Parameter) and holder.late is holder["late"]
    assert holder.popitem()[0] == "late" and "late" not in holder and len(holder) == 2
    again = holder.copy()
    assert again["scale"] is holder["scale"] and list(reversed(again)) == ["scale", "base"]
    assert list(holder | nn.ParameterDict({"more": lib.ones(1)})) == ["base", "scale", "more"]
    assert holder.pop("base").tolist() == [0.0]
    holder.clear()
    assert not len(holder) and not list(holder.parameters())
    assert list(holder.fromkeys(["a", "b"], lib.ones(1))) == ["a", "b"]
    with pytest.raises(AttributeError, match="none"):
        again["none"]
    with pytest.raises(TypeError, match="str"):
        again[3] = lib.ones(1)


def test_other_values_may_stand_between_parameters(lib: Lib) -> None:
    nn = lib.nn
    named = nn.ParameterDict([("w", lib.ones(2)), ("depth", 3), ("step", nn.Linear(1, 1))])
    numbered = nn.ParameterList([lib.ones(2), "note"])
    numbered += [lib.zeros(1)]
    assert (
        named["depth"] == 3 and numbered[1] == "note" and list(named.state_dict()) == ["w", "step.weight", "step.bias"]
    )
    assert list(numbered.state_dict()) == ["0", "2"] and isinstance(numbered[2], nn.Parameter)
    assert "(depth): Object of type: int" in repr(named) and "(1): Object of type: str" in repr(numbered)
    numbered[0] = lib.zeros(5)
    assert [tuple(each.shape) for each in numbered.parameters()] == [(5,), (1,)]
    with pytest.raises(TypeError, match="iterable"):
        numbered.extend(3)
