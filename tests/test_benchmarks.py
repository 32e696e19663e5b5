"""The table of figures and its picture, made of figures that were thought up."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

from benchmarks import notes
from benchmarks.machine import facts
from benchmarks.measure import Measured
from benchmarks.picture import drawn, picture, place
from benchmarks.row import Row
from benchmarks.table import cells, lines_of
from benchmarks.workloads import ROWS


def figures() -> list[dict[str, Any]]:
    beside = Row("work", "some work", {}, {"torch": 1.0, "numpy": 1.5}, agree=False)
    found = [Measured(side, [[(cost, cost)]]) for side, cost in (("minigrad", 6.0), ("torch", 4.0), ("numpy", 2.0))]
    apart = Row("recorded", "the same, recorded", {}, {"not recorded": 1.3}, agree=False)
    return lines_of(beside, found) + lines_of(
        apart, [Measured("minigrad", [[(1.2, 1.2)]]), Measured("not recorded", [[(1.0, 1.0)]])]
    )


def test_every_row_has_a_name_of_its_own_and_minigrad_first() -> None:
    assert len({row.name for row in ROWS}) == len(ROWS)
    assert all(next(iter(row.sides)) == "minigrad" for row in ROWS)
    assert all(set(row.targets) <= set(row.sides) for row in ROWS)


def test_marks_are_multiples_of_pytorch_and_the_strictest_target_counts() -> None:
    (work,), (recorded,) = drawn(figures())
    assert work.marks == {"minigrad": 1.5, "numpy": 0.5}
    assert work.target == 0.75  # 1.5 times NumPy is less than once PyTorch
    assert recorded.marks == {"minigrad": 1.2}
    assert recorded.target == 1.3


def test_the_picture_is_svg_that_says_what_was_measured_and_what_was_missed() -> None:
    drawing = picture({"measured_on": facts(), "rows": figures()})
    ElementTree.fromstring(drawing)
    assert "prefers-color-scheme: dark" in drawing
    words = re.sub(r"<[^>]*>", " ", drawing)
    assert "1.50" in words
    assert words.count("wanted") == 1
    assert facts()["python"] in words


def test_what_is_not_measured_is_left_out_of_the_picture() -> None:
    absent = lines_of(
        Row("work", "some work", {}), [Measured("minigrad", [[(1.0, 1.0)]]), Measured("torch", missing="no torch")]
    )
    assert drawn(absent) == ([], [])


def test_the_scale_is_logarithmic_and_has_ends() -> None:
    assert abs((place(2) - place(1)) - (place(1) - place(0.5))) < 0.3
    assert place(1000) == place(100)


def test_a_verdict_says_in_how_many_rounds_it_held_and_how_far_they_lay_apart() -> None:
    row = Row("work", "some work", {}, {"torch": 1.0}, agree=False, threaded=True)
    ours = Measured("minigrad", [[(1.0, 3.0)], [(2.0, 3.0)], [(1.0, 3.0)], [(1.0, 3.0)]])
    theirs = Measured("torch", [[(1.5, 2.0)]] * 4)
    (line,) = lines_of(row, [ours, theirs])
    assert (line["held"], line["reached"], line["wall"]) == (3, True, 1.5)
    assert cells(line)[-1] == "reached, held in 3 of 4 rounds"
    (line,) = lines_of(row, [ours, theirs], one_thread=False)  # then the time that passed decides
    assert (line["work"], line["held"], line["reached"]) == ("work, threads", 0, False)


def test_the_notes_take_the_last_figures_of_each_row_and_mark_what_is_missed() -> None:
    def run(cost: float) -> dict[str, Any]:
        row = Row("hvp", "a row of the table", {}, {"torch": 99.0})
        sides = [Measured(side, [[(each, each)]] * 4) for side, each in (("minigrad", cost), ("torch", 1.0))]
        return {"measured_on": {**facts(), "day": f"day {cost:.0f}"}, "rows": lines_of(row, sides)}

    table = notes.table(notes.merged([run(1.0), run(3.0)]))
    assert table.startswith("day 3, ")
    assert "0 of 1 targets reached." in table
    assert table.endswith("| hvp | torch | 3 ms | 1 | **3.00** | 3.00 to 3.00 | 3.00 | 1.2 | 0 of 4 |")
    assert notes.put(f"a {notes.BEGIN} old {notes.END} b", "new") == f"a {notes.BEGIN}\n\nnew\n\n{notes.END} b"
    assert notes.BEGIN in notes.NOTES.read_text()
