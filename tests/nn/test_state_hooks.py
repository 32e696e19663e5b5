"""Hooks around state dicts, hooks of all modules, and what belongs to a state besides tensors; here and in PyTorch."""

from __future__ import annotations

import importlib
from typing import Any, NamedTuple

import pytest


@pytest.fixture(params=["minigrad", pytest.param("torch", marks=pytest.mark.parity)])
def lib(request: pytest.FixtureRequest) -> Any:
    return pytest.importorskip(request.param)


def net(lib: Any) -> Any:
    return lib.nn.Sequential(lib.nn.Linear(2, 2), lib.nn.Sequential(lib.nn.Linear(2, 1)))


def test_hooks_run_around_the_collection_of_each_module(lib: Any) -> None:
    model = net(lib)
    seen: list[Any] = []
    for name, module in model.named_modules():
        module.register_state_dict_pre_hook(lambda m, prefix, keep, name=name: seen.append(("pre", name, prefix, keep)))
        module.register_state_dict_post_hook(
            lambda m, state, prefix, meta, name=name: seen.append(("post", name, prefix))
        )
    model.state_dict()
    assert seen == [
        ("pre", "", "", False),
        ("pre", "0", "0.", False), ("post", "0", "0."),
        ("pre", "1", "1.", False), ("pre", "1.0", "1.0.", False), ("post", "1.0", "1.0."), ("post", "1", "1."),
        ("post", "", ""),
    ]  # fmt: skip


def test_a_hook_may_change_what_is_saved(lib: Any) -> None:
    model = net(lib)

    def without_bias(module: Any, state: Any, prefix: str, meta: Any) -> None:
        del state[prefix + "bias"]

    handle = model[0].register_state_dict_post_hook(without_bias)
    assert list(model.state_dict()) == ["0.weight", "1.0.weight", "1.0.bias"]
    handle.remove()
    assert "0.bias" in model.state_dict()


def test_a_hook_may_rename_keys_before_they_are_loaded(lib: Any) -> None:
    model = net(lib)
    old = {key.replace("1.0.", "1.old."): value + 1 for key, value in model.state_dict().items()}
    given = dict(old)

    def rename(module: Any, state: Any, prefix: str, meta: Any, strict: bool, *lists: Any) -> None:
        for key in list(state):
            state[key.replace("1.old.", "1.0.")] = state.pop(key)

    model.register_load_state_dict_pre_hook(rename)
    wanted = old["1.old.weight"].tolist()
    assert str(model.load_state_dict(given)) == "<All keys matched successfully>"
    assert model[1][0].weight.tolist() == wanted and list(given) == list(old)


def test_a_hook_may_say_what_is_wrong(lib: Any) -> None:
    model = net(lib)
    model.register_load_state_dict_pre_hook(lambda *a: a[-1].append("made by an old version"))
    with pytest.raises(RuntimeError, match="made by an old version"):
        model.load_state_dict(model.state_dict())


def test_a_hook_may_forgive_missing_keys_after_loading(lib: Any) -> None:
    model = net(lib)
    state = model.state_dict()
    del state["0.bias"]
    with pytest.raises(RuntimeError, match="Missing key"):
        model.load_state_dict(state)
    model.register_load_state_dict_post_hook(lambda module, keys: keys.missing_keys.clear())
    assert model.load_state_dict(state).missing_keys == []


def test_a_state_dict_knows_the_versions_of_its_modules(lib: Any) -> None:
    state = net(lib).state_dict()
    assert dict(state._metadata)["0"] == {"version": 1} and list(state._metadata) == ["", "0", "1", "1.0"]


def test_extra_state_is_saved_and_loaded(lib: Any) -> None:
    class Counter(lib.nn.Module):  # type: ignore[misc, name-defined]
        count = 0

        def get_extra_state(self) -> Any:
            return {"count": self.count}

        def set_extra_state(self, state: Any) -> None:
            self.count = state["count"]

    one, other = lib.nn.Sequential(Counter()), lib.nn.Sequential(Counter())
    one[0].count = 5
    assert one.state_dict() == {"0._extra_state": {"count": 5}}
    other.load_state_dict(one.state_dict())
    assert other[0].count == 5
    with pytest.raises(RuntimeError, match="Missing key"):
        other.load_state_dict({})


