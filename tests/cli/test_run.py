"""`minigrad run`: programs that were not written for it, watched."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from .conftest import SCRIPTS, Command, kinds, read_trace

NEURONS = Path(__file__).parents[2] / "webui/frontend/fixtures/corpus/neurons.py"


def test_a_net_of_single_numbers_leaves_a_whole_trace(minigrad: Command, tmp_path: Path) -> None:
    done = minigrad("run", "--headless", "--values", "all", "--record", "net.jsonl", NEURONS)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 10
    assert "10 steps recorded" in done.stderr
    assert "net.jsonl" in done.stderr

    records = read_trace(tmp_path / "net.jsonl")
    assert [record["seq"] for record in records] == list(range(1, len(records) + 1))
    assert records[0]["type"] == "run_started"
    assert records[0]["argv"] == [str(NEURONS)]
    assert (records[-1]["type"], records[-1]["status"]) == ("run_finished", "finished")
    wanted = {"node", "saved", "released", "backward_started", "grad_computed", "grad_accumulated", "backward_finished"}
    assert wanted <= kinds(records)

    first = [record for record in records if record["step"] == 0]
    assert {"Mul", "Add", "Tanh"} <= {record["op"] for record in first if record["type"] == "node"}
    to_leaves = [record for record in first if record["type"] == "grad_accumulated" and record.get("leaf")]
    assert max(record["count"] for record in to_leaves) == 4, "each weight is used once for each of the four examples"
    assert any(record["type"] == "output" and record["text"].startswith("0 ") for record in records)


def test_what_went_wrong_first_is_said_at_the_end_with_its_line(minigrad: Command, tmp_path: Path) -> None:
    program = "import minigrad as mg\nx = mg.tensor([4.0, -1.0], requires_grad=True)\nx.sqrt().sum().backward()\n"
    (tmp_path / "below_zero.py").write_text(program)
    done = minigrad("run", "--headless", "below_zero.py")
    assert done.returncode == 0, done.stderr
    last = " ".join(done.stderr.split())
    assert "! Step 0, below_zero.py:3: Sqrt made 1 NaN of finite numbers. 1 of its 2 inputs" in last

    (tmp_path / "above_zero.py").write_text(program.replace("-1.0", "1.0"))
    assert "!" not in minigrad("run", "--headless", "above_zero.py").stderr


def test_a_net_moved_over_from_numpy_leaves_forward_backward_saved_and_accumulation(
    minigrad: Command, tmp_path: Path
) -> None:
    done = minigrad("run", "--headless", "--record", "t.jsonl.gz", SCRIPTS / "two_layers.py", "--steps", "3")
    assert done.returncode == 0, done.stderr
    records = read_trace(tmp_path / "t.jsonl.gz")
    assert records[0]["argv"][1:] == ["--steps", "3"]
    assert {"node", "saved", "backward_started", "grad_accumulated", "mutated"} <= kinds(records)
    assert len([record for record in records if record["type"] == "step_taken"]) == 3
    names = {record.get("name") for record in records if record["type"] == "tensor"}
    assert {"w1", "w2"} <= names


def test_each_rank_writes_its_own_trace_and_is_told_how(
    minigrad: Command, environment: dict[str, str], tmp_path: Path
) -> None:
    script, ranked = SCRIPTS / "two_layers.py", {**environment, "RANK": "1", "WORLD_SIZE": "2"}
    named = minigrad("run", "--headless", "--record", "t{rank}.jsonl", script, env=ranked)
    assert named.returncode == 0, named.stderr
    assert "minigrad replay t1.jsonl" in named.stderr
    assert "ranks were started together" not in named.stderr
    assert read_trace(tmp_path / "t1.jsonl")[0]["rank"] == 1
    shared = minigrad("run", "--headless", "--record", "t.jsonl.gz", script, env=ranked)
    assert "To give each its own: --record t-{rank}.jsonl.gz" in shared.stderr
    alone = minigrad("run", "--headless", "--record", "t{rank}.jsonl", script)
    assert "minigrad replay t0.jsonl" in alone.stderr


def test_its_standard_output_is_only_the_programs(minigrad: Command) -> None:
    alone = minigrad("run", "--headless", SCRIPTS / "two_layers.py")
    assert [line.split()[0] for line in alone.stdout.splitlines()] == list("01234")


def test_a_failing_program_keeps_its_status_and_its_traceback(minigrad: Command, tmp_path: Path) -> None:
    done = minigrad("run", "--headless", "--record", "f.jsonl", SCRIPTS / "two_layers.py", "--fail-at", "1")
    assert done.returncode == 1
    assert "ValueError: asked to fail at step 1" in done.stderr
    assert "minigrad/cli" not in done.stderr
    last = read_trace(tmp_path / "f.jsonl")[-1]
    assert last["status"] == "failed"
    assert last["error"] == "ValueError: asked to fail at step 1"
    assert last["at"]["code"].startswith("raise ValueError")


def test_its_exit_status_is_the_programs(minigrad: Command, tmp_path: Path) -> None:
    (tmp_path / "leave.py").write_text("import sys\nsys.exit(42)\n")
    assert minigrad("run", "--headless", "leave.py").returncode == 42


def test_ctrl_c_ends_it_with_130_and_marks_the_run(environment: dict[str, str], tmp_path: Path) -> None:
    script = "import minigrad as mg\nx = mg.ones(2, requires_grad=True)\n(x * 2).sum().backward()\n"
    # It says so after a whole pass: by then every module that a pass needs has been read from its file.
    (tmp_path / "long.py").write_text(
        f"{script}print('ready', flush=True)\nwhile True:\n    (x * 2).sum().backward()\n"
    )
    command = [
        sys.executable,
        "-m",
        "minigrad",
        "run",
        "--headless",
        "--record",
        "l.jsonl",
        "--values",
        "none",
        "long.py",
    ]
    process = subprocess.Popen(
        command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in said
    assert read_trace(tmp_path / "l.jsonl")[-1]["status"] == "interrupted"


def test_an_option_after_the_script_is_the_programs_and_that_is_said(minigrad: Command, tmp_path: Path) -> None:
    script = tmp_path / "prints.py"
    script.write_text("import sys\nprint(sys.argv[1:])\n")
    done = minigrad("run", "--headless", script, "--headless", "--epochs", "3")
    assert done.stdout.strip() == "['--headless', '--epochs', '3']"
    assert "--headless stands after" in done.stderr
    assert "--epochs" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nothere.py"], "no file 'nothere.py'"),
        (["."], "is a folder"),
        (["-m", "no_such_module"], "no module 'no_such_module'"),
        (["--record", "no/such/folder/x.jsonl", str(SCRIPTS / "two_layers.py")], "--record"),
        (["--values", "some", str(SCRIPTS / "two_layers.py")], "--values"),
    ],
)
def test_what_cannot_be_done_is_one_line_on_stderr_and_status_2(
    minigrad: Command, arguments: list[str], words: str
) -> None:
    done = minigrad("run", "--headless", *arguments)
    assert done.returncode == 2
    assert words in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert done.stdout == ""


def test_the_run_is_in_the_explorer_after_the_program_has_ended(minigrad: Command, environment: dict[str, str]) -> None:
    done = minigrad("run", "--no-browser", SCRIPTS / "two_layers.py", "--steps", "2")
    assert done.returncode == 0, done.stderr
    assert "minigrad serve --stop" in done.stderr
    runs = known_runs(environment)
    assert [(run["name"], run["status"], run["steps"]) for run in runs] == [("two_layers.py", "finished", 2)]
    assert f"#run={runs[0]['id']}" in done.stderr

    again = minigrad("run", "--no-browser", SCRIPTS / "two_layers.py", "--fail-at", "0")
    assert again.returncode == 1
    assert {run["status"] for run in known_runs(environment)} == {"finished", "failed"}


FORGETFUL = """
from minigrad import nn, optim
import minigrad as mg

