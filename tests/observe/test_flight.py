"""The flight recorder: steps that are not recorded whole, and what is kept of them when something happens."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal

import numpy as np
import pytest

import minigrad as mg
from minigrad import func, nn, optim
from minigrad.nn import functional as F
from minigrad.observe.record import sampling
from minigrad.observe.record.glimpse import filled, glimpse
from minigrad.observe.record.jumps import Jumps
from minigrad.observe.record.values import measure
from minigrad.observe.schema import check

from .helpers import Record, of_type, recorded

Way = Literal["whole", "numbers", "loss"]


@pytest.fixture(params=["whole", "numbers", "loss"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Way:
    """Each way in which a step after the first three may be recorded."""
    found: Way = request.param
    spare(monkeypatch, found)
    return found


def spare(monkeypatch: pytest.MonkeyPatch, way: Way) -> None:
    """Record the steps after the first three in this way."""
    monkeypatch.setattr(sampling, "FREE", 1e9 if way == "whole" else -1e9)
    monkeypatch.setattr(sampling, "WHOLE_SHARE", 1.0 if way == "whole" else 1e-9)
    monkeypatch.setattr(sampling, "FREE_NUMBERS", 1e9 if way == "numbers" else -1e9)


def training(steps: int, spoil: Callable[[int, Any], Any] = lambda step, h: h) -> None:
    """A small classifier; `spoil` may do something to the scores of a step."""
    mg.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3))
    adam = optim.Adam(net.parameters(), lr=1e-2)
    x, y = mg.randn(16, 4), mg.randint(0, 3, (16,))
    for step in range(steps):
        scores = spoil(step, net(x))
        loss = F.cross_entropy(scores, y)
        adam.zero_grad()
        loss.backward()
        adam.step()


def of_step(records: list[Record], step: int) -> list[Record]:
    return sorted((record for record in records if record["step"] == step), key=lambda record: record["t"])


def test_every_step_has_its_loss_and_the_norm_of_each_gradient(way: Way) -> None:
    records = recorded(lambda: training(40), values="auto")
    taken = of_type(records, "step_taken")
    assert [record["step"] for record in taken] == list(range(40))
    truth = of_type(recorded(lambda: training(40), values="all"), "step_taken")
    for found, right in zip(taken, truth, strict=True):
        assert found["loss"] == pytest.approx(right["loss"], rel=1e-5)
        assert found["grad_norm"] == pytest.approx(right["grad_norm"], rel=1e-4)
        assert [each["name"] for each in found["grad_norms"]] == [each["name"] for each in right["grad_norms"]]
    assert not [wrong for record in records if (wrong := check(record))]


def test_an_error_of_backward_names_its_op(way: Way) -> None:
    def train() -> None:
        w = mg.ones(3, requires_grad=True)
        sgd = optim.SGD([w], lr=1e-2)
        for step in range(12):
            h = (w * 2.0).relu()
            loss = (h * 3.0).sum()
            if step == 9:
                with mg.no_grad():
                    h += 1.0
            sgd.zero_grad()
            loss.backward()
            sgd.step()

    records: list[Record] = []
    recorder = mg.observe.Recorder(records.append)
    with pytest.raises(mg.errors.StaleTensorError) as caught, recorder:
        train()
    assert recorder.failure is None
    assert any("this is the backward of Relu" in note for note in getattr(caught.value, "__notes__", ["Relu"]))
    found = of_type(records, "anomaly_found")[0]
    ops = {record["id"]: record["op"] for record in of_type(records, "node")}
    assert (found["kind"], found["step"], ops[found["node"]]) == ("stale", 9, "Relu")


def test_gradients_of_each_example_do_not_end_the_recording(way: Way) -> None:
    def train() -> None:
        net = nn.Linear(3, 1)
        sgd = optim.SGD(net.parameters(), lr=1e-2)
        x = mg.randn(5, 3)

        def loss(params: dict[str, Any], x: Any) -> Any:
            return func.functional_call(net, params, (x,)).square().sum()

        for _ in range(12):
            each = func.vmap(func.grad(loss), in_dims=(None, 0))(dict(net.named_parameters()), x)
            for name, parameter in net.named_parameters():
                parameter.grad = each[name].detach().mean(0)
            sgd.step()

    records: list[Record] = []
    with mg.observe.Recorder(records.append, values="auto") as recorder:
        train()
    assert recorder.failure is None
    assert len(of_type(records, "step_taken")) == 12


def test_a_loss_that_another_thread_computed_is_told(way: Way) -> None:
    def train() -> None:
        w = mg.ones(3, requires_grad=True)
        sgd = optim.SGD([w], lr=1e-2)
        with ThreadPoolExecutor(1) as pool:
            for step in range(12):
                loss = pool.submit(lambda step=step: (w * step).square().sum()).result()
                sgd.zero_grad()
                loss.backward()
                sgd.step()

    records = recorded(train, values="auto")
    right = [record["loss"] for record in of_type(recorded(train, values="all"), "step_taken")]
    assert len(right) == 12 and None not in right
    assert [record["loss"] for record in of_type(records, "step_taken")] == right
    assert [record["op"] for record in of_step(records, 11) if record["type"] == "node"] == ["Mul", "Square", "Sum"]


def test_a_step_of_numbers_tells_norm_and_extremes_of_each_op(monkeypatch: pytest.MonkeyPatch) -> None:
    truth = recorded(lambda: training(20), values="all")
    spare(monkeypatch, "numbers")
    records = recorded(lambda: training(20), values="auto")
    numbers = of_type(records, "numbers")
    assert [record["step"] for record in numbers] == list(range(3, 20))
    for record in numbers:
        right = [node for node in of_type(truth, "node") if node["step"] == record["step"]]
        values = [node["outputs"][0]["value"] for node in right]
        assert record["norm"] == pytest.approx([value["norm"] for value in values], rel=1e-4)
        assert record["min"] == pytest.approx([value["min"] for value in values], rel=1e-4)
        like = {node["id"]: node["op"] for node in of_type(records, "node") if node["step"] == record["like"]}
        assert [like[node] for node in record["nodes"]] == [node["op"] for node in right]


def test_a_step_like_no_other_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    spare(monkeypatch, "numbers")
    records = recorded(lambda: training(12, lambda step, h: h * 2 if step == 6 else h), values="auto")
    assert [node["op"] for node in of_step(records, 6) if node["type"] == "node"].count("Mul") == 1
    assert {record["step"] for record in of_type(records, "node")} == {0, 1, 2, 6, 10, 11}


@pytest.mark.parametrize("op", ["log", "sqrt"])
def test_the_op_that_makes_the_first_nan_is_found_and_its_step_kept(way: Way, op: str) -> None:
    def spoil(step: int, h: Any) -> Any:
        return getattr(mg, op)(h) if step == 9 else h

    records = recorded(lambda: training(12, spoil), values="auto")
    found = of_type(records, "anomaly_found")[0]
    node = next(record for record in of_type(records, "node") if record["id"] == found["node"])
    assert (found["step"], node["op"]) == (9, op.capitalize())
    assert node["at"]["line"] == found["at"]["line"] == spoil.__code__.co_firstlineno + 1
    assert "inputs are negative" in found["message"]
    (value,) = (output["value"] for output in node["outputs"])
    assert value["kind"] == "full" and value["nan"] > 0
    ops = [record["op"] for record in of_step(records, 9) if record["type"] == "node"]
    assert ops == ["Affine", "Tanh", "Affine", op.capitalize(), "CrossEntropy"]
    assert of_type(of_step(records, 9), "grad_computed"), "backward is recorded whole from there on"
    assert len(of_type(records, "anomaly_found")) == 1, "what a NaN reaches is not to blame for it"


def test_the_steps_before_a_nan_are_kept_with_their_values(monkeypatch: pytest.MonkeyPatch) -> None:
    spare(monkeypatch, "numbers")
    records = recorded(lambda: training(12, lambda step, h: mg.log(h) if step == 9 else h), values="auto")
    for step in (7, 8):
        nodes = of_type(of_step(records, step), "node")
        assert [node["op"] for node in nodes] == ["Affine", "Tanh", "Affine", "CrossEntropy"]
        assert {output["value"]["kind"] for node in nodes for output in node["outputs"]} == {"full"}
    truth = recorded(lambda: training(12, lambda step, h: mg.log(h) if step == 9 else h), values="all")
    right = [node["outputs"][0]["value"]["data"] for node in of_type(of_step(truth, 8), "node")]
    assert [node["outputs"][0]["value"]["data"] for node in of_type(of_step(records, 8), "node")] == right


class Broken(mg.autograd.Function):
    """The identity, with a NaN as its slope."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * 1.0

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad * float("nan")


