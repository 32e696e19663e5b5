"""The last step of a run is whole, although nobody knew that it would be the last."""

from __future__ import annotations

import gc
import time
import tracemalloc
import weakref
from base64 import b64decode
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import minigrad as mg
from minigrad import func, nn, optim
from minigrad.nn import functional as F
from minigrad.observe.record import last_step
from minigrad.observe.record.last_step import SCRIPT
from minigrad.observe.record.recorder import Recorder
from minigrad.observe.schema import check

from .helpers import Record, of_type, recorded, sample
from .test_flight import Way, of_step, spare


@pytest.fixture(params=["numbers", "loss"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Way:
    """How the steps after the first three are recorded, the last one among them."""
    found: Way = request.param
    spare(monkeypatch, found)
    return found


def classifier(
    steps: int = 12, clip: float = 0.0, batches: int = 1, hand: bool = False, width: int = 8, zeroed: bool = False
) -> None:
    """A small classifier: with clipping, with accumulated gradients, moved by hand, or with gradients set to 0."""
    mg.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, width), nn.Tanh(), nn.Linear(width, 3))
    adam = optim.Adam(net.parameters(), lr=1e-2)
    for _ in range(steps):
        adam.zero_grad(set_to_none=not zeroed)
        for _ in range(batches):
            F.cross_entropy(net(mg.randn(16, 4)), mg.randint(0, 3, (16,))).backward()
        if clip:
            nn.utils.clip_grad_norm_(net.parameters(), clip)
        if hand:
            with mg.no_grad():
                for parameter in net.parameters():
                    assert parameter.grad is not None
                    parameter -= 0.1 * parameter.grad
        else:
            adam.step()


def lstm() -> None:
    """A recurrent net, whose weights are used at each of eight positions."""
    mg.manual_seed(0)
    cell, out = nn.LSTMCell(3, 6), nn.Linear(6, 1)
    sgd = optim.SGD([*cell.parameters(), *out.parameters()], lr=0.1)
    for _ in range(8):
        h, c = mg.zeros(5, 6), mg.zeros(5, 6)
        for x in mg.randn(8, 5, 3):
            h, c = cell(x, (h, c))
        loss = (out(h) ** 2).mean()
        sgd.zero_grad()
        loss.backward()
        sgd.step()


def functional() -> None:
    """A line, fitted by a transform of its loss and without leaves."""
    mg.manual_seed(0)
    weights = {"w": mg.randn(3, 1), "b": mg.zeros(1)}
    x, y = mg.randn(8, 3), mg.randn(8, 1)

    def loss(weights: dict[str, mg.Tensor]) -> mg.Tensor:
        return (x @ weights["w"] + weights["b"] - y).square().mean()

    for _ in range(8):
        grads = func.grad(loss)(weights)
        weights = {name: each - 0.1 * grads[name] for name, each in weights.items()}


def adversarial(penalty: bool = False) -> None:
    """Two nets that take turns: the second step of each round goes back through what the first has computed."""
    mg.manual_seed(0)
    maker = nn.Sequential(nn.Linear(2, 6), nn.ReLU(), nn.Linear(6, 2))
    judge = nn.Sequential(nn.Linear(2, 6), nn.Tanh(), nn.Linear(6, 1))
    makes, judges = optim.Adam(maker.parameters()), optim.Adam(judge.parameters())
    for _ in range(7):
        real, made = mg.randn(5, 2) + 3, maker(mg.randn(5, 2))
        loss = judge(made.detach()).mean() - judge(real).mean()
        if penalty:
            between = ((real + made) / 2).detach().requires_grad_()
            (grad,) = mg.autograd.grad(judge(between).sum(), between, create_graph=True)
            loss = loss + (grad.norm(2, dim=1) - 1).square().mean()
        judges.zero_grad()
        loss.backward()
        judges.step()
        makes.zero_grad()
        (-judge(made).mean()).backward()
        makes.step()


def two_losses() -> None:
    """Two losses of one pass, each of which moves one net before the other is differentiated."""
    mg.manual_seed(0)
    nets = [nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1)) for _ in range(2)]
    optimizers = [optim.SGD(net.parameters(), lr=0.1) for net in nets]
    for _ in range(7):
        x = mg.randn(5, 3)
        losses = [net(x).square().mean() for net in nets]
        for optimizer, loss in zip(optimizers, losses, strict=True):
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


