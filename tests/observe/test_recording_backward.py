"""What a recording tells of backward: what arrives where, what is saved and released, hooks, layers of gradients."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import minigrad as mg
from minigrad.utils.checkpoint import checkpoint

from .helpers import array, named, of_type, recorded
from .programs import a_hook, scalar_program, third_derivative


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


def test_broadcast_gradients_are_summed_down() -> None:
    def program() -> None:
        b = mg.zeros(3, requires_grad=True)
        (mg.ones(4, 3) + b).sum().backward()

    (reduced,) = of_type(recorded(program), "grad_reduced")
    assert (reduced["before"], reduced["after"]) == ([4, 3], [3])


def test_a_hook_shows_what_it_changed() -> None:
    records = recorded(a_hook)
    (hook,) = of_type(records, "hook_ran")
    assert hook["changed"]
    assert hook["tensor"] == named(records)["x"]["id"]
    np.testing.assert_allclose(array(hook["after"]), 10 * array(hook["before"]))
    np.testing.assert_allclose(array(of_type(records, "grad_accumulated")[-1]["total"]), [[20, 40]])


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


def test_a_backward_that_returns_its_gradients_says_so() -> None:
    def program() -> None:
        x = mg.tensor(3.0, requires_grad=True)
        mg.autograd.grad(x * x, x)
        (x * x).backward()

    started = of_type(recorded(program), "backward_started")
    assert [record["captures"] for record in started] == [True, False]


def test_create_graph_in_backward_itself() -> None:
    def program() -> None:
        x = mg.tensor(3.0, requires_grad=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            (x * x).backward(create_graph=True)
        assert x.grad is not None
        x.grad.backward()

    assert of_type(recorded(program), "backward_finished")[-1]["error"] is None


def test_what_a_checkpoint_runs_again_says_so_and_for_which_node() -> None:
    def program() -> None:
        x = mg.tensor([1.0, 2.0], requires_grad=True)
        checkpoint(lambda t: t.exp().tanh(), x, use_reentrant=False).sum().backward()

    nodes = of_type(recorded(program), "node")
    first = {node["op"]: node["id"] for node in nodes if not node.get("recomputed")}
    again = [(node["op"], node["made_by"]) for node in nodes if node.get("recomputed")]
    assert again == [("Exp", first["Tanh"])], "it stops as soon as it has what Tanh had saved"
