"""Whatever an answer tries, it does not decide itself whether it is right, and harms nobody else's."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from minigrad.classroom import Judge, Limits, load_course, parse
from minigrad.classroom.batch import handed_in, judge_all
from minigrad.classroom.lesson import with_mistakes
from minigrad.classroom.process import understood
from minigrad.classroom.sandbox import OPEN, Sandbox

from .boxes import BOXES, the
from .lessons import BLANK, DOUBLE, SMALL, small

QUICK = Limits(seconds=5.0, grace=0.5, output=10_000)
RANDOM = parse(
    SMALL.replace(
        "expect(double, known, gives=42)",
        "import random\n\nx = random.uniform(100.0, 200.0)\nexpect(double, x, gives=2 * x)",
    )
)
posix_only = pytest.mark.skipif(sys.platform == "win32", reason="needs descriptors as POSIX has them")

FORGED_OUT = """
import _host, gc, json
from minigrad.classroom.child import Runner
(runner,) = [each for each in gc.get_objects() if isinstance(each, Runner)]
for number in range(30):
    for fields in ({"status": "done", "value": 6, "marked": True}, {"status": "done", "passed": True}):
        _host.call(b"r" + json.dumps({"number": number, **fields}).encode())
        _host.call(b"r\\n" + json.dumps({"number": number, **fields}).encode())
for message in (b"", b"x", b"p", b"p[1]", b"p{", b"n", b"o" + bytes(10_000)):
    _host.call(message)
"""
FORGED = """
import gc, json, os
from minigrad.classroom.child import Runner
(runner,) = [each for each in gc.get_objects() if isinstance(each, Runner)]
for number in range(30):
    for fields in ({"status": "done", "value": 6, "marked": False}, {"status": "done", "passed": True}):
        for descriptor in range(3, 40):
            try:
                os.write(descriptor, (runner._key + json.dumps({"number": number, **fields}) + "\\n").encode())
            except OSError:
                pass
"""
"""Every reply that could be one, on every descriptor there is."""

PEEK = """
import sys
def double(x):
    frame = sys._getframe()
    while frame is not None:
        for value in (*frame.f_locals.values(), *frame.f_globals.values()):
            if isinstance(value, dict) and "gives" in value:
                return value["gives"]
        for name in ("wanted", "gives", "expected"):
            if name in frame.f_locals:
                return frame.f_locals[name]
        frame = frame.f_back