def smaller() -> None:
    """The last batch is smaller."""
    mg.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 3))
    sgd = optim.SGD(net.parameters(), lr=0.1)
    for size in (16, 16, 16, 16, 7):
        sgd.zero_grad()
        F.cross_entropy(net(mg.randn(size, 4)), mg.randint(0, 3, (size,))).backward()
        sgd.step()


def another_way() -> None:
    """The last step goes through other ops, and clips what comes of it."""
    mg.manual_seed(0)
    net, head = nn.Linear(4, 6), nn.Linear(6, 1)
    sgd = optim.SGD([*net.parameters(), *head.parameters()], lr=0.1)
    for step in range(6):
        hidden = net(mg.randn(16, 4))
        loss = (head(hidden.tanh()) ** 2).mean() if step < 5 else head(hidden.relu() + hidden).abs().sum()
        sgd.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 0.1)
        sgd.step()


def scheduled() -> None:
    """A loss with a factor that is another in each step."""
    mg.manual_seed(0)
    net = nn.Linear(3, 1)
    sgd = optim.SGD(net.parameters(), lr=0.1)
    for step in range(7):
        loss = net(mg.randn(5, 3)).square().mean() * 0.5**step
        sgd.zero_grad()
        loss.backward()
        sgd.step()


def second_order() -> None:
    """An equation with a second derivative: its gradients have graphs, which belong to the net's modules."""
    mg.manual_seed(0)
    net = nn.Sequential(nn.Linear(1, 6), nn.Tanh(), nn.Linear(6, 1))
    sgd = optim.SGD(net.parameters(), lr=0.01)
    for _ in range(7):
        x = mg.randn(5, 1, requires_grad=True)
        y = net(x)
        (slope,) = mg.autograd.grad(y.sum(), x, create_graph=True)
        (bend,) = mg.autograd.grad(slope.sum(), x, create_graph=True)
        loss = (bend + y).square().mean()
        sgd.zero_grad()
        loss.backward()
        sgd.step()


PROGRAMS: dict[str, Callable[[], None]] = {
    "plain": classifier,
    "clipped": lambda: classifier(clip=0.1),
    "accumulated": lambda: classifier(batches=3),
    "accumulated and clipped": lambda: classifier(batches=3, clip=0.1),
    "by hand": lambda: classifier(hand=True),
    "zeroed": lambda: classifier(zeroed=True),
    "zeroed and accumulated": lambda: classifier(zeroed=True, batches=3),
    "recurrent": lstm,
    "functional": functional,
    "scheduled": scheduled,
    "of second order": second_order,
}


def twins() -> None:
    """Two nets of the same build, trained in turn."""
    mg.manual_seed(0)
    one, other = (nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1)) for _ in range(2))
    of_one, of_other = optim.SGD(one.parameters(), lr=0.1), optim.SGD(other.parameters(), lr=0.1)
    for _ in range(6):
        x = mg.randn(5, 3)
        loss = one(x).square().mean()
        of_one.zero_grad()
        loss.backward()
        of_one.step()
        loss = other(x).square().mean()
        of_other.zero_grad()
        loss.backward()
        of_other.step()


EARLIER_OPS: dict[str, Callable[[], None]] = {
    "adversarial": adversarial,
    "adversarial, with a penalty": lambda: adversarial(penalty=True),
    "two losses": two_losses,
}
"""Their last step goes back through ops that ran in the step before it."""


def last_of(records: list[Record]) -> list[Record]:
    """What happened in the last step, without its numbers."""
    last = max(record["step"] for record in of_type(records, "step_taken"))
    return [record for record in of_step(records, last) if record["type"] in SCRIPT]


def values_in(holder: Any) -> Iterator[tuple[str, Record]]:
    """All values in a record, each with the field that it stands in."""
    for key, each in holder.items() if isinstance(holder, dict) else (("", each) for each in holder):
        if isinstance(each, dict) and "kind" in each and "rows" in each:
            yield key, each
        elif isinstance(each, (dict, list)):
            yield from values_in(each)


