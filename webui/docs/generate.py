"""Write the pages that come from the code: the API, the ops, the lessons, the changelog, the formulas' typesetter.

Run by MkDocs (`make docs`), which reads what is written here as if it lay in pages/.
"""

from __future__ import annotations

import contextlib
import importlib
import inspect
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import mkdocs_gen_files

from minigrad.observe import Recorder
from minigrad_webui.runs.page_export import page_of_traces

ROOT = Path(__file__).resolve().parents[2]
LARGEST_TRACE = 300_000
"""Letters; a page with a longer one opens slowly."""
LESSONS_PLAYER = "lessons.html"
PLAYER = '<iframe class="player" src="../assets/{file}#run={run}" title="{title}" loading="lazy"></iframe>\n'
WIDTH = 72
"""The letters of a signature that stand in one line."""

MODULES = {
    "minigrad": "Tensors and their functions",
    "minigrad.Tensor": "Methods of a tensor",
    "minigrad.autograd": "backward, grad, no_grad, Function, hooks",
    "minigrad.autograd.forward_ad": "Forward mode with dual numbers",
    "minigrad.autograd.functional": "Jacobians and Hessians of functions",
    "minigrad.autograd.graph": "Nodes and saved tensors",
    "minigrad.autograd.profiler": "Time and memory of each op",
    "minigrad.func": "grad, vmap, jvp, vjp and their kin",
    "minigrad.nn": "Modules",
    "minigrad.nn.functional": "The functions behind the modules",
    "minigrad.nn.init": "Initial values of parameters",
    "minigrad.nn.utils": "Clipping, parametrisations, packed sequences",
    "minigrad.optim": "Optimisers",
    "minigrad.optim.lr_scheduler": "Learning rate schedules",
    "minigrad.linalg": "Linear algebra",
    "minigrad.fft": "Fourier transforms",
    "minigrad.special": "Special functions",
    "minigrad.random": "Seeds and generators",
    "minigrad.utils.checkpoint": "Recompute instead of save",
    "minigrad.utils.data": "Data sets and loaders",
    "minigrad.testing": "Comparing tensors in tests",
    "minigrad.text": "The same engine over text",
    "minigrad.backend": "Array libraries behind one interface",
    "minigrad.observe": "Recording, drawing, explaining, debugging",
}


def write(path: str, text: str) -> None:
    with mkdocs_gen_files.open(path, "w") as file:
        file.write(text)


def public_names(owner: ModuleType | type) -> list[str]:
    listed = getattr(owner, "__all__", None) or dir(owner)
    names = [name for name in listed if not name.startswith("_")]
    return [name for name in names if callable(owner.__dict__.get(name, _value(owner, name))) or inspect.isclass(owner)]


def _value(owner: object, name: str) -> object:
    with contextlib.suppress(AttributeError):
        return getattr(owner, name)
    return None


def signature(value: object) -> str:
    """The parameters of a function or class, as Python shows them."""
    try:
        found = str(inspect.signature(value)).replace("'", "")  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return "(...)"
    found = re.sub(r"minigrad\.(?:\w+\.)*(\w+)", r"\1", re.sub(r"\b(?:typing|collections\.abc)\.", "", found))
    found = re.sub(r"<(?:function )?(\w+)(?: object)? at 0x\w+>", r"\1", found)  # an address differs in every process
    if inspect.isclass(value):
        found = found.removesuffix(" -> None")
    return found if len(found) <= WIDTH else _one_parameter_a_line(found)


def _one_parameter_a_line(text: str) -> str:
    """A long signature, broken after each comma that is in no bracket but the first."""
    inner, depth = "", 0
    for position, letter in enumerate(text):
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "(" and depth == 1:
            inner += "(\n    "
        elif letter == ")" and depth == 0:
            return f"{inner},\n{text[position:]}"
        else:
            inner += ",\n   " if letter == "," and depth == 1 else letter
    return text


def described(name: str, value: object) -> str:
    """One name of the API: its signature, and its docstring as Markdown. An undocumented name stops the build."""
    if isinstance(value, property):
        head, text = name, inspect.getdoc(value)
    else:
        head, text = f"{name}{signature(value)}", inspect.getdoc(value)
    if not text:
        raise SystemExit(f"{name} is public but has no docstring")
    return f"### {name} {{ data-toc-label='{name}' }}\n\n```python\n{head}\n```\n\n{markdown(text)}\n"


