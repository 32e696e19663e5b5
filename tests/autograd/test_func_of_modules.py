"""Modules as functions of their parameters: functional_call, and many models at once."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.filterwarnings("ignore:.*torch.jit.*is deprecated:DeprecationWarning")


def test_a_module_is_called_with_other_parameters_and_is_itself_afterwards(lib: Any) -> None:
    net = lib.nn.Linear(2, 1)
    before = net.weight
    given = {"weight": lib.ones(1, 2), "bias": lib.zeros(1)}
    assert lib.func.functional_call(net, given, (lib.ones(1, 2),)).tolist() == [[2]]
    assert net.weight is before


def test_parameters_come_in_several_dictionaries_but_each_once(lib: Any) -> None:
    net, x = lib.nn.Linear(2, 1), lib.ones(1, 2)
    out = lib.func.functional_call(net, ({"weight": lib.ones(1, 2)}, {"bias": lib.zeros(1)}), x)
    assert out.tolist() == [[2]]
    with pytest.raises(ValueError, match="appeared in multiple dictionaries"):
        lib.func.functional_call(net, ({"bias": lib.ones(1)}, {"bias": lib.ones(1)}), x)


def test_strict_wants_exactly_the_names_of_the_module(lib: Any) -> None:
    net, x = lib.nn.Linear(2, 1), lib.ones(1, 2)
    with pytest.raises(RuntimeError, match=r"Unexpected key\(s\): 'foo'"):
        lib.func.functional_call(net, {**dict(net.named_parameters()), "foo": x}, x, strict=True)
    with pytest.raises(RuntimeError, match=r"Missing key\(s\): 'bias'"):
        lib.func.functional_call(net, {"weight": net.weight}, x, strict=True)


def test_tied_parameters_stay_tied(lib: Any) -> None:
    class Tied(lib.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.a = lib.nn.Linear(2, 2, bias=False)
            self.b = lib.nn.Linear(2, 2, bias=False)
            self.b.weight = self.a.weight

        def forward(self, x: Any) -> Any:
            return self.b(self.a(x))

    net, x = Tied(), lib.ones(1, 2)
    assert lib.func.functional_call(net, {"a.weight": lib.ones(2, 2)}, x).tolist() == [[4, 4]]
    with pytest.raises(ValueError, match="which are tied"):
        lib.func.functional_call(net, {"a.weight": lib.ones(2, 2), "b.weight": lib.zeros(2, 2)}, x)


def test_gradients_by_the_parameters_of_a_module(lib: Any) -> None:
    net = lib.nn.Linear(2, 1)

    def loss(parameters: Any, x: Any) -> Any:
        return lib.func.functional_call(net, parameters, (x,)).sum()

    parameters = {name: each.detach() for name, each in net.named_parameters()}
    x = lib.tensor([[1.0, 2.0], [3.0, 4.0]])
    assert lib.func.grad(loss)(parameters, x)["weight"].tolist() == [[4, 6]]
    per_example = lib.func.vmap(lib.func.grad(loss), (None, 0))(parameters, x)
    assert per_example["weight"].tolist() == [[[1, 2]], [[3, 4]]]


def test_models_of_one_class_run_as_one(lib: Any) -> None:
    models = [lib.nn.Linear(2, 1) for _ in range(3)]
    parameters, buffers = lib.func.stack_module_state(models)
    assert tuple(parameters["weight"].shape) == (3, 1, 2) and parameters["weight"].is_leaf and buffers == {}
    x = lib.ones(4, 2)
    together = lib.func.vmap(lambda p: lib.func.functional_call(models[0], p, (x,)))(parameters)
    assert lib.allclose(together, lib.stack([each(x) for each in models]))
    with pytest.raises(RuntimeError, match="at least one model"):
        lib.func.stack_module_state([])
    with pytest.raises(RuntimeError, match="same class"):
        lib.func.stack_module_state([lib.nn.Linear(1, 1), lib.nn.ReLU()])