def facts_in(holder: Record) -> list[Any]:
    """What a record says of shapes, memory, and settings, and of the records inside it."""
    inner = [each for key in ("inputs", "outputs", "saved", "roots") for each in holder.get(key, [])]
    keys = ("shape", "bytes", "strides", "params", "constant", "op", "name", "at", "scope", "layer")
    told = {key: holder.get(key) for key in keys}
    return [told, *map(facts_in, inner)]


def elements(value: Record) -> Any:
    return np.frombuffer(b64decode(value["data"]), "<f4")


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_last_step_is_what_a_recording_of_all_values_has(way: Way, name: str) -> None:
    is_as_recorded_whole(PROGRAMS[name], values_known=name not in ("accumulated and clipped", "of second order"))


def test_a_smaller_batch_is_what_a_recording_of_all_values_has(monkeypatch: pytest.MonkeyPatch) -> None:
    spare(monkeypatch, "loss")
    is_as_recorded_whole(smaller)


def is_as_recorded_whole(program: Callable[[], None], values_known: bool = True) -> None:
    """`values_known`: of a sum, what clipping wrote over is not known; of a view of a weight, what an optimiser did."""
    found, right = last_of(recorded(program, values="auto")), last_of(recorded(program, values="all"))
    assert [record["type"] for record in found] == [record["type"] for record in right]
    for mine, true in zip(found, right, strict=True):
        assert check(mine) is None
        assert facts_in(mine) == facts_in(true)
        theirs = [(key, each) for key, each in values_in(true) if key != "grad"]
        if values_known:
            assert [key for key, _ in values_in(mine)] == [key for key, _ in theirs], mine["type"]
        for (_, one), (_, other) in zip(values_in(mine), theirs, strict=False):
            np.testing.assert_allclose(elements(one), elements(other), rtol=1e-4, atol=1e-6)


def test_its_records_refer_to_each_other(way: Way) -> None:
    found = last_of(recorded(classifier, values="auto"))
    nodes = {record["id"] for record in of_type(found, "node")}
    tensors = {record["id"] for record in of_type(found, "tensor")}
    tensors |= {output["id"] for record in of_type(found, "node") for output in record["outputs"]}
    for record in found:
        assert {record[key] for key in ("node", "to_node", "from_node") if record.get(key) is not None} <= nodes
        assert {record[key] for key in ("tensor", "to_leaf") if record.get(key) is not None} <= tensors
    assert len(of_type(found, "node")) == len(nodes) == 4, "nothing is told twice"


@pytest.mark.parametrize("name", EARLIER_OPS)
def test_it_is_whole_though_it_goes_back_through_ops_of_the_step_before(way: Way, name: str) -> None:
    records = recorded(EARLIER_OPS[name], values="auto")
    found, right = last_of(records), last_of(recorded(EARLIER_OPS[name], values="all"))
    assert not of_type(records, "dropped")
    assert [each["op"] for each in of_type(found, "node")] == [each["op"] for each in of_type(right, "node")]
    for kind, fields in (("node", ["outputs"]), ("grad_computed", ["value"]), ("grad_accumulated", ["contribution"])):
        for mine, true in zip(of_type(found, kind), of_type(right, kind), strict=True):
            assert check(mine) is None
            known = {field: dict(values_in({field: mine[field]})) for field in fields}
            theirs = {field: dict(values_in({field: true[field]})) for field in fields}
            for field in fields:
                assert kind == "node" or known[field].keys() == theirs[field].keys()
                for key in known[field].keys() & theirs[field].keys():
                    np.testing.assert_allclose(
                        elements(known[field][key]), elements(theirs[field][key]), rtol=1e-4, atol=1e-6
                    )
    nodes = {record["id"] for record in of_type(found, "node")}
    assert {
        each[key] for each in found for key in ("node", "to_node", "from_node") if each.get(key) is not None
    } == nodes
    tensors = {record["id"] for record in of_type(found, "tensor")}
    tensors |= {output["id"] for record in of_type(found, "node") for output in record["outputs"]}
    named = {each["tensor"] for record in of_type(found, "node") for each in record["inputs"] if "tensor" in each}
    assert named - {None} <= tensors


