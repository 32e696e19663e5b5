"""What the lessons' addresses tell, keep and hold back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from minigrad.classroom import Entry, load_course
from minigrad_webui import frontend
from minigrad_webui.lessons.pages import Standing, page
from minigrad_webui.lessons.protocol import Course, Lesson
from tests.webui.lesson_room import SLUG, classroom

LESSON = f"/api/lessons/{SLUG}"


@pytest.fixture
def notes(data_dir: Path) -> Path:
    """Where the learner's files are."""
    return data_dir / "lessons" / SLUG


@pytest.fixture
def client(notes: Path, tmp_path: Path) -> Iterator[TestClient]:
    with classroom(tmp_path / "course") as (client, _):
        yield client


def cell(client: TestClient, kind: str) -> dict[str, Any]:
    """The first cell of that kind, as the page gets it."""
    cells = client.get(LESSON).json()["cells"]
    return next(each for each in cells if each["kind"] == kind)


def test_the_course_says_what_there_is_and_how_far_one_is(client: TestClient, notes: Path) -> None:
    course = Course.model_validate(client.get("/api/lessons").json())
    assert (course.title, course.folder) == ("Small numbers", str(notes.parent))
    first, second = course.lessons
    assert (first.title, first.minutes, first.fast, first.exercises, first.passed) == ("Twice", 30, True, 1, 0)
    assert (second.number, second.fast, second.touched) == (2, False, False)


def test_a_lesson_has_its_cells_in_order_and_its_neighbours(client: TestClient) -> None:
    lesson = Lesson.model_validate(client.get(LESSON).json())
    assert [each.kind for each in lesson.cells] == ["text", "code", "question", "code", "exercise", "code"]
    assert (lesson.look, lesson.view) == ("Look at the product.", "tree=1")
    assert lesson.previous is None and lesson.next_fast is None
    assert lesson.next is not None and lesson.next.slug == "02-thrice"


@pytest.mark.parametrize(
    "secret", ["solution_secret", "check_secret", "HINT", "1234.5", "REVEALED", "BEGIN SOLUTION", "expect(double"]
)
def test_the_page_has_neither_solution_nor_check_nor_answer(client: TestClient, secret: str) -> None:
    assert secret not in client.get(LESSON).text
    assert secret not in client.get("/api/lessons").text


@pytest.mark.parametrize("entry", list(load_course()), ids=lambda entry: str(entry.slug))
def test_no_lesson_of_the_course_gives_itself_away(entry: Entry) -> None:
    lesson = entry.read()
    sent = page(entry, lesson, Standing(), {})
    told = json.dumps(sent.model_dump(exclude={"card"}))
    assert "### BEGIN" not in told and "# your code here" in told
    for part in lesson.cells:
        if part.tag in ("check", "hint"):
            assert json.dumps(part.text)[1:-1] not in told
        if part.tag == "predict":
            assert json.dumps(part.reveal)[1:-1] not in told
    for each in sent.cells:
        if each.kind == "exercise":
            assert (each.solution, each.check, each.hints) == (None, None, [])


def test_hints_come_one_by_one_and_stay(client: TestClient) -> None:
    hints = [client.post(f"{LESSON}/hints/double").json()["hints"] for _ in range(4)]
    assert hints[:2] == [["HINT-ONE"], ["HINT-ONE", "HINT-TWO"]]
    assert hints[2] == hints[3]
    assert hints[2][:2] == hints[1] and "return solution_secret * x" in hints[2][2], "the last step is a solution"
    assert cell(client, "exercise")["hints"] == hints[2]
    assert client.get("/api/lessons").json()["lessons"][0]["touched"]


@pytest.mark.parametrize(("guess", "fits"), [(1234.5, True), (1235.0, True), (1235.1, False), (None, None)])
def test_a_guess_is_compared_and_then_the_answer_is_revealed(
    client: TestClient, guess: float | None, fits: bool | None
) -> None:
    assert cell(client, "question")["revealed"] is None
    answered = client.post(f"{LESSON}/guesses/guess", json={"guess": guess}).json()
    assert answered["revealed"]["fits"] is fits
    assert answered["revealed"]["markdown"] == "Because of REVEALED-WORDS."
    assert cell(client, "question") == answered


def test_the_first_guess_counts(client: TestClient) -> None:
    client.post(f"{LESSON}/guesses/guess", json={"guess": 7})
    again = client.post(f"{LESSON}/guesses/guess", json={"guess": 1234.5}).json()["revealed"]
    assert (again["guess"], again["fits"]) == (7, False)


