"""A class: who comes in, who sees what, what is kept, and what the teacher does."""

from __future__ import annotations

import asyncio
import csv
import io
import json
import logging
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread

import pytest
from starlette.websockets import WebSocketDisconnect

from minigrad.classroom import load_course
from minigrad.classroom.sandbox import OPEN
from minigrad.observe.publish.publisher import Publisher
from minigrad_webui.classroom.app import open_room
from minigrad_webui.classroom.room import fixed
from tests.webui.class_room import RIGHT, SQUARE, Class, checked, hear, held
from tests.webui.lesson_room import SLUG, course
from tests.webui.synthetic import training

DRAFT = f"api/lessons/{SLUG}/draft"


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Class]:
    with held(tmp_path) as opened:
        yield opened


# Who comes in ---------------------------------------------------------------------------------------------------------


def test_a_pupil_joins_with_a_name_and_the_code(room: Class) -> None:
    ada = room.pupil("  Ada  Lovelace ")
    assert ada.get("/").headers["location"] == f"pupil/{ada.id}/lesson/{SLUG}"
    assert [row["name"] for row in room.wall()["rows"]] == ["Ada Lovelace"]


def test_a_wrong_code_is_refused_and_guessing_ends(room: Class) -> None:
    stranger = room.stranger()
    told = {"name": "Eve", "code": "AAA-AAA"}
    assert {stranger.post("/api/class/join", told).status_code for _ in range(20)} == {403}
    assert stranger.post("/api/class/join", {**told, "code": room.room.keys.code}).status_code == 429


def test_a_name_that_is_here_is_refused_until_the_teacher_lets_it_back(room: Class) -> None:
    ada = room.pupil("Ada")
    other = room.stranger()
    told = {"name": "ada", "code": room.room.keys.code}
    assert other.post("/api/class/join", told).status_code == 409
    assert room.teacher.post(f"/api/class/pupils/{ada.id}/return").status_code == 204
    assert other.post("/api/class/join", told).status_code == 200
    assert ada.get(ada.of_mine("class/me")).status_code == 401


@pytest.mark.parametrize(
    "path", ["/wall", "/api/class/wall", "/api/class/marks.csv", "/api/class/pupils/1", "/projector"]
)
def test_a_stranger_sees_nothing_but_the_door(room: Class, path: str) -> None:
    room.pupil("Ada")
    assert room.stranger().get(path).status_code == 401
    assert room.stranger().get("/api/class/door").json() == {"title": "1 Twice"}
    assert room.stranger().get("/").headers["location"] == "join"


def test_a_pupil_sees_neither_the_wall_nor_another_pupil(room: Class) -> None:
    ada, bob = room.pupil("Ada"), room.pupil("Bob")
    for path in (
        "/api/class/wall",
        "/api/class/handed-in.zip",
        ada.of_mine("class/me"),
        ada.of_mine(f"api/lessons/{SLUG}"),
    ):
        assert bob.get(path).status_code == 401
    assert bob.post(ada.of_mine(DRAFT), {"key": "c4", "code": "mine"}).status_code == 401
    with pytest.raises(WebSocketDisconnect), bob.live(f"/pupil/{ada.id}/api/lessons/{SLUG}/bench"):
        pass


def test_the_presenter_reads_a_pupils_pages_and_writes_nothing_there(room: Class) -> None:
    ada = room.pupil("Ada")
    assert room.teacher.get(ada.of_mine("api/runs")).json() == []
    assert room.teacher.get(ada.of_mine("class/feedback")).status_code == 200
    assert room.teacher.post(ada.of_mine(DRAFT), {"key": "c4", "code": "x"}).status_code == 401
    with pytest.raises(WebSocketDisconnect), room.teacher.live(f"/pupil/{ada.id}/api/lessons/{SLUG}/bench"):
        pass


def test_a_viewer_sees_the_projector_and_only_what_it_shows(room: Class) -> None:
    ada, viewer = room.pupil("Ada"), room.stranger().open("projector", room.room.keys.viewer)
    assert viewer.get("/api/class/screen").json()["shown"] is None
    assert viewer.get("/api/class/wall").status_code == 401
    assert viewer.post("/api/class/rule", {"frozen": True}).status_code == 401
    assert viewer.get(ada.of_mine("api/runs")).status_code == 401
    room.teacher.post("/api/class/project", {"title": "A sign", "text": "Look.", "pupil": ada.id})
    assert viewer.get("/api/class/screen").json()["shown"]["title"] == "A sign"
    room.teacher.post("/api/class/project", {"title": "A sign", "message": "not yet", "pupil": ada.id})
    assert viewer.get("/api/class/screen").json()["shown"]["message"] == "not yet"
    assert viewer.get(ada.of_mine("api/runs")).status_code == 200
    assert viewer.get(ada.of_mine("class/feedback")).status_code == 401
    assert "Ada" not in viewer.get("/api/class/screen").text