net = nn.Linear(3, 1)
optimizer = optim.SGD(net.parameters(), lr=0.01)
for _ in range(4):
    loss = net(mg.ones(2, 3)).square().mean()
    loss.backward()
    optimizer.step()
"""


def test_the_last_lines_say_what_is_wrong_with_the_program(minigrad: Command, tmp_path: Path) -> None:
    (tmp_path / "forgetful.py").write_text(FORGETFUL)
    done = minigrad("run", "--no-browser", "forgetful.py")
    assert done.returncode == 0, done.stderr
    (told,) = [line for line in done.stderr.splitlines() if line.startswith("!")]
    assert told.startswith("! Gradients are not cleared")
    assert "forgetful.py:9" in told

    (tmp_path / "forgetful.py").write_text(FORGETFUL.replace("    loss.b", "    optimizer.zero_grad()\n    loss.b"))
    assert "!" not in minigrad("run", "--no-browser", "forgetful.py").stderr


KILLER = """
import json, os, signal
import minigrad as mg

w = mg.tensor(2.0, requires_grad=True)
(w * w).backward()
with open(os.path.join(os.environ["MINIGRAD_DATA_DIR"], "server.json")) as note:
    os.kill(json.load(note)["pid"], signal.SIGKILL)
(w * w).backward()
"""


def test_an_explorer_killed_meanwhile_is_started_again_and_shows_the_whole_run(
    minigrad: Command, environment: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "killer.py").write_text(KILLER)
    done = minigrad("run", "--no-browser", "killer.py")
    assert done.returncode == 0, done.stderr
    (run,) = known_runs(environment)
    assert run["status"] == "finished"
    assert "did not reach" not in done.stderr
    note = json.loads(Path(environment["MINIGRAD_DATA_DIR"], "server.json").read_text())
    assert f"Explore it at {note['url']}/?token={note['token']}#run={run['id']}" in done.stderr


def test_a_damaged_store_is_kept_aside_and_the_program_is_watched_all_the_same(
    minigrad: Command, environment: dict[str, str]
) -> None:
    folder = Path(environment["MINIGRAD_DATA_DIR"])
    folder.mkdir()
    (folder / "runs.sqlite").write_text("no database, but somebody's runs" * 200)
    done = minigrad("run", "--no-browser", SCRIPTS / "two_layers.py")
    assert done.returncode == 0, done.stderr
    (kept,) = folder.glob("runs.damaged-*.sqlite")
    assert kept.read_text().startswith("no database, but somebody's runs")
    assert str(kept) in done.stderr.replace("\n", "")
    assert len(known_runs(environment)) == 1


def test_a_data_folder_that_cannot_be_used_is_one_line_and_status_2(
    minigrad: Command, environment: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "data").write_text("a file, no folder")
    done = minigrad("run", "--no-browser", SCRIPTS / "two_layers.py")
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert "MINIGRAD_DATA_DIR" in line
    assert "MINIGRAD_DATA_DIR" in minigrad("doctor").stdout
    (tmp_path / "data").unlink()


def test_another_port_than_the_running_explorers_is_refused(minigrad: Command) -> None:
    minigrad("run", "--no-browser", SCRIPTS / "two_layers.py")
    done = minigrad("run", "--no-browser", "--port", "1", SCRIPTS / "two_layers.py")
    assert done.returncode == 2
    assert "already runs on port" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def known_runs(environment: dict[str, str]) -> list[dict[str, Any]]:
    """What the server that runs over this test's data folder knows."""
    import urllib.request

    note = json.loads(Path(environment["MINIGRAD_DATA_DIR"], "server.json").read_text())
    headers = {"Authorization": f"Bearer {note['token']}"}
    with urllib.request.urlopen(urllib.request.Request(f"{note['url']}/api/runs", headers=headers)) as answer:
        found: list[dict[str, Any]] = json.load(answer)
    return found