class Both(NamedTuple):
    double: Any
    triple: Any


def test_a_named_tuple_stays_one_under_hooks(lib: Any) -> None:
    class Pair(lib.nn.Module):  # type: ignore[misc, name-defined]
        def forward(self, x: Any) -> Both:
            return Both(2 * x, 3 * x)

    pair, seen = Pair(), []
    pair.register_full_backward_hook(lambda m, grad_input, grad_output: seen.append(len(grad_output)))
    x = lib.ones(2, requires_grad=True)
    made = pair(x)
    (made.double + made.triple).sum().backward()
    assert isinstance(made, Both) and seen == [2] and x.grad.tolist() == [5.0, 5.0]


@pytest.fixture
def everywhere(lib: Any) -> Any:
    return importlib.import_module(f"{lib.__name__}.nn.modules.module")


def test_hooks_of_all_modules_run_before_a_modules_own(lib: Any, everywhere: Any) -> None:
    model, seen = net(lib), []
    handles = [
        everywhere.register_module_forward_pre_hook(lambda m, args: seen.append(("pre", type(m).__name__))),
        everywhere.register_module_forward_hook(lambda m, args, out: seen.append(("after", type(m).__name__))),
        everywhere.register_module_full_backward_hook(lambda m, gi, go: seen.append(("back", type(m).__name__))),
        model[0].register_forward_hook(lambda m, args, out: seen.append(("own", "Linear"))),
    ]
    try:
        model(lib.ones(1, 2, requires_grad=True)).sum().backward()
    finally:
        for handle in handles:
            handle.remove()
    forward = [each for each in seen if each[0] != "back"]
    assert forward == [
        ("pre", "Sequential"), ("pre", "Linear"), ("after", "Linear"), ("own", "Linear"), ("pre", "Sequential"),
        ("pre", "Linear"), ("after", "Linear"), ("after", "Sequential"), ("after", "Sequential"),
    ]  # fmt: skip
    assert [kind for kind, _ in seen].count("back") == 4
    seen.clear()
    model(lib.ones(1, 2))
    assert seen == []


def test_a_hook_after_loading_may_still_object(lib: Any) -> None:
    layer = lib.nn.Linear(1, 1)

    def object_to(module: Any, keys: Any) -> None:
        keys.missing_keys.append("scale")
        keys.unexpected_keys.append("shift")

    layer.register_load_state_dict_post_hook(object_to)
    keys = layer.load_state_dict(layer.state_dict(), strict=False)
    assert (keys.missing_keys, keys.unexpected_keys) == (["scale"], ["shift"])
    with pytest.raises(RuntimeError, match=r'(?s)Missing key.*"scale".*Unexpected key.*"shift"'):
        layer.load_state_dict(layer.state_dict())


@pytest.mark.filterwarnings("ignore:Full backward hook is firing")
def test_a_backward_hook_without_gradients_may_return_nothing_for_each(lib: Any) -> None:
    layer, said = lib.nn.Linear(2, 3), [(None,)]
    layer.register_full_backward_hook(lambda module, grad_input, grad_output: said[0])
    layer(lib.ones(1, 2)).sum().backward()
    said[0] = lib.ones(1, 2)
    with pytest.raises(RuntimeError, match="where no input requires gradient"):
        layer(lib.ones(1, 2)).sum().backward()


def test_the_older_hook_of_all_modules_can_be_registered() -> None:
    lib: Any = importlib.import_module("minigrad")  # PyTorch takes one kind of hook of all modules in a process
    seen = []
    handle = lib.nn.modules.module.register_module_backward_hook(lambda module, *grads: seen.append(type(module)))
    try:
        lib.nn.Linear(2, 1)(lib.ones(1, 2, requires_grad=True)).sum().backward()
    finally:
        handle.remove()
    assert seen == [lib.nn.Linear]


