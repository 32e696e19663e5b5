"""What a recording says is what happened."""

from __future__ import annotations

import gc
import warnings
import weakref
from typing import Any

import numpy as np
import pytest

import minigrad as mg
from minigrad import events, nn, optim
from minigrad.observe import sampling
from minigrad_webui.protocol import RECORD

from .helpers import Record, array, named, of_type, positions, recorded


def scalar_program() -> None:
    a = mg.tensor(0.5, requires_grad=True)
    b = a * a + a
    loss = mg.tanh(b)
    loss.backward(retain_graph=True)
    loss.backward()


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(3, 5)
        self.second = nn.Linear(5, 2)

    def forward(self, x: Any) -> Any:
        hidden = self.first(x).relu()
        return self.second(hidden)


def mean_square(out: Any, y: Any) -> Any:
    return ((out - y) ** 2).mean()


def training(steps: int = 3) -> None:
    mg.manual_seed(0)
    net = Net()
    optimizer = mg.optim.SGD(net.parameters(), lr=0.1)
    x, y = mg.randn(4, 3), mg.randn(4, 2)
    for _ in range(steps):
        optimizer.zero_grad()
        out = net(x)
        loss = mean_square(out, y)
        loss.backward()
        optimizer.step()


def descent_by_hand(steps: int = 4) -> None:
    w = mg.tensor([1.0, -2.0], requires_grad=True)
    for _ in range(steps):
        loss = (w * w).sum()
        loss.backward()
        with mg.no_grad():
            w -= 0.1 * w.grad
        w.grad = None


def third_derivative() -> None:
    x = mg.tensor(2.0, requires_grad=True)
    y = x**3
    (first,) = mg.autograd.grad(y, x, create_graph=True)
    (second,) = mg.autograd.grad(first, x, create_graph=True)
    second.backward()


def in_place() -> None:
    x = mg.tensor([1.0, 2.0], requires_grad=True)
    y = x * 3
    y *= y
    y[0] = 7.0
    y.sum().backward()


def a_hook() -> None:
    x = mg.tensor([1.0, 2.0], requires_grad=True)
    x.register_hook(lambda grad: grad * 10)
    (x * x).sum().backward()


def broken() -> None:
    x = mg.tensor([0.5, -1.0], requires_grad=True)
    mg.log(x).sum().backward()


def hidden_state() -> None:
    """The graph of one step goes on in the next."""
    w = mg.tensor(0.5, requires_grad=True)
    state = mg.tensor(1.0)
    optimizer = optim.SGD([w], lr=0.1)
    for _ in range(3):
        state = state * w
        state.backward(retain_graph=True)
        events.emit(events.StepTaken(optimizer, 1))


PROGRAMS = [scalar_program, training, descent_by_hand, third_derivative, in_place, a_hook, broken, hidden_state]


