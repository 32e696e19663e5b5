"""The wall: each pupil's progress, who is stuck, and who makes the same mistake, all computed from the register."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import median

from minigrad_webui.classroom.protocol import (
    Column,
    Feedback,
    FeedbackWork,
    Group,
    Me,
    Row,
    Said,
    Screen,
    Square,
    Tried,
    Wall,
    Work,
)
from minigrad_webui.classroom.protocol import Pupil as Opened
from minigrad_webui.classroom.register import Attempt, Pupil
from minigrad_webui.classroom.room import Room
from minigrad_webui.lessons.pages import Standing, exercise

STUCK = 5
"""A pupil is stuck after this many wrong answers to one exercise."""

TOGETHER = 2
"""The smallest number of pupils with the same mistake that makes a group."""

Marks = Mapping[tuple[int, str, str], Sequence[Attempt]]


def columns(room: Room) -> list[Column]:
    """The columns of the wall: the exercises of the class."""
    return [
        Column(slug=entry.slug, id=id, lesson=f"{entry.number} {entry.title}")
        for entry in room.course
        for id in entry.read().exercises
    ]


def wall(room: Room) -> Wall:
    """The current state of the whole wall."""
    places, marks, written = columns(room), _attempts(room), _written(room)
    rows = [_row(pupil, places, marks, written) for pupil in room.register.pupils()]
    started = float(room.register.kept("started", lambda: str(time.time())))
    return Wall(
        title=room.title,
        address=room.address,
        code=room.keys.code,
        viewer=f"{room.address}/projector?token={room.keys.viewer}",
        minutes=(time.time() - started) / 60,
        frozen=room.frozen,
        left=room.left,
        columns=places,
        rows=rows,
        groups=_groups(rows),
        translations=_translations(room, rows),
        shown=room.shown,
    )


def _attempts(room: Room) -> Marks:
    found = defaultdict[tuple[int, str, str], list[Attempt]](list)
    for attempt in room.register.attempts():
        found[attempt.pupil, attempt.slug, attempt.exercise].append(attempt)
    return found


def _written(room: Room) -> set[tuple[int, str, str]]:
    return {(pupil, slug, cell) for pupil, slug, cell in room.register.rows("SELECT pupil, slug, cell FROM drafts")}


def _row(pupil: Pupil, places: Sequence[Column], marks: Marks, written: set[tuple[int, str, str]]) -> Row:
    squares = [
        square(marks.get((pupil.id, at.slug, at.id), ()), (pupil.id, at.slug, at.id) in written) for at in places
    ]
    return Row(
        id=pupil.id,
        name=pupil.name,
        idle=max(0.0, time.time() - pupil.seen),
        asks=pupil.asks,
        handed_in=pupil.handed_in is not None,
        points=points(pupil, squares),
        squares=squares,
    )


def square(attempts: Sequence[Attempt], written: bool) -> Square:
    """The state of one pupil at one exercise."""
    right = next((at for at, attempt in enumerate(attempts) if attempt.result == "passed"), None)
    if right is not None:
        return Square(state="solved", tries=right + 1, mistake="")
    tries = len(attempts)
    mistake = attempts[-1].mistake if attempts else ""
    if tries >= STUCK:
        return Square(state="stuck", tries=tries, mistake=mistake)
    return Square(state="working" if written or tries else "none", tries=tries, mistake=mistake)


def points(pupil: Pupil, squares: Sequence[Square]) -> float:
    """The teacher's points, or else one for each passed exercise."""
    solved = sum(each.state == "solved" for each in squares)
    return float(solved) if pupil.points is None else pupil.points


def _translations(room: Room, rows: Sequence[Row]) -> dict[str, dict[str, str]]:
    """The mistakes on the wall in other languages, where translated."""
    made = {square.mistake for row in rows for square in row.squares}
    found = defaultdict[str, dict[str, str]](dict)
    for entry in room.course if any(made) else ():
        for language in entry.languages:
            sentences = entry.read(language).sentences
            found[language] |= {mistake: sentences[mistake] for mistake in made if mistake in sentences}
    return dict(found)