def broken_at_step_9() -> list[Record]:
    return recorded(lambda: training(12, lambda step, h: Broken.apply(h) if step == 9 else h), values="auto")


def test_a_nan_of_backward_is_found(way: Way) -> None:
    records = broken_at_step_9()
    found = of_type(records, "anomaly_found")[0]
    node = next(record for record in of_type(records, "node") if record["id"] == found["node"])
    assert (found["step"], node["op"]) == (9, "Broken")


def test_the_way_of_a_nan_of_backward_to_the_weights_is_recorded(way: Way) -> None:
    records = broken_at_step_9()
    step = of_step(records, 9)
    ops = {record["id"]: record["op"] for record in of_type(step, "node")}
    broken = [record for record in of_type(step, "grad_computed") if record["value"] and record["value"]["nan"]]
    assert [ops[record["node"]] for record in broken] == ["Broken", *["Affine"] * 3, "Tanh", *["Affine"] * 2]
    entered = {ops[record["node"]]: record["grads"] for record in of_type(step, "node_entered")}
    assert entered["Tanh"][0]["nan"] and entered["Affine"][0]["nan"]
    assert not [wrong for record in records if (wrong := check(record))]


def test_an_op_in_place_that_makes_a_nan_is_found(way: Way) -> None:
    def spoil(step: int, h: Any) -> Any:
        return (h - 1).sqrt_() if step == 9 else h

    records = recorded(lambda: training(12, spoil), values="auto")
    found = of_type(records, "anomaly_found")[0]
    node = next(record for record in of_type(records, "node") if record["id"] == found["node"])
    assert (found["step"], node["op"]) == (9, "Sqrt")
    assert len(of_type(records, "anomaly_found")) == 1


