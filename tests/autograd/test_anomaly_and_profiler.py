"""Rows 82 to 85: where a NaN comes from, and where the time goes."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import minigrad as mg
from minigrad import events
from minigrad.autograd import profiler

Lib = Any


@contextmanager
def told() -> Iterator[list[Any]]:
    """What is warned of inside, but for NumPy's own remarks on an inf or a nan."""
    with warnings.catch_warnings(record=True) as messages:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", RuntimeWarning)
        yield messages


def test_a_nan_names_its_node_and_the_line_that_made_it(lib: Lib) -> None:
    x = lib.zeros(1).requires_grad_()
    with told() as messages, lib.autograd.detect_anomaly():
        y = x.sqrt() * 0  # the line to find
        with pytest.raises(RuntimeError, match="Function 'SqrtBackward0' returned nan values in its 0th output"):
            y.sum().backward()
    texts = [str(each.message) for each in messages]
    assert any("Anomaly Detection has been enabled" in each for each in texts)
    assert any("Error detected in SqrtBackward0" in each and "the line to find" in each for each in texts)


def test_check_nan_can_be_off(lib: Lib) -> None:
    x = lib.zeros(1).requires_grad_()
    with told(), lib.autograd.detect_anomaly(check_nan=False):
        (x.sqrt() * 0).sum().backward()
    assert x.grad.isnan().all()


def test_a_nan_in_a_second_derivative_names_the_node_that_induced_it(lib: Lib) -> None:
    x = lib.zeros(1).requires_grad_()
    with told() as messages, lib.autograd.detect_anomaly():
        y = (x**1.5).sum()
        (grad,) = lib.autograd.grad(y, x, create_graph=True)
        with pytest.raises(RuntimeError, match="returned nan values"):
            (grad * 0).sum().backward()
    assert any("Previous calculation was induced by PowBackward0" in str(each.message) for each in messages)


def test_set_detect_anomaly_is_a_switch_and_a_context(lib: Lib) -> None:
    with lib.autograd.set_detect_anomaly(True):
        assert enabled(lib)
    assert not enabled(lib)


def enabled(lib: Lib) -> bool:
    return bool(lib.autograd.anomaly_mode.is_anomaly_enabled() if lib is mg else lib.is_anomaly_enabled())


def test_anomaly_mode_leaves_no_listener_behind() -> None:
    with told(), mg.autograd.detect_anomaly():
        assert events.LISTENERS
    assert not events.LISTENERS


def test_a_profile_names_ops_nodes_and_regions() -> None:
    x = mg.ones(10, requires_grad=True)
    with profiler.profile(record_shapes=True, profile_memory=True) as prof:
        with profiler.record_function("region"):
            y = (x * x).sum()
        y.backward()
    names = [event.name for event in prof.function_events]
    assert names[:3] == ["region", "mul", "sum"]
    assert {"MulBackward0", "SumBackward0"} <= set(names)
    region = prof.function_events[0]
    assert [child.name for child in region.cpu_children] == ["mul", "sum"]
    assert region.cpu_time_total >= sum(child.cpu_time_total for child in region.cpu_children)
    assert prof.function_events[1].input_shapes == [[10], [10]]
    assert prof.function_events[1].cpu_memory_usage == 40 and region.cpu_memory_usage == 44


def test_key_averages_and_tables() -> None:
    x = mg.ones(3)
    with profiler.profile(record_shapes=True) as prof:
        for _ in range(3):
            x * 2
        mg.ones(5) * 2
    rows = {row.key: row.count for row in prof.key_averages()}
    assert rows["mul"] == 4
    assert len([row for row in prof.key_averages(group_by_input_shape=True) if row.key == "mul"]) == 2
    table = prof.key_averages().table(sort_by="cpu_time_total", row_limit=5)
    assert "mul" in table and "Self CPU time total" in table
    assert prof.total_average().count == len(prof.function_events)
    assert prof.self_cpu_time_total == pytest.approx(prof.total_average().self_cpu_time_total)