def _groups(rows: Sequence[Row]) -> list[Group]:
    found = defaultdict[tuple[int, str], list[Row]](list)
    for row in rows:
        for at, each in enumerate(row.squares):
            if each.mistake:
                found[at, each.mistake].append(row)
    groups = [
        Group(
            column=at,
            mistake=mistake,
            pupils=[row.id for row in those],
            tries=median(row.squares[at].tries for row in those),
        )
        for (at, mistake), those in found.items()
        if len(those) >= TOGETHER
    ]
    return sorted(groups, key=lambda group: (-len(group.pupils), group.column))


def screen(room: Room) -> Screen:
    """What the projector shows, without names."""
    places, marks = columns(room), _attempts(room)
    pupils = room.register.pupils()
    solved = [
        sum(square(marks.get((pupil.id, at.slug, at.id), ()), False).state == "solved" for pupil in pupils)
        for at in places
    ]
    return Screen(
        title=room.title,
        shown=room.shown,
        frozen=room.frozen,
        left=room.left,
        address=room.address,
        code=room.keys.code,
        joined=len(pupils),
        solved=solved,
    )


def me(room: Room, pupil: Pupil) -> Me:
    """The class as this pupil sees it."""
    return Me(
        name=pupil.name,
        title=room.title,
        frozen=room.frozen,
        closed=room.closed(pupil.id),
        left=room.left,
        handed_in=pupil.handed_in is not None,
        asks=pupil.asks,
        words=_words(room, pupil),
    )


def _words(room: Room, pupil: Pupil) -> list[Said]:
    return [Said(number=w.number, exercise=w.exercise, text=w.text) for w in room.register.words(pupil.id)]


def opened(room: Room, pupil: Pupil, run: str | None) -> Opened:
    """One pupil's work, for the teacher."""
    attempts, now = room.register.attempts(pupil.id), time.time()
    work, squares = [], []
    for at in columns(room):
        tried = [each for each in attempts if (each.slug, each.exercise) == (at.slug, at.id)]
        squares.append(square(tried, False))
        entry = room.course.find(at.slug)
        told = exercise(entry.read(), at.id, Standing())
        work.append(
            Work(
                slug=at.slug,
                id=at.id,
                code=answer(room, pupil, at),
                hints=_hints(room, pupil, at),
                passed=any(each.result == "passed" for each in tried),
                tried=[
                    Tried(
                        ago=now - each.at,
                        result=each.result,
                        message=each.message,
                        translations=entry.translations(each.message, at.id),
                        code=each.code,
                    )
                    for each in reversed(tried[-20:])
                ],
                original=told.original,
                plays=told.plays,
            )
        )
    return Opened(
        id=pupil.id,
        name=pupil.name,
        points=points(pupil, squares),
        given=pupil.points is not None,
        comment=pupil.comment,
        run=run,
        work=work,
        words=_words(room, pupil),
    )


def answer(room: Room, pupil: Pupil, at: Column) -> str:
    """The pupil's current text of an exercise; empty if nothing was written."""
    query = "SELECT code FROM drafts WHERE pupil = ? AND slug = ? AND cell = ?"
    return next((str(code) for (code,) in room.register.rows(query, (pupil.id, at.slug, at.id))), "")


def _hints(room: Room, pupil: Pupil, at: Column) -> int:
    query = "SELECT count FROM hints WHERE pupil = ? AND slug = ? AND exercise = ?"
    return next((int(count) for (count,) in room.register.rows(query, (pupil.id, at.slug, at.id))), 0)


def feedback(room: Room, pupil: Pupil) -> Feedback:
    """The feedback for a pupil at the end."""
    attempts = room.register.attempts(pupil.id)
    over = pupil.handed_in is not None or room.left == 0.0
    work, squares = [], []
    for at in columns(room):
        tried = [each for each in attempts if (each.slug, each.exercise) == (at.slug, at.id)]
        one = square(tried, False)
        squares.append(one)
        entry = room.course.find(at.slug)
        solution = entry.read().find("exercise", at.id)[0].text
        message = tried[-1].message if tried and one.state != "solved" else ""
        plain = "\n".join(line for line in solution.split("\n") if not line.strip().startswith("### "))
        work.append(
            FeedbackWork(
                lesson=at.lesson,
                id=at.id,
                passed=one.state == "solved",
                tries=one.tries,
                message=message,
                translations=entry.translations(message, at.id),
                code=answer(room, pupil, at),
                solution=plain if over or one.state == "solved" else None,
            )
        )
    return Feedback(
        name=pupil.name, title=room.title, points=points(pupil, squares), of=len(work), comment=pupil.comment, work=work
    )
