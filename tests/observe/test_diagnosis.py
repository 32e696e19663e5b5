"""Faults that are planted are found, in both frameworks; programs without a fault are told nothing."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from contextlib import suppress
from itertools import cycle
from typing import Any, TypeVar

import pytest

import minigrad as mg
from minigrad.observe import Recorder
from minigrad.observe.diagnosis import Diagnosis, Finding
from minigrad.observe.record.sampling import Mode

from .helpers import sample
from .training.correct import CORRECT
from .training.everyday_correct import EVERYDAY_CORRECT
from .training.everyday_faults import EVERYDAY_FAULTS
from .training.faults import FAULTS

FRAMEWORKS = ["minigrad", pytest.param("torch", marks=pytest.mark.parity)]


class Listening(Diagnosis):
    """Asks after each step and in the middle of it, as the explorer does while a program runs."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []

    def send(self, record: Any) -> None:
        super().send(record)
        if record["type"] in ("backward_finished", "step_taken"):
            self.said += map(str, self.findings())


def found(program: Callable[[Any], None], name: str, values: Mode = "all") -> list[Finding]:
    """What is said of a program in the end, with the tensors of that framework."""
    return diagnosed(program, name, Diagnosis(), values).findings()


def dict_of(faults: list[tuple[str, Callable[[Any], None]]]) -> dict[str, Callable[[Any], None]]:
    """The planted faults by their names."""
    return {each.__name__: each for _, each in faults}


D = TypeVar("D", bound=Diagnosis)


def diagnosed(program: Callable[[Any], None], name: str, diagnosis: D, values: Mode = "all") -> D:
    options: dict[str, Any] = {}
    lib: Any = mg
    if name == "torch":
        lib = pytest.importorskip("torch", reason="PyTorch is not installed")
        options["framework"] = importlib.import_module("minigrad.observe.torch").TORCH
    with suppress(RuntimeError, IndexError, ValueError), Recorder(diagnosis, values=values, **options) as recorder:
        program(lib)
    if recorder.failure is not None:
        raise recorder.failure
    return diagnosis


@pytest.mark.parametrize("name", FRAMEWORKS)
@pytest.mark.parametrize(
    ("kind", "program"), [*FAULTS, *EVERYDAY_FAULTS], ids=lambda each: getattr(each, "__name__", each)
)
def test_a_planted_fault_is_found(kind: str, program: Callable[[Any], None], name: str) -> None:
    findings = found(program, name)
    kinds = kind.split("|")  # the ops of minigrad's that count and choose are not recorded
    assert set(kinds) & {each.kind for each in findings}, [str(each) for each in findings]
    first = next(each for each in findings if each.kind in kinds)
    assert first.message.endswith(".")


@pytest.mark.filterwarnings("ignore:Converting a tensor with requires_grad:UserWarning")  # in LBFGS of PyTorch 2.8
@pytest.mark.parametrize("name", FRAMEWORKS)
@pytest.mark.parametrize("program", [*CORRECT, *EVERYDAY_CORRECT], ids=lambda each: each.__name__)
def test_a_program_without_a_fault_is_told_nothing(program: Callable[[Any], None], name: str) -> None:
    assert [str(each) for each in found(program, name)] == []