def test_the_way_in_is_drawn_for_a_phone(room: Class) -> None:
    drawn = room.teacher.get("/api/class/qr.svg")
    assert drawn.headers["content-type"].startswith("image/svg+xml")
    assert 'xmlns="http://www.w3.org/2000/svg"' in drawn.text
    assert room.stranger().get("/api/class/qr.svg").status_code == 401


# What is kept ---------------------------------------------------------------------------------------------------------


def test_two_tabs_of_a_pupil_do_not_overwrite_each_other(room: Class) -> None:
    ada = room.pupil("Ada")
    before = next(
        cell for cell in ada.get(ada.of_mine(f"api/lessons/{SLUG}")).json()["cells"] if cell.get("id") == "double"
    )
    key, given = before["key"], before["original"]
    assert ada.post(ada.of_mine(DRAFT), {"key": key, "code": "first tab", "base": given}).status_code == 200
    refused = ada.post(ada.of_mine(DRAFT), {"key": key, "code": "second tab", "base": given})
    assert (refused.status_code, refused.json()["code"]) == (409, "overtaken")
    assert ada.post(ada.of_mine(DRAFT), {"key": key, "code": "first tab, on", "base": "first tab"}).status_code == 200


def test_a_class_that_was_killed_goes_on_with_nothing_lost(tmp_path: Path) -> None:
    with held(tmp_path) as before:
        ada = before.pupil("Ada")
        ada.post(ada.of_mine(DRAFT), {"key": "c4", "code": RIGHT})
        assert ada.check(SQUARE)["message"].startswith("not yet: You square it.")
        before.teacher.post("/api/class/hint", {"pupils": [ada.id], "text": "Add."})
        keys, wall = before.room.keys, before.wall()
    with held(tmp_path) as again:
        assert again.room.keys == keys
        assert again.wall()["rows"][0]["squares"] == wall["rows"][0]["squares"]
        returned = again.stranger()
        returned.client.cookies, returned.id = ada.client.cookies, ada.id
        assert returned.get(ada.of_mine("class/me")).json()["words"][0]["text"] == "Add."
        assert returned.check(RIGHT)["passed"]


def test_what_a_pupil_computed_is_there_after_the_server_was_killed(tmp_path: Path) -> None:
    with held(tmp_path) as before:
        ada = before.pupil("Ada")
        with ada.lesson() as page:
            page.run(c1="print('kept')")
            checked(page, SQUARE)
    with held(tmp_path) as again:
        returned = again.stranger()
        returned.client.cookies, returned.id = ada.client.cookies, ada.id
        with returned.lesson() as page:
            told = page.until("before")[-1]
            assert [each["text"] for each in told["results"]] == ["kept\n"]
            assert [each["code"] for each in told["verdicts"]] == [SQUARE]


# The wall -------------------------------------------------------------------------------------------------------------


def test_pupils_with_the_same_mistake_are_a_group_by_what_it_gives(room: Class) -> None:
    ada, bob, cy = (room.pupil(name) for name in ("Ada", "Bob", "Cy"))
    ada.check(SQUARE)
    bob.check("double = lambda number: number ** 2")
    cy.check("def double(x):\n    return x / 2")
    wall = room.wall()
    assert [(group["mistake"], group["pupils"]) for group in wall["groups"]] == [("You square it.", [ada.id, bob.id])]
    assert [row["squares"][0]["state"] for row in wall["rows"]] == ["working"] * 3
    bob.check(RIGHT)
    wall = room.wall()
    assert wall["groups"] == []
    assert [row["squares"][0]["state"] for row in wall["rows"]] == ["working", "solved", "working"]
    assert wall["rows"][1]["squares"][0]["tries"] == 2


def test_who_errs_five_times_is_stuck(room: Class) -> None:
    ada = room.pupil("Ada")
    with ada.lesson() as page:
        for _ in range(5):
            checked(page, SQUARE)
    assert room.wall()["rows"][0]["squares"][0] == {"state": "stuck", "tries": 5, "mistake": "You square it."}


def test_the_wall_is_live(room: Class) -> None:
    with room.teacher.live("/api/class/live") as socket:
        assert hear(socket)["rows"] == []
        room.pupil("Ada")
        found = hear(socket)
        while not found["rows"]:
            found = hear(socket)
        assert found["rows"][0]["name"] == "Ada"


def test_a_hint_reaches_the_group_and_nobody_else(room: Class) -> None:
    ada, bob = room.pupil("Ada"), room.pupil("Bob")
    with ada.live(ada.of_mine("class/live")) as socket:
        assert hear(socket)["words"] == []
        room.teacher.post("/api/class/hint", {"pupils": [ada.id], "exercise": "double", "text": "Add it to itself."})
        assert hear(socket)["words"][0]["text"] == "Add it to itself."
    assert bob.get(bob.of_mine("class/me")).json()["words"] == []


def test_a_pupil_asks_and_the_teacher_hears(room: Class) -> None:
    ada = room.pupil("Ada")
    ada.post(ada.of_mine("class/ask"), {"text": "Why 6?"})
    assert room.wall()["rows"][0]["asks"] == "Why 6?"
    room.teacher.post(f"/api/class/pupils/{ada.id}/heard")
    assert ada.get(ada.of_mine("class/me")).json()["asks"] == ""


