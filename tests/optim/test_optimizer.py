"""What optimisers share: groups, state, hooks, refusals, and what the graph is told."""

from __future__ import annotations

import copy
import importlib
from typing import Any

import pytest

import minigrad as mg

Lib = Any


def pair(lib: Lib) -> list[Any]:
    return [lib.tensor([1.0, 2.0], requires_grad=True), lib.tensor([[3.0]], requires_grad=True)]


def descend(optimizer: Any, parameters: list[Any]) -> None:
    optimizer.zero_grad()
    sum((each * each).sum() for each in parameters).backward()  # type: ignore[union-attr]
    optimizer.step()


def test_a_step_goes_downhill_in_place(lib: Lib) -> None:
    parameters = pair(lib)
    before = parameters[0]
    descend(lib.optim.SGD(parameters, lr=0.1), parameters)
    assert parameters[0] is before
    assert parameters[0].tolist() == pytest.approx([0.8, 1.6])
    assert parameters[0].grad.tolist() == [2.0, 4.0]


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("SGD", {"momentum": 0.9, "weight_decay": 0.1}),
        ("SGD", {"momentum": 0.9, "nesterov": True, "maximize": True}),
        ("Adam", {"weight_decay": 0.1, "amsgrad": True, "maximize": True}),
        ("AdamW", {}),
        ("RMSprop", {"centered": True, "momentum": 0.5}),
        ("Adagrad", {"maximize": True}),
        *((name, {"maximize": True}) for name in ("Adadelta", "Adamax", "NAdam", "RAdam", "ASGD", "Rprop")),
    ],
)
def test_a_parameter_of_no_dimensions_moves_as_one_of_one_does(lib: Lib, name: str, settings: dict[str, Any]) -> None:
    single, listed = lib.tensor(2.0, requires_grad=True), lib.tensor([2.0], requires_grad=True)
    optimizer = getattr(lib.optim, name)([single, listed], lr=0.1, **settings)
    for _ in range(3):
        descend(optimizer, [single, listed])
    assert single.item() == pytest.approx(listed.item(), rel=1e-6)
    assert single.item() != 2.0


def test_muon_takes_matrices_only(lib: Lib) -> None:
    with pytest.raises(ValueError, match="Muon only supports 2D parameters whereas we found a parameter with size"):
        lib.optim.Muon(pair(lib))
    with pytest.raises(ValueError, match="Adjust learning rate function rows is not supported"):
        lib.optim.Muon(pair(lib)[1:], adjust_lr_fn="rows")


def test_muon_makes_every_direction_count_alike() -> None:
    """A gradient with singular values 3 and 0.03 becomes a step with both near 1."""
    W = mg.zeros(2, 3, requires_grad=True)
    W.grad = mg.tensor([[3.0, 0.0, 0.0], [0.0, 0.03, 0.0]])
    mg.optim.Muon([W], lr=1.0, weight_decay=0.0, ns_steps=9).step()
    assert mg.linalg.svdvals(W.detach()).tolist() == pytest.approx([1.0, 1.0], abs=0.35)


def test_a_parameter_without_a_gradient_stays(lib: Lib) -> None:
    parameters = pair(lib)
    optimizer = lib.optim.Adam(parameters)
    parameters[0].sum().backward()
    optimizer.step()
    assert parameters[1].tolist() == [[3.0]] and parameters[1] not in optimizer.state


def test_a_step_raises_versions_so_that_an_old_graph_is_refused(lib: Lib) -> None:
    w = lib.tensor([2.0], requires_grad=True)
    optimizer = lib.optim.SGD([w], lr=0.1)
    loss = (w * w).sum()
    loss.backward(retain_graph=True)
    optimizer.step()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_a_closure_is_called_with_gradients_on(lib: Lib) -> None:
    w = lib.tensor([2.0], requires_grad=True)
    optimizer = lib.optim.SGD([w], lr=0.1)

    def closure() -> Any:
        optimizer.zero_grad()
        loss = (w * w).sum()
        loss.backward()
        return loss

    with lib.no_grad():
        assert optimizer.step(closure).item() == 4.0
    assert w.tolist() == pytest.approx([1.6])


def test_zero_grad_forgets_or_zeroes(lib: Lib) -> None:
    parameters = pair(lib)
    optimizer = lib.optim.SGD(parameters)
    sum(each.sum() for each in parameters).backward()  # type: ignore[union-attr]
    grad = parameters[0].grad
    optimizer.zero_grad(set_to_none=False)
    assert parameters[0].grad is grad and grad.tolist() == [0.0, 0.0]
    optimizer.zero_grad()
    assert parameters[0].grad is None