def test_a_forked_child_says_nothing_of_its_own(minigrad: Command, tmp_path: Path) -> None:
    script = (
        "import os\nchild = os.fork()\nif child:\n    os.waitpid(child, 0)\nprint('end', bool(child), flush=True)\n"
    )
    (tmp_path / "forks.py").write_text(script)
    done = minigrad("run", "--headless", "--record", "f.jsonl", "forks.py")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["end False", "end True"]
    assert done.stderr.count("forks.py finished") == 1
    assert read_trace(tmp_path / "f.jsonl")[-1]["status"] == "finished"


def test_the_folder_of_a_script_is_importable(minigrad: Command, tmp_path: Path) -> None:
    os.makedirs(tmp_path / "project")
    (tmp_path / "project" / "helper.py").write_text("word = 'found'\n")
    (tmp_path / "project" / "main.py").write_text("from helper import word\nprint(word)\n")
    assert minigrad("run", "--headless", "project/main.py").stdout == "found\n"


def test_the_last_line_says_that_the_loss_became_nan(minigrad: Command, tmp_path: Path) -> None:
    script = tmp_path / "diverge.py"
    start = "import minigrad as mg\nw = mg.ones(1, requires_grad=True)\nfor x in 1.0, float('nan'):\n"
    script.write_text(f"{start}    (w * x).sum().backward()\n    w.grad = None\n")
    done = minigrad("run", "--headless", script)
    assert "loss nan" in done.stderr