def test_while_work_stands_still_nothing_runs_and_nothing_is_checked(room: Class) -> None:
    ada = room.pupil("Ada")
    room.teacher.post("/api/class/rule", {"frozen": True})
    with ada.lesson() as page:
        assert checked(page, RIGHT)["message"] == "Your teacher has stopped work for a moment."
        page.ask("run", cells=[{"key": "c1", "code": "1"}])
        assert page.until("refused")
        room.teacher.post("/api/class/rule", {"frozen": False})
        assert checked(page, RIGHT)["passed"]


def test_after_the_deadline_and_after_handing_in_nothing_is_checked(room: Class) -> None:
    ada, bob = room.pupil("Ada"), room.pupil("Bob")
    bob.post(bob.of_mine("class/hand-in"))
    assert "handed in" in bob.check(RIGHT)["message"]
    room.teacher.post(f"/api/class/pupils/{bob.id}/give-back")
    assert bob.check(RIGHT)["passed"]
    room.teacher.post("/api/class/rule", {"minutes": 0})
    assert ada.check(RIGHT)["message"] == "The time is up."
    room.teacher.post("/api/class/rule", {"endless": True})
    assert ada.check(RIGHT)["passed"]


# The end --------------------------------------------------------------------------------------------------------------


def test_the_teacher_opens_a_pupils_work_and_gives_points(room: Class) -> None:
    ada = room.pupil("Ada")
    ada.check(SQUARE)
    told = room.teacher.get(f"/api/class/pupils/{ada.id}").json()
    assert told["work"][0]["tried"][0]["code"] == SQUARE
    assert "your code here" in told["work"][0]["original"]
    assert (told["points"], told["given"], told["run"]) == (0.0, False, None)
    room.teacher.post(f"/api/class/pupils/{ada.id}", {"points": 0.5, "comment": "Nearly."})
    feedback = ada.get(ada.of_mine("class/feedback")).json()
    assert (feedback["points"], feedback["comment"], feedback["work"][0]["solution"]) == (0.5, "Nearly.", None)
    ada.post(ada.of_mine("class/hand-in"))
    assert "solution_secret" in ada.get(ada.of_mine("class/feedback")).json()["work"][0]["solution"]


def test_a_comment_alone_leaves_the_points_to_be_counted(room: Class) -> None:
    ada = room.pupil("Ada")
    room.teacher.post(f"/api/class/pupils/{ada.id}", {"points": None, "comment": "Go on."})
    ada.check(RIGHT)
    feedback = ada.get(ada.of_mine("class/feedback")).json()
    assert (feedback["points"], feedback["comment"]) == (1.0, "Go on.")


def test_marks_come_as_a_table_with_messages_and_no_formulas(room: Class) -> None:
    room.pupil("=cmd()").check(SQUARE)
    (row,) = csv.DictReader(io.StringIO(room.teacher.get("/api/class/marks.csv").text))
    assert row["name"] == "'=cmd()"
    assert (row["double"], row["double tries"]) == ("not yet", "1")
    assert row["double message"].startswith("not yet: You square it.")


def test_scores_and_work_come_as_schools_take_them(room: Class) -> None:
    ada = room.pupil("Ada / B.")
    ada.post(ada.of_mine(DRAFT), {"key": "c4", "code": RIGHT})
    ada.check(RIGHT)
    (score,) = room.teacher.get("/api/class/scores.json").json()
    assert (score["userId"], score["scoreGiven"], score["scoreMaximum"]) == ("Ada / B.", 1.0, 1)
    archive = zipfile.ZipFile(io.BytesIO(room.teacher.get("/api/class/handed-in.zip").content))
    path = f"submitted/Ada-B-{ada.id}/{SLUG}/{SLUG}.ipynb"
    assert path in archive.namelist()
    assert any(RIGHT in "".join(cell["source"]) for cell in json.loads(archive.read(path))["cells"])


# The end --------------------------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("error")
def test_a_class_that_ends_while_programs_are_recorded_closes_no_store_under_them(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def day() -> None:
        lessons = load_course(course(tmp_path / "course"))
        room = open_room(tmp_path / "class", fixed(lessons, lessons.entries[:1]), OPEN)
        seat = await room.seat(room.register.join("Ada").id)
        assert seat is not None
        programs = [Thread(target=program, args=(seat._door.url, f"run-{at}")) for at in range(8)]
        for each in programs:
            each.start()
        while len(seat.store.runs()) < len(programs):
            await asyncio.sleep(0.05)
        await room.close()
        over.set()
        await asyncio.to_thread(lambda: [each.join(20) for each in programs])
        room.register.close()

    over = Event()

    def program(url: str, run: str) -> None:
        publisher = Publisher(url, "")
        for each in training(run, 100_000):
            if over.is_set():
                break
            publisher.send(each)
            time.sleep(0.0005)
        publisher.close(0.1)

    asyncio.run(day())
    assert not [each for each in caplog.records if each.levelno >= logging.ERROR]