def test_groups_have_settings_of_their_own(lib: Lib) -> None:
    parameters = pair(lib)
    optimizer = lib.optim.SGD([{"params": parameters[0], "lr": 1.0}], lr=0.1, momentum=0.5)
    optimizer.add_param_group({"params": [parameters[1]]})
    assert [group["lr"] for group in optimizer.param_groups] == [1.0, 0.1]
    assert [group["momentum"] for group in optimizer.param_groups] == [0.5, 0.5]
    with pytest.raises(ValueError, match="more than one parameter group"):
        optimizer.add_param_group({"params": [parameters[1]]})


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda lib: lib.optim.SGD([]), ValueError, "empty parameter list"),
        (lambda lib: lib.optim.SGD(lib.ones(1, requires_grad=True)), TypeError, "iterable of Tensors or dicts"),
        (lambda lib: lib.optim.SGD([3]), TypeError, "can only optimize Tensors"),
        (lambda lib: lib.optim.SGD([lib.ones(1, requires_grad=True) * 2]), ValueError, "a non-leaf Tensor"),
        (lambda lib: lib.optim.SGD(pair(lib), lr=-1.0), ValueError, "Invalid learning rate"),
        (lambda lib: lib.optim.SGD(pair(lib), lr=0.1, nesterov=True), ValueError, "Nesterov momentum requires"),
        (lambda lib: lib.optim.Adam(pair(lib), betas=(1.0, 0.9)), ValueError, "Invalid beta parameter at index 0"),
        (lambda lib: lib.optim.LBFGS([{"params": [p]} for p in pair(lib)]), ValueError, "per-parameter options"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(lib: Lib, make: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        make(lib)


@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad"])
def test_a_state_dict_carries_on_where_it_was_taken(lib: Lib, name: str) -> None:
    settings = {"momentum": 0.9} if name in ("SGD", "RMSprop") else {}
    first, second = pair(lib), pair(lib)
    one = getattr(lib.optim, name)(first, lr=0.1, **settings)
    for _ in range(3):
        descend(one, first)
    state = copy.deepcopy(one.state_dict())
    assert state["param_groups"][0]["params"] == [0, 1] and state["param_groups"][0]["lr"] == 0.1
    other = getattr(lib.optim, name)(second, lr=0.5)
    with lib.no_grad():
        for ours, theirs in zip(second, first, strict=True):
            ours.copy_(theirs)
    other.load_state_dict(state)
    descend(one, first)
    descend(other, second)
    assert [each.tolist() for each in first] == [each.tolist() for each in second]


def test_a_state_dict_of_other_groups_is_refused(lib: Lib) -> None:
    parameters = pair(lib)
    state = lib.optim.SGD(parameters).state_dict()
    with pytest.raises(ValueError, match="doesn't match the size"):
        lib.optim.SGD(parameters[:1]).load_state_dict(state)


def test_hooks_run_around_a_step(lib: Lib) -> None:
    parameters = pair(lib)
    optimizer = lib.optim.SGD(parameters, lr=0.1)
    order: list[str] = []
    optimizer.register_step_pre_hook(lambda *_: order.append("before"))
    handle = optimizer.register_step_post_hook(lambda *_: order.append("after"))
    descend(optimizer, parameters)
    handle.remove()
    descend(optimizer, parameters)
    assert order == ["before", "after", "before"]


def test_an_optimiser_with_a_step_of_its_own(lib: Lib) -> None:
    class Signs(lib.optim.Optimizer):  # type: ignore[misc, name-defined]
        def __init__(self, parameters: Any, lr: float) -> None:
            super().__init__(parameters, {"lr": lr})

        def step(self, closure: Any = None) -> None:
            with lib.no_grad():
                for group in self.param_groups:
                    for parameter in group["params"]:
                        state = self.state[parameter]
                        if not state:
                            state["mean"] = lib.zeros_like(parameter)
                        state["mean"].lerp_(parameter.grad, 0.5)
                        parameter.add_(state["mean"].sign(), alpha=-group["lr"])

    parameter = lib.nn.Parameter(lib.tensor([1.0, -1.0]))
    optimizer = Signs([parameter], 0.5)
    order: list[str] = []
    optimizer.register_step_pre_hook(lambda *_: order.append("before"))
    optimizer.register_step_post_hook(lambda *_: order.append("after"))
    schedule = lib.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)  # warns, if the step has not been counted
    for _ in range(2):
        parameter.grad = lib.tensor([1.0, -1.0])
        optimizer.step()
        schedule.step()
    assert parameter.tolist() == [0.25, -0.25] and order == ["before", "after"] * 2
    other = Signs([parameter], 0.1)
    other.load_state_dict(optimizer.state_dict())
    assert other.state[parameter]["mean"].tolist() == [0.75, -0.75]
    assert other.state[lib.ones(1)] == {}


def test_an_optimiser_of_ones_own_decides_what_its_settings_may_be(lib: Lib) -> None:
    class Own(lib.optim.Optimizer):  # type: ignore[misc, name-defined]
        def __init__(self, params: Any) -> None:
            super().__init__(params, {"lr": None, "eps": (1e-30, 1e-3), "momentum": -1.0})

    group = Own([lib.nn.Parameter(lib.ones(1))]).param_groups[0]
    assert (group["lr"], group["eps"], group["momentum"]) == (None, (1e-30, 1e-3), -1.0)


def test_loaded_state_has_the_type_of_its_parameters(lib: Lib) -> None:
    class Own(lib.optim.Optimizer):  # type: ignore[misc, name-defined]
        def __init__(self, params: Any) -> None:
            super().__init__(params, {})

        def step(self, closure: Any = None) -> None:  # type: ignore[override]
            for parameter in self.param_groups[0]["params"]:
                self.state[parameter]["past"] = [parameter.detach().clone(), {"twice": parameter.detach() * 2}]
                self.state[parameter]["norm"] = parameter.detach().norm()

    exact = lib.ones(2, dtype=lib.float64, requires_grad=True)
    for make in (lib.optim.Adam, lib.optim.Adagrad, lib.optim.Rprop, lib.optim.ASGD, lib.optim.RMSprop):
        one = make([lib.ones(2, requires_grad=True)])
        descend(one, one.param_groups[0]["params"])
        other = make([exact])
        other.load_state_dict(one.state_dict())
        dtypes = {value.dtype for value in other.state[exact].values() if getattr(value, "shape", ())}
        assert dtypes == {lib.float64}
        descend(other, [exact])
    mine = Own([lib.ones(2, requires_grad=True)])
    mine.step()
    other = Own([exact])
    other.load_state_dict(mine.state_dict())
    first, second = other.state[exact]["past"]
    assert first.dtype == second["twice"].dtype == lib.float64
    assert second["twice"].tolist() == [2.0, 2.0]
    assert other.state[exact]["norm"].mul_(2).item() == pytest.approx(8**0.5)


def test_hooks_run_around_a_step_that_calls_another(lib: Lib) -> None:
    class Halving(lib.optim.SGD):  # type: ignore[misc, name-defined]
        def step(self, closure: Any = None) -> Any:
            self.param_groups[0]["lr"] /= 2
            return super().step(closure)

    lbfgs = lib.optim.LBFGS([lib.nn.Parameter(lib.ones(1))])
    for optimizer in (Halving([lib.nn.Parameter(lib.ones(1))], lr=1.0), lbfgs):
        parameter = optimizer.param_groups[0]["params"][0]
        order: list[str] = []
        optimizer.register_step_pre_hook(lambda *_, order=order: order.append("before"))
        optimizer.step(lambda p=parameter: p.pow(2).sum().backward() or 1.0)
        assert "before" in order


def test_complex_parameters_are_moved_as_pairs_of_numbers(lib: Lib) -> None:
    z = lib.tensor([1.0 + 2.0j], requires_grad=True)
    optimizer = lib.optim.Adam([z], lr=0.1)
    for _ in range(5):
        optimizer.zero_grad()
        (z * z.conj()).real.sum().backward()
        optimizer.step()
    assert z.tolist()[0] == pytest.approx(0.507964 + 1.502956j, abs=1e-5)


@pytest.mark.parametrize("search", [None, "strong_wolfe"])
def test_lbfgs_finds_complex_numbers_beside_real_ones(lib: Lib, search: str | None) -> None:
    z = lib.tensor([[1.0 + 2.0j, -1.0j], [0.5 + 0j, 3.0 - 1.0j]], requires_grad=True)
    w = lib.tensor([4.0, -1.0], requires_grad=True)
    optimizer = lib.optim.LBFGS([z, w], lr=0.5, max_iter=15, line_search_fn=search)

    def closure() -> Any:
        optimizer.zero_grad()
        loss = (z - (2 + 1j)).abs().square().sum() + (w - z.real.sum(0)).square().sum()
        loss.backward()
        return loss

    first = [optimizer.step(closure).item() for _ in range(3)]
    assert first[0] == pytest.approx(40.5) and first[2] < 1e-3
    assert z.reshape(-1).tolist() == pytest.approx([2 + 1j] * 4, abs=1e-2)
    assert w.tolist() == pytest.approx([4.0, 4.0], abs=1e-2)


def test_state_dicts_go_to_pytorch_and_back() -> None:
    torch = pytest.importorskip("torch")
    from minigrad.utils.serialization import from_torch, to_torch

    ours, theirs = pair(mg), pair(torch)
    one, other = mg.optim.Adam(ours, lr=0.1), torch.optim.Adam(theirs, lr=0.1)
    for _ in range(3):
        descend(one, ours)
        descend(other, theirs)
    other.load_state_dict(to_torch(one.state_dict()))
    one.load_state_dict(from_torch(other.state_dict()))
    descend(one, ours)
    descend(other, theirs)
    for mine, its in zip(ours, theirs, strict=True):
        assert mine.reshape(-1).tolist() == pytest.approx(its.reshape(-1).tolist(), abs=1e-6)


def test_listeners_hear_of_every_change_and_every_step() -> None:
    from minigrad import events

    parameters = pair(mg)
    optimizer = mg.optim.SGD(parameters, lr=0.1)
    sum(each.sum() for each in parameters).backward()  # type: ignore[union-attr]
    seen: list[Any] = []
    with events.listening(seen.append):
        optimizer.step()
    assert [event.tensor for event in seen[:2]] == parameters
    assert all(isinstance(event, events.Mutated) for event in seen[:2])
    assert seen[2] == events.StepTaken(optimizer, 1)


def test_half_precision_parameters_stay_so() -> None:
    for kind in (mg.float16, mg.bfloat16):
        for make in (mg.optim.SGD, mg.optim.Adam, mg.optim.RMSprop, mg.optim.Adagrad):
            w = mg.ones(2, dtype=kind, requires_grad=True)
            optimizer = make([w], lr=0.1)
            (w * w).sum().backward()
            optimizer.step()
            assert w.dtype is kind and w.tolist()[0] < 1.0


def test_it_prints_its_groups(lib: Lib) -> None:
    text = repr(lib.optim.SGD(pair(lib), lr=0.1))
    assert text.startswith("SGD (\nParameter Group 0\n") and "    lr: 0.1\n" in text and text.endswith(")")


def test_adagrad_remembers_its_sums_from_the_beginning(lib: Any) -> None:
    w = lib.ones(2, requires_grad=True)
    optimizer = lib.optim.Adagrad([w], initial_accumulator_value=0.5)
    assert optimizer.state[w]["sum"].tolist() == [0.5, 0.5] and float(optimizer.state[w]["step"]) == 0
    assert list(optimizer.state_dict()["state"]) == [0]


def test_an_optimiser_around_another_may_leave_out_the_init_of_its_base(lib: Any) -> None:
    seen: list[str] = []

    class Slowly(lib.optim.Optimizer):  # type: ignore[misc, name-defined]
        def __init__(self, inner: Any) -> None:
            self.inner, self.param_groups, self.state = inner, inner.param_groups, inner.state
            self.defaults = dict(inner.defaults)

        def step(self, closure: Any = None) -> Any:
            seen.append("step")
            return self.inner.step(closure)

    w = lib.ones(1, requires_grad=True)
    optimizer = Slowly(lib.optim.SGD([w], lr=0.5))
    schedule = lib.optim.lr_scheduler.StepLR(optimizer, 1, 0.1)
    for _ in range(2):
        optimizer.zero_grad()
        (3 * w).sum().backward()
        optimizer.step()
        schedule.step()
    assert seen == ["step", "step"] and w.item() == pytest.approx(1 - 1.5 - 0.15)


def test_hooks_on_all_optimisers_run_around_every_step(lib: Any) -> None:
    seen: list[str] = []
    hooks = importlib.import_module(f"{lib.__name__}.optim.optimizer")
    first = hooks.register_optimizer_step_pre_hook(lambda optimizer, args, kwargs: seen.append("before"))
    last = hooks.register_optimizer_step_post_hook(lambda optimizer, args, kwargs: seen.append("after"))
    w = lib.ones(1, requires_grad=True)
    for kind in (lib.optim.SGD, lib.optim.Adam):
        (w * w).sum().backward()
        kind([w], lr=0.1).step()
    first.remove()
    last.remove()
    lib.optim.SGD([w], lr=0.1).step()
    assert seen == ["before", "after"] * 2


def test_a_step_of_nadam_is_differentiated_by_the_product_of_its_momenta(lib: Any) -> None:
    """With `differentiable=True` everything in the state may need a gradient."""
    product = lib.tensor(0.5, requires_grad=True)
    moved = lib.tensor([1.0, 2.0]).clone()
    moved.grad = lib.tensor([0.3, -0.2])
    optimizer = lib.optim.NAdam([moved], lr=0.1, differentiable=True)
    optimizer.state[moved].update(
        step=lib.tensor(4.0), mu_product=product.clone(), exp_avg=lib.ones(2), exp_avg_sq=lib.ones(2) * 2
    )
    optimizer.step()
    moved.sum().backward()
    assert product.grad.item() == pytest.approx(-0.00122973, rel=1e-4)