def markdown(docstring: str) -> str:
    """A docstring as Markdown: examples and indented blocks become code, section heads become bold."""
    lines: list[str] = []
    code = False
    for line in docstring.splitlines():
        section = re.fullmatch(r"(Args|Shape|Returns|Raises|Example|Examples|Yields|Note|Attributes):", line.strip())
        is_code = line.startswith((">>> ", "... ", "    ")) or line == "..." or (code and bool(line.strip()))
        if section:
            lines += ["```"] if code else []
            lines += ["", f"**{section[1]}**", ""]
            code = False
            continue
        if is_code and not code:
            lines += ["", "```pycon" if line.startswith(">>>") else "```text"]
        elif code and not is_code:
            lines += ["```", ""]
        code = is_code
        lines.append(line if is_code else line.replace("``", "`").replace("<", "&lt;"))
    return "\n".join([*lines, "```"] if code else lines)


def module_page(name: str, about: str) -> str:
    owner: ModuleType | type = (
        importlib.import_module("minigrad").Tensor if name == "minigrad.Tensor" else importlib.import_module(name)
    )
    parts = [f"# {name}\n\n{about}.\n"]
    for each in sorted(public_names(owner), key=str.lower):
        value = inspect.getattr_static(owner, each) if inspect.isclass(owner) else _value(owner, each)
        module = str(getattr(value, "__module__", "minigrad"))
        misspelt = type(value).__name__ == "Misspelt"
        if not misspelt and module.startswith("minigrad") and (callable(value) or isinstance(value, property)):
            parts.append(described(each, value))
    return "\n".join(parts)


def ops_page() -> str:
    from minigrad.observe.explain.op_reference import described as op_described
    from minigrad.observe.explain.op_reference import every_op

    parts = [
        "# Ops\n\nWhat each op computes, and the gradient of each of its inputs. "
        "\\(\\bar y\\) is the gradient that arrives.\n"
    ]
    for op in every_op().values():
        facts = op_described(op)
        about = facts["about"].replace("<", "&lt;")
        parts.append(f"## {facts['name']}\n\n{about}\n")
        if facts["formula"]:
            parts.append(f"\\[{facts['formula']}\\]\n")
        parts += [f"- gradient of `{input}`: \\({rule}\\)" for input, rule in facts["gradients"].items() if rule]
        parts.append("")
    return "\n".join(parts)


def lesson_pages(traces: Path) -> Iterator[tuple[str, str]]:
    """Each lesson with its text, its code, its output as the solved lesson prints it, hints and solutions folded.

    The first cell with a backward that is small enough is recorded to `traces`, and its player stands below it.
    """
    from minigrad.classroom.course import load_course

    for entry in load_course():
        lesson = entry.read()
        scope: dict[str, object] = {"__name__": "__lesson__"}
        number = int(entry.slug.split("-")[0])
        head = f"\n\n*{entry.goal}* About {entry.minutes} minutes. `minigrad lesson open {number}`\n"
        parts: list[str] = []
        played = None
        for place, cell in enumerate(lesson.cells):
            if cell.kind == "markdown":
                parts.append(_folded("Hint", cell.text) if cell.tag == "hint" else _text(cell, number))
            elif cell.tag == "check":
                _printed(cell.text, scope)
            else:
                trace = traces / f"{entry.slug}-{place:02}.jsonl"
                code = re.sub(r"^ *### (?:BEGIN|END) SOLUTION\n?", "", cell.text, flags=re.MULTILINE).strip()
                shown = f"```python\n{code}\n```\n"
                parts.append(_folded("One solution", shown) if cell.tag == "exercise" else shown)
                with contextlib.nullcontext() if played else Recorder(trace, name=entry.title):
                    printed = _printed(cell.text, scope)
                if printed.strip():
                    parts.append(f'```text title="output"\n{printed.rstrip()}\n```\n')
                if not played and (played := _run_worth_playing(trace)):
                    parts.append(PLAYER.format(file=LESSONS_PLAYER, run=played, title="The graph of this cell"))
        title, _, rest = parts[0].partition("\n")
        yield entry.slug, "\n".join([title, head, rest, *parts[1:]])


def _run_worth_playing(trace: Path) -> str | None:
    """The id of the run that a cell has left, where it has a backward and is short; else its trace is deleted."""
    text = trace.read_text(encoding="utf-8")
    if '"type":"backward_finished"' in text and len(text) < LARGEST_TRACE:
        _without_clock(trace)
        return trace.stem
    trace.unlink()
    return None


