"""What a recording calls things: ops, tensors, modules and lines as the user wrote them."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

import minigrad as mg
from minigrad import nn
from minigrad.observe.record import recorder

from .helpers import named, of_type, positions, recorded
from .programs import scalar_program, training


@positions
def test_ops_appear_as_the_user_wrote_them() -> None:
    nodes = of_type(recorded(scalar_program), "node")
    assert [(node["op"], node["symbol"]) for node in nodes] == [("Mul", "*"), ("Add", "+"), ("Tanh", "tanh")]
    assert [node["at"]["code"] for node in nodes] == ["a * a", "a * a + a", "mg.tanh(b)"]
    assert {node["at"]["function"] for node in nodes} == {"scalar_program"}
    assert nodes[2]["formula"] == r"\tanh x"
    assert nodes[2]["gradients"] == {"x": r"\bar y \odot (1 - y^2)"}
    assert nodes[2]["elementwise"]


def test_the_text_of_the_users_file_comes_before_the_first_place_in_it() -> None:
    records = recorded(scalar_program)
    source = of_type(records, "source")[0]
    node = of_type(records, "node")[0]
    assert source["seq"] < node["seq"]
    assert source["text"].splitlines()[node["at"]["line"] - 1].strip() == "b = a * a + a"
    assert source["file"] == node["at"]["file"]


def test_tensors_have_the_names_of_the_users_variables() -> None:
    assert {"a", "b", "loss"} <= named(recorded(scalar_program)).keys()


def test_parameters_that_a_constructor_writes_to_get_their_paths_in_the_net() -> None:
    class Sine(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = nn.Linear(2, 2)
            with mg.no_grad():
                self.inner.weight.uniform_(-1.0, 1.0)

        def forward(self, x: mg.Tensor) -> mg.Tensor:
            out: mg.Tensor = self.inner(x).sin()
            return out

    def program() -> None:
        net = nn.Sequential(Sine(), Sine())
        sgd = mg.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(2):
            net(mg.ones(2)).sum().backward()
            sgd.step()

    (first, second) = of_type(recorded(program), "step_taken")
    paths = ["0.inner.bias", "0.inner.weight", "1.inner.bias", "1.inner.weight"]
    assert sorted(each["name"] for each in first["grad_norms"]) == paths
    assert sorted(each["name"] for each in second["grad_norms"]) == paths


def test_a_leaf_is_called_as_its_caller_calls_it_and_not_as_an_argument() -> None:
    def inner(u: Any, factor: Any) -> Any:
        return u * factor

    def outer(v: Any, *, more: Any) -> Any:
        return inner(v, 2.0) + more

    def program() -> None:
        image, shift = mg.ones(2, requires_grad=True), mg.ones(2, requires_grad=True)
        data = mg.ones(2)
        (outer(image, more=shift) * inner(data, 3.0) + inner(mg.ones(2, requires_grad=True), 4.0)).sum().backward()

    leaves = [each["name"] for each in of_type(recorded(program), "tensor") if each["requires_grad"]]
    assert leaves == ["image", "shift", "u"], "who is given an expression has the only name"


def test_parameters_in_a_dictionary_are_not_called_by_the_variable_of_a_loop() -> None:
    def program() -> None:
        weights = {"w1": mg.ones(2, requires_grad=True), "w2": mg.ones(2, requires_grad=True)}
        biases = [mg.zeros(2, requires_grad=True)]
        data = [mg.ones(2), mg.ones(2)]
        for _, p in [*weights.items(), *enumerate(biases)]:
            p.grad = mg.zeros(2)
            (p * 2).sum().backward()
        for x in data:
            (x * weights["w1"]).sum()

    names = {record["name"] for record in of_type(recorded(program), "tensor")}
    assert {"weights['w1']", "weights['w2']", "biases[0]", "x"} <= names
    assert "p" not in names


def test_a_leaf_that_an_expression_made_goes_by_its_variable_and_not_by_that_of_a_loop_that_changes_it() -> None:
    def program() -> None:
        w = (mg.ones(2) * 0.1).requires_grad_()
        for _ in range(2):
            (w * 2).sum().backward()
            with mg.no_grad():
                for p in [w]:
                    p -= 0.1 * p.grad

    assert "w" in {record["name"] for record in of_type(recorded(program), "tensor")}


@pytest.mark.parametrize("trained", [True, False])
def test_parameters_that_are_used_before_their_net_have_their_paths_in_it(trained: bool) -> None:
    net = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1)).requires_grad_(trained)

    def program() -> None:
        with mg.no_grad():
            sum((p * p).sum() for p in net.parameters())
            for p in net.parameters():
                p.mul_(0.5)
        net(mg.ones(1, 2))

    names = {each["name"] for each in of_type(recorded(program), "tensor") if each.get("parameter")}
    assert names == {"0.weight", "0.bias", "1.weight", "1.bias"}


def test_a_vector_of_parameters_leaves_them_their_paths() -> None:
    net = nn.Linear(2, 3).requires_grad_(False)
    records = recorded(lambda: nn.utils.parameters_to_vector(net.parameters()))
    assert {"weight", "bias"} <= {each["name"] for each in of_type(records, "tensor")}


def test_a_result_that_is_returned_has_the_name_it_gets_from_the_caller() -> None:
    outputs = [node["outputs"][0] for node in of_type(recorded(training), "node") if node["op"] == "Mean"]
    assert {each["name"] for each in outputs} == {"loss"}


def test_a_name_is_waited_for_while_its_line_is_at_work(tmp_path: Path) -> None:
    def loiter(event: object) -> None:
        time.sleep(2 * recorder.SETTLED)

    path = tmp_path / "run.jsonl"
    x = mg.tensor(3.0, requires_grad=True)
    with mg.observe.record(path), mg.events.listening(loiter):
        slow = x * x
        slow.backward()
    (node,) = of_type(mg.observe.read(path).records, "node")
    assert node["outputs"][0]["name"] == "slow"


def test_parameters_have_their_paths_and_modules_are_scopes() -> None:
    records = recorded(training)
    parameters = [record for record in of_type(records, "tensor") if record.get("parameter")]
    assert {each["name"] for each in parameters} == {"first.weight", "first.bias", "second.weight", "second.bias"}
    assert {tuple(node["scope"]) for node in of_type(records, "node")} == {
        ("net:Net", "first:Linear"), ("net:Net",), ("net:Net", "second:Linear"), (),
    }  # fmt: skip


def test_a_module_in_a_list_is_called_by_its_whole_path() -> None:
    class Both(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.encoder = nn.ModuleList([nn.Tanh()])
            self.decoder = nn.ModuleList([nn.Tanh()])

        def forward(self, x: mg.Tensor) -> mg.Tensor:
            return self.decoder[0](self.encoder[0](x))

    def program() -> None:
        net = Both()
        net(mg.ones(1))
        net.encoder.append(nn.Sigmoid())
        net.encoder[1](net(mg.ones(1)))

    records = recorded(program)
    scopes = [tuple(node["scope"]) for node in of_type(records, "node")]
    assert scopes[:2] == [("net:Both", "encoder.0:Tanh"), ("net:Both", "decoder.0:Tanh")]
    entered = of_type(records, "scope_entered")[0]
    assert entered["modules"] == [
        "encoder:ModuleList", "encoder.0:Tanh", "decoder:ModuleList", "decoder.0:Tanh",
    ]  # fmt: skip


def test_parameters_of_two_nets_do_not_go_by_one_name() -> None:
    def program() -> None:
        generator = nn.Sequential(nn.Linear(2, 2), nn.Tanh())
        critic = nn.Sequential(nn.Linear(2, 1), nn.Linear(1, 1))
        critic(generator(mg.ones(1, 2))).sum().backward()

    records = recorded(program)
    names = [record["name"] for record in of_type(records, "tensor") if record.get("parameter")]
    assert sorted(names) == [
        "0.bias",
        "0.weight",
        *(f"critic.{i}.{kind}" for i in (0, 1) for kind in ("bias", "weight")),
    ]


def test_once_there_is_a_second_net_both_are_called_by_their_own_names() -> None:
    def program() -> None:
        actor = nn.Sequential(nn.Linear(2, 2), nn.Tanh(), nn.Linear(2, 2))
        critic = nn.Sequential(nn.Linear(2, 1))
        opt = mg.optim.SGD([*actor.parameters(), *critic.parameters()], lr=0.1)
        for _ in range(2):
            critic(actor(mg.ones(1, 2))).sum().backward()
            opt.step()

    ends = of_type(recorded(program), "step_taken")
    names = ["actor.0.weight", "actor.0.bias", "actor.2.weight", "actor.2.bias", "critic.0.weight", "critic.0.bias"]
    assert [each["name"] for each in ends[1]["grad_norms"]] == names


@pytest.mark.parametrize("values", ["all", "auto"])
def test_a_step_says_which_variable_held_its_loss(values: Any) -> None:
    def program() -> None:
        w = mg.ones(2, requires_grad=True)
        opt = mg.optim.SGD([w], lr=0.1)
        for _ in range(8):
            judge_loss = (w * 2).sum()
            judge_loss.backward()
            opt.step()
            maker_loss = -w.sum()
            maker_loss.backward()
            opt.step()
        (w * 3).sum().backward()
        opt.step()

    ends = of_type(recorded(program, values=values), "step_taken")
    assert [end.get("loss_name") for end in ends] == ["judge_loss", "maker_loss"] * 8 + [None]


class Neuron:
    def __init__(self) -> None:
        self.w = mg.tensor(0.5, requires_grad=True)

    def __call__(self, x: Any) -> Any:
        return self.w * x


@pytest.mark.parametrize("inside", [True, False])
def test_what_is_in_something_goes_by_where_it_is(inside: bool) -> None:
    scales = {"out": mg.tensor(2.0, requires_grad=True)}
    shifts = [mg.tensor(0.0), mg.tensor(1.0, requires_grad=True)]
    neuron, x = Neuron(), mg.tensor(3.0, requires_grad=True)

    def program() -> None:
        hidden = neuron(x) if inside else neuron.w * x
        (hidden * scales["out"] - shifts[1]).backward()
        with mg.no_grad():
            x.sub_(0.1 * x.grad)

    names = {record["name"] for record in of_type(recorded(program), "tensor")}
    assert {"neuron.w", "x", "scales['out']", "shifts[1]", "x.grad"} == names


class Unbound:
    """Says no to whatever is asked of it, as a proxy does that stands for nothing yet."""

    def __getattribute__(self, name: str) -> Any:
        raise RuntimeError("working outside of any context")

    def __repr__(self) -> str:
        raise RuntimeError("working outside of any context")


def test_nothing_of_the_users_runs_for_a_name() -> None:
    def program() -> None:
        proxy, by_key = Unbound(), {Unbound(): mg.tensor(1.0), "w": mg.tensor(2.0, requires_grad=True)}
        (by_key["w"] * 3.0).backward()
        assert proxy is not None

    assert [record["name"] for record in of_type(recorded(program), "tensor")] == ["by_key['w']"]


def test_what_a_long_list_holds_is_not_sought_in_all_of_it() -> None:
    many = [mg.tensor(float(i), requires_grad=True) for i in range(1000)]

    def program() -> None:
        (many[3] * many[999]).backward()

    assert [record["name"] for record in of_type(recorded(program), "tensor")] == ["many[3]", None]


def test_parts_of_a_net_that_are_called_one_by_one_go_by_their_paths_in_it() -> None:
    def program() -> None:
        blocks = nn.ModuleList(nn.Linear(2, 2, bias=False) for _ in range(3))
        h = mg.ones(1, 2)
        for block in blocks:
            h = block(h)
        h.sum().backward()

    parameters = [record for record in of_type(recorded(program), "tensor") if record.get("parameter")]
    assert [record["name"] for record in parameters] == ["0.weight", "1.weight", "2.weight"]


def outermost(records: list[dict[str, Any]]) -> list[str]:
    """The modules as they were entered from outside of any other, without repetition."""
    paths = [record["path"] for record in of_type(records, "scope_entered")]
    return list(dict.fromkeys(path[0].split(":")[0] for path in paths if len(path) == 1))


def linears(count: int) -> list[nn.Module]:
    return [nn.Linear(2, 2) for _ in range(count)]


def through(layer: nn.Module, x: mg.Tensor) -> mg.Tensor:
    return layer(x)


def test_a_module_in_a_loop_is_called_by_its_path_and_not_by_the_variable_of_the_loop() -> None:
    def program() -> None:
        blocks = nn.ModuleList(linears(2))
        heads = nn.ModuleDict({"left": nn.Linear(2, 2), "right": nn.Linear(2, 2)})
        plain, named = linears(2), {"a": nn.Linear(2, 2)}
        h = mg.ones(1, 2)
        for block in blocks:
            h = block(h)
        for head in heads.values():
            h = head(h)
        for layer in plain:
            h = layer(h)
        for layer in named.values():
            h = layer(h)

    expected = ["blocks.0", "blocks.1", "heads.left", "heads.right", "plain.0", "plain.1", "named.a"]
    assert outermost(recorded(program)) == expected


class Shift(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Linear(2, 2)

    def inverse(self, x: mg.Tensor) -> mg.Tensor:
        return x - self.scale(x)


class Shifts(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Shift() for _ in range(2))

    def log_prob(self, x: mg.Tensor) -> mg.Tensor:
        for layer in self.layers:
            x = layer.inverse(x)
        return x.sum()


def test_a_method_of_a_part_that_a_loop_calls_is_that_of_the_part() -> None:
    flow = Shifts()
    records = recorded(lambda: flow.log_prob(mg.ones(1, 2)).backward())
    assert outermost(records) == ["flow.layers.0.scale", "flow.layers.1.scale"]
    named = {record["name"] for record in of_type(records, "tensor") if record.get("parameter")}
    assert named == {f"layers.{i}.scale.{name}" for i in range(2) for name in ("weight", "bias")}


def test_a_list_is_found_around_a_comprehension_and_a_helper() -> None:
    def program() -> None:
        experts, tail = linears(2), linears(1)
        x = mg.ones(1, 2)
        h = sum([expert(x) for expert in experts], x)
        for layer in tail:
            h = through(layer, h)

    assert outermost(recorded(program)) == ["experts.0", "experts.1", "tail.0"]


def test_what_an_object_keeps_is_called_by_its_attribute() -> None:
    class Trainer:
        def __init__(self) -> None:
            self.net = nn.Linear(2, 2)
            self.critics = linears(2)

        def step(self) -> None:
            h = self.net(mg.ones(1, 2))
            for critic in self.critics:
                critic(h)

    assert outermost(recorded(lambda: Trainer().step())) == ["net", "critics.0", "critics.1"]


def test_what_an_objects_attribute_keeps_is_called_by_the_whole_path() -> None:
    class Agent:
        def __init__(self) -> None:
            self.nets = {"actor": nn.Linear(2, 2)}
            self.critic = nn.Linear(2, 1)

    class Trainer:
        def __init__(self) -> None:
            self.agent = Agent()

        def step(self) -> None:
            self.agent.critic(self.agent.nets["actor"](mg.ones(1, 2)))

    assert outermost(recorded(lambda: Trainer().step())) == ["agent.nets.actor", "agent.critic"]


class Flow(nn.Module):
    """A net that is used by a method of its own, and is never called."""

    def __init__(self) -> None:
        super().__init__()
        self.steps = nn.ModuleList([nn.Linear(1, 1), nn.Tanh()])

    def log_prob(self, x: mg.Tensor) -> mg.Tensor:
        for step in self.steps:
            x = step(x)
        return x


class Holder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.flow = Flow()

    def loss(self, x: mg.Tensor) -> mg.Tensor:
        return self.flow.log_prob(x)


def test_what_a_method_of_a_net_calls_goes_by_the_callers_name_of_the_net() -> None:
    def program() -> None:
        first, second, holder, x = Flow(), Flow(), Holder(), mg.ones(1, 1)
        for net in (first, second):
            net.log_prob(x)
        second.log_prob(x)
        holder.loss(x)

    records = recorded(program)
    scopes = [scope["path"][0].partition(":")[0] for scope in of_type(records, "scope_entered")]
    paths = ("first.steps", "second.steps", "second.steps", "holder.flow.steps")
    assert scopes == [f"{path}.{step}" for path in paths for step in (0, 1)]
    names = {each["name"] for each in of_type(records, "tensor")}
    assert names >= {"steps.0.weight", "second.steps.0.weight", "flow.steps.0.weight"}
    assert not any("self" in name for name in names)


def test_a_list_that_a_module_does_not_register_is_in_the_paths_all_the_same() -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.hidden = linears(2)

        def forward(self, x: mg.Tensor) -> mg.Tensor:
            for layer in self.hidden:
                x = layer(x)
            return x

    def program() -> None:
        net = Net()
        net(mg.ones(1, 2))

    scopes = [node["scope"] for node in of_type(recorded(program), "node")]
    assert scopes == [["net:Net", "hidden.0:Linear"], ["net:Net", "hidden.1:Linear"]]


def test_a_net_by_itself_is_called_by_its_variable_whatever_it_is_handed_on_as() -> None:
    def program() -> None:
        net = nn.Linear(2, 2)

        def run(*args: Any) -> None:
            net(*args[1:])

        run(net, mg.ones(1, 2))

    assert outermost(recorded(program)) == ["net"]


def test_a_net_in_the_place_of_one_that_is_gone_has_its_names() -> None:
    def program() -> None:
        for _ in range(2):
            net = nn.Sequential(nn.Linear(2, 1))
            net(mg.ones(1, 2)).sum().backward()
            del net

    parameters = [record for record in of_type(recorded(program), "tensor") if record.get("parameter")]
    assert [record["name"] for record in parameters] == ["0.weight", "0.bias"] * 2
    assert len({record["id"] for record in parameters}) == 4


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
