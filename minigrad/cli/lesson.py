"""`minigrad lesson`: the course, for learners, teachers and authors."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from . import explorer
from .console import BLUE, GREEN, Problem, out, say
from .lesson_author import examine, new
from .lesson_check import check
from .lesson_files import course, find, has_been_trusted, learner_progress
from .options import Headless, NoBrowser, Port, Record, Values, ValuesKept

app = typer.Typer(
    name="lesson",
    help="The course: read, run and check its lessons; hand them out and grade them; write new ones.",
    invoke_without_command=True,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def lesson(context: typer.Context) -> None:
    """The course: read, run and check its lessons; hand them out and grade them; write new ones."""
    if context.invoked_subcommand is None:
        print(context.get_help())


Name = Annotated[str, typer.Argument(metavar="LESSON", help="The lesson's number, or (the beginning of) its name.")]
NameOrFile = Annotated[str, typer.Argument(metavar="LESSON", help="The lesson's number, its name, or a file.")]


@app.command(name="list")
def list_(
    fast: Annotated[bool, typer.Option("--fast", help="Only the fast track, for those in a hurry.")] = False,
) -> int:
    """List the lessons: what each teaches, how long it takes, and how far you are."""
    from rich.table import Table

    shipped = course()
    entries = shipped.fast_track if fast else shipped.entries
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name, style in (("", BLUE), ("lesson", "bold"), ("min", ""), ("done", GREEN), ("afterwards you can", "")):
        table.add_column(name, style=style, justify="right" if name in ("", "min") else "left")
    for entry in entries:
        title = f"{entry.title}{' »' if entry.fast_track else ''}"
        lesson = entry.read()
        done, of = len(learner_progress().standing(entry.slug, lesson).passed), len(lesson.exercises)
        table.add_row(str(entry.number), title, str(entry.minutes), f"{done}/{of}" if done else "", entry.goal)
    out().print(table)
    minutes = sum(entry.minutes for entry in entries)
    say(f"{minutes // 60} h {minutes % 60:02} min in all. » is the fast track. Begin: minigrad lesson open 1", "dim")
    return 0


@app.command(name="open")
def open_(lesson: Name, no_browser: NoBrowser = False, port: Port = None) -> int:
    """Open a lesson's page in the browser: its text, its cells, and the live graph beside them."""
    entry = find(lesson, files=False)
    note = explorer.find_or_start(port)
    page, _, token = note.page.partition("?")
    address = f"{page.rstrip('/')}/lesson/{entry.slug}?{token}"
    if not explorer.open_page(address, not no_browser):
        say("Open it:")
    out().print(address, soft_wrap=True)
    return 0


@app.command()
def run(
    lesson: NameOrFile,
    no_browser: NoBrowser = False,
    port: Port = None,
    headless: Headless = False,
    record: Record = None,
    values: ValuesKept = Values.auto,
    trust: Annotated[bool, typer.Option("--trust", help="Run a file from elsewhere without asking.")] = False,
) -> int:
    """Run a lesson as a program, solved, and watch its autograd.

    You are asked before a lesson runs that does not come with minigrad: its code can do anything that you can.
    """
    from .run import run as run_program

    entry = find(lesson)
    entry.read()
    if not has_been_trusted(entry, trust):
        return 1
    return run_program(str(entry.path), None, False, no_browser, port, headless, record, values)


class Format(str, Enum):
    """Who or what an export is for: a student, a teacher, ..."""

    notebook = "notebook"
    student = "student"
    teacher = "teacher"
    texts = "texts"


@app.command()
def export(
    lesson: NameOrFile,
    format: Annotated[
        Format,
        typer.Option(
            "--format",
            help="A solved notebook; a copy for students, without solutions, or for teachers; texts to translate.",
        ),
    ] = Format.notebook,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="The file to write; its ending, .ipynb or .py, chooses the kind.",
            show_default=False,
        ),
    ] = None,
) -> int:
    """Write a lesson as a notebook, as a student's or teacher's copy, or as texts for a translator."""
    import json

    from minigrad.classroom import blank, template
    from minigrad.classroom.notebook import notebook

    entry = find(lesson)
    parsed = entry.read()
    kind = ".ipynb" if format is Format.notebook else ".py"
    ending = "" if format is Format.notebook else f"-{format.value}"
    target = output or Path(f"{entry.slug}{ending}{kind}")
    if target.is_dir():
        target = target / f"{entry.slug}{ending}{kind}"
    solved = format is not Format.student
    if format is Format.texts:
        text = template(parsed)
    elif target.suffix == ".ipynb":
        text = json.dumps(notebook(parsed, solved, entry.number or "N"), indent=1, ensure_ascii=False) + "\n"
    elif target.suffix == ".py" and format is not Format.notebook:
        text = entry.source if solved else blank(entry.source)
    else:
        raise Problem(f"A {format.value} is written to a file that ends in {kind}, not to {str(target)!r}.")
    _write(target, text)
    out().print(str(target), soft_wrap=True)
    return 0


def _write(target: Path, text: str) -> None:
    if target.exists():
        raise Problem(f"{str(target)!r} is there already. Move it away, or name another file with -o.")
    try:
        target.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise Problem(f"Cannot write {str(target)!r}: {error.strerror}.") from error


app.command()(check)
app.command()(new)
app.command(name="test")(examine)