@pytest.mark.parametrize("values", ["all", "auto", "none"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_every_record_is_one_of_the_protocol(program: Any, values: str) -> None:
    for record in recorded(program, values=values):
        RECORD.validate_python(record)


@pytest.mark.parametrize("program", PROGRAMS)
def test_numbers_have_no_gaps_and_time_goes_forward(program: Any) -> None:
    records = recorded(program)
    assert [record["seq"] for record in records] == list(range(1, len(records) + 1))
    assert [record["t"] for record in records] == sorted(record["t"] for record in records)
    assert records[0]["type"] == "run_started"
    assert records[-1]["type"] == "run_finished"


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_step_names_nothing_that_it_has_not_introduced(program: Any) -> None:
    tensors: set[tuple[int, int]] = set()
    nodes: set[tuple[int, int]] = set()
    for record in recorded(program):
        step, kind = record["step"], record["type"]
        named_tensors = {record.get("tensor"), record.get("to_leaf"), record.get("base")}
        named_tensors |= {record.get("leaf")} if kind != "tensor" else set()
        named_nodes = {record.get("from_node"), record.get("to_node"), record.get("made_by")}
        named_nodes |= {record.get("node")} if kind != "node" else set()
        for each in [*record.get("inputs", ()), *record.get("roots", ()), *record.get("saved", ())]:
            named_tensors.add(each.get("tensor"))
            named_nodes.add(each.get("node"))
        named_tensors |= {each.get("base") for each in record.get("outputs", ())}
        assert {(step, each) for each in named_tensors - {None}} <= tensors, record
        assert {(step, each) for each in named_nodes - {None}} <= nodes, record
        if kind == "tensor":
            tensors.add((step, record["id"]))
        if kind == "node":
            nodes.add((step, record["id"]))
            tensors |= {(step, each["id"]) for each in record["outputs"]}


@positions
def test_ops_appear_as_the_user_wrote_them() -> None:
    nodes = of_type(recorded(scalar_program), "node")
    assert [(node["op"], node["symbol"]) for node in nodes] == [("Mul", "*"), ("Add", "+"), ("Tanh", "tanh")]
    assert [node["at"]["code"] for node in nodes] == ["a * a", "a * a + a", "mg.tanh(b)"]
    assert {node["at"]["function"] for node in nodes} == {"scalar_program"}
    assert nodes[2]["formula"] == r"\tanh x"
    assert nodes[2]["gradients"] == {"x": r"\bar y \odot (1 - y^2)"}
    assert nodes[2]["elementwise"]


def test_a_function_of_the_users_has_the_formulas_that_it_gives() -> None:
    class Stretched(mg.autograd.Function):
        formula = r"a \odot b"
        elementwise = True

        @staticmethod
        def forward(ctx: Any, a: Any, b: Any) -> Any:
            ctx.save_for_backward(a, b)
            return a * b

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            r"""\bar y \odot b
            \bar y \odot a
            """
            a, b = ctx.saved_tensors
            return grad * b, grad * a

    class Plain(Stretched):
        formula = ""

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            """Words, not a formula"""
            return Stretched.backward(ctx, grad)

    def program() -> None:
        a = mg.tensor(2.0, requires_grad=True)
        Plain.apply(Stretched.apply(a, a), a).backward()

    stretched, plain = (node for node in of_type(recorded(program), "node") if node["op"] != "Mul")
    assert (stretched["op"], stretched["formula"]) == ("Stretched", r"a \odot b")
    assert stretched["gradients"] == {"a": r"\bar y \odot b", "b": r"\bar y \odot a"}
    assert stretched["elementwise"]
    assert (plain["formula"], plain["gradients"]) == ("", {})


def test_the_text_of_the_users_file_comes_before_the_first_place_in_it() -> None:
    records = recorded(scalar_program)
    source = of_type(records, "source")[0]
    node = of_type(records, "node")[0]
    assert source["seq"] < node["seq"]
    assert source["text"].splitlines()[node["at"]["line"] - 1].strip() == "b = a * a + a"
    assert source["file"] == node["at"]["file"]


def test_tensors_have_the_names_of_the_users_variables() -> None:
    assert {"a", "b", "loss"} <= named(recorded(scalar_program)).keys()


def test_a_result_that_is_returned_has_the_name_it_gets_from_the_caller() -> None:
    outputs = [node["outputs"][0] for node in of_type(recorded(training), "node") if node["op"] == "Mean"]
    assert {each["name"] for each in outputs} == {"loss"}


def test_parameters_have_their_paths_and_modules_are_scopes() -> None:
    records = recorded(training)
    parameters = [record for record in of_type(records, "tensor") if record.get("parameter")]
    assert {each["name"] for each in parameters} == {"first.weight", "first.bias", "second.weight", "second.bias"}
    assert {tuple(node["scope"]) for node in of_type(records, "node")} == {
        ("net:Net", "first:Linear"), ("net:Net",), ("net:Net", "second:Linear"), (),
    }  # fmt: skip


def test_a_reused_tensor_gathers_one_contribution_after_another() -> None:
    arrived = of_type(recorded(scalar_program), "grad_accumulated")
    at_leaf = [record for record in arrived if record.get("leaf") is not None]
    slope = (1 - np.tanh(0.75) ** 2) * np.array([1, 0.5, 0.5])
    assert [each["count"] for each in at_leaf] == [1, 2, 3, 4, 5, 6]
    np.testing.assert_allclose([each["contribution"]["mean"] for each in at_leaf], [*slope, *slope], rtol=1e-6)
    np.testing.assert_allclose([each["total"]["mean"] for each in at_leaf], np.cumsum([*slope, *slope]), rtol=1e-6)


def test_gradients_are_pythons_own() -> None:
    grads = {}

    def program() -> None:
        mg.manual_seed(1)
        x, w = mg.randn(4, 3), mg.randn(3, 2, requires_grad=True)
        mg.tanh(x @ w).sum().backward()
        assert w.grad is not None
        grads["w"] = w.grad.numpy().copy()

    total = of_type(recorded(program), "grad_accumulated")[-1]["total"]
    np.testing.assert_allclose(array(total), grads["w"], rtol=1e-6)
    assert total["norm"] == pytest.approx(float(np.linalg.norm(grads["w"])), rel=1e-6)


def test_what_is_saved_is_what_is_released() -> None:
    records = recorded(scalar_program)
    kept = {record["node"]: sum(each["bytes"] for each in record["saved"]) for record in of_type(records, "saved")}
    assert {record["node"]: record["bytes"] for record in of_type(records, "released")} == kept
    saved = of_type(records, "saved")
    assert [each["name"] for each in saved[0]["saved"]] == ["b", "a"]
    assert saved[-1]["saved"][0]["tensor"] == of_type(records, "node")[-1]["outputs"][0]["id"]


def test_an_optimiser_ends_a_step() -> None:
    records = recorded(training)
    taken = of_type(records, "step_taken")
    assert [record["step"] for record in taken] == [0, 1, 2]
    assert {record["optimizer"] for record in taken} == {"SGD"}
    assert taken[0]["loss"] > taken[2]["loss"] > 0
    assert taken[0]["grad_norm"] > 0
    assert [len([n for n in of_type(records, "node") if n["step"] == step]) for step in range(3)] == [6, 6, 6]


def test_without_an_optimiser_the_first_op_after_a_leaf_was_written_begins_a_step() -> None:
    records = recorded(descent_by_hand)
    losses = [record["loss"] for record in of_type(records, "step_taken")]
    assert losses == pytest.approx([5.0 * 0.64**step for step in range(4)], rel=1e-5)
    first_ops = [next(n["op"] for n in of_type(records, "node") if n["step"] == step) for step in range(4)]
    assert first_ops == ["Mul"] * 4


def test_gradients_that_are_returned_make_steps_too() -> None:
    def program() -> None:
        p = mg.tensor([3.0], requires_grad=True)
        for _ in range(3):
            (gradient,) = mg.autograd.grad((p * p).sum(), p)
            with mg.no_grad():
                p -= 0.5 * gradient

    records = recorded(program)
    assert [record["loss"] for record in of_type(records, "step_taken")] == [9.0, 0.0, 0.0]


def test_two_backwards_without_a_write_between_them_are_one_step() -> None:
    assert {record["step"] for record in recorded(scalar_program)} == {0}


def test_the_graph_of_a_gradient_lies_in_layers() -> None:
    records = recorded(third_derivative)
    layers = {record.get("layer", 0) for record in of_type(records, "node")}
    assert layers == {0, 1, 2}
    made = [record for record in of_type(records, "node") if record.get("layer")]
    assert all(record["made_by"] for record in made)
    last = [record for record in of_type(records, "grad_accumulated") if record.get("leaf") is not None]
    assert sum(each["contribution"]["mean"] for each in last if each["run"] == 3) == pytest.approx(6.0)


def test_gradients_that_are_returned_do_not_touch_grad() -> None:
    arrived = of_type(recorded(third_derivative), "grad_accumulated")
    assert all(each["total"] is None for each in arrived if each.get("leaf") is not None and each["run"] < 3)


def test_in_place_ops_raise_the_version_of_the_same_tensor() -> None:
    records = recorded(in_place)
    y = named(records)["y"]["id"]
    written = [record for record in of_type(records, "mutated") if record["tensor"] == y]
    assert [record["version"] for record in written] == [1, 2]
    np.testing.assert_allclose(array(written[-1]["value"]), [[7, 36]])
    node = next(record for record in of_type(records, "node") if record.get("inplace"))
    assert node["symbol"] == "*="
    assert node["inputs"][0]["tensor"] == node["outputs"][0]["id"] == y


def test_a_hook_shows_what_it_changed() -> None:
    records = recorded(a_hook)
    (hook,) = of_type(records, "hook_ran")
    assert hook["changed"]
    assert hook["tensor"] == named(records)["x"]["id"]
    np.testing.assert_allclose(array(hook["after"]), 10 * array(hook["before"]))
    np.testing.assert_allclose(array(of_type(records, "grad_accumulated")[-1]["total"]), [[20, 40]])


@positions
def test_the_op_that_made_a_nan_of_numbers_is_named() -> None:
    found = of_type(recorded(broken), "anomaly_found")
    assert [each["kind"] for each in found] == ["nan"]
    assert found[0]["message"] == "Log made 1 NaN of finite numbers."
    assert found[0]["at"]["code"] == "mg.log(x)"


def test_a_graph_that_goes_on_in_the_next_step_is_introduced_there_again() -> None:
    nodes = of_type(recorded(hidden_state), "node")
    assert [[n["id"] for n in nodes if n["step"] == step] for step in range(3)] == [[1], [1, 2], [1, 2, 3]]


def test_a_failed_backward_says_so() -> None:
    def program() -> None:
        x = mg.tensor(1.0, requires_grad=True)
        y = x.exp()
        y.backward()
        with pytest.raises(RuntimeError, match="second time"):
            y.backward()

    finished = of_type(recorded(program), "backward_finished")
    assert finished[0]["error"] is None
    assert finished[1]["error"].startswith("FreedGraphError: Trying to backward")


def test_a_stale_save_names_the_tensor_that_was_changed() -> None:
    def program() -> None:
        x = mg.tensor([1.0, 2.0], requires_grad=True)
        y = x.exp()
        y += 1
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            y.sum().backward()

    records = recorded(program)
    (anomaly,) = of_type(records, "anomaly_found")
    assert anomaly["kind"] == "stale"
    assert anomaly["tensor"] == named(records)["y"]["id"]


def test_broadcast_gradients_are_summed_down() -> None:
    def program() -> None:
        b = mg.zeros(3, requires_grad=True)
        (mg.ones(4, 3) + b).sum().backward()

    (reduced,) = of_type(recorded(program), "grad_reduced")
    assert (reduced["before"], reduced["after"]) == ([4, 3], [3])


def test_a_users_function_has_its_own_name_and_its_inputs_theirs() -> None:
    class Double(mg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, value: Any) -> Any:
            return value * 2

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * 2

    def program() -> None:
        x = mg.tensor(1.0, requires_grad=True)
        Double.apply(x).backward()

    node = of_type(recorded(program), "node")[-1]
    assert node["op"] == "Double"
    assert node["inputs"][0]["name"] == "value"


def test_texts_are_recorded_too() -> None:
    from minigrad import text

    def program() -> None:
        prompt = text.Variable("Be brief.", requires_grad=True)
        answer = prompt + text.Variable(" Why?")
        answer.backward(text.Variable("Too long."))

    records = recorded(program)
    for record in records:
        RECORD.validate_python(record)
    assert named(records)["prompt"]["text"] == "Be brief."
    assert named(records)["answer"]["value"] == {"kind": "text", "text": "Be brief. Why?"}
    (sent,) = of_type(records, "grad_computed")
    assert sent["value"]["text"].startswith("Feedback on 'Be brief. Why?': Too long.")
    assert of_type(records, "backward_finished")


def test_a_text_may_hear_of_itself_more_than_once() -> None:
    from minigrad import text

    def program() -> None:
        word = text.Variable("no", requires_grad=True)
        for said in ("once", "twice"):
            (word + word).backward(said)

    records = recorded(program)
    came = [record for record in of_type(records, "grad_accumulated") if record.get("leaf") is not None]
    assert len(came) == 4
    assert all(record["contribution"]["kind"] == "text" for record in came)


def test_recording_keeps_nothing_alive() -> None:
    gone: list[Any] = []

    def program() -> None:
        w = mg.tensor([1.0, 2.0], requires_grad=True)
        y = (w * 2).exp()
        node = y.grad_fn
        gone.extend([weakref.ref(w), weakref.ref(y), weakref.ref(node)])
        y.sum().backward()
        del w, y, node
        gc.collect()
        assert [ref() for ref in gone] == [None, None, None]

    recorded(program)


def test_addresses_that_are_used_again_are_other_tensors() -> None:
    def program() -> None:
        w = mg.tensor(1.0, requires_grad=True)
        for _ in range(200):
            (w * 2).exp()

    ids = [each["id"] for node in of_type(recorded(program, values="none"), "node") for each in node["outputs"]]
    assert len(ids) == len(set(ids)) == 400


def test_a_step_has_at_most_fifty_thousand_nodes() -> None:
    def program() -> None:
        x = mg.tensor(1.0, requires_grad=True)
        y = x
        for _ in range(50_010):
            y = y + 1
        y.backward()

    records = recorded(program, values="none")
    counts: dict[int, int] = {}
    for record in of_type(records, "node"):
        counts[record["step"]] = counts.get(record["step"], 0) + 1
    assert max(counts.values()) <= 50_000
    assert sum(record["count"] for record in of_type(records, "dropped")) > 50_000


def test_threads_do_not_mix() -> None:
    import threading

    def work() -> None:
        for _ in range(30):
            x = mg.tensor([1.0, 2.0], requires_grad=True)
            y = (x * x).sum()
            y.backward()

    def program() -> None:
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    records = recorded(program)
    assert len(of_type(records, "backward_finished")) == 120
    made: dict[int, Record] = {record["id"]: record for record in of_type(records, "node")}
    for record in of_type(records, "grad_computed"):
        assert record["input"] in [each["name"] for each in made[record["node"]]["inputs"]]


def test_create_graph_in_backward_itself() -> None:
    def program() -> None:
        x = mg.tensor(3.0, requires_grad=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            (x * x).backward(create_graph=True)
        assert x.grad is not None
        x.grad.backward()

    assert of_type(recorded(program), "backward_finished")[-1]["error"] is None


@pytest.mark.skipif(not hasattr(BaseException, "add_note"), reason="errors have no notes before Python 3.11")
def test_errors_of_autograd_tell_the_users_lines() -> None:
    def program() -> None:
        x = mg.tensor([1.0, 2.0], requires_grad=True)
        y = x.exp()
        y += 1
        with pytest.raises(RuntimeError, match="modified by an inplace operation") as stale:
            y.sum().backward()
        notes["stale"] = stale.value.__notes__[0]
        z = (x * x).sum()
        z.backward()
        with pytest.raises(RuntimeError, match="a second time") as freed:
            z.backward()
        notes["freed"] = freed.value.__notes__[0]

    notes: dict[str, str] = {}
    recorded(program)
    assert "the backward of Exp at " in notes["stale"]
    assert "`x.exp()`" in notes["stale"]
    assert "It had saved y, which was changed in place at " in notes["stale"]
    assert "`y += 1`" in notes["stale"]
    assert "the backward of Mul at " in notes["freed"]
    assert "It let go of what it had saved in the backward at " in notes["freed"]
    assert "`z.backward()`" in notes["freed"]


def test_a_look_at_the_loss_after_the_step_does_not_bring_its_graph_along() -> None:
    def program() -> None:
        w = mg.tensor([1.0, 2.0], requires_grad=True)
        sgd = optim.SGD([w], lr=0.1)
        for _ in range(2):
            sgd.zero_grad()
            loss = (w * w).sum()
            loss.backward()
            sgd.step()
            loss.detach().isnan()

    records = recorded(program)
    second = [record["op"] for record in of_type(records, "node") if record["step"] == 1]
    assert second[:2] == ["IsNan", "Mul"], "of the loss itself only its value is there"
    assert second.count("Sum") == 1, "the graph of the step, and not that of the one before"


def test_a_backward_that_returns_its_gradients_says_so() -> None:
    def program() -> None:
        x = mg.tensor(3.0, requires_grad=True)
        mg.autograd.grad(x * x, x)
        (x * x).backward()

    started = of_type(recorded(program), "backward_started")
    assert [record["captures"] for record in started] == [True, False]


def test_under_auto_a_step_keeps_so_many_elements_and_statistics_of_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "THUMBNAILS", 20_000)

    def program() -> None:
        h = mg.ones(16, 16)
        for _ in range(40):
            h = h + 1

    kinds = [record["outputs"][0]["value"]["kind"] for record in of_type(recorded(program, values="auto"), "node")]
    assert kinds[0] == "full" and kinds[-1] == "stats"
    kept = [record["outputs"][0]["value"] for record in of_type(recorded(program, values="auto"), "node")]
    assert 18_000 <= sum(len(value.get("data") or "") for value in kept) < 23_000
    assert kept[-1]["mean"] == 41.0 and "hist" in kept[-1]
    assert {"full"} == {r["outputs"][0]["value"]["kind"] for r in of_type(recorded(program, values="all"), "node")}
