"""Modules: what they own, how they are walked, moved, saved and printed."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

Lib = Any


def net_of(lib: Lib) -> Any:
    nn = lib.nn

    class Inner(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.scale = nn.Parameter(lib.ones(3))
            self.register_buffer("count", lib.zeros(1))
            self.register_buffer("scratch", lib.zeros(2), persistent=False)

        def forward(self, x: Any) -> Any:
            return x * self.scale

    class Net(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.first = nn.Linear(2, 3)
            self.inner = Inner()
            self.last = nn.Linear(3, 1, bias=False)

        def forward(self, x: Any) -> Any:
            return self.last(self.inner(self.first(x)).tanh())

    return Net()


def test_assigning_registers_in_order(lib: Lib) -> None:
    net = net_of(lib)
    assert [name for name, _ in net.named_parameters()] == [
        "first.weight",
        "first.bias",
        "inner.scale",
        "last.weight",
    ]
    assert [name for name, _ in net.named_buffers()] == ["inner.count", "inner.scratch"]
    assert [name for name, _ in net.named_modules()] == ["", "first", "inner", "last"]
    assert [name for name, _ in net.named_children()] == ["first", "inner", "last"]
    assert net.last.bias is None
    assert len(list(net.parameters(recurse=False))) == 0


def test_assigning_again_keeps_the_place_in_the_order(lib: Lib) -> None:
    net = net_of(lib)
    net.first = lib.nn.Linear(2, 3, bias=False)
    assert [name for name, _ in net.named_children()] == ["first", "inner", "last"]


def test_a_shared_parameter_is_listed_once_but_saved_under_both_names(lib: Lib) -> None:
    net = net_of(lib)
    net.last.weight = lib.nn.Parameter(lib.ones(1, 3))
    net.again = net.last
    names = [name for name, _ in net.named_parameters()]
    assert "again.weight" not in names and "last.weight" in names
    assert {"again.weight", "last.weight"} <= set(net.state_dict())
    assert "again.weight" in dict(net.named_parameters(remove_duplicate=False))


def test_super_init_forgotten_is_said(lib: Lib) -> None:
    class Forgetful(lib.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            self.weight = lib.nn.Parameter(lib.ones(1))

    class ForgetfulParent(lib.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            self.child = lib.nn.Linear(1, 1)

    with pytest.raises(AttributeError, match=r"cannot assign parameters before Module.__init__\(\) call"):
        Forgetful()
    with pytest.raises(AttributeError, match=r"cannot assign module.? before Module.__init__\(\) call"):
        ForgetfulParent()


@pytest.mark.parametrize("name", ["", "a.b", "forward"])
def test_names_that_cannot_be_are_refused(lib: Lib, name: str) -> None:
    with pytest.raises(KeyError):
        net_of(lib).register_parameter(name, None)


def test_a_parameter_is_not_overwritten_by_a_plain_tensor(lib: Lib) -> None:
    net = net_of(lib)
    with pytest.raises(TypeError, match="cannot assign .* as parameter 'weight'"):
        net.first.weight = lib.ones(3, 2)
    with pytest.raises(TypeError, match="cannot assign .* as"):
        net.first = 3
    net.first.bias = None
    assert net.first.bias is None and "first.bias" not in net.state_dict()
    net.inner.count = lib.ones(1)
    assert net.state_dict()["inner.count"].tolist() == [1.0]


def test_deleting_forgets(lib: Lib) -> None:
    net = net_of(lib)
    del net.inner
    assert [name for name, _ in net.named_children()] == ["first", "last"]
    with pytest.raises(AttributeError, match="has no attribute 'inner'"):
        net.inner
    with pytest.raises(AttributeError):
        del net.inner


def test_an_unknown_name_gets_a_suggestion() -> None:
    import minigrad

    with pytest.raises(AttributeError, match="Did you mean: 'first'"):
        net_of(minigrad).fist


def test_paths_lead_to_what_they_name(lib: Lib) -> None:
    net = net_of(lib)
    assert net.get_submodule("inner") is net.inner and net.get_submodule("") is net
    assert net.get_parameter("first.weight") is net.first.weight
    assert net.get_buffer("inner.count") is net.inner.count
    with pytest.raises(AttributeError):
        net.get_submodule("inner.nowhere")


def test_modes_reach_every_module(lib: Lib) -> None:
    net = net_of(lib)
    assert net.train(False) is net and not net.inner.training
    assert net.train().inner.training and not net.eval().last.training
    with pytest.raises(ValueError, match="training mode is expected to be boolean"):
        net.train(1)
    assert not any(p.requires_grad for p in net.requires_grad_(False).parameters())


def test_apply_goes_from_the_leaves_to_the_root(lib: Lib) -> None:
    seen: list[str] = []
    net = net_of(lib)
    assert net.apply(lambda module: seen.append(type(module).__name__)) is net
    assert seen == ["Linear", "Inner", "Linear", "Net"]


def test_moving_changes_floats_in_place_and_gradients_too(lib: Lib) -> None:
    net = net_of(lib)
    net.inner.register_buffer("steps", lib.zeros(1, dtype=lib.int64))
    weight = net.first.weight
    net(lib.ones(4, 2)).sum().backward()
    assert net.double() is net and net.first.weight is weight
    assert weight.dtype == lib.float64 and weight.grad.dtype == lib.float64
    assert net.inner.count.dtype == lib.float64 and net.inner.steps.dtype == lib.int64
    assert net.to(lib.float32).first.weight.dtype == lib.float32
    assert net.to("cpu", lib.float64).first.weight.dtype == lib.float64
    assert net.to(lib.zeros(1)).first.weight.dtype == lib.float32
    with pytest.raises(TypeError, match="only accepts floating point or complex dtypes"):
        net.to(lib.int64)


def test_gradients_are_forgotten_or_zeroed(lib: Lib) -> None:
    net = net_of(lib)
    net(lib.ones(4, 2)).sum().backward()
    net.zero_grad(set_to_none=False)
    assert net.last.weight.grad.tolist() == [[0.0, 0.0, 0.0]]
    net.zero_grad()
    assert net.last.weight.grad is None


def test_a_state_dict_shares_memory_and_leaves_out_what_does_not_persist(lib: Lib) -> None:
    net = net_of(lib)
    state = net.state_dict()
    assert list(state) == ["first.weight", "first.bias", "inner.scale", "inner.count", "last.weight"]
    assert not state["first.weight"].requires_grad
    with lib.no_grad():
        net.inner.scale.fill_(5.0)
    assert state["inner.scale"].tolist() == [5.0] * 3
    assert net.state_dict(keep_vars=True)["first.weight"] is net.first.weight
    assert next(iter(net.state_dict(prefix="x."))) == "x.first.weight"


def test_loading_copies_into_the_same_parameters(lib: Lib) -> None:
    source, target = net_of(lib), net_of(lib)
    weight = target.first.weight
    found = target.load_state_dict(source.state_dict())
    assert found.missing_keys == [] and repr(found) == "<All keys matched successfully>"
    assert target.first.weight is weight and weight.tolist() == source.first.weight.tolist()
    x = lib.ones(2, 2)
    assert target(x).tolist() == source(x).tolist()


def test_keys_that_do_not_fit_are_all_named(lib: Lib) -> None:
    net = net_of(lib)
    state = net.state_dict()
    state["frist.bias"] = state.pop("first.bias")
    state["last.weight"] = lib.ones(2, 2)
    with pytest.raises(RuntimeError) as caught:
        net.load_state_dict(state)
    text = str(caught.value)
    assert 'Missing key(s) in state_dict: "first.bias"' in text
    assert 'Unexpected key(s) in state_dict: "frist.bias"' in text
    assert "size mismatch for last.weight" in text
    state["last.weight"] = lib.ones(1, 3)
    found = net.load_state_dict(state, strict=False)
    assert found.missing_keys == ["first.bias"] and found.unexpected_keys == ["frist.bias"]
    assert net.last.weight.tolist() == [[1.0, 1.0, 1.0]]


def test_keys_that_do_not_fit_get_a_suggestion_and_change_nothing() -> None:
    import minigrad as mg

    net = net_of(mg)
    before = net.first.weight.tolist()
    wrapped = {"module." + name: mg.zeros_like(value) for name, value in net.state_dict().items()}
    with pytest.raises(mg.errors.StateError, match=r"begin with 'module\.'"):
        net.load_state_dict(wrapped)
    with pytest.raises(mg.errors.StateError, match='Was "first.bais" meant to be "first.bias"'):
        net.load_state_dict({"first.bais": mg.ones(3), "first.weight": mg.zeros(3, 2)})
    assert net.first.weight.tolist() == before


def test_assign_takes_the_given_tensors_themselves(lib: Lib) -> None:
    net = net_of(lib)
    state = {name: value.double() for name, value in net.state_dict().items()}
    net.load_state_dict(state, assign=True)
    assert net.first.weight.dtype == lib.float64 and net.first.weight.requires_grad
    assert isinstance(net.first.weight, lib.nn.Parameter)


def test_a_copy_has_parameters_of_its_own(lib: Lib) -> None:
    net = net_of(lib)
    other = copy.deepcopy(net)
    with lib.no_grad():
        net.inner.scale.fill_(7.0)
    assert other.inner.scale.tolist() == [1.0] * 3 and other.inner.scale.requires_grad
    assert isinstance(other.inner.scale, lib.nn.Parameter)


def test_a_module_survives_pickle(lib: Lib) -> None:
    layer = lib.nn.Linear(2, 3)
    other = pickle.loads(pickle.dumps(layer))
    assert other.weight.tolist() == layer.weight.tolist() and other.weight.requires_grad


def test_forward_is_required(lib: Lib) -> None:
    class Empty(lib.nn.Module):  # type: ignore[misc, name-defined]
        pass

    with pytest.raises(NotImplementedError, match='is missing the required "forward" function'):
        Empty()(1)


@pytest.mark.cpu("what is printed names the device")
def test_a_parameter_says_that_it_is_one(lib: Lib) -> None:
    parameter = lib.nn.Parameter(lib.zeros(2))
    assert repr(parameter) == "Parameter containing:\ntensor([0., 0.], requires_grad=True)"
    assert parameter.is_leaf and parameter.requires_grad
    assert not lib.nn.Parameter(lib.zeros(2), requires_grad=False).requires_grad
    data = lib.zeros(2)
    lib.nn.Parameter(data).data[0] = 1.0
    assert data.tolist() == [1.0, 0.0]


def test_a_module_prints_its_tree(lib: Lib) -> None:
    assert repr(net_of(lib)) == (
        "Net(\n"
        "  (first): Linear(in_features=2, out_features=3, bias=True)\n"
        "  (inner): Inner()\n"
        "  (last): Linear(in_features=3, out_features=1, bias=False)\n"
        ")"
    )


def test_scopes_are_announced_by_the_path_of_attributes() -> None:
    import minigrad as mg
    from minigrad import events

    net = net_of(mg)
    seen: list[Any] = []
    with events.listening(seen.append):
        net(mg.ones(1, 2))
    scopes = [(type(event).__name__, event.name) for event in seen if "Scope" in type(event).__name__]
    assert scopes == [
        ("ScopeEntered", "Net"),
        ("ScopeEntered", "first"),
        ("ScopeLeft", "first"),
        ("ScopeEntered", "inner"),
        ("ScopeLeft", "inner"),
        ("ScopeEntered", "last"),
        ("ScopeLeft", "last"),
        ("ScopeLeft", "Net"),
    ]
    assert next(event.owner for event in seen if isinstance(event, events.ScopeEntered)) is net


def test_a_scope_is_left_when_forward_fails() -> None:
    import minigrad as mg
    from minigrad import events

    seen: list[Any] = []
    with events.listening(seen.append), pytest.raises(RuntimeError):
        mg.nn.Linear(2, 3)(mg.ones(1, 5))
    assert isinstance(seen[-1], events.ScopeLeft)