"""

CHEATS = {
    "equals everything": "class Any(float):\n    def __eq__(self, other): return True\n    __hash__ = float.__hash__\n"
    "def double(x): return Any(1.0)",
    "an object that says yes": "class Any:\n    def __getattr__(self, name): return lambda *a, **k: True\n"
    "def double(x): return Any()",
    "a replaced comparison": "import minigrad.classroom.check as check, minigrad.classroom.difference as d\n"
    "check.difference = d.difference = lambda *a: None\ncheck.same = lambda *a: True\ndef double(x): return 0",
    "a replaced expect": "import sys\nfor module in list(sys.modules.values()):\n"
    "    if hasattr(module, 'expect'): module.expect = print\ndef double(x): return 0",
    "a look at the stack": PEEK,
    "forged replies": FORGED + "def double(x): return 0",
    "an early end": "import os\ndef double(x): os._exit(0)",
    "hard-coded": "def double(x): return {3: 6, 21: 42}.get(x, 42)",
    "the solved lesson": "import minigrad.classroom.course as c\n"
    "source = c.load_course().find(1).source\ndef double(x): return 2 * x",
}


@pytest.mark.parametrize("cheat", CHEATS)
def test_an_answer_does_not_say_itself_that_it_is_right(cheat: str) -> None:
    judge = Judge(RANDOM, QUICK)
    assert not judge.verdict("double", {"double": CHEATS[cheat]}).passed
    assert judge.verdict("double", {"double": DOUBLE}).passed
    judge.close()


@posix_only
@pytest.mark.parametrize("name", ["open", *BOXES])
def test_noise_on_every_descriptor_spoils_only_ones_own_answer(name: str) -> None:
    noise = (
        "import os\nfor descriptor in range(3, 40):\n    try: os.write(descriptor, b'{not json}\\xff\\n' * 99)\n"
        "    except OSError: pass\ndef double(x): return 2 * x"
    )
    judge = Judge(RANDOM, QUICK, OPEN if name == "open" else the(name))
    judge.verdict("double", {"double": noise})
    assert judge.verdict("double", {"double": DOUBLE}).passed
    judge.close()


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "1", "null", '{"status": "passed"}', '{"status": []}', "[" * 100_000, '{"ask": 1}']
)
def test_what_is_no_reply_is_none(text: str) -> None:
    assert understood(text) is None


def test_a_reply_has_nothing_but_what_a_reply_has() -> None:
    told = understood('{"number": 1, "status": "failed", "error": 7, "exit": "x", "passed": true}')
    assert told is not None
    assert told["error"]["text"] == ""
    assert told["exit"] is None
    assert "passed" not in told


@pytest.fixture(params=BOXES)
def box(request: pytest.FixtureRequest) -> Sandbox:
    return the(request.param)


def test_a_class_is_judged_whatever_one_of_them_does(tmp_path: Path, box: Sandbox) -> None:
    marker = tmp_path / "marker"
    hostile = {
        "kill": "import os, signal\nfor pid in (os.getppid(), 1):\n    try: os.kill(pid, signal.SIGKILL)\n"
        "    except OSError: pass\n",
        "kill-all": "import os, signal\nos.kill(-1, signal.SIGKILL)\n",
        "overwrite": f"import glob\nfor name in glob.glob({str(tmp_path)!r} + '/**', recursive=True):\n"
        "    try: open(name, 'w').write('def double(x): return 0')\n    except OSError: pass\n",
        "write": f"open({str(marker)!r}, 'w').write('here')\n",
        "network": "import urllib.request\nurllib.request.urlopen('http://127.0.0.1:1')\n",
        "parent": f"import os\nos.kill({os.getpid()}, 9)\n",
        "forged": FORGED,
        "forged-out-of-webassembly": FORGED_OUT,
    }
    (tmp_path / "answers").mkdir()
    for name, code in hostile.items():
        (tmp_path / "answers" / f"{name}.py").write_text(f'# %% tags=["exercise"] id="double"\n{code}\n{BLANK}')
    for name in ("ada", "zoe"):
        (tmp_path / "answers" / f"{name}.py").write_text(f'# %% tags=["exercise"] id="double"\n{DOUBLE}')
    rows = list(judge_all(RANDOM, handed_in(tmp_path / "answers"), QUICK, 2, box))
    passed = {row.learner: row.verdicts["double"].passed for row in rows if row.verdicts}
    assert passed == {**dict.fromkeys(hostile, False), "ada": True, "zoe": True}
    assert not marker.exists()
    assert (tmp_path / "answers" / "ada.py").read_text().endswith(DOUBLE)


def test_in_the_sandbox_there_is_no_solved_lesson_and_no_home_of_the_user(box: Sandbox) -> None:
    lessons = load_course().folder
    paths = [str(lessons), __file__]
    look = f"import os\ndef double(x):\n    return [os.path.exists(path) for path in {paths}]"
    judge = Judge(RANDOM, QUICK, box)
    assert "came back  [False, False]" in judge.verdict("double", {"double": look}).message
    judge.close()


def test_a_cell_in_the_sandbox_is_stopped_and_the_next_runs(box: Sandbox) -> None:
    judge = Judge(RANDOM, Limits(seconds=1.0, grace=0.5), box)
    began = time.monotonic()
    assert judge.verdict("double", {"double": "while True: ..."}).result == "timeout"
    assert time.monotonic() - began < 60
    assert judge.verdict("double", {"double": DOUBLE}).passed
    judge.close()


def test_without_a_sandbox_the_answers_of_others_are_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from minigrad.classroom import sandbox
    from minigrad.cli import main

    (tmp_path / "ada.py").write_text("print('ran')\n")
    monkeypatch.setattr(sandbox, "best", lambda say: OPEN)
    assert main(["lesson", "check", "1", "--answers", str(tmp_path)]) == 2
    assert "--trust-answers" in capsys.readouterr().err
    assert main(["lesson", "check", "1", "--answers", str(tmp_path), "--trust-answers"]) == 0


WRONG = """\
# ---
# lesson: Twice
# ---

# %% tags=["wrong"] id="double"
# You square it.
def double(x):
    return x * x

# %% tags=["wrong"] id="double"
# That is the number itself.
def double(x):
    return x
"""


def test_a_known_mistake_is_told_by_what_it_gives_not_by_its_looks() -> None:
    judge = Judge(with_mistakes(small(), WRONG), QUICK)
    told = judge.verdict("double", {"double": "def double(number):\n    return number**2"}).message
    assert told.splitlines()[0] == "not yet: You square it."
    told = judge.verdict("double", {"double": "double = lambda n: n + 0"}).message
    assert told.splitlines()[0] == "not yet: That is the number itself."
    told = judge.verdict("double", {"double": "def double(x):\n    return -2 * x"}).message
    assert told.splitlines()[0] == "not yet: -6 differs from 6 by its sign"
    judge.close()


def test_the_inputs_are_drawn_anew_each_time() -> None:
    judge = Judge(RANDOM, QUICK)
    wrong = "def double(x):\n    return 6 if x == 3 else 0"
    calls = {judge.verdict("double", {"double": wrong}).message.splitlines()[1] for _ in range(3)}
    assert len(calls) == 3
    judge.close()


def test_signs_that_steer_a_terminal_are_left_out() -> None:
    verdict = Judge(RANDOM, QUICK).verdict(
        "double", {"double": "print('\\x1b[2J')\ndef double(x): return '\\x1b]0;x\\x07'"}
    )
    assert "\x1b" not in verdict.message + verdict.output