def test_a_net_is_not_taken_for_its_twin(way: Way) -> None:
    found = last_of(recorded(twins, values="auto"))
    right = last_of(recorded(twins, values="all"))
    assert of_type(found, "node")
    for mine, true in zip(of_type(found, "node"), of_type(right, "node"), strict=True):
        assert [mine["op"], mine["scope"], mine["at"]] == [true["op"], true["scope"], true["at"]]


class Speller(nn.Module):
    """A recurrent net that reads a word letter by letter."""

    def __init__(self) -> None:
        super().__init__()
        self.step = nn.Sequential(nn.Linear(3 + 5, 5), nn.Tanh())
        self.out = nn.Linear(5, 2)

    def forward(self, word: mg.Tensor) -> mg.Tensor:
        h = mg.zeros(1, 5)
        for letter in word:
            h = self.step(mg.cat((letter, h), 1))
        scores: mg.Tensor = self.out(h)
        return scores


def words() -> None:
    """Two words a step, longer than those before."""
    mg.manual_seed(0)
    net = Speller()
    sgd = optim.SGD(net.parameters(), lr=0.1)
    for longest in range(2, 9):
        sgd.zero_grad()
        for length in (longest, longest - 1):
            word = F.one_hot(mg.arange(length) % 3, 3).float()
            scores = net(word.unsqueeze(1))
            loss = F.cross_entropy(scores, mg.tensor([length % 2]))
            loss.backward()
        sgd.step()


class Composer(nn.Module):
    """A net that calls itself at the parts of what it reads."""

    def __init__(self) -> None:
        super().__init__()
        self.word, self.pair = nn.Embedding(4, 6), nn.Linear(12, 6)

    def forward(self, tree: Any) -> mg.Tensor:
        if isinstance(tree, int):
            meaning: mg.Tensor = self.word(mg.tensor([tree]))
            return meaning
        left, right = self(tree[0]), self(tree[1])
        return self.pair(mg.cat((left, right), -1)).tanh()


def trees() -> None:
    """One tree a step, each deeper than the one before, moved by hand."""
    mg.manual_seed(0)
    net, tree = Composer(), 0
    for step in range(8):
        tree = (tree, step % 4) if step % 2 else (step % 4, tree)  # type: ignore[assignment]
        loss = net(tree).square().mean()
        net.zero_grad()
        loss.backward()
        with mg.no_grad():
            for each in net.parameters():
                assert each.grad is not None
                each -= 0.1 * each.grad


def halved(x: mg.Tensor, times: int) -> mg.Tensor:
    """A function of the program, which a step calls more often than the one before."""
    for _ in range(times):
        x = x * 0.5
    return x


def functions() -> None:
    """A loss of plain tensors and functions. An op writes in place; the weight's data are overwritten."""
    mg.manual_seed(0)
    w = mg.randn(3, requires_grad=True)
    for step in range(8):
        h = w + 1
        h *= 2
        loss = (halved(h, step) + halved(w, 2)).sum()
        loss.backward()
        w.data -= 0.1 * w.grad  # type: ignore[operator]
        w.grad = None


@pytest.mark.parametrize(("program", "overwritten"), [(words, 0), (trees, 0), (functions, 2)])
def test_the_last_step_is_whole_though_no_two_have_the_same_ops(
    monkeypatch: pytest.MonkeyPatch, program: Callable[[], None], overwritten: int
) -> None:
    """`overwritten`: how many values the program had written over when the step was over."""
    spare(monkeypatch, "loss")
    records = recorded(program, values="auto")
    assert not of_type(records, "dropped")
    found, right = last_of(records), last_of(recorded(program, values="all"))
    lost = 0
    for kind in ("scope_entered", "scope_left", "tensor", "node", "backward_started", "node_entered", "grad_computed",
                 "grad_accumulated", "backward_finished"):  # fmt: skip
        mine, theirs = of_type(found, kind), of_type(right, kind)
        assert [shown(each) for each in mine] == [shown(each) for each in theirs], kind
        for one, other in zip(mine, theirs, strict=True):
            assert check(one) is None
            known, true = dict(values_in(one)), dict(values_in(other))
            lost += len(true.keys() - known.keys() - {"grad"})
            for key in known:
                np.testing.assert_allclose(elements(known[key]), elements(true[key]), rtol=1e-4, atol=1e-6)
    assert lost == overwritten


