"""What holds for every recording, whatever the program: the protocol, order, identity, size."""

from __future__ import annotations

import gc
import threading
import weakref
from itertools import chain
from typing import Any

import pytest

import minigrad as mg
from minigrad import text
from minigrad.observe.record import sampling
from minigrad_webui.protocol import RECORD

from .helpers import Record, named, of_type, recorded
from .programs import PROGRAMS


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
        parts = [record.get(part, ()) for part in ("inputs", "roots", "saved", "grad_norms")]
        for each in chain.from_iterable(parts):
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


def test_texts_are_recorded_too() -> None:

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


def test_threads_do_not_mix() -> None:

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
    assert kept[-1]["mean"] == 41.0
    assert {"full"} == {r["outputs"][0]["value"]["kind"] for r in of_type(recorded(program, values="all"), "node")}
