"""`minigrad lesson new` and `test`, for authors of lessons."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .console import GREEN, RED, Problem, out, say
from .lesson_files import course, find, remember

if TYPE_CHECKING:
    from minigrad.classroom import Entry
    from minigrad.classroom.draft import Draft


def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The title of the lesson, such as 'Slopes of slopes'.")],
    folder: Annotated[
        Path,
        typer.Option(
            metavar="FOLDER", help="The folder to write to; in the course's own folder the lesson gets a number."
        ),
    ] = Path(),
) -> int:
    """Write a small lesson to begin with: it has everything a lesson needs, and passes `minigrad lesson test`."""
    from minigrad.classroom.scaffold import file_name, scaffold, scaffold_mistakes

    if name.endswith(".py") or len(Path(name).parts) > 1:
        title, where = Path(name).stem.replace("-", " ").capitalize(), Path(name).parent
        instead = f"minigrad lesson new {title!r} --folder {where}"
        raise Problem(f"A lesson is begun by its title, and {name!r} is a file. Try: {instead}")
    if not folder.is_dir():
        raise Problem(f"There is no folder {str(folder)!r}.")
    target = folder / file_name(name, folder)
    if not target.name.removesuffix(".py").strip("-0123456789"):
        raise Problem(f"A lesson needs a name with letters in it, not {name!r}.")
    try:
        with target.open("x", encoding="utf-8", newline="\n") as file:
            file.write(scaffold(name))
        wrong = folder / "mistakes" / target.name
        wrong.parent.mkdir(exist_ok=True)
        with wrong.open("x", encoding="utf-8", newline="\n") as file:
            file.write(scaffold_mistakes(name))
    except FileExistsError:
        raise Problem(f"{str(target)!r} is there already. Choose another name.") from None
    except OSError as error:
        raise Problem(f"Cannot write {str(target)!r}: {error.strerror}.") from error
    remember(target)
    out().print(str(target), soft_wrap=True)
    say(f"Test it: minigrad lesson test {target}    Watch it: minigrad lesson run {target}")
    return 0


def examine(
    lessons: Annotated[
        list[str] | None,
        typer.Argument(metavar="[LESSON]...", help="Numbers, names or files; by default the whole course."),
    ] = None,
    mutants: Annotated[
        bool, typer.Option("--mutants", help="Change each solution in small ways, and list what its check lets pass.")
    ] = False,
) -> int:
    """Test lessons: they must pass solved, fail blank, and print what they claim. Status 1 if a test fails.

    The check of each exercise must find it if it is left blank, every exercise needs a hint, the times of the header
    must hold, and printed numbers and predicted answers must be true. A file is run as it is.
    """
    entries = [find(name) for name in lessons] if lessons else course().entries
    good = [_mutated(entry) if mutants else _tested(entry) for entry in entries]
    say(f"{sum(good)} of {len(good)} lessons are as they should be.")
    return 0 if all(good) else 1


def _mutated(entry: Entry) -> bool:
    """Whether the checks find every small change to the solutions, except changes that keep the meaning."""
    from rich.markup import escape

    from minigrad.classroom.mutants import survivors

    found = list(survivors(entry.read(), entry.path))
    mark = f"[{RED}]✗[/]" if found else f"[{GREEN}]✓[/]"
    out().print(f"{mark} {escape(entry.slug)}", soft_wrap=True)
    for mutant in found:
        out().print(f"    [bold]{escape(mutant.exercise)}[/] passes with {escape(mutant.change)}", soft_wrap=True)
    return not found


def _tested(entry: Entry) -> bool:
    from minigrad.classroom import LessonError
    from minigrad.classroom.draft import Draft
    from minigrad.classroom.rules import broken

    from .console import escape

    try:
        draft = Draft(entry.path)
    except LessonError as error:
        raise Problem(f"{entry.path}: {error}") from error
    if draft.missing:
        out().print(f"[dim]–[/] {escape(entry.slug)}  skipped: it needs {', '.join(draft.missing)}", soft_wrap=True)
        return True
    problems = broken(draft)
    mark = f"[{RED}]✗[/]" if problems else f"[{GREEN}]✓[/]"
    out().print(f"{mark} {escape(entry.slug)}  [dim]{draft.solved.seconds:.1f} s[/]", soft_wrap=True)
    for rule, problem in problems:
        first, *more = problem.splitlines()
        out().print(f"    [bold]{rule}[/]: {escape(first)}", soft_wrap=True)
        for line in more:
            out().print(f"      {escape(line)}", soft_wrap=True)
    _say_what_is_untranslated(entry, draft)
    return not problems


def _say_what_is_untranslated(entry: Entry, draft: Draft) -> None:
    """Report missing or outdated translations. Learners get the original text instead, so these are no errors."""
    from minigrad.classroom import problems
    from minigrad.classroom.course import read_text

    from .console import escape

    for language in entry.languages:
        for problem in problems(draft.lesson, read_text(entry.path.parent / language / entry.path.name)):
            out().print(f"    [dim]{language}: {escape(problem)}[/]", soft_wrap=True)
