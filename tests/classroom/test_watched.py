"""A watched session publishes to the explorer what its cells compute, each cell as a step of its own."""

from __future__ import annotations

import json

from minigrad.classroom import LessonSession, Limits, Watch

from ..webui.conftest import Server, data_dir, server, wait_until
from .lessons import small

__all__ = ["data_dir", "server"]

FIRST = "import minigrad as mg\na = mg.tensor(3.0, requires_grad=True)\nb = a + a\nb.backward()"
SECOND = "c = a * b.detach()"


def test_the_graph_in_the_explorer_follows_the_cells_that_run(server: Server) -> None:
    assert server.note is not None
    watch = Watch(server.note.url, server.note.token)
    with LessonSession(small(), watch=watch, name="Twice") as session:
        assert session.run(1, FIRST).well
        outcome = session.run(3, SECOND)
        run = outcome.run
        assert run is not None
        assert session.run(4, "print('no op in this cell')").run == run
    wait_until(lambda: server.run(run).get("status") == "finished", "the run is there, whole")
    assert server.run(run)["name"] == "Twice"
    lines = [json.loads(line) for line in server.get(f"/api/runs/{run}/records").text.splitlines()]
    nodes = {record["op"]: record for record in lines if record["type"] == "node"}
    assert (nodes["Add"]["step"], nodes["Mul"]["step"]) == (0, 1)
    assert nodes["Mul"]["at"]["file"] == "cell 2"
    assert nodes["Mul"]["at"]["code"].endswith("a * b.detach()")  # Python 3.10 knows the whole line only
    sources = {record["file"]: record["text"] for record in lines if record["type"] == "source"}
    assert {file: text.rstrip("\n") for file, text in sources.items()} == {"cell 1": FIRST, "cell 2": SECOND}


def test_a_restart_is_a_new_run_and_one_that_is_stopped_harms_no_other(server: Server) -> None:
    assert server.note is not None
    watch = Watch(server.note.url, server.note.token)
    with LessonSession(small(), watch=watch, limits=Limits(seconds=1.0, grace=0.5)) as session:
        first = session.run(1, FIRST).run
        assert not session.run(3, "import os; os._exit(0)").alive
        second = session.run(1, FIRST).run
    assert first != second
    assert second is not None
    wait_until(lambda: server.run(second).get("status") == "finished", "the second run has finished")


SLOW = """
import time
from minigrad.observe import Recorder
stop = Recorder.stop
def slowly(*arguments, **options):
    time.sleep(4)
    return stop(*arguments, **options)
Recorder.stop = slowly
"""


def test_a_run_is_whole_where_its_last_records_take_seconds(server: Server) -> None:
    """The child has more time to deliver them than one whose parent has died."""
    assert server.note is not None
    watch = Watch(server.note.url, server.note.token)
    with LessonSession(small(), watch=watch) as session:
        run = session.run(1, FIRST + SLOW).run
        assert run is not None
        session.restart()
        wait_until(lambda: server.run(run).get("status") == "finished", "the run has finished")
