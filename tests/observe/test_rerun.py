"""A step that was recorded is computed again with one element changed: as the program itself would have."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minigrad as mg
from minigrad import nn
from minigrad.observe.record.reader import read
from minigrad.observe.record.recorder import Recorder
from minigrad.observe.rerun import NotRerun, RecordedStep, Touch, touched

Given = dict[str, Any]
Program = Callable[[Given], Any]
"""Takes arrays by name, makes leaves of them, and gives the loss after its backward, with the leaves."""


def leaf(array: Any) -> mg.Tensor:
    return mg.tensor(np.asarray(array, dtype=np.float32), requires_grad=True)


def micrograd(given: Given) -> Any:
    a, b = leaf(given["a"]), leaf(given["b"])
    c = a + b
    d = a * b + b**3
    c = c + c + 1
    c = c + 1 + c + (-a)
    d = d + d * 2 + (b + a).relu()
    d = d + 3 * d + (b - a).relu()
    e = c - d
    g = e**2 / 2.0 + 10.0 / e**2
    g.backward()
    return g, {"a": a, "b": b}


def mlp(given: Given) -> Any:
    w, v = leaf(given["w"]), leaf(given["v"])
    x = mg.tensor(given["x"])
    loss = ((mg.tanh(x @ w) @ v - 1.0) ** 2).mean()
    loss.backward()
    return loss, {"w": w, "v": v}


def attention(given: Given) -> Any:
    q, k, v = (leaf(given[each]) for each in "qkv")
    scores = q @ k.transpose(0, 1) / math.sqrt(3)
    mask = mg.triu(mg.ones(4, 4), 1) == 1
    shares = mg.softmax(scores.masked_fill(mask, -math.inf), dim=-1)
    mixed = nn.functional.layer_norm(shares @ v, (3,))
    loss = nn.functional.cross_entropy(mixed[1:], mg.tensor([0, 2, 1]))
    loss.backward()
    return loss, {"q": q, "k": k, "v": v}


def shapes(given: Given) -> Any:
    a = leaf(given["a"])
    parts = mg.cat([a[:, ::2], a.flip(0)[:, 1:2]], dim=1).permute(1, 0).reshape(-1)
    loss = (
        parts.cumsum(0)[..., 1:-1].clamp(-0.8, 2.5).std() + a.sort(1).values[0, 1] + a.max() * a[[0, 1], [1, 2]].sum()
    )
    loss.backward()
    return loss, {"a": a}


def convolution(given: Given) -> Any:
    kernel = leaf(given["kernel"])
    image = mg.tensor(given["image"])
    hidden = nn.functional.max_pool2d(nn.functional.gelu(nn.functional.conv2d(image, kernel, padding=1)), 2)
    loss = nn.functional.batch_norm(hidden, None, None, training=True).pow(2).sum() * 0.1 + hidden.mean()
    loss.backward()
    return loss, {"kernel": kernel}


def inplace(given: Given) -> Any:
    a = leaf(given["a"])
    b = a * 2
    b.add_(1.5).mul_(a)
    loss = (b * b).sum()
    loss.backward()
    loss2 = (a**2).sum()
    loss2.backward()
    return loss2, {"a": a}


def some(*shape: int) -> Any:
    return np.random.default_rng(sum(shape)).normal(size=shape).astype(np.float32)


PROGRAMS: dict[str, tuple[Program, Given]] = {
    "micrograd": (micrograd, {"a": np.float32(-4.0), "b": np.float32(2.0)}),
    "mlp": (mlp, {"w": some(3, 5), "v": some(5, 1), "x": some(6, 3)}),
    "attention": (attention, {"q": some(4, 3), "k": some(4, 3) * 0.7, "v": some(4, 3) + 1}),
    "shapes": (shapes, {"a": some(2, 4)}),
    "convolution": (convolution, {"kernel": some(2, 1, 3, 3), "image": some(2, 1, 4, 4)}),
    "inplace": (inplace, {"a": some(3)}),
}


def recorded(program: Program, given: Given, folder: Path) -> RecordedStep:
    with Recorder(folder / "run.jsonl", values="all"):
        program(given)
    return RecordedStep(read(folder / "run.jsonl").records)


def number_of(step: RecordedStep, name: str) -> int:
    return next(number for number, facts in step.facts.items() if facts.get("name") == name)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_touched_step_is_what_the_program_would_have_computed(name: str, tmp_path: Path) -> None:
    program, given = PROGRAMS[name]
    step = recorded(program, given, tmp_path)
    leaves = program(given)[1]
    for moved in leaves:
        for element in {0, np.size(given[moved]) - 1}:
            changed = {key: np.array(array) for key, array in given.items()}
            changed[moved].reshape(-1)[element] += 0.37
            answer = touched(step, Touch(float(changed[moved].reshape(-1)[element]), number_of(step, moved), element))
            loss, there = program(changed)
            assert answer["after"] == pytest.approx(loss.item(), rel=1e-4, abs=1e-6)
            assert answer["before"] == pytest.approx(program(given)[0].item(), rel=1e-4, abs=1e-6)
            assert answer["notes"] == []
            said = {each["tensor"]: each["gradient"] for each in answer["leaves"]}
            for other, tensor in there.items():
                norm = float(np.linalg.norm(tensor.grad.numpy()))
                assert said[number_of(step, other)]["norm"] == pytest.approx(norm, rel=1e-3, abs=1e-5)


@pytest.mark.parametrize("name", ["micrograd", "mlp", "attention", "convolution"])
def test_the_slope_is_that_of_a_small_move(name: str, tmp_path: Path) -> None:
    program, given = PROGRAMS[name]
    step = recorded(program, given, tmp_path)
    for moved, tensor in program(given)[1].items():
        number = number_of(step, moved)
        answer = touched(step, Touch(step.old(Touch(0.0, number)), number))
        assert answer["slope"] == pytest.approx(tensor.grad.reshape(-1)[0].item(), rel=1e-4, abs=1e-6)
        assert answer["after"] == answer["before"]
        assert answer["leaves"]


def test_a_constant_of_the_program_can_be_moved(tmp_path: Path) -> None:
    step = recorded(*PROGRAMS["mlp"], tmp_path)
    node, index = next(
        (record["id"], k)
        for record in step.nodes.values()
        for k, said in enumerate(record["inputs"])
        if said.get("constant") == "1.0"
    )
    still, moved = (touched(step, Touch(value, node=node, input=index)) for value in (1.0, 1.001))
    assert still["old"] == 1.0
    assert moved["after"] - moved["before"] == pytest.approx(0.001 * still["slope"], rel=0.02)


def test_what_was_drawn_stays_as_it_was_drawn(tmp_path: Path) -> None:
    def program(given: Given) -> Any:
        w = leaf(given["w"])
        loss = (nn.functional.dropout(w * 2.0, 0.5) + mg.rand(3)).sum()
        loss.backward()
        return loss, {"w": w}

    step = recorded(program, {"w": some(3)}, tmp_path)
    answer = touched(step, Touch(1.0, number_of(step, "w")))
    assert answer["after"] - answer["before"] == pytest.approx((1.0 - answer["old"]) * answer["slope"], abs=1e-5)


class Doubled(mg.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: mg.Tensor) -> mg.Tensor:
        ctx.save_for_backward(x)
        return 2 * x

    @staticmethod
    def backward(ctx: Any, grad: mg.Tensor) -> Any:
        return 2 * grad


def test_code_of_the_program_is_never_run_and_says_so(tmp_path: Path) -> None:
    def program(given: Given) -> Any:
        w = leaf(given["w"])
        b = leaf(given["b"])
        (Doubled.apply(w) + b).sum().backward()

    step = recorded(program, {"w": some(3), "b": some(3)}, tmp_path)
    first, second = (number for number, facts in step.facts.items() if facts.get("type") == "tensor")
    with pytest.raises(NotRerun, match="Doubled is code of the program, which is not run here"):
        touched(step, Touch(1.0, first))
    answer = touched(step, Touch(1.0, second))
    assert answer["slope"] == 1.0
    assert answer["notes"][0].startswith("Kept as recorded, with no gradient before it: Doubled is code of the program")


def test_a_write_through_a_view_is_not_run_again(tmp_path: Path) -> None:
    def program(given: Given) -> Any:
        w = leaf(given["w"])
        b = w * 2
        b[0] = 0.25
        (b * b).sum().backward()

    step = recorded(program, {"w": some(3)}, tmp_path)
    with pytest.raises(NotRerun, match="A part of a tensor was written to through a view, so what follows"):
        touched(step, Touch(1.0, number_of(step, "w")))


def test_a_sampled_tensor_says_that_not_all_of_it_was_kept(tmp_path: Path) -> None:
    def program(given: Given) -> Any:
        w = leaf(given["w"])
        s = leaf(1.0)
        (w * s).sum().backward()

    step = recorded(program, {"w": some(80, 80)}, tmp_path)
    with pytest.raises(NotRerun, match="Not every element of w was kept"):
        touched(step, Touch(1.0, number_of(step, "w")))
    with pytest.raises(NotRerun, match="Mul used w, of which not every element was kept, so what follows"):
        touched(step, Touch(2.0, number_of(step, "s")))


def test_a_gradient_that_came_another_way_is_not_passed_off_as_the_programs(tmp_path: Path) -> None:
    def program(given: Given) -> Any:
        w = leaf(given["w"])
        inner = (w**3).sum()
        slope = mg.autograd.grad(inner, w, create_graph=True)[0].detach().requires_grad_()
        w.register_hook(lambda grad: grad * 3)
        (slope * w).sum().backward()

    step = recorded(program, {"w": some(2)}, tmp_path)
    answer = touched(step, Touch(1.0, number_of(step, "w")))
    assert any("Hooks changed gradients" in note or "another gradient" in note for note in answer["notes"])


def test_before_any_backward_the_last_number_stands_for_the_loss(tmp_path: Path) -> None:
    step = recorded(lambda given: (leaf(given["w"]) ** 2).sum(), {"w": some(3)}, tmp_path)
    (number,) = step.facts.keys() & {n for n, facts in step.facts.items() if facts.get("type") == "tensor"}
    answer = touched(step, Touch(2.0, number))
    assert answer["slope"] == pytest.approx(2 * answer["old"])
    assert answer["notes"] == ["No backward of this step was recorded: the last single number stands for the loss."]


@pytest.mark.parametrize("touch", [Touch(math.nan, 1), Touch(1.0, 1, 99), Touch(1.0, 999), Touch(1.0, node=1, input=7)])
def test_what_cannot_be_moved_is_refused_in_a_sentence(touch: Touch, tmp_path: Path) -> None:
    step = recorded(*PROGRAMS["mlp"], tmp_path)
    with pytest.raises(NotRerun, match=r"\.$"):
        touched(step, touch)


def test_a_forged_trace_cannot_ask_for_more_memory_than_a_step_may_have() -> None:
    shape = [1 << 20, 1 << 20]
    node = {"type": "node", "id": 1, "op": "Neg", "params": {}, "inputs": [{"name": "x", "tensor": 1}],
            "outputs": [{"id": 2, "shape": shape, "dtype": "float32"}]}  # fmt: skip
    tensor = {"type": "tensor", "id": 1, "name": "x", "shape": [1], "dtype": "float32",
              "value": {"kind": "full", "rows": 1, "cols": 1, "data": "AACAPw=="}}  # fmt: skip
    with pytest.raises(NotRerun, match="too many to compute with here"):
        touched(RecordedStep([tensor, node]), Touch(1.0, 1))