def test_a_hook_after_the_collection_returns_nothing(lib: Any) -> None:
    model = net(lib)
    handle = model.register_state_dict_post_hook(lambda module, state, prefix, metadata: {})
    with pytest.raises(RuntimeError, match="state_dict post-hook must return None"):
        model.state_dict()
    handle.remove()
    model._register_state_dict_hook(lambda module, state, prefix, metadata: {"replaced": True})
    assert model.state_dict() == {"replaced": True}


def test_one_function_is_not_registered_in_both_ways(lib: Any) -> None:
    def hook(module: Any, state: Any, prefix: str, metadata: Any) -> None:
        """Change nothing."""

    model = net(lib)
    model.register_state_dict_post_hook(hook)
    with pytest.raises(RuntimeError, match="Cannot register the same function"):
        model._register_state_dict_hook(hook)


def test_hooks_of_a_state_are_counted_by_their_names(lib: Any) -> None:
    model = net(lib)
    model.register_state_dict_pre_hook(lambda *args: None)
    model.register_state_dict_post_hook(lambda *args: None)
    model.register_load_state_dict_pre_hook(lambda *args: None)
    model.register_load_state_dict_post_hook(lambda *args: None)
    kinds = ("_state_dict_pre_hooks", "_state_dict_hooks", "_load_state_dict_pre_hooks", "_load_state_dict_post_hooks")
    assert [len(getattr(model, kind)) for kind in kinds] == [1, 1, 1, 1]
    assert [len(getattr(model[0], kind)) for kind in kinds] == [0, 0, 0, 0]
    model._state_dict_hooks.clear()
    assert len(model._state_dict_hooks) == 0


def test_hooks_that_take_keywords_or_always_run_are_known_by_their_number(lib: Any) -> None:
    model = net(lib)
    plain = model.register_forward_hook(lambda *args: None)
    keywords = model.register_forward_hook(lambda *args: None, with_kwargs=True)
    always = model.register_forward_hook(lambda *args: None, always_call=True)
    before = model.register_forward_pre_hook(lambda *args: None, with_kwargs=True)
    assert list(model._forward_hooks_with_kwargs) == [keywords.id]
    assert list(model._forward_hooks_always_called) == [always.id]
    assert list(model._forward_pre_hooks_with_kwargs) == [before.id]
    for handle in (plain, keywords, always, before):
        handle.remove()
    assert not model._forward_hooks_with_kwargs and not model._forward_hooks_always_called


def test_hooks_see_what_every_module_registers_and_may_replace_it(lib: Any) -> None:
    place: Any = importlib.import_module(f"{lib.__name__}.nn.modules.module")
    seen: list[str] = []

    def watch(module: Any, name: str, value: Any) -> None:
        seen.append(f"{type(module).__name__}.{name}")

    def doubled(module: Any, name: str, buffer: Any) -> Any:
        return buffer * 2

    with (
        place.register_module_parameter_registration_hook(watch),
        place.register_module_module_registration_hook(watch),
    ):
        model = lib.nn.Sequential(lib.nn.Linear(1, 1, bias=False))
    assert seen == ["Linear.weight", "Sequential.0"]
    lib.nn.Linear(1, 1)
    assert len(seen) == 2
    with place.register_module_buffer_registration_hook(doubled):
        model.register_buffer("scale", lib.ones(1))
    assert model.scale.item() == 2.0


def test_hooks_of_all_modules_are_cleared_by_their_name(lib: Any) -> None:
    place: Any = importlib.import_module(f"{lib.__name__}.nn.modules.module")
    called: list[str] = []
    place.register_module_forward_pre_hook(lambda *args: called.append("before"))
    place.register_module_forward_hook(lambda *args: called.append("after"))
    model = lib.nn.Linear(1, 1)
    model(lib.ones(1))
    assert called == ["before", "after"] and len(place._global_forward_hooks) == 1
    place._global_forward_pre_hooks = type(place._global_forward_pre_hooks)()
    place._global_forward_hooks = type(place._global_forward_hooks)()
    model(lib.ones(1))
    assert called == ["before", "after"]