WITHOUT_TORCH = """
import sys
import minigrad as mg

w = mg.tensor(2.0, requires_grad=True)
(w * w).backward()
mg.explain(w)
print([name for name in sys.modules if name.partition(".")[0] == "torch" or ".observe.torch" in name])
"""


def test_of_a_program_without_pytorch_nothing_of_it_is_imported(minigrad: Command, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(WITHOUT_TORCH)
    for command in (["run", "--headless"], ["explain"]):
        done = minigrad(*command, "program.py")
        assert done.returncode == 0, done.stderr
        assert "[]" in (done.stdout + done.stderr).splitlines()


@pytest.mark.parity
def test_a_program_of_pytorchs_is_watched_as_it_is(minigrad: Command, tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed")
    script = SCRIPTS / "torch_net.py"
    done = minigrad("run", "--headless", "--values", "all", "--record", "t.jsonl", script)
    assert done.returncode == 0, done.stderr
    alone = subprocess.run([sys.executable, script], capture_output=True, text=True)
    assert done.stdout == alone.stdout, "watching changes no number"
    assert "4 steps recorded" in done.stderr
    records = read_trace(tmp_path / "t.jsonl")
    assert [record["seq"] for record in records] == list(range(1, len(records) + 1))
    ops = [record["op"] for record in records if record["type"] == "node" and record["step"] == 0]
    assert ops == ["Affine", "Tanh", "Affine", "MseLoss"]
    losses = [record["loss"] for record in records if record["type"] == "step_taken"]
    assert [f"{loss:.6f}" for loss in losses] == done.stdout.split()


@pytest.mark.parity
def test_a_program_that_uses_both_is_shown_with_minigrads_tensors(minigrad: Command, tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed")
    script = tmp_path / "both.py"
    script.write_text(
        "import minigrad as mg\nimport torch\ntorch.ones(2) + 1\n(mg.ones(2, requires_grad=True) * 2).sum()\n"
    )
    done = minigrad("run", "--headless", "--record", "t.jsonl", script)
    assert done.returncode == 0, done.stderr
    assert [each["op"] for each in read_trace(tmp_path / "t.jsonl") if each["type"] == "node"] == ["Mul", "Sum"]