@pytest.mark.cpu("its arrays name another base each time they are asked")
def test_memory_is_counted_while_a_leaf_is_written_to_by_index() -> None:
    with profiler.profile(profile_memory=True) as prof:
        w = mg.ones(256, requires_grad=True)
        with mg.no_grad():
            w[1] = 5.0
        (w * 2).sum().backward()
    assert prof.peak_held == 2 * 1024 + 8, "w, w.grad, which is the gradient that arrived; the sum and its gradient"
    at_peak = {kind: size for kind, size in prof.held_at_peak.items() if size}
    assert at_peak == {"parameters": 1024, "temporary": 1024 + 4, "activations": 4}, "the gradient is on its way still"


def test_a_chrome_trace_is_complete_events(tmp_path: Path) -> None:
    with profiler.profile() as prof:
        mg.ones(3) * 2
    prof.export_chrome_trace(tmp_path / "trace.json")
    trace = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    assert trace and all({"ph", "name", "cat", "ts", "dur", "pid", "tid", "args"} <= set(event) for event in trace)
    assert {event["ph"] for event in trace} == {"X"}


def test_nvtx_needs_a_gpu() -> None:
    from minigrad.backend.cupy import device_count

    if device_count():
        pytest.skip("there is a GPU")
    with pytest.raises(AssertionError), profiler.emit_nvtx():
        pass


def test_a_profile_is_not_finished_inside() -> None:
    prof = profiler.profile()
    with prof, pytest.raises(RuntimeError, match="didn't finish running"):
        prof.function_events


@pytest.mark.cpu("writes into memory shared with NumPy")
@pytest.mark.parametrize("way", ["data", "numpy"])
def test_a_write_behind_the_back_is_found(way: str) -> None:
    x = mg.ones(3, requires_grad=True)
    with told(), mg.autograd.detect_anomaly():
        y = x * 2
        z = (y * y).sum()
        if way == "data":
            y.data.zero_()
        else:
            y.detach().numpy()[1] = 7
        with pytest.raises(RuntimeError, match="MulBackward0 saved a tensor of shape .* behind autograd's back"):
            z.backward()
        (x * x).sum().backward()
    assert x.grad is not None and x.grad.tolist() == [2.0, 2.0, 2.0]


def test_stacks_are_written_for_flame_graphs(tmp_path: Path) -> None:
    with mg.autograd.profiler.profile(with_stack=True) as prof:
        for _ in range(50):
            mg.ones(64, 64, requires_grad=True).exp().sum().backward()
    path = tmp_path / "stacks.txt"
    prof.export_stacks(path, "self_cpu_time_total")
    lines = path.read_text().splitlines()
    assert lines and all(int(line.rpartition(" ")[2]) > 0 and " " not in line.rpartition(" ")[0] for line in lines)
    assert any("test_stacks_are_written_for_flame_graphs" in line.split(";")[-1] for line in lines)
    with pytest.raises(ValueError, match="metric"):
        prof.export_stacks(path, "calories")


def test_the_ranges_of_nvprof_are_read(tmp_path: Path) -> None:
    path = tmp_path / "trace.nvprof"
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE StringTable (_id_ INTEGER, value TEXT)")
        database.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_MARKER (id INTEGER, name INTEGER, timestamp INTEGER)")
        database.executemany("INSERT INTO StringTable VALUES (?, ?)", [(1, "outer"), (2, "inner")])
        rows = [(7, 1, 1000), (8, 2, 2000), (8, 0, 3000), (7, 0, 5000)]
        database.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_MARKER VALUES (?, ?, ?)", rows)
    found = mg.autograd.profiler.load_nvprof(path)
    assert [(each.name, each.start, each.end) for each in found] == [("outer", 1.0, 5.0), ("inner", 2.0, 3.0)]
    assert found[1].cpu_parent is found[0] and found[0].self_cpu_time_total == 3.0