def shown(record: Record) -> list[Any]:
    """What the picture shows of a record, without numbers of its own."""
    inner = [each for key in ("inputs", "outputs", "roots") for each in record.get(key, [])]
    keys = ("shape", "bytes", "strides", "params", "constant", "op", "symbol", "inplace", "at", "scope", "calls",
            "path", "modules", "input", "index", "count", "captures")  # fmt: skip
    if record.get("type") == "tensor":  # nothing tells where it was made
        record = {**record, "at": None}
    return [*(record.get(key) for key in keys), record.get("to_leaf") is None, record.get("node") is None,
            *map(shown, inner)]  # fmt: skip


def test_that_it_is_over_comes_last(way: Way) -> None:
    records = recorded(classifier, values="auto")
    last = max(record["step"] for record in of_type(records, "step_taken"))
    mine = [record["type"] for record in of_step(records, last)]
    assert "mutated" in mine
    assert mine[-1] == "step_taken" or mine[-2:] == ["step_taken", "run_finished"]


def test_an_evaluation_after_it_does_not_take_its_place(way: Way) -> None:
    def train_and_look() -> None:
        classifier()
        with mg.no_grad():
            for _ in range(5):
                nn.Linear(4, 3)(mg.randn(16, 4))

    assert of_type(last_of(recorded(train_and_look, values="auto")), "grad_accumulated")


def test_a_step_that_is_like_no_other_is_not_made_up(monkeypatch: pytest.MonkeyPatch) -> None:
    spare(monkeypatch, "loss")

    records = recorded(another_way, values="auto")
    assert not last_of(records)
    assert of_type(of_step(records, 5), "step_taken")[0]["loss"] is not None


def test_a_pass_that_breaks_off_ends_the_run_as_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    spare(monkeypatch, "loss")

    def broken() -> None:
        mg.manual_seed(0)
        net = nn.Linear(4, 3)
        for step in range(6):
            net.zero_grad()
            F.cross_entropy(net(mg.randn(16, 4)), mg.randint(0, 3, (16,))).backward()
            if step == 5:
                break
            for parameter in net.parameters():
                parameter.data.add_(-0.1 * parameter.grad)

    records = recorded(broken, values="auto")
    assert [each["status"] for each in of_type(records, "run_finished")] == ["finished"]
    assert not of_type(records, "dropped")


def test_an_error_of_ours_at_the_end_does_not_reach_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*given: Any) -> Any:
        raise ZeroDivisionError

    monkeypatch.setattr(last_step.LastStep, "told", fails)
    records = recorded(classifier, values="auto")
    assert [each["status"] for each in of_type(records, "run_finished")] == ["finished"]
    assert "ZeroDivisionError" in of_type(records, "dropped")[0]["reason"]


def test_the_memory_is_that_of_the_step_that_was_just_like_it(way: Way) -> None:
    records = recorded(classifier, values="auto")
    told = [each for each in last_of(records) if "memory" in each]
    (like,) = {each["memory_of"] for each in told}
    measured = {each["seq"]: each for each in records if each["step"] == like and "memory" in each}
    assert all("memory_of" not in each for each in measured.values())
    assert max(sum(each["memory"].values()) for each in told) == max(
        sum(each["memory"].values()) for each in measured.values() if each["type"] in SCRIPT
    )


def test_heavy_steps_are_not_held(monkeypatch: pytest.MonkeyPatch, way: Way) -> None:
    monkeypatch.setattr(last_step, "HEAVIEST", 100)
    assert not of_type(last_of(recorded(classifier, values="auto")), "grad_computed")