@pytest.fixture
def one_step_in_three_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a program that runs fast is watched: of the other steps the numbers are known, or the loss alone."""

    ways = cycle(["numbers", "loss", "whole"])
    sample(monkeypatch, lambda: next(ways))


@pytest.mark.usefixtures("one_step_in_three_whole")
@pytest.mark.parametrize("name", FRAMEWORKS)
@pytest.mark.parametrize("program", [*CORRECT, *EVERYDAY_CORRECT], ids=lambda each: each.__name__)
def test_steps_of_which_little_is_known_raise_no_alarm(program: Callable[[Any], None], name: str) -> None:
    assert [str(each) for each in found(program, name, "auto")] == []


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_a_finding_names_the_step_and_the_op_that_it_is_about(name: str) -> None:
    detached = dict_of(FAULTS)["detached_in_the_middle"]
    (first, *_) = found(detached, name)
    assert first.step is not None
    assert first.node is not None


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_where_the_gradient_vanishes_the_layer_with_the_least_is_named(name: str) -> None:
    vanishing = dict_of(FAULTS)["many_sigmoids"]
    (told,) = [each.message for each in found(vanishing, name) if each.kind == "vanishing"]
    assert "way back: 0.weight's is" in told


@pytest.mark.parametrize("name", FRAMEWORKS)
@pytest.mark.parametrize(("program", "op"), [("clamped_out_of_reach", "Clamp"), ("rounded_in_the_middle", "Round")])
def test_the_op_at_which_a_gradient_becomes_0_is_named(program: str, op: str, name: str) -> None:
    (told,) = [each for each in found(dict_of(EVERYDAY_FAULTS)[program], name) if each.kind == "zero_gradient"]
    assert f"is 0 in every step: {op} " in told.message
    assert told.node is not None


def last_layer_at_zero(lib: Any) -> None:
    """A branch that adds nothing at first, as in a spatial transformer: its first layers wait for the last."""
    nn = lib.nn
    branch = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 3))
    head = nn.Linear(3, 1)
    nn.init.zeros_(branch[-1].weight)
    optimizer = lib.optim.SGD([*branch.parameters(), *head.parameters()], lr=1e-5)
    for _ in range(6):
        optimizer.zero_grad()
        x = lib.ones(4, 3)
        (head(x + branch(x)) - 1).square().mean().backward()
        optimizer.step()


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_a_gradient_that_grows_from_nothing_does_not_vanish(name: str) -> None:
    assert [each for each in found(last_layer_at_zero, name) if each.kind == "vanishing"] == []


def length_before_normalisation(lib: Any) -> None:
    """Batch normalisation undoes the length of the weights before it, which `weight_norm` keeps by itself."""
    nn = lib.nn
    lib.manual_seed(0)
    net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.PReLU(4), nn.Flatten(), nn.Linear(144, 3))
    nn.utils.parametrizations.weight_norm(net[0])
    optimizer = lib.optim.SGD(net.parameters(), lr=0.01)
    x, y = lib.randn(10, 1, 8, 8), lib.randint(3, (10,))
    for _ in range(6):
        optimizer.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        optimizer.step()


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_a_weight_in_two_parts_has_a_gradient_if_one_of_them_has(name: str) -> None:
    assert [str(each) for each in found(length_before_normalisation, name)] == []


def descent_by_a_transform(lib: Any) -> None:
    """The gradients are returned, and the parameters are detached on purpose."""
    net = lib.nn.Sequential(lib.nn.Linear(2, 4), lib.nn.Tanh(), lib.nn.Linear(4, 1))
    p = {name: each.clone() for name, each in net.named_parameters()}
    x = lib.ones(3, 2)

    def loss(p: Any) -> Any:
        return lib.func.functional_call(net, p, (x,)).square().mean()

    for _ in range(4):
        g = lib.func.grad(loss)(p)
        p = {name: each.detach() - 0.1 * g[name] for name, each in p.items()}


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_parameters_whose_gradients_are_returned_may_be_detached(name: str) -> None:
    assert [each for each in found(descent_by_a_transform, name) if each.kind == "detached"] == []


def steps_that_grow(lib: Any) -> None:
    w = lib.nn.Parameter(lib.ones(1))
    optimizer = lib.optim.SGD([w], lr=1.25)
    for _ in range(40):
        optimizer.zero_grad()
        w.square().sum().backward()
        optimizer.step()


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_gradients_that_explode_are_told_with_the_step_in_which_they_began_to(name: str) -> None:
    # Each step multiplies the weight by -1.5: the gradient is 2 * 1.5 ** step, above 1e5 from step 27 on.
    (told,) = {each.message for each in found(steps_that_grow, name) if each.kind == "exploding"}
    assert told == "The gradients explode: their norm is 1.1e+05 in step 27."


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_gradients_that_explode_are_told_where_only_the_losses_are_known(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sample(monkeypatch, lambda: "loss")
    told = diagnosed(steps_that_grow, name, Listening(), "auto").said
    assert told[0].startswith("The gradients explode: their norm is 1.1e+05 in step 27.")
    assert len(told) > 5  # from step 28 on, not only at the end


def loss_that_begins_large(lib: Any) -> None:
    w = lib.nn.Parameter(lib.full((4,), 300.0))
    optimizer = lib.optim.SGD([w], lr=1e-5)
    for _ in range(40):
        optimizer.zero_grad()
        (100 * w).square().sum().backward()
        optimizer.step()


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_gradients_that_begin_large_and_fall_do_not_explode(name: str) -> None:
    # Each step multiplies the weights by 0.8: the norm is 1.2e7 at first, and below 1e5 from step 22 on.
    said = diagnosed(loss_that_begins_large, name, Listening()).said
    assert not [each for each in said if "explode" in each], said


def gradients_that_leap(lib: Any) -> None:
    w = lib.nn.Parameter(lib.ones(1))
    optimizer = lib.optim.SGD([w], lr=1e-9)
    for scale in (1, 2, 1e6, 3, 2, 5e5, 1, 2):
        optimizer.zero_grad()
        (scale * w).sum().backward()
        optimizer.step()


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_gradients_that_leap_again_and_again_explode_though_no_leap_is_larger_than_the_first(name: str) -> None:
    assert "exploding" in {each.kind for each in found(gradients_that_leap, name)}


def cubic_that_diverges(lib: Any) -> None:
    lib.manual_seed(2)
    c = lib.randn(4, requires_grad=True)
    optimizer = lib.optim.SGD([c], lr=0.02, momentum=0.9)
    x = lib.linspace(-3.14, 3.14, 200)
    for _ in range(34):
        optimizer.zero_grad()
        (c[0] + c[1] * x + c[2] * x**2 + c[3] * x**3 - lib.sin(x)).pow(2).mean().backward()
        optimizer.step()


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_ops_that_are_written_as_backward_reaches_them_are_not_taken_for_old_ones(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Squares of the gradients leave single precision a step before the loss does: then that backward is written.
    sample(monkeypatch, lambda: "loss")
    kinds = {each.split(":")[0] for each in diagnosed(cubic_that_diverges, name, Listening(), "auto").said}
    assert not [each for each in kinds if "graphs" in each or "graph grows" in each]


def weights_that_grow_from_pass_to_pass(lib: Any) -> None:
    lib.manual_seed(0)
    w, v = lib.nn.Parameter(lib.randn(12, 12)), lib.nn.Parameter(lib.randn(12, 1))
    optimizer = lib.optim.SGD([w, v], lr=0.01)
    for _ in range(2):
        h = lib.ones(8, 12)
        for _ in range(20):
            h = lib.relu(h @ w)
        optimizer.zero_grad()
        (h @ v).square().mean().backward()
        optimizer.step()


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_a_gradient_that_explodes_at_once_is_no_learning_rate_that_is_too_large(name: str) -> None:
    said = diagnosed(weights_that_grow_from_pass_to_pass, name, Listening()).said
    assert said[0].startswith("The gradients explode: their norm is "), said
    assert not any("learning rate is too large" in each for each in said), said


def a_layer_that_does_not_fit(lib: Any) -> None:
    net = lib.nn.Sequential(lib.nn.Linear(4, 8), lib.nn.ReLU(), lib.nn.Linear(9, 2))
    net(lib.randn(5, 4)).sum().backward()


def a_product_that_does_not_fit(lib: Any) -> None:
    hidden = lib.nn.Linear(4, 8)(lib.randn(5, 4))
    (hidden @ lib.randn(9, 2)).sum().backward()


@pytest.mark.parametrize("name", FRAMEWORKS)
@pytest.mark.parametrize(
    ("program", "advice"),
    [
        (a_layer_that_does_not_fit, "net.2 takes 9 features, and was given 8."),
        (a_product_that_does_not_fit, "The second size of the first must be the first of the second."),
    ],
)
def test_a_crash_names_the_layer_that_was_given_too_much_or_too_little(
    program: Callable[[Any], None], advice: str, name: str
) -> None:
    (crash,) = found(program, name)
    assert (crash.kind, crash.advice) == ("crash", advice)


@pytest.mark.parametrize(
    ("target", "loss", "advice"),
    [
        (lambda lib: lib.eye(3)[[0, 1, 2, 0]].long(), "CrossEntropyLoss", "argmax(1)"),
        (lambda lib: lib.tensor([[0], [1], [2], [0]]), "CrossEntropyLoss", "argmax(1)"),
        (lambda lib: lib.tensor([0.0, 1.0, 2.0, 0.0]), "CrossEntropyLoss", "target.long()"),
        (lambda lib: lib.ones(3, 4), "BCEWithLogitsLoss", "the same shape"),
    ],
)
@pytest.mark.parametrize("name", FRAMEWORKS)
def test_a_crash_of_a_loss_says_what_its_target_must_be(target: Any, loss: str, advice: str, name: str) -> None:
    def program(lib: Any) -> None:
        scores = lib.nn.Linear(2, 3)(lib.ones(4, 2))
        getattr(lib.nn, loss)()(scores, target(lib)).backward()

    (crash,) = found(program, name)
    assert crash.kind == "crash"
    assert advice in crash.advice


def a_part_that_has_its_turn_late(lib: Any) -> None:
    net = lib.nn.ModuleList([lib.nn.Linear(3, 3) for _ in range(2)])
    optimizer = lib.optim.SGD(net.parameters(), lr=0.01)
    for step in range(10):
        loss = net[1 if step > 8 else 0](lib.ones(2, 3)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def a_line_soon_found(lib: Any) -> None:
    w = lib.nn.Parameter(lib.tensor([[0.3, 0.3]]))
    optimizer = lib.optim.SGD([w], lr=0.2)
    for _ in range(6):
        loss = ((lib.eye(2) @ w.T - lib.tensor([[2.0], [-1.0]])) ** 2).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@pytest.mark.parametrize("name", FRAMEWORKS)
@pytest.mark.parametrize("program", [*CORRECT, *EVERYDAY_CORRECT, a_part_that_has_its_turn_late, a_line_soon_found])
def test_a_program_without_a_fault_is_told_nothing_while_it_runs(program: Callable[[Any], None], name: str) -> None:
    assert diagnosed(program, name, Listening()).said == []


def advice_for(program: Callable[[Any], None]) -> str:
    return found(program, "minigrad")[0].advice


def test_the_advice_after_a_nan_says_what_led_to_it() -> None:
    def diverges(lib: Any) -> None:
        w = lib.tensor([1.0, 2.0], requires_grad=True)
        optimizer = lib.optim.SGD([w], lr=10.0)
        for _ in range(5):
            optimizer.zero_grad()
            loss = (w**4).sum()
            if not loss.isfinite():
                return
            loss.backward()
            optimizer.step()

    def has_a_gap(lib: Any) -> None:
        w = lib.tensor([1.0, 2.0], requires_grad=True)
        (w * lib.tensor([1.0, float("nan")])).sum().backward()

    def says_why(lib: Any) -> None:
        lib.tensor([-1.0, 2.0], requires_grad=True).log().sum().backward()

    assert "The training had diverged: the gradient norm was" in advice_for(diverges)
    assert advice_for(has_a_gap).startswith("Look at the data")
    assert advice_for(says_why) == ""


def test_the_advice_after_a_change_in_place_is_the_line_to_write() -> None:
    def changed(lib: Any) -> None:
        v = lib.tensor([1.0], requires_grad=True).tanh()
        out = v * v
        v += 1.0
        out.sum().backward()

    assert advice_for(changed) == "Write v = v + 1.0, which makes a new tensor."


def test_a_dead_relu_is_named_and_shown_itself_where_one_line_calls_several() -> None:
    class Net(mg.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layers = mg.nn.ModuleList(mg.nn.Linear(4, 4) for _ in range(3))
            mg.nn.init.constant_(self.layers[1].bias, -50.0)

        def forward(self, x: mg.Tensor) -> mg.Tensor:
            for layer in self.layers:
                x = layer(x).relu()
            return x

    def trains(lib: Any) -> None:
        net = Net()
        optimizer = lib.optim.SGD(net.parameters(), lr=0.01)
        for _ in range(6):
            optimizer.zero_grad()
            net(lib.randn(8, 4)).sum().backward()
            optimizer.step()

    diagnosis = diagnosed(trains, "minigrad", Diagnosis())
    first = diagnosis.findings()[0]
    assert first.message.startswith("The ReLU after net.layers.1 lets nothing through")
    node = next(step for step in diagnosis.steps.all if step.number == first.step).nodes[first.node or 0]
    assert (node["op"], node["high"]) == ("Relu", 0.0)


@pytest.mark.parametrize("autocast", [False, True])
def test_a_hinge_that_is_content_is_not_a_dead_relu(autocast: bool) -> None:
    """All of a triplet's margins hold; the ReLUs of a net before it, with weights as matrices, do not work."""

    def margins(lib: Any) -> None:
        relu, net = lib.nn.functional.relu, lib.nn.Linear(3, 2)
        optimizer = lib.optim.SGD(net.parameters(), lr=1e-4)
        for _ in range(6):
            near, far = net(lib.ones(8, 3)), net(lib.ones(8, 3) * 50)
            loss = (relu((near - near.detach()).norm(dim=1) - (near - far).norm(dim=1) + 1) ** 2).mean()
            optimizer.zero_grad()
            (loss + 1e-3 * (net.weight**2).sum()).backward()
            optimizer.step()

    def dies(lib: Any) -> None:
        first, last = (lib.randn(3, 4) - 90).requires_grad_(), lib.ones(2, 4, requires_grad=True)
        optimizer = lib.optim.SGD([first, last], lr=1e-4)
        for _ in range(6):
            with lib.autocast("cpu", enabled=autocast):
                h = (lib.ones(8, 3) @ first).abs().neg().relu()
                loss = (h @ last.t()).float().sum() + last.pow(2).sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

    assert "dead_relu" not in {each.kind for each in found(margins, "minigrad")}
    assert "dead_relu" in {each.kind for each in found(dies, "minigrad")}


def test_a_second_backward_through_a_part_that_was_computed_before_the_first_carries_no_state() -> None:
    def twice(lib: Any) -> None:
        w = lib.tensor([1.0, 2.0], requires_grad=True)
        z = w.tanh()
        loss = (z**2).sum()
        extra = z.abs().mean()
        loss.backward()
        (loss + extra).backward()

    assert found(twice, "minigrad")[0].kind == "freed"


def test_gradients_too_small_for_any_step_do_not_blame_the_learning_rate() -> None:
    def vanishes(lib: Any) -> None:
        lib.manual_seed(0)
        weights = [lib.randn(8, 8, requires_grad=True) for _ in range(60)]
        for _ in range(6):
            x = lib.randn(4, 8)
            for w in weights:
                x = (x @ w * 0.2).sigmoid()
            x.sum().backward()
            with lib.no_grad():
                for w in weights:
                    w -= 0.5 * w.grad
                    w.grad = None

    assert "step_small" not in {each.kind for each in found(vanishes, "minigrad")}