def test_a_nan_in_a_module_has_the_path_of_the_module(way: Way) -> None:
    class Root(nn.Module):
        def forward(self, x: Any) -> Any:
            return (x - 10).sqrt() if self.broken else x

        broken = False

    mg.manual_seed(0)
    root = Root()
    net = nn.Sequential(nn.Linear(4, 8), nn.Sequential(nn.Tanh(), root), nn.Linear(8, 3))
    sgd = optim.SGD(net.parameters(), lr=1e-2)

    def train() -> None:
        for step in range(12):
            root.broken = step == 9
            loss = net(mg.randn(5, 4)).square().mean()
            sgd.zero_grad()
            loss.backward()
            sgd.step()

    records = recorded(train, values="auto")
    found = of_type(records, "anomaly_found")[0]
    node = next(record for record in of_type(records, "node") if record["id"] == found["node"])
    assert (found["step"], node["op"]) == (9, "Sqrt")
    assert node["scope"] == ["net:Sequential", "1:Sequential", "1:Root"]


def test_a_crash_keeps_the_step_it_happened_in(monkeypatch: pytest.MonkeyPatch) -> None:
    spare(monkeypatch, "numbers")

    def spoil(step: int, h: Any) -> Any:
        return h @ h if step == 9 else h

    records: list[Record] = []
    recorder = mg.observe.Recorder(records.append)
    with pytest.raises(Exception, match=r"."), recorder:
        training(12, spoil)
    assert recorder.failure is None
    assert [node["op"] for node in of_type(of_step(records, 9), "node")][:3] == ["Affine", "Tanh", "Affine"]


def test_a_jump_of_the_loss_is_found_and_the_steps_before_it_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    spare(monkeypatch, "numbers")

    def spoil(step: int, h: Any) -> Any:
        return h + 1e4 * (h - h.max()) if step == 15 else h

    records = recorded(lambda: training(20, spoil), values="auto")
    found = of_type(records, "anomaly_found")[0]
    assert (found["step"], found["kind"]) == (15, "loss")
    assert found["message"].startswith("The loss jumped to ")
    assert {13, 14, 15} <= {node["step"] for node in of_type(records, "node")}


@pytest.mark.parametrize(
    ("norm", "kind"), [(3e3, "exploded"), (1e-7, "vanished"), (30.0, None), (1e-4, None), (0.0, None)]
)
def test_a_gradient_that_explodes_or_vanishes_is_told_once(norm: float, kind: str | None) -> None:
    jumps = Jumps()
    assert not any(jumps.look(None, 1.0, 1.0) for _ in range(12))
    found = jumps.look(None, 1.0, norm)
    assert (found and found.kind) == kind
    assert jumps.look(None, 1.0, norm) is None


def test_two_optimisers_with_other_losses_and_gradients_are_no_jump() -> None:
    jumps = Jumps()
    for _ in range(30):
        assert jumps.look(1, 0.5, 1e-3) is None
        assert jumps.look(2, 80.0, 1e4) is None


def test_the_last_step_is_kept_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    spare(monkeypatch, "numbers")
    records = recorded(lambda: training(30), values="auto")
    nodes = of_type(of_step(records, 29), "node")
    assert [node["op"] for node in nodes] == ["Affine", "Tanh", "Affine", "CrossEntropy"]
    assert all(output["value"]["data"] for node in nodes for output in node["outputs"])


def test_a_mask_of_minus_infinity_is_no_trouble(way: Way) -> None:
    mask = mg.triu(mg.full((3, 3), float("-inf")), diagonal=1)[:1].expand(16, 3)

    def spoil(step: int, h: Any) -> Any:
        return mg.softmax(h + mask, dim=-1)

    assert not of_type(recorded(lambda: training(8, spoil), values="auto"), "anomaly_found")


@pytest.mark.parametrize("shape", [(3, 5), (64, 64), (4, 8, 12, 12), (0,), ()])
@pytest.mark.parametrize("spoiled", [False, True])
def test_a_glimpse_becomes_what_a_measurement_is(shape: tuple[int, ...], spoiled: bool) -> None:
    array = np.random.default_rng(0).standard_normal(shape).astype("float32")
    if spoiled and array.size > 2:
        array.flat[1], array.flat[2] = np.nan, np.inf
    found, right = dict(filled(glimpse(array))), measure(array)
    for key in ("kind", "rows", "cols", "data", "nan", "inf"):
        assert found[key] == right[key], key
    for key in ("min", "max", "norm"):
        assert found[key] == (None if right[key] is None else pytest.approx(right[key], rel=1e-5)), key