@pytest.mark.parametrize(
    ("traced", "pause"), [(False, 0.0), (True, 0.0), (True, 0.2)], ids=["heavier", "measured", "slow"]
)
def test_a_program_has_its_memory_to_itself(monkeypatch: pytest.MonkeyPatch, traced: bool, pause: float) -> None:
    """What is let go is gone at once, in a step heavier than those recorded whole, and while memory is measured.

    If the program pauses, records are delivered meanwhile, and names looked for.
    """
    ways = iter(["whole", "loss"])
    sample(monkeypatch, lambda: next(ways, "loss"))
    gone = []

    def program() -> None:
        w = mg.tensor([1.0, 2.0], requires_grad=True)
        sgd = mg.optim.SGD([w], lr=0.01)
        for size in (1, 1, 1 if traced else 100):
            sgd.zero_grad()
            between = (w * w).repeat(size)
            time.sleep(pause)
            result = weakref.ref(between)
            loss = between.sum()
            del between
            gone.append(result() is None)
            loss.backward()
            sgd.step()

    if traced:
        tracemalloc.start()
    try:
        recorded(program, values="auto")
    finally:
        tracemalloc.stop()
    assert gone == [True, True, True]


def test_a_leaf_that_is_let_go_is_gone_when_the_next_step_is_over(way: Way) -> None:
    """Until then the events of its step are kept."""
    seen: list[Any] = []
    gone = []

    def program() -> None:
        net = nn.Linear(2, 1)
        sgd = optim.SGD(net.parameters(), lr=0.01)
        for _ in range(6):
            x = mg.randn(4, 2, requires_grad=True)
            net(x).mean().backward()
            sgd.step()
            seen.append(weakref.ref(x))
            del x
            gone.append(len(seen) == 1 or seen[-2]() is None)

    recorded(program, values="auto")
    assert gone[4:] == [True, True]


@pytest.mark.parametrize("values", ["all", "none"])
def test_a_long_run_recorded_alike_from_end_to_end_holds_no_more_with_every_step(values: Any) -> None:
    w = mg.tensor([1.0, 2.0], requires_grad=True)
    optimizer = mg.optim.SGD([w], lr=0.01)

    def train(recorder: Recorder, steps: int) -> int:
        for _ in range(steps):
            optimizer.zero_grad()
            (w * w).sum().backward()
            optimizer.step()
        recorder.flush()
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        with Recorder(lambda record: None, values=values) as recorder:
            train(recorder, 30)
            before = train(recorder, 30)
            grown = train(recorder, 200) - before
    finally:
        tracemalloc.stop()
    assert (
        grown < 1_000_000
    )  # it was 3 MB, and the time of a step grew with it; tables of what is gone are purged now and then


def older_graph() -> None:
    """The last step goes back into a graph that the first has made."""
    mg.manual_seed(0)
    trunk, head = nn.Linear(4, 6), nn.Linear(6, 1)
    sgd = optim.SGD(head.parameters(), lr=0.1)
    old = trunk(mg.randn(16, 4)).tanh()
    for step in range(6):
        loss = (head(mg.randn(16, 6)) ** 2).mean() if step < 5 else (head(old) ** 2).mean()
        sgd.zero_grad()
        loss.backward()
        sgd.step()


GRADIENTS = {"node_entered", "grad_computed", "grad_accumulated"}


@pytest.mark.parametrize("program", [smaller, another_way, older_graph])
def test_a_last_step_that_is_like_no_other_has_its_own_gradients(
    monkeypatch: pytest.MonkeyPatch, program: Callable[[], None]
) -> None:
    spare(monkeypatch, "numbers")
    whole, right = last_of(recorded(program, values="auto")), last_of(recorded(program, values="all"))
    ops = [record["op"] for record in of_type(whole, "node")]
    assert sorted(ops) == sorted(record["op"] for record in of_type(right, "node"))
    found, true = ([record for record in each if record["type"] in GRADIENTS] for each in (whole, right))
    assert [record["type"] for record in found] == [record["type"] for record in true]
    assert found
    for mine, theirs in zip(found, true, strict=True):
        assert check(mine) is None
        assert mine.get("input") == theirs.get("input")
        for (_, one), (_, other) in zip(values_in(mine), values_in(theirs), strict=True):
            np.testing.assert_allclose(elements(one), elements(other), rtol=1e-4, atol=1e-6)
