"""A recording of functions under vmap: the nodes that stand for many examples, with the numbers of all of them."""

from __future__ import annotations

import minigrad as mg

from .helpers import of_type, recorded


def per_example_gradients() -> None:
    mg.func.vmap(mg.func.grad(lambda x: (x.sin() * x).sum()))(mg.ones(4, 3))


def test_the_nodes_of_a_gradient_taken_inside_are_shown_with_how_many_examples_they_stand_for() -> None:
    nodes = {each["id"]: each for each in of_type(recorded(per_example_gradients), "node")}
    many = [each for each in nodes.values() if "vmap" in each["params"]]
    assert [(each["op"], each["params"]["vmap"]) for each in many] == [("Sin", 4), ("Mul", 4), ("Sum", 4)]
    assert all(each["recorded"] for each in many)
    total = many[-1]
    product = nodes[total["inputs"][0]["node"]]
    assert product["op"] == "Mul"
    assert [nodes[each["node"]]["op"] for each in product["inputs"]] == ["Sin", "Input"]
    (given,) = nodes[product["inputs"][1]["node"]]["outputs"]
    assert (given["name"], given["shape"]) == ("x", [3])
    assert given["value"] is not None
    assert nodes[product["inputs"][1]["node"]]["inputs"] == [], "the gradient ends there"


def test_the_shape_is_that_of_one_example_and_the_numbers_are_those_of_all() -> None:
    nodes = of_type(recorded(per_example_gradients), "node")
    (output,) = next(each for each in nodes if "vmap" in each["params"])["outputs"]
    assert output["shape"] == [3]
    assert (output["value"]["rows"], output["value"]["cols"]) == (4, 3)


def test_backward_runs_over_these_nodes() -> None:
    records = recorded(per_example_gradients)
    many = {each["id"] for each in of_type(records, "node") if "vmap" in each["params"]}
    assert many <= {each["node"] for each in of_type(records, "node_entered")}


def test_a_change_in_place_is_recorded_too() -> None:
    def program() -> None:
        def f(x: mg.Tensor) -> mg.Tensor:
            y = x * 1
            y.mul_(x)
            return y.sum()

        mg.func.vmap(mg.func.grad(f))(mg.ones(2, 3))

    nodes = of_type(recorded(program), "node")
    assert [each["op"] for each in nodes if "vmap" in each["params"]] == ["Mul", "Mul", "Sum"]


def test_a_view_made_unseen_does_not_end_the_recording() -> None:
    def program() -> None:
        y = mg.ones(3, requires_grad=True) * 1
        with mg.no_grad():
            view = y[:1]
        (view * 2).sum().backward()

    assert of_type(recorded(program), "backward_finished")


def test_nor_does_a_leaf_that_is_written_to_by_index_under_no_grad() -> None:
    def program() -> None:
        w = mg.ones(3, requires_grad=True)
        with mg.no_grad():
            w[1] = 5.0
        (w * w).sum().backward()

    assert of_type(recorded(program), "backward_finished")