def _without_clock(trace: Path) -> None:
    """Put even times into a trace, and its file's name for the run's id: the same sources give the same pages."""
    records = [json.loads(line) for line in trace.read_text(encoding="utf-8").splitlines()]
    for record in records:
        record["t"] = round(record["seq"] * 1e-4, 4)
        record.update({name: 1e-4 for name in ("seconds", "exchanged", "waited") if record.get(name)})
    records[0].update(id=trace.stem, started="2026-01-01T00:00:00.000+00:00", argv=[])
    lines = (json.dumps(record, separators=(",", ":")) for record in records)
    trace.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _text(cell: object, number: int) -> str:
    """A cell's text as the site shows it. A figure is dragged on the lesson's page; here stands what it is made of."""
    if getattr(cell, "tag", "") == "predict":
        return f"{cell.question}\n\n{_folded('Reveal', cell.reveal)}"  # type: ignore[attr-defined]
    text = str(cell.text)  # type: ignore[attr-defined]
    text = text.replace("```figure", f'```text title="a figure to drag: minigrad lesson open {number}"')
    text = re.sub(r"\$\$(.+?)\$\$", r"\\[\1\\]", text, flags=re.DOTALL)
    return re.sub(r"(?<![\\$])\$([^$\n]+)\$", r"\\(\1\\)", text) + "\n"


def _folded(title: str, text: str) -> str:
    return f'??? note "{title}"\n\n' + "".join(f"    {line}\n" for line in text.splitlines())


def _printed(code: str, scope: dict[str, object]) -> str:
    """Return a cell's output, without measured times. A lesson that lacks a package says so itself."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(code, "<lesson>", "exec"), scope)
    return re.sub(r" *\b\d+(?:\.\d+)? (ms|milliseconds|seconds)\b", r" … \1", output.getvalue())


def from_repository(path: str) -> str:
    """A page of the repository; links to files that are not part of the site become plain text."""
    text = (ROOT / path).read_text(encoding="utf-8")
    return re.sub(r"(?<!!)\[([^\]]+)\]\((?!https?://|#)[^)]+\)", r"\1", text)


def player() -> bytes:
    """A recorded run as one page, with its player."""
    with tempfile.TemporaryDirectory() as folder:
        trace, page = Path(folder) / "run.jsonl", Path(folder) / "run.html"
        environment = {**os.environ, "MINIGRAD_DATA_DIR": folder}
        command = [sys.executable, "-m", "minigrad"]
        demo = ["demo", "scalar", "--headless", "--record", str(trace)]
        subprocess.run([*command, *demo], check=True, env=environment, capture_output=True)
        _without_clock(trace)
        subprocess.run(
            [*command, "export", str(trace), "--output", str(page)], check=True, env=environment, capture_output=True
        )
        return page.read_bytes()


def main() -> None:
    summary = (Path(__file__).parent / "pages" / "SUMMARY.md").read_text(encoding="utf-8")
    api = []
    for name, about in MODULES.items():
        write(f"api/{name}.md", module_page(name, about))
        api.append(f"    * [{name}](api/{name}.md)")
    lessons = []
    with tempfile.TemporaryDirectory() as folder:
        for slug, text in lesson_pages(Path(folder)):
            write(f"lessons/{slug}.md", text)
            title = re.search(r"^# (.+)$", text, re.MULTILINE)
            lessons.append(f"    * [{title[1] if title else slug}](lessons/{slug}.md)")
        write(f"assets/{LESSONS_PLAYER}", page_of_traces(sorted(Path(folder).iterdir()))[1])
    write("ops.md", ops_page())
    write("changelog.md", from_repository("CHANGELOG.md"))
    write("reading.md", from_repository("minigrad/README.md"))
    write("differences.md", from_repository("minigrad/autograd/DIFFERENCES.md"))
    write("security.md", from_repository("SECURITY.md"))
    write("lessons/how-to-write-a-lesson.md", from_repository("lessons/HOW_TO_WRITE_A_LESSON.md"))
    write(
        "SUMMARY.md",
        summary.replace("{lessons}", "\n".join(lessons).lstrip()).replace("{api}", "\n".join(api).lstrip()),
    )
    with mkdocs_gen_files.open("assets/player.html", "wb") as file:
        file.write(player())
    for picture in ("explorer.png", "pytorch.png"):
        with mkdocs_gen_files.open(f"assets/{picture}", "wb") as file:
            file.write((ROOT / "webui/pictures" / picture).read_bytes())
    katex = ROOT / "webui/frontend/node_modules/katex/dist"
    for path in (
        *katex.glob("fonts/*.woff2"),
        *(katex / f for f in ("katex.min.css", "katex.min.js", "contrib/auto-render.min.js")),
    ):
        with mkdocs_gen_files.open(f"assets/katex/{path.relative_to(katex).as_posix()}", "wb") as file:
            shutil.copyfileobj(path.open("rb"), file)


main()