def test_what_is_written_is_kept_as_a_plain_file(client: TestClient, notes: Path) -> None:
    exercise, code = cell(client, "exercise"), cell(client, "code")
    card = client.post(f"{LESSON}/draft", json={"key": exercise["key"], "code": "def double(x):\n    return x"}).json()
    client.post(f"{LESSON}/draft", json={"key": code["key"], "code": "start = 5"})
    assert card["touched"]
    assert (notes / "double.py").read_text() == "def double(x):\n    return x"
    assert [file.read_text() for file in notes.glob("cell-*.py")] == ["start = 5"]
    assert cell(client, "exercise")["code"] == "def double(x):\n    return x"
    assert cell(client, "exercise")["original"] == exercise["original"]


def test_a_cell_goes_back_to_what_the_lesson_gave(client: TestClient, notes: Path) -> None:
    key, original = (cell(client, "exercise")[name] for name in ("key", "original"))
    client.post(f"{LESSON}/draft", json={"key": key, "code": "nonsense"})
    lesson = client.post(f"{LESSON}/reset/{key}").json()
    assert next(each["code"] for each in lesson["cells"] if each["key"] == key) == original
    assert not (notes / "double.py").exists()
    client.post(f"{LESSON}/draft", json={"key": key, "code": original})
    assert not (notes / "double.py").exists(), "the original again needs no file"


def test_a_lesson_goes_back_to_where_it_began(client: TestClient, notes: Path) -> None:
    before = client.get(LESSON).text
    client.post(f"{LESSON}/hints/double")
    client.post(f"{LESSON}/guesses/guess", json={"guess": None})
    client.post(f"{LESSON}/draft", json={"key": cell(client, "code")["key"], "code": "x"})
    assert client.post(f"{LESSON}/reset").text == before
    assert not notes.exists()


def test_a_damaged_note_is_as_if_there_was_none(client: TestClient, notes: Path) -> None:
    client.post(f"{LESSON}/hints/double")
    (notes / "progress.json").write_text('{"passed": 7, "hints": []')
    (notes / "double.py").write_bytes(b"\xff\xfe")
    exercise = cell(client, "exercise")
    assert (exercise["passed"], exercise["hints"], exercise["code"]) == (False, [], exercise["original"])


def test_reading_changes_nothing(client: TestClient, notes: Path) -> None:
    for path in ("", "/draft", "/hints/double", "/guesses/guess", "/reset", "/reset/c1"):
        assert client.get(LESSON + path).status_code in (200, 404, 405)
    assert not notes.exists()


@pytest.mark.parametrize(
    ("method", "path", "body", "said"),
    [
        ("GET", "/api/lessons/07-none", None, "there is no lesson '07-none'"),
        ("POST", f"{LESSON}/hints/none", None, "no exercise 'none'"),
        ("POST", f"{LESSON}/guesses/double", {"guess": 1}, "no question 'double'"),
        ("POST", f"{LESSON}/draft", {"key": "c99", "code": ""}, "no cell 'c99'"),
        ("POST", f"{LESSON}/reset/c0", None, "no cell 'c0'"),
    ],
)
def test_what_is_not_there_is_named(client: TestClient, method: str, path: str, body: Any, said: str) -> None:
    answer = client.request(method, path, json=body)
    assert (answer.status_code, answer.json()["code"]) == (404, "unknown_lesson")
    assert said in answer.json()["message"]


def test_a_check_cell_cannot_be_written(client: TestClient) -> None:
    keys = {each["key"] for each in client.get(LESSON).json()["cells"]}
    hidden = next(f"c{place}" for place in range(20) if f"c{place}" not in keys)
    assert client.post(f"{LESSON}/draft", json={"key": hidden, "code": ""}).status_code == 404


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Authorization": ""}, 401),
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Host": "evil.example"}, 403),
        ({"Origin": "http://evil.example"}, 403),
    ],
)
@pytest.mark.parametrize(("method", "path"), [("GET", ""), ("POST", "/hints/double"), ("POST", "/reset")])
def test_every_address_is_guarded(
    client: TestClient, notes: Path, headers: dict[str, str], status: int, method: str, path: str
) -> None:
    assert client.request(method, LESSON + path, headers=headers).status_code == status
    assert not notes.exists()


def test_a_lesson_s_page_finds_its_files_from_one_folder_up(
    client: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "index.html").write_text('<head><script src="./assets/a.js"></script></head>')
    monkeypatch.setattr(frontend, "STATIC", tmp_path)
    assert '<head><base href="../"><script' in client.get(f"/lesson/{SLUG}").text
    assert "<base" not in client.get("/lessons").text
    assert client.get("/lesson/a/b").status_code == 404
