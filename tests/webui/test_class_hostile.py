"""A class with hostile pupils in it: nobody else's work, result or time is touched."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from minigrad_webui.classroom import room as rooms
from tests.classroom.boxes import BOXES, the
from tests.classroom.hostile import AGAINST_OTHERS, HOSTILE, IN_WEBASSEMBLY, reading
from tests.webui.class_room import RIGHT, Class, checked, held
from tests.webui.lesson_room import Page

BLANK = "\ndef double(x):\n    return 0\n"


@pytest.fixture(params=BOXES, scope="module")
def room(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Class]:
    """A class in which an answer that does not end is soon stopped."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(rooms, "CHECKED", 3.0)
        with held(tmp_path_factory.mktemp("class"), the(request.param)) as opened:
            yield opened


@pytest.fixture(scope="module")
def ada(room: Class) -> Iterator[Page]:
    """The page of a pupil who works through it all."""
    with room.pupil("Ada").lesson() as page:
        yield page


@pytest.mark.slow
@pytest.mark.parametrize(
    ("room", "name"),
    [(box, name) for box in BOXES for name in AGAINST_OTHERS if box != "WebAssembly" or name in IN_WEBASSEMBLY],
    indirect=["room"],
)
def test_a_hostile_pupil_harms_nobody(name: str, room: Class, ada: Page) -> None:
    """Their cell runs, and is stopped, while another pupil's answer is checked and passes."""
    eve = room.pupil(f"Eve {name}")
    with eve.lesson() as theirs:
        theirs.ask("run", cells=[{"key": "c1", "code": HOSTILE[name]}])
        theirs.until("started")
        assert ada.run(c1="print(6 * 7)")["c1"]["text"] == "42\n"
        assert checked(ada, RIGHT)["passed"]
        theirs.ask("interrupt")
        assert not checked(theirs, HOSTILE[name] + BLANK)["passed"]
        assert theirs.run(c1="print('again')")["c1"]["text"] in ("again\n", "")
    states = {row["name"]: row["squares"][0]["state"] for row in room.wall()["rows"]}
    assert states["Ada"] == "solved"
    assert states[f"Eve {name}"] != "solved"


def test_a_pupils_code_reads_neither_the_register_nor_other_pupils_runs(room: Class) -> None:
    folder = Path(room.room.folder)
    spy = room.pupil("Spy")
    paths = [str(folder / "class.sqlite"), str(folder / "runs" / "1.sqlite"), "/etc/passwd", __file__]
    with spy.lesson() as page:
        ended = page.run(c1=reading(*paths) + "print('looked')")
        assert ended["c1"]["text"] == "looked\n"
        found = page.run(c1="import os\nprint(dict(os.environ))")["c1"]["text"]
    assert room.room.keys.presenter not in found
    assert "TOKEN" not in found


def test_what_a_pupil_computes_is_recorded_through_the_door_and_for_nobody_else(room: Class) -> None:
    ada, bob = room.pupil("Ada Records"), room.pupil("Bob Records")
    code = "import minigrad as mg\nx = mg.tensor(3.0, requires_grad=True)\n(x * x).backward()\nprint(x.grad.item())"
    with ada.lesson() as page:
        assert page.run(c1=code)["c1"]["text"] == "6.0\n"
        page.ask("restart")
        page.until("ready")
    (run,) = ada.get(ada.of_mine("api/runs")).json()
    assert run["name"] == "Lesson 1: Twice"
    assert run["records"] > 0
    assert bob.get(bob.of_mine("api/runs")).json() == []
    assert bob.get(ada.of_mine("api/runs")).status_code == 401


def test_a_forged_record_at_the_door_opens_nothing_but_the_pupils_own_runs(room: Class) -> None:
    if room.room.sandbox.name != "bubblewrap":
        pytest.skip("there is no file to reach the door by: the host sends what is recorded")
    eve = room.pupil("Eve Forges")
    forge = (
        "import socket\ndoor = socket.socket(socket.AF_UNIX)\ndoor.connect('/run/minigrad/explorer')\n"
        "door.sendall(b'GET /api/class/wall HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n')\n"
        "print(door.recv(100000).split()[1])"
    )
    with eve.lesson() as page:
        assert page.run(c1=forge)["c1"]["text"] == "b'426'\n"


@pytest.mark.slow
@pytest.mark.skipif(sys.version_info < (3, 11), reason="the load's clients meet at asyncio's barrier")
def test_pupils_at_once_and_a_hostile_one_get_what_they_earned() -> None:
    """A short version of `python -m benchmarks.classroom`, which also tells how long it takes."""
    from benchmarks.classroom import Day, measure

    found = measure(Day("2", pupils=6, hostile=2, rounds=2))
    assert found.wrong == []
    assert len(found.verdicts) == 12
