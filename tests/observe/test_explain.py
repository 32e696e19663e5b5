"""Why is it None, and where did it come from?"""

from __future__ import annotations

from typing import Any

import pytest

import minigrad as mg
from minigrad.observe import Recorder
from tests.libraries import lib as lib

from .helpers import positions


def test_backward_has_not_run_yet() -> None:
    w = mg.tensor(2.0, requires_grad=True)
    loss = w * w
    answer = mg.explain(w)
    assert answer.verdict == "not_yet"
    assert answer.details == ["loss is computed from w: as a of Mul, as b of Mul."]
    assert answer.advice == "Call loss.backward()."
    del loss


def test_nothing_was_computed_from_it() -> None:
    w, other = mg.tensor(2.0, requires_grad=True), mg.tensor(1.0, requires_grad=True)
    loss = other * 2
    loss.backward()
    answer = mg.explain(w)
    assert answer.verdict == "unused"
    assert "loss does not depend on w." in answer.details


def test_it_is_not_a_leaf() -> None:
    w = mg.tensor(2.0, requires_grad=True)
    h = w.exp()
    h.backward()
    answer = mg.explain(h)
    assert answer.verdict == "not_a_leaf"
    assert "h is the result of Exp" in answer.details[0]
    assert "h.retain_grad()" in answer.advice


def test_it_keeps_its_gradient_though_it_is_not_a_leaf() -> None:
    w = mg.tensor(2.0, requires_grad=True)
    h = w * 3
    h.retain_grad()
    assert mg.explain(h).verdict == "not_yet"
    h.exp().backward()
    assert mg.explain(h).verdict == "retained"


def test_it_was_detached() -> None:
    w = mg.tensor(2.0, requires_grad=True)
    h = w * 3
    cut = h.detach()
    answer = mg.explain(cut)
    assert answer.verdict == "detached"
    assert "shares its memory with h" in answer.details[0]


@positions
def test_the_line_that_cut_it_off_is_named_while_it_is_recorded() -> None:
    def features(h: Any) -> Any:
        return h.detach()

    with Recorder():
        w = mg.tensor(2.0, requires_grad=True)
        h = w * 3
        cut = features(h)
        loss = (cut * mg.tensor(1.0, requires_grad=True)).exp()
        loss.backward()
        of_cut, of_w = mg.explain(cut), mg.explain(w)
        h.detach_()
        of_h = mg.explain(h)
    assert of_cut.verdict == of_h.verdict == "detached"
    assert of_cut.details[0].startswith("cut was cut off from h  (")
    assert "`h.detach()`" in of_cut.details[0]
    assert "`h.detach_()`" in of_h.details[0]
    assert of_w.details[-1].startswith("No gradient comes back through what was cut off from h  (")


@positions
def test_it_was_made_under_no_grad() -> None:
    with Recorder():
        w = mg.tensor(2.0, requires_grad=True)
        with mg.no_grad():
            h = w * 3
        answer = mg.explain(h)
    assert answer.verdict == "no_grad"
    assert "came out of Mul" in answer.details[0]
    assert "`w * 3`" in answer.details[0]


def test_it_holds_integers() -> None:
    indices = mg.tensor([1, 2])
    assert mg.explain(indices).verdict == "integer"
    assert "holds int64" in str(mg.explain(indices))


def test_it_does_not_ask_for_one() -> None:
    data = mg.ones(3)
    answer = mg.explain(data)
    assert answer.verdict == "no_requires_grad"
    assert "data.requires_grad_()" in answer.advice


def test_it_was_cleared() -> None:
    with Recorder():
        w = mg.tensor(2.0, requires_grad=True)
        (w * w).backward()
        w.grad = None
        answer = mg.explain(w)
    assert answer.verdict == "cleared"
    assert len(answer.details) == 2


def test_it_was_cleared_while_its_graph_still_stands() -> None:
    with Recorder():
        w = mg.tensor(2.0, requires_grad=True)
        loss = w * w
        loss.backward()
        w.grad = None
        answer = mg.explain(w)
    assert answer.verdict == "cleared"
    assert answer.summary == "w.grad is None, because it was cleared after backward."


def test_without_a_recording_a_released_graph_tells_that_backward_has_run() -> None:
    w = mg.tensor(2.0, requires_grad=True)
    loss = w * w
    loss.backward()
    w.grad = None
    answer = mg.explain(w)
    assert answer.verdict == "cleared"
    assert "though backward has run" in answer.summary
    assert "the graph of loss" in answer.details[0]


def test_it_is_called_as_whoever_asks_calls_it() -> None:
    net = mg.nn.Linear(2, 1)
    assert mg.explain(net.weight, "net.weight").summary.startswith("net.weight.grad is None")


@positions
def test_every_contribution_has_its_line_where_it_was_recorded() -> None:
    with Recorder():
        w = mg.tensor(2.0, requires_grad=True)
        loss = w * w + w.exp()
        loss.backward()
        answer = mg.explain(w)
    assert answer.verdict == "accumulated"
    assert answer.summary == "w.grad is 11.3891: the sum of 3 contributions."
    assert answer.details[0].startswith("Exp, whose x it is: ȳ ⊙ y  (")
    assert answer.details[0].endswith("`w.exp()`)")


def test_a_forgotten_zero_grad_is_plain_to_see() -> None:
    with Recorder():
        w = mg.tensor(2.0, requires_grad=True)
        (w * w).backward()
        (w * 3).backward()
        answer = mg.explain(w)
    assert "They came in 2 backward passes" in answer.details[-1]
    assert "zero_grad()" in answer.advice


def test_without_a_recording_the_living_graph_tells() -> None:
    w = mg.tensor([2.0, 1.0], requires_grad=True)
    loss = (w * 3).sum()
    loss.backward()
    answer = mg.explain(w)
    assert answer.verdict == "accumulated"
    assert answer.details == ["Mul, whose a it is: ȳ ⊙ b"]


def test_it_reads_well_in_a_notebook_too() -> None:
    w = mg.tensor(2.0, requires_grad=True)
    assert mg.explain(w)._repr_markdown_().startswith("**w.grad is None, because")


def test_only_tensors_can_be_explained() -> None:
    with pytest.raises(TypeError, match="without .grad"):
        mg.explain(None)
    with pytest.raises(TypeError, match="explain takes a tensor, not int"):
        mg.explain(3)


def test_its_lazy_layer_was_never_called(lib: Any) -> None:
    spare = lib.nn.LazyLinear(3)
    answer = mg.explain(spare.weight)
    assert answer.verdict == "shapeless"
    assert "its lazy layer has not been called" in str(answer)
